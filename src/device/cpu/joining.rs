//! Columns whose joining a model may lower its loss by more than a number: a bound settles the others.
//!
//! Minimising Σ w[b(η) − yη] over β has the dual max −Σ w[b*(ν) + (y − ν)·offset] over ν with Xᵀw(y − ν) = 0, b* the
//! conjugate of b, so any such ν bounds what a model with one column more can reach. With x̃ the column beside the model,
//! under the working weights W, and t = xᵀr / x̃ᵀWx̃ the step of its coefficient that its score promises,
//!
//! ```text
//! ν = μ + tVx̃   (V the variance at μ)   is one, where it is a mean of the family:
//! the fall in deviance ≤ 2 Σ w [b*(ν) − b*(μ) − b*′(μ)(ν − μ)] ≤ κ(c)·(xᵀr)² / x̃ᵀWx̃
//! κ(c) = 2[(1 − c) ln(1 − c) + c] / c²,   c = |t|·max|x̃| < 1
//! ```
//!
//! for logistic and Poisson regression, whose b* are sums of ν ln ν. The second bound asks only for products that a sweep
//! has, and settles nearly all columns.

use super::products::{CpuProducts, ProductSource, weighted_squares};
use crate::{
    design::Columns,
    device::{
        DeviceError, Shard,
        gain::{Projection, factor_width, project, push_orthonormal},
    },
    family::{Divergences, Likelihood, kappa},
    least_squares::FitView,
    vector::{add_scaled, packed_columns, weighted_square},
};

/// Most numbers of a block's products, so that it stays in the cache.
const BLOCK: usize = 1 << 16;

/// What a column must keep beside a model, as a share of its weighted square, for products to have digits.
const LEAST_REST: f64 = 1e-8;

/// Room for the rounding of products and of a fit that is at the optimum up to its own.
const ROUNDING: f64 = 1.0 + 1e-6;

/// A model as the bounds see it.
struct Bounded<'a> {
    view: &'a FitView<'a>,
    least: f64,
    rows: Divergences,
    /// Of each vector of Q, without the weights, the largest entry.
    largest: Vec<f64>,
    /// What turns its product with the first vector of Q into a weighted mean.
    mean: f64,
}

