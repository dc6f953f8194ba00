//! The islands of the polish: their models, the pool of columns that they search, and the parts of
//! a wave.

mod pool;

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::{
    super::{
        particle::Particle,
        problem::{SearchProblem, rises},
        record::{IterationRecord, MoveKind, StepRecord},
        state::{ParticleState, PolishState},
        tabu::{ENTRY_COST, TabuResult, TabuSearch},
        visited::VisitedModels,
    },
    candidate::{Candidate, NEAR, PolishContext},
    certificate::Verdict,
};
use crate::{
    device::{DeviceError, Devices, GramPool, Neighbours},
    least_squares::{Fit, FitView},
    selection::Settled,
};

/// Up to this many columns, all are in the pool.
const SMALL: usize = 512;

/// Most and fewest steps of an island in a wave, and the work that a wave aims at.
const STEPS: usize = 250;
const FEWEST_STEPS: usize = 25;
const WAVE_WORK: u64 = 1 << 28;

/// Work of a wave's sweeps beyond which no further model is swept.
const SWEEP_WORK: u64 = 1 << 30;

/// Models of one variable more than the best that are swept once that is certified, at most, and
/// the share of the polish's idle work that they may take. (Of 20 sets of correlated columns two need
/// it: there the first of the two variables is the 7th and the 15th strongest.)
const AHEAD: usize = 20;
const AHEAD_SHARE: u64 = 3;

/// Columns of each kind that the sweep of one such model inserts into the pool.
const NEAR_AHEAD: usize = 4;

/// The state that changes from wave to wave. Between two waves, fits and tableaus follow from the
/// columns of their models alone: each is rebuilt from them in ascending order.
pub(super) struct Islands<'a> {
    with: PolishContext<'a>,
    pool: GramPool,
    /// The model near which the products of the pool are those of its loss, where there is a likelihood.
    pool_of: Option<Vec<u32>>,
    islands: Vec<Particle>,
    /// The island whose turn it is to be swept first.
    turn: usize,
    pub(super) best: Candidate,
    /// Whether the best model was swept and no single change improves it.
    pub(super) certified: bool,
    /// Whether it was swept, and that is known or not to be known.
    pub(super) judged: bool,
    /// How its neighbours were settled, where there is a likelihood.
    pub(super) settled: Option<Settled>,
    /// Work since the best model was found.
    pub(super) idle: u64,
    waves: usize,
}

impl<'a> Islands<'a> {
    /// Islands that start at the best models visited.
    pub(super) fn new(
        with: PolishContext<'a>,
        visited: &VisitedModels,
    ) -> Result<Self, DeviceError> {
        let SearchProblem { x, pass, .. } = with.problem;
        let mut pool = Vec::new();
        if x.p() <= SMALL {
            let all: Vec<u32> = with.terms().collect();
            x.fetch(all.iter().copied())?;
            pool.push(all);
        }
        let starts = visited.starts(pass.islands);
        let members = starts.iter().map(|start| start.members.to_vec());
        let islands = members.clone().cycle().take(pass.islands);
        let islands = islands.map(|members| ParticleState {
            members,
            ..ParticleState::default()
        });
        let state = PolishState {
            islands: islands.collect(),
            best: members.take(1).flatten().collect(),
            pool,
            ..PolishState::default()
        };
        Ok(Self::resumed(with, state))
    }

    pub(super) fn resumed(with: PolishContext<'a>, state: PolishState) -> Self {
        let SearchProblem { x, y, pass, .. } = with.problem;
        let best = with.fitted(&state.best);
        let mut pool = GramPool::new(x, &best.fit);
        let pool_of = (!state.pool.is_empty()).then_some(state.best);
        for batch in state.pool {
            pool.insert(x, y, batch.into_iter(), with.threads, &|| {
                with.limits.stop()
            });
        }
        let numbered = (pass.particles as u64..).zip(state.islands);
        let islands = numbered.map(|(number, island)| Particle::at(pass.seed, number, island));
        Self {
            with,
            pool,
            pool_of,
            islands: islands.collect(),
            turn: state.turn,
            best,
            certified: state.certified,
            judged: state.judged || state.certified,
            settled: state.settled,
            idle: state.idle,
            waves: state.waves,
        }
    }

