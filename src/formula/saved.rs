//! An expansion as it is saved: the formula, the names it was expanded over, what was learnt.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Formula;
use super::error::{FormulaError, Located};
use super::expansion::Expansion;
use super::expression::Expression;
use super::fault::Fault;
use super::fitted::Fitted;
use super::learnt::{Learnt, Shape};

/// What is saved of an [`Expansion`]. The terms are expanded anew, and the contrasts made anew of the
/// levels.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedExpansion {
    formula: Formula,
    /// The variables that the formula uses, in the order of the data.
    names: Vec<String>,
    /// Those of the terms in use, in order.
    variables: Vec<SavedVariable>,
    response: Option<SavedVariable>,
    offsets: Vec<SavedVariable>,
    #[serde(default)]
    centered_interactions: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedVariable {
    label: String,
    shape: Shape,
    learnt: Vec<Learnt>,
}

impl SavedVariable {
    fn of(expression: &Expression, fitted: &Fitted) -> Self {
        Self {
            label: expression.to_string(),
            shape: fitted.shape.clone(),
            learnt: fitted.learnt.clone(),
        }
    }

    /// What was saved of an expression, if it is this one.
    fn fitted(self, expression: &Expression) -> Result<Fitted, Located> {
        match self.label == expression.to_string() {
            true => Ok(Fitted {
                learnt: self.learnt,
                shape: self.shape,
                contrasts: None,
                centered: None,
            }),
            false => Err(misfit(expression)),
        }
    }
}

fn misfit(expression: &Expression) -> Located {
    let label = expression.to_string();
    expression.span.fault(Fault::Saved { expression: label })
}

impl From<&Expansion> for SavedExpansion {
    fn from(expansion: &Expansion) -> Self {
        let terms = &expansion.terms;
        let variables = terms.variables.iter().zip(&expansion.variables);
        let variables = variables.filter_map(|(variable, fitted)| {
            let fitted = fitted.as_ref()?;
            Some(SavedVariable::of(&variable.expression, fitted))
        });
        let response = terms.response.as_ref().zip(expansion.response.as_ref());
        let offsets = terms.offsets.iter().zip(&expansion.offsets);
        Self {
            variables: variables.collect(),
            response: response.map(|(expression, fitted)| SavedVariable::of(expression, fitted)),
            offsets: offsets
                .map(|(expression, fitted)| SavedVariable::of(expression, fitted))
                .collect(),
            names: expansion.terms.names.clone(),
            centered_interactions: expansion.centered_interactions,
            formula: expansion.formula.clone(),
        }
    }
}

impl TryFrom<SavedExpansion> for Expansion {
    type Error = FormulaError;

    fn try_from(saved: SavedExpansion) -> Result<Self, FormulaError> {
        let formula = saved.formula;
        let located = |located: Located| located.in_text(formula.text());
        let names: Vec<&str> = saved.names.iter().map(String::as_str).collect();
        let terms = formula.terms(&names)?;
        let mut is_used = vec![false; terms.variables.len()];
        for variable in terms.terms.iter().flat_map(|term| term.iter()) {
            is_used[*variable as usize] = true;
        }
        let mut own = saved.variables.into_iter();
        let variables = terms
            .variables
            .iter()
            .zip(is_used)
            .map(|(variable, is_used)| {
                let expression = &variable.expression;
                if !is_used {
                    return Ok(None);
                }
                let saved = own.next().ok_or_else(|| misfit(expression))?;
                saved
                    .fitted(expression)?
                    .with_contrasts(expression)
                    .map(Some)
            });
        let variables = variables
            .collect::<Result<Vec<_>, Located>>()
            .map_err(located)?;
        let response = match (&terms.response, saved.response) {
            (Some(expression), Some(saved)) => {
                let fitted = saved.fitted(expression).map_err(located)?;
                fitted.check_response(expression).map_err(located)?;
                Some(fitted)
            }
            (Some(expression), None) => return Err(located(misfit(expression))),
            (None, _) => None,
        };
        let mut own = saved.offsets.into_iter();
        let offsets = terms.offsets.iter().map(|expression| {
            let saved = own.next().ok_or_else(|| misfit(expression))?;
            let fitted = saved.fitted(expression)?;
            fitted.check_offset(expression)?;
            Ok(fitted)
        });
        let offsets = offsets
            .collect::<Result<Vec<_>, Located>>()
            .map_err(located)?;
        let terms = (terms, saved.centered_interactions);
        Self::from_parts(formula.clone(), terms, variables, response, offsets)
    }
}

impl Serialize for Expansion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SavedExpansion::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Expansion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = SavedExpansion::deserialize(deserializer)?;
        Self::try_from(saved).map_err(D::Error::custom)
    }
}
