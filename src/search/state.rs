//! The state from which a search resumes with the same bits: the swarm after a canonical iteration
//! ([`super::swarm`]), or the islands between two waves of the polish.

use std::{cell::RefCell, collections::BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    bits, polish::PolishState, problem::SearchProblem, settings::Pass, swarm::SwarmState,
    visited::VisitedModels,
};

/// The state of a search.
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
        /// The iterations of the swarm.
        iterations: usize,
        /// Whether patience ended the swarm.
        impatient: bool,
    },
}

impl State {
    /// The columns of all its models.
    pub(super) fn columns(&self) -> Vec<u32> {
        let all = RefCell::new(BTreeSet::new());
        self.visited.holds(|model| {
            all.borrow_mut().extend(model.iter().copied());
            true
        });
        let mut all = all.into_inner();
        match &self.stage {
            Stage::Swarm { swarm, .. } => {
                all.extend(swarm.best.members.iter());
                all.extend(swarm.particles.iter().flat_map(|one| &one.members));
            }
            Stage::Polish { polish, .. } => {
                all.extend(&polish.best);
                all.extend(polish.islands.iter().flat_map(|one| &one.members));
                all.extend(polish.pool.iter().flatten());
            }
        }
        all.into_iter().collect()
    }

    /// Whether it is a valid state of this search. A checksum does not prove that: anyone can make
    /// one.
    pub(super) fn is_sound(&self, problem: &SearchProblem, pass: &Pass) -> bool {
        let p = problem.x.p();
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
        };
        stage && self.visited.holds(is_model)
    }
}
