//! One walking support: its variables, its direction and its own random stream. Its
//! fit lies on the devices.

use serde::{Deserialize, Serialize};

use super::{
    bits,
    objective::rises,
    problem::SearchProblem,
    record::{MoveKind, StepRecord},
};
use crate::{
    device::ModelUpdate,
    random::{Stream, uniform_below},
};

/// Moves between two factorisations from scratch: rounding gathers no longer.
const REFACTOR_EVERY: usize = 64;

/// Large models wait for so many moves a variable: refactoring, O(nk²), stays O(nk) a
/// move.
pub(super) const REFACTOR_PER_VARIABLE: usize = 4;

/// Random variables tried, from the one drawn upwards, before a forward step
/// gives up: only collinear ones are passed over.
const TRIES: usize = 16;

/// A move decided on, its variable not yet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Plan {
    /// Add a variable of the best model; of those outside this one, the pick-th.
    AddBest { pick: u64 },
    /// Add the strongest column, which the sweep finds.
    AddImprove,
    /// Add the pick-th of all outside this model.
    AddRandom { pick: u64 },
    /// Drop the variable that costs least.
    DropImprove,
    /// Drop the pick-th that is not kept.
    DropRandom { pick: u64 },
    /// No move is open.
    Stay,
}

/// What a particle resumes from; an island of the polish uses `members` and `words` alone.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ParticleState {
    /// Columns, ascending.
    pub(super) members: Vec<u32>,
    /// Words drawn from its random stream so far.
    pub(super) words: u64,
    pub(super) forward: bool,
    #[serde(with = "bits")]
    pub(super) value: f64,
}

/// One particle. Its stream gives two words a step, whatever the step does, so
/// its randomness never depends on another's.
#[derive(Debug, Clone)]
pub(crate) struct Particle {
    stream: Stream,
    /// The support, ascending.
    members: Vec<u32>,
    forward: bool,
    /// Since the last factorisation from scratch.
    moves: usize,
    /// φ of the model.
    value: f64,
}

impl Particle {
    /// Particle `number`, with the kept variables.
    pub(crate) fn new(problem: &SearchProblem, seed: u64, number: u64) -> Self {
        Self {
            stream: Stream::new(seed, number),
            members: problem.keep.to_vec(),
            forward: true,
            moves: 0,
            value: f64::INFINITY,
        }
    }

    /// Particle `number` where it was at a canonical iteration.
    pub(super) fn resumed(seed: u64, number: u64, state: &ParticleState) -> Self {
        Self {
            stream: Stream::resume_at(seed, number, state.words),
            members: state.members.clone(),
            forward: state.forward,
            moves: 0,
            value: state.value,
        }
    }

    /// Where it is, at a canonical iteration.
    pub(super) fn state(&self) -> ParticleState {
        ParticleState {
            members: self.members.clone(),
            words: self.stream.words_drawn(),
            forward: self.forward,
            value: self.value,
        }
    }

    /// The draw of one variable to start with.
    pub(crate) fn draw(&mut self) -> u64 {
        self.stream.next_word()
    }

    pub(crate) fn members(&self) -> &[u32] {
        &self.members
    }

    pub(crate) fn value(&self) -> f64 {
        self.value
    }

    /// Takes a new φ and turns around if it rose by more than rounding.
    pub(crate) fn update_value(&mut self, value: f64) {
        if rises(self.value, value) {
            self.forward = !self.forward;
        }
        self.value = value;
    }

    /// Draws this step's move.
    pub(crate) fn plan(&mut self, problem: &SearchProblem, best: &[u32]) -> Plan {
        let choice = unit(self.stream.next_word());
        let pick = self.stream.next_word();
        let size = self.members.len();
        let (can_add, can_drop) = (size < problem.max_size, size > problem.keep.len());
        self.forward = match (can_add, can_drop) {
            (false, false) => return Plan::Stay,
            (true, false) => true,
            (false, true) => false,
            (true, true) => self.forward,
        };
        if !self.forward {
            return if choice < problem.improve_backward {
                Plan::DropImprove
            } else {
                Plan::DropRandom { pick }
            };
        }
        let [best_p, improve_p, _] = problem.forward;
        if choice < best_p {
            if outside(best, &self.members).next().is_some() {
                return Plan::AddBest { pick };
            }
            // Nothing of the best model is left to add: its probability goes
            // to the other two in proportion. Within this branch the draw is
            // uniform again once scaled.
            let rest = 1.0 - best_p;
            let improves = rest <= 0.0 || choice / best_p < improve_p / rest;
            return if improves {
                Plan::AddImprove
            } else {
                Plan::AddRandom { pick }
            };
        }
        if choice < best_p + improve_p {
            Plan::AddImprove
        } else {
            Plan::AddRandom { pick }
        }
    }

