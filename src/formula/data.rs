//! The data that a formula is applied to.

use std::borrow::Cow;

/// Named variables of equally many observations.
pub trait Variables {
    /// The variables' names in order: what `.` stands for, and what a misspelt name is compared
    /// with.
    fn names(&self) -> Vec<&str>;

    /// A variable, or none of this name.
    fn variable(&self, name: &str) -> Option<Variable<'_>>;

    /// How many observations there are.
    fn rows(&self) -> usize;
}

/// The values of one variable, one an observation.
#[derive(Debug, Clone, PartialEq)]
pub enum Variable<'a> {
    /// Numbers; NaN is missing.
    Numeric(Cow<'a, [f64]>),
    /// Categories.
    Factor {
        /// Their names, in the order that contrasts have.
        levels: Cow<'a, [String]>,
        /// Which level each observation has; one that is no position in `levels` is missing.
        codes: Cow<'a, [u32]>,
        /// Whether the levels ascend: such a factor has polynomial contrasts by default.
        is_ordered: bool,
    },
}

impl Variable<'_> {
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Numeric(values) => values.len(),
            Self::Factor { codes, .. } => codes.len(),
        }
    }
}
