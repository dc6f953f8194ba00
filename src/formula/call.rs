//! Calls of functions → values.

use std::borrow::Cow;

use super::arithmetic::{round, statistic, value_by_value};
use super::error::{Located, Span};
use super::evaluate::{Evaluator, check_amounts};
use super::expression::{Call, Expression};
use super::fault::Fault;
use super::functions::{OF_ONE_NUMBER, STATISTICS, match_arguments};
use super::learnt::Learnt;
use super::value::{Matrix, Value, wrong_kind};

impl<'d> Evaluator<'d> {
    /// The value of a function with its arguments.
    pub(super) fn call(&mut self, call: &Call, of: &Expression) -> Result<Value<'d>, Located> {
        let name = &*call.name;
        let span = of.span;
        match name {
            "I" => {
                let matched = match_arguments(call, span, &["x"])?;
                return self.value(matched.require("x")?);
            }
            "c" => return self.concatenation(call, of),
            "log" => {
                let matched = match_arguments(call, span, &["x", "base"])?;
                let logarithms = self.numbers(matched.require("x")?)?;
                let logarithms: Vec<f64> = logarithms.iter().map(|value| value.ln()).collect();
                let Some(base) = matched.get("base") else {
                    return Ok(Value::Numbers(logarithms.into()));
                };
                let base = self.numbers(base)?;
                let values = value_by_value(&logarithms, &base, span, |a, b| a / b.ln())?;
                return Ok(Value::Numbers(values.into()));
            }
            "round" => {
                let matched = match_arguments(call, span, &["x", "digits"])?;
                let values = self.numbers(matched.require("x")?)?;
                let decimals = self
                    .whole_number(&matched, "digits", (-300, 300))?
                    .unwrap_or(0);
                let values = values.iter().map(|value| round(*value, decimals as i32));
                return Ok(Value::Numbers(values.collect::<Vec<_>>().into()));
            }
            "pmin" | "pmax" => return self.extremes(call, span),
            "as.numeric" | "as.double" | "as.integer" => {
                let matched = match_arguments(call, span, &["x"])?;
                let argument = matched.require("x")?;
                let values = match self.value(argument)? {
                    Value::Factor(factor) => {
                        let numbers = factor.codes.iter().map(|code| f64::from(*code) + 1.0);
                        return Ok(Value::Numbers(numbers.collect::<Vec<_>>().into()));
                    }
                    value => value.into_numbers(argument)?,
                };
                let is_whole = name == "as.integer";
                return Ok(Value::Numbers(match is_whole {
                    true => values.iter().map(|value| value.trunc()).collect(),
                    false => values,
                }));
            }
            "poly" => return self.polynomial(call, of),
            "bs" => return self.b_spline(call, of),
            "ns" => return self.natural_spline(call, of),
            "scale" => return self.scaled(call, of),
            "factor" | "ordered" => return self.factor(call, of),
            "as.factor" | "as.ordered" => return self.as_factor(call, of),
            "relevel" => return self.relevelled(call, of),
            "C" => return self.with_contrasts(call, of),
            "cut" => return self.cut(call, of),
            "cbind" => {
                let columns = call.arguments.iter().map(|argument| {
                    let numbers = self.finite_numbers(&argument.value)?;
                    Ok(numbers.into_owned())
                });
                let columns = columns.collect::<Result<_, Located>>()?;
                return Ok(Value::Matrix(Matrix { columns }));
            }
            "offset" => return Err(span.fault(Fault::OffsetWithinExpression)),
            _ => {}
        }
        let matched = match_arguments(call, span, &["x"])?;
        let argument = matched.require("x")?;
        if STATISTICS.contains(&name) {
            let numbers = self.numbers(argument)?;
            self.check_finite(&numbers, argument)?;
            let learn = || {
                let statistic = statistic(name, &numbers);
                check_amounts(&[statistic], of)?;
                Ok(Learnt::Statistic(statistic))
            };
            let statistic = self.learn(of, learn, |learnt| match learnt {
                Learnt::Statistic(value) => Some(value),
                _ => None,
            })?;
            return Ok(Value::from(statistic));
        }
        let Some((_, function)) = OF_ONE_NUMBER.iter().find(|(known, _)| *known == name) else {
            // The names of contrasts are functions too, for the second argument of `C()`.
            return Err(span.fault(Fault::WrongKind {
                expression: of.to_string(),
                found: "a kind of contrasts",
                expected: "a number or a factor",
            }));
        };
        let values = self.numbers(argument)?;
        let values: Vec<f64> = values.iter().map(|value| function(*value)).collect();
        Ok(Value::Numbers(values.into()))
    }

    /// `c(…)`: numbers or texts one behind the other.
    fn concatenation(&mut self, call: &Call, of: &Expression) -> Result<Value<'d>, Located> {
        let mut numbers = Vec::new();
        let mut texts = Vec::new();
        for argument in &call.arguments {
            match self.value(&argument.value)? {
                Value::Texts(more) => texts.extend(more),
                Value::Null => {}
                value => numbers.extend_from_slice(&value.into_numbers(&argument.value)?),
            }
        }
        match (numbers.is_empty(), texts.is_empty()) {
            (true, true) => Ok(Value::Null),
            (false, true) => Ok(Value::Numbers(numbers.into())),
            (true, false) => Ok(Value::Texts(texts)),
            (false, false) => {
                let value = Value::Texts(texts);
                Err(wrong_kind(of, &value, "a number"))
            }
        }
    }

    /// `pmin(…)` or `pmax(…)`.
    fn extremes(&mut self, call: &Call, span: Span) -> Result<Value<'d>, Located> {
        let function = if call.name == "pmin" {
            f64::min
        } else {
            f64::max
        };
        let mut extremes: Option<Cow<[f64]>> = None;
        for argument in &call.arguments {
            let values = self.numbers(&argument.value)?;
            extremes = Some(match extremes {
                None => values,
                // One that is missing stays missing.
                Some(so_far) => value_by_value(&so_far, &values, span, |a, b| {
                    match a.is_nan() || b.is_nan() {
                        true => f64::NAN,
                        false => function(a, b),
                    }
                })?
                .into(),
            });
        }
        let function = || call.name.clone();
        let extremes = extremes.ok_or_else(|| {
            let (function, argument) = (function(), "...");
            span.fault(Fault::MissingArgument { function, argument })
        })?;
        Ok(Value::Numbers(extremes))
    }
}
