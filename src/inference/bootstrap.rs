//! Intervals of what a procedure estimates, from resamples of the rows.
//!
//! *Source:* B. Efron, Better bootstrap confidence intervals, Journal of the American Statistical Association 82, 1987; B. Efron,
//! R. Tibshirani, *An Introduction to the Bootstrap* (1993), chapters 13 and 14.

use statrs::distribution::{ContinuousCDF, Normal};

/// What a procedure estimated from resamples, and from the rows without a part of them.
///
/// *Units:* those of the estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replicates<'a> {
    /// From all rows.
    pub estimate: f64,
    /// From each resample.
    pub resampled: &'a [f64],
    /// Without each row, or each of many equal parts of them.
    pub without: &'a [f64],
}

/// The α/2 and 1 − α/2 quantiles of the resamples, interpolated as R's `quantile` does; none without any.
pub fn percentile_interval(resampled: &[f64], alpha: f64) -> Option<[f64; 2]> {
    let mut sorted = resampled.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some([
        quantile(&sorted, 0.5 * alpha)?,
        quantile(&sorted, 1.0 - 0.5 * alpha)?,
    ])
}

/// The quantile of ascending values, R's type 7.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let place = share.clamp(0.0, 1.0) * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    Some(sorted[below] + (place - below as f64) * (sorted[above] - sorted[below]))
}

/// Why resamples are not corrected for bias and skewness, which supposes that on some scale they scatter about the estimate, but for a
/// constant, as a normal distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncorrected {
    /// The corrected interval would leave out 0, which more than α/2 of the resamples are, as where they do not choose the variable: with
    /// such a jump no scale makes them normal.
    Jump,
    /// The estimate is so far from the middle of the resamples that a corrected interval would leave out their median.
    Bias,
}

impl Uncorrected {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jump => "jump",
            Self::Bias => "bias",
        }
    }
}

