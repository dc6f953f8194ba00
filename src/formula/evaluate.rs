//! Expressions over data → values.

use std::borrow::Cow;

use crate::nearest::near;

use super::arithmetic::{binary, negative};
use super::check::CONSTANTS;
use super::data::{Variable, Variables};
use super::error::Located;
use super::expression::{Expression, Kind};
use super::fault::Fault;
use super::learnt::Learnt;
use super::number::number_text;
use super::operator::Operator;
use super::value::{FactorValue, Value};
use super::warning::Warning;

/// Evaluates expressions over data, and learns from it or uses what was learnt of other data.
pub(super) struct Evaluator<'d> {
    pub(super) data: &'d dyn Variables,
    pub(super) rows: usize,
    memory: Memory,
    pub(super) warnings: Vec<Warning>,
}

enum Memory {
    Learning(Vec<Learnt>),
    /// What is left, the next one last.
    Using(Vec<Learnt>),
}

impl<'d> Evaluator<'d> {
    /// Learns from the data.
    pub(super) fn learning(data: &'d dyn Variables) -> Self {
        Self::new(data, Memory::Learning(Vec::new()))
    }

    /// Uses what one expression learnt.
    pub(super) fn using(data: &'d dyn Variables, learnt: &[Learnt]) -> Self {
        let remaining = learnt.iter().rev().cloned().collect();
        Self::new(data, Memory::Using(remaining))
    }

    fn new(data: &'d dyn Variables, memory: Memory) -> Self {
        Self {
            data,
            rows: data.rows(),
            memory,
            warnings: Vec::new(),
        }
    }

    /// What was learnt, or what was left of it.
    pub(super) fn into_learnt(self) -> Vec<Learnt> {
        match self.memory {
            Memory::Learning(learnt) | Memory::Using(learnt) => learnt,
        }
    }

    /// What the next place of an expression learnt, or learns now. `read` takes it apart, and gives
    /// none of what another place learnt.
    pub(super) fn learn<T>(
        &mut self,
        of: &Expression,
        learn: impl FnOnce() -> Result<Learnt, Located>,
        read: impl FnOnce(Learnt) -> Option<T>,
    ) -> Result<T, Located> {
        let learnt = match &mut self.memory {
            Memory::Learning(list) => {
                let learnt = learn()?;
                list.push(learnt.clone());
                Some(learnt)
            }
            Memory::Using(list) => list.pop(),
        };
        learnt.and_then(read).ok_or_else(|| {
            let expression = of.to_string();
            of.span.fault(Fault::Saved { expression })
        })
    }

