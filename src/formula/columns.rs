//! The columns of the design, made term by term.

use super::coding::FactorCoding;
use super::data::Variables;
use super::error::{FormulaError, Located};
use super::expansion::Expansion;
use super::fitted::{Fitted, VariableColumns};
use super::terms::TermVariable;
use super::warning::Warning;

/// The variables of an expansion over some data, from which the columns of its terms are made.
///
/// It has the variables' values, not the columns: those of n observations and of a variable that is in
/// the data by itself are borrowed.
#[derive(Debug, Clone)]
pub struct DesignColumns<'e, 'd> {
    pub(super) expansion: &'e Expansion,
    pub(super) rows: usize,
    /// Parallel to the variables of the terms; none for a variable of removed terms only.
    pub(super) variables: Vec<Option<VariableColumns<'d>>>,
    pub(super) warnings: Vec<Warning>,
}

impl Expansion {
    /// Evaluates the variables of all terms over data, the one it was made of or new data; columns are
    /// made term by term from them. The response need not be in the data.
    ///
    /// # Errors
    /// Variables that are missing or of another kind; values that are missing or not finite; levels
    /// that the first data did not have.
    pub fn apply<'e, 'd>(
        &'e self,
        data: &'d dyn Variables,
    ) -> Result<DesignColumns<'e, 'd>, FormulaError> {
        let located = |located: Located| located.in_text(self.formula.text());
        self.check_rows(data)?;
        let mut warnings = Vec::new();
        let variables = self.terms.variables.iter().zip(&self.variables);
        let variables = variables.map(|(TermVariable { expression, .. }, fitted)| {
            let Some(fitted) = fitted else {
                return Ok(None);
            };
            let (columns, own) = fitted.apply(expression, data)?;
            warnings.extend(own);
            Ok(Some(columns))
        });
        let variables = variables.collect::<Result<Vec<_>, Located>>();
        let variables = variables.map_err(located)?;
        Ok(DesignColumns {
            expansion: self,
            rows: data.rows(),
            variables,
            warnings,
        })
    }
}

impl DesignColumns<'_, '_> {
    /// How many observations there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// What is doubtful about these columns.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// All columns of a term, in R's order: the columns of its first variable vary fastest.
    ///
    /// # Panics
    /// If there is no such term.
    pub fn columns(&self, term: usize) -> Vec<Vec<f64>> {
        let count = self.expansion.column_count(term);
        (0..count)
            .map(|column| {
                let mut values = vec![0.0; self.rows];
                self.write_column(term, column, &mut values);
                values
            })
            .collect()
    }

    /// Writes one column of a term to `values`, of length n.
    ///
    /// # Panics
    /// If there is no such term or column, or `values` is of another length.
    pub fn write_column(&self, term: usize, column: usize, values: &mut [f64]) {
        assert_eq!(values.len(), self.rows, "one value an observation");
        assert!(column < self.expansion.column_count(term), "no such column");
        values.fill(1.0);
        let mut rest = column;
        for (variable, coding) in self.expansion.factors(term) {
            let fitted = self.expansion.variables[variable].as_ref();
            let own = self.variables[variable].as_ref();
            if let (Some(fitted), Some(own)) = (fitted, own) {
                let width = fitted.suffixes(coding).len();
                multiply(values, fitted, own, rest % width, coding);
                rest /= width;
            }
        }
    }
}

/// Multiplies values by one column of a variable.
pub(super) fn multiply(
    values: &mut [f64],
    fitted: &Fitted,
    own: &VariableColumns,
    column: usize,
    coding: FactorCoding,
) {
    match (own, fitted.contrasts(coding)) {
        (VariableColumns::Numeric(columns), _) => {
            let factors = columns[column].iter();
            values
                .iter_mut()
                .zip(factors)
                .for_each(|(value, factor)| *value *= factor);
        }
        (VariableColumns::Factor(codes), Some(contrasts)) => {
            let of_level = &contrasts.columns[column];
            let codes = codes.iter().map(|code| of_level[*code as usize]);
            values
                .iter_mut()
                .zip(codes)
                .for_each(|(value, factor)| *value *= factor);
        }
        (VariableColumns::Factor(codes), None) => {
            let others = values.iter_mut().zip(&**codes);
            let others = others.filter(|(_, code)| **code as usize != column);
            others.for_each(|(value, _)| *value = 0.0);
        }
    }
}