/// The bias-corrected and accelerated interval: quantiles of the resamples at levels that account for the part of them below the
/// estimate, of which those equal to it count half, and for the skewness of the estimates without each part of the rows.
///
/// # Errors
/// [`Uncorrected`] says when there is none.
pub fn bca_interval(replicates: Replicates, alpha: f64) -> Result<[f64; 2], Uncorrected> {
    let Replicates {
        estimate,
        resampled,
        without,
    } = replicates;
    let mut sorted = resampled.to_vec();
    sorted.sort_by(f64::total_cmp);
    let below = sorted.partition_point(|own| *own < estimate);
    let up_to = sorted.partition_point(|own| *own <= estimate);
    let count = sorted.len() as f64;
    let share = 0.5 * (below + up_to) as f64 / count;
    let normal = Normal::standard();
    let bias = normal.inverse_cdf(share);
    let mean = without.iter().sum::<f64>() / without.len().max(1) as f64;
    let power = |exponent: i32| {
        without
            .iter()
            .map(|own| (mean - own).powi(exponent))
            .sum::<f64>()
    };
    let spread = power(2).powf(1.5);
    // Where nothing changes there is no skewness.
    let acceleration = if spread > 0.0 {
        power(3) / (6.0 * spread)
    } else {
        0.0
    };
    let level = |level: f64| {
        let z = bias + normal.inverse_cdf(level);
        normal.cdf(bias + z / (1.0 - acceleration * z))
    };
    let levels = [level(0.5 * alpha), level(1.0 - 0.5 * alpha)];
    // Beyond all resamples there is no level.
    let has_median = share > 0.0 && share < 1.0 && levels[0] <= 0.5 && levels[1] >= 0.5;
    let [Some(low), Some(high)] = levels.map(|level| quantile(&sorted, level)) else {
        return Err(Uncorrected::Bias);
    };
    let zeros = sorted.iter().filter(|own| **own == 0.0).count() as f64;
    let has_zero = low <= 0.0 && high >= 0.0;
    match has_median {
        false => Err(Uncorrected::Bias),
        true if zeros > 0.5 * alpha * count && !has_zero => Err(Uncorrected::Jump),
        true => Ok([low, high]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_r() {
        // R: quantile(c(1, 2, 4, 8, 16), c(0.05, 0.95))
        let [low, high] = percentile_interval(&[8.0, 1.0, 16.0, 2.0, 4.0], 0.1).unwrap();
        assert!(
            (low - 1.2).abs() < 1e-12 && (high - 14.4).abs() < 1e-12,
            "{low} {high}"
        );
        assert_eq!(percentile_interval(&[], 0.1), None);
    }

    /// Without bias and skewness it is the interval of percentiles.
    #[test]
    fn the_corrected_interval_is_the_plain_one_where_there_is_nothing_to_correct() {
        let resampled: Vec<f64> = (-50..=50).map(f64::from).collect();
        let replicates = Replicates {
            estimate: 0.0,
            resampled: &resampled,
            without: &[-1.0, 0.0, 1.0],
        };
        let (own, plain) = (
            bca_interval(replicates, 0.1),
            percentile_interval(&resampled, 0.1),
        );
        let pairs = own.unwrap().into_iter().zip(plain.unwrap());
        let off = pairs.map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-9);
        let one_sided = Replicates {
            estimate: 100.0,
            ..replicates
        };
        assert_eq!(bca_interval(one_sided, 0.1), Err(Uncorrected::Bias));
    }

    /// One resample of a hundred chose the variable of the model of all rows: an interval that leaves out the other ninety-nine would
    /// say of it what no resample says.
    #[test]
    fn what_resamples_rarely_choose_or_say_is_not_corrected() {
        let with_zeros = |zeros: usize, estimate: f64| {
            let own = (0..100).map(|at| if at < zeros { 0.0 } else { at as f64 / 100.0 });
            let resampled: Vec<f64> = own.collect();
            let replicates = Replicates {
                estimate,
                resampled: &resampled,
                without: &[0.4, 0.5, 0.6],
            };
            bca_interval(replicates, 0.05)
        };
        assert_eq!(with_zeros(99, 0.9), Err(Uncorrected::Bias));
        // A third are 0, and four fifths below the estimate: the lower level is 0.39.
        assert_eq!(with_zeros(33, 0.8), Err(Uncorrected::Jump));
        assert_eq!(with_zeros(33, 0.5).map(|ends| ends[0]), Ok(0.0));
        assert!(with_zeros(2, 0.5).is_ok());
        // Nine tenths of them are below: levels 0.73 and 1.
        assert_eq!(with_zeros(0, 0.9), Err(Uncorrected::Bias));
        // Whatever there is has the median of the resamples.
        for estimate in 0..100 {
            if let Ok([low, high]) = with_zeros(1, f64::from(estimate) / 100.0) {
                assert!(low <= 0.495 && 0.495 <= high, "{low} {high}");
            }
        }
    }

    /// R's boot: `boot.ci` of the levels by hand: z₀ = Φ⁻¹(0.6), a = 1/6·Σd³/(Σd²)^1.5.
    #[test]
    fn levels_move_with_bias_and_skewness() {
        let resampled: Vec<f64> = (0..1000).map(f64::from).collect();
        let without = [0.0, 0.0, 0.0, 3.0];
        let replicates = Replicates {
            estimate: 599.5,
            resampled: &resampled,
            without: &without,
        };
        let normal = Normal::standard();
        let z0 = normal.inverse_cdf(0.6);
        let d = [0.75, 0.75, 0.75, -2.25_f64];
        let cubes: f64 = d.iter().map(|d| d.powi(3)).sum();
        let squares: f64 = d.iter().map(|d| d.powi(2)).sum();
        let a = cubes / (6.0 * squares.powf(1.5));
        let level = |share: f64| {
            let z = z0 + normal.inverse_cdf(share);
            normal.cdf(z0 + z / (1.0 - a * z)) * 999.0
        };
        let [low, high] = bca_interval(replicates, 0.1).unwrap();
        assert!((low - level(0.05)).abs() < 1e-9 && (high - level(0.95)).abs() < 1e-9);
    }
}
