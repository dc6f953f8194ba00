//! One column enters or leaves a fit.

use pulp::Simd;

use super::{Fit, Scratch};
use crate::{
    design::Columns,
    vector::{add_scaled, dot, packed_columns, vectorised},
};

/// What came of columns that were to join a fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entered {
    /// The smallest pivot of those that entered, 1 for none.
    pub(super) smallest: f64,
    /// The largest pivot of all.
    pub(super) largest: f64,
}

impl Default for Entered {
    fn default() -> Self {
        Self {
            smallest: 1.0,
            largest: 0.0,
        }
    }
}

impl Entered {
    /// Notes a column's pivot; whether it enters.
    #[inline(always)]
    pub(super) fn note(&mut self, pivot: f64, least: f64) -> bool {
        self.largest = self.largest.max(pivot);
        let enters = pivot >= least;
        if enters {
            self.smallest = self.smallest.min(pivot);
        }
        enters
    }
}

vectorised! {
    /// Adds column j if its pivot, which is returned, is not below the least.
    pub(super) fn add<'a>(fit: &'a mut Fit, x: Columns<'a>, j: u32, least: f64) -> f64 = add_body;
}

#[inline(always)]
fn add_body<S: Simd>(simd: S, fit: &mut Fit, x: Columns, j: u32, least: f64) -> f64 {
    let pivot = project(simd, fit, x, j);
    if pivot < least {
        return pivot;
    }
    let Scratch {
        unexplained,
        explained,
        ..
    } = &mut fit.scratch;
    let (rest, u) = (std::mem::take(unexplained), std::mem::take(explained));
    append(simd, fit, j, pivot.max(f64::EPSILON), (&rest, &u));
    (fit.scratch.unexplained, fit.scratch.explained) = (rest, u);
    pivot
}

/// Splits column j into X_A·u, kept in `explained`, and the rest, kept in
/// `unexplained`, whose norm is the pivot.
#[inline(always)]
pub(super) fn project<S: Simd>(simd: S, fit: &mut Fit, x: Columns, j: u32) -> f64 {
    let Scratch {
        unexplained,
        explained,
        pass,
        column,
    } = &mut fit.scratch;
    let k = fit.support.len();
    unexplained.copy_from_slice(x.column(j));
    for vector in [&mut *explained, &mut *pass, &mut *column] {
        vector.clear();
        vector.resize(k, 0.0);
    }
    // "Twice is enough": the second pass removes what rounding, and T's own
    // drift, left of X_A in the first.
    for _ in 0..if k == 0 { 0 } else { 2 } {
        for (c, &a) in column.iter_mut().zip(&fit.support) {
            *c = dot(simd, x.column(a), unexplained);
        }
        pass.fill(0.0);
        for t in packed_columns(&fit.inverse) {
            let q = dot(simd, t, &column[..t.len()]);
            add_scaled(pass, q, t);
        }
        for (&a, &u) in fit.support.iter().zip(&*pass) {
            add_scaled(unexplained, -u, x.column(a));
        }
        add_scaled(explained, 1.0, pass);
    }
    dot(simd, unexplained, unexplained).sqrt()
}

/// Takes up a column of which the support explains so much, and leaves so much.
#[inline(always)]
pub(super) fn append<S: Simd>(
    simd: S,
    fit: &mut Fit,
    j: u32,
    pivot: f64,
    (unexplained, explained): (&[f64], &[f64]),
) {
    let b = dot(simd, unexplained, &fit.residual) / (pivot * pivot);
    add_scaled(&mut fit.residual, -b, unexplained);
    add_scaled(&mut fit.coefficients, -b, explained);
    fit.coefficients.push(b);
    for u in explained {
        fit.inverse.push(-u / pivot);
    }
    fit.inverse.push(1.0 / pivot);
    fit.support.push(j);
    fit.rss = dot(simd, &fit.residual, &fit.residual);
}

vectorised! {
    /// Removes the column at a position.
    pub(super) fn remove<'a>(fit: &'a mut Fit, x: Columns<'a>, i: usize) -> () = remove_body;
}

#[inline(always)]
fn remove_body<S: Simd>(simd: S, fit: &mut Fit, x: Columns, i: usize) {
    let k = fit.support.len();
    let inverse = &mut fit.inverse;
    let gathered = &mut fit.scratch.column;
    gathered.clear();
    gathered.extend_from_slice(&inverse[i * (i + 1) / 2..][..=i]);
    for c in i + 1..k {
        // Rotate (column c, gathered) so that row i of column c vanishes;
        // without row i it becomes column c − 1.
        let from = c * (c + 1) / 2;
        let to = from - c;
        gathered.push(0.0);
        let (a, b) = (gathered[i], inverse[from + i]);
        let norm = (a * a + b * b).sqrt();
        let (cos, sin) = (a / norm, b / norm);
        for row in 0..=c {
            let (t, g) = (inverse[from + row], gathered[row]);
            gathered[row] = cos * g + sin * t;
            if row != i {
                // Writes trail reads: `to` < `from`, row by row.
                inverse[to + row - usize::from(row > i)] = cos * t - sin * g;
            }
        }
    }
    inverse.truncate(k * (k - 1) / 2);
    let step = fit.coefficients[i] / gathered[i];
    add_scaled(&mut fit.coefficients, -step, gathered);
    for (&a, &t) in fit.support.iter().zip(&*gathered) {
        add_scaled(&mut fit.residual, step * t, x.column(a));
    }
    fit.coefficients.remove(i);
    fit.support.remove(i);
    fit.rss = dot(simd, &fit.residual, &fit.residual);
}
