//! Branch and bound in waves: the last branches of a list are explored side by side, each by so much
//! work, and what is left of them returns to the list. A branch is two sets of columns, from which every
//! number follows, so that threads, ranks and checkpoints do not show.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    super::{
        control::{RunControl, StageEnd},
        problem::SearchProblem,
        record::{IterationRecord, ProofRecord},
        state::{Branch, ProofState, Stage},
        visited::VisitedModel,
    },
    best::BestModels,
    subproblem::Subproblem,
};
use crate::{
    device::{DeviceError, GramPool},
    ranks::Communicator,
    selection::{Certificate, Proof, Termination},
};

/// Work of the first wave, and that of each branch of a later one; little in tests, so that proofs
/// of small problems take several waves.
const FIRST_WORK: u64 = if cfg!(test) { 1 << 14 } else { 1 << 25 };
const BRANCH_WORK: u64 = if cfg!(test) { 1 << 12 } else { 1 << 23 };

/// Branches explored side by side.
const SIDE_BY_SIDE: usize = 64;

/// Branches × candidates³ whose bounds are computed after each wave, and by a proof that nobody asked for
/// at its end: a small part of the work of a wave.
const BOUND_WORK: usize = 1 << 22;

/// Branches × candidates³ whose bounds are computed at the end of a proof that was asked for, some tenths of
/// a second.
const LAST_BOUND_WORK: usize = 1 << 25;

/// Units of rounding of RSS for each column and each unit of the trace of (XᵀX)⁻¹.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// What was done of a branch, and what is left.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Explored {
    /// In the order of depth: the last is the next to be explored.
    pub(super) open: Vec<Branch>,
    /// Whether its columns are dependent in the arithmetic of products, or a fit does not converge: it stays open for good.
    pub(super) is_stuck: bool,
    /// The best models met, if as good as the best known.
    pub(super) best: Vec<VisitedModel>,
    pub(super) nodes: u64,
    /// About its multiply-adds.
    pub(super) work: u64,
}

/// Explores branches of one problem, knowing some best models.
pub(super) trait Explore {
    /// Explores a branch depth first, until all its models are decided or so much work is done.
    fn explore(self: Box<Self>, branch: &Branch, most: u64) -> Explored;

    /// No model of a branch has a lower φ; −∞ where nothing is known of it.
    fn floor(&mut self, branch: &Branch) -> f64;
}

/// A proof by branch and bound.
pub(super) struct Tree<'a> {
    pub(super) problem: SearchProblem<'a>,
    /// Makes what explores a branch.
    pub(super) explorer: &'a (dyn Fn(BestModels) -> Box<dyn Explore + 'a> + Sync),
    pub(super) threads: usize,
    /// Work after which it ends; none where the limits alone end it.
    pub(super) most: Option<u64>,
}

/// What RSS of the models of these branches may lack by the rounding of products: an error of the
/// products of relative size ε moves RSS by up to ε‖β̂‖², and ‖β̂‖² ≤ ‖y‖² · trace (XᵀX)⁻¹.
pub(super) fn rounding(pool: &GramPool, branches: &[Branch]) -> f64 {
    let of_branch = |branch: &Branch| {
        let all = [&*branch.fixed, &*branch.free].concat();
        let trace = Subproblem::new(pool, &[], &all).map_or(0.0, |all| all.trace());
        ROUNDING * all.len() as f64 * trace
    };
    branches.iter().map(of_branch).fold(0.0, f64::max)
}

