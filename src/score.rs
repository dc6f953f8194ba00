//! A selector's score, declared: which numbers of one contingency table, how they gather over
//! the steps, how relevance joins them. Who counts the table needs no more than this.
//!
//! With c the counts of a table's cells and S = Σ c·ln c over the cells of one margin, every
//! entropy and mutual information is an integer combination of the S: n·I(x;y) =
//! S(xy) − S(x) − S(y) + S(n). Here x is the candidate, w the anchor (the column chosen last,
//! or all chosen columns joined), y the response, and S(n) = n·ln n.

use thiserror::Error;

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
}

/// The anchor of a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Against {
    /// The column chosen last.
    #[default]
    Last,
    /// All chosen columns joined: a level for each combination of theirs.
    Joint,
}

/// A selector's score of a candidate; larger is better.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// Of the table of candidate and response alone.
    pub relevance: Quantity,
    /// What a step gives is their sum; none for a score that is relevance alone.
    pub terms: Vec<Term>,
    /// See [`Gather`].
    pub gather: Gather,
    /// See [`Join`].
    pub join: Join,
    /// See [`Against`].
    pub against: Against,
    /// Whether a selection ends where no candidate's score is above 0.
    pub ends_at_zero: bool,
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
        if self.relevance.has_anchor() {
            return Err(ScoreError::AnchoredRelevance);
        }
        if self.terms.len() > TERMS {
            let count = self.terms.len();
            return Err(ScoreError::Terms { count });
        }
        let reach = self.reach();
        if reach > REACH {
            return Err(ScoreError::Reach { reach });
        }
        for quantity in self.quantities() {
            quantity.balanced()?;
        }
        if self.relevance.over.is_zero() {
            return Err(ScoreError::NoRelevance);
        }
        let mut terms = self.terms.iter().enumerate();
        match terms.find(|(_, it)| it.weight.is_nan() || it.weight.abs() > WEIGHT) {
            Some((term, it)) => Err(ScoreError::Weight {
                term,
                weight: it.weight.to_string(),
            }),
            None => Ok(self),
        }
    }

    fn quantities(&self) -> impl Iterator<Item = Quantity> {
        let terms = self.terms.iter().map(|it| it.quantity);
        terms.chain([self.relevance])
    }

    /// The largest [`Combination::reach`] of its quantities.
    pub fn reach(&self) -> u32 {
        let combinations = self
            .quantities()
            .flat_map(|it| [it.over, it.under.unwrap_or_default()]);
        combinations.map(|it| it.reach()).max().unwrap_or(0)
    }
}

/// A score of two variables and the response, over all pairs: x and w stand for the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairScore {
    /// Of the table of both and the response.
    pub quantity: Quantity,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_without_meaning_or_room_is_refused() {
        let mim = Score {
            relevance: Quantity::plain(Combination::X_Y),
            terms: Vec::new(),
            gather: Gather::Sum,
            join: Join::Added,
            against: Against::Last,
            ends_at_zero: false,
        };
        assert_eq!(mim.clone().checked(), Ok(mim.clone()));
        let relevance = Quantity::plain(Combination::X_W);
        let anchored = Score {
            relevance,
            ..mim.clone()
        };
        assert_eq!(anchored.checked(), Err(ScoreError::AnchoredRelevance));
        let term = |weight: f64, n: i32| Term {
            weight,
            quantity: Quantity::plain(Combination {
                n,
                ..Combination::XW_Y
            }),
            part: Part::Whole,
        };
        let with = |terms: Vec<Term>| Score {
            terms,
            ..mim.clone()
        };
        assert!(with(vec![term(-0.5, 1)]).checked().is_ok());
        let refused = with(vec![term(1.0, 1), term(f64::NAN, 1)]).checked();
        assert!(matches!(refused, Err(ScoreError::Weight { term: 1, .. })));
        let refused = with(vec![term(1.0, 2)]).checked();
        assert_eq!(refused, Err(ScoreError::Unbalanced { sum: 1 }));
        let relevance = Quantity::plain(Combination::default());
        let empty = Score {
            relevance,
            ..mim.clone()
        };
        assert_eq!(empty.checked(), Err(ScoreError::NoRelevance));
        let refused = with(vec![term(1.0, 64)]).checked();
        assert_eq!(refused, Err(ScoreError::Reach { reach: 65 }));
        let refused = with(vec![term(1.0, 1); 9]).checked();
        assert_eq!(refused, Err(ScoreError::Terms { count: 9 }));
    }
}
