//! The shape θ of a negative binomial response, of given means.

use statrs::function::gamma::digamma;

/// The largest θ: beyond it the response is a Poisson one.
pub(super) const LARGEST: f64 = 1e8;
const SMALLEST: f64 = 1e-8;

/// The derivative of ℓ with respect to θ.
fn slope(y: &[f64], means: &[f64], weights: &[f64], theta: f64) -> f64 {
    let rows = y.iter().zip(means).zip(weights);
    let of_row = |((y, mean), weight): ((&f64, &f64), &f64)| {
        let sums = theta + mean;
        // ψ(θ + y) − ψ(θ) as a sum, where that has few terms: differences of ψ lose digits.
        let rise = match *y < 64.0 {
            true => (0..*y as u32).map(|k| 1.0 / (theta + f64::from(k))).sum(),
            false => digamma(theta + y) - digamma(theta),
        };
        weight * (rise - (mean / theta).ln_1p() + (mean - y) / sums)
    };
    rows.map(of_row).sum()
}

/// The θ of the largest likelihood, to 10⁻¹² of it, at most [`LARGEST`].
pub(super) fn estimate(y: &[f64], means: &[f64], weights: &[f64]) -> f64 {
    let falls = |theta: f64| slope(y, means, weights, theta) <= 0.0;
    let (mut low, mut high) = (SMALLEST.ln(), LARGEST.ln());
    if !falls(LARGEST) {
        return LARGEST;
    }
    // Where ℓ has several peaks the first one counts.
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        match falls(middle.exp()) {
            true => high = middle,
            false => low = middle,
        }
        if high - low < 1e-12 {
            break;
        }
    }
    ((low + high) / 2.0).exp()
}
