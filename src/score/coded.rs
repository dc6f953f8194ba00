//! A score that is code: a function of the table of counts itself.

use std::{fmt::Debug, sync::Arc};

use super::ScoreError;

/// A function of a table of counts, for a score that no combination of margin sums declares.
pub trait TableFunction: Debug + Send + Sync {
    /// The value for one table; larger is better. −∞ is never chosen; +∞ and what is not a
    /// number end the selection.
    fn value(&self, table: &CountTable) -> f64;

    /// Relative, from 0 to below 1: values this close to the best are as good as it, and the
    /// lowest column is chosen of them.
    fn tolerance(&self) -> f64;

    /// The name of its method, for messages.
    fn name(&self) -> &str {
        "function"
    }

    /// The parameters of its method, which the same in CUDA C is given.
    fn values(&self) -> &[f64] {
        &[]
    }

    /// The same in CUDA C, if there is one: a text with `passel_value`, as the contract of
    /// plugins has it.
    fn cuda(&self) -> Option<&str> {
        None
    }
}

/// Counts of (x, w, y), of x the candidate, w the anchor, y the response; of some observation at
/// least. Missing values are a level, or in no cell.
///
/// The cell of three codes is at (x·ws + w)·ys + y. Codes are the columns' own, in their
/// order, and those that no observation has are there too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountTable<'a> {
    /// One for each cell.
    pub counts: &'a [u32],
    /// Levels of the candidate.
    pub x: usize,
    /// Levels of the anchor: one before there is any.
    pub w: usize,
    /// Levels of the response.
    pub y: usize,
}

/// A shared [`TableFunction`]; equal where it is the same.
#[derive(Debug, Clone)]
pub struct ScoreFunction(pub Arc<dyn TableFunction>);

impl ScoreFunction {
    pub(super) fn checked(&self) -> Result<(), ScoreError> {
        let tolerance = self.0.tolerance();
        match (0.0..1.0).contains(&tolerance) {
            true => Ok(()),
            false => Err(ScoreError::Tolerance {
                tolerance: tolerance.to_string(),
            }),
        }
    }
}

impl PartialEq for ScoreFunction {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for ScoreFunction {}
