//! A selector's score, declared: which numbers of one contingency table, how they gather over
//! the steps, how relevance joins them. Who counts the table needs no more than this.
//!
//! With c the counts of a table's cells and S = Σ c·ln c over the cells of one margin, every
//! entropy and mutual information is an integer combination of the S: n·I(x;y) =
//! S(xy) − S(x) − S(y) + S(n). Here x is the candidate, w the anchor (the column chosen last,
//! or all chosen columns joined), y the response, and S(n) = n·ln n.
//!
//! What no combination declares may be [`ScoreFunction`].

mod coded;
mod pair;
#[cfg(test)]
mod tests;

use thiserror::Error;

pub use coded::{CountTable, ScoreFunction, TableFunction};
pub use pair::PairScore;

/// An integer for each margin sum of the table of (x, w, y); the combination is their
/// scalar product, in nats times n.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Combination {
    /// Of n·ln n, the table with one cell.
    pub n: i32,
    /// Of the candidate's margin.
    pub x: i32,
    /// Of the anchor's margin.
    pub w: i32,
    /// Of the response's margin.
    pub y: i32,
    /// Of the table of candidate and anchor.
    pub xw: i32,
    /// Of the table of candidate and response.
    pub xy: i32,
    /// Of the table of anchor and response.
    pub wy: i32,
    /// Of the whole table.
    pub xwy: i32,
}

impl Combination {
    /// n·I(x;y).
    pub const X_Y: Self = Self::of(1, -1, 0, -1, 0, 1, 0, 0);
    /// n·I(x;w).
    pub const X_W: Self = Self::of(1, -1, -1, 0, 1, 0, 0, 0);
    /// n·I((x,w);y).
    pub const XW_Y: Self = Self::of(1, 0, 0, -1, -1, 0, 0, 1);
    /// n·I(x;y|w).
    pub const X_Y_GIVEN_W: Self = Self::of(0, 0, 1, 0, -1, 0, -1, 1);

    /// By margin: n, x, w, y, xw, xy, wy, xwy.
    #[allow(clippy::too_many_arguments)]
    pub const fn of(n: i32, x: i32, w: i32, y: i32, xw: i32, xy: i32, wy: i32, xwy: i32) -> Self {
        Self {
            n,
            x,
            w,
            y,
            xw,
            xy,
            wy,
            xwy,
        }
    }

    /// By margin, in the order of [`Combination::of`].
    pub const fn integers(&self) -> [i32; 8] {
        let Self {
            n,
            x,
            w,
            y,
            xw,
            xy,
            wy,
            xwy,
        } = *self;
        [n, x, w, y, xw, xy, wy, xwy]
    }

    /// Whether it says nothing.
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// Whether it has a part of the anchor.
    pub fn has_anchor(&self) -> bool {
        (self.w, self.xw, self.wy, self.xwy) != (0, 0, 0, 0)
    }

    /// What its integers sum to: 0 for whatever is made of entropies.
    pub fn sum(&self) -> i32 {
        self.integers().iter().sum()
    }

    /// The larger of the sums of its positive and of its negative integers: no value of it is
    /// farther from 0 than this times n·ln n.
    pub fn reach(&self) -> u32 {
        let part = |sign: i32| {
            let parts = self.integers().into_iter().map(|it| (sign * it).max(0));
            parts.map(i32::unsigned_abs).sum::<u32>()
        };
        part(1).max(part(-1))
    }

    /// All of this combination as a term, multiplied by a weight.
    pub const fn weighing(self, weight: f64) -> Term {
        Quantity::plain(self).weighing(weight)
    }
}

/// A number of one table: a combination in nats times n, or the ratio of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity {
    /// The combination, or the ratio's numerator.
    pub over: Combination,
    /// The ratio's denominator; where it is 0 the ratio is 0.
    pub under: Option<Combination>,
}

impl Quantity {
    /// A plain combination.
    pub const fn plain(over: Combination) -> Self {
        Self { over, under: None }
    }

    /// All of this quantity as a term, multiplied by a weight.
    pub const fn weighing(self, weight: f64) -> Term {
        Term {
            weight,
            quantity: self,
            part: Part::Whole,
        }
    }

    /// # Errors
    /// [`ScoreError::Unbalanced`].
    pub fn balanced(&self) -> Result<(), ScoreError> {
        let sums = [self.over, self.under.unwrap_or_default()].map(|it| it.sum());
        match sums.into_iter().find(|it| *it != 0) {
            Some(sum) => Err(ScoreError::Unbalanced { sum }),
            None => Ok(()),
        }
    }

    fn has_anchor(&self) -> bool {
        let under = self.under.as_ref();
        self.over.has_anchor() || under.is_some_and(Combination::has_anchor)
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

/// One summand of what a step gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// What the part that counts is multiplied by; −1,048,576 … 1,048,576, taken to the
    /// nearest multiple of 2⁻³².
    pub weight: f64,
    /// Of the table of candidate, anchor and response.
    pub quantity: Quantity,
    /// The part that counts.
    pub part: Part,
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
    /// The column chosen last.
    #[default]
    Last,
    /// All chosen columns joined: a level for each combination of theirs.
    Joint,
    /// Every two chosen columns, joined; while one is chosen, that one.
    Pairs,
}

/// What is measured of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Measure {
    /// Integers of margin sums.
    Declared {
        /// Of the table of candidate and response alone.
        relevance: Quantity,
        /// What a step gives is their sum; none for a score that is relevance alone.
        terms: Vec<Term>,
    },
    /// A function: relevance is that of the table whose anchor has one level, what a step gives
    /// that of the whole table.
    Function(ScoreFunction),
}

