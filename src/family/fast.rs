//! The loops over observations of the canonical links that fits are mostly of, compiled for wide vectors: exponentials and
//! logarithms by series of a fixed length, with the same bits on every CPU.

use std::f64::consts::LN_2;

use pulp::Simd;

use crate::vector::{sum_lanes, vectorised};

/// Numbers that are worked on together.
const LANES: usize = 16;

/// ln 2 in two parts, the first of which has zeros at its end, and 1 / ln 2.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
const PER_LN_2: f64 = 1.0 / LN_2;

/// 1.5·2⁵²: a number that is added and taken off again is rounded to a whole one.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// eˣ for x from −708 to 709, to within two units of the last place; beyond, that of the end.
#[inline(always)]
fn exp(x: f64) -> f64 {
    let x = if x > 709.0 { 709.0 } else { x };
    let x = if x < -708.0 { -708.0 } else { x };
    let shifted = x * PER_LN_2 + ROUNDER;
    let k = shifted - ROUNDER;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    // |r| ≤ ½ ln 2: thirteen terms of the series.
    let mut sum = 1.0 / 6_227_020_800.0;
    for term in [
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
    ] {
        sum = sum * r + term;
    }
    let whole = 1.0 + (r + r * r * sum);
    // 2ᵏ: the lowest bits of the shifted number are k.
    let power = (shifted.to_bits() << 52).wrapping_add(1023 << 52);
    whole * f64::from_bits(power)
}

/// ln(1 + e) for e from 0 to 1: 2·artanh(e / (2 + e)), or ln 2 + 2·artanh((e − 1) / (3 + e)) from √2 − 1 on.
#[inline(always)]
fn ln_1p(e: f64) -> f64 {
    let is_large = e > std::f64::consts::SQRT_2 - 1.0;
    let (above, sum, constant) = match is_large {
        true => (e - 1.0, e + 3.0, LN_2),
        false => (e, e + 2.0, 0.0),
    };
    let z = above / sum;
    let square = z * z;
    // |z| ≤ 3 − 2√2: eleven terms.
    let mut sum = 1.0 / 21.0;
    for term in [
        1.0 / 19.0,
        1.0 / 17.0,
        1.0 / 15.0,
        1.0 / 13.0,
        1.0 / 11.0,
        1.0 / 9.0,
        1.0 / 7.0,
        1.0 / 5.0,
        1.0 / 3.0,
    ] {
        sum = sum * square + term;
    }
    constant + (2.0 * z + 2.0 * z * square * sum)
}

/// Calls a body for the rows of slices, [`LANES`] at a time, and returns the sum of what it gives, in a fixed order.
macro_rules! sum_rows {
    ($n:expr, $row:ident => $body:expr) => {{
        let mut sums = [0.0; LANES];
        let whole = $n / LANES * LANES;
        for start in (0..whole).step_by(LANES) {
            for lane in 0..LANES {
                let $row = start + lane;
                sums[lane] += $body;
            }
        }
        for $row in whole..$n {
            sums[$row - whole] += $body;
        }
        sum_lanes(sums)
    }};
}

vectorised! {
    /// w·eˣ in place of x; 0 below −708.
    pub(super) fn exponentials<'a>(values: &'a mut [f64], weights: &'a [f64]) -> () = exponentials_body;
}

#[inline(always)]
fn exponentials_body<S: Simd>(_: S, values: &mut [f64], weights: &[f64]) {
    for (value, weight) in values.iter_mut().zip(weights) {
        let own = weight * exp(*value);
        *value = if *value < -708.0 { 0.0 } else { own };
    }
}

vectorised! {
    /// Of logistic regression the means, their slopes, and Σ w [ln(1 + eᵑ) − yη].
    pub(super) fn logistic<'a>(
        predictors: &'a [f64], y: &'a [f64], weights: &'a [f64], means: &'a mut [f64], slopes: &'a mut [f64],
    ) -> f64 = logistic_body;
}

#[inline(always)]
fn logistic_body<S: Simd>(
    _: S,
    predictors: &[f64],
    y: &[f64],
    weights: &[f64],
    means: &mut [f64],
    slopes: &mut [f64],
) -> f64 {
    let n = predictors.len();
    let (y, weights) = (&y[..n], &weights[..n]);
    let (means, slopes) = (&mut means[..n], &mut slopes[..n]);
    sum_rows!(n, row => {
        let eta = predictors[row];
        let e = exp(-eta.abs());
        let one = 1.0 / (1.0 + e);
        let mean = if eta < 0.0 { e * one } else { one };
        let mean = if mean < f64::EPSILON { f64::EPSILON } else { mean };
        means[row] = if mean > 1.0 - f64::EPSILON { 1.0 - f64::EPSILON } else { mean };
        let slope = e * one * one;
        slopes[row] = if slope < f64::EPSILON { f64::EPSILON } else { slope };
        let above = if eta > 0.0 { eta } else { 0.0 };
        weights[row] * ((above - y[row] * eta) + ln_1p(e))
    })
}

vectorised! {
    /// Of Poisson regression the means, which are their slopes, and Σ w [μ − yη].
    pub(super) fn poisson<'a>(
        predictors: &'a [f64], y: &'a [f64], weights: &'a [f64], means: &'a mut [f64],
    ) -> f64 = poisson_body;
}

#[inline(always)]
fn poisson_body<S: Simd>(
    _: S,
    predictors: &[f64],
    y: &[f64],
    weights: &[f64],
    means: &mut [f64],
) -> f64 {
    let n = predictors.len();
    let (y, weights, means) = (&y[..n], &weights[..n], &mut means[..n]);
    sum_rows!(n, row => {
        let eta = predictors[row];
        let mean = exp(eta);
        means[row] = mean;
        weights[row] * (mean - y[row] * eta)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_and_logarithms_are_those_of_the_library_up_to_rounding() {
        for at in -7000..7000 {
            let x = f64::from(at) * 0.100_37;
            let e = exp(x);
            assert!((e / x.exp() - 1.0).abs() < 1e-15, "{x} {e}");
            let small = exp(-x.abs());
            assert!((ln_1p(small) - small.ln_1p()).abs() <= 4e-16 * small, "{x}");
        }
        assert_eq!((exp(0.0), ln_1p(0.0)), (1.0, 0.0));
        assert!(exp(-1e9) > 0.0 && exp(1e9).is_finite());
    }

    #[test]
    fn rows_are_by_their_definitions() {
        let n = 101;
        let eta: Vec<f64> = (0..n).map(|i| (f64::from(i) - 50.0) / 3.0).collect();
        let y: Vec<f64> = (0..n).map(|i| f64::from(i % 3) / 2.0).collect();
        let w: Vec<f64> = (0..n).map(|i| f64::from(i % 5)).collect();
        let (mut means, mut slopes) = (vec![0.0; n as usize], vec![0.0; n as usize]);
        let sum = logistic(&eta, &y, &w, &mut means, &mut slopes);
        let mut expected = 0.0;
        for row in 0..n as usize {
            let mean = 1.0 / (1.0 + (-eta[row]).exp());
            assert!((means[row] / mean - 1.0).abs() < 1e-14);
            assert!((slopes[row] / (mean * (1.0 - mean)) - 1.0).abs() < 1e-7);
            expected += w[row] * ((1.0 + eta[row].exp()).ln() - y[row] * eta[row]);
        }
        assert!((sum / expected - 1.0).abs() < 1e-12);
        let sum = poisson(&eta, &y, &w, &mut means);
        let expected = (0..n as usize).map(|row| w[row] * (eta[row].exp() - y[row] * eta[row]));
        assert!((sum / expected.sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
