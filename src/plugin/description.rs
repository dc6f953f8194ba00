//! A plugin and what it brings, as plain data: read once from its library, checked and copied.

use std::{path::PathBuf, sync::OnceLock};

use passel_criteria::Origin;
use serde::{Deserialize, Serialize};

pub use super::parameter::MethodParameter;
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
    /// What else it says of itself.
    pub about: About,
    /// The version of the contract that it was compiled with.
    pub contract: u32,
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
    /// The names of its methods, pair scores, criteria and families.
    pub fn names(&self) -> [Vec<&str>; 4] {
        fn names<C>(offers: &[Offer<C>]) -> Vec<&str> {
            offers.iter().map(|own| &*own.info.name).collect()
        }
        [
            names(&self.methods),
            names(&self.pair_scores),
            names(&self.criteria),
            names(&self.families),
        ]
    }

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

/// Whose a plugin is and where it is described: a line each, where it says so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Its licence, by its SPDX identifier.
    pub licence: Option<String>,
    /// Its authors.
    pub authors: Option<String>,
    /// Its page.
    pub url: Option<String>,
    /// The DOI of its publication.
    pub doi: Option<String>,
}

impl About {
    /// What there is, each with what a list calls it.
    pub fn lines(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let all = [
            ("licence", &self.licence),
            ("authors", &self.authors),
            ("page", &self.url),
            ("DOI", &self.doi),
        ];
        let all = all.into_iter();
        all.filter_map(|(name, text)| Some((name, text.as_deref()?)))
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
    /// Whether a parameter names a file: then values are not tried before one is given.
    pub(super) fn has_files(&self) -> bool {
        self.parameters.iter().any(|own| own.is_file)
    }

    pub(super) fn defaults(&self) -> Vec<f64> {
        self.parameters.iter().map(|one| one.default).collect()
    }
}

/// A selector, pair score or criterion of a plugin.
#[derive(Debug)]
pub struct Offer<C> {
    /// Its description.
    pub info: MethodInfo,
    pub(super) call: C,
}

impl Offer<FamilyCall> {
    /// What responses a family takes, in words, and the name of its link.
    pub fn responses_and_link(&self) -> [&str; 2] {
        [self.call.responses(), self.call.link()]
    }
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
