//! The state from which a search resumes with the same bits: the swarm after a canonical iteration
//! ([`super::swarm`]), the islands between two waves of the polish, or a proof between two waves.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{
    bits,
    problem::SearchProblem,
    visited::{VisitedModel, VisitedModels},
};
use crate::selection::Settled;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct State {
    /// Whether the criterion was NaN for some model.
    pub(super) undefined: bool,
    pub(super) visited: VisitedModels,
    pub(super) stage: Stage,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Stage {
    /// After a canonical iteration.
    Swarm {
        swarm: SwarmState,
        /// The last iteration with a better model, and its φ.
        improved: usize,
        #[serde(with = "bits")]
        lowest: f64,
    },
    /// Before a wave of the polish.
    Polish {
        polish: PolishState,
        iterations: usize,
        /// Whether patience ended the swarm.
        impatient: bool,
    },
    /// Before a wave of the proof, which begins after the polish.
    Proof {
        proof: ProofState,
        iterations: usize,
        /// Whether patience ended the swarm.
        impatient: bool,
    },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct SwarmState {
    pub(super) iteration: usize,
    pub(super) best: VisitedModel,
    pub(super) particles: Vec<ParticleState>,
}

/// A particle, or an island of the polish, which uses `members` and `words` alone.
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

/// The islands between two waves of the polish.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PolishState {
    pub(super) islands: Vec<ParticleState>,
    pub(super) turn: usize,
    /// Columns, ascending.
    pub(super) best: Vec<u32>,
    pub(super) certified: bool,
    /// Whether the certificate of the best model was tried.
    #[serde(default)]
    pub(super) judged: bool,
    #[serde(default)]
    pub(super) settled: Option<Settled>,
    pub(super) idle: u64,
    pub(super) waves: usize,
    /// The columns of the pool, in the batches they were inserted in.
    pub(super) pool: Vec<Vec<u32>>,
}

/// A branch of the tree of all models: the columns that all its models hold, and those that they may
/// hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Branch {
    pub(super) fixed: Vec<u32>,
    pub(super) free: Vec<u32>,
    /// No model of it has a lower φ: its own bound, or that of a branch that it was part of.
    #[serde(with = "bits", default = "unbounded")]
    pub(super) floor: f64,
    /// Whether the bound is its own.
    #[serde(default)]
    pub(super) is_bounded: bool,
}

impl Branch {
    /// A branch of which no bound is known.
    pub(super) fn new(fixed: Vec<u32>, free: Vec<u32>) -> Self {
        Self {
            fixed,
            free,
            floor: unbounded(),
            is_bounded: false,
        }
    }
}

fn unbounded() -> f64 {
    f64::NEG_INFINITY
}

/// A proof between two waves.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ProofState {
    /// Branches with undecided models; the last are explored first.
    pub(super) open: Vec<Branch>,
    /// Branches that the arithmetic of products, or of fits, cannot explore.
    pub(super) stuck: Vec<Branch>,
    /// The models of lowest φ known.
    pub(super) best: Vec<VisitedModel>,
    pub(super) nodes: u64,
    pub(super) work: u64,
}

impl State {
    /// The columns of all its models, ascending.
    pub(super) fn columns(&self) -> BTreeSet<u32> {
        let visited = self.visited.models().flat_map(|model| &model.members);
        let mut all: BTreeSet<u32> = visited.copied().collect();
        let (walkers, best, pool): (&[ParticleState], &[u32], &[Vec<u32>]) = match &self.stage {
            Stage::Swarm { swarm, .. } => (&swarm.particles, &swarm.best.members, &[]),
            Stage::Polish { polish, .. } => (&polish.islands, &polish.best, &polish.pool),
            // A proof fetches all columns.
            Stage::Proof { .. } => (&[] as &[_], &[], &[]),
        };
        all.extend(walkers.iter().flat_map(|one| &one.members));
        all.extend(best.iter().chain(pool.iter().flatten()));
        all
    }

    /// Whether it is a valid state of this search. A checksum does not prove that: anyone can make
    /// one.
    pub(super) fn is_sound(&self, problem: &SearchProblem) -> bool {
        let (p, pass) = (problem.x.term_count(), problem.pass);
        let is_model = |model: &[u32]| {
            model.is_sorted_by(|a, b| a < b) && model.last().is_none_or(|last| (*last as usize) < p)
        };
        let holds_kept = |model: &[u32]| {
            let kept = |v: &u32| model.binary_search(v).is_ok();
            is_model(model) && model.len() <= problem.max_size && problem.keep.iter().all(kept)
        };
        let stage = match &self.stage {
            Stage::Swarm {
                swarm, improved, ..
            } => {
                swarm.particles.len() == pass.particles
                    && swarm.particles.iter().all(|one| holds_kept(&one.members))
                    && is_model(&swarm.best.members)
                    && (1..=pass.iterations).contains(&swarm.iteration)
                    && *improved <= swarm.iteration
            }
            Stage::Polish {
                polish, iterations, ..
            } => {
                let mut pool = polish.pool.iter().flatten();
                pass.polish
                    && polish.islands.len() == pass.islands
                    && polish.islands.iter().all(|one| is_model(&one.members))
                    && polish.turn < pass.islands
                    && is_model(&polish.best)
                    && pool.all(|column| (*column as usize) < p)
                    && (1..=pass.iterations).contains(iterations)
                    && polish.waves < 1 << 40
            }
            Stage::Proof {
                proof, iterations, ..
            } => {
                let is_branch = |branch: &Branch| {
                    let all = branch.fixed.iter().chain(&branch.free);
                    let distinct: BTreeSet<&u32> = all.clone().collect();
                    let kept = |column: &u32| branch.fixed.contains(column);
                    // A proof by losses looks terms up.
                    let is_ordered = problem.x.likelihood().is_none()
                        || branch.fixed.is_sorted() && branch.free.is_sorted();
                    is_ordered
                        && distinct.len() == all.count()
                        && distinct.last().is_none_or(|last| (**last as usize) < p)
                        && problem.keep.iter().all(kept)
                };
                let mut branches = proof.open.iter().chain(&proof.stuck);
                branches.all(is_branch)
                    && !proof.best.is_empty()
                    && proof.best.iter().all(|model| holds_kept(&model.members))
                    && (1..=pass.iterations).contains(iterations)
            }
        };
        stage && self.visited.holds(is_model)
    }
}
