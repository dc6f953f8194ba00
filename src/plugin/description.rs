//! A plugin and what it brings, as plain data: read once from its library, checked and copied.

use std::{path::PathBuf, sync::OnceLock};

use passel_criteria::Origin;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use super::{
    calls::{CriterionCall, DeclareCall, FunctionCall, RunCall},
    family::FamilyCall,
};
use crate::{interrupt::Interrupt, nearest::did_you_mean, score::Quantity, sha256};

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
