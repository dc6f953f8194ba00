//! After the swarm: a few islands walk on from its best models, until a model is
//! left that no single addition, drop or exchange improves, and that a fixed
//! share of work more did not improve either.
//!
//! A wave has three parts. *Sweep*: each island's model is swept against every
//! column, and the columns that would do most for it, by joining or by taking a
//! variable's place, enter the pool. *Walk*: each island walks among the pool's
//! columns ([`super::walk`]), which costs the same however many observations and
//! columns there are. *Compare*: the best model, if it is new, is fitted anew.
//! The sweep of the best model is its certificate.

use rayon::prelude::*;

use super::{
    MoveKind, Pass, StepRecord,
    observe::Wave,
    particle::{Problem, rises},
    state::Polishing,
    swarm::Objective,
    visited::VisitedModels,
    walk::{ENTRY_COST, EXACT, Island, Walk, Walked},
};
use crate::{
    device::{DeviceError, Devices, GramPool, Neighbours},
    least_squares::{Fit, FitView},
    random::Stream,
    ranks::Communicator,
};

/// Columns of each kind, joining and replacing, that a sweep of one model brings
/// into the pool.
const NEAR: usize = 64;

/// Up to so many columns all are in the pool.
const SMALL: usize = 512;

/// Steps of one island in one wave, if the work of the wave allows.
const STEPS: usize = 250;
const FEWEST_STEPS: usize = 25;
const WAVE_WORK: u64 = 1 << 28;

/// Work of a wave's sweeps beyond which no other island's model is swept.
const SWEEP_WORK: u64 = 1 << 30;

/// Work without a better model after which the polish ends, in multiply-adds of a
/// product: so much, or so much for each candidate where they are few (they have
/// few models), but at least so many products of X with one column.
const IDLE_WORK: u64 = 1 << 30;
const IDLE_CANDIDATE: u64 = 1 << 22;
const IDLE_PRODUCTS: u64 = 32;

/// Of each kind of change, how many of the strongest the certificate fits.
const FITTED: usize = 4;

/// What the polish is given.
#[derive(Clone, Copy)]
pub(super) struct Polish<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) judge: Objective<'a>,
    pub(super) pass: &'a Pass,
    pub(super) threads: usize,
    /// Whether the search should end.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
    /// The processes that walk with some of the islands each.
    pub(super) ranks: Option<&'a Communicator>,
}

/// A local optimum.
pub(super) struct Polished {
    /// Columns, ascending.
    pub(super) members: Vec<u32>,
    /// Whether no allowed addition, drop or exchange of one variable improves it;
    /// false where the end came before the last sweep.
    pub(super) certified: bool,
    /// Whether the end came before the work was done.
    pub(super) cut: bool,
    /// What ended it, if a device did.
    pub(super) fault: Option<DeviceError>,
}

impl Polish<'_> {
    /// Polishes the best models visited, or goes on between two waves. `keep` is told
    /// before each wave, with the models visited.
    pub(super) fn run(
        &self,
        (devices, visited): (&mut Devices, &mut VisitedModels),
        from: Option<Polishing>,
        keep: &mut dyn FnMut(&Islands, &VisitedModels),
        observe: &mut dyn FnMut(&Wave),
    ) -> Polished {
        let unpolished = |visited: &VisitedModels, fault| Polished {
            members: visited.starts(1).swap_remove(0).members.into_vec(),
            certified: false,
            cut: true,
            fault,
        };
        if (self.stop)() {
            // To fill the pool may take longer than is left.
            return unpolished(visited, None);
        }
        let islands = match from {
            Some(state) => Ok(Islands::resumed(*self, state)),
            None => Islands::new(*self, visited),
        };
        let mut islands = match islands {
            Ok(islands) => islands,
            Err(fault) => return unpolished(visited, Some(fault)),
        };
        let (n, p) = (self.problem.x.n() as u64, self.problem.x.p() as u64);
        let allowed = IDLE_WORK.min(IDLE_CANDIDATE * p).max(IDLE_PRODUCTS * n * p);
        let mut cut = false;
        let mut fault = None;
        while !(cut || islands.certified && islands.idle >= allowed) {
            keep(&islands, visited);
            let swept = islands.sweep(devices, visited);
            if let Err(error) = swept.and_then(|()| islands.walk(visited, observe)) {
                fault = Some(error);
                break;
            }
            cut = (self.stop)();
        }
        Polished {
            members: islands.best.members(),
            certified: islands.certified,
            cut,
            fault,
        }
    }
}

