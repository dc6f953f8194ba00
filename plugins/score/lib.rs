//! Declared scores: which numbers of one contingency table a selector's score is made of, how
//! they gather over the steps of a selection, and how relevance joins them. The engine and the
//! plugins' SDK share these types.
//!
//! With c the counts of a table's cells and S = Σ c·ln c over the cells of one margin, every
//! entropy and mutual information is an integer combination of the S: n·I(x;y) =
//! S(xy) − S(x) − S(y) + S(n). Here x is the candidate, w the anchor (the variable chosen last,
//! or all chosen ones joined), y the response, and S(n) = n·ln n.

#![no_std]

mod combination;

pub use combination::{Combination, combinations};

/// A number of one table: a combination, or the ratio of two.
///
/// *Units:* of a combination nats times n; a ratio has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity {
    /// The combination, or the ratio's numerator.
    pub over: Combination,
    /// The ratio's denominator; where its value is 0 the ratio is 0.
    pub under: Option<Combination>,
}

impl Quantity {
    /// A plain combination.
    pub const fn plain(over: Combination) -> Self {
        Self { over, under: None }
    }

    /// This quantity as a term, multiplied by a weight.
    pub const fn weighing(self, weight: f64) -> Term {
        Term {
            weight,
            quantity: self,
            part: Part::Whole,
        }
    }

    /// Its combination, or both of its ratio; the second is 0 where it is no ratio.
    pub fn combinations(&self) -> [Combination; 2] {
        [self.over, self.under.unwrap_or_default()]
    }

    /// Whether it depends on the anchor w.
    pub fn has_anchor(&self) -> bool {
        self.combinations().iter().any(Combination::has_anchor)
    }
}

impl From<Combination> for Quantity {
    fn from(over: Combination) -> Self {
        Self::plain(over)
    }
}

/// The part of a term that counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    #[default]
    Whole,
    /// min(0, term).
    BelowZero,
}

/// One summand of a step's value: a [`Combination`] or [`Quantity`], weighed or made one by
/// `.into()`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The factor of the part that counts; −1,048,576 … 1,048,576. Of a score that is counted in
    /// integers (terms summed, then summed, averaged, the least or last of them) it is rounded to the
    /// nearest multiple of 2⁻³².
    pub weight: f64,
    /// A quantity of the table of candidate, anchor and response.
    pub quantity: Quantity,
    /// The part that counts.
    pub part: Part,
}

impl Term {
    /// The term where it is below zero, else 0.
    #[must_use]
    pub const fn below_zero(self) -> Self {
        Self {
            part: Part::BelowZero,
            ..self
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

/// How the terms of a step become its value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Combine {
    /// Their sum.
    #[default]
    Sum,
    /// Their product.
    Product,
    /// The least of them.
    Least,
    /// The largest of them.
    Largest,
    /// Not at all: each is gathered by itself, for a function that finishes the score.
    Apart,
}

/// How the values of the steps become one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Gather {
    /// Their sum.
    #[default]
    Sum,
    /// Their mean.
    Mean,
    /// The least of them.
    Minimum,
    /// The last.
    Last,
    /// The largest of them.
    Maximum,
    /// Their product.
    Product,
}

/// How the gathered value joins relevance. Before the first step, relevance alone is the score.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Join {
    /// Relevance plus the gathered value.
    #[default]
    Added,
    /// The gathered value alone.
    Alone,
    /// The lesser of the two.
    Least,
    /// Relevance; the candidate is never chosen where the gathered value is below 0.
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
