//! Bounds of a part of the tree, as [`bounds`](super::super::bounds) makes them: what a term could save of RSS
//! at most is the sum of what its columns could.
//!
//! φ depends on the numbers of terms and of parameters. Models that add so many parameters save at most what
//! the terms do that save most a parameter, of the last a part; and each term has the price of a term to
//! pay, which lowers what it saves and raises what RSS may be.

use super::{
    super::{
        bounds::{DESCENTS, descend},
        subproblem::Subproblem,
    },
    decisions::{Decision, Decisions},
    parts::Part,
    thresholds::Thresholds,
};
use crate::{cholesky, design::Terms, search::problem::Size};

/// All models that some decisions leave.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) decisions: Decisions,
    pub(super) columns: Subproblem,
}

/// A free term.
struct Candidate {
    term: u32,
    /// Its free columns, by position.
    positions: Vec<usize>,
    /// Those, by index, that leave with it, and that enter with it; itself is one of both.
    without: Vec<usize>,
    with: Vec<usize>,
    /// What RSS rises by at least where no model holds it.
    cost: f64,
    /// What it could save of RSS at most, less the price of a term.
    gain: f64,
}

impl Candidate {
    fn width(&self) -> usize {
        self.positions.len()
    }

    fn density(&self) -> f64 {
        self.gain / self.width() as f64
    }
}

/// The bounds of one part of the tree.
#[derive(Default)]
pub(super) struct Bounds {
    candidates: Vec<Candidate>,
    /// By the number of added parameters what RSS may be, −∞ where all models of the size are decided;
    /// and that with the prices of the terms added.
    rss_limits: Vec<f64>,
    limits: Vec<f64>,
    /// RSS of a model that saves nothing, at least, and that of the largest model.
    base: f64,
    largest: f64,
    /// Candidates with columns, by index, the largest gain of a parameter first.
    order: Vec<usize>,
    skipped: Vec<bool>,
    residual: Vec<f64>,
    price: f64,
    /// Multiply-adds, about.
    pub(super) work: usize,
    /// Terms that all models that are good enough hold, and those that none holds.
    pub(super) fixed: Vec<u32>,
    pub(super) dropped: Vec<u32>,
}

/// The least and the most terms that have so many columns, by their number, of terms of these widths, ascending
/// and not 0.
fn counts(widths: &[usize], columns: usize) -> Vec<(usize, usize)> {
    let (mut narrow, mut wide) = (0, 0);
    let (mut least, mut most) = (0, 0);
    let count = |columns: usize| {
        while wide < columns {
            wide += widths[widths.len() - 1 - least];
            least += 1;
        }
        while most < widths.len() && narrow + widths[most] <= columns {
            narrow += widths[most];
            most += 1;
        }
        (least, most)
    };
    (0..=columns).map(count).collect()
}

impl Bounds {
    /// Begins with a node. True where all its models are decided: its smallest and its largest one, which
    /// were offered, and those of sizes at which single gains or costs decide.
    pub(super) fn begin(
        &mut self,
        node: &Node,
        (part, terms): (&Part, &Terms),
        thresholds: &Thresholds,
    ) -> bool {
        self.work = 0;
        self.fixed.clear();
        self.dropped.clear();
        self.price = thresholds.term_price;
        self.largest = node.columns.largest.rss;
        self.candidates = self.candidates_of(node, part, terms);
        self.skipped.clear();
        self.skipped.resize(self.candidates.len(), false);
        let columns = node.columns.free.len();
        let mut widths: Vec<usize> = self.candidates.iter().map(Candidate::width).collect();
        widths.retain(|width| *width > 0);
        widths.sort_unstable();
        let empty = self.candidates.len() - widths.len();
        let counts = counts(&widths, columns);
        let mut costs: Vec<f64> = self
            .candidates
            .iter()
            .filter(|own| own.width() > 0)
            .map(|own| own.cost)
            .collect();
        costs.sort_unstable_by(f64::total_cmp);
        let (terms, parameters) = (
            node.decisions.all(Decision::Fixed).len(),
            node.columns.fixed.len(),
        );
        self.limits.clear();
        self.rss_limits.clear();
        for (added, (least, most)) in counts.iter().enumerate() {
            let (mut limit, mut rss_limit) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
            for count in *least..=most + empty {
                let is_smallest = added == 0 && count == 0;
                let is_largest = added == columns && count == self.candidates.len();
                if !is_smallest && !is_largest {
                    let own = thresholds.at(Size {
                        terms: terms + count,
                        parameters: parameters + added,
                    });
                    rss_limit = rss_limit.max(own);
                    limit = limit.max(own + self.price * count as f64);
                }
            }
            // Of so many drops one costs at least as much as that of this rank does alone.
            let (drops, _) = counts[columns - added];
            let is_dear = drops > 0 && self.largest + costs[drops - 1] > rss_limit;
            if is_dear || (*most == 1 && empty == 0 && self.single(node, added) > rss_limit) {
                (limit, rss_limit) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
            }
            self.limits.push(limit);
            self.rss_limits.push(rss_limit);
        }
        self.limits.iter().all(|limit| *limit == f64::NEG_INFINITY)
    }

