//! The stages of a search: the iterations of the swarm until something ends them, then the polish.

use std::{sync::atomic::Ordering, time::Instant};

use super::{
    checkpoint::CheckpointWriter,
    objective::{Objective, rises},
    polish::{PolishContext, polish},
    problem::SearchProblem,
    record::IterationRecord,
    result::SearchResult,
    settings::Pass,
    state::{Stage, State},
    swarm::Swarm,
    visited::VisitedModels,
};
use crate::{
    device::{DeviceError, Devices},
    interrupt::Interrupt,
    ranks::Communicator,
    selection::Termination,
};

/// What a search reports to, and what can end it.
pub(super) struct RunControl<'a, 'k> {
    pub(super) interrupt: &'a Interrupt,
    pub(super) observe: &'a mut dyn FnMut(&IterationRecord),
    pub(super) keeper: CheckpointWriter<'k>,
    pub(super) communicator: Option<&'a Communicator>,
}

/// The end of the swarm, from which the polish starts.
struct SwarmEnd<'a> {
    devices: Devices<'a>,
    visited: VisitedModels,
    /// The best model, columns ascending.
    members: Vec<u32>,
    iterations: usize,
    termination: Termination,
    fault: Option<DeviceError>,
}

/// Runs the iterations of the swarm, then the polish; or resumes either from a state.
///
/// # Errors
/// A device that fails before the first iteration is done.
pub(super) fn run_stages(
    problem: SearchProblem,
    objective: Objective,
    devices: Devices,
    pass: &Pass,
    threads: usize,
    mut control: RunControl,
    from: Option<State>,
) -> Result<SearchResult, DeviceError> {
    let start = Instant::now();
    let (interrupt, communicator) = (control.interrupt, control.communicator);
    let late = || {
        let own = pass.time_limit.is_some_and(|most| start.elapsed() >= most);
        match communicator {
            Some(communicator) => communicator.time_is_up(own),
            None => own,
        }
    };
    let (names, screen) = (devices.names(), devices.screen_precision());
    if let Some(state) = &from {
        let fetched = problem.x.fetch(state.columns());
        fetched.map_err(DeviceError::from_rank_error)?;
    }
    if from.as_ref().is_some_and(|state| state.undefined) {
        objective.undefined.store(true, Ordering::Relaxed);
    }
    let (swarmed, polishing) = match from {
        Some(State {
            visited,
            stage:
                Stage::Polish {
                    polish,
                    iterations,
                    impatient,
                },
            ..
        }) => {
            let swarmed = SwarmEnd {
                devices,
                visited,
                members: polish.best.clone(),
                iterations,
                termination: match impatient {
                    true => Termination::Patience,
                    false => Termination::Iterations,
                },
                fault: None,
            };
            (swarmed, Some(polish))
        }
        Some(State {
            visited,
            stage:
                Stage::Swarm {
                    swarm,
                    improved,
                    lowest,
                },
            ..
        }) => {
            let swarm = Swarm::resume(problem, objective, devices, pass, (swarm, visited))?;
            let best = Some((improved, lowest));
            (
                iterate((swarm, objective), pass, &mut control, &late, best),
                None,
            )
        }
        None => {
            let swarm = Swarm::start(problem, objective, devices, pass)?;
            (
                iterate((swarm, objective), pass, &mut control, &late, None),
                None,
            )
        }
    };
    let SwarmEnd {
        mut devices,
        mut visited,
        mut members,
        iterations,
        mut termination,
        mut fault,
    } = swarmed;
    let mut certified = false;
    if pass.polish && fault.is_none() {
        let context = PolishContext {
            problem: &problem,
            objective,
            pass,
            threads,
            stop: &|| interrupt.requested() || late(),
            communicator,
        };
        let RunControl {
            observe, keeper, ..
        } = &mut control;
        let polished = polish(
            &context,
            (&mut devices, &mut visited),
            polishing,
            &mut |islands, visited| {
                keeper.at(|| State {
                    undefined: objective.undefined.load(Ordering::Relaxed),
                    visited: visited.clone(),
                    stage: Stage::Polish {
                        polish: islands.state(),
                        iterations,
                        impatient: termination == Termination::Patience,
                    },
                });
            },
            &mut |wave| {
                observe(&IterationRecord {
                    number: iterations + wave.number,
                    of: pass.iterations,
                    wave: Some(wave.number),
                    best_value: wave.best_value,
                    best_size: wave.best_size,
                    steps: wave.steps,
                });
            },
        );
        (members, certified) = (polished.members, polished.certified);
        if polished.cut {
            termination = match interrupt.requested() {
                true => Termination::Interrupted,
                false => Termination::TimeLimit,
            };
        }
        if polished.fault.is_some() {
            (fault, termination) = (polished.fault, Termination::Fault);
        }
    }
    let done = [Termination::Iterations, Termination::Patience].contains(&termination);
    let unkept = match done {
        true => None,
        false => control.keeper.end(),
    };
    let found = SearchResult::of(problem.x, problem.y, objective, &members, visited);
    Ok(SearchResult {
        certified,
        iterations,
        termination,
        max_size: problem.max_size,
        seconds: start.elapsed().as_secs_f64(),
        devices: names,
        screen,
        notes: unkept.into_iter().collect(),
        fault,
        ..found
    })
}

/// Runs iterations until something ends them. `best` is, of a resumed swarm, the last iteration
/// that improved the best model, and its φ; its current iteration was observed before.
fn iterate<'a>(
    (mut swarm, objective): (Swarm<'a>, Objective),
    pass: &Pass,
    control: &mut RunControl,
    late: &dyn Fn() -> bool,
    best: Option<(usize, f64)>,
) -> SwarmEnd<'a> {
    let mut observed = best.is_some();
    let (mut improved, mut lowest) = best.unwrap_or((1, swarm.best().value));
    let mut fault = None;
    let termination = loop {
        let (iterations, best) = (swarm.iteration(), swarm.best());
        if !std::mem::take(&mut observed) {
            (control.observe)(&IterationRecord {
                number: iterations,
                of: pass.iterations,
                wave: None,
                best_value: best.value,
                best_size: best.members.len(),
                steps: swarm.steps(),
            });
            if rises(best.value, lowest) {
                (improved, lowest) = (iterations, best.value);
            }
            if swarm.is_canonical() {
                control.keeper.at(|| State {
                    undefined: objective.undefined.load(Ordering::Relaxed),
                    visited: swarm.visited().clone(),
                    stage: Stage::Swarm {
                        swarm: swarm.state(),
                        improved,
                        lowest,
                    },
                });
            }
        }
        if control.interrupt.requested() {
            break Termination::Interrupted;
        } else if iterations >= pass.iterations {
            break Termination::Iterations;
        } else if pass
            .patience
            .is_some_and(|most| iterations - improved >= most)
        {
            break Termination::Patience;
        } else if late() {
            break Termination::TimeLimit;
        }
        if let Err(error) = swarm.iterate() {
            fault = Some(error);
            break Termination::Fault;
        }
    };
    let (iterations, members) = (swarm.iteration(), swarm.best().members.clone());
    let (devices, visited) = swarm.end();
    SwarmEnd {
        devices,
        visited,
        members,
        iterations,
        termination,
        fault,
    }
}
