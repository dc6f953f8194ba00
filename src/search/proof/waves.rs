//! Branch and bound in waves: the last branches of a list are explored side by side, each by so much
//! work, and what is left of them returns to the list. A branch is two sets of columns, from which every
//! number follows, so that threads, ranks and checkpoints do not show.

use rayon::prelude::*;

use super::{
    super::{
        control::{RunControl, StageEnd},
        problem::SearchProblem,
        state::{Branch, ProofState, Stage},
    },
    best::BestModels,
    subproblem::Subproblem,
    tree::{Explored, Explorer},
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

/// Most open branches whose bounds are computed for the gap: those of fewest fixed columns. The
/// others have bounds of their own, which are not known then.
const BOUNDED: usize = 1 << 14;

/// Open branches × candidates³ up to which a proof that nobody asked for computes the gap.
const GAP_WORK: usize = 1 << 22;

/// Units of rounding of RSS for each column and each unit of the trace of (XᵀX)⁻¹.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A proof by branch and bound, with the products of all columns.
pub(super) struct Tree<'a> {
    pub(super) problem: SearchProblem<'a>,
    pub(super) pool: &'a GramPool,
    pub(super) threads: usize,
    /// Work after which it ends; none where the limits alone end it.
    pub(super) most: Option<u64>,
    /// What RSS may lack by rounding, the response at unit norm.
    pub(super) rounding: f64,
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
        while !state.open.is_empty() && self.most.is_none_or(|most| state.work < most) {
            if self.most.is_none() {
                control.keep(&self.problem, &end.visited, || Stage::Proof {
                    proof: state.clone(),
                    iterations,
                    impatient,
                });
                if limits.stop() {
                    end.cut(&limits, None);
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
            let explore = |branch: &Branch| {
                Explorer::new(self.problem, self.pool, best.clone(), self.rounding)
                    .explore(branch, work)
            };
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
        let is_complete = state.open.is_empty() && state.stuck.is_empty();
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
            reason: None,
        });
        if is_complete {
            end.certified = Some(Certificate::Global);
        }
        Ok(())
    }

    /// How far below the best model's φ that of a model not yet decided may lie.
    fn gap(&self, state: &ProofState, best: &BestModels) -> Option<f64> {
        let open = || state.open.iter().chain(&state.stuck);
        let cubes = self.problem.x.p().pow(3) * open().count();
        if open().count() > BOUNDED || (self.most.is_some() && cubes > GAP_WORK) {
            return None;
        }
        let mut explorer = Explorer::new(self.problem, self.pool, best.clone(), self.rounding);
        let floors = open().map(|branch| explorer.floor(branch));
        let lowest = floors.fold(f64::INFINITY, f64::min);
        let gap = (best.target().0 - lowest).max(0.0);
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
