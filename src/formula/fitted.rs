//! One expression with what it learnt from data.

use std::borrow::Cow;

use super::coding::FactorCoding;
use super::contrasts::{Contrast, ContrastChoice, ContrastMatrix};
use super::data::Variables;
use super::error::{FormulaError, Located};
use super::evaluate::Evaluator;
use super::expression::{Expression, Kind};
use super::fault::Fault;
use super::learnt::{Learnt, Shape};
use super::options::ExpansionOptions;
use super::value::{FactorValue, Value, wrong_kind};
use super::warning::Warning;

/// What was learnt of one expression: a variable of the terms, the response or an offset.
#[derive(Debug, Clone)]
pub(super) struct Fitted {
    pub(super) learnt: Vec<Learnt>,
    pub(super) shape: Shape,
    /// The contrasts of a factor of the terms.
    pub(super) contrasts: Option<ContrastMatrix>,
    /// These centered, if they are not.
    pub(super) centered: Option<ContrastMatrix>,
}

/// The sum of offsets, from the columns of each, over so many rows; none if there are none.
pub(super) fn sum_of_offsets<'d>(
    offsets: impl Iterator<Item = Result<VariableColumns<'d>, FormulaError>>,
    rows: usize,
) -> Result<Option<Vec<f64>>, FormulaError> {
    let mut sum: Option<Vec<f64>> = None;
    for columns in offsets {
        let VariableColumns::Numeric(columns) = columns? else {
            continue;
        };
        let sum = sum.get_or_insert_with(|| vec![0.0; rows]);
        for column in columns {
            let both = sum.iter_mut().zip(&*column);
            both.for_each(|(sum, value)| *sum += value);
        }
    }
    Ok(sum)
}

impl Fitted {
    /// Learns a variable of the terms.
    pub(super) fn of_variable(
        expression: &Expression,
        data: &dyn Variables,
        options: &ExpansionOptions,
    ) -> Result<Self, Located> {
        Self::of_value(expression, data, options)?.with_contrasts(expression)
    }

    /// Learns the response or an offset, which need no contrasts.
    pub(super) fn of_value(
        expression: &Expression,
        data: &dyn Variables,
        options: &ExpansionOptions,
    ) -> Result<Self, Located> {
        let mut evaluator = Evaluator::learning(data);
        let value = evaluator.value(expression)?;
        let shape = match columns(&evaluator, value, expression)? {
            (VariableColumns::Numeric(columns), _) => Shape::Numeric {
                suffixes: suffixes(columns.len()),
            },
            (VariableColumns::Factor(_), factor) => {
                let Some(factor) = factor else {
                    return Err(wrong_kind(expression, &Value::Null, "a factor"));
                };
                let contrast = contrast_of(&factor, expression, options);
                Shape::Factor {
                    levels: factor.levels,
                    is_ordered: factor.is_ordered,
                    contrast,
                }
            }
        };
        Ok(Self {
            learnt: evaluator.into_learnt(),
            shape,
            contrasts: None,
            centered: None,
        })
    }

    /// Checks that it can be a response: a factor, or one number an observation, or two of events and failures.
    pub(super) fn check_response(&self, expression: &Expression) -> Result<(), Located> {
        match &self.shape {
            Shape::Numeric { suffixes } if expression.bound_columns().is_some() => {
                match suffixes.len() {
                    2 => Ok(()),
                    found => Err(expression.span.fault(Fault::CbindColumns { found })),
                }
            }
            Shape::Numeric { suffixes } => one_number(suffixes.len(), expression),
            Shape::Factor { .. } => Ok(()),
        }
    }

    /// Checks that it can be an offset: one number an observation.
    pub(super) fn check_offset(&self, expression: &Expression) -> Result<(), Located> {
        match &self.shape {
            Shape::Numeric { suffixes } => one_number(suffixes.len(), expression),
            Shape::Factor { .. } => Err(expression.span.fault(Fault::WrongKind {
                expression: expression.to_string(),
                found: "a factor",
                expected: ONE_NUMBER,
            })),
        }
    }

    /// The expression with the contrasts of its levels, if it is a factor.
    pub(super) fn with_contrasts(mut self, expression: &Expression) -> Result<Self, Located> {
        if let Shape::Factor {
            levels, contrast, ..
        } = &self.shape
        {
            let label = expression.to_string();
            let matrix = match levels.len() {
                0 | 1 => Err(Fault::OneLevel {
                    expression: label,
                    level: levels.first().cloned(),
                }),
                _ => contrast.matrix(&label, levels),
            };
            self.centered = contrast.centered(levels);
            self.contrasts = Some(matrix.map_err(|fault| expression.span.fault(fault))?);
        }
        Ok(self)
    }

