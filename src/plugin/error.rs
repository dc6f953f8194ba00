//! Why a plugin cannot be used, and why a method cannot be resolved.

use std::path::PathBuf;

use thiserror::Error;

use crate::{nearest::did_you_mean, score::ScoreError};

/// The name of passel's own method, which no plugin may use.
pub const PASS: &str = "pass";

/// A library that cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{}: {refusal}", path.display())]
pub struct PluginError {
    /// The library, or the folder that could not be looked into.
    pub path: PathBuf,
    /// The reason.
    pub refusal: Refusal,
}

/// Why a library cannot be used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Refusal {
    /// The file does not exist or cannot be read.
    #[error("it cannot be read: {reason}")]
    Unreadable {
        /// The system's reason.
        reason: String,
    },
    /// The library is truncated.
    #[error("it is cut short: {missing} bytes are missing")]
    Cut {
        /// Bytes missing at its end.
        missing: u64,
    },
    /// The library is built for another processor.
    #[error("it is built for {theirs}, this passel for {}", std::env::consts::ARCH)]
    Machine {
        /// The processor it is built for.
        theirs: String,
    },
    /// The system refuses to load it.
    #[error("the system does not load it: {reason}")]
    Open {
        /// The system's reason.
        reason: String,
    },
    /// The file name gives no valid name of a plugin.
    #[error(
        "`{name}`, its name without prefix and suffix, is no plugin's: a small letter, then \
         small letters, digits, _"
    )]
    FileName {
        /// The file name without prefix and suffix.
        name: String,
    },
    /// The library does not export a plugin's entry.
    #[error("not a plugin of this name: it has no `{symbol}`")]
    NoEntry {
        /// The missing symbol.
        symbol: String,
    },
    /// The entry returned null.
    #[error("its entry gave up: {reason}")]
    Entry {
        /// The errors that it logged.
        reason: String,
    },
    /// It was built for another version of the contract.
    #[error(
        "made for version {theirs} of the plugin contract, this passel has version {ours}: \
         build it with this passel's plugins/abi"
    )]
    Version {
        /// The plugin's version.
        theirs: u32,
        /// This program's version.
        ours: u32,
    },
    /// Its description breaks the contract.
    #[error("{place}: {violation}")]
    Contract {
        /// The place in the description: `selector 2 (jmi)`.
        place: String,
        /// The breach.
        violation: ContractError,
    },
    /// Another plugin already brings something of this name.
    #[error("{what} `{name}` is there already, from {}", by.display())]
    Taken {
        /// The kind: a plugin, method, pair score or criterion.
        what: &'static str,
        /// Its name.
        name: String,
        /// The library that has it.
        by: PathBuf,
    },
}

/// A breach of the contract in a plugin's tables.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ContractError {
    /// A pointer is null that must not be.
    #[error("{member} is null")]
    Null {
        /// The member.
        member: &'static str,
    },
    /// A struct is too small for its required members.
    #[error("its size is {size}, at least {least} is needed: start it with its own sizeof")]
    Size {
        /// Its size, in bytes.
        size: usize,
        /// The least size, in bytes.
        least: usize,
    },
    /// A count is implausibly large.
    #[error("{member} is {count}, at most {most} are taken")]
    Count {
        /// The member that counts.
        member: &'static str,
        /// The count.
        count: usize,
        /// The largest count accepted.
        most: usize,
    },
    /// A text is not UTF-8, has control characters or is too long.
    #[error("{member} is no line of UTF-8 of at most {most} bytes")]
    Text {
        /// The member.
        member: &'static str,
        /// The largest length, in bytes.
        most: usize,
    },
    /// A name is not of the form that can be asked for.
    #[error("the name `{name}` is not a small letter, then small letters, digits, -")]
    Name {
        /// The name.
        name: String,
    },
    /// A name is passel's own, or used twice in the plugin.
    #[error("the name `{name}` is taken")]
    Taken {
        /// The name.
        name: String,
    },
    /// The plugin's name is not the one in its entry's symbol.
    #[error("it calls itself `{name}`, its library `{expected}`")]
    Called {
        /// The name.
        name: String,
        /// The name by its entry.
        expected: String,
    },
    /// A range is not finite, or does not contain the default.
    #[error("its default {default} does not lie in {least} … {most}, or these are not finite")]
    Range {
        /// The default.
        default: f64,
        /// The smallest value.
        least: f64,
        /// The largest value.
        most: f64,
    },
    /// A value is not one of the contract's constants.
    #[error("{member} is {value}, which means nothing")]
    Constant {
        /// The member.
        member: &'static str,
        /// The value.
        value: u32,
    },
    /// `declare` failed.
    #[error("it has no such score: {reason}")]
    Declare {
        /// The plugin's reason.
        reason: String,
    },
    /// A selector has both `declare` and `run`.
    #[error("it has both declare and run; one of them is to be null")]
    Both,
    /// A selector has neither `declare` nor `run`.
    #[error("it has neither declare nor run")]
    Neither,
    /// A floor is not finite.
    #[error("its floor is {floor}")]
    Floor {
        /// NaN, or an infinity.
        floor: f64,
    },
    /// A tolerance lies outside 0 … 0.01.
    #[error("the tolerance is {tolerance}; it is 0 … 0.01")]
    Tolerance {
        /// The tolerance.
        tolerance: f64,
    },
    /// A criterion is NaN for an ordinary model.
    #[error("its value of {k} of 20 variables and 100 observations is not a number")]
    NotANumber {
        /// Variables in the model.
        k: usize,
    },
    /// A criterion falls where RSS rises.
    #[error(
        "its value of {k} of 20 variables and 100 observations falls from {low} to {high} where \
         rss rises from 50 to 100"
    )]
    Falls {
        /// Variables in the model.
        k: usize,
        /// Its value at the lower RSS.
        low: f64,
        /// Its value at the higher RSS.
        high: f64,
    },
    /// A pair score depends on the order of its two variables.
    #[error("exchanging x and w changes it: the integers of x and w, of xy and wy must be equal")]
    Lopsided,
    /// The declared score is invalid.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

