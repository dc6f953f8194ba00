//! What a prediction costs: losses of one observation.

use super::response::{Observed, Response, Row};

/// Probabilities are at least this and at most 1 less it where their logarithm is taken: 0 would cost without end.
const LEAST: f64 = 1e-15;

/// A loss of one observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    /// The squared distance.
    Square,
    /// The distance.
    Absolute,
    /// The squared distance of the response from the mean of the training rows.
    Spread,
    /// The deviance of the family.
    Deviance,
    /// −ln of the probability of what was observed, or of its density.
    Log,
    /// The squared distance of the probability of an event from 1 or 0; of levels summed over them.
    Brier,
    /// 1 where the likeliest outcome is another one.
    Wrong,
}

impl Loss {
    /// The loss of a row's prediction where the response was that of the observation `at`, which may be another one.
    pub(super) fn of(self, response: &Response, at: usize, row: &Row) -> f64 {
        match &response.observed {
            Observed::Numbers(distribution, y) => {
                let (y, mean) = (y[at], row.value());
                let deviance = || distribution.deviance(y, mean, row.by.scatter.theta);
                match self {
                    Self::Absolute => (y - mean).abs(),
                    Self::Spread => (y - row.center).powi(2),
                    Self::Deviance => deviance(),
                    Self::Log => distribution.minus_log_density(
                        y,
                        mean,
                        response.weights[at],
                        row.by.scatter,
                    ),
                    _ => (y - mean).powi(2),
                }
            }
            Observed::Events { shares, .. } => of_events(self, shares[at], row.value()),
            Observed::Levels { codes, levels } => {
                let code = codes[at];
                let all = 0..levels.len() as u32;
                match self {
                    Self::Brier => {
                        let square = |level| {
                            let is_own = f64::from(u8::from(level == code));
                            (row.probability(level) - is_own).powi(2)
                        };
                        all.map(square).sum()
                    }
                    Self::Wrong => {
                        // The first of equal ones.
                        let likeliest = all
                            .rev()
                            .max_by(|a, b| row.probability(*a).total_cmp(&row.probability(*b)));
                        f64::from(u8::from(likeliest != Some(code)))
                    }
                    Self::Deviance => -2.0 * ln(row.probability(code)),
                    _ => -ln(row.probability(code)),
                }
            }
            // Their likelihood is of all observations together.
            Observed::Survival(_) => f64::NAN,
        }
    }
}

fn ln(probability: f64) -> f64 {
    probability.clamp(LEAST, 1.0 - LEAST).ln()
}

/// The loss of a trial, on average over trials of which a share were events.
fn of_events(loss: Loss, share: f64, p: f64) -> f64 {
    let mean = |event: f64, other: f64| match share {
        0.0 => other,
        1.0 => event,
        share => share * event + (1.0 - share) * other,
    };
    let log = || -mean(ln(p), ln(1.0 - p));
    let entropy = |x: f64| if x > 0.0 { x * x.ln() } else { 0.0 };
    match loss {
        Loss::Brier => mean((1.0 - p).powi(2), p * p),
        Loss::Wrong => match p >= 0.5 {
            true => mean(0.0, 1.0),
            false => mean(1.0, 0.0),
        },
        Loss::Deviance => 2.0 * (log() + entropy(share) + entropy(1.0 - share)),
        _ => log(),
    }
}
