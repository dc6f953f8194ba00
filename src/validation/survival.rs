//! How well linear predictors order survival times that they were not fitted to.

use std::sync::Arc;

use super::response::{Observed, Response, Row};

/// The pairs of observations of one fold that can be compared and are in order, equal linear predictors counting half, and all
/// that can be compared (Harrell's C is their quotient).
pub(super) fn concordant_pairs(response: &Response, rows: &[Row]) -> (f64, f64) {
    of_folds(response, rows, |part, predictors| {
        Some(part.concordant_pairs(predictors))
    })
}

/// −2 times the partial log-likelihood of the held-out observations of each fold among themselves, for each event.
pub(super) fn deviance(response: &Response, rows: &[Row]) -> Option<f64> {
    let (sum, events) = of_folds(response, rows, |part, predictors| {
        let events = part.groups.iter().map(|group| group.weight).sum();
        Some((part.minus_two_log_likelihood(predictors)?, events))
    });
    (events > 0.0).then(|| sum / events)
}

/// The sums over folds of two numbers.
fn of_folds(
    response: &Response,
    rows: &[Row],
    of: impl Fn(&Arc<crate::family::SurvivalResponse>, &[f64]) -> Option<(f64, f64)>,
) -> (f64, f64) {
    let Observed::Survival(all) = &response.observed else {
        return (0.0, 0.0);
    };
    let folds = rows.chunk_by(|a, b| a.fold == b.fold).filter_map(|fold| {
        // One observation alone is compared with none.
        if fold.len() < 2 {
            return None;
        }
        let observations: Vec<usize> = fold.iter().map(|row| row.at).collect();
        let predictors: Vec<f64> = fold.iter().map(Row::value).collect();
        let part = all.part(&observations).ok()?;
        of(&Arc::new(part), &predictors)
    });
    folds.fold((0.0, 0.0), |sums, own| (sums.0 + own.0, sums.1 + own.1))
}