    /// The columns of data, by what was learnt.
    pub(super) fn apply<'d>(
        &self,
        expression: &Expression,
        data: &'d dyn Variables,
    ) -> Result<(VariableColumns<'d>, Vec<Warning>), Located> {
        let mut evaluator = Evaluator::using(data, &self.learnt);
        let value = evaluator.value(expression)?;
        let (columns, factor) = columns(&evaluator, value, expression)?;
        let fits = match (&self.shape, &columns, factor) {
            (Shape::Numeric { suffixes }, VariableColumns::Numeric(columns), _) => {
                columns.len() == suffixes.len()
            }
            (Shape::Factor { levels, .. }, VariableColumns::Factor(_), Some(factor)) => {
                factor.levels == *levels
            }
            _ => false,
        };
        let warnings = std::mem::take(&mut evaluator.warnings);
        match fits && evaluator.into_learnt().is_empty() {
            true => Ok((columns, warnings)),
            false => {
                let fault = Fault::Saved {
                    expression: expression.to_string(),
                };
                Err(expression.span.fault(fault))
            }
        }
    }

    /// What the names of its columns have behind the label.
    pub(super) fn suffixes(&self, coding: FactorCoding) -> &[String] {
        match (&self.shape, self.contrasts(coding)) {
            (Shape::Numeric { suffixes }, _) => suffixes,
            (Shape::Factor { .. }, Some(contrasts)) => &contrasts.suffixes,
            (Shape::Factor { levels, .. }, None) => levels,
        }
    }

    /// The contrasts by which it is coded; none for indicators.
    pub(super) fn contrasts(&self, coding: FactorCoding) -> Option<&ContrastMatrix> {
        match coding {
            FactorCoding::Contrasts => self.contrasts.as_ref(),
            FactorCoding::Centered => self.centered.as_ref().or(self.contrasts.as_ref()),
            FactorCoding::Indicators => None,
        }
    }
}

/// What responses and offsets need.
const ONE_NUMBER: &str = "one number an observation";

fn one_number(columns: usize, expression: &Expression) -> Result<(), Located> {
    match columns {
        1 => Ok(()),
        _ => Err(expression.span.fault(Fault::WrongKind {
            expression: expression.to_string(),
            found: "a matrix of several columns",
            expected: ONE_NUMBER,
        })),
    }
}

/// The values of one variable of the terms.
#[derive(Debug, Clone)]
pub(super) enum VariableColumns<'d> {
    Numeric(Vec<Cow<'d, [f64]>>),
    /// The level of each observation.
    Factor(Cow<'d, [u32]>),
}

/// The levels of a factor, without its codes.
struct Levels {
    levels: Vec<String>,
    is_ordered: bool,
    contrast: Option<ContrastChoice>,
}

/// The columns of a value, checked: one value an observation, all of them there and finite.
fn columns<'d>(
    evaluator: &Evaluator<'d>,
    value: Value<'d>,
    of: &Expression,
) -> Result<(VariableColumns<'d>, Option<Levels>), Located> {
    let columns = match value {
        Value::Numbers(values) => vec![values],
        Value::Matrix(matrix) => matrix.columns.into_iter().map(Into::into).collect(),
        Value::Factor(_) | Value::Logicals(_) => {
            if let Value::Logicals(values) = &value {
                evaluator.check_count(values.len(), of)?;
                evaluator.check_finite(values, of)?;
            }
            let factor = value.into_factor(of)?;
            evaluator.check_count(factor.codes.len(), of)?;
            evaluator.check_codes(&factor, of)?;
            let FactorValue {
                levels,
                codes,
                is_ordered,
                contrast,
            } = factor;
            let levels = Levels {
                levels: levels.into_owned(),
                is_ordered,
                contrast,
            };
            return Ok((VariableColumns::Factor(codes), Some(levels)));
        }
        Value::Texts(_) | Value::Null => {
            return Err(wrong_kind(of, &value, "a number or a factor"));
        }
    };
    for column in &columns {
        evaluator.check_count(column.len(), of)?;
        evaluator.check_finite(column, of)?;
    }
    Ok((VariableColumns::Numeric(columns), None))
}

/// A single column has the label alone as its name.
fn suffixes(count: usize) -> Vec<String> {
    match count {
        1 => vec![String::new()],
        _ => (1..=count).map(|number| number.to_string()).collect(),
    }
}

/// The contrasts that the formula names, or else those of the options.
fn contrast_of(
    factor: &Levels,
    expression: &Expression,
    options: &ExpansionOptions,
) -> ContrastChoice {
    if let Some(contrast) = &factor.contrast {
        return contrast.clone();
    }
    let name = match &expression.kind {
        Kind::Name(name) => options.by_variable.get(name),
        _ => None,
    };
    let own = name.or_else(|| options.by_variable.get(&expression.to_string()));
    let contrast: &Contrast = own.unwrap_or(match factor.is_ordered {
        true => &options.ordered,
        false => &options.unordered,
    });
    contrast.clone().into()
}
