//! Some columns of an expansion, such as those of a selected model: with what they learnt of data, and nothing else.

use serde::{Deserialize, Serialize};

use super::Formula;
use super::coding::FactorCoding;
use super::columns::multiply;
use super::data::Variables;
use super::error::{FormulaError, Located, Span};
use super::evaluate::collect_names;
use super::expansion::Expansion;
use super::expression::{Expression, Kind};
use super::fault::Fault;
use super::fitted::{Fitted, VariableColumns, sum_of_offsets};
use super::learnt::{Learnt, Shape};

/// Columns of a formula that were learnt from data, to be made of other data. They need no other part of the formula.
///
/// Saved and read back, they make of data the same columns, bit for bit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SavedColumns", into = "SavedColumns")]
pub struct LearntColumns {
    variables: Vec<LearntVariable>,
    columns: Vec<SavedColumn>,
    offsets: Vec<LearntVariable>,
}

/// An expression with what it learnt.
#[derive(Debug, Clone)]
struct LearntVariable {
    expression: Expression,
    fitted: Fitted,
    /// The names of the data that it uses.
    names: Vec<String>,
}

impl PartialEq for LearntVariable {
    fn eq(&self, other: &Self) -> bool {
        let parts = |own: &Self| (own.fitted.learnt.clone(), own.fitted.shape.clone());
        self.expression == other.expression && parts(self) == parts(other)
    }
}

#[derive(Serialize, Deserialize)]
struct SavedColumns {
    variables: Vec<SavedVariable>,
    columns: Vec<SavedColumn>,
    #[serde(default)]
    offsets: Vec<SavedVariable>,
}

#[derive(Serialize, Deserialize)]
struct SavedVariable {
    label: String,
    shape: Shape,
    learnt: Vec<Learnt>,
    /// The columns of the data that it is made of.
    of: Vec<String>,
}

/// A column as the product of columns of variables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SavedColumn {
    name: String,
    factors: Vec<SavedFactor>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct SavedFactor {
    /// The place of the variable, and which of its columns is meant.
    variable: usize,
    coding: FactorCoding,
    column: usize,
}

/// What stands before a label where it is read: it is an argument, not a term.
const BEFORE: &str = "~I(";

/// A fault with its place in a label.
fn in_label(mut fault: Located, label: &str) -> FormulaError {
    let place = |at: usize| at.saturating_sub(BEFORE.len()).min(label.len());
    fault.span = Span {
        start: place(fault.span.start),
        end: place(fault.span.end),
    };
    fault.in_text(label)
}

impl LearntVariable {
    /// The expression of a label, which is read anew so that faults show this part of the formula alone.
    fn of(label: &str, fitted: Fitted, names: Vec<String>) -> Result<Self, FormulaError> {
        let read = Formula::parse(&format!("{BEFORE}{label})"))?;
        let expression = match read.terms.kind {
            Kind::Call(call) => call.arguments.into_iter().next().map(|own| own.value),
            _ => None,
        };
        // A label is a text that is read as one argument.
        let Some(expression) = expression.filter(|own| own.to_string() == label) else {
            let expression = label.to_owned();
            let fault = Span::default().fault(Fault::Saved { expression });
            return Err(fault.in_text(label));
        };
        let fitted = fitted.with_contrasts(&expression);
        Ok(Self {
            fitted: fitted.map_err(|fault| in_label(fault, label))?,
            expression,
            names,
        })
    }

    fn apply<'d>(&self, data: &'d dyn Variables) -> Result<VariableColumns<'d>, FormulaError> {
        let applied = self.fitted.apply(&self.expression, data);
        let located = |fault| in_label(fault, &self.expression.to_string());
        Ok(applied.map_err(located)?.0)
    }

    fn saved(self) -> SavedVariable {
        SavedVariable {
            label: self.expression.to_string(),
            shape: self.fitted.shape,
            learnt: self.fitted.learnt,
            of: self.names,
        }
    }
}

impl Expansion {
    /// What the columns at these places of these terms need, and the offsets.
    ///
    /// # Errors
    /// An expression whose text is not read back as it is.
    ///
    /// # Panics
    /// If there is no such term or column.
    pub fn learnt_columns(&self, wanted: &[(usize, usize)]) -> Result<LearntColumns, FormulaError> {
        let learnt = |expression: &Expression, fitted: &Fitted| {
            let mut names = Vec::new();
            collect_names(expression, &mut names);
            // Names of constants are none of the data.
            let all = &self.terms.names;
            let names = names
                .into_iter()
                .filter(|name| all.iter().any(|own| own == name));
            let names = names.map(str::to_owned).collect();
            LearntVariable::of(&expression.to_string(), fitted.clone(), names)
        };
        let (mut variables, mut places) = (Vec::new(), Vec::<usize>::new());
        let mut columns = Vec::with_capacity(wanted.len());
        for (term, column) in wanted {
            assert!(*column < self.column_count(*term), "no such column");
            let (mut factors, mut rest) = (Vec::new(), *column);
            for (variable, coding) in self.factors(*term) {
                let Some(fitted) = &self.variables[variable] else {
                    continue;
                };
                let place = match places.iter().position(|own| *own == variable) {
                    Some(place) => place,
                    None => {
                        let expression = &self.terms.variables[variable].expression;
                        variables.push(learnt(expression, fitted)?);
                        places.push(variable);
                        places.len() - 1
                    }
                };
                let width = fitted.suffixes(coding).len();
                factors.push(SavedFactor {
                    variable: place,
                    coding,
                    column: rest % width,
                });
                rest /= width;
            }
            let name = self.column_names(*term).swap_remove(*column);
            columns.push(SavedColumn { name, factors });
        }
        let offsets = self.terms.offsets.iter().zip(&self.offsets);
        let offsets = offsets.map(|(expression, fitted)| learnt(expression, fitted));
        Ok(LearntColumns {
            variables,
            columns,
            offsets: offsets.collect::<Result<_, _>>()?,
        })
    }
}

