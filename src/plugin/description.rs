//! A plugin and what it brings, as plain data: read once from its library, checked and copied.

use std::{path::PathBuf, sync::OnceLock};

use passel_criteria::Origin;

pub use super::{
    calls::{CriterionCall, DeclareCall, FunctionCall, RunCall},
    family::FamilyCall,
};
use crate::{interrupt::Interrupt, score::Quantity, sha256};

/// One plugin, as it was loaded.
#[derive(Debug)]
pub struct Plugin {
    /// Its name, which is also in the name of its library.
    pub name: String,
    /// Its own version.
    pub version: String,
    /// A description of one line.
    pub description: String,
    /// The file that it was loaded from.
    pub path: PathBuf,
    /// The selectors it brings.
    pub methods: Vec<Offer<MethodCall>>,
    /// The pair scores it brings.
    pub pair_scores: Vec<Offer<PairCall>>,
    /// The criteria it brings.
    pub criteria: Vec<Offer<CriterionCall>>,
    /// The families it brings.
    pub families: Vec<Offer<FamilyCall>>,
    pub(super) hash: OnceLock<Option<String>>,
}

impl Plugin {
    /// What a report says of who brings a method or a criterion.
    pub(super) fn origin(&self) -> Origin {
        Origin {
            plugin: self.name.clone(),
            version: self.version.clone(),
            sha256: self.sha256().map(str::to_owned),
        }
    }

    /// The SHA-256 of its library, in hexadecimal digits, as it is when this is first asked; none of one that is part of the
    /// program.
    pub fn sha256(&self) -> Option<&str> {
        let hash = || match self.path.is_file() {
            true => sha256::of_file(&self.path, &Interrupt::default()).ok(),
            false => None,
        };
        self.hash.get_or_init(hash).as_deref()
    }
}

/// The description of a selector, pair score or criterion of a plugin.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodInfo {
    /// The name that selects it: on the command line, in job files.
    pub name: String,
    /// Its full name.
    pub title: String,
    /// Its formula, on one line.
    pub formula: String,
    /// The publication it is from.
    pub source: String,
    /// Its parameters, in the plugin's order.
    pub parameters: Vec<MethodParameter>,
    /// The name of the plugin that brings it.
    pub plugin: String,
}

impl MethodInfo {
    pub(super) fn defaults(&self) -> Vec<f64> {
        self.parameters.iter().map(|one| one.default).collect()
    }
}

/// A numerical parameter of a method.
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
}

/// A selector, pair score or criterion of a plugin.
#[derive(Debug)]
pub struct Offer<C> {
    /// Its description.
    pub info: MethodInfo,
    pub(super) call: C,
}

/// The function of the plugin behind a selector, by kind.
#[derive(Debug)]
pub enum MethodCall {
    Score(DeclareCall),
    Ranking(RunCall),
    Regression(RunCall),
}

/// What a pair score measures: a quantity, or a function of the plugin.
#[derive(Debug)]
pub enum PairCall {
    Quantity(Quantity),
    Function(FunctionCall),
}
