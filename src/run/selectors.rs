//! The way of a selector: file → table → columns of codes → counting → report; what all pairs
//! have of it.

use std::{sync::Arc, time::Instant};

use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

use super::{
    Outcome, Report, RunContext, RunError, output_of, page_extras,
    procedures::{self, partly},
    rank_summary, written,
};
use crate::{
    binning::{BinnedColumn, BinnedColumns, BinningOptions, Rule, SavedBinning, bin_partitioned},
    device::DeviceError,
    job::Job,
    plugin::{MethodKind, ResolvedMethod},
    ranks::Communicator,
    report::{self, Format},
    selection::{Elapsed, RankedVariable, Ranking, RejectedVariable, StopRule, Truth},
    selector::{self, OVER_LEVELS, ProcedureOptions},
    table::{Column, Missing, Table, Values},
};

/// Runs a job whose method is a selector of a plugin.
pub(super) fn rank(
    job: &Job,
    context: &RunContext,
    settled: &ResolvedMethod<MethodKind>,
) -> Result<Report, RunError> {
    let started = Instant::now();
    let output = output_of(job)?;
    let (wants_numbers, devices) = (
        matches!(settled.value, MethodKind::Ranking(_)),
        &job.resources.devices,
    );
    match &settled.value {
        MethodKind::Score(score) => selector::check_devices(score, devices)?,
        MethodKind::Ranking(_) | MethodKind::Regression(_) => {
            selector::require_cpu(OVER_LEVELS, devices)?
        }
    }
    // A procedure sees all columns.
    let communicator = job.resources.distributed().filter(|_| !wants_numbers);
    let binned = context.binned(job, wants_numbers, communicator)?;
    let columns = Arc::clone(&binned.columns);
    let mut warnings = binned.warnings.clone();
    let mut meter = context.meter(job);
    let mut observe = |done, of| meter.count("variable", done, of);
    let mut held = None;
    let (ranked, failed) = match &settled.value {
        MethodKind::Score(score) => {
            let (resources, interrupt) = (&job.resources, &job.interrupt);
            let stop = &job.stop;
            let ranked = selector::rank(&columns, score, stop, resources, interrupt, &mut observe)?;
            (ranked, None)
        }
        MethodKind::Ranking(procedure) | MethodKind::Regression(procedure) => {
            let asked = ProcedureOptions {
                top: job.stop.top,
                seed: job.pass.seed,
                time_limit: job.pass.time_limit,
            };
            let data = (&columns, binned.numbers.clone());
            // Until the report is told, beyond the selector's end.
            held = Some(job.interrupt.detachable());
            let (resources, interrupt) = (&job.resources, &job.interrupt);
            let ranking = selector::rank_with_procedure(
                procedure,
                data,
                &asked,
                resources,
                interrupt,
                &mut observe,
            )?;
            (ranking.ranked, ranking.error)
        }
    };
    meter.finish();
    let fault = ranked
        .fault
        .map(|it| Ended::of(it, &columns, ("method", settled)));
    match &fault {
        Some(Ended::Device(fault)) => {
            warnings.push(format!("what was chosen before a device failed: {fault}"));
        }
        Some(Ended::Unscored(reason)) => {
            warnings.push(format!("what was chosen before the end: {reason}"));
        }
        None => {}
    }
    warnings.extend(ranked.notes);
    warnings.extend(failed.as_ref().map(partly));
    let selected = ranked.chosen.iter().map(|it| {
        let column = &columns.columns[it.column];
        RankedVariable {
            name: column.name.clone(),
            index: column.index,
            score: it.score,
            relevance: it.relevance,
            redundancy: it.redundancy,
            independence: it.independence,
            permutation_p: it.permutation_p,
        }
    });
    let selected: Vec<_> = selected.collect();
    let refused = ranked.refused.map(|it| RejectedVariable {
        name: columns.columns[it.column].name.clone(),
        index: columns.columns[it.column].index,
        score: it.score,
        permutation_p: it.permutation_p,
    });
    let stop = job.stop.permutation.map(|it| StopRule {
        rule: "permutation",
        n: it.n,
        alpha: it.alpha,
    });
    let chosen: Vec<usize> = selected.iter().map(|it| it.index).collect();
    let ranking = Ranking {
        passel: env!("CARGO_PKG_VERSION"),
        method: with_parameters(settled),
        criterion: None,
        response: columns.response.name.clone(),
        classes: columns.response.levels,
        n: columns.n,
        p: columns.columns.len(),
        k: selected.len(),
        selected,
        refused,
        stop,
        seed: match &settled.value {
            MethodKind::Score(_) => job.stop.permutation.map(|it| it.seed),
            // What it draws is its own affair.
            MethodKind::Ranking(_) | MethodKind::Regression(_) => Some(job.pass.seed),
        },
        binning: saved(&columns, job, context)?,
        set_aside: Vec::new(),
        truth: Truth::of_indexes(&binned.truth, &chosen),
        devices: ranked.devices,
        precision: "exact",
        termination: ranked.termination,
        rank_summary: rank_summary(job, "columns"),
        elapsed_seconds: elapsed(started, ranked.starting, ranked.seconds),
        warnings,
    };
    // Where nothing was chosen, the error alone is told.
    if failed.is_some() && ranking.k == 0 {
        return procedures::unless(settled, None, failed);
    }
    let outcome = Outcome::Ranking(Box::new(ranking));
    let rendered = report::render(&outcome, &job.data, job.format, &page_extras::command(job))
        .map_err(RunError::Render)?;
    let report = Report {
        outcome,
        rendered: written(output, rendered)?,
        checkpoint: None,
        _held: held,
    };
    if failed.is_some() {
        return procedures::unless(settled, Some(report), failed);
    }
    unless(fault, report)
}

