//! The terms of several columns in a tableau: what the model leaves of each, and the best steps.
//!
//! The formulas are those of [`crate::device`]'s neighbours of terms, by products of columns alone.

use super::gains::LEAST;
use crate::{cholesky, design::Terms, device::GramPool};

/// A step: the term of the model that leaves, by its index there, the one of the pool that joins, the
/// parameters that the model has more then, and the fall of RSS.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) fall: f64,
    pub(super) leaves: Option<usize>,
    pub(super) joins: Option<usize>,
    pub(super) parameters: i32,
}

/// The model of a tableau, whose fields have the names of those here.
pub(super) struct SweptModel<'a> {
    pub(super) members: &'a [usize],
    pub(super) columns: &'a [usize],
    pub(super) rows: &'a [f64],
    pub(super) inverse: &'a [f64],
    pub(super) coefficients: &'a [f64],
    pub(super) products: &'a [f64],
    pub(super) blocks: &'a Blocks,
}

/// Falls whose ratio is closer to one than this count as equal.
const TIE: f64 = 1e-9;

/// S of each term of a pool: w × w numbers, of which the lower triangle is used; none where each column
/// is a term.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocks {
    values: Vec<f64>,
    /// For each term its first place, its columns, and where its values begin.
    terms: Vec<(usize, usize, usize)>,
}

impl Blocks {
    /// Of the empty model.
    pub(super) fn new(pool: &GramPool) -> Self {
        let mut blocks = Self::default();
        if pool.is_plain() {
            return blocks;
        }
        for term in 0..pool.len() {
            let (places, start) = (pool.places(term), blocks.values.len());
            let w = places.len();
            blocks.terms.push((places.start, w, start));
            blocks.values.resize(start + w * w, 0.0);
            for at in 0..w {
                blocks.values[start + at * w + at] = 1.0;
            }
        }
        blocks
    }

    /// Adds factor·c·cᵀ for a vector c by place.
    pub(super) fn change(&mut self, c: &[f64], factor: f64) {
        for &(first, w, start) in &self.terms {
            let c = &c[first..first + w];
            cholesky::add_square(&mut self.values[start..start + w * w], c, factor);
        }
    }

    fn of(&self, term: usize) -> &[f64] {
        let (_, w, start) = self.terms[term];
        &self.values[start..start + w * w]
    }
}

/// A term of the model that may leave.
struct Leaving {
    index: usize,
    /// The rows of L⁻¹U of its columns, by place, and L⁻¹β̂.
    rows: Vec<Vec<f64>>,
    z: Vec<f64>,
    cost: f64,
}

/// The best steps of each kind and number of parameters; see [`super::tableau`].
pub(super) fn best_steps(
    model: &SweptModel,
    pool: &GramPool,
    open: &[f64],
    (free, rule): (impl Fn(usize) -> bool, &Terms),
) -> Vec<Step> {
    let held: Vec<u32> = model.members.iter().map(|term| pool.term(*term)).collect();
    let members = model.members.iter().enumerate();
    let may_leave = |term: usize| free(term) && rule.may_leave(pool.term(term), &held);
    let members = members.filter(|(_, term)| may_leave(**term));
    let leaving: Vec<Leaving> = members
        .map(|(index, term)| leaving(model, pool, index, *term))
        .collect();
    let mut best = Best::default();
    for own in &leaving {
        best.drops.offer(Step {
            fall: -own.cost,
            leaves: Some(own.index),
            joins: None,
            parameters: -(own.z.len() as i32),
        });
    }
    let (mut matrix, mut vector) = (Vec::new(), Vec::new());
    for (term, open) in open.iter().enumerate().take(pool.len()) {
        let joining = pool.term(term);
        if *open == 0.0 || !rule.admits(joining, &held, None) {
            continue;
        }
        let (places, rest) = (pool.places(term), model.blocks.of(term));
        let e = &model.products[places.clone()];
        let mut offer = |change: Option<&Leaving>, kind: &mut BestOf| {
            matrix.clear();
            matrix.extend_from_slice(rest);
            vector.clear();
            vector.extend_from_slice(e);
            let own = change
                .into_iter()
                .flat_map(|own| own.rows.iter().zip(&own.z));
            for (row, z) in own {
                let v = &row[places.clone()];
                vector.iter_mut().zip(v).for_each(|(e, v)| *e += z * v);
                cholesky::add_square(&mut matrix, v, 1.0);
            }
            let rank = cholesky::factor(&mut matrix, vector.len(), LEAST);
            cholesky::solve(&matrix, &mut vector);
            let gained: f64 = vector.iter().map(|z| z * z).sum();
            if rank > 0 && gained > 0.0 {
                kind.offer(Step {
                    fall: gained - change.map_or(0.0, |own| own.cost),
                    leaves: change.map(|own| own.index),
                    joins: Some(term),
                    parameters: rank as i32 - change.map_or(0, |own| own.z.len() as i32),
                });
            }
        };
        offer(None, &mut best.additions);
        let needed = rule.parents(joining);
        let leaving = leaving.iter();
        for own in leaving.filter(|own| !needed.contains(&held[own.index])) {
            offer(Some(own), &mut best.exchanges);
        }
    }
    let Best {
        exchanges,
        additions,
        drops,
    } = best;
    [exchanges.0, additions.0, drops.0].concat()
}

#[derive(Default)]
struct Best {
    exchanges: BestOf,
    additions: BestOf,
    drops: BestOf,
}

/// The best step of each number of parameters, of equal ones the first.
#[derive(Default)]
struct BestOf(Vec<Step>);

impl BestOf {
    fn offer(&mut self, step: Step) {
        match self
            .0
            .iter_mut()
            .find(|own| own.parameters == step.parameters)
        {
            None => self.0.push(step),
            Some(own) if step.fall > own.fall + TIE * step.fall.abs() => *own = step,
            Some(_) => {}
        }
    }
}

fn leaving(model: &SweptModel, pool: &GramPool, index: usize, term: usize) -> Leaving {
    let places = pool.places(term);
    let positions = model.columns.iter().enumerate();
    let positions = positions.filter(|(_, place)| places.contains(place));
    let positions: Vec<usize> = positions.map(|(position, _)| position).collect();
    let (k, width) = (model.columns.len(), model.products.len());
    let inverse = positions.iter().flat_map(|a| {
        let row = &model.inverse[a * k..][..k];
        positions.iter().map(move |b| row[*b])
    });
    let mut factor: Vec<f64> = inverse.collect();
    let own = positions.iter().map(|at| model.coefficients[*at]);
    let mut z: Vec<f64> = own.collect();
    cholesky::factor(&mut factor, z.len(), 0.0);
    cholesky::solve(&factor, &mut z);
    let mut rows = vec![vec![0.0; width]; z.len()];
    let mut one = vec![0.0; z.len()];
    for place in 0..width {
        for (value, position) in one.iter_mut().zip(&positions) {
            *value = model.rows[position * width + place];
        }
        cholesky::solve(&factor, &mut one);
        for (row, value) in rows.iter_mut().zip(&one) {
            row[place] = *value;
        }
    }
    Leaving {
        index,
        rows,
        cost: z.iter().map(|z| z * z).sum(),
        z,
    }
}
