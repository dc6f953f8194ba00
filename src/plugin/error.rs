//! What can be wrong with a plugin, and with asking for what it brings.

use std::path::PathBuf;

use thiserror::Error;

use crate::{nearest::did_you_mean, score::ScoreError};

/// A library that is not used.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{}: {refusal}", path.display())]
pub struct PluginError {
    /// The library, or the folder that could not be looked into.
    pub path: PathBuf,
    /// Why not.
    pub refusal: Refusal,
}

/// Why a library is not used.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Refusal {
    /// There is no file, or it is none that could be a library.
    #[error("it cannot be read: {reason}")]
    Unreadable {
        /// What the system said.
        reason: String,
    },
    /// A library that was copied or built halfway.
    #[error("it is cut short: {lacking} bytes are missing")]
    Cut {
        /// Bytes.
        lacking: u64,
    },
    /// A library of another processor.
    #[error("it is built for {theirs}, this passel for {}", std::env::consts::ARCH)]
    Machine {
        /// The processor.
        theirs: String,
    },
    /// The system does not load it.
    #[error("the system does not load it: {reason}")]
    Open {
        /// What the system said.
        reason: String,
    },
    /// The library's name cannot be a plugin's.
    #[error(
        "`{name}`, its name without prefix and suffix, is no plugin's: a small letter, then \
         small letters, digits, _"
    )]
    FileName {
        /// What is left of it.
        name: String,
    },
    /// A library, but not a plugin.
    #[error("not a plugin of this name: it has no `{symbol}`")]
    NoEntry {
        /// The entry that its name asks for.
        symbol: String,
    },
    /// The entry returned null.
    #[error("its entry gave up: {reason}")]
    Entry {
        /// What it logged.
        reason: String,
    },
    /// It speaks another version of the contract.
    #[error(
        "made for version {theirs} of the plugin contract, this passel has version {ours}: \
         build it with this passel's plugins/abi"
    )]
    Version {
        /// The plugin's.
        theirs: u32,
        /// This program's.
        ours: u32,
    },
    /// What it says breaks the contract.
    #[error("{place}: {violation}")]
    Contract {
        /// Where: `selector 2 (jmi)`.
        place: String,
        /// What.
        violation: ContractError,
    },
    /// Another plugin brings the same.
    #[error("{what} `{name}` is there already, from {}", by.display())]
    Taken {
        /// A plugin, method, pair score or criterion.
        what: &'static str,
        /// Its name.
        name: String,
        /// The library that has it.
        by: PathBuf,
    },
}

/// Something in a plugin's tables that the contract does not allow.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ContractError {
    /// A pointer that must not be null.
    #[error("{member} is null")]
    Null {
        /// The pointer.
        member: &'static str,
    },
    /// A struct that ends before what must be there.
    #[error("its size is {size}, at least {least} is needed: start it with its own sizeof")]
    Size {
        /// As it says.
        size: usize,
        /// Bytes.
        least: usize,
    },
    /// More entries than are believed.
    #[error("{member} is {count}, at most {most} are taken")]
    Count {
        /// The count.
        member: &'static str,
        /// As it says.
        count: usize,
        /// Most.
        most: usize,
    },
    /// A text that is no UTF-8, has control characters or does not end.
    #[error("{member} is no line of UTF-8 of at most {most} bytes")]
    Text {
        /// The text.
        member: &'static str,
        /// Most bytes.
        most: usize,
    },
    /// A name that could not be asked for.
    #[error("the name `{name}` is not a small letter, then small letters, digits, -")]
    Name {
        /// As it says.
        name: String,
    },
    /// A name that is passel's own, or another's of the same plugin.
    #[error("the name `{name}` is taken")]
    Taken {
        /// As it says.
        name: String,
    },
    /// A plugin of another name than its entry's.
    #[error("it calls itself `{name}`, its library `{expected}`")]
    Called {
        /// As it says.
        name: String,
        /// By its entry.
        expected: String,
    },
    /// A default or range that is none.
    #[error("its default {default} does not lie in {least} … {most}, or these are not finite")]
    Range {
        /// As it says.
        default: f64,
        /// As it says.
        least: f64,
        /// As it says.
        most: f64,
    },
    /// A constant that is not one of the contract's.
    #[error("{member} is {value}, which means nothing")]
    Constant {
        /// The member.
        member: &'static str,
        /// As it says.
        value: u32,
    },
    /// `declare` returned another number than 0.
    #[error("it has no such score: {reason}")]
    Declare {
        /// What it wrote.
        reason: String,
    },
    /// Neither way to choose is left out.
    #[error("it has both declare and run; one of them is to be null")]
    Both,
    /// No way to choose.
    #[error("it has neither declare nor run")]
    Neither,
    /// A floor that no score can be above or below.
    #[error("its floor is {floor}")]
    Floor {
        /// NaN, or an infinity.
        floor: f64,
    },
    /// A tolerance that is none.
    #[error("the tolerance is {tolerance}; it is 0 … 0.01")]
    Tolerance {
        /// As it says.
        tolerance: f64,
    },
    /// A criterion that is no number for a model that could be.
    #[error("its value of {k} of 20 variables and 100 observations is not a number")]
    NotANumber {
        /// Variables.
        k: usize,
    },
    /// A criterion that prefers the worse of two fits.
    #[error(
        "its value of {k} of 20 variables and 100 observations falls from {low} to {high} where \
         rss rises from 50 to 100"
    )]
    Falls {
        /// Variables.
        k: usize,
        /// At the lower RSS.
        low: f64,
        /// At the higher.
        high: f64,
    },
    /// A pair score that depends on which of the two comes first.
    #[error("exchanging x and w changes it: the integers of x and w, of xy and wy must be equal")]
    Lopsided,
    /// What was declared cannot be.
    #[error(transparent)]
    Score(#[from] ScoreError),
}

/// A method, pair score or criterion that cannot be had.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MethodError {
    /// Not of the form.
    #[error("`{text}` must be NAME or NAME:PARAMETER=NUMBER,…")]
    Form {
        /// What was given.
        text: String,
    },
    /// No plugin brings it.
    #[error("there is no {what} `{name}`{}", did_you_mean(nearest))]
    UnknownName {
        /// A method, a pair score or a criterion.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// The one it resembles.
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
        /// As of an unknown name.
        what: &'static str,
        /// Its name.
        method: String,
        /// The parameter asked for.
        parameter: String,
        /// Those it has.
        known: Vec<String>,
        /// The one it resembles.
        nearest: Option<String>,
    },
    /// One parameter has two values.
    #[error("{what} `{method}` is given `{parameter}` twice")]
    Twice {
        /// As of an unknown name.
        what: &'static str,
        /// Its name.
        method: String,
        /// The parameter.
        parameter: String,
    },
    /// The parameter lies outside its range.
    #[error("{parameter} = {value} of {what} `{method}` lies outside {least} … {most}")]
    OutOfRange {
        /// As of an unknown name.
        what: &'static str,
        /// Its name.
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
    /// The plugin has no score for these parameters, or none that can be.
    #[error("{what} `{method}` of plugin `{plugin}`: {violation}")]
    Declare {
        /// As of an unknown name.
        what: &'static str,
        /// Its name.
        method: String,
        /// Its plugin.
        plugin: String,
        /// What it said, or what is wrong with what it said.
        violation: ContractError,
    },
}

impl MethodError {
    /// The option that asked for it.
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

    /// Whether the name is nobody's, and resembles none.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::UnknownName { nearest: None, .. })
    }
}
