//! The values of expressions.

use std::borrow::Cow;

use super::contrasts::ContrastChoice;
use super::error::Located;
use super::expression::Expression;
use super::fault::Fault;

/// What an expression is: one value an observation, or a constant of one or several values.
#[derive(Debug, Clone)]
pub(super) enum Value<'d> {
    Numbers(Cow<'d, [f64]>),
    /// 0 for false, 1 for true.
    Logicals(Vec<f64>),
    Factor(FactorValue<'d>),
    Matrix(Matrix),
    Texts(Vec<String>),
    Null,
}

/// A factor, each code a position among its levels.
#[derive(Debug, Clone)]
pub(super) struct FactorValue<'d> {
    pub(super) levels: Cow<'d, [String]>,
    pub(super) codes: Cow<'d, [u32]>,
    pub(super) is_ordered: bool,
    /// The contrasts that `C()` chose.
    pub(super) contrast: Option<ContrastChoice>,
}

/// Several numbers an observation.
#[derive(Debug, Clone)]
pub(super) struct Matrix {
    pub(super) columns: Vec<Vec<f64>>,
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Self::Numbers(vec![value].into())
    }
}

impl<'d> Value<'d> {
    /// What it is, for a message.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Numbers(_) => "numeric",
            Self::Logicals(_) => "logical",
            Self::Factor(_) => "a factor",
            Self::Matrix(_) => "a matrix of several columns",
            Self::Texts(_) => "a text",
            Self::Null => "NULL",
        }
    }

    /// Its numbers; truth values are 0 and 1.
    pub(super) fn into_numbers(self, of: &Expression) -> Result<Cow<'d, [f64]>, Located> {
        match self {
            Self::Numbers(values) => Ok(values),
            Self::Logicals(values) => Ok(values.into()),
            Self::Matrix(mut matrix) if matrix.columns.len() == 1 => {
                Ok(matrix.columns.swap_remove(0).into())
            }
            other => Err(wrong_kind(of, &other, "a number")),
        }
    }

    /// It as a factor: numbers become levels in ascending order, texts of 15 significant digits.
    pub(super) fn into_factor(self, of: &Expression) -> Result<FactorValue<'d>, Located> {
        match self {
            Self::Factor(factor) => Ok(factor),
            Self::Logicals(values) => {
                let codes = values.iter().map(|value| match value.is_nan() {
                    true => u32::MAX,
                    false => u32::from(*value != 0.0),
                });
                Ok(FactorValue {
                    levels: vec!["FALSE".to_owned(), "TRUE".to_owned()].into(),
                    codes: codes.collect::<Vec<_>>().into(),
                    is_ordered: false,
                    contrast: None,
                })
            }
            Self::Numbers(values) => Ok(factor_of_numbers(&values)),
            other => Err(wrong_kind(of, &other, "a factor or a number")),
        }
    }
}

pub(super) fn wrong_kind(of: &Expression, value: &Value, expected: &'static str) -> Located {
    of.span.fault(Fault::WrongKind {
        expression: of.to_string(),
        found: value.kind(),
        expected,
    })
}

fn factor_of_numbers<'d>(values: &[f64]) -> FactorValue<'d> {
    let mut different: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| !value.is_nan())
        .collect();
    // Zero and its negative are one level.
    different.iter_mut().for_each(|value| *value += 0.0);
    different.sort_by(f64::total_cmp);
    different.dedup();
    let mut levels: Vec<String> = Vec::new();
    let mut code_of = Vec::with_capacity(different.len());
    for value in &different {
        let text = super::number::level_text(*value);
        if levels.last() != Some(&text) {
            levels.push(text);
        }
        code_of.push(levels.len() as u32 - 1);
    }
    let codes = values.iter().map(|value| {
        let place = different.binary_search_by(|other| other.total_cmp(&(value + 0.0)));
        place.map_or(u32::MAX, |place| code_of[place])
    });
    FactorValue {
        codes: codes.collect::<Vec<_>>().into(),
        levels: levels.into(),
        is_ordered: false,
        contrast: None,
    }
}
