//! A column to unit norm.

use pulp::Simd;

use crate::vector::{dot, vectorised};

vectorised! {
    /// See [`standardise_body`].
    pub(super) fn standardise<'a>(values: &'a mut [f64], intercept: bool) -> Option<(f64, f64)>
        = standardise_body;
}

/// Centres (with an intercept) and scales values to unit norm in place; their
/// mean and norm, or none if they are constant to working precision (without
/// an intercept: all zero).
#[inline(always)]
fn standardise_body<S: Simd>(simd: S, values: &mut [f64], intercept: bool) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let mut largest = 0.0;
    for v in &*values {
        largest = if v.abs() > largest { v.abs() } else { largest };
    }
    if largest == 0.0 {
        return None;
    }
    // Squares of extreme values leave the range of f64; a power of two takes
    // them back without rounding.
    let mut scale = 1.0;
    if !(1e-100..1e100).contains(&largest) {
        scale = 2f64.powi(-(largest.log2().clamp(-1000.0, 1000.0) as i32));
        for v in values.iter_mut() {
            *v *= scale;
        }
    }
    let mut mean = 0.0;
    if intercept {
        // The second pass takes off what rounding left in the first mean.
        for _ in 0..2 {
            let part = sum(values) / n;
            for v in values.iter_mut() {
                *v -= part;
            }
            mean += part;
        }
    }
    let norm = dot(simd, values, values).sqrt();
    if norm <= 4.0 * f64::EPSILON * n.sqrt() * largest * scale {
        return None;
    }
    for v in values.iter_mut() {
        *v /= norm;
    }
    Some((mean / scale, norm / scale))
}

/// Σ v in a fixed order.
#[inline(always)]
fn sum(values: &[f64]) -> f64 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        for lane in 0..8 {
            sums[lane] += eight[lane];
        }
    }
    let mut sum = 0.0;
    for part in sums.iter().chain(rest) {
        sum += part;
    }
    sum
}
