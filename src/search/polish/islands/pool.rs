//! What a checkpoint has of islands, and the model near which the products of their pool are those of the loss.

use super::{Islands, SMALL};
use crate::{
    device::GramPool,
    search::{particle::Particle, state::PolishState},
};

impl Islands<'_> {
    pub(in super::super) fn state(&self) -> PolishState {
        PolishState {
            islands: self.islands.iter().map(Particle::state).collect(),
            turn: self.turn,
            best: self.best.fit.members(),
            certified: self.certified,
            judged: self.judged,
            settled: self.settled,
            idle: self.idle,
            waves: self.waves,
            pool: match self.is_stale() {
                true => Vec::new(),
                false => self.pool.batches(),
            },
        }
    }

    /// Whether the products of the pool are near another model than the best one.
    pub(super) fn is_stale(&self) -> bool {
        let is_near = |of: &Vec<u32>| *of == self.best.fit.members();
        self.with.problem.x.likelihood().is_some() && !self.pool_of.as_ref().is_some_and(is_near)
    }

    /// Empties the pool; of few columns it gets all.
    pub(super) fn renew(&mut self) {
        let x = self.with.problem.x;
        self.pool = GramPool::new(x, &self.best.fit);
        self.pool_of = Some(self.best.fit.members());
        if x.p() <= SMALL {
            let with = self.with;
            self.insert(with.terms());
        }
    }
}
