//! The measures of error by family, over rows that are held out.

use super::{
    PlainModel, events,
    losses::Loss,
    response::{Observed, Response, Row},
    survival,
};
use crate::family::Distribution;

/// A measure of how well held-out responses are predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// The root of the mean squared error.
    Rmse,
    /// The mean absolute error.
    Mae,
    /// 1 − Σ(y − ŷ)² / Σ(y − ȳ)², ȳ the mean of the training rows.
    RSquared,
    /// The mean deviance of an observation, or of a trial; of survival times −2ℓ for each event.
    Deviance,
    /// The mean of −ln of the probability of what was observed, or of its density: the negative log predictive density.
    LogLoss,
    /// The probability that an event has a higher predicted probability than another trial of the fold.
    Auc,
    /// The mean squared distance of probabilities from what was observed.
    Brier,
    /// The share whose likeliest outcome is the observed one.
    Accuracy,
    /// The slope of events on the logits of their probabilities: below 1 where these are too extreme.
    CalibrationSlope,
    /// The intercept beside these logits: above 0 where events are more frequent than predicted.
    CalibrationIntercept,
    /// Harrell's C within folds.
    Concordance,
}

/// What a measure is made of.
pub(super) enum Made {
    /// The weighted mean of a loss, and what is made of it.
    Mean(Loss, fn(f64) -> f64),
    /// 1 less the quotient of the means of two losses.
    Explained(Loss, Loss),
    /// A quotient of pairs.
    Pairs(fn(&Response, &[Row]) -> (f64, f64)),
    /// Anything else.
    Whole(fn(&Response, &[Row]) -> Option<f64>),
}

impl Measure {
    /// The measures of a kind of responses, the first the one that a report begins with.
    pub(crate) fn of(response: &Response) -> &'static [Self] {
        match &response.observed {
            Observed::Numbers(Distribution::Gaussian, _) => &[
                Self::Rmse,
                Self::Mae,
                Self::RSquared,
                Self::LogLoss,
                Self::Deviance,
            ],
            Observed::Numbers(Distribution::Gamma | Distribution::Plugin(_), _) => {
                &[Self::Deviance, Self::LogLoss, Self::Rmse, Self::Mae]
            }
            Observed::Numbers(..) => &[Self::LogLoss, Self::Deviance, Self::Rmse, Self::Mae],
            Observed::Events { .. } => &[
                Self::Auc,
                Self::LogLoss,
                Self::Brier,
                Self::Accuracy,
                Self::Deviance,
                Self::CalibrationSlope,
                Self::CalibrationIntercept,
            ],
            Observed::Levels { .. } => {
                &[Self::LogLoss, Self::Accuracy, Self::Brier, Self::Deviance]
            }
            Observed::Survival(_) => &[Self::Concordance, Self::Deviance],
        }
    }

    /// The measure by which sizes of models are compared: the least is the best. Shares of neighbours are 0 and 1 so often
    /// that their logarithms say nothing else.
    pub(crate) fn of_sizes(response: &Response, then: Option<PlainModel>) -> Self {
        let by_shares = matches!(then, Some(PlainModel::Neighbours { .. }));
        match &response.observed {
            Observed::Events { .. } | Observed::Levels { .. } if by_shares => Self::Brier,
            Observed::Numbers(Distribution::Gaussian, _) => Self::Rmse,
            Observed::Numbers(Distribution::Gamma | Distribution::Plugin(_), _)
            | Observed::Survival(_) => Self::Deviance,
            Observed::Numbers(..) | Observed::Events { .. } | Observed::Levels { .. } => {
                Self::LogLoss
            }
        }
    }

    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Rmse => "rmse",
            Self::Mae => "mae",
            Self::RSquared => "r_squared",
            Self::Deviance => "deviance",
            Self::LogLoss => "log_loss",
            Self::Auc => "auc",
            Self::Brier => "brier",
            Self::Accuracy => "accuracy",
            Self::CalibrationSlope => "calibration_slope",
            Self::CalibrationIntercept => "calibration_intercept",
            Self::Concordance => "concordance",
        }
    }

    pub(super) fn made(self, response: &Response) -> Made {
        let is_survival = matches!(response.observed, Observed::Survival(_));
        match self {
            Self::Rmse => Made::Mean(Loss::Square, f64::sqrt),
            Self::Mae => Made::Mean(Loss::Absolute, |mean| mean),
            Self::RSquared => Made::Explained(Loss::Square, Loss::Spread),
            Self::Deviance if is_survival => Made::Whole(survival::deviance),
            Self::Deviance => Made::Mean(Loss::Deviance, |mean| mean),
            Self::LogLoss => Made::Mean(Loss::Log, |mean| mean),
            Self::Brier => Made::Mean(Loss::Brier, |mean| mean),
            Self::Accuracy => Made::Mean(Loss::Wrong, |mean| 1.0 - mean),
            Self::Auc => Made::Pairs(events::concordant_pairs),
            Self::Concordance => Made::Pairs(survival::concordant_pairs),
            Self::CalibrationSlope => {
                Made::Whole(|response, rows| events::calibration(response, rows, true))
            }
            Self::CalibrationIntercept => {
                Made::Whole(|response, rows| events::calibration(response, rows, false))
            }
        }
    }

    /// Its value over rows, those of a fold behind one another; none where it is undefined.
    pub(super) fn value(self, response: &Response, rows: &[Row]) -> Option<f64> {
        let value = match self.made(response) {
            Made::Mean(loss, of) => of(mean(loss, response, rows)),
            Made::Explained(loss, spread) => {
                let share = mean(loss, response, rows) / mean(spread, response, rows);
                // Of the training mean itself they differ by rounding.
                if (share - 1.0).abs() < 1e-14 {
                    0.0
                } else {
                    1.0 - share
                }
            }
            Made::Pairs(of) => {
                let (concordant, pairs) = of(response, rows);
                concordant / pairs
            }
            Made::Whole(of) => of(response, rows)?,
        };
        value.is_finite().then_some(value)
    }
}

/// The weighted mean of a loss.
pub(super) fn mean(loss: Loss, response: &Response, rows: &[Row]) -> f64 {
    let total: f64 = rows.iter().map(|row| row.weight).sum();
    let losses = rows
        .iter()
        .map(|row| row.weight * loss.of(response, row.at, row));
    losses.sum::<f64>() / total
}