/// A model and its φ.
pub(super) struct Candidate {
    fit: Fit,
    value: f64,
}

impl Candidate {
    /// Columns, ascending.
    pub(super) fn members(&self) -> Vec<u32> {
        let mut members = self.fit.support().to_vec();
        members.sort_unstable();
        members
    }
}

/// What changes from wave to wave. Between two, fits and tableaus follow from the columns
/// of their models, for each is made anew from them in ascending order.
pub(super) struct Islands<'a> {
    pub(super) with: Polish<'a>,
    pub(super) pool: GramPool,
    pub(super) islands: Vec<Island>,
    /// The island whose turn it is to be swept.
    pub(super) turn: usize,
    pub(super) best: Candidate,
    /// The best model was swept, and nothing near it is better.
    pub(super) certified: bool,
    /// Work since the best model was found.
    pub(super) idle: u64,
    /// Waves done.
    pub(super) waves: usize,
}

impl<'a> Islands<'a> {
    fn new(with: Polish<'a>, visited: &VisitedModels) -> Result<Self, DeviceError> {
        let Problem { x, y, .. } = *with.problem;
        let mut pool = GramPool::new(x.p());
        if x.p() <= SMALL {
            x.fetch(0..x.p() as u32)
                .map_err(DeviceError::from_rank_error)?;
            pool.insert(x, y, 0..x.p() as u32, with.threads);
        }
        let count = with.pass.islands;
        let starts = visited.starts(count);
        let islands = (0..count).map(|island| Island {
            members: starts[island % starts.len()].members.to_vec(),
            stream: Stream::new(with.pass.seed, (with.pass.particles + island) as u64),
        });
        Ok(Self {
            with,
            pool,
            islands: islands.collect(),
            turn: 0,
            best: with.fitted(&starts[0].members),
            certified: false,
            idle: 0,
            waves: 0,
        })
    }

    /// Sweeps the best model, unless it is certified, and then the islands' in
    /// turn, as many as the work of a wave allows. What it finds enters the pool;
    /// the best model one step from the best is the new best.
    fn sweep(
        &mut self,
        devices: &mut Devices,
        visited: &mut VisitedModels,
    ) -> Result<(), DeviceError> {
        let Problem { x, y, keep, .. } = *self.with.problem;
        let product = (x.n() * x.p()) as u64;
        if self.pool.is_full() && self.pool.len() < x.p() {
            // Begun anew, it has room for what this sweep finds.
            self.pool = GramPool::new(x.p());
        }
        let mut fits = Vec::new();
        if !self.certified {
            fits.push(self.best.fit.clone());
        }
        let mut columns: usize = fits.iter().map(|fit| fit.support().len() + 1).sum();
        let best = self.best.members();
        // The kept variables alone are the horizon of a pool just begun.
        let horizon = (self.pool.len() == 0).then_some(keep);
        let (before, from) = self.islands.split_at(self.turn);
        let in_turn = from.iter().chain(before).map(|island| &*island.members);
        for members in horizon.into_iter().chain(in_turn) {
            let more = columns + members.len() + 1;
            let dear = columns as u64 * product >= SWEEP_WORK || 4 * more > x.p();
            if self.pool.len() == x.p() || members == best || (dear && !fits.is_empty()) {
                continue;
            }
            columns = more;
            fits.push(Fit::of(x, y, members).0);
        }
        self.turn = (self.turn + 1) % self.islands.len();
        let anchors: Vec<FitView> = fits.iter().map(Fit::view).collect();
        let swept = devices.find_neighbours(&anchors, keep, NEAR, self.with.stop)?;
        let changes = swept
            .iter()
            .flat_map(|it| it.additions.iter().chain(&it.exchanges));
        let brought = x.fetch(changes.map(|it| it.column));
        brought.map_err(DeviceError::from_rank_error)?;
        self.idle = self.idle.saturating_add(columns as u64 * product);
        self.fill(&best, &swept);
        if (self.with.stop)() {
            return Ok(());
        }
        for (fit, neighbours) in fits.iter().zip(&swept) {
            self.with.meet(fit, neighbours, visited);
        }
        if !self.certified {
            match self.with.improve(&self.best, &swept[0]) {
                Some(better) => self.adopt(better, visited),
                None => self.certified = true,
            }
        }
        Ok(())
    }

