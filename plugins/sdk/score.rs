//! A selector's score, declared.

use passel_abi as abi;

use crate::{Combination, Function, combinations::X_Y};

/// A number of one table: a combination in nats times n, or the ratio of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity {
    /// The combination, or the ratio's numerator.
    pub over: Combination,
    /// The ratio's denominator; where it is 0 the ratio is 0.
    pub under: Option<Combination>,
}

impl From<Combination> for Quantity {
    fn from(over: Combination) -> Self {
        Self { over, under: None }
    }
}

impl Quantity {
    /// This quantity as a term, multiplied by a weight.
    pub fn weighing(self, weight: f64) -> Term {
        Term {
            weight,
            quantity: self,
            part: Part::Whole,
        }
    }

    pub(crate) fn abi(self) -> abi::passel_quantity {
        abi::passel_quantity {
            over: self.over.abi(),
            under: self.under.unwrap_or_default().abi(),
        }
    }
}

impl Combination {
    /// This combination as a term, multiplied by a weight.
    pub fn weighing(self, weight: f64) -> Term {
        Quantity::from(self).weighing(weight)
    }
}

/// Which part of a term counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// min(0, term).
    BelowZero,
}

/// One summand of what a step gives: a [`Combination`] or [`Quantity`], weighed or made one
/// by `.into()`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// What the part that counts is multiplied by; −1,048,576 … 1,048,576.
    pub weight: f64,
    /// Of the table of candidate, anchor and response.
    pub quantity: Quantity,
    /// The part that counts.
    pub part: Part,
}

impl Term {
    /// Only where it is below zero.
    #[must_use]
    pub fn below_zero(self) -> Self {
        Self {
            part: Part::BelowZero,
            ..self
        }
    }

    pub(crate) fn abi(self) -> abi::passel_term {
        abi::passel_term {
            weight: self.weight,
            quantity: self.quantity.abi(),
            part: match self.part {
                Part::Whole => abi::PASSEL_PART_WHOLE,
                Part::BelowZero => abi::PASSEL_PART_BELOW_ZERO,
            },
        }
    }
}

impl From<Combination> for Term {
    fn from(combination: Combination) -> Self {
        combination.weighing(1.0)
    }
}

impl From<Quantity> for Term {
    fn from(quantity: Quantity) -> Self {
        quantity.weighing(1.0)
    }
}

/// How the values of the steps become one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Gather {
    /// Their sum.
    #[default]
    Sum,
    /// Their sum, divided by how many they are.
    Mean,
    /// The least of them.
    Minimum,
    /// The last.
    Last,
}

/// What the gathered value makes with relevance. Before the first step relevance is the score.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Join {
    /// Relevance plus the gathered value.
    #[default]
    Added,
    /// The gathered value alone.
    Alone,
    /// The lesser of the two.
    Least,
    /// Relevance; never, where the gathered value is below 0.
    Guarded,
}

/// The anchors of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Against {
    /// The variable chosen last.
    #[default]
    Last,
    /// All chosen variables joined: a level for each combination of theirs.
    Joint,
    /// Every two chosen variables, joined; while one is chosen, that one.
    Pairs,
}

/// A selector's score of a candidate; larger is better. By default it is I(x;y) alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Of the table of candidate and response alone; the score of the first step.
    pub relevance: Quantity,
    /// What a step gives is their sum; at most eight, none for relevance alone.
    pub terms: Vec<Term>,
    /// See [`Gather`].
    pub gather: Gather,
    /// See [`Join`].
    pub join: Join,
    /// See [`Against`].
    pub against: Against,
    /// A selection ends where no candidate's score is above it, in nats where scores are; none
    /// for one that goes on.
    pub floor: Option<f64>,
    /// What takes the place of relevance and of terms: relevance is its value of the table of
    /// candidate and response, a step gives that of the whole table.
    pub function: Option<&'static Function>,
}

impl Default for Score {
    fn default() -> Self {
        Self {
            relevance: X_Y.into(),
            terms: Vec::new(),
            gather: Gather::Sum,
            join: Join::Added,
            against: Against::Last,
            floor: None,
            function: None,
        }
    }
}

impl Gather {
    pub(crate) fn abi(self) -> u32 {
        match self {
            Self::Sum => abi::PASSEL_GATHER_SUM,
            Self::Mean => abi::PASSEL_GATHER_MEAN,
            Self::Minimum => abi::PASSEL_GATHER_MINIMUM,
            Self::Last => abi::PASSEL_GATHER_LAST,
        }
    }
}

impl Join {
    pub(crate) fn abi(self) -> u32 {
        match self {
            Self::Added => abi::PASSEL_JOIN_ADDED,
            Self::Alone => abi::PASSEL_JOIN_ALONE,
            Self::Least => abi::PASSEL_JOIN_LEAST,
            Self::Guarded => abi::PASSEL_JOIN_GUARDED,
        }
    }
}

impl Against {
    pub(crate) fn abi(self) -> u32 {
        match self {
            Self::Last => abi::PASSEL_AGAINST_LAST,
            Self::Joint => abi::PASSEL_AGAINST_JOINT,
            Self::Pairs => abi::PASSEL_AGAINST_PAIRS,
        }
    }
}
