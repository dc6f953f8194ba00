//! A subproblem of the tree: all models that hold the fixed columns and any of the free ones.

use pulp::Simd;

use super::positive::invert;
use crate::{
    device::GramPool,
    vector::{add_scaled, vectorised},
};

/// One end of a subproblem, its smallest or its largest model, as the sweep operator leaves it on the
/// free columns.
#[derive(Debug, Clone, Default)]
pub(super) struct End {
    /// Smallest model: products of what the fixed columns leave of the free ones. Largest: the block
    /// of (XᵀX)⁻¹ that belongs to the free ones.
    pub(super) matrix: Vec<f64>,
    /// Smallest model: products of the free columns with its residual. Largest: its coefficients.
    pub(super) vector: Vec<f64>,
    /// RSS of the model, the response at unit norm.
    pub(super) rss: f64,
}

/// The models that hold all of `fixed` and any of `free`.
///
/// *Shapes:* m free columns; matrices m × m and dense, vectors m, by position in `free`.
#[derive(Debug, Clone, Default)]
pub(super) struct Subproblem {
    pub(super) fixed: Vec<u32>,
    pub(super) free: Vec<u32>,
    /// The model of the fixed columns alone: G, b and its RSS.
    pub(super) smallest: End,
    /// The model of all columns: H = (XᵀX)⁻¹, β̂ and its RSS.
    pub(super) largest: End,
    /// D, diagonal and positive, with D ⪯ G: what holds for the free columns holds for any of them,
    /// and for what further fixed columns leave of them.
    pub(super) diagonal: Vec<f64>,
    /// The number of free columns for which D was made.
    pub(super) made_for: usize,
    /// Coefficients near the optimum of the relaxation.
    pub(super) point: Vec<f64>,
}

impl Subproblem {
    /// Builds a subproblem from products of columns. None where its columns are dependent in the
    /// arithmetic of products.
    pub(super) fn new(pool: &GramPool, fixed: &[u32], free: &[u32]) -> Option<Self> {
        let all: Vec<u32> = fixed.iter().chain(free).copied().collect();
        let places: Option<Vec<usize>> = all.iter().map(|column| pool.position(*column)).collect();
        let places = places?;
        let m = places.len();
        let mut gram = Vec::with_capacity(m * m);
        for &place in &places {
            let row = pool.products(place);
            gram.extend(places.iter().map(|other| row[*other]));
        }
        let xty: Vec<f64> = places.iter().map(|place| pool.xty()[*place]).collect();
        let mut subproblem = Self::of_products(all, gram, xty)?;
        for column in fixed {
            let position = subproblem.position(*column)?;
            subproblem.fix(position);
        }
        Some(subproblem)
    }

    /// All models of these columns, of their products with each other and with the response. None where
    /// they are dependent in the arithmetic of products.
    pub(super) fn of_products(all: Vec<u32>, gram: Vec<f64>, xty: Vec<f64>) -> Option<Self> {
        let m = all.len();
        let mut inverse = gram.clone();
        if !invert(&mut inverse, m) {
            return None;
        }
        let beta: Vec<f64> = inverse
            .chunks(m.max(1))
            .map(|row| row.iter().zip(&xty).map(|(h, b)| h * b).sum())
            .collect();
        let explained: f64 = beta.iter().zip(&xty).map(|(b, e)| b * e).sum();
        Some(Self {
            fixed: Vec::new(),
            free: all,
            smallest: End {
                matrix: gram,
                vector: xty,
                rss: 1.0,
            },
            largest: End {
                matrix: inverse,
                vector: beta,
                rss: 1.0 - explained,
            },
            diagonal: vec![0.0; m],
            made_for: usize::MAX,
            point: vec![0.0; m],
        })
    }

    /// The trace of H.
    pub(super) fn trace(&self) -> f64 {
        let m = self.free.len();
        self.largest.matrix.iter().step_by(m + 1).sum()
    }

    pub(super) fn position(&self, column: u32) -> Option<usize> {
        self.free.iter().position(|free| *free == column)
    }

    /// From now on every model holds the free column at a position.
    pub(super) fn fix(&mut self, position: usize) {
        let fall = eliminate(&mut self.smallest, position);
        self.smallest.rss -= fall;
        remove(&mut self.largest, position);
        self.fixed.push(self.free[position]);
        self.forget(position);
    }

    /// From now on no model holds the free column at a position.
    pub(super) fn drop(&mut self, position: usize) {
        let rise = eliminate(&mut self.largest, position);
        self.largest.rss += rise;
        remove(&mut self.smallest, position);
        self.forget(position);
    }

    fn forget(&mut self, position: usize) {
        self.free.swap_remove(position);
        self.diagonal.swap_remove(position);
        self.point.swap_remove(position);
    }

    /// What dropping a position from the largest model alone costs, β̂²/h.
    pub(super) fn drop_cost(&self, position: usize) -> f64 {
        let h = self.largest.matrix[position * (self.free.len() + 1)];
        self.largest.vector[position].powi(2) / h
    }

    /// What adding a position to the smallest model alone gains, b²/g.
    pub(super) fn gain(&self, position: usize) -> f64 {
        let g = self.smallest.matrix[position * (self.free.len() + 1)];
        self.smallest.vector[position].powi(2) / g
    }
}

vectorised! {
    /// Sweeps a position out of matrix and vector, and removes it; v²/a of its pivot a.
    fn eliminate<'a>(end: &'a mut End, position: usize) -> f64 = eliminate_body;
}

#[inline(always)]
fn eliminate_body<S: Simd>(_: S, end: &mut End, position: usize) -> f64 {
    let m = end.vector.len();
    let row: Vec<f64> = end.matrix[position * m..][..m].to_vec();
    let inverse = 1.0 / row[position];
    let value = end.vector[position];
    for (i, other) in end.matrix.chunks_exact_mut(m).enumerate() {
        let factor = row[i] * inverse;
        if i != position {
            add_scaled(other, -factor, &row);
            end.vector[i] -= factor * value;
        }
    }
    remove(end, position);
    value * value * inverse
}

/// Removes a position: the last one takes its place.
fn remove(end: &mut End, position: usize) {
    let m = end.vector.len();
    let last = m - 1;
    end.matrix.copy_within(last * m..m * m, position * m);
    for i in 0..last {
        end.matrix[i * m + position] = end.matrix[i * m + last];
        end.matrix.copy_within(i * m..i * m + last, i * last);
    }
    end.matrix.truncate(last * last);
    end.vector.swap_remove(position);
}
