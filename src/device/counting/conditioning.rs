//! What candidates are counted against: a categorical variable whose codes are made on demand.

use std::{
    borrow::Cow,
    sync::{Arc, LazyLock, OnceLock},
};

use serde::{Deserialize, Serialize};

use super::{LogTable, categorical::Categorical, evaluator::ScoreEvaluator};
use crate::binning::BinnedColumn;

/// What a device knows of a candidate besides its score.
///
/// *Units:* fixed-point nats times observations, see [`LogTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CandidateStatistics {
    /// Σ of n·I(x;w) over the columns w swept; none where joint variables were swept.
    pub(crate) redundancy: Option<i128>,
    /// n·I(x;y).
    pub(crate) mutual_information: i64,
    /// Σ c·L(c) over x.
    pub(crate) log_sum: i64,
    /// Levels of x that occur.
    pub(crate) levels: usize,
}

/// A column without missing values that may belong to another device or rank, with the statistics
/// that its owner sent.
#[derive(Clone)]
pub(crate) struct RemoteColumn<'a> {
    pub(crate) column: Arc<Cow<'a, BinnedColumn>>,
    pub(crate) statistics: CandidateStatistics,
}

/// The variable that candidates' tables are conditioned on: one chosen column, or several joined.
pub(crate) struct ConditioningVariable<'a> {
    /// The number of the column, if it is a single one.
    pub(crate) column: Option<u32>,
    /// The column's codes and statistics, where a device may not have them itself.
    pub(crate) remote: Option<RemoteColumn<'a>>,
    codes: LazyLock<Categorical, Box<dyn FnOnce() -> Categorical + Send + 'a>>,
    log_sum: OnceLock<i64>,
}

impl<'a> ConditioningVariable<'a> {
    /// One of the columns, as this score conditions on it. Its codes are made when a device first
    /// asks: a device that has the column saves the pass over all observations.
    pub(crate) fn of_column(
        column: u32,
        columns: &'a [BinnedColumn],
        evaluator: &'a ScoreEvaluator,
    ) -> Self {
        Self::new(Some(column), move || {
            evaluator.categorical(&columns[column as usize])
        })
    }

    /// A variable whose codes `make` returns, and the number of its column if it is a single one.
    pub(crate) fn new(column: Option<u32>, make: impl FnOnce() -> Categorical + Send + 'a) -> Self {
        Self {
            column,
            remote: None,
            codes: LazyLock::new(Box::new(make)),
            log_sum: OnceLock::new(),
        }
    }

    /// Its codes, made once for all who ask.
    pub(crate) fn codes(&self) -> &Categorical {
        &self.codes
    }

    /// Its codes, and Σ c·L(c) over their levels.
    pub(crate) fn codes_and_log_sum(&self, logs: &LogTable) -> (&Categorical, i64) {
        let codes = self.codes();
        (codes, *self.log_sum.get_or_init(|| codes.log_sum(logs)))
    }
}

impl From<Categorical> for ConditioningVariable<'_> {
    fn from(codes: Categorical) -> Self {
        Self::new(None, || codes)
    }
}
