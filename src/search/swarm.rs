//! The whole swarm, one iteration at a time.

use std::collections::HashMap;

use passel_criteria::{Criterion, Model};
use rayon::prelude::*;

use super::{
    Move, Pass, Step,
    particle::{Particle, Plan, Problem, rises},
    visited::Visited,
};
use crate::{
    device::{Cpu, Gain},
    least_squares::Fit,
};

/// Models whose strongest column is remembered; past it memory is given back.
const REMEMBERED: usize = 1 << 18;

/// Observations × variables × particles below which waking the threads costs
/// more than fitting.
const PARALLEL_WORK: usize = 1 << 17;

/// The lowest φ so far and its model.
#[derive(Debug, Clone)]
pub(crate) struct Best {
    pub(crate) value: f64,
    /// Ascending.
    pub(crate) members: Vec<u32>,
}

/// K particles, the best model they found, and the device that sweeps.
pub(crate) struct Swarm<'a> {
    problem: Problem<'a>,
    judge: Judge<'a>,
    gain: Gain,
    device: Cpu<'a>,
    threads: usize,
    particles: Vec<Particle>,
    best: Best,
    visited: Visited,
    steps: Vec<Step>,
    /// Of each model swept so far, which of `strongest` is its.
    known: HashMap<Box<[u32]>, usize>,
    strongest: Vec<Option<u32>>,
}

/// Turns a fit into φ.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'a> {
    pub(crate) criterion: &'a dyn Criterion,
    pub(crate) n: usize,
    /// Of the criterion: the candidates, or more before a prescreening.
    pub(crate) p: usize,
    /// Total sum of squares on the response's scale; fits have it at one.
    pub(crate) tss: f64,
}

impl Judge<'_> {
    /// φ of a fit. RSS is floored at n·eps²·TSS, where it is nothing but rounding.
    pub(crate) fn value(&self, fit: &Fit) -> f64 {
        let floor = self.n as f64 * f64::EPSILON * f64::EPSILON;
        self.at(fit.support().len(), fit.rss().max(floor))
    }

    /// φ of k variables that leave this RSS, the response at unit norm.
    pub(crate) fn at(&self, k: usize, rss: f64) -> f64 {
        let model = Model {
            n: self.n,
            p: self.p,
            k,
            rss: rss * self.tss,
        };
        let value = self.criterion.value(&model);
        // −∞ would swallow every difference.
        if value.is_nan() {
            f64::INFINITY
        } else {
            value.max(f64::MIN)
        }
    }
}

impl<'a> Swarm<'a> {
    /// The starts: iteration 1.
    pub(crate) fn start(
        problem: Problem<'a>,
        judge: Judge<'a>,
        device: Cpu<'a>,
        pass: &Pass,
        threads: usize,
    ) -> Self {
        let mut particles: Vec<Particle> = (0..pass.particles as u64)
            .map(|number| Particle::start(&problem, pass.seed, number, pass.start_size))
            .collect();
        // The model of the kept variables alone, empty without any, may win.
        let mut best = Best {
            value: judge.value(problem.kept),
            members: problem.keep.to_vec(),
        };
        let mut visited = Visited::default();
        visited.offer(best.value, &best.members);
        for particle in &mut particles {
            particle.judge(judge.value(particle.fit()));
            best.offer(particle);
            visited.offer(particle.value(), particle.members());
        }
        let steps = particles
            .iter()
            .map(|particle| particle.step(Move::Start, None))
            .collect();
        Self {
            problem,
            judge,
            gain: pass.gain,
            device,
            threads,
            particles,
            best,
            visited,
            steps,
            known: HashMap::new(),
            strongest: Vec::new(),
        }
    }

    pub(crate) fn best(&self) -> &Best {
        &self.best
    }

    /// The device, free for other work, and the models visited.
    pub(crate) fn end(self) -> (Cpu<'a>, Visited) {
        (self.device, self.visited)
    }

    /// What each particle did in the iteration last done.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// One step of every particle. All read the best model as it stood before.
    pub(crate) fn iterate(&mut self) {
        let plans: Vec<Plan> = self
            .particles
            .iter_mut()
            .map(|particle| particle.plan(&self.problem, &self.best.members))
            .collect();
        let strongest = self.sweep(&plans);
        let (problem, judge, best) = (&self.problem, self.judge, &self.best.members);
        let carry_out =
            |((particle, &plan), &strongest): ((&mut Particle, &Plan), &Option<u32>)| {
                let (moved, variable) = particle.carry_out(problem, plan, best, strongest);
                particle.judge(judge.value(particle.fit()));
                particle.step(moved, variable)
            };
        let size = best.len().max(1);
        let parallel =
            self.threads > 1 && self.judge.n * size * self.particles.len() > PARALLEL_WORK;
        self.steps.clear();
        if parallel {
            let share = self.particles.len().div_ceil(8 * self.threads);
            self.particles
                .par_iter_mut()
                .zip(&plans)
                .zip(&strongest)
                .with_min_len(share)
                .map(carry_out)
                .collect_into_vec(&mut self.steps);
        } else {
            let particles = self.particles.iter_mut();
            self.steps
                .extend(particles.zip(&plans).zip(&strongest).map(carry_out));
        }
        for particle in &self.particles {
            self.best.offer(particle);
            self.visited.offer(particle.value(), particle.members());
        }
    }

    /// Of each particle about to take an improving forward step, the strongest
    /// column: swept once for equal models, and never again for one known.
    fn sweep(&mut self, plans: &[Plan]) -> Vec<Option<u32>> {
        if self.known.len() > REMEMBERED {
            self.known.clear();
            self.strongest.clear();
        }
        let mut anchors = Vec::new();
        let mut answers = vec![None; plans.len()];
        for ((particle, plan), answer) in self.particles.iter().zip(plans).zip(&mut answers) {
            if *plan != Plan::AddImprove {
                continue;
            }
            *answer = Some(match self.known.get(particle.members()) {
                Some(&at) => at,
                None => {
                    let at = self.strongest.len() + anchors.len();
                    self.known.insert(particle.members().into(), at);
                    anchors.push(particle.fit().anchor());
                    at
                }
            });
        }
        self.strongest
            .extend(self.device.strongest(&anchors, self.gain));
        answers
            .into_iter()
            .map(|at| at.and_then(|at: usize| self.strongest[at]))
            .collect()
    }
}

impl Best {
    /// Takes a particle's model if its φ is lower by more than rounding.
    fn offer(&mut self, particle: &Particle) {
        if rises(particle.value(), self.value) {
            self.value = particle.value();
            self.members.clear();
            self.members.extend_from_slice(particle.members());
        }
    }
}
