//! Probabilities of responses: both tails of their distributions.

use libm::erfc;
use statrs::function::{
    beta::beta_reg,
    erf::erfc_inv,
    gamma::{checked_gamma_lr, checked_gamma_ur},
};

/// Shapes up to which the continued fractions of incomplete beta and gamma functions converge within their steps; of larger
/// ones the cube root of the variable is normal to more digits than a diagnosis needs.
const LARGE: f64 = 5000.0;

/// P(Y ≤ y) and P(Y > y), each with the digits of its own tail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tails {
    pub(super) lower: f64,
    pub(super) upper: f64,
}

impl Tails {
    /// Of a value below all others.
    const NONE: Self = Self {
        lower: 0.0,
        upper: 1.0,
    };

    /// Of a value that none is above.
    const ALL: Self = Self {
        lower: 1.0,
        upper: 0.0,
    };

    /// Those of a normal deviate.
    fn normal(z: f64) -> Self {
        let root = std::f64::consts::SQRT_2;
        Self {
            lower: erfc(-z / root) / 2.0,
            upper: erfc(z / root) / 2.0,
        }
    }

    fn turned(self) -> Self {
        Self {
            lower: self.upper,
            upper: self.lower,
        }
    }

    /// Those of a beta variable of shapes a and b at x; `rest` is 1 − x.
    ///
    /// *Source:* for large shapes E. Paulson, An approximate normalization of the analysis of variance distribution,
    /// Annals of Mathematical Statistics 13, 1942.
    fn beta([a, b]: [f64; 2], x: f64, rest: f64) -> Self {
        match () {
            () if x <= 0.0 => Self::NONE,
            () if rest <= 0.0 => Self::ALL,
            () if a.min(b) <= LARGE => Self {
                lower: beta_reg(a, b, x).clamp(0.0, 1.0),
                upper: beta_reg(b, a, rest).clamp(0.0, 1.0),
            },
            () => {
                let (p, q) = ((b * x).cbrt(), (a * rest).cbrt());
                let difference = p * (1.0 - 1.0 / (9.0 * b)) - q * (1.0 - 1.0 / (9.0 * a));
                Self::normal(3.0 * difference / (p * p / b + q * q / a).sqrt())
            }
        }
    }

    /// Those of a gamma variable of a shape, of scale 1, at x.
    ///
    /// *Source:* for large shapes E. B. Wilson, M. M. Hilferty, The distribution of chi-square, Proceedings of the National
    /// Academy of Sciences 17, 1931.
    pub(super) fn gamma(shape: f64, x: f64) -> Self {
        match () {
            () if x <= 0.0 => Self::NONE,
            () if !x.is_finite() => Self::ALL,
            () if shape > LARGE => {
                let difference = (x / shape).cbrt() - 1.0 + 1.0 / (9.0 * shape);
                Self::normal(3.0 * shape.sqrt() * difference)
            }
            () => Self {
                lower: checked_gamma_lr(shape, x).unwrap_or(f64::NAN),
                upper: checked_gamma_ur(shape, x).unwrap_or(f64::NAN),
            },
        }
    }

    /// Those of so many events of trials.
    pub(super) fn binomial(events: f64, trials: f64, mean: f64) -> Self {
        match () {
            () if events < 0.0 => Self::NONE,
            () if events >= trials => Self::ALL,
            () => Self::beta([events + 1.0, trials - events], mean, 1.0 - mean).turned(),
        }
    }

    /// Those of a count of Poisson's distribution.
    pub(super) fn poisson(count: f64, mean: f64) -> Self {
        match count < 0.0 {
            true => Self::NONE,
            false => Self::gamma(count + 1.0, mean).turned(),
        }
    }

    /// Those of a count of variance μ + μ²/θ at the mean μ.
    pub(super) fn negative_binomial(count: f64, mean: f64, theta: f64) -> Self {
        let sum = mean + theta;
        match () {
            () if count < 0.0 => Self::NONE,
            // Its logarithms would have no digits left.
            () if theta > 1e8 * mean.max(1.0) => Self::poisson(count, mean),
            () => Self::beta([theta, count + 1.0], theta / sum, mean / sum),
        }
    }

