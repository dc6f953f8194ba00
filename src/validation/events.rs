//! How well probabilities tell events from others, and how well they are calibrated.

use super::response::{Observed, Response, Row};
use crate::family::{Distribution, Family, FamilyFit, FamilyResponse, FitStatus};

/// Probabilities are at least this far from 0 and 1 where they become logits.
const LEAST: f64 = 1e-15;

/// The pairs of an event and another trial of one fold in which the event has the higher probability, equal ones counting half,
/// and all such pairs.
pub(super) fn concordant_pairs(response: &Response, rows: &[Row]) -> (f64, f64) {
    let Observed::Events { shares, .. } = &response.observed else {
        return (0.0, 0.0);
    };
    let (mut concordant, mut pairs) = (0.0, 0.0);
    for fold in rows.chunk_by(|a, b| a.fold == b.fold) {
        let mut sorted: Vec<(f64, f64, f64)> = fold
            .iter()
            .map(|row| {
                let share = shares[row.at];
                (row.value(), row.weight * share, row.weight * (1.0 - share))
            })
            .collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut events, mut others, mut before) = (0.0, 0.0, 0.0);
        for equal in sorted.chunk_by(|a, b| a.0 == b.0) {
            let own_events: f64 = equal.iter().map(|own| own.1).sum();
            let own_others: f64 = equal.iter().map(|own| own.2).sum();
            concordant += own_events * (before + own_others / 2.0);
            before += own_others;
            events += own_events;
            others += own_others;
        }
        pairs += events * others;
    }
    (concordant, pairs)
}

/// The logistic regression of events on the logits of their probabilities: its slope; or its intercept where the slope is 1
/// (calibration in the large). None where probabilities or events do not differ.
///
/// *Source:* E. Steyerberg, *Clinical Prediction Models* (2nd ed., 2019), section 15.3.
pub(super) fn calibration(response: &Response, rows: &[Row], wants_slope: bool) -> Option<f64> {
    let Observed::Events { shares, trials } = &response.observed else {
        return None;
    };
    let logit = |row: &Row| {
        let p = row.value().clamp(LEAST, 1.0 - LEAST);
        (p / (1.0 - p)).ln()
    };
    let logits: Vec<f64> = rows.iter().map(logit).collect();
    // Of a model without variables logits differ by the training rows alone.
    let is_constant = |fold: &[Row]| fold.iter().all(|row| row.value() == fold[0].value());
    let mut folds = rows.chunk_by(|a, b| a.fold == b.fold);
    if wants_slope && rows.len() > folds.clone().count() && folds.all(is_constant) {
        return None;
    }
    let trials: Vec<f64> = rows.iter().map(|row| trials[row.at]).collect();
    let events = rows.iter().zip(&trials);
    let events: Vec<f64> = events
        .map(|(row, t)| (shares[row.at] * t).round())
        .collect();
    let weights = rows.iter().zip(&trials);
    let weights: Vec<f64> = weights.map(|(row, trials)| row.weight / trials).collect();
    let family = Family::new(Distribution::Binomial, None).ok()?;
    let offset = if wants_slope { &[][..] } else { &logits };
    let response = FamilyResponse::new(family, &events, &trials, &weights, offset).ok()?;
    let columns = if wants_slope {
        vec![&*logits]
    } else {
        Vec::new()
    };
    let fit = FamilyFit::of(&columns, &response, true, None).ok()?;
    if fit.status() != FitStatus::Converged {
        return None;
    }
    match wants_slope {
        true => fit.coefficients().first().copied(),
        false => fit.intercept(),
    }
}
