//! What candidates are counted against, made into codes where somebody needs them.

use std::{
    borrow::Cow,
    sync::{Arc, LazyLock, OnceLock},
};

use super::{CandidateStatistics, Categorical, LogTable, ScoreEvaluator};
use crate::binning::BinnedColumn;

/// A column without missing values, as the device that has it knows it.
#[derive(Clone)]
pub(crate) struct RemoteColumn<'a> {
    pub(crate) column: Arc<Cow<'a, BinnedColumn>>,
    pub(crate) facts: CandidateStatistics,
}

/// What candidates are counted against: chosen columns, one as it is or several joined.
pub(crate) struct ConditioningVariable<'a> {
    /// The column, where it is one alone.
    pub(crate) column: Option<u32>,
    /// What is known of it where it is not the device's own, or may not be.
    pub(crate) remote: Option<RemoteColumn<'a>>,
    anchor: LazyLock<Categorical, Box<dyn FnOnce() -> Categorical + Send + 'a>>,
    sum: OnceLock<i64>,
}

impl<'a> ConditioningVariable<'a> {
    /// One of the columns, for this score. A device that has its codes need not have the
    /// anchor made, which costs a walk over all observations.
    pub(crate) fn of_column(
        column: u32,
        columns: &'a [BinnedColumn],
        evaluator: &'a ScoreEvaluator,
    ) -> Self {
        Self::new(Some(column), move || {
            evaluator.categorical(&columns[column as usize])
        })
    }

    /// What is counted against: one column, if it is one alone, and how its codes are made.
    pub(crate) fn new(column: Option<u32>, make: impl FnOnce() -> Categorical + Send + 'a) -> Self {
        Self {
            column,
            remote: None,
            anchor: LazyLock::new(Box::new(make)),
            sum: OnceLock::new(),
        }
    }

    /// The same, and what is known of the column.
    pub(crate) fn with_remote(self, guest: Option<RemoteColumn<'a>>) -> Self {
        Self {
            remote: guest,
            ..self
        }
    }

    /// Its codes, made once for all who ask.
    pub(crate) fn codes(&self) -> &Categorical {
        &self.anchor
    }

    /// The same and Σ c·L(c) over its levels.
    pub(crate) fn codes_and_log_sum(&self, logs: &LogTable) -> (&Categorical, i64) {
        let anchor = self.codes();
        (anchor, *self.sum.get_or_init(|| anchor.log_sum(logs)))
    }
}

impl From<Categorical> for ConditioningVariable<'_> {
    fn from(anchor: Categorical) -> Self {
        Self::new(None, || anchor)
    }
}
