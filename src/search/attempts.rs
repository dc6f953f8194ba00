//! The updates of a swarm's models: attempt after attempt, each with the terms that move with it.

use super::{
    particle::{Attempt, Particle},
    problem::Size,
    record::MoveKind,
    swarm::Swarm,
    term_choice::first_lowest,
};
use crate::device::{DeviceError, ModelUpdate, TermChange};

impl Swarm<'_, '_> {
    /// Updates every particle's model, attempt after attempt until one is carried out or none is
    /// left; returns each particle's move and variable.
    pub(super) fn update(
        &mut self,
        attempt: impl Fn(&Particle, usize, usize) -> Option<Attempt>,
    ) -> Result<Vec<(MoveKind, Option<u32>)>, DeviceError> {
        let mut moves = vec![(MoveKind::Stay, None); self.particles.len()];
        let mut open: Vec<usize> = (0..self.particles.len()).collect();
        for refused in 0.. {
            let mut attempts = Vec::new();
            let mut without_room = Vec::new();
            for number in open.drain(..) {
                match attempt(&self.particles[number], number, refused) {
                    Some(attempt) if !self.has_room(number, &attempt) => without_room.push(number),
                    Some(attempt) => attempts.push((number, attempt)),
                    None => {}
                }
            }
            open.append(&mut without_room);
            if attempts.is_empty() && open.is_empty() {
                break;
            }
            self.choose_drops(&mut attempts)?;
            let moved = self.carry_out(&attempts)?;
            for ((number, attempt), moved) in attempts.into_iter().zip(moved) {
                match moved {
                    Some(variable) => {
                        let particle = &mut self.particles[number];
                        for term in attempt.before {
                            particle.updated(attempt.update, term);
                        }
                        particle.updated(attempt.update, variable);
                        moves[number] = (attempt.kind, Some(variable));
                    }
                    None => open.push(number),
                }
            }
        }
        Ok(moves)
    }

    /// Updates the models of so many attempts; for each the term that moved, or none where the model is
    /// unchanged.
    fn carry_out(
        &mut self,
        attempts: &[(usize, Attempt)],
    ) -> Result<Vec<Option<u32>>, DeviceError> {
        // The terms that moved before it, all of them unless one is refused.
        let mut moved: Vec<&[u32]> = Vec::with_capacity(attempts.len());
        moved.extend(attempts.iter().map(|(_, attempt)| &*attempt.before));
        let longest = moved.iter().map(|before| before.len()).max();
        for at in 0..longest.unwrap_or(0) {
            let reach = |own: &usize| moved[*own].len() > at;
            let own: Vec<usize> = (0..attempts.len()).filter(reach).collect();
            let update = |own: &usize| {
                let (number, attempt) = &attempts[*own];
                let term = attempt.before[at];
                (
                    *number,
                    match attempt.update {
                        ModelUpdate::Add(_) => ModelUpdate::Add(term),
                        _ => ModelUpdate::Drop(term),
                    },
                )
            };
            let updates: Vec<_> = own.iter().map(update).collect();
            let results = self.devices.update_models(&updates)?;
            for (own, updated) in own.into_iter().zip(results) {
                if updated.variable.is_none() {
                    moved[own] = &moved[own][..at];
                }
            }
        }
        let whole =
            |(own, before): &(&(usize, Attempt), &[u32])| own.1.before.len() == before.len();
        let pairs = || attempts.iter().zip(moved.iter().copied());
        let last = pairs().filter(whole);
        let last: Vec<_> = last
            .map(|((number, own), _)| (*number, own.update))
            .collect();
        let mut results = self.devices.update_models(&last)?.into_iter();
        let term = |pair: (&(usize, Attempt), &[u32])| match whole(&pair) {
            true => results.next().and_then(|updated| updated.variable),
            false => None,
        };
        let found: Vec<Option<u32>> = pairs().map(term).collect();
        // Where a term is refused that needs others, these do not stay.
        for at in 0..longest.unwrap_or(0) {
            let refused = pairs().zip(&found).filter(|(_, found)| found.is_none());
            let updates = refused.filter_map(|(((number, attempt), before), _)| {
                let term = *before.get(at)?;
                let is_added = matches!(attempt.update, ModelUpdate::Add(_));
                is_added.then_some((*number, ModelUpdate::Drop(term)))
            });
            let updates: Vec<_> = updates.collect();
            self.devices.update_models(&updates)?;
        }
        Ok(found)
    }

    /// Whether a particle's model may take in all columns of the terms of an attempt.
    fn has_room(&self, number: usize, attempt: &Attempt) -> bool {
        let ModelUpdate::Add(term) = attempt.update else {
            return true;
        };
        let terms = attempt.before.iter().chain([&term]);
        let width: usize = terms
            .map(|term| self.problem.x.columns_of(*term).len())
            .sum();
        self.devices.parameters(number) + width <= self.problem.max_size
    }

    /// Names the terms to drop where the cheapest are wanted and terms have several columns or need others:
    /// those whose loss, with that of the terms that stand on them, leaves the lowest φ, ties going to the
    /// lowest.
    fn choose_drops(&mut self, attempts: &mut [(usize, Attempt)]) -> Result<(), DeviceError> {
        let problem = self.problem;
        if problem.x.terms().is_none() {
            return Ok(());
        }
        let cheapest = attempts
            .iter_mut()
            .filter(|(_, attempt)| attempt.update == ModelUpdate::DropCheapest);
        let (numbers, attempts): (Vec<usize>, Vec<&mut Attempt>) =
            cheapest.map(|(number, attempt)| (*number, attempt)).unzip();
        let costs = self.devices.find_drop_costs(&numbers)?;
        for ((number, attempt), costs) in numbers.into_iter().zip(attempts).zip(costs) {
            let (size, rss) = (self.size(number), self.devices.rss(number));
            let particle = &self.particles[number];
            let after = |change: &TermChange| {
                let fallen = problem.x.standing_on(change.term, &particle.members);
                let size = Size {
                    terms: size.terms - 1 - fallen.len(),
                    parameters: size.parameters - change.parameters,
                };
                problem.objective.floored(size, rss + change.rss)
            };
            if let Some(term) = first_lowest(&costs, after) {
                *attempt = particle.dropping(&problem, attempt.kind, term);
            }
        }
        Ok(())
    }
}
