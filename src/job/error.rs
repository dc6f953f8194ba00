//! What is wrong with an option, and how to mend it.

use thiserror::Error;

use crate::{formula::FormulaError, nearest::nearest};

/// Why an option is refused, or a combination of options.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{message}")]
pub struct OptionError {
    /// The option that the user should look at first.
    pub option: String,
    /// What is wrong.
    pub message: String,
    /// What would mend the mistake, if that is known.
    pub help: Option<String>,
    /// The place of the mistake, where the value is a formula.
    pub formula: Option<FormulaError>,
    /// Whether the value is right but for the file that it names.
    pub is_of_file: bool,
    /// Whether the value may be right: a library would tell that was not loaded, or ended the process that asked it.
    pub needs_library: bool,
}

impl OptionError {
    pub(super) fn new(option: &str, message: impl Into<String>) -> Self {
        Self {
            option: option.to_owned(),
            message: message.into(),
            help: None,
            formula: None,
            is_of_file: false,
            needs_library: false,
        }
    }

    /// An option that there is not.
    pub(super) fn unknown(name: &str, names: impl IntoIterator<Item = &'static str>) -> Self {
        let error = Self::new(name, format!("there is no option `{name}`"));
        error.suggest(nearest(name, names))
    }

    /// The error where only a library could tell whether the value is right, which was not asked or did not answer.
    pub(super) fn of_library(option: &str, message: impl Into<String>) -> Self {
        Self {
            needs_library: true,
            ..Self::new(option, message)
        }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        let help = Some(help.into());
        Self { help, ..self }
    }

    /// Suggests what was meant, if that is known.
    pub(super) fn suggest(self, meant: Option<&str>) -> Self {
        match meant {
            Some(meant) => self.help(format!("did you mean `{meant}`?")),
            None => self,
        }
    }
}