impl Measure {
    /// Relevance I(x;y), and these terms of a step.
    pub fn of_terms(terms: impl Into<Vec<Term>>) -> Self {
        Self::Declared {
            relevance: Quantity::plain(Combination::X_Y),
            terms: terms.into(),
        }
    }
}

impl Default for Measure {
    /// I(x;y) alone.
    fn default() -> Self {
        Self::of_terms([])
    }
}

/// A selector's score of a candidate; larger is better. By default it is I(x;y) alone.
///
/// ```
/// use passel::score::{Combination, Join, Measure, Score};
/// // Σ I((x,w);y) over the columns w chosen.
/// let jmi = Score {
///     measure: Measure::of_terms([Combination::XW_Y.weighing(1.0)]),
///     join: Join::Alone,
///     ..Score::default()
/// };
/// assert!(jmi.checked().is_ok());
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Score {
    /// See [`Measure`].
    pub measure: Measure,
    /// See [`Gather`].
    pub gather: Gather,
    /// See [`Join`].
    pub join: Join,
    /// See [`Against`].
    pub against: Against,
    /// A selection ends where no candidate's score is above it, in nats where scores are.
    pub floor: Option<f64>,
}

/// A score that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ScoreError {
    /// Relevance is known before there is an anchor.
    #[error("relevance has a margin of the anchor; it is of x and y alone")]
    AnchoredRelevance,
    /// Every entropy and information has its integers sum to 0: this is a slip.
    #[error("a combination's integers sum to {sum}; those of entropies and informations sum to 0")]
    Unbalanced {
        /// What they sum to.
        sum: i32,
    },
    /// A score needs something for its first choice.
    #[error("relevance is empty; it is I(x;y), as a rule")]
    NoRelevance,
    /// More than the fixed-point sums have room for.
    #[error("a combination's integers sum to {reach}; at most {REACH} have room")]
    Reach {
        /// What they sum to, of one sign.
        reach: u32,
    },
    /// A weight that is no number or has no room.
    #[error("the weight of term {term} is {weight}; weights are −1048576 … 1048576")]
    Weight {
        /// From 0.
        term: usize,
        /// As it prints.
        weight: String,
    },
    /// A tolerance by which everything is a tie, or nothing.
    #[error("the tolerance is {tolerance}; it is a number from 0 to below 1")]
    Tolerance {
        /// As it prints.
        tolerance: String,
    },
    /// More terms than there are margins has no use.
    #[error("{count} terms; at most {TERMS} are summed")]
    Terms {
        /// How many.
        count: usize,
    },
}

/// Most that the integers of one sign may sum to.
pub const REACH: u32 = 64;

/// Most terms.
pub const TERMS: usize = 8;

/// Largest weight, in absolute value.
pub const WEIGHT: f64 = 1_048_576.0;

impl Score {
    /// The score, if it is one.
    ///
    /// # Errors
    /// [`ScoreError`] says what has no meaning or no room.
    pub fn checked(self) -> Result<Self, ScoreError> {
        let (relevance, terms) = match &self.measure {
            Measure::Function(coded) => {
                coded.checked()?;
                return Ok(self);
            }
            Measure::Declared { relevance, terms } => (relevance, terms),
        };
        if relevance.has_anchor() {
            return Err(ScoreError::AnchoredRelevance);
        }
        if terms.len() > TERMS {
            let count = terms.len();
            return Err(ScoreError::Terms { count });
        }
        let reach = self.reach();
        if reach > REACH {
            return Err(ScoreError::Reach { reach });
        }
        for quantity in self.quantities() {
            quantity.balanced()?;
        }
        if relevance.over.is_zero() {
            return Err(ScoreError::NoRelevance);
        }
        let mut terms = terms.iter().enumerate();
        match terms.find(|(_, it)| it.weight.is_nan() || it.weight.abs() > WEIGHT) {
            Some((term, it)) => Err(ScoreError::Weight {
                term,
                weight: it.weight.to_string(),
            }),
            None => Ok(self),
        }
    }

    /// What is declared of a step; none of a coded score.
    pub fn terms(&self) -> &[Term] {
        match &self.measure {
            Measure::Declared { terms, .. } => terms,
            Measure::Function(_) => &[],
        }
    }

    /// The function, if it is coded.
    pub fn function(&self) -> Option<&ScoreFunction> {
        match &self.measure {
            Measure::Declared { .. } => None,
            Measure::Function(coded) => Some(coded),
        }
    }

    /// Whether candidates are counted against anchors; else the score is relevance alone.
    pub fn has_steps(&self) -> bool {
        self.function().is_some() || !self.terms().is_empty()
    }

    fn quantities(&self) -> impl Iterator<Item = Quantity> {
        let relevance = match &self.measure {
            Measure::Declared { relevance, .. } => Some(*relevance),
            Measure::Function(_) => None,
        };
        let terms = self.terms().iter().map(|it| it.quantity);
        terms.chain(relevance)
    }

    /// The largest [`Combination::reach`] of its quantities; of a coded score that of the
    /// redundancy told beside it.
    pub fn reach(&self) -> u32 {
        if self.function().is_some() {
            return Combination::X_W.reach();
        }
        let combinations = self
            .quantities()
            .flat_map(|it| [it.over, it.under.unwrap_or_default()]);
        combinations.map(|it| it.reach()).max().unwrap_or(0)
    }
}