/// Why a method, pair score or criterion cannot be resolved.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MethodError {
    /// The text is not of the form `NAME:PARAMETER=NUMBER,…`.
    #[error("`{text}` must be NAME or NAME:PARAMETER=NUMBER,…")]
    Form {
        /// The text.
        text: String,
    },
    /// No plugin brings anything of this name.
    #[error("there is no {what} `{name}`{}", did_you_mean(nearest))]
    UnknownName {
        /// The kind: method, pair score or criterion.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// The known name nearest to it, if one is near.
        nearest: Option<String>,
    },
    /// The method has no such parameter.
    #[error(
        "{what} `{method}` {}, not `{parameter}`{}",
        match known.is_empty() {
            true => "takes no parameters".to_owned(),
            false => format!("takes {}", known.join(", ")),
        },
        did_you_mean(nearest)
    )]
    UnknownParameter {
        /// The kind: method, pair score or criterion.
        what: &'static str,
        /// The name of the method.
        method: String,
        /// The parameter asked for.
        parameter: String,
        /// The parameters it has.
        known: Vec<String>,
        /// The known name nearest to it, if one is near.
        nearest: Option<String>,
    },
    /// A parameter is given twice.
    #[error("{what} `{method}` is given `{parameter}` twice")]
    Twice {
        /// The kind: method, pair score or criterion.
        what: &'static str,
        /// The name of the method.
        method: String,
        /// The parameter.
        parameter: String,
    },
    /// A value lies outside the parameter's range.
    #[error("{parameter} = {value} of {what} `{method}` lies outside {least} … {most}")]
    OutOfRange {
        /// The kind: method, pair score or criterion.
        what: &'static str,
        /// The name of the method.
        method: String,
        /// The parameter.
        parameter: String,
        /// The value asked for.
        value: f64,
        /// Smallest value allowed.
        least: f64,
        /// Largest value allowed.
        most: f64,
    },
    /// The plugin refuses these values, or declares an invalid score for them.
    #[error("{what} `{method}` of plugin `{plugin}`: {violation}")]
    Declare {
        /// The kind: method, pair score or criterion.
        what: &'static str,
        /// The name of the method.
        method: String,
        /// The plugin.
        plugin: String,
        /// The refusal, or the breach.
        violation: ContractError,
    },
}

impl MethodError {
    /// The command-line option at fault: `method`, `score` or `criterion`.
    pub fn option(&self) -> &'static str {
        match self {
            Self::Form { .. } => "method",
            Self::UnknownName { what, .. }
            | Self::UnknownParameter { what, .. }
            | Self::Twice { what, .. }
            | Self::OutOfRange { what, .. }
            | Self::Declare { what, .. } => match *what {
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
