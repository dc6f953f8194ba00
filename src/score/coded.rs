//! Scores that are functions of the table of counts.

use std::{fmt::Debug, sync::Arc};

use super::{ScoreError, check_tolerance};

/// A function of a table of counts, for scores that no combination of margin sums can declare.
pub trait TableFunction: Debug + Send + Sync {
    /// The value for one table; larger is better. −∞ is never chosen; +∞ and NaN end the selection.
    fn value(&self, table: &CountTable) -> f64;

    /// How many tables it takes at a time, at most; one, unless a call costs much and a table little.
    fn most_tables(&self) -> usize {
        1
    }

    /// The values of several tables, which have as many levels of the response, and are of one step.
    fn many(&self, tables: &[CountTable]) -> Vec<f64> {
        tables.iter().map(|table| self.value(table)).collect()
    }

    /// The relative tolerance, from 0 to below 1: values this close to the best tie with it, and the
    /// lowest column of a tie is chosen.
    fn tolerance(&self) -> f64;

    /// The name of its method, in messages.
    fn name(&self) -> &str {
        "function"
    }

    /// The parameters of its method, which its CUDA source takes.
    fn values(&self) -> &[f64] {
        &[]
    }

    /// The function in CUDA C, if there is one: a text that defines `passel_value`, as the contract
    /// of plugins has it.
    fn cuda(&self) -> Option<&str> {
        None
    }
}

/// The contingency table of candidate x, anchor w and response y, of at least one observation.
/// Missing values are a level, or in no cell.
///
/// *Shapes:* x·w·y counts; the cell of codes (i, j, l) is at (i·w + j)·y + l. Codes are those of the
/// columns, in their order; codes that no observation has are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountTable<'a> {
    /// The count of each cell.
    pub counts: &'a [u32],
    /// The number of levels of the candidate.
    pub x: usize,
    /// The number of levels of the anchor; 1 where there is none, and of a constant.
    pub w: usize,
    /// The number of levels of the response.
    pub y: usize,
    /// 0 for relevance, where there is no anchor; else the number of the step that the anchor is of, from 1. Of a pair 1.
    pub step: usize,
}

/// A shared [`TableFunction`]; two are equal if they are the same object.
#[derive(Debug, Clone)]
pub struct ScoreFunction(pub Arc<dyn TableFunction>);

impl ScoreFunction {
    pub(super) fn checked(&self) -> Result<(), ScoreError> {
        check_tolerance(self.0.tolerance())
    }
}

impl PartialEq for ScoreFunction {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for ScoreFunction {}
