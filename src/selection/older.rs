//! What predicts by a report, also by one of a version that kept no model.

use super::Selection;
use crate::{
    family::Distribution,
    prediction::{Equation, MODEL_VERSION, Model, ModelColumn, ModelVariable},
};

/// The first version whose reports have a model.
const FIRST: &str = "0.1.0";

impl Selection {
    /// The model that predicts by the report. That of an earlier version is made of its estimates, if its variables are columns
    /// and dummies.
    ///
    /// # Errors
    /// Why the report does not predict, for a message.
    pub fn prediction_model(&self) -> Result<Model, String> {
        if let Some(model) = &self.model {
            return Ok(model.clone());
        }
        let response = &self.response;
        let needs = |what: &str| {
            Err(format!(
                "the report of {response} is of passel {}, which kept no model in it, and has {what}: select it again by passel \
                 {FIRST} or later",
                self.passel
            ))
        };
        if self.formula.is_some() {
            return needs("a formula");
        }
        let family = self.family.as_ref();
        let has_levels = family.is_some_and(|own| !own.levels.is_empty());
        let is_survival = family.is_some_and(|own| own.survival.is_some());
        if is_survival {
            return needs("survival times");
        }
        if self.selected.iter().any(|own| own.variant.is_some()) {
            return needs("genotypes");
        }
        let mut columns: Vec<ModelColumn> = Vec::new();
        let mut variables = Vec::new();
        for own in &self.selected {
            let found = columns.iter().position(|column| column.name == own.column);
            let place = found.unwrap_or(columns.len());
            if found.is_none() {
                let factor = self.factors.iter().find(|factor| factor.name == own.column);
                let levels = factor.filter(|_| own.level.is_some());
                if own.level.is_some() && levels.is_none() {
                    return needs("a factor whose levels it does not name");
                }
                columns.push(ModelColumn {
                    name: own.column.clone(),
                    levels: levels.map_or(Vec::new(), |factor| factor.levels.clone()),
                    ..ModelColumn::default()
                });
            }
            let class = family.and_then(|family| {
                let class = own.class.as_ref()?;
                family.levels.iter().position(|level| level.level == *class)
            });
            variables.push(ModelVariable {
                name: own.name.clone(),
                column: Some(place),
                level: own.level.clone(),
                class,
                ..ModelVariable::default()
            });
        }
        let matrix = self.covariance.matrix.iter().enumerate();
        let covariance = matrix.map(|(at, row)| row[..=at.min(row.len() - 1)].to_vec());
        let has_t = family.is_none_or(|own| !own.has_normal_tests());
        let quasi = family.and_then(|own| own.dispersion_df);
        let omitted = self.covariance.omitted.as_ref().map(ToString::to_string);
        let no_matrix = "it has no covariances".to_owned();
        let equation = Equation {
            constant: self.intercept.as_ref().map(|own| own.coefficient),
            constants: self
                .constants
                .iter()
                .map(|own| own.estimate.coefficient)
                .collect(),
            variables: (0..variables.len()).collect(),
            coefficients: self
                .selected
                .iter()
                .map(|own| own.estimate.coefficient)
                .collect(),
            covariance: covariance.collect(),
            omitted: match self.covariance.matrix.is_empty() {
                true => Some(omitted.unwrap_or(no_matrix)),
                false => None,
            },
            dispersion: match family {
                Some(own) => Some(own.dispersion),
                None => self.goodness.sigma.map(|sigma| sigma * sigma),
            },
            theta: family.and_then(|own| own.theta),
            df: quasi.or(Some(self.goodness.df_residual).filter(|_| has_t)),
            ..Equation::default()
        };
        let (name, link) = match family {
            Some(own) => (&*own.response.name, &*own.response.link),
            None => (Distribution::Gaussian.name(), "identity"),
        };
        let levels = family.filter(|_| has_levels);
        let levels = levels.map_or(Vec::new(), |own| {
            own.levels.iter().map(|level| level.level.clone()).collect()
        });
        Ok(Model {
            version: MODEL_VERSION,
            response: response.clone(),
            family: name.to_owned(),
            link: link.to_owned(),
            levels,
            offset: family.and_then(|own| own.response.offset.clone()),
            weights: self.weights.clone(),
            columns,
            variables,
            equation,
            ..Model::default()
        })
    }
}
