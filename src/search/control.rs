//! What a search reports to, what ends it, and how a stage of it ended.

use std::{sync::atomic::Ordering, time::Instant};

use super::{
    checkpoint::CheckpointWriter,
    problem::SearchProblem,
    record::IterationRecord,
    state::{Stage, State},
    visited::VisitedModels,
};
use crate::{
    device::DeviceError,
    interrupt::Interrupt,
    ranks::Communicator,
    selection::{Certificate, Proof, Settled, Termination},
};

/// What can end a search from outside.
#[derive(Clone, Copy)]
pub(super) struct Limits<'a> {
    pub(super) interrupt: &'a Interrupt,
    pub(super) communicator: Option<&'a Communicator>,
    pub(super) start: Instant,
}

impl Limits<'_> {
    /// Whether the search should end.
    pub(super) fn stop(&self) -> bool {
        self.interrupt.requested()
    }
}

pub(super) struct RunControl<'a, 'k> {
    pub(super) limits: Limits<'a>,
    pub(super) observe: &'a mut dyn FnMut(&IterationRecord),
    pub(super) keeper: Option<CheckpointWriter<'k, State>>,
}

impl RunControl<'_, '_> {
    /// Notes a stage from which the search can resume, if the caller wants checkpoints.
    pub(super) fn keep(
        &mut self,
        problem: &SearchProblem,
        visited: &VisitedModels,
        stage: impl FnOnce() -> Stage,
    ) {
        if let Some(keeper) = &mut self.keeper {
            keeper.at(State {
                undefined: problem.objective.undefined.load(Ordering::Relaxed),
                visited: visited.clone(),
                stage: stage(),
            });
        }
    }
}

/// How far a search got.
pub(super) struct StageEnd {
    pub(super) visited: VisitedModels,
    /// The best model, columns ascending.
    pub(super) members: Vec<u32>,
    pub(super) iterations: usize,
    pub(super) termination: Termination,
    /// What is certain of the model; nothing where the end came before the last sweep.
    pub(super) certified: Option<Certificate>,
    /// How the neighbours of a certified model were settled.
    pub(super) settled: Option<Settled>,
    pub(super) proof: Option<Proof>,
    pub(super) fault: Option<DeviceError>,
}

impl StageEnd {
    /// Notes the end before the work was done: by a device that failed, or by the limits.
    pub(super) fn cut(&mut self, limits: &Limits, fault: Option<DeviceError>) {
        self.termination = match fault {
            Some(_) => Termination::Fault,
            None if limits.interrupt.is_at_time_limit() => Termination::TimeLimit,
            None => Termination::Interrupted,
        };
        self.fault = fault;
    }
}
