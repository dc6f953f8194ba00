//! The stages of a search: the iterations of the swarm until something ends them, the polish, and the proof.

use std::sync::atomic::Ordering;

use super::{
    checkpoint::CheckpointWriter,
    control::{RunControl, StageEnd},
    polish::{PolishContext, polish},
    problem::{SearchProblem, rises},
    proof::prove,
    record::IterationRecord,
    result::SearchResult,
    settings::ProofEffort,
    state::{Stage, State},
    swarm::Swarm,
};
use crate::{
    device::{DeviceError, Devices},
    selection::{Certificate, Termination},
};

/// Runs the iterations of the swarm, then the polish; or resumes either from a state.
///
/// # Errors
/// A device that fails before the first iteration is done.
pub(super) fn run_stages(
    problem: SearchProblem,
    devices: &mut Devices,
    threads: usize,
    mut control: RunControl,
    from: Option<State>,
) -> Result<SearchResult, DeviceError> {
    if let Some(state) = &from {
        problem.x.fetch(state.columns())?;
        let undefined = problem.objective.undefined;
        undefined.fetch_or(state.undefined, Ordering::Relaxed);
    }
    let (visited, stage) = from.map(|state| (state.visited, state.stage)).unzip();
    let visited = visited.unwrap_or_default();
    let (mut polishing, mut proving) = (None, None);
    let after_swarm = |visited, members: &[u32], iterations, impatient| StageEnd {
        visited,
        members: members.to_vec(),
        iterations,
        termination: match impatient {
            true => Termination::Patience,
            false => Termination::Iterations,
        },
        certified: None,
        settled: None,
        proof: None,
        fault: None,
    };
    let mut end = match stage {
        Some(Stage::Polish {
            polish,
            iterations,
            impatient,
        }) => {
            let polish = polishing.insert(polish);
            after_swarm(visited, &polish.best, iterations, impatient)
        }
        Some(Stage::Proof {
            proof,
            iterations,
            impatient,
        }) => {
            let best = &proving.insert(proof).best[0];
            StageEnd {
                certified: problem.pass.polish.then_some(Certificate::Local),
                ..after_swarm(visited, &best.members, iterations, impatient)
            }
        }
        Some(Stage::Swarm {
            swarm,
            improved,
            lowest,
        }) => {
            let swarm = Swarm::resume(problem, devices, swarm, visited)?;
            iterate(swarm, &problem, &mut control, Some((improved, lowest)))
        }
        None => {
            let swarm = Swarm::start(problem, devices)?;
            iterate(swarm, &problem, &mut control, None)
        }
    };
    if problem.pass.polish && end.fault.is_none() && proving.is_none() {
        let context = PolishContext {
            problem,
            threads,
            limits: control.limits,
            iterations: end.iterations,
        };
        polish(context, devices, &mut end, polishing, &mut control);
    }
    let is_done = |end: &StageEnd| {
        let termination = end.termination;
        matches!(termination, Termination::Iterations | Termination::Patience)
    };
    let is_tried = match problem.pass.proof {
        ProofEffort::None => false,
        ProofEffort::Bounded => problem.pass.polish,
        ProofEffort::Complete => true,
    };
    if is_done(&end) && is_tried {
        let proved = prove(problem, threads, &mut control, &mut end, proving);
        if let Err(fault) = proved {
            end.cut(&control.limits, Some(fault));
        }
    }
    let is_done = is_done(&end);
    let mut alternatives = Vec::new();
    if is_done && problem.pass.alternatives && end.certified.is_some() && end.fault.is_none() {
        let context = PolishContext {
            problem,
            threads,
            limits: control.limits,
            iterations: end.iterations,
        };
        match context.alternatives(&end.members, devices) {
            Ok(found) => alternatives = found,
            Err(fault) => end.cut(&control.limits, Some(fault)),
        }
    }
    let keeper = control.keeper.filter(|_| !is_done);
    let unkept = keeper.and_then(CheckpointWriter::end);
    if problem.x.in_file().is_some() && end.fault.is_none() {
        let front = end.visited.front();
        let columns = front.iter().flat_map(|met| &met.members);
        // What fails here is read from the file.
        let _ = devices.bring_to_host(columns.chain(&end.members).copied());
    }
    let found = SearchResult::of(problem.objective, &end.members, end.visited);
    Ok(SearchResult {
        certified: end.certified,
        alternatives,
        settled: end.settled,
        proof: end.proof,
        iterations: end.iterations,
        termination: end.termination,
        max_size: problem.max_size,
        seconds: control.limits.start.elapsed().as_secs_f64(),
        devices: devices.names(),
        screen: devices.screen_precision(),
        notes: unkept.into_iter().collect(),
        fault: end.fault,
        ..found
    })
}

/// Runs iterations until something ends them. `best` is, of a resumed swarm, the last iteration
/// that improved the best model, and its φ; its current iteration was observed before.
fn iterate(
    mut swarm: Swarm,
    problem: &SearchProblem,
    control: &mut RunControl,
    best: Option<(usize, f64)>,
) -> StageEnd {
    let (pass, limits) = (problem.pass, control.limits);
    let mut observed = best.is_some();
    let (mut improved, mut lowest) = best.unwrap_or((1, swarm.best.value));
    let mut fault = None;
    let termination = loop {
        let (iterations, best) = (swarm.iteration, &swarm.best);
        if !std::mem::take(&mut observed) {
            (control.observe)(&IterationRecord {
                number: iterations,
                of: pass.iterations,
                wave: None,
                proof: None,
                best_value: best.value,
                best_size: best.members.len(),
                steps: &swarm.steps,
            });
            if rises(best.value, lowest) {
                (improved, lowest) = (iterations, best.value);
            }
            if swarm.is_canonical {
                control.keep(problem, &swarm.visited, || Stage::Swarm {
                    swarm: swarm.state(),
                    improved,
                    lowest,
                });
            }
        }
        let impatient = |most| iterations - improved >= most;
        if limits.stop() && !limits.interrupt.is_at_time_limit() {
            break Termination::Interrupted;
        } else if iterations >= pass.iterations {
            break Termination::Iterations;
        } else if pass.patience.is_some_and(impatient) {
            break Termination::Patience;
        } else if limits.interrupt.is_at_time_limit() {
            break Termination::TimeLimit;
        }
        match swarm.iterate(&limits) {
            Ok(true) => {}
            // What it met was observed; the limits end it above.
            Ok(false) => observed = true,
            Err(error) => {
                fault = Some(error);
                break Termination::Fault;
            }
        }
    };
    StageEnd {
        members: swarm.best.members.to_vec(),
        iterations: swarm.iteration,
        visited: swarm.end(),
        termination,
        certified: None,
        settled: None,
        proof: None,
        fault,
    }
}