    /// Sweeps the best model, unless that was done, and then the islands' in turn, as many as
    /// the work of a wave allows. The columns found enter the pool; if a single change improves
    /// the best model, the best such change is made.
    pub(super) fn sweep(
        &mut self,
        devices: &mut Devices,
        visited: &mut VisitedModels,
    ) -> Result<(), DeviceError> {
        let SearchProblem { x, y, keep, .. } = self.with.problem;
        let limits = self.with.limits;
        let product = (x.n() * x.p()) as u64;
        let all = match x.terms() {
            Some(_) => self.with.terms().count(),
            None => x.term_count(),
        };
        if self.is_stale() {
            self.renew();
        } else if self.pool.is_full() && self.pool.len() < all {
            // An empty pool has room for the terms that this sweep finds.
            self.pool = GramPool::new(x, &self.best.fit);
        }
        let mut fits = Vec::new();
        if !self.judged {
            fits.push(self.best.fit.clone());
        }
        let mut columns: usize = fits.iter().map(|fit| fit.support().len() + 1).sum();
        let best = self.best.fit.members();
        // A new pool also gets the columns nearest to the model of the kept variables.
        let horizon = (self.pool.len() == 0).then_some(keep);
        let (before, from) = self.islands.split_at(self.turn);
        let in_turn = from.iter().chain(before).map(|island| &*island.members);
        for members in horizon.into_iter().chain(in_turn) {
            let more = columns + x.width_of(members) + 1;
            let dear = columns as u64 * product >= SWEEP_WORK || 4 * more > x.p();
            if self.pool.len() == all || members == best || (dear && !fits.is_empty()) {
                continue;
            }
            if limits.stop() {
                return Ok(());
            }
            columns = more;
            fits.push(Fit::of(x, y, members).0);
        }
        self.turn = (self.turn + 1) % self.islands.len();
        let anchors: Vec<FitView> = fits.iter().map(Fit::view).collect();
        let mut swept = devices.find_neighbours(&anchors, keep, NEAR, &|| limits.stop())?;
        self.with.leave_out_the_wide(&mut swept);
        devices.bring_to_host(swept.iter().flat_map(Neighbours::joining))?;
        let blocks = x.block_work();
        let swept_work = (columns as u64 * product).saturating_add(blocks * fits.len() as u64);
        self.idle = self.idle.saturating_add(swept_work);
        self.fill(&best, &swept);
        if limits.stop() {
            return Ok(());
        }
        for (fit, neighbours) in fits.iter().zip(&swept) {
            self.with.visit_neighbours(fit, neighbours, visited);
        }
        if !self.judged {
            if let Some(better) = self.with.improve(&self.best, &swept[0], visited) {
                self.adopt(better, visited);
                return Ok(());
            }
            match self.with.certify(&self.best, devices)? {
                Verdict::Better(better) => self.adopt(*better, visited),
                Verdict::Best(settled) => {
                    (self.certified, self.judged) = (true, true);
                    self.settled = settled;
                    self.look_ahead(&swept[0], devices, visited)?;
                }
                Verdict::Unknown => self.judged = true,
            }
        }
        Ok(())
    }

    /// Sweeps the best models that hold one variable more than the certified one. If an addition
    /// or an exchange leads from there to a better model, the best such is taken.
    fn look_ahead(
        &mut self,
        neighbours: &Neighbours,
        devices: &mut Devices,
        visited: &mut VisitedModels,
    ) -> Result<(), DeviceError> {
        let SearchProblem {
            x, keep, max_size, ..
        } = self.with.problem;
        let limits = self.with.limits;
        let size = self.best.fit.support().len() + 2;
        let blocks = x.block_work();
        let work = blocks.saturating_add((size * x.n() * x.p()) as u64);
        let affordable = self.with.idle_work() / AHEAD_SHARE / work.max(1);
        let most = if size > max_size { 0 } else { AHEAD };
        let first = neighbours.additions.iter();
        let fits = first
            .take(most.min(affordable as usize))
            .filter_map(|change| {
                let mut fit = self.best.fit.clone();
                fit.add(x, change.column).ok()?;
                (fit.support().len() <= max_size).then_some(fit)
            });
        let fits: Vec<Fit> = fits.collect();
        if fits.is_empty() {
            return Ok(());
        }
        let anchors: Vec<FitView> = fits.iter().map(Fit::view).collect();
        let mut swept = devices.find_neighbours(&anchors, keep, NEAR_AHEAD, &|| limits.stop())?;
        self.with.leave_out_the_wide(&mut swept);
        self.idle = self.idle.saturating_add(work * fits.len() as u64);
        let joining = swept.iter().flat_map(Neighbours::joining);
        let supports = fits.iter().flat_map(Fit::terms).copied();
        // In an order that rounding cannot decide.
        let columns: BTreeSet<u32> = joining.chain(supports).collect();
        devices.bring_to_host(columns.iter().copied())?;
        self.insert(columns.into_iter());
        if limits.stop() {
            return Ok(());
        }
        let swept: Vec<(Fit, Neighbours)> = fits.into_iter().zip(swept).collect();
        for (fit, neighbours) in &swept {
            self.with.visit_neighbours(fit, neighbours, visited);
        }
        if let Some(better) = self.with.improve_any(&swept, self.best.value) {
            self.adopt(better, visited);
        }
        Ok(())
    }

    fn insert(&mut self, columns: impl Iterator<Item = u32>) {
        let PolishContext {
            problem,
            threads,
            limits,
            ..
        } = self.with;
        let stop = || limits.stop();
        self.pool
            .insert(problem.x, problem.y, columns, threads, &stop);
    }

