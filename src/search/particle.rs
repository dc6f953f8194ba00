//! A particle of the swarm: a support that moves by adding or dropping one variable a step, with
//! its direction and its own random stream. Its fit is kept by the devices.

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

/// Moves between two factorisations from scratch, so that rounding does not accumulate.
const REFACTOR_EVERY: usize = 64;

/// The interval for large models, in moves a variable: refactoring costs O(nk²), and so stays
/// O(nk) a move.
pub(super) const REFACTOR_PER_VARIABLE: usize = 4;

/// Random variables tried, from the one drawn upwards, before a forward step gives up; only
/// collinear ones are skipped.
const TRIES: usize = 16;

/// A move whose kind is drawn; its variable is not chosen yet.
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

/// One particle. Every step draws two words of its stream, whatever the step does, so that no
/// particle's randomness depends on another's.
#[derive(Debug, Clone)]
pub(crate) struct Particle {
    stream: Stream,
    /// The support, ascending.
    members: Vec<u32>,
    forward: bool,
    /// Moves since the last factorisation from scratch.
    moves: usize,
    /// φ of the model.
    value: f64,
}

impl Particle {
    /// Particle `number`, with the kept variables as its support.
    pub(crate) fn new(problem: &SearchProblem, seed: u64, number: u64) -> Self {
        Self {
            stream: Stream::new(seed, number),
            members: problem.keep.to_vec(),
            forward: true,
            moves: 0,
            value: f64::INFINITY,
        }
    }

    /// Particle `number`, resumed from a canonical iteration.
    pub(super) fn resumed(seed: u64, number: u64, state: &ParticleState) -> Self {
        Self {
            stream: Stream::resume_at(seed, number, state.words),
            members: state.members.clone(),
            forward: state.forward,
            moves: 0,
            value: state.value,
        }
    }

    /// The state to resume from, at a canonical iteration.
    pub(super) fn state(&self) -> ParticleState {
        ParticleState {
            members: self.members.clone(),
            words: self.stream.words_drawn(),
            forward: self.forward,
            value: self.value,
        }
    }

    /// Draws a word for one variable of the random start.
    pub(crate) fn draw(&mut self) -> u64 {
        self.stream.next_word()
    }

    pub(crate) fn members(&self) -> &[u32] {
        &self.members
    }

    pub(crate) fn value(&self) -> f64 {
        self.value
    }

    /// Sets φ after a move; the direction reverses if φ rose by more than rounding.
    pub(crate) fn update_value(&mut self, value: f64) {
        if rises(self.value, value) {
            self.forward = !self.forward;
        }
        self.value = value;
    }

    /// Draws the kind of this step's move.
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
            // The support holds the whole best model: its probability goes to the other two
            // moves in proportion. Within this branch the scaled draw is uniform again.
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

    /// The next update to try for a plan, after `refused` were refused; `None` where none is
    /// left. `strongest` is the sweep's result for an improving forward step. A forward step that
    /// finds nothing to add becomes an improving backward step.
    pub(crate) fn attempt(
        &self,
        problem: &SearchProblem,
        plan: Plan,
        best: &[u32],
        strongest: Option<u32>,
        refused: usize,
    ) -> Option<(MoveKind, ModelUpdate)> {
        // The kind of move, the number of additions to try, and the one to try now.
        let (kind, adds, add) = match plan {
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
            Some(variable) => Some((kind, ModelUpdate::Add(variable))),
            // Once: where nothing can be dropped either, the particle stays.
            None => (refused == adds).then_some((MoveKind::DropImprove, ModelUpdate::DropCheapest)),
        }
    }

    /// The pick-th variable outside the model, or after refusals one of the next few.
    pub(crate) fn random(&self, problem: &SearchProblem, pick: u64, refused: usize) -> Option<u32> {
        let open = problem.x.p() - self.members.len();
        if refused >= open.min(TRIES) {
            return None;
        }
        let rank = ((uniform_below(pick, open) + refused) % open) as u32;
        // Each member at or below the variable shifts it by one.
        let shift = |variable, m: &u32| variable + u32::from(*m <= variable);
        Some(self.members.iter().fold(rank, shift))
    }

    /// Applies an update that the devices carried out.
    pub(crate) fn updated(&mut self, update: ModelUpdate, variable: u32) {
        match (update, self.members.binary_search(&variable)) {
            (ModelUpdate::Add(_), Err(at)) => self.members.insert(at, variable),
            (ModelUpdate::Drop(_) | ModelUpdate::DropCheapest, Ok(at)) => {
                self.members.remove(at);
            }
            _ => {}
        }
    }

    /// Counts a step; true if the fit must be factored from scratch, as where `all` are.
    pub(crate) fn is_worn(&mut self, all: bool) -> bool {
        self.moves += 1;
        let most = REFACTOR_EVERY.max(REFACTOR_PER_VARIABLE * self.members.len());
        let worn = all || self.moves >= most;
        if worn {
            self.moves = 0;
        }
        worn
    }

    /// The record of its last move.
    pub(crate) fn step(&self, kind: MoveKind, variable: Option<u32>) -> StepRecord {
        StepRecord {
            kind,
            variable,
            size: self.members.len(),
            value: self.value,
        }
    }
}

/// The elements of an ascending list that are not in another.
fn outside<'a>(list: &'a [u32], members: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    let absent = |v: &u32| members.binary_search(v).is_err();
    list.iter().copied().filter(absent)
}

/// A word as a number in [0, 1).
fn unit(word: u64) -> f64 {
    (word >> 11) as f64 / (1u64 << 53) as f64
}
