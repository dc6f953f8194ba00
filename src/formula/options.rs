//! Which contrasts factors have.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::contrasts::Contrast;

/// The contrasts of factors for which the formula itself names none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExpansionOptions {
    /// Those of factors whose levels have no order. Default: treatment, as in R.
    pub unordered: Contrast,
    /// Those of ordered factors. Default: polynomial, as in R.
    pub ordered: Contrast,
    /// Those of single variables, by name or label.
    pub by_variable: BTreeMap<String, Contrast>,
    /// Whether interactions have sum contrasts where these would be treatment or SAS contrasts. What an interaction
    /// spans without its parts then depends on no reference level: the functions of the levels that sum to 0, as with
    /// all other contrasts.
    #[serde(default)]
    pub centered_interactions: bool,
}

impl Default for ExpansionOptions {
    fn default() -> Self {
        Self {
            unordered: Contrast::Treatment { reference: None },
            ordered: Contrast::Polynomial { scores: None },
            by_variable: BTreeMap::new(),
            centered_interactions: false,
        }
    }
}