    fn candidates_of(&mut self, node: &Node, part: &Part, terms: &Terms) -> Vec<Candidate> {
        let free = node.decisions.all(Decision::Free);
        let mut places = vec![usize::MAX; part.term_of.len()];
        for (position, column) in node.columns.free.iter().enumerate() {
            places[*column as usize] = position;
        }
        let positions = |term: u32| -> Vec<usize> {
            let own = part.columns[term as usize].iter();
            own.map(|column| places[*column as usize]).collect()
        };
        let index = |all: Vec<u32>| -> Vec<usize> {
            let own = all.iter().filter_map(|term| free.binary_search(term).ok());
            own.collect()
        };
        let largest = &node.columns.largest;
        let candidate = |term: &u32| {
            let without = node.decisions.without(*term, terms);
            let all: Vec<usize> = without.iter().flat_map(|own| positions(*own)).collect();
            self.work += all.len().pow(3);
            Candidate {
                term: *term,
                positions: positions(*term),
                without: index(without),
                with: index(node.decisions.with(*term, terms)),
                cost: block_form(&largest.matrix, &largest.vector, &all),
                gain: 0.0,
            }
        };
        free.iter().map(candidate).collect()
    }

    /// The least RSS of models that add one term of so many columns that needs no other.
    fn single(&self, node: &Node, width: usize) -> f64 {
        let smallest = &node.columns.smallest;
        let own = self.candidates.iter();
        let own = own.filter(|own| own.width() == width && own.with.len() == 1);
        let gains = own.map(|own| block_form(&smallest.matrix, &smallest.vector, &own.positions));
        smallest.rss - gains.fold(0.0, f64::max)
    }

    /// Makes the bound at u = β̂. True where no model is good enough.
    pub(super) fn at_largest(&mut self, node: &Node) -> bool {
        let Subproblem {
            diagonal, largest, ..
        } = &node.columns;
        let gain = |j: usize| diagonal[j] * largest.vector[j] * largest.vector[j];
        self.base = largest.rss + (0..diagonal.len()).map(gain).sum::<f64>();
        self.decide(gain)
    }

    /// Makes the bound where coordinate descent from the point of the node above ends. True where no model
    /// is good enough.
    pub(super) fn at_relaxation(&mut self, node: &mut Node, price: f64) -> bool {
        let Subproblem {
            smallest,
            diagonal,
            point,
            ..
        } = &mut node.columns;
        let b = &smallest.vector;
        let mut residual = std::mem::take(&mut self.residual);
        residual.clone_from(b);
        // Terms may be left of which the fixed ones explain all columns.
        if !b.is_empty() {
            descend(&smallest.matrix, diagonal, price, point, &mut residual);
        }
        self.work += (DESCENTS + 1) * b.len() * b.len();
        let mut curve = 0.0;
        for (j, u) in point.iter().enumerate() {
            curve += u * (b[j] - residual[j]) - diagonal[j] * u * u;
        }
        self.base = smallest.rss - curve;
        let gain = |j: usize| (residual[j] + diagonal[j] * point[j]).powi(2) / diagonal[j];
        let is_closed = self.decide(gain);
        self.residual = residual;
        is_closed
    }

