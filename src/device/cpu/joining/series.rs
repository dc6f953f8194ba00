//! The divergences of a bound, by a series: a loop over observations without logarithms.

use pulp::Simd;

use crate::{
    family::{Distribution, Likelihood},
    least_squares::FitView,
    vector::vectorised,
};

/// Of each observation what it adds to the bound where the column moves it: with these weights the divergences of the
/// step times these factors.
///
/// *Shapes:* n values each.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) factors: [Vec<f64>; 2],
    pub(super) weights: [Vec<f64>; 2],
}

impl Rows {
    /// Those of a model of the likelihood.
    pub(super) fn of(likelihood: &Likelihood, view: &FitView) -> Self {
        let (response, (of_scores, _)) = (likelihood.response(), likelihood.scales());
        let is_binomial = response.family().distribution() == Distribution::Binomial;
        let mut own = Self::default();
        let rows = response
            .y()
            .iter()
            .zip(response.weights())
            .zip(view.residual);
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
}

vectorised! {
    /// The sum of the series of a step, and the lowest of their arguments.
    pub(super) fn sum_of_series<'a>(rest: &'a [f64], step: f64, rows: &'a Rows) -> (f64, f64) = sum_of_series_body;
}

#[inline(always)]
fn sum_of_series_body<S: Simd>(_: S, rest: &[f64], step: f64, rows: &Rows) -> (f64, f64) {
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
pub(super) fn series(u: f64) -> f64 {
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
