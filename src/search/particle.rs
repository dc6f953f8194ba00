//! A particle of the swarm: a support that moves by adding or dropping one variable a step, with
//! its direction and its own random stream. Its fit is kept by the devices.

use super::{
    problem::{SearchProblem, rises},
    record::MoveKind,
    state::ParticleState,
};
use crate::{
    design::Terms,
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

/// A move whose kind is drawn; its variable, the pick-th of those open to that kind, is not chosen
/// yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) kind: MoveKind,
    pick: u64,
}

/// An update to try, with the terms that move the same way before it, so that no model breaks the hierarchy:
/// those that a term needs which joins, or those that need one which leaves.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    pub(super) kind: MoveKind,
    pub(super) update: ModelUpdate,
    pub(super) before: Vec<u32>,
}

impl Attempt {
    pub(super) fn alone(kind: MoveKind, update: ModelUpdate) -> Self {
        Self {
            kind,
            update,
            before: Vec::new(),
        }
    }
}

/// One particle. Every step draws two words of its stream, whatever the step does, so that no
/// particle's randomness depends on another's.
#[derive(Debug, Clone)]
pub(super) struct Particle {
    pub(super) stream: Stream,
    /// Its terms, ascending.
    pub(super) members: Vec<u32>,
    forward: bool,
    moves: usize,
    pub(super) value: f64,
}

impl Particle {
    /// Particle `number`, whose fit was just factored from scratch.
    pub(super) fn at(seed: u64, number: u64, state: ParticleState) -> Self {
        Self {
            stream: Stream::resume_at(seed, number, state.words),
            members: state.members,
            forward: state.forward,
            moves: 0,
            value: state.value,
        }
    }

    pub(super) fn state(&self) -> ParticleState {
        ParticleState {
            members: self.members.clone(),
            words: self.stream.words_drawn(),
            forward: self.forward,
            value: self.value,
        }
    }

    /// Sets φ after a move; the direction reverses if φ rose by more than rounding.
    pub(super) fn update_value(&mut self, value: f64) {
        if rises(self.value, value) {
            self.forward = !self.forward;
        }
        self.value = value;
    }

    /// Draws the kind of this step's move of a model with so many columns.
    pub(super) fn plan(
        &mut self,
        problem: &SearchProblem,
        best: &[u32],
        parameters: usize,
    ) -> Plan {
        let choice = unit(self.stream.next_word());
        let pick = self.stream.next_word();
        let plan = |kind| Plan { kind, pick };
        let size = self.members.len();
        let (can_add, can_drop) = (parameters < problem.max_size, size > problem.keep.len());
        self.forward = match (can_add, can_drop) {
            (false, false) => return plan(MoveKind::Stay),
            (true, false) => true,
            (false, true) => false,
            (true, true) => self.forward,
        };
        if !self.forward {
            return plan(match choice < problem.pass.backward[0] {
                true => MoveKind::DropImprove,
                false => MoveKind::DropRandom,
            });
        }
        let [best_p, improve_p, _] = problem.pass.forward;
        if choice < best_p && outside(best, &self.members).next().is_some() {
            return plan(MoveKind::AddBest);
        }
        let improves = if choice < best_p {
            // The support holds the whole best model: its probability goes to the other two
            // moves in proportion. Within this branch the scaled draw is uniform again.
            let rest = 1.0 - best_p;
            rest <= 0.0 || choice / best_p < improve_p / rest
        } else {
            choice < best_p + improve_p
        };
        plan(match improves {
            true => MoveKind::AddImprove,
            false => MoveKind::AddRandom,
        })
    }

    /// The next update to try for a plan, after `refused` were refused; `None` where none is
    /// left. `strongest` is the sweep's result for an improving forward step. A forward step that
    /// finds nothing to add becomes an improving backward step.
    pub(super) fn attempt(
        &self,
        problem: &SearchProblem,
        Plan { kind, pick }: Plan,
        best: &[u32],
        strongest: Option<u32>,
        refused: usize,
    ) -> Option<Attempt> {
        // The number of additions to try, and the one to try now.
        let (adds, add) = match kind {
            MoveKind::Start | MoveKind::Stay | MoveKind::Walk => return None,
            MoveKind::DropRandom => {
                let may_leave = |term: &u32| {
                    let standing = problem.x.standing_on(*term, &self.members);
                    let is_kept = |other: &u32| problem.keep.binary_search(other).is_ok();
                    !standing.iter().any(is_kept)
                };
                let open = || outside(&self.members, problem.keep).filter(may_leave);
                let variable = open().nth(uniform_below(pick, open().count()))?;
                return (refused == 0).then(|| self.dropping(problem, kind, variable));
            }
            MoveKind::DropImprove => (0, None),
            MoveKind::AddImprove => (usize::from(strongest.is_some()), strongest),
            MoveKind::AddRandom => {
                let tries = TRIES.min(problem.x.term_count() - self.members.len());
                (tries, self.random(problem, pick, refused))
            }
            MoveKind::AddBest => {
                let open = || outside(best, &self.members);
                let count = open().count();
                let at = uniform_below(pick, count) + refused;
                (count, open().nth(at % count.max(1)))
            }
        };
        match add.filter(|_| refused < adds) {
            Some(variable) => Some(Attempt {
                before: self.lacking(problem, variable, best),
                ..Attempt::alone(kind, ModelUpdate::Add(variable))
            }),
            // Once: where nothing can be dropped either, the particle stays.
            None => (refused == adds)
                .then(|| Attempt::alone(MoveKind::DropImprove, ModelUpdate::DropCheapest)),
        }
    }

    /// What a term needs that the model lacks, of the best model where there is a choice.
    pub(super) fn lacking(&self, problem: &SearchProblem, term: u32, best: &[u32]) -> Vec<u32> {
        let is_best = |parent: u32| best.binary_search(&parent).is_ok();
        let missing = |terms: &Terms| terms.missing(term, &self.members, is_best);
        problem.x.terms().map_or_else(Vec::new, missing)
    }

    /// A drop of a term, with those that stand on it.
    pub(super) fn dropping(&self, problem: &SearchProblem, kind: MoveKind, term: u32) -> Attempt {
        Attempt {
            before: problem.x.standing_on(term, &self.members),
            ..Attempt::alone(kind, ModelUpdate::Drop(term))
        }
    }

    /// The pick-th variable outside the model, or after refusals one of the next few.
    pub(super) fn random(&self, problem: &SearchProblem, pick: u64, refused: usize) -> Option<u32> {
        let open = problem.x.term_count() - self.members.len();
        if refused >= open.min(TRIES) {
            return None;
        }
        let rank = ((uniform_below(pick, open) + refused) % open) as u32;
        // Each member at or below the variable shifts it by one.
        let shift = |variable, m: &u32| variable + u32::from(*m <= variable);
        Some(self.members.iter().fold(rank, shift))
    }

    pub(super) fn updated(&mut self, update: ModelUpdate, variable: u32) {
        match (update, self.members.binary_search(&variable)) {
            (ModelUpdate::Add(_), Err(at)) => self.members.insert(at, variable),
            (ModelUpdate::Drop(_) | ModelUpdate::DropCheapest, Ok(at)) => {
                self.members.remove(at);
            }
            _ => {}
        }
    }

    /// Counts a step; true if the fit must be factored from scratch, as where `all` are.
    pub(super) fn is_worn(&mut self, all: bool) -> bool {
        self.moves += 1;
        let most = REFACTOR_EVERY.max(REFACTOR_PER_VARIABLE * self.members.len());
        let worn = all || self.moves >= most;
        if worn {
            self.moves = 0;
        }
        worn
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
