//! Responses of families about a linear predictor.

use super::{random::Random, variance};
use crate::family::Distribution;

/// The distributions that are drawn.
pub(crate) const DRAWN: [Distribution; 5] = [
    Distribution::Gaussian,
    Distribution::Binomial,
    Distribution::Poisson,
    Distribution::NegativeBinomial,
    Distribution::Gamma,
];

/// The variance of the linear predictor where no ratio of signal to noise asks for another.
const OF_BINOMIAL: f64 = 4.0;
const OF_OTHERS: f64 = 0.5;

/// The largest variance of the linear predictor of counts and positive numbers: means are then up to some thousands.
pub(super) const MOST: f64 = 4.0;

/// The mean of counts and positive numbers at the mean predictor.
const CENTRE: f64 = 3.0;

/// θ of negative binomial counts, and the shape of gamma responses.
const SHAPE: usize = 2;

/// Draws a response whose linear predictor is Xβ about its mean, at this variance, with the first link of the
/// distribution; the mean of counts and positive numbers is 3 at the mean predictor.
pub(super) fn response(
    distribution: Distribution,
    signal: &[f64],
    of_signal: Option<f64>,
    random: &mut Random,
) -> Vec<f64> {
    let scale = scale(distribution, signal, of_signal);
    let mean = signal.iter().sum::<f64>() / signal.len() as f64;
    let predictors = signal.iter().map(|signal| scale * (signal - mean));
    let draw = |eta: f64| match distribution {
        Distribution::Binomial => {
            // An event where logistic noise does not take the predictor below 0.
            f64::from(u8::from(eta + random.logistic() > 0.0))
        }
        Distribution::Gamma => exp(eta) * CENTRE * scatter(random),
        Distribution::NegativeBinomial => {
            let rate = exp(eta) * CENTRE * scatter(random);
            arrivals(rate, random)
        }
        _ => arrivals(exp(eta) * CENTRE, random),
    };
    predictors.map(draw).collect()
}

/// What a signal is multiplied by, so that the linear predictor has its variance.
pub(super) fn scale(distribution: Distribution, signal: &[f64], of_signal: Option<f64>) -> f64 {
    let wanted = of_signal.unwrap_or(match distribution {
        Distribution::Binomial => OF_BINOMIAL,
        _ => OF_OTHERS,
    });
    (wanted / variance(signal)).sqrt()
}

/// A gamma number of mean 1 and variance 1/[`SHAPE`].
fn scatter(random: &mut Random) -> f64 {
    let sum: f64 = (0..SHAPE).map(|_| -random.ln_unit()).sum();
    sum / SHAPE as f64
}

/// A Poisson number: how many arrivals of rate 1 there are in this time.
fn arrivals(time: f64, random: &mut Random) -> f64 {
    let (mut count, mut at) = (0.0, -random.ln_unit());
    while at <= time {
        count += 1.0;
        at -= random.ln_unit();
    }
    count
}

/// eˣ for x from −700 to 700: e^(k·ln 2 + r) with the series of eʳ, |r| ≤ ½ ln 2. The library's own differs between
/// machines in its last digit.
fn exp(x: f64) -> f64 {
    let k = (x / std::f64::consts::LN_2).round().clamp(-1000.0, 1000.0);
    let r = x - k * std::f64::consts::LN_2;
    let series = (1..20)
        .rev()
        .fold(1.0, |sum, at| 1.0 + sum * r / f64::from(at));
    series * f64::from_bits(((k as i64 + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_those_of_the_library_up_to_rounding() {
        for at in -600..600 {
            let x = f64::from(at) * 0.3711;
            assert!(
                (exp(x) / x.exp() - 1.0).abs() < 1e-14 * (1.0 + x.abs()),
                "{x}"
            );
        }
    }

    #[test]
    fn responses_have_the_means_and_variances_of_their_families() {
        let n = 40_000;
        // Two values of the predictor, ±√½ or ±2.
        let signal: Vec<f64> = (0..n).map(|row| f64::from(row as u32 % 2)).collect();
        for (distribution, of_mean) in [
            (Distribution::Binomial, |mu: f64| mu * (1.0 - mu)),
            (Distribution::Poisson, |mu: f64| mu),
            (Distribution::NegativeBinomial, |mu: f64| mu + mu * mu / 2.0),
            (Distribution::Gamma, |mu: f64| mu * mu / 2.0),
        ] as [(Distribution, fn(f64) -> f64); 4]
        {
            let y = response(distribution, &signal, None, &mut Random::new(5));
            for (half, sign) in [(0, -1.0), (1, 1.0)] {
                let own: Vec<f64> = y.iter().skip(half).step_by(2).copied().collect();
                let mean = own.iter().sum::<f64>() / own.len() as f64;
                let expected = match distribution {
                    Distribution::Binomial => 1.0 / (1.0 + f64::exp(-2.0 * sign)),
                    _ => 3.0 * f64::exp(0.5_f64.sqrt() * sign),
                };
                let of_mean = of_mean(expected);
                let error = (of_mean / own.len() as f64).sqrt();
                assert!(
                    (mean - expected).abs() < 4.0 * error,
                    "{distribution} {mean}"
                );
                assert!(
                    (variance(&own) / of_mean - 1.0).abs() < 0.1,
                    "{distribution}"
                );
            }
        }
    }
}
