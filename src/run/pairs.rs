//! The way of all pairs: file → table → columns of codes → counting → report.

use std::time::Instant;

use super::{
    Outcome, Report, RunContext, RunError, output_of, page_extras, place_of, rank_summary,
    selectors::{Ended, elapsed, saved, unless, with_parameters},
    written,
};
use crate::{
    job::PairsJob,
    report,
    selection::{PairsReport, SingleVariable, StopReason, VariablePair, VariablePartner},
    selector::{self, PairOptions},
    table::write_matrix,
};

/// Scores every variable and every pair of one file.
///
/// # Errors
/// As [`super::run`].
pub fn pairs(pairing: &PairsJob) -> Result<Report, RunError> {
    run_pairs(pairing, &RunContext::default())
}

/// The same, of a job among others.
///
/// # Errors
/// As [`super::run`].
pub fn run_pairs(pairing: &PairsJob, context: &RunContext) -> Result<Report, RunError> {
    let started = Instant::now();
    let job = &pairing.job;
    let wants_matrix = pairing.matrix.is_some();
    let (output, matrix) = (output_of(job)?, place_of(job, pairing.matrix.as_deref())?);
    selector::check_pair_devices(&pairing.method.value, &job.resources.devices)?;
    let binned = context.binned(job, false, job.resources.distributed())?;
    let (columns, mut warnings) = (&*binned.columns, binned.warnings.clone());
    let mut meter = context.meter(job);
    let mut observe = |done, of| meter.count("column", done, of);
    let wanted = PairOptions {
        top: job.stop.top,
        threshold: job.stop.threshold,
        partners: pairing.partners,
        matrix: wants_matrix,
    };
    let found = selector::rank_pairs(
        columns,
        &pairing.method.value,
        &wanted,
        &job.resources,
        &job.interrupt,
        &mut observe,
    )?;
    meter.finish();
    let own = &columns.columns;
    let whole = found.termination == StopReason::Top;
    warnings.extend(found.notes);
    if matrix.is_some() && !whole {
        warnings.push("the matrix was not written: not all pairs were scored".to_owned());
    }
    let single = found
        .single
        .iter()
        .zip(own)
        .map(|(&(score, p_value), it)| SingleVariable {
            name: it.name.clone(),
            index: it.index,
            score,
            p_value,
        });
    let pairs = found.pairs.iter().map(|it| VariablePair {
        a: own[it.a].name.clone(),
        b: own[it.b].name.clone(),
        a_index: own[it.a].index,
        b_index: own[it.b].index,
        score: it.score,
        synergy: it.synergy,
    });
    let partners = found.partners.iter().zip(own).map(|(best, it)| {
        let other = best.map(|it| &own[it.column]);
        VariablePartner {
            name: it.name.clone(),
            index: it.index,
            partner: other.map(|it| it.name.clone()),
            partner_index: other.map(|it| it.index),
            score: best.map(|it| it.score),
            synergy: best.map(|it| it.synergy),
        }
    });
    let told = PairsReport {
        passel: env!("CARGO_PKG_VERSION"),
        method: with_parameters(&pairing.method),
        response: columns.response.name.clone(),
        classes: columns.response.levels,
        n: columns.n,
        p: own.len(),
        single: single.collect(),
        pairs: pairs.collect(),
        partners: pairing.partners.then(|| partners.collect()),
        binning: saved(columns, job, context)?,
        devices: found.devices,
        precision: "exact",
        termination: found.termination,
        rank_summary: rank_summary(job, "pairs"),
        elapsed_seconds: elapsed(started, found.starting, found.seconds),
        warnings,
    };
    let outcome = Outcome::Pairs(Box::new(told));
    let rendered = report::render(&outcome, &job.data, job.format, &page_extras::command(job))
        .map_err(RunError::Render)?;
    if let Some(mut file) = matrix.filter(|_| whole) {
        let written = write_matrix(&found.matrix, own.len(), &mut file);
        written.map_err(|source| file.write_error(source))?;
        file.commit()?;
    }
    let report = Report {
        outcome,
        rendered: written(output, rendered)?,
        checkpoint: None,
        _held: None,
    };
    let asked = ("pair score", &pairing.method);
    unless(found.fault.map(|it| Ended::of(it, columns, asked)), report)
}
