//! Arguments that are constants: numbers, truth values, texts.

use super::error::Located;
use super::evaluate::Evaluator;
use super::functions::Matched;
use super::value::Value;

impl Evaluator<'_> {
    /// The numbers of an argument; none if it was not given or is NULL.
    pub(super) fn number_list(
        &mut self,
        matched: &Matched,
        argument: &'static str,
        expected: &'static str,
    ) -> Result<Option<Vec<f64>>, Located> {
        let Some(expression) = matched.get(argument) else {
            return Ok(None);
        };
        match self.value(expression)? {
            Value::Null => Ok(None),
            Value::Numbers(values) if values.iter().all(|value| !value.is_nan()) => {
                Ok(Some(values.into_owned()))
            }
            _ => Err(matched.refuse(argument, expected)),
        }
    }

    /// A whole number within limits, both included.
    pub(super) fn whole_number(
        &mut self,
        matched: &Matched,
        argument: &'static str,
        (least, most): (i64, i64),
    ) -> Result<Option<i64>, Located> {
        let expected = match (least, most) {
            (1, 1000) => "a whole number from 1 to 1000",
            (1, 100) => "a whole number from 1 to 100",
            (1, _) => "a whole number, 1 or more",
            _ => "a whole number of moderate size",
        };
        let Some(numbers) = self.number_list(matched, argument, expected)? else {
            return Ok(None);
        };
        match numbers[..] {
            [value] if value.fract() == 0.0 && (least as f64..=most as f64).contains(&value) => {
                Ok(Some(value as i64))
            }
            _ => Err(matched.refuse(argument, expected)),
        }
    }

    /// TRUE or FALSE; 0 and 1 will do.
    pub(super) fn flag(
        &mut self,
        matched: &Matched,
        argument: &'static str,
        default: bool,
    ) -> Result<bool, Located> {
        let Some(expression) = matched.get(argument) else {
            return Ok(default);
        };
        match self.value(expression)? {
            Value::Logicals(values) if values.len() == 1 => Ok(values[0] != 0.0),
            Value::Numbers(values) if values.len() == 1 => Ok(values[0] != 0.0),
            _ => Err(matched.refuse(argument, "TRUE or FALSE")),
        }
    }

    /// Texts; numbers as the levels they would be.
    pub(super) fn text_list(
        &mut self,
        matched: &Matched,
        argument: &'static str,
    ) -> Result<Option<Vec<String>>, Located> {
        let Some(expression) = matched.get(argument) else {
            return Ok(None);
        };
        let expected = "texts, as c(\"low\", \"high\")";
        match self.value(expression)? {
            Value::Texts(texts) => Ok(Some(texts)),
            Value::Numbers(values) => {
                let texts = values.iter().map(|value| super::number::level_text(*value));
                Ok(Some(texts.collect()))
            }
            Value::Logicals(values) => {
                let texts = values.iter().map(|value| match *value != 0.0 {
                    true => "TRUE".to_owned(),
                    false => "FALSE".to_owned(),
                });
                Ok(Some(texts.collect()))
            }
            Value::Null => Ok(None),
            _ => Err(matched.refuse(argument, expected)),
        }
    }
}
