//! The probabilities to have had no event until given times.

use super::{
    Equation, Model, PredictionError, PredictionOptions, Predictions, SurvivalAt,
    combine::Part,
    inputs::{Finder, Inputs, places_of_levels},
    intervals::quantile,
};
use crate::table::Table;

impl Model {
    /// The place of each row's stratum among those of the model, where curves are asked for; empty where there is one alone.
    /// Rows without one are noted as lacking it.
    pub(super) fn strata<'t>(
        &'t self,
        (table, finder): (&'t Table, &Finder<'t>),
        options: &PredictionOptions,
        inputs: &mut Inputs<'t>,
    ) -> Result<Vec<u32>, PredictionError> {
        let Some(name) = self.strata.as_deref().filter(|_| !options.times.is_empty()) else {
            return Ok(Vec::new());
        };
        let levels = self
            .equation
            .hazards
            .iter()
            .filter_map(|own| own.stratum.clone());
        let levels: Vec<String> = levels.collect();
        if levels.is_empty() {
            return Ok(Vec::new());
        }
        let column = finder.require(name)?;
        let places = places_of_levels((table, column), &levels, options.unknown_levels)?;
        inputs.note_levels(&places, column);
        Ok(places)
    }

    /// Adds the survival at each of the times.
    pub(super) fn add_survival(
        &self,
        (parts, strata): (&[Part], &[u32]),
        x: &[Option<Vec<f64>>],
        options: &PredictionOptions,
        predictions: &mut Predictions,
    ) {
        let total: f64 = parts.iter().map(Part::weight).sum();
        let q = quantile(&self.equation, options.level).unwrap_or(f64::NAN);
        let wants_errors = options.interval.has_mean();
        let mut is_late = false;
        for time in &options.times {
            let mut own = SurvivalAt {
                time: *time,
                ..SurvivalAt::default()
            };
            for row in 0..predictions.rows {
                let place = strata.get(row).map_or(0, |place| *place as usize);
                let (mut survival, mut error) = (0.0, f64::NAN);
                for part in parts {
                    let equation = part.equation;
                    let values = at(equation, x, row);
                    let eta = part.etas[0][row];
                    let curve = equation.hazards.get(place);
                    let (one, of_log) = curve.map_or((f64::NAN, f64::NAN), |curve| {
                        is_late |= !eta.is_nan() && *time > curve.last;
                        curve.survival(equation, (eta, &values), *time)
                    });
                    survival += part.weight() / total * one;
                    error = if parts.len() == 1 { of_log } else { f64::NAN };
                }
                own.values.push(survival);
                if wants_errors {
                    own.std_error.push(survival * error);
                    let end = |sign: f64| (survival.ln() + sign * q * error).exp().min(1.0);
                    own.ends.push(match survival {
                        // Its logarithm has no interval.
                        0.0 => [0.0, 0.0],
                        own if own.is_nan() || error.is_nan() => [f64::NAN; 2],
                        _ => [end(-1.0), end(1.0)],
                    });
                }
            }
            predictions.survival.push(own);
        }
        if is_late {
            let warning =
                "there is no survival at times beyond the last one of the fit, in the same stratum";
            predictions.warnings.push(warning.to_owned());
        }
        let has_none = |own: &SurvivalAt| own.std_error.iter().all(|error| error.is_nan());
        if wants_errors && !options.times.is_empty() && predictions.survival.iter().all(has_none) {
            let warning = match parts.len() {
                1 => {
                    "survival has no standard errors: the model has no covariances, or too many times of events"
                }
                _ => "averages of survival have no standard errors",
            };
            predictions.warnings.push(warning.to_owned());
        }
    }
}

/// The variables of an equation in a row, less their centers.
fn at(equation: &Equation, x: &[Option<Vec<f64>>], row: usize) -> Vec<f64> {
    let values = equation
        .variables
        .iter()
        .map(|at| x[*at].as_ref().map_or(0.0, |own| own[row]));
    values.collect()
}
