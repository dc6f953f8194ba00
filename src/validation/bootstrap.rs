//! The estimators .632 and .632+ of a bootstrap.

use super::{
    Measure,
    losses::Loss,
    measure::{Made, mean},
    response::{Response, Row},
};

/// Observations of which each is paired with each where they have nothing to do with one another.
const PAIRED: usize = 500;

/// The share of distinct rows in a resample.
const SHARE: f64 = 0.632;

/// A measure as a bootstrap estimates it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Estimates {
    /// By .632+; of what is no mean of losses, nor a share of pairs, out of the bag alone.
    pub(crate) value: Option<f64>,
    /// Of the rows that the model is made of.
    pub(crate) apparent: Option<f64>,
    /// Of the rows that resamples did not draw.
    pub(crate) out_of_bag: Option<f64>,
    /// 0.368 times the apparent one and 0.632 times that out of the bag, as losses.
    pub(crate) point_632: Option<f64>,
}

/// The estimates of a measure, from the rows of the model of all and from those that resamples did not draw.
///
/// *Source:* B. Efron and R. Tibshirani, Improvements on cross-validation: the .632+ bootstrap method (1997).
pub(super) fn estimates(
    measure: Measure,
    response: &Response,
    apparent: &[Row],
    held_out: &[Row],
) -> Estimates {
    let of = |loss: Loss| {
        let own = mean(loss, response, apparent);
        let out = mean(loss, response, held_out);
        both(own, out, no_information(loss, response, apparent))
    };
    let (plain, plus) = match measure.made(response) {
        Made::Mean(loss, made) => {
            let (plain, plus) = of(loss);
            (Some(made(plain)), Some(made(plus)))
        }
        Made::Explained(loss, spread) => {
            let (losses, spreads) = (of(loss), of(spread));
            (
                Some(1.0 - losses.0 / spreads.0),
                Some(1.0 - losses.1 / spreads.1),
            )
        }
        Made::Pairs(pairs) => {
            // The loss is the share of pairs that are not in order: one half without information.
            let loss = |rows: &[Row]| {
                let (concordant, pairs) = pairs(response, rows);
                1.0 - concordant / pairs
            };
            let (plain, plus) = both(loss(apparent), loss(held_out), 0.5);
            (Some(1.0 - plain), Some(1.0 - plus))
        }
        Made::Whole(_) => (None, measure.value(response, held_out)),
    };
    let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
    Estimates {
        value: finite(plus),
        apparent: measure.value(response, apparent),
        out_of_bag: measure.value(response, held_out),
        point_632: finite(plain),
    }
}

/// The estimates .632 and .632+ of a loss, from the apparent one, that out of the bag and that without information.
pub(super) fn both(apparent: f64, held_out: f64, no_information: f64) -> (f64, f64) {
    let plain = (1.0 - SHARE) * apparent + SHARE * held_out;
    let held_out = held_out.min(no_information.max(apparent));
    let overfitting = match held_out > apparent && no_information > apparent {
        true => (held_out - apparent) / (no_information - apparent),
        false => 0.0,
    };
    let weight = SHARE / (1.0 - (1.0 - SHARE) * overfitting);
    (plain, (1.0 - weight) * apparent + weight * held_out)
}

/// The mean loss where responses have nothing to do with what is predicted: over all pairs of a response and a prediction, of at
/// most so many rows, evenly spread.
fn no_information(loss: Loss, response: &Response, rows: &[Row]) -> f64 {
    let step = rows.len().div_ceil(PAIRED).max(1);
    let some: Vec<&Row> = rows.iter().step_by(step).collect();
    let (mut sum, mut total) = (0.0, 0.0);
    for own in &some {
        for other in &some {
            let weight = own.weight * other.weight;
            sum += weight * loss.of(response, own.at, other);
            total += weight;
        }
    }
    sum / total
}
