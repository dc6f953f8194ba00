//! What candidates are counted against, made into codes where somebody needs them.

use std::{
    borrow::Cow,
    sync::{Arc, LazyLock, OnceLock},
};

use super::{Anchor, Facts, Logs, Tally};
use crate::binning::BinnedColumn;

/// A column without missing values, as the device that has it knows it.
#[derive(Clone)]
pub(crate) struct Guest<'a> {
    pub(crate) column: Arc<Cow<'a, BinnedColumn>>,
    pub(crate) facts: Facts,
}

/// What candidates are counted against: chosen columns, one as it is or several joined.
pub(crate) struct Step<'a> {
    /// The column, where it is one alone.
    pub(crate) column: Option<u32>,
    /// What is known of it where it is not the device's own, or may not be.
    pub(crate) guest: Option<Guest<'a>>,
    anchor: LazyLock<Anchor, Box<dyn FnOnce() -> Anchor + Send + 'a>>,
    sum: OnceLock<i64>,
}

impl<'a> Step<'a> {
    /// One of the columns, for this score. A device that has its codes need not have the
    /// anchor made, which costs a walk over all observations.
    pub(crate) fn of(column: u32, columns: &'a [BinnedColumn], tally: &'a Tally) -> Self {
        Self::new(Some(column), move || {
            tally.anchor(&columns[column as usize])
        })
    }

    /// What is counted against: one column, if it is one alone, and how its codes are made.
    pub(crate) fn new(column: Option<u32>, make: impl FnOnce() -> Anchor + Send + 'a) -> Self {
        Self {
            column,
            guest: None,
            anchor: LazyLock::new(Box::new(make)),
            sum: OnceLock::new(),
        }
    }

    /// The same, and what is known of the column.
    pub(crate) fn with(self, guest: Option<Guest<'a>>) -> Self {
        Self { guest, ..self }
    }

    /// Its codes, made once for all who ask.
    pub(crate) fn anchor(&self) -> &Anchor {
        &self.anchor
    }

    /// The same and Σ c·L(c) over its levels.
    pub(crate) fn summed(&self, logs: &Logs) -> (&Anchor, i64) {
        let anchor = self.anchor();
        (anchor, *self.sum.get_or_init(|| anchor.sum(logs)))
    }
}

impl From<Anchor> for Step<'_> {
    fn from(anchor: Anchor) -> Self {
        Self::new(None, || anchor)
    }
}
