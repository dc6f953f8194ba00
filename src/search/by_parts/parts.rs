//! What a search by parts is given.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use passel_criteria::Criterion;

use crate::{
    design::{Design, WideFormula},
    device::Resources,
    interrupt::Interrupt,
    search::Pass,
    selection::Termination,
};

pub(super) struct Parts<'a> {
    pub(super) first: &'a Design,
    pub(super) wide: &'a Arc<WideFormula>,
    pub(super) criterion: &'a dyn Criterion,
    pub(super) pass: Pass,
    pub(super) resources: &'a Resources,
    pub(super) interrupt: &'a Interrupt,
    /// The most columns of a part.
    pub(super) columns: usize,
    /// The fewest variables of a block.
    pub(super) fewest: usize,
    pub(super) began: Instant,
}

impl Parts<'_> {
    /// The time that is left of a limit.
    pub(super) fn left(&self, limit: Duration) -> Duration {
        limit
            .saturating_sub(self.began.elapsed())
            .max(Duration::from_millis(1))
    }

    /// Why the search is to end between two parts. Ranks agree on that during a search alone.
    pub(super) fn ended(&self) -> Option<Termination> {
        let limit = self.pass.time_limit;
        match () {
            () if self.resources.distributed().is_some() => None,
            () if self.interrupt.requested() => Some(Termination::Interrupted),
            () if limit.is_some_and(|limit| self.began.elapsed() >= limit) => {
                Some(Termination::TimeLimit)
            }
            () => None,
        }
    }
}