    /// The value of an expression.
    ///
    /// # Errors
    /// Names that are no variables, values of another kind than operators and functions need.
    pub(super) fn value(&mut self, expression: &Expression) -> Result<Value<'d>, Located> {
        match &expression.kind {
            Kind::Name(name) => self.variable(name, expression),
            Kind::Number { value, .. } => Ok(Value::from(*value)),
            Kind::Text(text) => Ok(Value::Texts(vec![text.clone()])),
            Kind::Logical(is_true) => Ok(Value::Logicals(vec![f64::from(u8::from(*is_true))])),
            Kind::Infinity => Ok(Value::from(f64::INFINITY)),
            Kind::Null => Ok(Value::Null),
            Kind::Dot => Err(expression.span.fault(Fault::DotWithinExpression)),
            Kind::Parentheses(inner) => self.value(inner),
            Kind::Unary(operator, operand) => {
                let numbers = self.numbers(operand)?;
                Ok(match operator {
                    Operator::Minus => Value::Numbers(negative(numbers).into()),
                    Operator::Not => {
                        let opposite = numbers.iter().map(|value| match value.is_nan() {
                            true => f64::NAN,
                            false => f64::from(u8::from(*value == 0.0)),
                        });
                        Value::Logicals(opposite.collect())
                    }
                    _ => Value::Numbers(numbers),
                })
            }
            Kind::Chain { first, rest } => {
                let mut left = self.value(first)?;
                for (operator, operand) in rest {
                    let right = self.value(operand)?;
                    // What the operators before made is numeric: only the first value can be at fault.
                    left = binary(*operator, (left, first), (right, operand))?;
                }
                Ok(left)
            }
            Kind::Power(base, exponent) => {
                let left = self.value(base)?;
                let right = self.value(exponent)?;
                binary(Operator::Power, (left, base), (right, exponent))
            }
            Kind::Call(call) => self.call(call, expression),
        }
    }

    /// The numbers of an expression.
    pub(super) fn numbers(&mut self, of: &Expression) -> Result<Cow<'d, [f64]>, Located> {
        self.value(of)?.into_numbers(of)
    }

    /// The numbers of an expression that must be one an observation and finite.
    pub(super) fn finite_numbers(&mut self, of: &Expression) -> Result<Cow<'d, [f64]>, Located> {
        let numbers = self.numbers(of)?;
        self.check_count(numbers.len(), of)?;
        self.check_finite(&numbers, of)?;
        Ok(numbers)
    }

    pub(super) fn check_count(&self, found: usize, of: &Expression) -> Result<(), Located> {
        let rows = self.rows;
        match found == rows {
            true => Ok(()),
            false => Err(of.span.fault(Fault::ValueCount {
                expression: of.to_string(),
                found,
                rows,
            })),
        }
    }

    /// Checks that all values of an expression are finite.
    pub(super) fn check_finite(&self, values: &[f64], of: &Expression) -> Result<(), Located> {
        check_finite(self.data, values, of)
    }

    /// Whether an expression has the name of a variable.
    pub(super) fn has_variable(&self, expression: &Expression) -> bool {
        let mut names = Vec::new();
        collect_names(expression, &mut names);
        names.iter().any(|name| self.data.variable(name).is_some())
    }

    fn variable(&mut self, name: &str, of: &Expression) -> Result<Value<'d>, Located> {
        let span = of.span;
        let data = self.data;
        let variable = data.variable(name);
        let unknown = || {
            span.fault(Fault::UnknownVariable {
                name: name.to_owned(),
                near: near(name, data.names()),
                names: data
                    .names()
                    .into_iter()
                    .take(9)
                    .map(str::to_owned)
                    .collect(),
            })
        };
        let learn = || match &variable {
            Some(Variable::Numeric(_)) => Ok(Learnt::Numeric),
            Some(Variable::Factor {
                levels, is_ordered, ..
            }) => Ok(Learnt::Factor {
                levels: levels.to_vec(),
                is_ordered: *is_ordered,
            }),
            None if CONSTANTS.contains(&name) => Ok(Learnt::Constant),
            None => Err(unknown()),
        };
        let learnt = self.learn(of, learn, Some)?;
        if learnt == Learnt::Constant {
            return Ok(match name {
                "T" => Value::Logicals(vec![1.0]),
                "F" => Value::Logicals(vec![0.0]),
                _ => Value::from(std::f64::consts::PI),
            });
        }
        let variable = variable.ok_or_else(unknown)?;
        if variable.rows() != self.rows {
            return Err(span.fault(Fault::Rows {
                name: name.to_owned(),
                found: variable.rows(),
                rows: self.rows,
            }));
        }
        let changed = |was, is| {
            let name = name.to_owned();
            Err(span.fault(Fault::KindChanged { name, was, is }))
        };
        match (variable, learnt) {
            (Variable::Numeric(values), Learnt::Numeric) => Ok(Value::Numbers(values)),
            (
                Variable::Factor { levels, codes, .. },
                Learnt::Factor {
                    levels: known,
                    is_ordered,
                },
            ) => {
                let factor = FactorValue {
                    levels,
                    codes,
                    is_ordered,
                    contrast: None,
                };
                let factor = self.with_levels(factor, known, of)?;
                Ok(Value::Factor(factor))
            }
            (Variable::Numeric(_), Learnt::Factor { .. }) => changed("a factor", "numeric"),
            (Variable::Factor { .. }, Learnt::Numeric) => changed("numeric", "a factor"),
            _ => {
                let expression = of.to_string();
                Err(span.fault(Fault::Saved { expression }))
            }
        }
    }
}

/// Checks that all values of an expression are finite. The fault names the numbers that it was made
/// of.
fn check_finite(data: &dyn Variables, values: &[f64], of: &Expression) -> Result<(), Located> {
    let Some(row) = values.iter().position(|value| !value.is_finite()) else {
        return Ok(());
    };
    let is_name = matches!(of.kind, Kind::Name(_));
    if is_name && values[row].is_nan() {
        return Err(of.span.fault(Fault::Missing {
            expression: of.to_string(),
            row: row + 1,
        }));
    }
    let mut names = Vec::new();
    collect_names(of, &mut names);
    let inputs = names.iter().filter_map(|name| match data.variable(name)? {
        Variable::Numeric(values) => Some(format!("{name} = {}", number_text(*values.get(row)?))),
        Variable::Factor { .. } => None,
    });
    let inputs: Vec<String> = inputs.take(3).collect();
    Err(of.span.fault(Fault::NotFinite {
        expression: of.to_string(),
        row: row + 1,
        value: values[row],
        inputs: match inputs[..] {
            [] => String::new(),
            _ if is_name => String::new(),
            _ => format!(", where {}", inputs.join(", ")),
        },
    }))
}

/// Checks that what is learnt of all values is finite: infinities could not be saved.
pub(super) fn check_amounts(amounts: &[f64], of: &Expression) -> Result<(), Located> {
    match amounts.iter().all(|amount| amount.is_finite()) {
        true => Ok(()),
        false => {
            let expression = of.to_string();
            Err(of.span.fault(Fault::Overflow { expression }))
        }
    }
}

/// The different names in an expression.
pub(super) fn collect_names<'e>(expression: &'e Expression, names: &mut Vec<&'e str>) {
    if let Kind::Name(name) = &expression.kind
        && !names.contains(&&**name)
    {
        names.push(name);
    }
    for part in expression.parts() {
        collect_names(part, names);
    }
}
