//! The shape θ of a negative binomial response, of given means.

/// The largest θ of counts about 1, and for counts of any mean so many times that: beyond it the response is a Poisson one.
const LARGEST: f64 = 1e8;
const SMALLEST: f64 = 1e-8;

/// Counts up to this are tabulated.
const TABLE: usize = 256;

/// How often counts exceed each number.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    /// Of each number from 0 on the weight of the observations above it.
    exceeding: Vec<f64>,
    /// The largest θ.
    pub(super) limit: f64,
    /// Counts beyond the table, with their weights.
    larger: Vec<(f64, f64)>,
}

impl Counts {
    pub(super) fn of(y: &[f64], weights: &[f64]) -> Self {
        let mean = y.iter().sum::<f64>() / y.len() as f64;
        let mut counts = Self {
            limit: LARGEST * (1.0 + mean),
            ..Self::default()
        };
        for (y, weight) in y.iter().zip(weights) {
            let table = (*y as usize).min(TABLE);
            if table > counts.exceeding.len() {
                counts.exceeding.resize(table, 0.0);
            }
            counts.exceeding[..table]
                .iter_mut()
                .for_each(|own| *own += weight);
            if *y > TABLE as f64 {
                counts.larger.push((*y, *weight));
            }
        }
        counts
    }

    /// Σ w (ψ(θ + y) − ψ(θ)), as sums where these have few terms: differences of ψ lose digits.
    fn rise(&self, theta: f64) -> f64 {
        let table = self.exceeding.iter().enumerate();
        let table: f64 = table.map(|(k, own)| own / (theta + k as f64)).sum();
        let beyond = digamma_of_large(theta + TABLE as f64);
        let larger = self.larger.iter();
        let larger = larger.map(|(y, weight)| weight * (digamma_of_large(theta + y) - beyond));
        table + larger.sum::<f64>()
    }
}

/// ψ(x) of x from [`TABLE`] on, to the last digits: what its series leaves out is below 1/(250·x⁶).
fn digamma_of_large(x: f64) -> f64 {
    let square = 1.0 / (x * x);
    x.ln() - 0.5 / x - square * (1.0 / 12.0 - square / 120.0)
}

/// The derivative of ℓ with respect to ln θ.
fn slope(counts: &Counts, (y, means, weights): (&[f64], &[f64], &[f64]), logarithm: f64) -> f64 {
    let theta = logarithm.exp();
    let rows = y.iter().zip(means).zip(weights);
    let of_row = |((y, mean), weight): ((&f64, &f64), &f64)| {
        weight * ((mean - y) / (theta + mean) - (mean / theta).ln_1p())
    };
    theta * (counts.rise(theta) + rows.map(of_row).sum::<f64>())
}

/// The θ of the largest likelihood, to 10⁻¹² of it, at most the limit; looked for from `start` on.
pub(super) fn estimate(counts: &Counts, data: (&[f64], &[f64], &[f64]), start: f64) -> f64 {
    let slope = |at: f64| slope(counts, data, at);
    let (least, most) = (SMALLEST.ln(), counts.limit.ln());
    let (mut low, mut high) = (start.ln().clamp(least, most), start.ln().clamp(least, most));
    let (mut below, mut above) = (slope(low), slope(high));
    // ℓ rises at the lower end and falls at the upper one.
    let mut width = 0.25;
    while below <= 0.0 && low > least {
        (high, above) = (low, below);
        low = (low - width).max(least);
        below = slope(low);
        width *= 2.0;
    }
    while above > 0.0 && high < most {
        (low, below) = (high, above);
        high = (high + width).min(most);
        above = slope(high);
        width *= 2.0;
    }
    if above > 0.0 || below <= 0.0 {
        return if above > 0.0 { counts.limit } else { SMALLEST };
    }
    // The secant, of which an end that stays twice counts half (M. Dowell, P. Jarratt 1971).
    let mut stays = 0;
    for _ in 0..200 {
        if high - low <= 1e-13 * (1.0 + high.abs()) {
            break;
        }
        let secant = (low * above - high * below) / (above - below);
        let at = match secant > low && secant < high {
            true => secant,
            false => (low + high) / 2.0,
        };
        let own = slope(at);
        if own == 0.0 {
            return at.exp();
        }
        match own > 0.0 {
            true => {
                (low, below) = (at, own);
                above = if stays == 1 { above / 2.0 } else { above };
                stays = 1;
            }
            false => {
                (high, above) = (at, own);
                below = if stays == -1 { below / 2.0 } else { below };
                stays = -1;
            }
        }
    }
    ((low + high) / 2.0).exp()
}

#[cfg(test)]
mod tests {
    use statrs::function::gamma::digamma;

    use super::*;

    #[test]
    fn the_series_of_large_numbers_is_the_digamma_function() {
        for power in 0..200 {
            let x = TABLE as f64 * 1.1_f64.powi(power);
            assert!(
                (digamma_of_large(x) - digamma(x)).abs() < 1e-13 * x.ln(),
                "{x}"
            );
        }
    }
}
