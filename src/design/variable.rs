//! Candidates, and the variables that are none.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A variable that never was a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// The column's name.
    pub name: String,
    /// Why: `constant`, or `duplicate of NAME`.
    pub reason: String,
    /// The variable that it is a copy of, if that is why.
    #[serde(default)]
    pub copy_of: Option<String>,
}

/// How a factor became variables.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FactorCoding {
    /// The column's name.
    pub name: String,
    /// The level without a dummy, with which the others are compared; none where every level has a
    /// dummy.
    pub reference: Option<String>,
    /// The levels that occur, the reference among them, in their order.
    pub levels: Vec<String>,
    /// `treatment`: a dummy for each level but the reference. `indicator`: a dummy for each level,
    /// as the first factor of a model without an intercept has.
    pub coding: Cow<'static, str>,
}

/// One candidate variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// The column's name; `column=level` for a dummy of a factor.
    pub name: String,
    /// The level of a factor that the variable is the dummy of.
    pub level: Option<Box<str>>,
    /// Of a response of levels without order the level whose coefficient it has.
    pub class: Option<Box<str>>,
    /// 0-based position of its column in the file, response and weights taken out; of a formula that of its
    /// term among all the terms.
    pub index: usize,
    /// The (weighted) mean, which was subtracted; 0 without an intercept.
    ///
    /// *Units:* those of the column.
    pub mean: f64,
    /// The (weighted) norm about the mean, by which the column was divided.
    ///
    /// *Units:* those of the column.
    pub norm: f64,
}

impl Variable {
    /// The name of its column in the file: for a dummy, that of the factor.
    pub fn column(&self) -> &str {
        let class = self.class.as_ref().map_or(0, |class| class.len() + 3);
        let dummy = self.level.as_ref().map_or(0, |level| level.len() + 1);
        &self.name[..self.name.len() - class - dummy]
    }

    /// The variable with the coefficient of a level of the response.
    pub(super) fn of_class(&self, class: &str) -> Self {
        Self {
            name: format!("{} [{class}]", self.name),
            class: Some(class.into()),
            ..self.clone()
        }
    }
}

/// The columns of each term where factors are whole: the dummies of one have one index.
pub(super) fn term_widths<'v>(variables: impl Iterator<Item = &'v Variable>) -> Vec<usize> {
    let (mut widths, mut last) = (Vec::new(), None);
    for variable in variables {
        match widths.last_mut() {
            Some(width) if last == Some(variable.index) && variable.level.is_some() => *width += 1,
            _ => widths.push(1),
        }
        last = Some(variable.index);
    }
    widths
}