/// For each model the columns of the shard outside of it that no bound settles.
pub(super) fn joining(
    shard: Shard,
    likelihood: &Likelihood,
    (anchors, least): (&[FitView], &[f64]),
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Vec<u32>>, DeviceError> {
    let (x, n) = (shard.x, shard.x.n());
    let mut batch = Vec::new();
    let mut models = Vec::with_capacity(anchors.len());
    for (view, least) in anchors.iter().zip(least) {
        let start = batch.len();
        push_orthonormal(x, view, &mut batch);
        let weights = view.weighted.map_or(&[][..], |own| own.weights);
        let (_, before) = factor_width(view);
        let vectors = batch[start..].chunks(n).skip(before);
        let largest = vectors.map(|q| {
            let rows = q.iter().zip(weights).filter(|(_, w)| **w > 0.0);
            rows.map(|(q, w)| (q / w).abs()).fold(0.0, f64::max)
        });
        models.push(Bounded {
            view,
            rows: Divergences::of(likelihood, view.residual),
            least: *least,
            largest: largest.collect(),
            mean: view
                .weighted
                .and_then(|own| own.intercept.first().copied())
                .unwrap_or(0.0),
        });
    }
    let width = batch.len() / n;
    if width == 0 {
        return Ok(Vec::new());
    }
    let weights = anchors.iter().filter_map(|anchor| anchor.weighted);
    let weights: Vec<f64> = weights.flat_map(|own| own.weights).copied().collect();
    let start = || (vec![Vec::new(); models.len()], Room::default());
    let visit = |(open, room): &mut (Vec<Vec<u32>>, Room), first: usize, products: &mut [f64]| {
        let rows = products.len() / width;
        let Room {
            squares,
            values: of_squares,
            rest,
        } = room;
        weighted_squares(x, (first, rows), &weights, of_squares, squares);
        for row in 0..rows {
            let column = (first + row) as u32;
            let values = &*x.column_once(column);
            let largest = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let mut at = row;
            for (number, (model, open)) in models.iter().zip(&mut *open).enumerate() {
                let (own, _) = factor_width(model.view);
                let from = at;
                let of_model = |vector: usize| products[from + vector * rows];
                at += own * rows;
                if model.least == f64::INFINITY || model.view.support.contains(&column) {
                    continue;
                }
                let square = squares[number * rows + row];
                let is_settled = model.is_settled(likelihood, (square, largest), of_model)
                    || model.is_settled_by_series(x, likelihood, (values, square), of_model, rest)
                    || bound(x, likelihood, (model.view, &model.rows), column)
                        .is_some_and(|bound| bound * ROUNDING < model.least);
                if !is_settled {
                    open.push(column);
                }
            }
        }
        !stop()
    };
    let rows = (BLOCK / width).clamp(16, 512);
    let found = CpuProducts { shard, threads }.visit(&batch, rows, start, visit)?;
    let mut all = vec![Vec::new(); models.len()];
    for (part, _) in found {
        for (all, part) in all.iter_mut().zip(part) {
            all.extend(part);
        }
    }
    Ok(all)
}

impl Bounded<'_> {
    /// Whether the second bound settles a column: `product` gives those with the residual and the vectors of Q.
    fn is_settled(
        &self,
        likelihood: &Likelihood,
        (square, largest): (f64, f64),
        product: impl Fn(usize) -> f64,
    ) -> bool {
        let (width, before) = factor_width(self.view);
        let explained: f64 = (1..width).map(|at| product(at).powi(2)).sum();
        let rest = square - explained;
        if rest <= LEAST_REST * square {
            return false;
        }
        let e = product(0);
        let mean = if before > 1 {
            (product(1) * self.mean).abs()
        } else {
            0.0
        };
        let beside = self.largest.iter().enumerate();
        let beside: f64 = beside
            .map(|(at, largest)| product(before + at).abs() * largest)
            .sum();
        let step = (e / rest).abs() * likelihood.coefficient_scale();
        let c = step * (largest + mean + beside) * ROUNDING;
        c < 1.0 && kappa(c) * e * e / rest * ROUNDING < self.least
    }

    /// Whether the first bound settles a column, its logarithms bounded by series.
    fn is_settled_by_series(
        &self,
        x: Columns,
        likelihood: &Likelihood,
        (values, whole): (&[f64], f64),
        product: impl Fn(usize) -> f64,
        rest: &mut Vec<f64>,
    ) -> bool {
        let Some(weighted) = self.view.weighted else {
            return false;
        };
        let (_, before) = factor_width(self.view);
        // x̃, by the coefficients of the vectors of Q.
        let shift = if before > 1 {
            product(1) * self.mean
        } else {
            0.0
        };
        rest.clear();
        rest.extend(values.iter().map(|x| x - shift));
        let mut u = vec![0.0; self.view.support.len()];
        let mut constant = 0.0;
        for (at, t) in packed_columns(self.view.inverse).enumerate() {
            let q = product(before + at);
            u.iter_mut().zip(t).for_each(|(u, t)| *u += q * t);
            constant += q * weighted.intercept.get(at + 1).copied().unwrap_or(0.0);
        }
        for (a, u) in self.view.support.iter().zip(&u) {
            add_scaled(rest, -u, x.column(*a));
        }
        rest.iter_mut().for_each(|x| *x -= constant);
        let square = weighted_square(rest, weighted.weights);
        let step = product(0) / square * likelihood.coefficient_scale();
        if square <= LEAST_REST * whole || !step.is_finite() {
            return false;
        }
        let (sum, lowest) = self.rows.bound(rest, step);
        lowest >= -1.0 && 2.0 * sum / likelihood.loss_scale() * ROUNDING < self.least
    }
}

/// Room of a range of columns.
#[derive(Default)]
struct Room {
    squares: Vec<f64>,
    values: Vec<f64>,
    rest: Vec<f64>,
}

/// A bound on the fall in loss by a column that joins a model; none where there is no such bound.
fn bound(
    x: Columns,
    likelihood: &Likelihood,
    (view, rows): (&FitView, &Divergences),
    column: u32,
) -> Option<f64> {
    let weighted = view.weighted?;
    let Projection { e, s, rest, .. } = project(x, view, column);
    if s <= LEAST_REST * weighted_square(&x.column_once(column), weighted.weights) {
        return None;
    }
    let step = e / s * likelihood.coefficient_scale();
    Some(2.0 * rows.sum(&rest, step)? / likelihood.loss_scale())
}

/// The bound of one column.
#[cfg(test)]
pub(crate) fn bound_of(
    x: Columns,
    likelihood: &Likelihood,
    view: &FitView,
    column: u32,
) -> Option<f64> {
    let rows = Divergences::of(likelihood, view.residual);
    bound(x, likelihood, (view, &rows), column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_rises_from_one_to_two_and_bounds_the_divergence() {
        let divergence = |u: f64| (1.0 + u) * u.ln_1p() - u;
        assert!((kappa(0.0) - 1.0).abs() < 1e-15);
        let mut before = 1.0;
        for at in 1..1000 {
            let c = f64::from(at) / 1000.0;
            let own = kappa(c);
            assert!(own >= before - 1e-12 && own < 2.0, "{c}");
            before = own;
            for u in [-c, -c / 2.0, c / 3.0, c] {
                let bound = own * u * u / 2.0 * (1.0 + 1e-9);
                assert!(divergence(u) <= bound + f64::EPSILON, "{c} {u}");
            }
        }
    }
}
