//! The way of a search: the swarm's iterations until something ends them, then the polish.

use std::{sync::atomic::Ordering, time::Instant};

use super::{
    IterationRecord, Objective, Pass, SearchResult, VisitedModels,
    checkpoint::CheckpointWriter,
    particle::{Problem, rises},
    polish::Polish,
    state::{Stage, State},
    swarm::Swarm,
};
use crate::{
    device::{DeviceError, Devices},
    interrupt::Interrupt,
    ranks::Communicator,
    selection::Termination,
};

/// Who a search hears and tells.
pub(super) struct Outside<'a, 'k> {
    pub(super) interrupt: &'a Interrupt,
    pub(super) observe: &'a mut dyn FnMut(&IterationRecord),
    pub(super) keeper: CheckpointWriter<'k>,
    pub(super) ranks: Option<&'a Communicator>,
}

/// What the swarm leaves to the polish.
struct Swarmed<'a> {
    devices: Devices<'a>,
    visited: VisitedModels,
    /// The best model, columns ascending.
    members: Vec<u32>,
    iterations: usize,
    termination: Termination,
    fault: Option<DeviceError>,
}

/// The iterations, until something ends them; then the polish. It goes on from a state.
pub(super) fn walk(
    problem: Problem,
    judge: Objective,
    devices: Devices,
    pass: &Pass,
    threads: usize,
    mut outside: Outside,
    from: Option<State>,
) -> Result<SearchResult, DeviceError> {
    let start = Instant::now();
    let (interrupt, ranks) = (outside.interrupt, outside.ranks);
    let late = || {
        let own = pass.time_limit.is_some_and(|most| start.elapsed() >= most);
        match ranks {
            Some(communicator) => communicator.time_is_up(own),
            None => own,
        }
    };
    let (names, screen) = (devices.names(), devices.screen_precision());
    if let Some(state) = &from {
        let brought = problem.x.fetch(state.columns());
        brought.map_err(DeviceError::from_rank_error)?;
    }
    if from.as_ref().is_some_and(|it| it.undefined) {
        judge.undefined.store(true, Ordering::Relaxed);
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
            let swarmed = Swarmed {
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
            let swarm = Swarm::resume(problem, judge, devices, pass, (swarm, visited))?;
            let best = Some((improved, lowest));
            (iterate(swarm, pass, &mut outside, &late, best), None)
        }
        None => {
            let swarm = Swarm::start(problem, judge, devices, pass)?;
            (iterate(swarm, pass, &mut outside, &late, None), None)
        }
    };
    let Swarmed {
        mut devices,
        mut visited,
        mut members,
        iterations,
        mut termination,
        mut fault,
    } = swarmed;
    let mut certified = false;
    if pass.polish && fault.is_none() {
        let polish = Polish {
            problem: &problem,
            judge,
            pass,
            threads,
            stop: &|| interrupt.requested() || late(),
            ranks,
        };
        let Outside {
            observe, keeper, ..
        } = &mut outside;
        let polished = polish.run(
            (&mut devices, &mut visited),
            polishing,
            &mut |islands, visited| {
                keeper.at(|| State {
                    undefined: judge.undefined.load(Ordering::Relaxed),
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
        false => outside.keeper.end(),
    };
    let found = SearchResult::of(problem.x, problem.y, judge, &members, visited);
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

/// The iterations. A swarm that goes on has its last better model's iteration and φ, and
/// told of the iteration that it stands at before.
fn iterate<'a>(
    mut swarm: Swarm<'a>,
    pass: &Pass,
    outside: &mut Outside,
    late: &dyn Fn() -> bool,
    best: Option<(usize, f64)>,
) -> Swarmed<'a> {
    let mut told = best.is_some();
    let (mut improved, mut lowest) = best.unwrap_or((1, swarm.best().value));
    let mut fault = None;
    let termination = loop {
        let (iterations, best) = (swarm.iteration(), swarm.best());
        if !std::mem::take(&mut told) {
            (outside.observe)(&IterationRecord {
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
                outside.keeper.at(|| swarm.state(improved, lowest));
            }
        }
        if outside.interrupt.requested() {
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
    Swarmed {
        devices,
        visited,
        members,
        iterations,
        termination,
        fault,
    }
}
