//! A parameter, and the values that texts stand for.

use serde_json::Value;

use crate::nearest::did_you_mean;

/// A parameter of a method: a number, one of several names that stand for 0, 1, …, or a file.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodParameter {
    /// The name in `method:name=number`.
    pub name: String,
    /// Its meaning, on one line.
    pub help: String,
    /// The value where none is given.
    pub default: f64,
    /// The smallest value allowed.
    pub least: f64,
    /// The largest value allowed.
    pub most: f64,
    /// Whether only whole numbers are allowed.
    pub is_whole: bool,
    /// The names of 0, 1, …, where they are written in place of numbers.
    pub choices: Vec<String>,
    /// Whether it names a file.
    pub is_file: bool,
}

impl MethodParameter {
    /// A value as users write it.
    pub(crate) fn shown(&self, value: f64) -> Value {
        match self.choices.get(value as usize) {
            Some(choice) => choice.as_str().into(),
            None => value.into(),
        }
    }

    /// The value that a text stands for, of a method called `of`.
    ///
    /// # Errors
    /// What it is to be instead.
    pub(super) fn value(&self, text: &str, of: &str) -> Result<f64, String> {
        let refused =
            |value: &str, why: String| Err(format!("{} = {value} of {of} {why}", self.name));
        if !self.choices.is_empty() {
            let at = self.choices.iter().position(|choice| choice == text);
            let Some(at) = at else {
                let hint = did_you_mean(text, self.choices.iter().map(String::as_str));
                return refused(
                    text,
                    format!("is none of {}{hint}", self.choices.join(", ")),
                );
            };
            return Ok(at as f64);
        }
        let Ok(value) = text.parse::<f64>() else {
            return refused(text, "is no number".to_owned());
        };
        let (least, most) = (self.least, self.most);
        let shown = value.to_string();
        match (least..=most).contains(&value) {
            false => refused(&shown, format!("lies outside {least} … {most}")),
            true if self.is_whole && value.fract() != 0.0 => {
                refused(&shown, "is no whole number".to_owned())
            }
            true => Ok(value),
        }
    }
}
