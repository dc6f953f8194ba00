//! The way of a selector that chooses the model of a regression by itself: file → design matrix
//! → the plugin → report.

use std::{sync::Arc, time::Instant};

use super::{
    Outcome, Report, RunContext, RunError, output_of, page_extras::page_extras,
    selectors::with_parameters, written,
};
use crate::{
    device::Placement,
    job::Job,
    plugin::ResolvedMethod,
    report,
    selection::{Elapsed, Method},
    selector::{self, Procedure, ProcedureError},
};

/// Runs a job whose method chooses the model of a regression by itself.
pub(super) fn regress<T>(
    job: &Job,
    context: &RunContext,
    settled: &ResolvedMethod<T>,
    procedure: &Arc<dyn Procedure>,
) -> Result<Report, RunError> {
    let started = Instant::now();
    let output = output_of(job)?;
    Placement::check(&job.resources.devices)?;
    let design = context.design(job, None)?;
    let mut meter = context.meter(job);
    let mut observe = |done, of| meter.count("step", done, of);
    // Until the report is told, beyond the selector's end.
    let held = Some(job.interrupt.detachable());
    let regressed = selector::regress_with_procedure(
        procedure,
        &design,
        &job.criterion,
        &job.pass,
        &job.resources,
        &job.interrupt,
        &mut observe,
    )?;
    meter.finish();
    let found = regressed.result;
    let mut method = with_parameters(settled);
    let name = settled.name.clone();
    method.shift_remove("name");
    method.insert("max_size".to_owned(), found.max_size.into());
    let parameters = method;
    let method = Method { name, parameters };
    let mut selection = found.by(method, &design, &*job.criterion, &job.pass);
    selection.set_level(job.level);
    if let Some(fault) = &regressed.error {
        selection.warnings.push(partly(fault));
    }
    let total = started.elapsed().as_secs_f64();
    selection.elapsed_seconds = Elapsed {
        read: total - found.seconds - found.starting,
        devices: found.starting,
        search: found.seconds,
        total,
    };
    // An empty model is no part of a selection.
    let keeps = regressed.error.is_none() || selection.k > design.keep().len();
    let report = match keeps {
        false => None,
        true => {
            let extras = page_extras(job, &design, &found);
            let outcome = Outcome::Selection(Box::new(selection));
            let rendered = report::render(&outcome, &job.data, job.format, &extras);
            Some(Report {
                outcome,
                rendered: written(output, rendered.map_err(RunError::Render)?)?,
                checkpoint: None,
                _held: held,
            })
        }
    };
    unless(settled, report, regressed.error)
}

/// The report, unless the selector failed.
pub(super) fn unless<T>(
    settled: &ResolvedMethod<T>,
    report: Option<Report>,
    fault: Option<ProcedureError>,
) -> Result<Report, RunError> {
    match (report, fault) {
        (Some(report), None) => Ok(report),
        (report, fault) => Err(RunError::Procedure {
            report: report.map(Box::new),
            method: settled.name.clone(),
            plugin: settled.plugin.clone(),
            source: Box::new(
                fault.unwrap_or_else(|| ProcedureError::Failed("it chose nothing".to_owned())),
            ),
        }),
    }
}

/// The warning of a report that is not whole.
pub(super) fn partly(fault: &ProcedureError) -> String {
    format!("what was chosen before the selector failed: {fault}")
}