impl LearntColumns {
    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|own| &*own.name)
    }

    /// The names of the data that some columns are made of.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn inputs(&self, columns: &[usize]) -> impl Iterator<Item = &str> {
        let used = self.used(columns);
        let variables = self.variables.iter().zip(used);
        let variables = variables.filter(|(_, used)| *used).map(|(own, _)| own);
        variables.flat_map(|own| own.names.iter().map(String::as_str))
    }

    /// The names of the data that splines and polynomials are made of.
    pub(crate) fn inputs_of_curves(&self) -> impl Iterator<Item = &str> {
        let is_curve =
            |own: &Learnt| matches!(own, Learnt::Polynomial { .. } | Learnt::Spline { .. });
        let curves = self.variables.iter();
        let curves = curves.filter(move |own| own.fitted.learnt.iter().any(is_curve));
        curves.flat_map(|own| own.names.iter().map(String::as_str))
    }

    /// The names of the data that the offsets are made of.
    pub fn inputs_of_offsets(&self) -> impl Iterator<Item = &str> {
        let names = self.offsets.iter().flat_map(|own| &own.names);
        names.map(String::as_str)
    }

    /// Whether there are offsets.
    pub fn has_offsets(&self) -> bool {
        !self.offsets.is_empty()
    }

    /// Which variables some columns need.
    fn used(&self, columns: &[usize]) -> Vec<bool> {
        let mut used = vec![false; self.variables.len()];
        let factors = columns.iter().flat_map(|at| &self.columns[*at].factors);
        factors.for_each(|factor| used[factor.variable] = true);
        used
    }

    /// Makes some columns of data.
    ///
    /// *Shapes:* n values each.
    ///
    /// # Errors
    /// Variables that are missing or of another kind; values that are missing or not finite; levels
    /// that the first data did not have.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn columns(
        &self,
        columns: &[usize],
        data: &dyn Variables,
    ) -> Result<Vec<Vec<f64>>, FormulaError> {
        let variables = self.variables.iter().zip(self.used(columns));
        let variables =
            variables.map(|(own, is_used)| is_used.then(|| own.apply(data)).transpose());
        let variables = variables.collect::<Result<Vec<_>, _>>()?;
        let column = |at: &usize| {
            let mut values = vec![1.0; data.rows()];
            for factor in &self.columns[*at].factors {
                let own = &self.variables[factor.variable];
                if let Some(made) = &variables[factor.variable] {
                    let (fitted, place) = (&own.fitted, factor.column);
                    multiply(&mut values, fitted, made, place, factor.coding);
                }
            }
            values
        };
        Ok(columns.iter().map(column).collect())
    }

    /// The sum of the offsets; none if there are none.
    ///
    /// # Errors
    /// As [`columns`](Self::columns).
    pub fn offset(&self, data: &dyn Variables) -> Result<Option<Vec<f64>>, FormulaError> {
        let columns = self.offsets.iter().map(|own| own.apply(data));
        sum_of_offsets(columns, data.rows())
    }
}

impl From<LearntColumns> for SavedColumns {
    fn from(own: LearntColumns) -> Self {
        let saved = |all: Vec<LearntVariable>| all.into_iter().map(LearntVariable::saved).collect();
        Self {
            variables: saved(own.variables),
            columns: own.columns,
            offsets: saved(own.offsets),
        }
    }
}

impl TryFrom<SavedColumns> for LearntColumns {
    type Error = String;

    fn try_from(saved: SavedColumns) -> Result<Self, String> {
        let learnt = |own: SavedVariable| {
            let fitted = Fitted {
                learnt: own.learnt,
                shape: own.shape,
                contrasts: None,
                centered: None,
            };
            LearntVariable::of(&own.label, fitted, own.of).map_err(|error| error.to_string())
        };
        let all = |saved: Vec<SavedVariable>| {
            let learnt = saved.into_iter().map(learnt);
            learnt.collect::<Result<Vec<LearntVariable>, String>>()
        };
        let variables = all(saved.variables)?;
        for column in &saved.columns {
            let is_there = |factor: &SavedFactor| {
                let own = variables.get(factor.variable);
                own.is_some_and(|own| factor.column < own.fitted.suffixes(factor.coding).len())
            };
            if !column.factors.iter().all(is_there) {
                return Err(format!("`{}` is made of what is not there", column.name));
            }
        }
        Ok(Self {
            variables,
            columns: saved.columns,
            offsets: all(saved.offsets)?,
        })
    }
}
