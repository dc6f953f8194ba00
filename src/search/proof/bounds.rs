//! Bounds of a subproblem: from below on RSS, for every number of columns that a model adds.
//!
//! For the products G of what the fixed columns leave of the free ones, b = Gβ̂ and a diagonal D ⪯ G, RSS is
//! RSS₀ − 2bᵀβ + βᵀGβ, and βᵀ(G − D)β is at least its tangent at any point u. What remains is separate in
//! the columns, so that every model that adds a of them has
//!
//! ```text
//! RSS ≥ RSS₀ − uᵀ(G − D)u − Σ of the a largest (rⱼ + dⱼuⱼ)²/dⱼ        r = b − Gu
//! ```
//!
//! At u = β̂ it costs m operations; coordinate descent on the perspective relaxation, whose dual this is,
//! makes a better one. By the bounds of all sizes a column is fixed or dropped at once where all models
//! without it, or with it, are too bad.
//!
//! *Source:* H. Hazimeh, R. Mazumder and A. Saab, Sparse regression at scale: branch-and-bound rooted in
//! first-order optimization, Mathematical Programming 196, 2022, for the relaxation. That its dual
//! bounds every size at once, so that it serves any criterion, is ours.

use pulp::Simd;

use super::{subproblem::Subproblem, thresholds::Thresholds};
use crate::vector::{add_scaled, vectorised};

/// Descents by coordinates for a bound.
pub(super) const DESCENTS: usize = 3;

/// The bounds of one subproblem, by the number of added columns or by position.
#[derive(Default)]
pub(super) struct Bounds {
    /// The threshold of each number of added columns; −∞ where all models of the size are decided.
    limits: Vec<f64>,
    /// What each free column could save of RSS at most.
    gains: Vec<f64>,
    /// RSS of a model that saves nothing, at least.
    base: f64,
    /// Positions, the largest gain first.
    order: Vec<usize>,
    slack: Vec<f64>,
    /// From a number of added columns on: the least slack, and the least after one more gain.
    later: Vec<f64>,
    later_more: Vec<f64>,
    residual: Vec<f64>,
    /// Columns that all models that are good enough hold, and those that none holds.
    pub(super) fixed: Vec<u32>,
    pub(super) dropped: Vec<u32>,
}

impl Bounds {
    /// Begins with a subproblem. True where all its models are decided: its smallest and its largest
    /// one, which were offered, and those of sizes at which single gains or costs decide.
    pub(super) fn begin(&mut self, node: &Subproblem, thresholds: &Thresholds) -> bool {
        let (m, size) = (node.free.len(), node.fixed.len());
        let Self { limits, gains, .. } = self;
        self.fixed.clear();
        self.dropped.clear();
        limits.clear();
        limits.extend((0..=m).map(|added| thresholds.at(size + added)));
        (limits[0], limits[m]) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        // Of so many drops one costs at least as much as that of this rank does alone.
        gains.clear();
        gains.extend((0..m).map(|position| node.drop_cost(position)));
        gains.sort_unstable_by(f64::total_cmp);
        for dropped in 1..m {
            if node.largest.rss + gains[dropped - 1] > limits[m - dropped] {
                limits[m - dropped] = f64::NEG_INFINITY;
            }
        }
        let most = (0..m)
            .map(|position| node.gain(position))
            .fold(0.0, f64::max);
        if m > 1 && node.smallest.rss - most > limits[1] {
            limits[1] = f64::NEG_INFINITY;
        }
        limits.iter().all(|limit| *limit == f64::NEG_INFINITY)
    }

    /// Makes the bound at u = β̂. True where no model is good enough.
    pub(super) fn at_largest(&mut self, node: &Subproblem) -> bool {
        self.gains.clear();
        let squares = node.diagonal.iter().zip(&node.largest.vector);
        self.gains.extend(squares.map(|(d, b)| d * b * b));
        self.base = node.largest.rss + self.gains.iter().sum::<f64>();
        self.decide(node)
    }

    /// Makes the bound where coordinate descent from the point of the subproblem above ends. True where
    /// no model is good enough.
    pub(super) fn at_relaxation(&mut self, node: &mut Subproblem, price: f64) -> bool {
        let Self {
            gains, residual, ..
        } = self;
        let (gram, b) = (&node.smallest.matrix, &node.smallest.vector);
        residual.clone_from(b);
        descend(gram, &node.diagonal, price, &mut node.point, residual);
        let mut curve = 0.0;
        gains.clear();
        for (j, u) in node.point.iter().enumerate() {
            let d = node.diagonal[j];
            curve += u * (b[j] - residual[j]) - d * u * u;
            gains.push((residual[j] + d * u).powi(2) / d);
        }
        self.base = node.smallest.rss - curve;
        self.decide(node)
    }

