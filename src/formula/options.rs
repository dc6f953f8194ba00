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
}

impl Default for ExpansionOptions {
    fn default() -> Self {
        Self {
            unordered: Contrast::Treatment { reference: None },
            ordered: Contrast::Polynomial { scores: None },
            by_variable: BTreeMap::new(),
        }
    }
}