/// What ended a selection early.
pub(super) enum Ended {
    Device(DeviceError),
    /// A table gave no score: whose, of what and why, by name.
    Unscored(String),
}

impl Ended {
    pub(super) fn of<T>(
        fault: DeviceError,
        columns: &BinnedColumns,
        (what, settled): (&str, &ResolvedMethod<T>),
    ) -> Self {
        let name = |column: u32| format!("`{}`", columns.columns[column as usize].name);
        match fault {
            DeviceError::UndefinedScore(it) => {
                let (method, plugin) = (&settled.name, &settled.plugin);
                let told = it.describe(name);
                Self::Unscored(format!("{what} `{method}` of plugin `{plugin}`: {told}"))
            }
            other => Self::Device(other),
        }
    }
}

/// The report, unless something failed meanwhile.
pub(super) fn unless(ended: Option<Ended>, report: Report) -> Result<Report, RunError> {
    let report = match ended {
        None => return Ok(report),
        Some(ended) => (Box::new(report), ended),
    };
    Err(match report {
        (report, Ended::Device(source)) => RunError::Fault {
            report,
            source,
            trace: None,
        },
        (report, Ended::Unscored(reason)) => RunError::Unscored { report, reason },
    })
}

/// The file's columns as codes.
#[derive(Debug)]
pub(super) struct Binned {
    pub(super) columns: Arc<BinnedColumns>,
    /// Of the candidates, then of the response: none where they are not wanted.
    pub(super) numbers: Vec<Values>,
    /// Indexes of the columns that the file marks as true.
    pub(super) truth: Vec<usize>,
    pub(super) warnings: Vec<String>,
}