    /// The least RSS of models that add so many parameters, by number, after [`Self::at_largest`]; and the
    /// least and the most terms that they may add.
    pub(super) fn floors(&self) -> Vec<(f64, usize, usize)> {
        let mut widths: Vec<usize> = self.candidates.iter().map(Candidate::width).collect();
        widths.retain(|width| *width > 0);
        widths.sort_unstable();
        let empty = self.candidates.len() - widths.len();
        let columns = widths.iter().sum();
        let gains = self.candidates.iter().filter(|own| own.width() > 0);
        let density = |own: &Candidate| (own.gain + self.price) / own.width() as f64;
        let all = gains.flat_map(|own| std::iter::repeat_n(density(own), own.width()));
        let mut all: Vec<f64> = all.collect();
        all.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut rss = self.base;
        let own = counts(&widths, columns).into_iter().enumerate();
        let floors = own.map(|(added, (least, most))| {
            rss -= added.checked_sub(1).map_or(0.0, |last| all[last]);
            (rss.max(self.largest), least, most + empty)
        });
        floors.collect()
    }

    /// Whether no model is good enough by the bound of these gains of columns; else notes the terms that
    /// all models that are hold, and that none does.
    fn decide(&mut self, gain: impl Fn(usize) -> f64) -> bool {
        for own in &mut self.candidates {
            let gains = own.positions.iter().map(|position| gain(*position));
            own.gain = gains.sum::<f64>() - self.price;
        }
        let all = &self.candidates;
        self.order.clear();
        self.order
            .extend((0..all.len()).filter(|at| all[*at].width() > 0));
        self.order
            .sort_unstable_by(|a, b| all[*b].density().total_cmp(&all[*a].density()));
        if !self.is_possible(self.base, 0, self.largest) {
            return true;
        }
        for at in 0..self.candidates.len() {
            let Candidate { term, cost, .. } = self.candidates[at];
            let without = std::mem::take(&mut self.candidates[at].without);
            without.iter().for_each(|own| self.skipped[*own] = true);
            let may_leave = self.is_possible(self.base, 0, self.largest + cost);
            without.iter().for_each(|own| self.skipped[*own] = false);
            self.candidates[at].without = without;
            if !may_leave {
                self.fixed.push(term);
                continue;
            }
            let with = std::mem::take(&mut self.candidates[at].with);
            let (mut base, mut columns) = (self.base, 0);
            for own in &with {
                self.skipped[*own] = true;
                base -= self.candidates[*own].gain;
                columns += self.candidates[*own].width();
            }
            let may_enter = self.is_possible(base, columns, self.largest);
            with.iter().for_each(|own| self.skipped[*own] = false);
            self.candidates[at].with = with;
            if !may_enter {
                self.dropped.push(term);
            }
        }
        false
    }

    /// Whether a model may be good enough that adds to one of this RSS, of so many added columns, any of the
    /// terms not skipped, and has at least another RSS.
    fn is_possible(&self, mut rss: f64, mut columns: usize, floor: f64) -> bool {
        let is_good = |columns: usize, rss: f64| {
            rss <= self.limits[columns] && floor <= self.rss_limits[columns]
        };
        if is_good(columns, rss) {
            return true;
        }
        for at in &self.order {
            let own = &self.candidates[*at];
            if self.skipped[*at] {
                continue;
            }
            for _ in 0..own.width() {
                columns += 1;
                rss -= own.density();
                if is_good(columns, rss) {
                    return true;
                }
            }
        }
        false
    }
}

/// vᵀA⁻¹v for a vector v and a matrix A, of which only some positions count.
fn block_form(matrix: &[f64], vector: &[f64], positions: &[usize]) -> f64 {
    let m = vector.len();
    if let [position] = *positions {
        return vector[position] * vector[position] / matrix[position * (m + 1)];
    }
    let rows = positions.iter().map(|row| &matrix[row * m..][..m]);
    let block = rows.flat_map(|row| positions.iter().map(|column| row[*column]));
    let mut block: Vec<f64> = block.collect();
    let mut own: Vec<f64> = positions.iter().map(|at| vector[*at]).collect();
    cholesky::factor(&mut block, own.len(), 0.0);
    cholesky::solve(&block, &mut own);
    own.iter().map(|value| value * value).sum()
}
