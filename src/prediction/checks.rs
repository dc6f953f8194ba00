//! Whether a model can predict what is asked for.

use super::{
    Equation, MODEL_VERSION, Model, PredictionError, PredictionOptions, Scale, inputs::Finder,
    intervals::OnScale,
};
use crate::table::Table;

impl Model {
    /// The equations that predict.
    pub(super) fn equations(
        &self,
        options: &PredictionOptions,
    ) -> Result<Vec<&Equation>, PredictionError> {
        match options.average {
            false => Ok(vec![&self.equation]),
            true if self.met.is_empty() => Err(PredictionError::NoAverage),
            true => Ok(self.met.iter().collect()),
        }
    }

    /// Checks that a table, of which only the names of columns may be known, has those that a prediction needs.
    ///
    /// # Errors
    /// The first column that it lacks, with those that are near to it in spelling.
    pub fn check_columns(
        &self,
        table: &Table,
        options: &PredictionOptions,
    ) -> Result<(), PredictionError> {
        let equations = self.equations(options)?;
        self.check(&equations, options)?;
        let mut used = vec![false; self.variables.len()];
        let places = equations.iter().flat_map(|own| &own.variables);
        places.for_each(|at| used[*at] = true);
        let columns = self.columns.iter().zip(self.used_columns(&used));
        let columns = columns.filter(|(_, used)| *used).map(|(own, _)| &*own.name);
        let strata = self.strata.as_deref().filter(|_| !options.times.is_empty());
        let names = columns.chain(self.offset.as_deref()).chain(strata);
        let names: Vec<&str> = names.collect();
        let finder = Finder::of(table, &names);
        names
            .iter()
            .try_for_each(|name| finder.require_name(name).map(drop))
    }

    /// Checks that parts of the model fit each other, as in one that was read, and that there is what is asked for.
    pub(super) fn check(
        &self,
        equations: &[&Equation],
        options: &PredictionOptions,
    ) -> Result<(), PredictionError> {
        if self.version > MODEL_VERSION {
            let (found, known) = (self.version, MODEL_VERSION);
            return Err(PredictionError::Version { found, known });
        }
        let damaged = |what: String| Err(PredictionError::Damaged { what });
        let columns = self.columns.len();
        let of_formula = self.formula.as_ref().map_or(0, |own| own.names().count());
        for own in &self.variables {
            let is_there = match (own.column, own.formula) {
                (Some(at), None) => at < columns,
                (None, Some(at)) => at < of_formula,
                _ => false,
            };
            let has_class = own.class.is_none_or(|at| at > 0 && at < self.levels.len());
            if !is_there || !has_class {
                return damaged(format!("the variable {} is made of nothing", own.name));
            }
        }
        for own in equations {
            let size = own.variables.len() + usize::from(own.constant.is_some());
            let has_variables = own.variables.iter().all(|at| *at < self.variables.len())
                && own.variables.len() == own.coefficients.len();
            let has_covariance = own.covariance.is_empty()
                || own.covariance.len() == size
                    && (1..)
                        .zip(&own.covariance)
                        .all(|(length, row)| row.len() == length);
            let has_constants =
                self.levels.is_empty() || own.constants.len() + 1 == self.levels.len();
            let has_curves = own
                .hazards
                .iter()
                .all(|curve| curve.is_whole(own.variables.len()));
            if !(has_variables && has_covariance && has_constants && has_curves) {
                return damaged("an equation has too few numbers".to_owned());
            }
        }
        if !options.times.is_empty() && self.equation.hazards.is_empty() {
            let family = self.family.clone();
            return Err(PredictionError::NoCurves { family });
        }
        let wants_any = options.interval.has_mean() || options.interval.has_observation();
        if wants_any && !self.levels.is_empty() {
            let reason = "probabilities of levels have no standard errors here";
            return Err(PredictionError::NoInterval { reason });
        }
        let on_scale = OnScale::of(self, options);
        match options.interval.has_observation() {
            true if !on_scale.has_observations() => {
                let family = self.family.clone();
                Err(PredictionError::NoObservationInterval { family })
            }
            true if options.scale == Scale::Link && self.link != "identity" => {
                let reason = "a new observation is on the scale of the response";
                Err(PredictionError::NoInterval { reason })
            }
            _ => Ok(()),
        }
    }
}
