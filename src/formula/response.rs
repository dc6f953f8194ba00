//! The response and the offsets of an expansion.

use super::data::{Variable, Variables};
use super::error::{FormulaError, Located};
use super::expansion::Expansion;
use super::expression::Kind;
use super::fitted::{VariableColumns, sum_of_offsets};
use super::functions::match_arguments;
use super::learnt::Shape;

impl Expansion {
    /// The values of the response: numbers, those of events where it is of events and failures, or the codes of a factor.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn response<'d>(
        &self,
        data: &'d dyn Variables,
    ) -> Result<Option<Variable<'d>>, FormulaError> {
        self.check_rows(data)?;
        let (Some(expression), Some(fitted)) = (&self.terms.response, &self.response) else {
            return Ok(None);
        };
        let applied = fitted.apply(expression, data);
        let (columns, _) = applied.map_err(|located| located.in_text(self.formula.text()))?;
        Ok(Some(match (columns, &fitted.shape) {
            (
                VariableColumns::Factor(codes),
                Shape::Factor {
                    levels, is_ordered, ..
                },
            ) => Variable::Factor {
                levels: levels.clone().into(),
                codes,
                is_ordered: *is_ordered,
            },
            (VariableColumns::Numeric(mut columns), _) => Variable::Numeric(columns.swap_remove(0)),
            (VariableColumns::Factor(_), Shape::Numeric { .. }) => return Ok(None),
        }))
    }

    /// Whether the formula says the order of the response's levels, by `levels` or `labels` of `factor()` or `ordered()`.
    pub(crate) fn orders_response(&self) -> bool {
        let names = &["x", "levels", "labels", "exclude", "ordered"];
        match &self.terms.response {
            Some(own) => match &own.kind {
                Kind::Call(call) if ["factor", "ordered"].contains(&&*call.name) => {
                    match_arguments(call, own.span, names).is_ok_and(|matched| {
                        matched.get("levels").or(matched.get("labels")).is_some()
                    })
                }
                _ => false,
            },
            None => false,
        }
    }

    /// The failures of a response of events and failures, which [`response`](Self::response) has the events of; none of
    /// another one.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn failures(&self, data: &dyn Variables) -> Result<Option<Vec<f64>>, FormulaError> {
        self.check_rows(data)?;
        let (Some(expression), Some(fitted)) = (&self.terms.response, &self.response) else {
            return Ok(None);
        };
        let located = |located: Located| located.in_text(self.formula.text());
        match fitted.apply(expression, data).map_err(located)? {
            (VariableColumns::Numeric(mut columns), _) if columns.len() == 2 => {
                Ok(Some(columns.swap_remove(1).into_owned()))
            }
            _ => Ok(None),
        }
    }

    /// The sum of the offsets; none if the formula has none.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn offset(&self, data: &dyn Variables) -> Result<Option<Vec<f64>>, FormulaError> {
        self.check_rows(data)?;
        let offsets = self.terms.offsets.iter().zip(&self.offsets);
        let columns = offsets.map(|(expression, fitted)| {
            let applied = fitted.apply(expression, data);
            let located = |located: Located| located.in_text(self.formula.text());
            Ok(applied.map_err(located)?.0)
        });
        sum_of_offsets(columns, data.rows())
    }
}