    /// Takes the models' columns and the sweep's into the pool, those of the best
    /// model first.
    fn fill(&mut self, best: &[u32], swept: &[Neighbours]) {
        let Problem { x, y, .. } = *self.with.problem;
        let members = self.islands.iter().flat_map(|island| &island.members);
        let mut columns: Vec<u32> = best.iter().chain(members).copied().collect();
        for it in swept {
            let changes = it.additions.iter().chain(&it.exchanges);
            let first = columns.len();
            columns.extend(changes.map(|change| change.column));
            // The order of near equals is rounding: it decides no places.
            columns[first..].sort_unstable();
        }
        self.pool
            .insert(x, y, columns.into_iter(), self.with.threads);
        for island in &mut self.islands {
            let has = |v: &u32| self.pool.position(*v).is_some();
            if !island.members.iter().all(has) {
                island.members = best.to_vec();
            }
        }
    }

    /// Every island walks on; the best model they meet, if it is better.
    ///
    /// Of ranks each walks with some, and all go on from what these found: products of another CPU
    /// may differ in their last digits.
    fn walk(
        &mut self,
        visited: &mut VisitedModels,
        observe: &mut dyn FnMut(&Wave),
    ) -> Result<(), DeviceError> {
        let sizes = self.islands.iter().map(|it| it.members.len() as u64 + 1);
        let work = sizes.sum::<u64>() * self.pool.len() as u64 * ENTRY_COST;
        // A tableau costs k steps to build: it is worth as many.
        let fewest = FEWEST_STEPS + self.best.fit.support().len() / 2;
        let walk = Walk {
            problem: self.with.problem,
            judge: self.with.judge,
            pool: &self.pool,
            steps: ((WAVE_WORK / work.max(1)) as usize).clamp(fewest, STEPS.max(fewest)),
            value: self.best.value,
            stop: self.with.stop,
        };
        let (rank, ranks) = self.with.ranks.map_or((0, 1), |it| (it.rank(), it.size()));
        let walk = |island: &Island| {
            let mut stream = island.stream.clone();
            let walked = walk.from(&island.members, &mut stream, visited.like());
            (stream.words_drawn(), walked)
        };
        let own: Vec<&Island> = self.islands.iter().skip(rank).step_by(ranks).collect();
        let mut walks: Vec<(u64, Walked)> = if self.with.threads > 1 {
            own.into_par_iter().map(walk).collect()
        } else {
            own.into_iter().map(walk).collect()
        };
        if let Some(communicator) = self.with.ranks {
            let all = communicator.gather_round_robin(&walks, self.islands.len());
            walks = all.map_err(DeviceError::from_rank_error)?;
        }
        let numbered = (self.with.pass.particles as u64..).zip(&mut self.islands);
        for ((number, island), (words, walked)) in numbered.zip(&walks) {
            island.members.clone_from(&walked.end);
            island.stream = Stream::resume_at(self.with.pass.seed, number, *words);
        }
        let walks: Vec<Walked> = walks.into_iter().map(|it| it.1).collect();
        let found = walks.iter().filter_map(|walked| walked.best.as_ref());
        let found = found
            .map(|members| self.with.fitted(members))
            .min_by(|a, b| a.value.total_cmp(&b.value))
            .filter(|found| rises(found.value, self.best.value));
        let mut steps = Vec::with_capacity(walks.len());
        if walks.iter().all(|walked| walked.work == 0) {
            // No step is open from any model, or none can be taken in the pool.
            self.idle = u64::MAX;
        }
        for walked in walks {
            self.idle = self.idle.saturating_add(walked.work);
            visited.absorb(walked.visited);
            steps.push(StepRecord {
                kind: MoveKind::Walk,
                variable: None,
                size: walked.end.len(),
                value: walked.end_value,
            });
        }
        if let Some(found) = found {
            self.adopt(found, visited);
        }
        self.waves += 1;
        observe(&Wave {
            number: self.waves,
            best_value: self.best.value,
            best_size: self.best.fit.support().len(),
            steps: &steps,
        });
        Ok(())
    }

