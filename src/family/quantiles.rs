//! Student's t and the normal distribution: two-sided probabilities, and the quantiles of intervals.

use statrs::function::beta::beta_reg;

use super::link::two_sided_normal;

/// The q with P(|Z| ≥ q) = 1 − level of a normal deviate, by bisection.
pub(crate) fn normal_quantile(level: f64) -> f64 {
    let (mut below, mut above) = (0, 100f64.to_bits());
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if two_sided_normal(f64::from_bits(middle)) > 1.0 - level {
            below = middle;
        } else {
            above = middle;
        }
    }
    f64::from_bits(above)
}

/// P(|T| ≥ |t|) of Student's t with ν degrees of freedom, as I_x(ν/2, 1/2) at x = ν / (ν + t²),
/// which keeps its digits far out in the tails.
///
/// *Source:* M. Abramowitz and I. Stegun, *Handbook of Mathematical Functions* (1964), 26.7.1.
pub(crate) fn two_sided(t: f64, freedom: f64) -> f64 {
    beta_reg(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// The q with P(|T| ≥ q) = 1 − level of Student's t, by bisection.
///
/// Positive numbers are ordered like their bits, so 63 steps reach the last bit of any of them.
/// (statrs's own inverse is off by a factor of eight at ν = 1, level 1 − 10⁻⁹.)
pub(crate) fn student_t_quantile(level: f64, freedom: f64) -> f64 {
    let (mut below, mut above) = (0, f64::MAX.to_bits());
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if two_sided(f64::from_bits(middle), freedom) > 1.0 - level {
            below = middle;
        } else {
            above = middle;
        }
    }
    f64::from_bits(above)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::{student_t_quantile, two_sided};

    #[test]
    fn p_values_of_students_t() {
        // ν = 1 is Cauchy: p = 1 − (2/π)·atan t. ν = 2: p = 1 − t/√(2 + t²).
        for t in [0.0f64, 0.1, 1.0, 3.7, 50.0] {
            let cauchy = 1.0 - 2.0 / std::f64::consts::PI * t.atan();
            assert!((two_sided(t, 1.0) - cauchy).abs() < 1e-12, "t = {t}");
            let two = 1.0 - t / (2.0 + t * t).sqrt();
            assert!((two_sided(-t, 2.0) - two).abs() < 1e-12, "t = {t}");
        }
        // Far out, ν = 2: p → 1/t², with all its digits.
        assert!((two_sided(1e6, 2.0) * 1e12 - 1.0).abs() < 1e-9);
    }

    /// P(|T| < t) by the finite sums for whole ν (Abramowitz and Stegun 26.7.3
    /// and 26.7.4), θ = atan(t/√ν).
    fn central(t: f64, freedom: u32) -> f64 {
        let angle = (t / f64::from(freedom).sqrt()).atan();
        let (sin, cos) = angle.sin_cos();
        // Terms cos^(first + 2j)·Π m/(m + 1), the m being of first's parity.
        let first = freedom % 2;
        let (mut term, mut sum) = (if first == 1 { cos } else { 1.0 }, 0.0);
        for m in (first + 1..freedom).step_by(2) {
            sum += term;
            term *= cos * cos * f64::from(m) / f64::from(m + 1);
        }
        match first {
            1 => 2.0 / PI * (angle + sin * sum),
            _ => sin * sum,
        }
    }

    #[test]
    fn quantiles_of_students_t() {
        let levels = [0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0 - 1e-9];
        for level in levels {
            // ν = 1: q = cot(π·α/2). ν = 2: q = (1 − α)·√(2/(α·(2 − α))).
            let alpha = 1.0 - level;
            let cauchy = 1.0 / (PI * alpha / 2.0).tan();
            assert!((student_t_quantile(level, 1.0) / cauchy - 1.0).abs() < 1e-12);
            let two = level * (2.0 / (alpha * (2.0 - alpha))).sqrt();
            assert!((student_t_quantile(level, 2.0) / two - 1.0).abs() < 1e-12);
            for freedom in [1, 2, 3, 30, 1000, 100_000] {
                let q = student_t_quantile(level, f64::from(freedom));
                // I is made from ln Γ(ν/2), which rounds by its own size.
                let size = f64::from(freedom) * f64::from(freedom).ln();
                let rounding = 1e-14 + 1e-15 * size;
                let off = central(q, freedom) - level;
                assert!(off.abs() < rounding, "{freedom}, {level}: {off:e}");
            }
        }
        // mpmath 1.3 with 30 digits: the root of
        // betainc(ν/2, 1/2, 0, ν/(ν + t²), regularized=True) = 1 − level.
        for (level, freedom, q) in [
            (0.95, 3.0, 3.182_446_305_283_709_6),
            (0.95, 30.0, 2.042_272_456_301_238),
            (0.99, 1000.0, 2.580_754_698_065_951),
            (0.9999, 3.0, 28.000_130_010_948_975),
            (0.9999, 30.0, 4.482_417_175_409_747),
            (0.9999, 1000.0, 3.906_343_736_701_381_2),
        ] {
            let off = student_t_quantile(level, freedom) / q - 1.0;
            assert!(off.abs() < 1e-12, "{freedom}, {level}: {off:e}");
        }
    }
}