/// A job's columns as codes, of the table that was read for it.
pub(super) fn binned_of(
    job: &Job,
    table: Table,
    with_numbers: bool,
    communicator: Option<&Communicator>,
) -> Result<Binned, RunError> {
    let rows = table.rows;
    // Where there is none, `bin` says so.
    let named = job.response.as_deref().and_then(|it| table.position(it));
    let response = named.or(table.response);
    let (truth, mut warnings) = match response {
        Some(response) => table.true_indexes(response, None),
        None => Default::default(),
    };
    let options = BinningOptions {
        response: job.response.as_deref(),
        drop: &job.drop,
        missing: job.missing,
        binning: &job.binning,
        bin_response: &job.bin_response,
    };
    let numbers = match response.filter(|_| with_numbers) {
        Some(response) => numbers(table.clone(), response, job)?,
        None => Vec::new(),
    };
    let columns = bin_partitioned(table, &options, communicator)?;
    if columns.n < rows {
        let dropped = rows - columns.n;
        warnings.push(format!(
            "{dropped} of {rows} rows were dropped for missing values"
        ));
    }
    warnings.extend(suspicions(&columns));
    Ok(Binned {
        columns: Arc::new(columns),
        numbers,
        truth,
        warnings,
    })
}

/// The values of the candidates, then those of the response, of the rows that are binned.
fn numbers(mut table: Table, response: usize, job: &Job) -> Result<Vec<Values>, RunError> {
    let name = table.columns[response].name.clone();
    table.columns.retain(|it| !job.drop.contains(&it.name));
    table.handle_missing(job.missing)?;
    if let (Missing::Pairwise, Some(response)) = (job.missing, table.position(&name)) {
        table.drop_rows_missing(response)?;
    }
    let (own, mut candidates): (Vec<_>, _) =
        table.columns.into_iter().partition(|it| it.name == name);
    candidates.extend(own);
    Ok(candidates.into_iter().map(|it: Column| it.values).collect())
}

/// Columns whose scores cannot mean what they seem to.
fn suspicions(columns: &BinnedColumns) -> Vec<String> {
    let n = columns.n;
    let response = &columns.response;
    let mut warnings = Vec::new();
    if response.levels == 1 {
        warnings.push(format!(
            "the response {} has one level: every score is 0",
            response.name
        ));
    } else if response.levels >= n && n > 2 {
        warnings.push(format!(
            "the response {} has a level of its own in each of {n} rows: bin it with \
             --bin-response equal-frequency:5, say",
            response.name
        ));
    }
    let text = |it: &&BinnedColumn| matches!(it.rule, Rule::Texts(_));
    for column in columns.columns.iter().filter(text) {
        if column.levels >= n && n > 2 {
            warnings.push(format!(
                "{} has a level of its own in each of {n} rows, like an identifier: leave it out \
                 with --drop {}",
                column.name, column.name
            ));
        }
    }
    warnings
}

/// A method's name, parameters and plugin, for a report.
pub(super) fn with_parameters<T>(settled: &ResolvedMethod<T>) -> Map<String, Value> {
    let mut method = Map::from_iter([("name".to_owned(), settled.name.clone().into())]);
    for (name, value) in &settled.parameters {
        method.insert(name.clone(), (*value).into());
    }
    method.insert("plugin".to_owned(), settled.plugin.clone().into());
    method
}

/// The rules of all columns where the report has them, else what was asked for alone.
pub(super) fn saved(
    columns: &BinnedColumns,
    job: &Job,
    context: &RunContext,
) -> Result<Box<RawValue>, RunError> {
    // A run of jobs stores the report as JSON, whatever else is asked for.
    let saved = match job.format {
        _ if context.cache.is_some() => SavedBinning::of(columns, &job.binning, &job.bin_response),
        Format::Json => SavedBinning::of(columns, &job.binning, &job.bin_response),
        _ => SavedBinning {
            rule: job.binning.to_string(),
            response_rule: job.bin_response.to_string(),
            columns: Vec::new(),
            response: None,
        },
    };
    to_raw_value(&saved).map_err(|error| RunError::Render(error.into()))
}

pub(super) fn elapsed(started: Instant, starting: f64, seconds: f64) -> Elapsed {
    let total = started.elapsed().as_secs_f64();
    Elapsed {
        read: total - seconds - starting,
        devices: starting,
        search: seconds,
        total,
    }
}
