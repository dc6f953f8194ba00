//! Arithmetic and comparisons, value by value.

use std::borrow::Cow;

use super::error::{Located, Span};
use super::expression::Expression;
use super::fault::Fault;
use super::operator::Operator;
use super::value::{FactorValue, Value, wrong_kind};

/// An operator between two values.
///
/// # Errors
/// Values that are no numbers, or of different counts of which none is one.
pub(super) fn binary<'d>(
    operator: Operator,
    (left, left_of): (Value<'d>, &Expression),
    (right, right_of): (Value<'d>, &Expression),
) -> Result<Value<'d>, Located> {
    let span = left_of.span.to(right_of.span);
    if matches!(
        operator,
        Operator::Equal | Operator::NotEqual | Operator::In
    ) {
        let (left, right) = match (left, right) {
            (Value::Factor(factor), Value::Texts(texts)) => {
                return is_among(&factor, left_of, &texts, right_of, operator);
            }
            (Value::Texts(texts), Value::Factor(factor)) if operator != Operator::In => {
                return is_among(&factor, right_of, &texts, left_of, operator);
            }
            other => other,
        };
        let left = left.into_numbers(left_of)?;
        let right = right.into_numbers(right_of)?;
        return match operator {
            Operator::In => {
                let among = left.iter().map(|value| truth(right.contains(value)));
                Ok(Value::Logicals(among.collect()))
            }
            _ => compare(operator, &left, &right, span),
        };
    }
    let left = left.into_numbers(left_of)?;
    let right = right.into_numbers(right_of)?;
    let arithmetic: fn(f64, f64) -> f64 = match operator {
        Operator::Plus => |a, b| a + b,
        Operator::Minus => |a, b| a - b,
        Operator::Times => |a, b| a * b,
        Operator::Divide => |a, b| a / b,
        Operator::Remainder => |a, b| a - (a / b).floor() * b,
        Operator::WholeQuotient => |a, b| (a / b).floor(),
        Operator::Power => power,
        Operator::Colon => return sequence(&left, &right, span),
        _ => return compare(operator, &left, &right, span),
    };
    value_by_value(&left, &right, span, arithmetic).map(|values| Value::Numbers(values.into()))
}

fn power(base: f64, exponent: f64) -> f64 {
    if exponent == 2.0 {
        base * base
    } else {
        base.powf(exponent)
    }
}

fn truth(is_true: bool) -> f64 {
    f64::from(u8::from(is_true))
}

/// Applies a function to pairs of values; a single one meets each of the others.
pub(super) fn value_by_value(
    left: &[f64],
    right: &[f64],
    span: Span,
    function: impl Fn(f64, f64) -> f64,
) -> Result<Vec<f64>, Located> {
    match (left, right) {
        _ if left.len() == right.len() => {
            let pairs = left.iter().zip(right);
            Ok(pairs.map(|(a, b)| function(*a, *b)).collect())
        }
        (_, [b]) => Ok(left.iter().map(|a| function(*a, *b)).collect()),
        ([a], _) => Ok(right.iter().map(|b| function(*a, *b)).collect()),
        _ => Err(span.fault(Fault::Lengths {
            left: left.len(),
            right: right.len(),
        })),
    }
}

fn compare<'d>(
    operator: Operator,
    left: &[f64],
    right: &[f64],
    span: Span,
) -> Result<Value<'d>, Located> {
    let is_true: fn(f64, f64) -> bool = match operator {
        Operator::Equal => |a, b| a == b,
        Operator::NotEqual => |a, b| a != b,
        Operator::Less => |a, b| a < b,
        Operator::LessOrEqual => |a, b| a <= b,
        Operator::Greater => |a, b| a > b,
        Operator::GreaterOrEqual => |a, b| a >= b,
        Operator::And => |a, b| a != 0.0 && b != 0.0,
        _ => |a, b| a != 0.0 || b != 0.0,
    };
    let values = value_by_value(left, right, span, |a, b| match a.is_nan() || b.is_nan() {
        true => f64::NAN,
        false => truth(is_true(a, b)),
    });
    values.map(Value::Logicals)
}

/// `1:3`, for arguments.
fn sequence<'d>(left: &[f64], right: &[f64], span: Span) -> Result<Value<'d>, Located> {
    const MOST: f64 = 10_000.0;
    match (left, right) {
        ([from], [to]) if (to - from).abs() < MOST => {
            let step = if to < from { -1.0 } else { 1.0 };
            let count = (to - from).abs().floor() as usize + 1;
            let values = (0..count).map(|place| from + step * place as f64);
            Ok(Value::Numbers(values.collect::<Vec<_>>().into()))
        }
        _ => Err(span.fault(Fault::UnknownOperator {
            operator: ":".to_owned(),
            mend: "within functions it makes short sequences of numbers, `1:3`; the product is `*`",
        })),
    }
}

/// Whether the level of each observation is one of these.
fn is_among<'d>(
    factor: &FactorValue,
    factor_of: &Expression,
    texts: &[String],
    texts_of: &Expression,
    operator: Operator,
) -> Result<Value<'d>, Located> {
    if operator != Operator::In && texts.len() != 1 {
        let texts = Value::Texts(texts.to_vec());
        return Err(wrong_kind(texts_of, &texts, "one level"));
    }
    let unknown = texts.iter().find(|text| !factor.levels.contains(text));
    if let Some(level) = unknown {
        return Err(texts_of.span.fault(Fault::UnknownLevel {
            expression: factor_of.to_string(),
            level: level.clone(),
            levels: factor.levels.to_vec(),
        }));
    }
    let expected = operator != Operator::NotEqual;
    let of_level = factor
        .levels
        .iter()
        .map(|level| truth(texts.contains(level) == expected));
    let of_level: Vec<f64> = of_level.collect();
    let values = factor.codes.iter().map(|code| {
        let value = of_level.get(*code as usize);
        value.copied().unwrap_or(f64::NAN)
    });
    Ok(Value::Logicals(values.collect()))
}

/// A statistic of all values.
pub(super) fn statistic(name: &str, values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let sum: f64 = values.iter().sum();
    let mean = sum / count;
    let variance = || {
        let squares = values.iter().map(|value| (value - mean).powi(2));
        squares.sum::<f64>() / (count - 1.0)
    };
    match name {
        "sum" => sum,
        "mean" => mean,
        "var" => variance(),
        "sd" => variance().sqrt(),
        "min" => values.iter().copied().fold(f64::INFINITY, f64::min),
        "max" => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        _ => {
            let mut ascending = values.to_vec();
            ascending.sort_by(f64::total_cmp);
            super::spline::quantile(&ascending, 0.5)
        }
    }
}

/// A number to so many decimals; a half goes to the even digit.
pub(super) fn round(value: f64, decimals: i32) -> f64 {
    match decimals {
        0 => value.round_ties_even(),
        1.. => {
            let decimals = decimals.min(320) as usize;
            format!("{value:.decimals$}").parse().unwrap_or(value)
        }
        _ => {
            let unit = 10_f64.powi(-decimals);
            (value / unit).round_ties_even() * unit
        }
    }
}

/// The sign changed.
pub(super) fn negative(values: Cow<[f64]>) -> Vec<f64> {
    values.iter().map(|value| -value).collect()
}