    /// Inserts the models' columns and those that the sweep found into the pool, the best model's
    /// first.
    fn fill(&mut self, best: &[u32], swept: &[Neighbours]) {
        let members = self.islands.iter().flat_map(|island| &island.members);
        let mut columns: Vec<u32> = best.iter().chain(members).copied().collect();
        for near in swept {
            let first = columns.len();
            columns.extend(near.joining());
            // Near ties are ordered by rounding, which must not decide the places.
            columns[first..].sort_unstable();
        }
        self.insert(columns.into_iter());
        for island in &mut self.islands {
            let has = |v: &u32| self.pool.position(*v).is_some();
            if !island.members.iter().all(has) {
                island.members = best.to_vec();
            }
        }
    }

    /// Runs the tabu search of every island, and adopts the best model found if it is better.
    ///
    /// Each rank runs some of the islands, and all continue from the gathered results: another
    /// CPU's products may differ in their last digits.
    pub(super) fn search(
        &mut self,
        visited: &mut VisitedModels,
        observe: &mut dyn FnMut(&IterationRecord),
    ) -> Result<(), DeviceError> {
        let PolishContext {
            problem, limits, ..
        } = self.with;
        let pass = problem.pass;
        let sizes = self
            .islands
            .iter()
            .map(|island| problem.x.width_of(&island.members) as u64 + 1);
        let work = sizes.sum::<u64>() * self.pool.width() as u64 * ENTRY_COST;
        // Building a tableau costs k steps: it should be used for as many.
        let fewest = FEWEST_STEPS + self.best.fit.support().len() / 2;
        let search = TabuSearch {
            problem,
            pool: &self.pool,
            steps: ((WAVE_WORK / work.max(1)) as usize).clamp(fewest, STEPS.max(fewest)),
            value: self.best.value,
            limits,
        };
        let run = |island: &Particle| {
            let mut stream = island.stream.clone();
            let met = match problem.x.likelihood() {
                None => visited.like(),
                Some(_) => VisitedModels::default(),
            };
            let result = search.run_from(&island.members, &mut stream, met);
            (stream.words_drawn(), result)
        };
        let ranks = limits.communicator.map(|all| (all.rank(), all.size()));
        let (rank, ranks) = ranks.unwrap_or((0, 1));
        let own: Vec<&Particle> = self.islands.iter().skip(rank).step_by(ranks).collect();
        let mut walks: Vec<(u64, TabuResult)> = if self.with.threads > 1 {
            own.into_par_iter().map(run).collect()
        } else {
            own.into_iter().map(run).collect()
        };
        if let Some(communicator) = limits.communicator {
            walks = communicator.gather_round_robin(&walks, self.islands.len())?;
        }
        let found = match problem.x.likelihood() {
            None => {
                let found = walks.iter().filter_map(|(_, result)| result.best.as_ref());
                let found = found.map(|members| self.with.fitted(members));
                found.min_by(|a, b| a.value.total_cmp(&b.value))
            }
            // By the quadratic: what the walks met is fitted before anything is said of it.
            Some(_) => {
                let walks = walks.iter_mut();
                let met = walks.map(|(_, result)| std::mem::take(&mut result.visited));
                let (found, work) = self.with.judge(&self.best.fit, met, visited);
                self.idle = self.idle.saturating_add(work);
                found
            }
        };
        let found = found.filter(|found| rises(found.value, self.best.value));
        let mut steps = Vec::with_capacity(walks.len());
        if walks.iter().all(|(_, result)| result.work == 0) {
            // No island had a step to take.
            self.idle = u64::MAX;
        }
        let numbered = (pass.particles as u64..).zip(&mut self.islands);
        for ((number, island), (words, result)) in numbered.zip(walks) {
            self.idle = self.idle.saturating_add(result.work);
            visited.absorb(result.visited);
            steps.push(StepRecord {
                kind: MoveKind::Walk,
                variable: None,
                size: result.end.len(),
                value: result.end_value,
            });
            let end = ParticleState {
                members: result.end,
                words,
                ..ParticleState::default()
            };
            *island = Particle::at(pass.seed, number, end);
        }
        if let Some(found) = found {
            self.adopt(found, visited);
        }
        self.waves += 1;
        observe(&IterationRecord {
            number: self.with.iterations + self.waves,
            of: pass.iterations,
            wave: Some(self.waves),
            proof: None,
            best_value: self.best.value,
            best_size: self.best.fit.terms().len(),
            steps: &steps,
        });
        Ok(())
    }

    /// Makes a model the best one; the first island continues from it.
    fn adopt(&mut self, better: Candidate, visited: &mut VisitedModels) {
        let members = better.fit.members();
        visited.offer(better.value, &members);
        self.islands[0].members = members;
        self.best = better;
        (self.certified, self.judged) = (false, false);
        (self.settled, self.idle) = (None, 0);
    }
}