    /// Fixes the columns whose drop alone costs too much.
    pub(super) fn fix_the_dear(&mut self, node: &Subproblem) {
        let limits = &self.limits[..node.free.len()];
        let most = limits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (position, column) in node.free.iter().enumerate() {
            let cost = node.drop_cost(position);
            if node.largest.rss + cost > most && !self.fixed.contains(column) {
                self.fixed.push(*column);
                self.dropped.retain(|other| other != column);
            }
        }
    }

    /// The bound of each number of added columns, after [`Self::at_largest`].
    pub(super) fn by_size(&self, node: &Subproblem) -> Vec<f64> {
        let mut gains = self.gains.clone();
        gains.sort_unstable_by(|a, b| b.total_cmp(a));
        let mut rss = self.base;
        let mut floors = vec![rss];
        for gain in gains {
            rss -= gain;
            floors.push(rss.max(node.largest.rss));
        }
        floors
    }

    /// Whether no model is good enough by the bound of these gains; else notes the columns that all
    /// models that are hold, and that none does.
    fn decide(&mut self, node: &Subproblem) -> bool {
        let m = node.free.len();
        let (gains, order, slack) = (&self.gains, &mut self.order, &mut self.slack);
        order.clear();
        order.extend(0..m);
        order.sort_unstable_by(|a, b| gains[*b].total_cmp(&gains[*a]));
        slack.clear();
        let mut rss = self.base;
        for (added, limit) in self.limits.iter().enumerate() {
            slack.push(rss - limit);
            rss -= order.get(added).map_or(0.0, |j| gains[*j]);
        }
        let (later, later_more) = (&mut self.later, &mut self.later_more);
        later.clear();
        later.resize(m + 1, f64::INFINITY);
        later_more.clone_from(later);
        let (mut least, mut least_more) = (f64::INFINITY, f64::INFINITY);
        for added in (0..=m).rev() {
            least = least.min(slack[added]);
            later[added] = least;
            if let Some(next) = order.get(added) {
                least_more = least_more.min(slack[added] - gains[*next]);
                later_more[added] = least_more;
            }
        }
        if least > 0.0 {
            return true;
        }
        // A model without the column of this rank has the next gain in place of its own, and one with it
        // has its own in place of the last.
        let (mut without, mut with) = (f64::INFINITY, f64::INFINITY);
        for (rank, &position) in order.iter().enumerate() {
            let gain = gains[position];
            without = without.min(slack[rank]);
            if rank > 0 {
                with = with.min(slack[rank] + gains[order[rank - 1]]);
            }
            if without > 0.0 && later_more[rank + 1] + gain > 0.0 {
                self.fixed.push(node.free[position]);
            } else if with - gain > 0.0 && later[rank + 1] > 0.0 {
                self.dropped.push(node.free[position]);
            }
        }
        false
    }
}

vectorised! {
    /// Descends by coordinates on RSS + price · (columns used), relaxed by D; `residual` is b, and then
    /// b − Gu.
    pub(super) fn descend<'a>(
        gram: &'a [f64],
        diagonal: &'a [f64],
        price: f64,
        point: &'a mut [f64],
        residual: &'a mut [f64],
    ) -> () = descend_body;
}

#[inline(always)]
fn descend_body<S: Simd>(
    _: S,
    gram: &[f64],
    diagonal: &[f64],
    price: f64,
    point: &mut [f64],
    residual: &mut [f64],
) {
    let m = point.len();
    for (row, u) in gram.chunks_exact(m).zip(&*point) {
        if *u != 0.0 {
            add_scaled(residual, -u, row);
        }
    }
    for _ in 0..DESCENTS {
        for j in 0..m {
            let row = &gram[j * m..][..m];
            let (g, d, u) = (row[j], diagonal[j], point[j]);
            let gradient = residual[j] + g * u;
            // From here on a column is used in full, and its price is paid.
            let full = (price / d).sqrt();
            let moved = if gradient.abs() >= g * full {
                gradient / g
            } else {
                let shrunk = (gradient.abs() - (price * d).sqrt()).max(0.0) / (g - d);
                shrunk.min(full).copysign(gradient)
            };
            if moved != u && moved.is_finite() {
                point[j] = moved;
                add_scaled(residual, u - moved, row);
            }
        }
    }
}
