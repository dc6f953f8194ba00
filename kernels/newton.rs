//! Fits of models of logistic and Poisson regression, and of families of plugins, by Newton's method.
//!
//! ```text
//! η = offset + X_A·β     maximise Σ w [yη − b(η)]     b(η) = ln(1 + eᵑ), or eᵑ
//! scores s = w(y − μ)    working weights W = w·b″(η)
//! β ← β + (X_AᵀWX_A)⁻¹X_Aᵀs     until that raises twice the log-likelihood by less than its rounding
//! ```
//!
//! Of a family of mean μ(η) and variance V(μ), with μ′ = dμ/dη:
//!
//! ```text
//! minimise Σ w·d(y; μ)     s = w(y − μ)μ′/V     W = wμ′²/V − w(y − μ)·d(μ′/V)/dη, where that is above 0, else wμ′²/V
//! ```
//!
//! The derivative is made by differences; weights of starts and of costs are the expected ones, wμ′²/V.
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

use crate::{Kernel, family_values, least_squares};

/// What there is in CUDA C of fits of families.
macro_rules! of_families {
    () => {
        source!(
            "newton.cuh",
            "newton_args.cuh",
            "newton_family.cuh",
            "newton.cu"
        )
    };
}

/// The kernel's text and function: of logistic and Poisson regression.
pub const KERNEL: Kernel = Kernel::new(
    "newton",
    source!(
        "newton.cuh",
        "newton_args.cuh",
        "newton_canonical.cuh",
        "newton.cu"
    ),
    &["newton"],
);

/// Of families of plugins; here that of [`family_values::KERNEL`].
pub const FAMILY: Kernel = Kernel::new(
    "newton_family",
    concat!(
        source!("family_counts.cuh"),
        "#define MEAN log_mean\n",
        source!("family.cuh"),
        of_families!()
    ),
    &["newton"],
);

/// The kernel of a plugin's family, as [`family_values::with`] takes it.
pub fn with(name: &str, link: Option<&str>, twin: &str) -> String {
    family_values::head(name, link, twin) + of_families!()
}

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
    /// What Σ w[b(η) − yη] lacks of half a deviance; 0 of a plugin's family.
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
    /// f64: of a plugin's family the values of its parameters.
    pub values: u64,
    /// Whether it is logistic regression.
    pub is_binomial: i32,
    /// Whether models have an intercept.
    pub has_intercept: i32,
}
assert_layout!(NewtonArgs: 96; shift: 32, room: 72, has_intercept: 92);

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

/// What a linear predictor makes: μ, dμ/dη and V(μ).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// The mean.
    pub mean: f64,
    /// Its derivative.
    pub slope: f64,
    /// The variance at the mean.
    pub variance: f64,
}

impl Moments {
    /// Of logistic regression, or of Poisson regression.
    pub fn canonical(is_binomial: bool, eta: f64) -> Self {
        let mean = match is_binomial {
            true => 1.0 / (1.0 + (-eta).exp()),
            false => eta.exp(),
        };
        let variance = match is_binomial {
            true => mean * (1.0 - mean),
            false => mean,
        };
        Self {
            mean,
            slope: variance,
            variance,
        }
    }

    /// Of counts of variance μ + μ²/θ, whose link is the logarithm: the family that [`FAMILY`] is compiled with.
    pub fn of_counts(theta: f64, eta: f64) -> Self {
        let mean = eta.exp();
        Self {
            mean,
            slope: mean,
            variance: mean + mean * mean / theta,
        }
    }
}

/// y·ln(y/μ), 0 where y is 0.
fn y_ln_ratio(y: f64, mean: f64) -> f64 {
    if y > 0.0 { y * (y / mean).ln() } else { 0.0 }
}

/// The deviance of one observation of logistic regression, or of Poisson regression.
pub fn canonical_deviance(is_binomial: bool, y: f64, mean: f64) -> f64 {
    2.0 * match is_binomial {
        true => y_ln_ratio(y, mean) + y_ln_ratio(1.0 - y, 1.0 - mean),
        false => y_ln_ratio(y, mean) - (y - mean),
    }
}

