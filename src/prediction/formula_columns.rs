//! The columns of a formula, of rows of which it makes some.

use std::{borrow::Cow, iter, ops::Range};

use super::{Model, PredictionError, UnknownLevels, inputs::Inputs, lacking::Lack};
use crate::{
    formula::{Fault, FormulaError, LearntColumns, Variable, Variables},
    table::Table,
};

/// The columns and the sum of the offsets.
type Made = (Vec<Vec<f64>>, Option<Vec<f64>>);

/// What a row without a value of a formula has in common with those that lack one; none of another fault.
fn lack_of(fault: &Fault, unknown: UnknownLevels) -> Option<(usize, Lack, String)> {
    let (row, lack, what) = match fault {
        Fault::NewLevel {
            row,
            expression,
            level,
            ..
        } if unknown == UnknownLevels::Missing => {
            (row, Lack::Level, format!("`{level}` of `{expression}`"))
        }
        Fault::OutsideBreaks { row, expression } => {
            let what = format!("`{expression}` is in no interval of the breaks");
            (row, Lack::Formula, what)
        }
        Fault::NotFinite {
            row,
            expression,
            value,
            inputs,
        } => {
            let of = inputs.strip_prefix(", where ");
            let of = of.map(|of| format!(" at {of}")).unwrap_or_default();
            (row, Lack::Formula, format!("`{expression}` is {value}{of}"))
        }
        Fault::Missing { row, expression } => (row, Lack::Value, expression.clone()),
        _ => return None,
    };
    Some((row.checked_sub(1)?, lack, what))
}

/// Some rows of the inputs, one after another.
struct SomeRows<'a> {
    inputs: &'a Inputs<'a>,
    rows: Range<usize>,
}

impl Variables for SomeRows<'_> {
    fn names(&self) -> Vec<&str> {
        self.inputs.names()
    }

    fn variable(&self, name: &str) -> Option<Variable<'_>> {
        fn part<'a, T: Clone>(all: Cow<'a, [T]>, rows: &Range<usize>) -> Cow<'a, [T]> {
            match all {
                Cow::Borrowed(all) => Cow::Borrowed(&all[rows.clone()]),
                Cow::Owned(all) => Cow::Owned(all[rows.clone()].to_vec()),
            }
        }
        Some(match self.inputs.variable(name)? {
            Variable::Numeric(values) => Variable::Numeric(part(values, &self.rows)),
            Variable::Factor {
                levels,
                codes,
                is_ordered,
            } => Variable::Factor {
                levels,
                codes: part(codes, &self.rows),
                is_ordered,
            },
        })
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }
}

impl Model {
    /// Makes columns of the model's formula, and its offset, of the rows that it can be made of; the others are noted as lacking what
    /// they lack, and have the values of others. None where no row is left.
    ///
    /// # Errors
    /// What is wrong with all rows alike, and a level that is not known where that is to be refused.
    pub(super) fn formula_columns(
        formula: &LearntColumns,
        places: &[usize],
        inputs: &mut Inputs,
        unknown: UnknownLevels,
        table: &Table,
    ) -> Result<Option<Made>, PredictionError> {
        let make = |data: &dyn Variables| -> Result<Made, FormulaError> {
            Ok((formula.columns(places, data)?, formula.offset(data)?))
        };
        loop {
            let error = match make(&*inputs) {
                Ok(made) => return Ok(Some(made)),
                Err(error) => error,
            };
            let found = match lack_of(error.fault(), unknown) {
                Some(_) => lacking(inputs, unknown, &make),
                None => Vec::new(),
            };
            if found.is_empty() {
                let path = table.source.clone();
                return Err(PredictionError::Formula {
                    path,
                    source: error,
                });
            }
            for (row, lack, what) in found {
                inputs.note_row(row, lack, || what);
            }
            if !inputs.fill() {
                return Ok(None);
            }
        }
    }
}

/// The rows, of those that lacked nothing before, of which a formula cannot be made. Rows are halved until each part can be made, or is
/// one row: the formula of one row does not depend on the others.
fn lacking(
    inputs: &Inputs,
    unknown: UnknownLevels,
    make: &dyn Fn(&dyn Variables) -> Result<Made, FormulaError>,
) -> Vec<(usize, Lack, String)> {
    let mut found = Vec::new();
    let mut open: Vec<Range<usize>> = iter::once(0..inputs.rows).collect();
    while let Some(rows) = open.pop() {
        let part = SomeRows {
            inputs,
            rows: rows.clone(),
        };
        let Err(error) = make(&part) else { continue };
        if rows.len() > 1 {
            let middle = rows.start + rows.len() / 2;
            // The first half is looked at first.
            open.push(middle..rows.end);
            open.push(rows.start..middle);
        } else if inputs.known[rows.start]
            && let Some((_, lack, what)) = lack_of(error.fault(), unknown)
        {
            found.push((rows.start, lack, what));
        }
    }
    found
}
