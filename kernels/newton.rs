//! Fits of models of logistic and Poisson regression, by Newton's method.
//!
//! ```text
//! η = offset + X_A·β     maximise Σ w [yη − b(η)]     b(η) = ln(1 + eᵑ), or eᵑ
//! scores s = w(y − μ)    working weights W = w·b″(η)
//! β ← β + (X_AᵀWX_A)⁻¹X_Aᵀs     until that raises twice the log-likelihood by less than its rounding
//! ```
//!
//! from the linear predictors nearest to those of a start under its weights. Of a model with an intercept ones are the
//! first column.
//!
//! *Shapes*: of each member of [`NewtonArgs`] and [`NewtonJob`] there. `answers` four numbers a job: the deviance, ‖s‖² of
//! the scores as they are told, 0 where the fit is done or 1 where it is left to others, and the steps.
//!
//! *Launch*: `newton`, any number of blocks of 256, each a job at a time, in one dimension; dynamic shared memory for
//! d(d + 4) numbers, d the columns of the largest model with its intercept; 64 bytes of its own. Jobs may lie in the
//! host's memory, and so may `costs` and `answers`.
//!
//! *Before and after*: a job's `start` may be its `predictors`, which are then those of the fit. Of a fit that is left
//! predictors and scores are of no use. It is left where a column is nearly explained by those before it (a pivot of 10⁻³
//! of its norm), a step raises the deviance, the predictors separate all events from all others or have no end, or 25
//! steps do not suffice.
//!
//! *Exactness*: sums are added up in a fixed order. A fit that is done has a deviance within 10⁻¹² of the least, relative to
//! it.

use crate::{Kernel, least_squares};

/// The kernel's text and function.
pub const KERNEL: Kernel = Kernel::new("newton", source!("newton.cuh", "newton.cu"), &["newton"]);

/// The response, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct NewtonArgs {
    /// Observations.
    pub n: i64,
    /// f64: n, the responses: proportions, or counts.
    pub y: u64,
    /// f64: n, the weights of observations, with trials.
    pub weights: u64,
    /// f64: n, the offsets.
    pub offset: u64,
    /// What Σ w[b(η) − yη] lacks of half a deviance.
    pub shift: f64,
    /// What rounding may change of a deviance, and a part of the tolerance.
    pub least_change: f64,
    /// Scores are told times this.
    pub of_scores: f64,
    /// Costs are told times this.
    pub of_costs: f64,
    /// f64: n, the linear predictors that a fit from nothing begins at; from other starts a fit whose deviance is four times
    /// as large is left.
    pub first: u64,
    /// f64: 3n a block of the launch, scratch.
    pub room: u64,
    /// Whether it is logistic regression.
    pub is_binomial: i32,
    /// Whether models have an intercept.
    pub has_intercept: i32,
}
assert_layout!(NewtonArgs: 88; shift: 32, room: 72, has_intercept: 84);

/// One fit.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct NewtonJob {
    /// u64: k, the addresses of the model's columns.
    pub addresses: u64,
    /// f64: n, linear predictors to begin near, offsets included.
    pub start: u64,
    /// f64: n, those of the fit; null where nobody asks.
    pub predictors: u64,
    /// f64: n, its scores; null where nobody asks.
    pub scores: u64,
    /// f64: k, β̂ᵢ² / ((X_AᵀWX_A)⁻¹)ᵢᵢ of the model's columns, what dropping them costs about; null where nobody asks.
    pub costs: u64,
    /// The model's columns.
    pub k: i64,
}
assert_layout!(NewtonJob: 48; predictors: 16, k: 40);

/// Bytes of dynamic shared memory for models of up to so many columns, the intercept among them.
pub const fn shared_bytes(columns: usize) -> usize {
    8 * columns * (columns + 4)
}

/// A fit by maximum likelihood.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceFit {
    /// β̂, in the order of the columns given.
    pub coefficients: Vec<f64>,
    /// The deviance.
    pub deviance: f64,
    /// w(y − μ) of each observation.
    pub scores: Vec<f64>,
    /// β̂ᵢ² / ((XᵀWX)⁻¹)ᵢᵢ by column.
    pub costs: Vec<f64>,
}

