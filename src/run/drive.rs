//! The path of a run, the same for every method.

use std::{path::Path, sync::Arc, time::Instant};

use super::{
    Fault, Report, RunContext, RunError,
    method::{Finding, Method, Run, create_file},
};
use crate::{
    device::StartingGpus,
    job::{Job, Task},
    memory::give_back_freed,
    output::Replaces,
    presentation::PageExtras,
    selection::{Outcome, Termination},
    threads::with_helpers,
    trace::Trace,
};

/// Bytes of data from which memory that reading has freed is given back to the system.
const MUCH_MEMORY: u64 = 1 << 27;

/// Takes a method along the path of a run.
pub(super) fn drive<M: Method>(
    method: &M,
    task: &Task,
    context: &RunContext,
) -> Result<Report, RunError> {
    let job = task.job();
    // Of a file beside the output nothing is to stay; a reader of a pipe is waited for without it.
    let is_pipe = |path: &Path| path.metadata().is_ok_and(|found| !found.is_file());
    let waits = job.output.as_deref().is_some_and(is_pipe);
    let _early = (!waits).then(|| job.interrupt.heeding());
    // Files first: a search of hours must not end at a wrong path.
    let output = create_file(job, job.output.as_deref(), Replaces::Report)?;
    let mut run = Run::open(task, context)?;
    let heeding = job.interrupt.heeding();
    method.check(job)?;
    run.meter = context.meter(job);
    run.meter.begin("reading and preparing the data");
    // They take as long to start as a large file to be read.
    let mut gpus = StartingGpus::of(&job.resources)?;
    let reading = Job {
        interrupt: job.interrupt.or_in_vain(&gpus.failed),
        ..job.clone()
    };
    let threads = job.resources.thread_count();
    let prepared = with_helpers(threads, || context.prepare::<M>(&reading));
    run.prepared = Instant::now();
    gpus.wait()?;
    run.waited = run.prepared.elapsed();
    let (prepared, _held) = prepared?;
    // Of little data it is wanted soon again, by this run or the next, and each page costs more to be had anew than to be used.
    if job.resources.memory.held() >= MUCH_MEMORY {
        give_back_freed();
    }
    run.meter.begin("at work");
    let guard = M::IS_PROCEDURE.then(|| job.interrupt.detachable());
    let has_others = !job.other_criteria.is_empty() && job.responses.is_none();
    let shared = has_others.then(|| Arc::clone(&prepared));
    let found = method.work(&mut run, prepared)?;
    std::mem::take(&mut run.meter).finish();
    let mut finding = with_helpers(threads, || method.report(&mut run, found))?;
    if let Some(prepared) = shared {
        by_other_criteria(&mut run, &mut finding, |run| {
            let found = method.work(run, Arc::clone(&prepared))?;
            std::mem::take(&mut run.meter).finish();
            method.report(run, found)
        })?;
    }
    let data = context.data.map_or(job.data.as_path(), Path::new);
    finding.outcome.name_data(data.display().to_string());
    let is_done = match &finding.outcome {
        Outcome::Selection(selection) => {
            [Termination::Iterations, Termination::Patience].contains(&selection.termination)
        }
        Outcome::Ranking(ranking) => !ranking.run.termination.is_early(),
        Outcome::Pairs(pairs) => !pairs.run.termination.is_early(),
        Outcome::Responses(_) | Outcome::Stability(_) | Outcome::Validation(_) => false,
    };
    let checkpoint = job.checkpoint.clone();
    let report = Report {
        outcome: finding.outcome,
        data: data.to_owned(),
        format: job.format,
        extras: PageExtras {
            command: job.command.clone(),
            ..finding.extras
        },
        checkpoint: checkpoint.filter(|_| is_done && job.resources.is_root()),
        _guards: (heeding, guard),
    };
    if let Some(file) = output {
        file.finish(&report.render()?)?;
    }
    let trace = run.trace.map_or(Ok(()), Trace::finish).err();
    match (finding.fault, trace) {
        (None, None) => Ok(report),
        (None, Some(error)) => Err(Fault::Trace(error).of_run(Some(report), None)),
        (Some(fault), trace) => Err(fault.of_run(Some(report), trace)),
    }
}

/// Adds the models that the other criteria of a job choose, unless the first was cut short.
pub(super) fn by_other_criteria(
    first: &mut Run,
    finding: &mut Finding,
    mut select: impl FnMut(&mut Run) -> Result<Finding, RunError>,
) -> Result<(), RunError> {
    let job = first.job;
    for criterion in &job.other_criteria {
        if finding.fault.is_some() || finding.outcome.interrupted() {
            return Ok(());
        }
        let own = Job {
            criterion: Arc::clone(criterion),
            other_criteria: Vec::new(),
            ..job.clone()
        };
        let mut run = Run::silent(&own);
        run.meter = first.context.meter(&own);
        run.trace = first.trace.take();
        let other = select(&mut run)?;
        first.trace = run.trace.take();
        finding.fault = other.fault;
        if let (Outcome::Selection(all), Some(other)) =
            (&mut finding.outcome, other.outcome.selection())
        {
            all.by_other_criteria.push(other);
        }
    }
    Ok(())
}
