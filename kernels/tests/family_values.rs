//! The functions of a family (here, counts of variance μ + μ²/θ) at linear predictors. By observations.

use passel_kernels::{
    family_values::{self, KERNEL},
    newton::{Moments, deviance_of_counts},
};

use super::{TestGpu, arguments, assert_near};

pub const SIZES: &[usize] = &[1, 127, 128, 129, 1000];

const THETA: f64 = 0.7;

pub fn check(test: &mut TestGpu, count: usize) {
    let predictors: Vec<f64> = (0..count)
        .map(|_| test.below(800) as f64 / 100.0 - 4.0)
        .collect();
    let responses: Vec<f64> = (0..count).map(|_| test.below(30) as f64).collect();
    let [values, eta, y] = [&[THETA], &predictors[..], &responses[..]].map(|all| test.put(all));
    let out = test.fill(0.0f64, 4 * count);
    let rows = count as i64;
    let given = arguments![values, eta, y, rows, out];
    test.launch(&KERNEL, "family_values", (2, 1), (128, 0), given);
    let moments = |eta: f64| Moments::of_counts(THETA, eta);
    let deviance = |y: f64, mean: f64| deviance_of_counts(THETA, y, mean);
    let expected = family_values::reference(&predictors, &responses, moments, deviance);
    for (own, expected) in test.get::<f64>(out, 4 * count).into_iter().zip(expected) {
        // Of a deviance near 0 little is left but the rounding of its terms.
        assert_near(own, expected, 1e-12 * (100.0 + expected.abs()));
    }
}