/// The deviance of one observation of counts of variance μ + μ²/θ.
pub fn deviance_of_counts(theta: f64, y: f64, mean: f64) -> f64 {
    2.0 * (y_ln_ratio(y, mean) - (y + theta) * ((y + theta) / (mean + theta)).ln())
}

/// A fit by maximum likelihood.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceFit {
    /// β̂, in the order of the columns given.
    pub coefficients: Vec<f64>,
    /// The deviance.
    pub deviance: f64,
    /// w(y − μ)μ′/V of each observation.
    pub scores: Vec<f64>,
    /// β̂ᵢ² / ((XᵀWX)⁻¹)ᵢᵢ by column, W the expected weights.
    pub costs: Vec<f64>,
}

/// The maximum likelihood fit of some columns, ones among them where there is an intercept, by Newton's steps from 0 on. Of a family of
/// these moments at a linear predictor, and this deviance of a response at a mean.
///
/// *Shapes:* `columns` n values each; `y`, `weights` and `offset` n.
///
/// ```
/// use passel_kernels::newton::{Moments, canonical_deviance, reference};
/// // Three events of four without a column but ones: the logit is ln 3.
/// let response = (&[1.0, 1.0, 1.0, 0.0][..], &[1.0; 4][..], &[0.0; 4][..]);
/// let logistic = |eta: f64| Moments::canonical(true, eta);
/// let fit = reference(&[&[1.0; 4]], response, logistic, |y, mean| canonical_deviance(true, y, mean));
/// assert!((fit.coefficients[0] - 3f64.ln()).abs() < 1e-12);
/// let deviance = -2.0 * (3.0 * 0.75f64.ln() + 0.25f64.ln());
/// assert!((fit.deviance - deviance).abs() < 1e-12);
/// ```
pub fn reference(
    columns: &[&[f64]],
    (y, weights, offset): (&[f64], &[f64], &[f64]),
    moments: impl Fn(f64) -> Moments,
    deviance: impl Fn(f64, f64) -> f64,
) -> ReferenceFit {
    let (n, k) = (y.len(), columns.len());
    let support: Vec<u32> = (0..k as u32).collect();
    let mut coefficients = vec![0.0; k];
    let predictor = |coefficients: &[f64], row: usize| {
        let own = columns.iter().zip(coefficients).map(|(x, b)| b * x[row]);
        offset[row] + own.sum::<f64>()
    };
    let states = |coefficients: &[f64]| -> Vec<Moments> {
        (0..n)
            .map(|row| moments(predictor(coefficients, row)))
            .collect()
    };
    let expected = |row: usize, own: &Moments| match weights[row] > 0.0 {
        true => weights[row] * own.slope.powi(2) / own.variance,
        false => 0.0,
    };
    let score =
        |row: usize, own: &Moments| weights[row] * (y[row] - own.mean) * own.slope / own.variance;
    // How fast a score falls: the expected weights alone take a share of what is left, which may be next to none.
    let observed = |row: usize, eta: f64| {
        let width = 1e-5 * (1.0 + eta.abs());
        let [above, below] = [eta + width, eta - width].map(|eta| score(row, &moments(eta)));
        let own = (below - above) / (2.0 * width);
        if own > 0.0 {
            own
        } else {
            expected(row, &moments(eta))
        }
    };
    // √W·X.
    let rooted = |working: &[f64]| -> Vec<f64> {
        let columns = columns.iter();
        columns
            .flat_map(|x| x.iter().zip(working).map(|(x, weight)| x * weight.sqrt()))
            .collect()
    };
    let total = |all: &[Moments]| -> f64 {
        let rows = y.iter().zip(weights).zip(all);
        let rows = rows.filter(|((_, weight), _)| **weight > 0.0);
        rows.map(|((y, weight), own)| weight * deviance(*y, own.mean))
            .sum()
    };
    for _ in 0..200 {
        let all = states(&coefficients);
        let working: Vec<f64> = (0..n)
            .map(|row| observed(row, predictor(&coefficients, row)))
            .collect();
        let target: Vec<f64> = (0..n)
            .map(|row| match working[row] > 0.0 {
                true => score(row, &all[row]) / working[row].sqrt(),
                false => 0.0,
            })
            .collect();
        let step = least_squares::reference(&rooted(&working), &target, &support).coefficients;
        let moved = |share: f64| -> Vec<f64> {
            let pairs = coefficients.iter().zip(&step);
            pairs.map(|(b, step)| b + share * step).collect()
        };
        // A step that makes it worse was too long.
        let most = total(&all);
        let most = most + 1e-10 * (1.0 + most.abs());
        let shares = (0..40).map(|half| 0.5f64.powi(half));
        let better = shares.map(moved).find(|own| total(&states(own)) <= most);
        let Some(better) = better else {
            break;
        };
        let mut pairs = coefficients.iter().zip(&better);
        let is_still = pairs.all(|(b, new)| (b - new).abs() <= 1e-14 * (1.0 + b.abs()));
        coefficients = better;
        if is_still {
            break;
        }
    }
    let all = states(&coefficients);
    let working: Vec<f64> = (0..n).map(|row| expected(row, &all[row])).collect();
    let rooted = rooted(&working);
    let cost = |at: u32| {
        let others: Vec<u32> = (0..k as u32).filter(|other| *other != at).collect();
        let own = &rooted[at as usize * n..][..n];
        // 1 / ((XᵀWX)⁻¹)ᵢᵢ: what the others leave of the column.
        let left = least_squares::reference(&rooted, own, &others).rss;
        coefficients[at as usize].powi(2) * left
    };
    ReferenceFit {
        deviance: (0..n)
            .map(|row| weights[row] * deviance(y[row], all[row].mean))
            .sum(),
        scores: (0..n).map(|row| score(row, &all[row])).collect(),
        costs: (0..k as u32).map(cost).collect(),
        coefficients,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::least_squares::tests::problem;

    /// Where steps by the expected weights would take thousands.
    #[test]
    fn a_fit_of_many_columns_is_at_its_end() {
        let (n, k) = (255, 63);
        let (x, noise) = problem(n, k, 5);
        let root = (n as f64).sqrt();
        let y: Vec<f64> = (0..n)
            .map(|row| {
                let eta = root * (x[row] - 0.5 * x[n + row]) / 2.0;
                (eta + 1.5 * (root * noise[row]).abs())
                    .exp()
                    .min(30.0)
                    .floor()
            })
            .collect();
        let weights: Vec<f64> = (0..n).map(|row| [1.0, 0.5, 2.0, 0.0][row % 4]).collect();
        let columns: Vec<&[f64]> = x.chunks(n).collect();
        let moments = |eta: f64| Moments::of_counts(2.0, eta);
        let deviance = |y: f64, mean: f64| deviance_of_counts(2.0, y, mean);
        let fit = reference(&columns, (&y, &weights, &vec![0.0; n]), moments, deviance);
        for column in columns {
            let product: f64 = column.iter().zip(&fit.scores).map(|(x, s)| x * s).sum();
            assert!(product.abs() < 1e-10, "{product:e}");
        }
    }

    #[test]
    fn scores_are_orthogonal_to_columns_and_a_drop_costs_about_what_it_says() {
        for family in [Some(true), Some(false), None] {
            let is_binomial = family == Some(true);
            let moments = |eta: f64| match family {
                Some(is_binomial) => Moments::canonical(is_binomial, eta),
                None => Moments::of_counts(2.0, eta),
            };
            let deviance = |y: f64, mean: f64| match family {
                Some(is_binomial) => canonical_deviance(is_binomial, y, mean),
                None => deviance_of_counts(2.0, y, mean),
            };
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
            let fit = reference(&columns, response, moments, deviance);
            for column in columns {
                let product: f64 = column.iter().zip(&fit.scores).map(|(x, s)| x * s).sum();
                assert!(product.abs() < 1e-10);
            }
            for at in 1..4 {
                let others: Vec<&[f64]> = (0..4)
                    .filter(|other| *other != at)
                    .map(|other| columns[other])
                    .collect();
                let without = reference(&others, response, moments, deviance);
                let rise = without.deviance - fit.deviance;
                assert!((rise - fit.costs[at]).abs() < 0.2 * fit.costs[at] + 1e-9);
            }
        }
    }
}
