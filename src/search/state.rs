//! What a search goes on from with the same bits: the swarm after a canonical iteration
//! ([`super::swarm`]), the islands between two waves of the polish.

use std::{cell::RefCell, collections::BTreeSet};

use serde::{Deserialize, Serialize};

use super::{
    bits, polish::PolishState, problem::SearchProblem, settings::Pass, swarm::SwarmState,
    visited::VisitedModels,
};

/// All that a search goes on from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct State {
    /// Whether φ was no number of some model.
    pub(super) undefined: bool,
    pub(super) visited: VisitedModels,
    pub(super) stage: Stage,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Stage {
    /// A canonical iteration was done.
    Swarm {
        swarm: SwarmState,
        /// The last iteration with a better model, and its φ.
        improved: usize,
        #[serde(with = "bits")]
        lowest: f64,
    },
    /// The swarm had ended; a wave is about to begin.
    Polish {
        polish: PolishState,
        /// What the swarm had done.
        iterations: usize,
        /// Whether it ended before its last iteration.
        impatient: bool,
    },
}

impl State {
    /// The columns of all models in it.
    pub(super) fn columns(&self) -> Vec<u32> {
        let all = RefCell::new(BTreeSet::new());
        self.visited.holds(|it| {
            all.borrow_mut().extend(it.iter().copied());
            true
        });
        let mut all = all.into_inner();
        match &self.stage {
            Stage::Swarm { swarm, .. } => {
                all.extend(swarm.best.members.iter());
                all.extend(swarm.particles.iter().flat_map(|it| &it.members));
            }
            Stage::Polish { polish, .. } => {
                all.extend(&polish.best);
                all.extend(polish.islands.iter().flat_map(|it| &it.members));
                all.extend(polish.pool.iter().flatten());
            }
        }
        all.into_iter().collect()
    }

    /// Whether nothing in it can lead a search astray: a checksum may be made by anyone.
    pub(super) fn is_sound(&self, problem: &SearchProblem, pass: &Pass) -> bool {
        let p = problem.x.p();
        let is_model = |it: &[u32]| {
            it.is_sorted_by(|a, b| a < b) && it.last().is_none_or(|last| (*last as usize) < p)
        };
        let holds_kept = |it: &[u32]| {
            let kept = |v: &u32| it.binary_search(v).is_ok();
            is_model(it) && it.len() <= problem.max_size && problem.keep.iter().all(kept)
        };
        let stage = match &self.stage {
            Stage::Swarm {
                swarm, improved, ..
            } => {
                swarm.particles.len() == pass.particles
                    && swarm.particles.iter().all(|it| holds_kept(&it.members))
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
                    && polish.islands.iter().all(|it| is_model(&it.members))
                    && polish.turn < pass.islands
                    && is_model(&polish.best)
                    && pool.all(|it| (*it as usize) < p)
                    && (1..=pass.iterations).contains(iterations)
                    && polish.waves < 1 << 40
            }
        };
        stage && self.visited.holds(is_model)
    }
}
