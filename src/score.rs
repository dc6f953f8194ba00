//! The score of a selector as a declaration: which numbers of a contingency table it is made of, how
//! they are combined over the steps, and how relevance joins them. A device that counts tables needs to
//! know nothing else.
//!
//! With c the counts of a table's cells and S = Σ c·ln c over the cells of one margin, every
//! entropy and mutual information is an integer combination of the S: n·I(x;y) =
//! S(xy) − S(x) − S(y) + S(n). Here x is the candidate, w the anchor (the column chosen last,
//! or all chosen columns joined), y the response, and S(n) = n·ln n.
//!
//! A score that no combination declares is a [`ScoreFunction`] of the table.

mod coded;
mod finish;
mod pair;
#[cfg(test)]
mod tests;

pub use passel_score::{
    Against, Combination, Combine, Gather, Join, Part, Quantity, Term, combinations,
};
use thiserror::Error;

pub use coded::{CountTable, ScoreFunction, TableFunction};
pub use finish::{Finish, FinishFunction, Gathered, Totals};
pub use pair::PairScore;

/// What a score measures of a contingency table.
#[derive(Debug, Clone, PartialEq)]
pub enum Measure {
    /// Integers of margin sums.
    Declared {
        /// Measured in the table of candidate and response alone.
        relevance: Quantity,
        /// Their sum is the contribution of a step; empty for a score that is relevance alone.
        terms: Vec<Term>,
    },
    /// A function of the table. Relevance is its value where the anchor has one level, the
    /// contribution of a step its value for the whole table.
    Function(ScoreFunction),
}

impl Measure {
    /// Measures relevance I(x;y), and these terms in each step.
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

/// How entropies are corrected for their bias: those of raw counts are too small, and informations
/// too large, the more so the more cells a table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Correction {
    /// Not: the plug-in estimate.
    #[default]
    None,
    /// H + (m − 1)/2n, with m the number of cells that have observations.
    ///
    /// *Source:* G. A. Miller, Note on the bias of information estimates (1955).
    MillerMadow,
}

impl Correction {
    /// Its name in options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::MillerMadow => "miller-madow",
        }
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
    /// See [`Combine`]; of a function, which gives a step one value, the sum.
    pub combine: Combine,
    /// See [`Gather`].
    pub gather: Gather,
    /// See [`Join`].
    pub join: Join,
    /// What takes the place of the join.
    pub finish: Option<Finish>,
    /// See [`Against`].
    pub against: Against,
    /// See [`Correction`]; none of a function of tables.
    pub correction: Correction,
    /// The selection ends when no candidate's score is above it. *Units:* those of the score.
    pub floor: Option<f64>,
}

/// Why a score is invalid: it has no meaning, or its integers exceed a limit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ScoreError(String);

impl ScoreError {
    /// A combination's integers of one sign sum to more than the fixed-point sums have room for.
    pub(crate) fn reach(reach: u32) -> Self {
        Self(format!(
            "a combination's integers sum to {reach}; at most {REACH} have room"
        ))
    }

    /// More terms than there are margins has no use.
    pub(crate) fn terms(count: usize) -> Self {
        Self(format!("{count} terms; at most {TERMS} are summed"))
    }
}

/// The largest sum of a combination's integers of one sign.
pub const REACH: u32 = 64;

/// The largest number of terms.
pub const TERMS: usize = 8;

/// The largest weight, in absolute value.
pub const WEIGHT: f64 = 1_048_576.0;

impl Score {
    /// Returns the score if it is valid.
    ///
    /// # Errors
    /// [`ScoreError`] says which part has no meaning, or which limit is exceeded.
    pub fn checked(self) -> Result<Self, ScoreError> {
        self.check_finish()?;
        let (relevance, terms) = match &self.measure {
            Measure::Function(coded) => {
                coded.checked()?;
                return Ok(self);
            }
            Measure::Declared { relevance, terms } => (relevance, terms),
        };
        let refused = |reason: String| Err(ScoreError(reason));
        // Relevance is known before there is an anchor.
        if relevance.has_anchor() {
            let own = "it is of x and y alone";
            return refused(format!("relevance has a margin of the anchor; {own}"));
        }
        if terms.len() > TERMS {
            return Err(ScoreError::terms(terms.len()));
        }
        let reach = self.reach();
        if reach > REACH {
            return Err(ScoreError::reach(reach));
        }
        for quantity in self.quantities() {
            balanced(&quantity)?;
        }
        if relevance.over.is_zero() {
            return refused("relevance is empty; it is I(x;y), as a rule".to_owned());
        }
        for (term, Term { weight, .. }) in terms.iter().enumerate() {
            if weight.is_nan() || weight.abs() > WEIGHT {
                let all = "weights are −1048576 … 1048576";
                return refused(format!("the weight of term {term} is {weight}; {all}"));
            }
        }
        Ok(self)
    }

    fn check_finish(&self) -> Result<(), ScoreError> {
        if self.combine != Combine::Sum && self.function().is_some() {
            return Err(ScoreError(
                "its terms are combined, and a function has none".to_owned(),
            ));
        }
        let Some(finish) = &self.finish else {
            return match self.combine {
                Combine::Apart => Err(ScoreError(
                    "its terms are gathered apart, and nothing finishes the score".to_owned(),
                )),
                _ => Ok(()),
            };
        };
        if self.join != Join::Added {
            return Err(ScoreError(
                "it has a join, and what finishes a score takes the place of that".to_owned(),
            ));
        }
        check_tolerance(finish.0.tolerance())
    }

    /// Whether it is counted in integers, exactly; else in floats.
    pub fn is_exact(&self) -> bool {
        let gathers = !matches!(self.gather, Gather::Maximum | Gather::Product);
        let combines = self.combine == Combine::Sum && gathers;
        combines && self.function().is_none() && self.finish.is_none()
    }

    /// The terms of a step; empty for a score that is a function.
    pub fn terms(&self) -> &[Term] {
        match &self.measure {
            Measure::Declared { terms, .. } => terms,
            Measure::Function(_) => &[],
        }
    }

    /// The function; `None` for a declared score.
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
        let terms = self.terms().iter().map(|term| term.quantity);
        terms.chain(relevance)
    }

    /// The largest [`Combination::reach`] of its quantities; of a function that of the
    /// redundancy reported beside it.
    pub fn reach(&self) -> u32 {
        if self.function().is_some() {
            return Combination::X_W.reach();
        }
        let combinations = self
            .quantities()
            .flat_map(|quantity| quantity.combinations());
        combinations
            .map(|combination| combination.reach())
            .max()
            .unwrap_or(0)
    }
}

fn check_tolerance(tolerance: f64) -> Result<(), ScoreError> {
    match (0.0..1.0).contains(&tolerance) {
        true => Ok(()),
        false => Err(ScoreError(format!(
            "the tolerance is {tolerance}; it is a number from 0 to below 1"
        ))),
    }
}

/// Checks that the integers of a quantity's combinations sum to 0.
///
/// # Errors
/// They do not; those of every entropy and information do, so it is a slip.
pub(crate) fn balanced(quantity: &Quantity) -> Result<(), ScoreError> {
    let mut sums = quantity.combinations().into_iter().map(|one| one.sum());
    match sums.find(|sum| *sum != 0) {
        Some(sum) => Err(ScoreError(format!(
            "a combination's integers sum to {sum}; those of entropies and informations sum to 0"
        ))),
        None => Ok(()),
    }
}
