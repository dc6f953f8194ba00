//! Divergences between means of logistic and Poisson regression, of which the bounds on their likelihood are made.
//!
//! Where the linear predictors of a fit with means μ move by a step, to the first order, the dual of the likelihood moves
//! by Σ w [b*(ν) − b*(μ) − b*′(μ)(ν − μ)], ν = μ + V·step, V the variance at μ: for Poisson Σ wμ·d(step), for logistic
//! regression Σ wμ·d((1 − μ)·step) + w(1 − μ)·d(−μ·step), where d(u) = (1 + u) ln(1 + u) − u.

use pulp::Simd;

use super::{Distribution, Likelihood};
use crate::vector::vectorised;

/// Of each observation the weights of its divergences, and the factors of the step in them.
///
/// *Shapes:* n values each.
#[derive(Default)]
pub(crate) struct Divergences {
    factors: [Vec<f64>; 2],
    weights: [Vec<f64>; 2],
}

impl Divergences {
    /// Those of a fit with these scores, on the scale of the likelihood.
    pub(crate) fn of(likelihood: &Likelihood, scores: &[f64]) -> Self {
        let (response, (of_scores, _)) = (likelihood.response(), likelihood.scales());
        let is_binomial = response.family().distribution() == Distribution::Binomial;
        let mut own = Self::default();
        let rows = response.y().iter().zip(response.weights()).zip(scores);
        for ((y, weight), score) in rows {
            // The mean, of which the score is the distance from the response; rows without weight do not count.
            let mean = match *weight > 0.0 {
                true => y - score / of_scores / weight,
                false => 0.0,
            };
            let (factors, weights) = match is_binomial && *weight > 0.0 {
                true => ([1.0 - mean, -mean], [weight * mean, weight * (1.0 - mean)]),
                false => (
                    [f64::from(u8::from(*weight > 0.0)), 0.0],
                    [weight * mean, 0.0],
                ),
            };
            for side in 0..2 {
                own.factors[side].push(factors[side]);
                own.weights[side].push(weights[side]);
            }
        }
        own
    }

    /// Their sum where the linear predictors move by `scale` times these steps; none where a mean would leave its range.
    pub(crate) fn sum(&self, steps: &[f64], scale: f64) -> Option<f64> {
        let mut sum = 0.0;
        for (factors, weights) in self.factors.iter().zip(&self.weights) {
            for ((factor, weight), step) in factors.iter().zip(weights).zip(steps) {
                sum += weight * divergence(scale * factor * step)?;
            }
        }
        Some(sum)
    }

    /// At least their sum, by a loop without logarithms, and the lowest argument of a divergence: below −1 there is none.
    pub(crate) fn bound(&self, steps: &[f64], scale: f64) -> (f64, f64) {
        sum_of_series(steps, scale, self)
    }
}

/// (1 + u) ln(1 + u) − u; none below −1.
fn divergence(u: f64) -> Option<f64> {
    if u.abs() < 1e-4 {
        return Some(u * u * (0.5 - u / 6.0 + u * u / 12.0));
    }
    match u {
        u if u < -1.0 => None,
        u if u <= -1.0 + f64::EPSILON => Some(1.0),
        u => Some((1.0 + u) * u.ln_1p() - u),
    }
}

/// κ(c) = 2[(1 − c) ln(1 − c) + c]/c² = Σ 2cᵐ/((m + 1)(m + 2)) for 0 ≤ c < 1: it rises from 1 to 2, and is convex.
pub(crate) fn kappa(c: f64) -> f64 {
    if c < 1e-3 {
        // Its series, without differences of near numbers.
        return 1.0 + c / 3.0 + c * c / 3.0;
    }
    2.0 * ((1.0 - c) * (-c).ln_1p() + c) / (c * c)
}

vectorised! {
    /// The sum of the series of a step, and the lowest of their arguments.
    fn sum_of_series<'a>(rest: &'a [f64], step: f64, rows: &'a Divergences) -> (f64, f64) = sum_of_series_body;
}

#[inline(always)]
fn sum_of_series_body<S: Simd>(_: S, rest: &[f64], step: f64, rows: &Divergences) -> (f64, f64) {
    const LANES: usize = 16;
    let (mut sums, mut lowest) = ([0.0; LANES], [0.0; LANES]);
    let n = rest.len();
    for side in 0..2 {
        let (factors, weights) = (&rows.factors[side][..n], &rows.weights[side][..n]);
        let mut add = |row: usize, lane: usize| {
            let u = step * factors[row] * rest[row];
            lowest[lane] = if u < lowest[lane] { u } else { lowest[lane] };
            sums[lane] += weights[row] * series(u);
        };
        let whole = n / LANES * LANES;
        for start in (0..whole).step_by(LANES) {
            for lane in 0..LANES {
                add(start + lane, lane);
            }
        }
        for row in whole..n {
            add(row, row - whole);
        }
    }
    let least = lowest.into_iter().fold(0.0, f64::min);
    (sums.iter().sum(), least)
}

/// What (1 + u) ln(1 + u) − u is at most for u ≥ −1: its series to the eighth power, the rest of which is below 0 for
/// u ≥ 0, and for u < 0 at most that of u = −1.
#[inline(always)]
fn series(u: f64) -> f64 {
    let below = if u < 0.0 { u } else { 0.0 };
    let fourth = below * below * below * below;
    let square = u * u;
    let sum = 1.0 / 42.0 - u / 56.0;
    let sum = 1.0 / 30.0 - u * sum;
    let sum = 1.0 / 20.0 - u * sum;
    let sum = 1.0 / 12.0 - u * sum;
    let sum = 1.0 / 6.0 - u * sum;
    square * (0.5 - u * sum) - fourth * fourth * below / 8.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_bounds_the_divergence() {
        for at in 1..1000 {
            let c = f64::from(at) / 1000.0;
            assert!(series(3.0 * c) >= divergence(3.0 * c).unwrap() * (1.0 - 1e-9));
            for u in [-c, -c / 2.0, c / 3.0, c] {
                let (exact, bound) = (divergence(u).unwrap(), series(u));
                assert!(bound >= exact * (1.0 - 1e-9) && bound <= 1.2 * exact, "{u}");
                let quadratic = u * u / 2.0;
                assert!((exact - quadratic).abs() <= quadratic * u.abs(), "{u}");
            }
        }
        assert!(divergence(-1.1).is_none());
    }
}
