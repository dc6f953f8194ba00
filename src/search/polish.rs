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

use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::{
    Move, Pass, Step,
    particle::{Problem, rises, stream},
    swarm::Judge,
    visited::Visited,
    walk::{Walk, Walked},
};
use crate::{
    device::{Anchor, Cpu, Neighbours, Pool},
    least_squares::Fit,
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

/// Work without a better model after which the polish ends, in multiply-adds of
/// a product: this, or so many products of X with one column if that is more.
const IDLE_WORK: u64 = 1 << 30;
const IDLE_PRODUCTS: u64 = 64;

/// Of each kind of change, how many of the strongest the certificate fits.
const FITTED: usize = 4;

/// A local optimum, and how it was reached.
pub(super) struct Polished {
    pub(super) members: Vec<u32>,
    /// Whether no single addition, drop or exchange improves it; false where the
    /// end came before the last sweep.
    pub(super) certified: bool,
}

/// A model and its φ.
struct Candidate {
    fit: Fit,
    value: f64,
}

/// What does not change from wave to wave.
pub(super) struct Polish<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) judge: Judge<'a>,
    pub(super) device: &'a Cpu<'a>,
    pub(super) pass: &'a Pass,
    pub(super) threads: usize,
    /// Whether the search should end.
    pub(super) stop: &'a (dyn Fn() -> bool + Sync),
}

impl Polish<'_> {
    /// Polishes the best models visited; `observe` is told of each wave: the
    /// best φ, its size, and where each island stands.
    pub(super) fn run(
        &self,
        visited: &mut Visited,
        observe: &mut dyn FnMut(f64, usize, &[Step]),
    ) -> Polished {
        let (x, p) = (self.problem.x, self.problem.x.p());
        let mut pool = Pool::new(p);
        let all = p <= SMALL;
        pool.take(x, self.problem.y, (0..p as u32).filter(|_| all));

        let starts = visited.starts(self.pass.islands);
        let mut islands: Vec<(Vec<u32>, ChaCha8Rng)> = (0..self.pass.islands)
            .map(|island| {
                let start = &starts[island % starts.len()].members;
                let number = (self.pass.particles + island) as u64;
                (start.to_vec(), stream(self.pass.seed, number))
            })
            .collect();
        let mut best = self.fitted(&starts[0].members);
        let (mut certified, mut idle) = (false, 0);
        let allowed = IDLE_WORK.max(IDLE_PRODUCTS * (x.n() * p) as u64);
        loop {
            if (self.stop)() || (certified && idle >= allowed) {
                break;
            }
            // The best model first, until it is certified; then the islands'.
            let mut fits = Vec::new();
            if !certified {
                fits.push(best.fit.clone());
            }
            if !pool.has_all(p) {
                let ends = islands.iter().map(|(end, _)| end);
                fits.extend(ends.map(|end| Fit::of(x, self.problem.y, end).0));
                if pool.len() == 0 {
                    fits.push(self.problem.kept.clone());
                }
            }
            let swept = self.sweep(&fits, &mut pool);
            let anchors: usize = fits.iter().map(|fit| fit.support().len() + 1).sum();
            idle += (anchors * x.n() * p) as u64;
            if !certified {
                match self.improve(&best, &swept[0]) {
                    Some(better) => {
                        best = better;
                        idle = 0;
                        visited.offer(best.value, &sorted(&best.fit));
                        islands[0].0 = sorted(&best.fit);
                    }
                    None => certified = true,
                }
            }
            let walks = self.walk(&pool, &mut islands, best.value, visited);
            let found = walks.iter().filter_map(|walked| walked.best.as_ref());
            let found = found
                .map(|members| self.fitted(members))
                .min_by(|a, b| a.value.total_cmp(&b.value))
                .filter(|found| rises(found.value, best.value));
            idle += walks.iter().map(|walked| walked.work).sum::<u64>();
            let mut steps = Vec::with_capacity(walks.len());
            for ((end, _), walked) in islands.iter_mut().zip(walks) {
                steps.push(Step {
                    moved: Move::Walk,
                    variable: None,
                    size: walked.end.len(),
                    value: walked.end_value,
                });
                *end = walked.end;
                visited.absorb(walked.visited);
            }
            if let Some(found) = found {
                best = found;
                (certified, idle) = (false, 0);
                visited.offer(best.value, &sorted(&best.fit));
                islands[0].0 = sorted(&best.fit);
            }
            observe(best.value, best.fit.support().len(), &steps);
        }
        Polished {
            members: sorted(&best.fit),
            certified,
        }
    }

    fn fitted(&self, members: &[u32]) -> Candidate {
        let (fit, _) = Fit::of(self.problem.x, self.problem.y, members);
        let value = self.judge.value(&fit);
        Candidate { fit, value }
    }

    /// Sweeps the models; their variables and neighbours enter the pool.
    fn sweep(&self, fits: &[Fit], pool: &mut Pool) -> Vec<Neighbours> {
        let Problem { x, y, keep, .. } = *self.problem;
        let anchors: Vec<Anchor> = fits.iter().map(Fit::anchor).collect();
        let swept = self.device.neighbours(&anchors, keep, NEAR);
        let supports = fits.iter().flat_map(|fit| fit.support());
        pool.take(x, y, supports.copied());
        let changes = swept.iter().flat_map(|it| it.joining.iter().chain(&it.replacing));
        pool.take(x, y, changes.map(|change| change.column));
        swept
    }

    /// The best model one addition, drop or exchange away, if it is better.
    fn improve(&self, best: &Candidate, neighbours: &Neighbours) -> Option<Candidate> {
        let Problem { x, keep, max_size, .. } = *self.problem;
        let k = best.fit.support().len();
        let room = usize::from(k < max_size) * FITTED;
        let joining = neighbours.joining.iter().take(room);
        let replacing = neighbours.replacing.iter().take(FITTED);
        let changes = joining
            .chain(replacing)
            .map(|change| (change.replaces, Some(change.column)));
        let mut drops: Vec<(usize, f64)> = best.fit.drop_costs().enumerate().collect();
        drops.retain(|(at, _)| keep.binary_search(&best.fit.support()[*at]).is_err());
        drops.sort_by(|a, b| a.1.total_cmp(&b.1));
        let drops = drops.iter().take(FITTED).map(|(at, _)| (Some(*at), None));
        changes
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
            .min_by(|a, b| a.value.total_cmp(&b.value))
            .map(|better| self.fitted(&sorted(&better.fit)))
            // From scratch the last digits may be others.
            .filter(|better| rises(better.value, best.value))
    }

    fn walk(
        &self,
        pool: &Pool,
        islands: &mut [(Vec<u32>, ChaCha8Rng)],
        value: f64,
        visited: &Visited,
    ) -> Vec<Walked> {
        let sizes: u64 = islands.iter().map(|(model, _)| model.len() as u64 + 1).sum();
        let work = sizes * pool.len() as u64 * super::walk::ENTRY_COST;
        let walk = Walk {
            problem: self.problem,
            judge: self.judge,
            pool,
            steps: ((WAVE_WORK / work.max(1)) as usize).clamp(FEWEST_STEPS, STEPS),
            value,
            stop: self.stop,
        };
        let from = |(model, stream): &mut (Vec<u32>, ChaCha8Rng)| {
            walk.from(model, stream, visited.like())
        };
        if self.threads > 1 {
            islands.par_iter_mut().map(from).collect()
        } else {
            islands.iter_mut().map(from).collect()
        }
    }
}

fn sorted(fit: &Fit) -> Vec<u32> {
    let mut members = fit.support().to_vec();
    members.sort_unstable();
    members
}
