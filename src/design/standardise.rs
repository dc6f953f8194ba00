//! A column to unit norm.

use pulp::Simd;

use crate::vector::{dot, vectorised};

vectorised! {
    /// See [`standardise_body`].
    pub(super) fn standardise<'a>(
        values: &'a mut [f64],
        intercept: bool,
        weights: Option<&'a [f64]>,
    ) -> Option<(f64, f64)> = standardise_body;
}

/// Centres values (with an intercept) and scales them to unit norm, in place. Returns their mean
/// and norm, or `None` if they are constant to working precision (without an intercept: all zero).
/// With weights, which are at mean one, the mean is the weighted one, and each centred value is
/// multiplied by the square root of its weight.
///
/// *Shapes:* n values and n weights.
#[inline(always)]
fn standardise_body<S: Simd>(
    simd: S,
    values: &mut [f64],
    intercept: bool,
    weights: Option<&[f64]>,
) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    // n but for rounding, which must not reach the mean of a constant.
    let total = weights.map_or(n, sum);
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
            let part = match weights {
                None => sum(values) / n,
                Some(weights) => dot(simd, weights, values) / total,
            };
            for v in values.iter_mut() {
                *v -= part;
            }
            mean += part;
        }
    }
    if let Some(weights) = weights {
        for (v, w) in values.iter_mut().zip(weights) {
            *v *= w.sqrt();
        }
    }
    let norm = dot(simd, values, values).sqrt();
    if is_constant(norm, n, largest * scale) {
        return None;
    }
    for v in values.iter_mut() {
        *v /= norm;
    }
    Some((mean / scale, norm / scale))
}

/// Whether n values, of which this is the largest, are constant to working precision: this is the norm of what their mean leaves.
pub(crate) fn is_constant(norm: f64, n: f64, largest: f64) -> bool {
    norm <= 4.0 * f64::EPSILON * n.sqrt() * largest
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