    /// The normal quantile of a probability between that of these tails and those of a larger value, `share` of the way.
    pub(super) fn quantile_between(self, above: Self, share: f64) -> f64 {
        let lower = self.lower + share * (above.lower - self.lower);
        let upper = above.upper + (1.0 - share) * (self.upper - above.upper);
        // Further out than the least number that f64 has no quantile is told from another.
        let end =
            |tail: f64| std::f64::consts::SQRT_2 * erfc_inv(2.0 * tail.max(f64::MIN_POSITIVE));
        match lower < upper {
            true => -end(lower),
            false => end(upper),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_near(tails: Tails, expected: [f64; 2], tolerance: f64) {
        for (own, expected) in [(tails.lower, expected[0]), (tails.upper, expected[1])] {
            let off = (own - expected).abs();
            assert!(off <= tolerance * expected.abs(), "{own:e} {expected:e}");
        }
    }

    /// The sums of probabilities up to a count and from there on, each probability from the one before.
    fn sums(first: f64, next: impl Fn(f64) -> f64, count: usize, most: usize) -> [f64; 2] {
        let (mut own, mut sums) = (first, [0.0; 2]);
        for k in 0..=most {
            sums[usize::from(k > count)] += own;
            own *= next(k as f64);
        }
        sums
    }

    #[test]
    fn tails_of_counts_are_sums_of_their_probabilities() {
        for count in [0, 1, 4, 9, 30] {
            let y = count as f64;
            for mean in [0.3, 4.0, 11.0] {
                let poisson = sums(f64::exp(-mean), |k| mean / (k + 1.0), count, 400);
                assert_near(Tails::poisson(y, mean), poisson, 1e-10);
                for theta in [0.4, 3.0, 60.0] {
                    let share = mean / (mean + theta);
                    let next = |k: f64| (theta + k) / (k + 1.0) * share;
                    let own = sums((1.0 - share).powf(theta), next, count, 40_000);
                    assert_near(Tails::negative_binomial(y, mean, theta), own, 1e-10);
                }
            }
            for p in [0.02_f64, 0.5, 0.9] {
                let next = |k: f64| (31.0 - k) / (k + 1.0) * p / (1.0 - p);
                let own = sums((1.0 - p).powi(31), next, count, 31);
                assert_near(Tails::binomial(y, 31.0, p), own, 1e-10);
            }
        }
        assert_eq!(Tails::binomial(31.0, 31.0, 0.5), Tails::ALL);
        assert_eq!(Tails::poisson(-1.0, 2.0), Tails::NONE);
    }

    /// On both sides of the limit the approximation and the function are one to six digits, at ±3 deviations.
    #[test]
    fn large_shapes_go_on_from_small_ones() {
        let near = |above: f64, below: f64| {
            assert!((above - below).abs() < 1e-6, "{above} {below}");
        };
        for z in [-3.0, -0.5, 2.0, 3.0] {
            let shape = LARGE;
            let x = shape + z * shape.sqrt();
            let difference = (x / shape).cbrt() - 1.0 + 1.0 / (9.0 * shape);
            let own = Tails::normal(3.0 * shape.sqrt() * difference);
            near(own.lower, Tails::gamma(shape, x).lower);
            let x = 0.5 + z / (8.0 * shape).sqrt();
            let step = LARGE + 1e-6;
            let above = Tails::beta([step, step], x, 1.0 - x).lower;
            near(above, Tails::beta([LARGE, step], x, 1.0 - x).lower);
        }
    }

    #[test]
    fn quantiles_keep_their_digits_in_both_tails() {
        // Φ(−10) = 7.619853024160527e-24.
        let far = Tails {
            lower: 7.619_853_024_160_527e-24,
            upper: 1.0,
        };
        assert!((far.quantile_between(far, 0.5) + 10.0).abs() < 1e-9);
        assert!((far.turned().quantile_between(far.turned(), 0.5) - 10.0).abs() < 1e-9);
        let end = Tails::ALL.quantile_between(Tails::ALL, 0.5);
        assert!(end > 37.0 && end.is_finite(), "{end}");
    }
}