impl Tree<'_> {
    /// Explores branches until none is left, or the work or the limits end it.
    pub(super) fn run(
        &self,
        state: &mut ProofState,
        control: &mut RunControl,
        end: &mut StageEnd,
    ) -> Result<(), DeviceError> {
        let limits = control.limits;
        let Some(mut best) = BestModels::of(&state.best) else {
            return Ok(());
        };
        let (iterations, impatient) = (end.iterations, end.termination == Termination::Patience);
        let mut is_cut = false;
        while !state.open.is_empty() && self.most.is_none_or(|most| state.work < most) {
            if self.most.is_none() {
                (control.observe)(&self.record(state, &best, iterations));
                // One of RSS of terms begins anew.
                if self.problem.x.terms().is_none() || self.problem.x.likelihood().is_some() {
                    control.keep(&self.problem, &end.visited, || Stage::Proof {
                        proof: state.clone(),
                        iterations,
                        impatient,
                    });
                }
                if limits.stop() {
                    end.cut(&limits, None);
                    is_cut = true;
                    break;
                }
            }
            let first = state.open.len().saturating_sub(SIDE_BY_SIDE);
            let branches = state.open.split_off(first);
            let left = self.most.map_or(u64::MAX, |most| most - state.work);
            let work = if state.work == 0 {
                FIRST_WORK
            } else {
                BRANCH_WORK
            };
            let work = work.min(left / branches.len() as u64);
            let explore = |branch: &Branch| (self.explorer)(best.clone()).explore(branch, work);
            let all = self.share(&branches, explore, limits.communicator)?;
            for (branch, explored) in branches.into_iter().zip(all) {
                state.nodes += explored.nodes;
                // Each counts for something, so that a proof of little work ends as well.
                state.work += explored.work.max(1);
                match explored.is_stuck {
                    true => state.stuck.push(branch),
                    false => state.open.extend(explored.open),
                }
                for model in explored.best {
                    best.offer(model);
                }
            }
            state.best.clone_from(&best.models);
        }
        if self.most.is_none() && !is_cut {
            (control.observe)(&self.record(state, &best, iterations));
        }
        let is_complete = state.open.is_empty() && state.stuck.is_empty();
        let is_divergent =
            state.open.is_empty() && !is_complete && self.problem.x.likelihood().is_some();
        for model in &best.models {
            end.visited.offer(model.value, &model.members);
        }
        end.members = best.first().members.to_vec();
        end.proof = Some(Proof {
            complete: is_complete,
            nodes: state.nodes,
            models: None,
            gap: self.gap(state, &best),
            ties: best.models.len() - 1,
            reason: is_divergent.then(|| super::DIVERGENT.to_owned()),
        });
        if is_complete {
            end.certified = Some(Certificate::Global);
        }
        Ok(())
    }

    /// How far the proof got, as it is shown between two waves.
    fn record(
        &self,
        state: &mut ProofState,
        best: &BestModels,
        iterations: usize,
    ) -> IterationRecord<'static> {
        let bound = self.bound(state, best, BOUND_WORK);
        let candidates = self.problem.x.term_count() - self.problem.keep.len();
        let share = |branch: &Branch| 0.5f64.powi((candidates - branch.free.len()) as i32);
        let open = state.open.iter().chain(&state.stuck);
        let (best_value, best_size) = best.target();
        IterationRecord {
            number: iterations,
            of: self.problem.pass.iterations,
            wave: None,
            proof: Some(ProofRecord {
                nodes: state.nodes,
                open: open.clone().count(),
                undecided: open.map(share).fold(0.0, |all, share| all + share),
                bound: bound.min(best_value),
            }),
            best_value,
            best_size,
            steps: &[],
        }
    }

    /// No model not yet decided has a φ below this. As long as the work suffices, the branch of the least
    /// bound gets one of its own: so the bound rises, and computing more would not raise it.
    fn bound(&self, state: &mut ProofState, best: &BestModels, work: usize) -> f64 {
        let each = self.problem.x.p().pow(3).max(1);
        let mut explorer = (self.explorer)(best.clone());
        let mut left = (work / each).max(1);
        loop {
            let open = state.open.iter_mut().chain(&mut state.stuck);
            match open.min_by(|a, b| a.floor.total_cmp(&b.floor)) {
                None => return f64::INFINITY,
                Some(branch) if branch.is_bounded || left == 0 => return branch.floor,
                Some(branch) => {
                    branch.floor = branch.floor.max(explorer.floor(branch));
                    branch.is_bounded = true;
                }
            }
            left -= 1;
        }
    }

    /// How far below the best model's φ that of a model not yet decided may lie.
    fn gap(&self, state: &mut ProofState, best: &BestModels) -> Option<f64> {
        let open = state.open.len() + state.stuck.len();
        let bound = match self.most {
            None => self.bound(state, best, LAST_BOUND_WORK),
            // None is known before, and some would not do.
            Some(_) if open * self.problem.x.p().pow(3) > BOUND_WORK => return None,
            Some(_) => self.bound(state, best, BOUND_WORK),
        };
        let gap = (best.target().0 - bound).max(0.0);
        gap.is_finite().then_some(gap)
    }

    /// Explores branches on all threads and ranks; the results are in the order of branches.
    fn share(
        &self,
        branches: &[Branch],
        explore: impl Fn(&Branch) -> Explored + Sync + Send,
        communicator: Option<&Communicator>,
    ) -> Result<Vec<Explored>, DeviceError> {
        let (rank, ranks) = communicator.map_or((0, 1), |all| (all.rank(), all.size()));
        let own: Vec<&Branch> = branches.iter().skip(rank).step_by(ranks).collect();
        let explored: Vec<Explored> = match self.threads > 1 && own.len() > 1 {
            true => own.into_par_iter().map(explore).collect(),
            false => own.into_iter().map(explore).collect(),
        };
        match communicator {
            Some(communicator) => Ok(communicator.gather_round_robin(&explored, branches.len())?),
            None => Ok(explored),
        }
    }
}
