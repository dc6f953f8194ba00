//! The swarm: all particles, one iteration at a time.

use std::collections::HashMap;

use super::{
    control::Limits,
    particle::{Attempt, Particle, Plan, REFACTOR_PER_VARIABLE},
    problem::{SearchProblem, Size, rises},
    record::{MoveKind, StepRecord},
    state::{ParticleState, SwarmState},
    term_choice::strongest_term,
    visited::{VisitedModel, VisitedModels},
};
use crate::{
    device::{DeviceError, Devices, ModelUpdate, ModelView, TermChange},
    least_squares::Fit,
};

/// The number of models whose strongest term is cached; beyond it the cache is emptied.
const REMEMBERED: usize = 1 << 18;

/// Largest distance between two canonical iterations while models are small.
const CANONICAL_EVERY: usize = 64;

/// K particles, the best model they found, and the devices that hold their fits.
///
/// After a *canonical* iteration every fit is factored from its support in ascending
/// order and the cache of sweeps is empty: everything later depends on the particles'
/// supports, directions, φ and streams, the best model and the models visited, and not on the
/// history. What else the devices cache cannot change a result: it decides how a sweep screens,
/// every column that could be chosen passes the screen, and the choice is by dot products of X
/// and the fit in a fixed order. Cached sweeps could: models that are equal but were reached by
/// different moves have residuals that differ in their last digits.
pub(super) struct Swarm<'s, 'x> {
    pub(super) problem: SearchProblem<'s>,
    pub(super) devices: &'s mut Devices<'x>,
    pub(super) particles: Vec<Particle>,
    pub(super) best: VisitedModel,
    /// The models of the iterations done.
    pub(super) visited: VisitedModels,
    /// Whether the particles' current models are among those visited.
    noted: bool,
    /// Iterations done, the starts being the first.
    pub(super) iteration: usize,
    canonical: usize,
    pub(super) is_canonical: bool,
    /// What each particle did in the last iteration.
    pub(super) steps: Vec<StepRecord>,
    /// For each model in the cache, the position of its strongest term in `strongest`.
    known: HashMap<Box<[u32]>, usize>,
    strongest: Vec<Option<u32>>,
}

impl<'s, 'x> Swarm<'s, 'x> {
    fn new(
        problem: SearchProblem<'s>,
        devices: &'s mut Devices<'x>,
        state: SwarmState,
        visited: VisitedModels,
    ) -> Result<Self, DeviceError> {
        let pass = problem.pass;
        devices.init_models(problem.kept, pass.particles)?;
        let numbered = (0..).zip(state.particles);
        let particles =
            numbered.map(|(number, particle)| Particle::at(pass.seed, number, particle));
        Ok(Self {
            problem,
            devices,
            particles: particles.collect(),
            best: state.best,
            visited,
            noted: false,
            iteration: state.iteration,
            canonical: 0,
            is_canonical: false,
            steps: Vec::new(),
            known: HashMap::new(),
            strongest: Vec::new(),
        })
    }

    /// A swarm at its random starts, which are iteration 1.
    pub(super) fn start(
        problem: SearchProblem<'s>,
        devices: &'s mut Devices<'x>,
    ) -> Result<Self, DeviceError> {
        let kept = ParticleState {
            members: problem.keep.to_vec(),
            words: 0,
            forward: true,
            value: f64::INFINITY,
        };
        // The model of the kept variables alone, empty without any, may win.
        let mut best = VisitedModel {
            value: problem.objective.of_fit(problem.kept),
            members: problem.keep.into(),
        };
        let mut visited = VisitedModels::default();
        visited.offer(best.value, &best.members);
        for members in problem.starts {
            let (fit, _) = Fit::of(problem.x, problem.y, members);
            let value = problem.objective.of_fit(&fit);
            visited.offer(value, members);
            if rises(value, best.value) {
                let members = members.as_slice().into();
                best = VisitedModel { value, members };
            }
        }
        let state = SwarmState {
            iteration: 1,
            best,
            particles: vec![kept; problem.pass.particles],
        };
        let mut swarm = Self::new(problem, devices, state, visited)?;
        let room = problem.max_size - problem.keep.len();
        for _ in 0..problem.pass.start_size.min(room) {
            let particles = swarm.particles.iter_mut();
            let picks: Vec<u64> = particles
                .map(|particle| particle.stream.next_word())
                .collect();
            swarm.update(|particle, number, refused| {
                let variable = particle.random(&problem, picks[number], refused)?;
                Some(Attempt {
                    before: particle.lacking(&problem, variable, &[]),
                    ..Attempt::alone(MoveKind::Start, ModelUpdate::Add(variable))
                })
            })?;
        }
        let stay = vec![(MoveKind::Start, None); swarm.particles.len()];
        swarm.evaluate(stay);
        swarm.canonical = swarm.next_canonical();
        Ok(swarm)
    }

    pub(super) fn resume(
        problem: SearchProblem<'s>,
        devices: &'s mut Devices<'x>,
        state: SwarmState,
        visited: VisitedModels,
    ) -> Result<Self, DeviceError> {
        let mut swarm = Self::new(problem, devices, state, visited)?;
        let supports: Vec<&[u32]> = swarm
            .particles
            .iter()
            .map(|particle| &*particle.members)
            .collect();
        swarm.devices.set_supports(&supports)?;
        swarm.is_canonical = true;
        swarm.canonical = swarm.next_canonical();
        Ok(swarm)
    }

    pub(super) fn state(&self) -> SwarmState {
        SwarmState {
            iteration: self.iteration,
            best: self.best.clone(),
            particles: self.particles.iter().map(Particle::state).collect(),
        }
    }

