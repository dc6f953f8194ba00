//! Which columns may lower the loss of a model of logistic or Poisson regression by more than a number: a bound settles
//! the others.
//!
//! With μ the means of the model, W its working weights, r its scores, and x̃ what the model leaves of a column under W,
//!
//! ```text
//! t = xᵀr / x̃ᵀWx̃     ν = μ + t·V·x̃, V the variance at μ
//! fall in deviance ≤ 2 Σ w [b*(ν) − b*(μ) − b*′(μ)(ν − μ)] ≤ κ(c)·(xᵀr)² / x̃ᵀWx̃     c = |t|·max|x̃| < 1
//! κ(c) = 2[(1 − c) ln(1 − c) + c] / c²
//! ```
//!
//! where every ν is a mean: b* is the conjugate of b, so ν is feasible in the dual of the larger model's fit. With
//! d(u) = (1 + u) ln(1 + u) − u the sum is Σ wμ·d(tx̃) for Poisson regression, and Σ wμ·d((1 − μ)tx̃) + w(1 − μ)·d(−μtx̃)
//! for logistic.
//!
//! *Shapes*, of the `rows` columns from `from` and m models: `products` rows × Σ (`before` + k), column-major: of each
//! model Xᵀr, then XᵀWQ: with an intercept that of the intercept first (`before` 2, else 1), then of the k columns of
//! Q = (X_A about its means)·T. `squares` rows × m, xᵀWx; `largest` rows, max |x|. Entries of lists are the model · 2³² +
//! the column, unordered; `list` has room for rows·m.
//!
//! *Launch*, in this order:
//!
//! | function | grid | block | what |
//! | --- | --- | --- | --- |
//! | `bound_by_score` | (any, m ≤ 65,535) | any (256) | lists the columns outside each model that the second bound does not settle; `listed` is 0 before |
//! | `bound_by_divergence` | any, a block an entry at a time | 256 | of these what the first bound does not settle either, to `open`; `opened` counts them, past `capacity` too |
//!
//! `columns` of `bound_by_divergence` begins with column `from`; `room` has n + `most_columns` numbers a block, `most_columns` the
//! largest k. A model whose `least` is ∞ has no open columns. No dynamic shared memory.
//!
//! *Exactness*: bounds count 10⁻⁶ larger than they are computed. Columns that are left less than 10⁻⁸ of their weighted
//! square stay open.

use crate::Kernel;

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "joining",
    source!("joining.cu"),
    &["bound_by_score", "bound_by_divergence"],
);

/// The response, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct JoiningArgs {
    /// Observations.
    pub n: i64,
    /// f64: n, the responses: proportions, or counts.
    pub y: u64,
    /// f64: n, the weights of observations, with trials.
    pub weights: u64,
    /// Scores over this are w(y − μ).
    pub of_scores: f64,
    /// Coefficients of `scores` and `weights` of models times this are those of linear predictors.
    pub coefficient_scale: f64,
    /// Falls of models times this are falls in deviance.
    pub loss_scale: f64,
    /// Whether it is logistic regression. Four bytes behind it are free.
    pub is_binomial: i32,
}
assert_layout!(JoiningArgs: 56; of_scores: 24, is_binomial: 48);

/// One model, on the GPU.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct BoundedModel {
    /// f64: n, r.
    pub scores: u64,
    /// f64: n, the diagonal of W.
    pub weights: u64,
    /// f64: k(k + 1)/2, T packed by columns.
    pub inverse: u64,
    /// f64: k + 1, the first row of T with the intercept; not read without one.
    pub intercept: u64,
    /// u64: k, the addresses of the model's columns.
    pub addresses: u64,
    /// u32: k, these columns.
    pub support: u64,
    /// f64: k, the largest entry of each vector of Q.
    pub largest: u64,
    /// What turns the product with the intercept's vector into a weighted mean.
    pub mean: f64,
    /// The least fall that leaves a column open.
    pub least: f64,
    /// Its first column among the products.
    pub start: i64,
    /// Its columns.
    pub k: i32,
    /// Vectors before Q among its products.
    pub before: i32,
}
assert_layout!(BoundedModel: 88; mean: 56, k: 80);

/// A bound on the fall in deviance by adding a column to a model with these means, from the definition; none where a
/// mean would leave its range. `basis` are the model's columns, ones among them where it has an intercept.
///
/// *Shapes:* n values each; `y` and `means` proportions where `is_binomial`, else counts.
///
/// ```
/// // Without a model, from means of one half: the bound of a column is above what its fit reaches.
/// let (y, x) = ([1.0, 1.0, 0.0, 0.0], [0.5, 0.5, 0.5, -0.5]);
/// let bound = passel_kernels::joining::reference(&x, &[], (&y, &[1.0; 4], &[0.5; 4]), true).unwrap();
/// let deviance = |b: f64| -> f64 {
///     let rows = y.iter().zip(x).map(|(y, x)| ((b * x).exp().ln_1p() - y * b * x) * 2.0);
///     rows.sum()
/// };
/// let best = (0..4000).map(|at| deviance(f64::from(at) / 1000.0)).fold(f64::INFINITY, f64::min);
/// assert!(deviance(0.0) - best <= bound && bound < 1.3 * (deviance(0.0) - best));
/// ```
pub fn reference(
    x: &[f64],
    basis: &[&[f64]],
    (y, weights, means): (&[f64], &[f64], &[f64]),
    is_binomial: bool,
) -> Option<f64> {
    let variance = |mean: f64| match is_binomial {
        true => mean * (1.0 - mean),
        false => mean,
    };
    // Of columns times the roots of their working weights.
    let working: Vec<f64> = (weights.iter().zip(means))
        .map(|(weight, mean)| weight * variance(*mean))
        .collect();
    let inner = |a: &[f64], b: &[f64]| -> f64 {
        let rows = a.iter().zip(b).zip(&working);
        rows.map(|((a, b), w)| a * b * w).sum()
    };
    let mut orthogonal: Vec<Vec<f64>> = Vec::new();
    let beside = |column: &[f64], orthogonal: &[Vec<f64>]| {
        let mut rest = column.to_vec();
        for _ in 0..2 {
            for q in orthogonal {
                let share = inner(&rest, q) / inner(q, q);
                rest.iter_mut().zip(q).for_each(|(x, q)| *x -= share * q);
            }
        }
        rest
    };
    for column in basis {
        let rest = beside(column, &orthogonal);
        orthogonal.push(rest);
    }
    let rest = beside(x, &orthogonal);
    let scores = y.iter().zip(weights).zip(means);
    let score: f64 = (scores.zip(x))
        .map(|(((y, weight), mean), x)| weight * (y - mean) * x)
        .sum();
    let step = score / inner(&rest, &rest);
    // The conjugate of b.
    let conjugate = |mean: f64| {
        let part = |mean: f64| if mean > 0.0 { mean * mean.ln() } else { 0.0 };
        match is_binomial {
            true => part(mean) + part(1.0 - mean),
            false => part(mean) - mean,
        }
    };
    let slope = |mean: f64| match is_binomial {
        true => (mean / (1.0 - mean)).ln(),
        false => mean.ln(),
    };
    let mut sum = 0.0;
    for ((mean, weight), rest) in means.iter().zip(weights).zip(&rest) {
        let moved = mean + step * variance(*mean) * rest;
        if *weight > 0.0 && (moved < 0.0 || (is_binomial && moved > 1.0)) {
            return None;
        }
        if *weight > 0.0 {
            let own = conjugate(moved) - conjugate(*mean) - slope(*mean) * (moved - mean);
            sum += weight * own;
        }
    }
    Some(2.0 * sum)
}