/// The maximum likelihood fit of some columns, ones among them where there is an intercept, by scoring from 0 on.
///
/// *Shapes:* `columns` n values each; `y`, `weights` and `offset` n.
///
/// ```
/// // Three events of four without a column but ones: the logit is ln 3.
/// let response = (&[1.0, 1.0, 1.0, 0.0][..], &[1.0; 4][..], &[0.0; 4][..]);
/// let fit = passel_kernels::newton::reference(&[&[1.0; 4]], response, true);
/// assert!((fit.coefficients[0] - 3f64.ln()).abs() < 1e-12);
/// let deviance = -2.0 * (3.0 * 0.75f64.ln() + 0.25f64.ln());
/// assert!((fit.deviance - deviance).abs() < 1e-12);
/// ```
pub fn reference(
    columns: &[&[f64]],
    (y, weights, offset): (&[f64], &[f64], &[f64]),
    is_binomial: bool,
) -> ReferenceFit {
    let (n, k) = (y.len(), columns.len());
    let support: Vec<u32> = (0..k as u32).collect();
    let mean = |eta: f64| match is_binomial {
        true => 1.0 / (1.0 + (-eta).exp()),
        false => eta.exp(),
    };
    let variance = |mean: f64| match is_binomial {
        true => mean * (1.0 - mean),
        false => mean,
    };
    let mut coefficients = vec![0.0; k];
    let means = |coefficients: &[f64]| -> Vec<f64> {
        let eta = |row: usize| {
            let own = columns.iter().zip(coefficients).map(|(x, b)| b * x[row]);
            offset[row] + own.sum::<f64>()
        };
        (0..n).map(|row| mean(eta(row))).collect()
    };
    let rooted = |means: &[f64]| -> Vec<f64> {
        let root = |row: usize| (weights[row] * variance(means[row])).sqrt();
        let all = columns.iter();
        all.flat_map(|x| (0..n).map(move |row| x[row] * root(row)))
            .collect()
    };
    for _ in 0..200 {
        let means = means(&coefficients);
        let target: Vec<f64> = (0..n)
            .map(|row| match weights[row] > 0.0 {
                true => (y[row] - means[row]) * (weights[row] / variance(means[row])).sqrt(),
                false => 0.0,
            })
            .collect();
        let step = least_squares::reference(&rooted(&means), &target, &support).coefficients;
        let pairs = coefficients.iter_mut().zip(&step);
        pairs.for_each(|(b, step)| *b += step);
    }
    let means = means(&coefficients);
    let part = |of: f64, to: f64| if of > 0.0 { of * (of / to).ln() } else { 0.0 };
    let deviance = |row: usize| {
        let (y, mean) = (y[row], means[row]);
        2.0 * weights[row]
            * match is_binomial {
                true => part(y, mean) + part(1.0 - y, 1.0 - mean),
                false => part(y, mean) - (y - mean),
            }
    };
    let rooted = rooted(&means);
    let cost = |at: u32| {
        let others: Vec<u32> = (0..k as u32).filter(|other| *other != at).collect();
        let own = &rooted[at as usize * n..][..n];
        // 1 / ((XᵀWX)⁻¹)ᵢᵢ: what the others leave of the column.
        let left = least_squares::reference(&rooted, own, &others).rss;
        coefficients[at as usize].powi(2) * left
    };
    ReferenceFit {
        deviance: (0..n).map(deviance).sum(),
        scores: (0..n)
            .map(|row| weights[row] * (y[row] - means[row]))
            .collect(),
        costs: (0..k as u32).map(cost).collect(),
        coefficients,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::least_squares::tests::problem;

    #[test]
    fn scores_are_orthogonal_to_columns_and_a_drop_costs_about_what_it_says() {
        for is_binomial in [true, false] {
            let (x, noise) = problem(60, 3, 71);
            let y: Vec<f64> = (noise.iter())
                .map(|e| match is_binomial {
                    true => f64::from(u8::from(*e > 0.0)),
                    false => (20.0 * e.abs()).floor(),
                })
                .collect();
            let (weights, offset) = (vec![1.0; 60], vec![0.1; 60]);
            let ones = vec![1.0; 60];
            let columns = [&ones[..], &x[..60], &x[60..120], &x[120..180]];
            let response = (&y[..], &weights[..], &offset[..]);
            let fit = reference(&columns, response, is_binomial);
            for column in columns {
                let product: f64 = column.iter().zip(&fit.scores).map(|(x, s)| x * s).sum();
                assert!(product.abs() < 1e-10);
            }
            for at in 1..4 {
                let others: Vec<&[f64]> = (0..4)
                    .filter(|other| *other != at)
                    .map(|other| columns[other])
                    .collect();
                let without = reference(&others, response, is_binomial);
                let rise = without.deviance - fit.deviance;
                assert!((rise - fit.costs[at]).abs() < 0.2 * fit.costs[at] + 1e-9);
            }
        }
    }
}
