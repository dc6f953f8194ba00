//! What one equation says, or several on average, as means with their intervals.

use super::{
    Equation, PredictionOptions, Predictions,
    intervals::{OnScale, quantile},
};

/// What one equation says of each row.
pub(super) struct Part<'m> {
    pub(super) equation: &'m Equation,
    /// Linear predictors: one list, or of levels without order one for each but the baseline.
    pub(super) etas: Vec<Vec<f64>>,
    /// Their standard errors, NaN where there is none.
    pub(super) errors: Vec<f64>,
}

impl Part<'_> {
    /// The weight of the equation; 1 of one alone.
    pub(super) fn weight(&self) -> f64 {
        self.equation.weight.unwrap_or(1.0)
    }
}

/// Makes means and intervals of what equations say.
///
/// Of one alone the confidence interval is that of the linear predictor, turned by the link. Several have the weighted mean of
/// their means, and the standard error √(Σ w (sᵢ² + (mᵢ − m)²)), in which they differ from each other.
///
/// *Shapes:* a weight for each row, or none.
///
/// *Source:* K. Burnham and D. Anderson, *Model Selection and Multimodel Inference* (2nd ed., 2002), section 4.3.
pub(super) fn combine(
    on_scale: &OnScale,
    parts: &[Part],
    weights: &[f64],
    options: &PredictionOptions,
    predictions: &mut Predictions,
) {
    let Some(first) = parts.first() else { return };
    let rows = first.errors.len();
    let total: f64 = parts.iter().map(Part::weight).sum();
    let (wants_mean, wants_observation) = (
        options.interval.has_mean(),
        options.interval.has_observation(),
    );
    let wants_errors = wants_mean || wants_observation;
    // It is some work, and of no use without intervals.
    let q = wants_errors.then(|| quantile(first.equation, options.level));
    let q = q.flatten().unwrap_or(f64::NAN);
    for row in 0..rows {
        // Of each its mean, the standard error of that, and the variance of an observation.
        let own = parts.iter().map(|part| {
            let (mean, slope) = on_scale.fit(part.etas[0][row]);
            let weight = weights.get(row).copied().unwrap_or(1.0);
            let variance = on_scale.variance(part.equation, mean, weight);
            let share = part.weight() / total;
            (
                share,
                mean,
                slope.abs() * part.errors[row],
                variance.unwrap_or(f64::NAN),
            )
        });
        let own: Vec<(f64, f64, f64, f64)> = own.collect();
        let fit: f64 = own.iter().map(|(share, mean, ..)| share * mean).sum();
        let square = |(share, mean, error, _): &(f64, f64, f64, f64)| {
            share * (error * error + (mean - fit).powi(2))
        };
        let error = own.iter().map(square).sum::<f64>().sqrt();
        predictions.fit.push(fit);
        if !wants_errors {
            continue;
        }
        predictions.std_error.push(error);
        if wants_mean {
            predictions.mean.push(match parts {
                [only] => on_scale.ends(only.etas[0][row], q * only.errors[row]),
                _ => on_scale.inside([fit - q * error, fit + q * error]),
            });
        }
        if wants_observation {
            let scatter: f64 = own
                .iter()
                .map(|(share, .., variance)| share * variance)
                .sum();
            let half = q * (scatter + error * error).sqrt();
            predictions
                .observation
                .push(on_scale.observation(fit, half));
        }
    }
    let omitted = parts
        .iter()
        .find_map(|part| part.equation.omitted.as_deref());
    if let Some(reason) = omitted.filter(|_| wants_errors) {
        let warning = format!("there are no standard errors and intervals: {reason}");
        predictions.warnings.push(warning);
    }
}