    /// A new best model: the first island goes on from it.
    fn adopt(&mut self, better: Candidate, visited: &mut VisitedModels) {
        let members = better.members();
        visited.offer(better.value, &members);
        self.islands[0].members = members;
        self.best = better;
        (self.certified, self.idle) = (false, 0);
    }
}

impl Polish<'_> {
    pub(super) fn fitted(&self, members: &[u32]) -> Candidate {
        let (fit, _) = Fit::of(self.problem.x, self.problem.y, members);
        let value = self.judge.value(&fit);
        Candidate { fit, value }
    }

    /// Takes note of the models one step from a model that was swept.
    fn meet(&self, fit: &Fit, neighbours: &Neighbours, visited: &mut VisitedModels) {
        let Problem { keep, max_size, .. } = *self.problem;
        let (support, rss) = (fit.support(), fit.rss());
        let room = if support.len() < max_size { NEAR } else { 0 };
        let joining = neighbours.additions.iter().take(room);
        let changes = joining.chain(&neighbours.exchanges);
        let changes = changes.map(|it| (it.replaces, Some(it.column), it.fall));
        let drops = fit.drop_costs().enumerate();
        let drops = drops.filter(|(at, _)| keep.binary_search(&support[*at]).is_err());
        let drops = drops.map(|(at, cost)| (Some(at), None, -cost));
        for (leaves, joins, fall) in changes.chain(drops) {
            let left = usize::from(leaves.is_some());
            let size = support.len() + usize::from(joins.is_some()) - left;
            let value = self.judge.at(size, (rss - fall).max(EXACT));
            if visited.wants(value) {
                let stay = support.iter().enumerate();
                let stay = stay.filter(|(at, _)| Some(*at) != leaves);
                let mut members: Vec<u32> = stay.map(|(_, v)| *v).chain(joins).collect();
                members.sort_unstable();
                visited.offer(value, &members);
            }
        }
    }

    /// The best model one addition, drop or exchange away, if it is better.
    fn improve(&self, best: &Candidate, neighbours: &Neighbours) -> Option<Candidate> {
        let Problem {
            x, keep, max_size, ..
        } = *self.problem;
        let k = best.fit.support().len();
        let room = usize::from(k < max_size) * FITTED;
        let joining = neighbours.additions.iter().take(room);
        let replacing = neighbours.exchanges.iter().take(FITTED);
        let changes = joining
            .chain(replacing)
            .map(|change| (change.replaces, Some(change.column)));
        let mut drops: Vec<(usize, f64)> = best.fit.drop_costs().enumerate().collect();
        drops.retain(|(at, _)| keep.binary_search(&best.fit.support()[*at]).is_err());
        drops.sort_by(|a, b| a.1.total_cmp(&b.1));
        let drops = drops.iter().take(FITTED).map(|(at, _)| (Some(*at), None));
        let mut better: Vec<Candidate> = changes
            .chain(drops)
            .filter_map(|(leaves, joins)| {
                let mut fit = best.fit.clone();
                if let Some(position) = leaves {
                    fit.drop(x, position);
                }
                if let Some(column) = joins {
                    fit.add(x, column).ok()?;
                }
                let value = self.judge.value(&fit);
                rises(value, best.value).then_some(Candidate { fit, value })
            })
            .collect();
        better.sort_by(|a, b| a.value.total_cmp(&b.value));
        // From scratch the last digits may be others: the next one then.
        let mut anew = better.iter().map(|it| self.fitted(&it.members()));
        anew.find(|it| rises(it.value, best.value))
    }
}
