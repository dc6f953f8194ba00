//! Why a plugin cannot be used, and why a method cannot be resolved.

use std::{fmt::Display, path::PathBuf};

use thiserror::Error;

use crate::nearest::suggestion;

/// The name of passel's own method, which no plugin may use.
pub const PASS: &str = "pass";

/// A library that cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{}: {reason}", path.display())]
pub struct PluginError {
    /// The library, or the folder that could not be looked into.
    pub path: PathBuf,
    /// What is wrong with it, and where in its tables.
    pub reason: String,
}

pub(super) fn unreadable(error: impl Display) -> String {
    format!("it cannot be read: {error}")
}

/// A breach of the contract in a plugin's tables: the message, without the place; or what the plugin itself says of values.
#[derive(Debug)]
pub(super) struct Breach {
    pub(super) message: String,
    pub(super) is_objection: bool,
}

impl Breach {
    /// The plugin's own reason.
    pub(super) fn objection(message: String) -> Self {
        Self {
            message,
            is_objection: true,
        }
    }

    pub(super) fn null(member: &str) -> Self {
        format!("{member} is null").into()
    }

    /// A value that is none of the contract's constants.
    pub(super) fn constant(member: &str, value: u32) -> Self {
        format!("{member} is {value}, which means nothing").into()
    }
}

impl<T: Display> From<T> for Breach {
    fn from(message: T) -> Self {
        Self {
            message: message.to_string(),
            is_objection: false,
        }
    }
}

/// Why a method, pair score or criterion cannot be resolved.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MethodError {
    /// No plugin brings anything of this name.
    #[error("there is no {what} `{name}`{}", suggestion(nearest.as_deref()))]
    UnknownName {
        /// The kind: method, pair score or criterion.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// The known name nearest to it, if one is near.
        nearest: Option<String>,
    },
    /// The method cannot be had in this form or with these parameters.
    #[error("{message}")]
    Refused {
        /// The kind: method, pair score or criterion.
        what: &'static str,
        /// The parameter at fault and what it may be, or the plugin's own objection.
        message: String,
        /// Whether the plugin itself refuses these values, by what it declares or checks.
        is_objection: bool,
    },
}

impl MethodError {
    /// What passel itself refuses.
    pub(crate) fn refused(what: &'static str, message: String) -> Self {
        Self::Refused {
            what,
            message,
            is_objection: false,
        }
    }

    /// The command-line option at fault: `method`, `score`, `criterion` or `family`.
    pub fn option(&self) -> &'static str {
        match self {
            Self::UnknownName { what, .. } | Self::Refused { what, .. } => match *what {
                "pair score" => "score",
                what => what,
            },
        }
    }

    /// Whether the name is unknown and resembles none that is known.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::UnknownName { nearest: None, .. })
    }
}