    /// The next canonical iteration after this one, which is canonical or the first: soon at
    /// first, where it costs little, and with large models when these would be refactored anyway.
    fn next_canonical(&self) -> usize {
        let sizes = self.particles.iter().map(|particle| particle.members.len());
        let most = REFACTOR_PER_VARIABLE * sizes.max().unwrap_or(0);
        self.iteration + self.iteration.min(CANONICAL_EVERY).max(most)
    }

    pub(super) fn end(mut self) -> VisitedModels {
        if !self.noted {
            remember(&mut self.visited, &self.particles);
        }
        self.visited
    }

    /// One step of every particle; all of them see the best model of the iteration before. False where
    /// the limits cut it: the swarm then has no state to go on from, but the best model and those
    /// visited of the iterations before.
    pub(super) fn iterate(&mut self, limits: &Limits) -> Result<bool, DeviceError> {
        let problem = self.problem;
        let (devices, best) = (&*self.devices, &self.best.members);
        let particles = self.particles.iter_mut().enumerate();
        let plan = |(number, particle): (usize, &mut Particle)| {
            particle.plan(&problem, best, devices.parameters(number))
        };
        let plans: Vec<Plan> = particles.map(plan).collect();
        let strongest = self.sweep(&plans)?;
        if limits.stop() {
            return Ok(false);
        }
        let best = std::mem::take(&mut self.best.members);
        let moves = self.update(|particle, number, refused| {
            particle.attempt(&problem, plans[number], &best, strongest[number], refused)
        });
        self.best.members = best;
        let moves = moves?;
        let all = self.iteration + 1 == self.canonical;
        let numbered = self.particles.iter_mut().enumerate();
        let worn =
            numbered.filter_map(|(number, particle)| particle.is_worn(all).then_some(number));
        let worn: Vec<_> = worn.map(|number| (number, ModelUpdate::Refactor)).collect();
        self.devices.update_models(&worn)?;
        if limits.stop() {
            return Ok(false);
        }
        // φ is of the refactored fit, as it would be in a resumed search.
        self.evaluate(moves);
        self.iteration += 1;
        self.is_canonical = all;
        if all {
            self.forget();
            self.canonical = self.next_canonical();
        }
        Ok(true)
    }

    /// The size of a particle's model.
    pub(super) fn size(&self, number: usize) -> Size {
        Size {
            terms: self.particles[number].members.len(),
            parameters: self.devices.parameters(number),
        }
    }

    fn evaluate(&mut self, moves: Vec<(MoveKind, Option<u32>)>) {
        self.steps.clear();
        let particles = self.particles.iter_mut().zip(moves).enumerate();
        for (number, (particle, (kind, variable))) in particles {
            let (size, rss) = (particle.members.len(), self.devices.rss(number));
            let whole = Size {
                terms: size,
                parameters: self.devices.parameters(number),
            };
            particle.update_value(self.problem.objective.floored(whole, rss));
            let value = particle.value;
            self.steps.push(StepRecord {
                kind,
                variable,
                size,
                value,
            });
            if rises(value, self.best.value) {
                let members = particle.members.as_slice().into();
                self.best = VisitedModel { value, members };
            }
        }
        self.noted = false;
    }

    fn forget(&mut self) {
        self.known.clear();
        self.strongest.clear();
    }

    /// The strongest term of each particle about to take an improving forward step. Equal models
    /// are swept once, and models in the cache are not swept.
    fn sweep(&mut self, plans: &[Plan]) -> Result<Vec<Option<u32>>, DeviceError> {
        if self.known.len() > REMEMBERED {
            self.forget();
        }
        let mut models = Vec::new();
        let mut answers = vec![None; plans.len()];
        let particles = self.particles.iter().zip(plans).enumerate();
        for ((number, (particle, plan)), answer) in particles.zip(&mut answers) {
            if plan.kind != MoveKind::AddImprove {
                continue;
            }
            *answer = Some(match self.known.get(&*particle.members) {
                Some(&at) => at,
                None => {
                    let at = self.strongest.len() + models.len();
                    self.known.insert(particle.members.as_slice().into(), at);
                    models.push(ModelView {
                        number,
                        support: &particle.members,
                        rss: self.devices.rss(number),
                        square: self.devices.square(number),
                    });
                    at
                }
            });
        }
        // The models visited are not needed before the end: they are recorded while devices sweep.
        let (visited, particles) = (&mut self.visited, &self.particles);
        let (devices, problem) = (&mut *self.devices, self.problem);
        let gain = problem.pass.gain;
        let found = rayon::in_place_scope(|scope| {
            scope.spawn(|_| remember(visited, particles));
            match self.problem.x.terms() {
                None => devices.find_strongest(&models, gain),
                Some(_) => {
                    let found = devices.find_strongest_terms(&models, gain)?;
                    let models = models.iter().zip(found);
                    let lowest = |(model, found): (&ModelView, Vec<TermChange>)| {
                        let size = Size {
                            terms: model.support.len(),
                            parameters: devices.parameters(model.number),
                        };
                        // Of a likelihood squares of scores are as large as their own sum, which is not its loss.
                        let scale = model.rss / model.square.max(f64::MIN_POSITIVE);
                        let is_scaled = problem.x.likelihood().is_some();
                        let mut found = found;
                        for change in found.iter_mut().filter(|_| is_scaled) {
                            change.rss *= scale;
                        }
                        strongest_term(&problem, (size, model.rss), &found)
                    };
                    Ok(models.map(lowest).collect())
                }
            }
        });
        self.noted = true;
        self.strongest.extend(found?);
        let answer = |at: Option<usize>| at.and_then(|at| self.strongest[at]);
        Ok(answers.into_iter().map(answer).collect())
    }
}

fn remember(visited: &mut VisitedModels, particles: &[Particle]) {
    for particle in particles {
        visited.offer(particle.value, &particle.members);
    }
}