    /// What to try for a plan, after so many refusals; none where nothing is left to
    /// try. `strongest` is the sweep's answer to an improving forward step. A forward
    /// step that finds nothing to add turns around.
    pub(crate) fn attempt(
        &self,
        problem: &SearchProblem,
        plan: Plan,
        best: &[u32],
        strongest: Option<u32>,
        refused: usize,
    ) -> Option<(MoveKind, ModelUpdate)> {
        // The move, how many additions may be tried, and the one to try now.
        let (moved, adds, add) = match plan {
            Plan::Stay => return None,
            Plan::DropRandom { pick } => {
                let open = || outside(&self.members, problem.keep);
                let variable = open().nth(uniform_below(pick, open().count()))?;
                return (refused == 0)
                    .then_some((MoveKind::DropRandom, ModelUpdate::Drop(variable)));
            }
            Plan::DropImprove => (MoveKind::DropImprove, 0, None),
            Plan::AddImprove => (
                MoveKind::AddImprove,
                usize::from(strongest.is_some()),
                strongest,
            ),
            Plan::AddRandom { pick } => (
                MoveKind::AddRandom,
                TRIES.min(problem.x.p() - self.members.len()),
                self.random(problem, pick, refused),
            ),
            Plan::AddBest { pick } => {
                let open = || outside(best, &self.members);
                let count = open().count();
                let at = uniform_below(pick, count) + refused;
                (MoveKind::AddBest, count, open().nth(at % count.max(1)))
            }
        };
        match add.filter(|_| refused < adds) {
            Some(variable) => Some((moved, ModelUpdate::Add(variable))),
            // Once: where nothing can be dropped either, the particle stays.
            None => (refused == adds).then_some((MoveKind::DropImprove, ModelUpdate::DropCheapest)),
        }
    }

    /// The pick-th variable of all outside the model, or after refusals one of the
    /// next few.
    pub(crate) fn random(&self, problem: &SearchProblem, pick: u64, refused: usize) -> Option<u32> {
        let open = problem.x.p() - self.members.len();
        if refused >= open.min(TRIES) {
            return None;
        }
        let rank = ((uniform_below(pick, open) + refused) % open) as u32;
        // The rank-th outside: each member at or below shifts it by one.
        let shift = |variable, m: &u32| variable + u32::from(*m <= variable);
        Some(self.members.iter().fold(rank, shift))
    }

    /// Takes note of an update that was done.
    pub(crate) fn updated(&mut self, update: ModelUpdate, variable: u32) {
        match (update, self.members.binary_search(&variable)) {
            (ModelUpdate::Add(_), Err(at)) => self.members.insert(at, variable),
            (ModelUpdate::Drop(_) | ModelUpdate::DropCheapest, Ok(at)) => {
                self.members.remove(at);
            }
            _ => {}
        }
    }

    /// Counts a step; whether the fit is to be built anew, which it is wherever all are.
    pub(crate) fn is_worn(&mut self, all: bool) -> bool {
        self.moves += 1;
        let most = REFACTOR_EVERY.max(REFACTOR_PER_VARIABLE * self.members.len());
        let worn = all || self.moves >= most;
        if worn {
            self.moves = 0;
        }
        worn
    }

    /// The record of what it did.
    pub(crate) fn step(&self, kind: MoveKind, variable: Option<u32>) -> StepRecord {
        StepRecord {
            kind,
            variable,
            size: self.members.len(),
            value: self.value,
        }
    }
}

/// Of an ascending list, those not in another ascending list.
fn outside<'a>(list: &'a [u32], members: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    let absent = |v: &u32| members.binary_search(v).is_err();
    list.iter().copied().filter(absent)
}

/// A word as a number in [0, 1).
fn unit(word: u64) -> f64 {
    (word >> 11) as f64 / (1u64 << 53) as f64
}
