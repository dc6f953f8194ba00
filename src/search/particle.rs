//! One walking support: its fit, its direction and its own random stream.

use super::{Move, Step};
use crate::{
    device::Columns,
    least_squares::Fit,
    random::{Stream, below},
};

/// Moves between two factorisations from scratch: rounding gathers no longer.
/// Large models wait for 4k moves, so that refactoring, O(nk²), stays O(nk) a
/// move.
const REFACTOR_EVERY: usize = 64;

/// Random variables tried, from the one drawn upwards, before a forward step
/// gives up: only collinear ones are passed over.
const TRIES: usize = 16;

/// What all particles share and none changes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Problem<'a> {
    pub(crate) x: Columns<'a>,
    pub(crate) y: &'a [f64],
    /// Variables in every model, ascending.
    pub(crate) keep: &'a [u32],
    /// Their fit.
    pub(crate) kept: &'a Fit,
    /// Largest model.
    pub(crate) max_size: usize,
    /// Forward: best, improve, random.
    pub(crate) forward: [f64; 3],
    /// Backward: improve; random is the rest.
    pub(crate) improve_backward: f64,
}

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

/// One particle. Its stream gives two words a step, whatever the step does, so
/// its randomness never depends on another particle's.
#[derive(Debug, Clone)]
pub(crate) struct Particle {
    stream: Stream,
    fit: Fit,
    /// The support, ascending.
    members: Vec<u32>,
    forward: bool,
    /// Since the last factorisation from scratch.
    moves: usize,
    /// φ of the model.
    value: f64,
}

impl Particle {
    /// Particle `number`, with the kept variables and `start_size` random ones.
    pub(crate) fn start(problem: &Problem, seed: u64, number: u64, start_size: usize) -> Self {
        let mut particle = Self {
            stream: Stream::new(seed, number),
            fit: problem.kept.clone(),
            members: problem.keep.to_vec(),
            forward: true,
            moves: 0,
            value: f64::INFINITY,
        };
        let room = problem.max_size - particle.members.len();
        for _ in 0..start_size.min(room) {
            let pick = particle.stream.word();
            particle.add_random(problem, pick);
        }
        particle
    }

    pub(crate) fn fit(&self) -> &Fit {
        &self.fit
    }

    pub(crate) fn members(&self) -> &[u32] {
        &self.members
    }

    pub(crate) fn value(&self) -> f64 {
        self.value
    }

    /// Takes a new φ and turns around if it rose by more than rounding.
    pub(crate) fn judge(&mut self, value: f64) {
        if rises(self.value, value) {
            self.forward = !self.forward;
        }
        self.value = value;
    }

    /// Draws this step's move.
    pub(crate) fn plan(&mut self, problem: &Problem, best: &[u32]) -> Plan {
        let choice = unit(self.stream.word());
        let pick = self.stream.word();
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

    /// Carries a plan out; `strongest` is the sweep's answer to an improving
    /// forward step. A forward step that finds nothing to add turns around.
    pub(crate) fn carry_out(
        &mut self,
        problem: &Problem,
        plan: Plan,
        best: &[u32],
        strongest: Option<u32>,
    ) -> (Move, Option<u32>) {
        let added = match plan {
            Plan::AddBest { pick } => self
                .add_of(problem, best, pick)
                .map(|variable| (Move::AddBest, variable)),
            Plan::AddImprove => strongest
                .filter(|&variable| self.add(problem, variable))
                .map(|variable| (Move::AddImprove, variable)),
            Plan::AddRandom { pick } => self
                .add_random(problem, pick)
                .map(|variable| (Move::AddRandom, variable)),
            Plan::DropImprove | Plan::DropRandom { .. } | Plan::Stay => None,
        };
        let (moved, variable) = match (added, plan) {
            (Some((moved, variable)), _) => (moved, Some(variable)),
            (None, Plan::Stay) => (Move::Stay, None),
            (None, Plan::DropRandom { pick }) => {
                (Move::DropRandom, self.drop_random(problem, pick))
            }
            (None, _) => match self.drop_cheapest(problem) {
                Some(variable) => (Move::DropImprove, Some(variable)),
                None => (Move::Stay, None),
            },
        };
        self.moves += 1;
        if self.moves >= REFACTOR_EVERY.max(4 * self.members.len()) {
            self.fit.refactor(problem.x, problem.y);
            self.moves = 0;
        }
        (moved, variable)
    }

    /// The record of what it did.
    pub(crate) fn step(&self, moved: Move, variable: Option<u32>) -> Step {
        Step {
            moved,
            variable,
            size: self.members.len(),
            value: self.value,
        }
    }

    /// Adds a variable unless it is collinear; whether it did.
    fn add(&mut self, problem: &Problem, variable: u32) -> bool {
        let added = self.fit.add(problem.x, variable).is_ok();
        if added {
            let at = self.members.partition_point(|m| *m < variable);
            self.members.insert(at, variable);
        }
        added
    }

    /// Adds the pick-th of `list` that is outside the model, or the next.
    fn add_of(&mut self, problem: &Problem, list: &[u32], pick: u64) -> Option<u32> {
        let open: Vec<u32> = outside(list, &self.members).collect();
        let first = below(pick, open.len());
        (0..open.len())
            .map(|i| open[(first + i) % open.len()])
            .find(|&variable| self.add(problem, variable))
    }

    /// Adds the pick-th of all outside the model, or one of the next few.
    fn add_random(&mut self, problem: &Problem, pick: u64) -> Option<u32> {
        let open = problem.x.p() - self.members.len();
        let first = below(pick, open);
        (0..open.min(TRIES))
            .map(|i| ((first + i) % open) as u32)
            .find_map(|rank| {
                // The rank-th outside: each member at or below shifts it by one.
                let variable = self
                    .members
                    .iter()
                    .fold(rank, |variable, m| variable + u32::from(*m <= variable));
                self.add(problem, variable).then_some(variable)
            })
    }

    fn drop_random(&mut self, problem: &Problem, pick: u64) -> Option<u32> {
        let open = outside(&self.members, problem.keep);
        let open: Vec<u32> = open.collect();
        let variable = *open.get(below(pick, open.len()))?;
        self.drop(problem, variable);
        Some(variable)
    }

    /// Drops the variable whose loss raises RSS least; of equals the lowest.
    fn drop_cheapest(&mut self, problem: &Problem) -> Option<u32> {
        let costs = self
            .fit
            .support()
            .iter()
            .copied()
            .zip(self.fit.drop_costs());
        let mut cheapest: Option<(u32, f64)> = None;
        for (variable, cost) in costs {
            if problem.keep.binary_search(&variable).is_ok() {
                continue;
            }
            let wins = cheapest.is_none_or(|(lowest, least)| {
                let tie = 1e-10 * cost.max(least);
                cost < least - tie || (cost <= least + tie && variable < lowest)
            });
            if wins {
                cheapest = Some((variable, cost));
            }
        }
        let (variable, _) = cheapest?;
        self.drop(problem, variable);
        Some(variable)
    }

    fn drop(&mut self, problem: &Problem, variable: u32) {
        let position = self.fit.support().iter().position(|v| *v == variable);
        if let (Some(position), Ok(at)) = (position, self.members.binary_search(&variable)) {
            self.fit.drop(problem.x, position);
            self.members.remove(at);
        }
    }
}

/// Whether φ rose by more than the rounding of two equal models.
pub(crate) fn rises(before: f64, after: f64) -> bool {
    after > before + 1e-11 * (1.0 + before.abs())
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
