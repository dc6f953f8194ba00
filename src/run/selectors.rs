//! The way of a selector and of all pairs: file → table → columns of codes → counting →
//! report.

use std::{path::Path, time::Instant};

use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

use super::{Outcome, Report, RunError, written};
use crate::{
    binning::{BinnedColumn, BinnedColumns, BinningOptions, Rule, SavedBinning, bin},
    device::DeviceError,
    job::{Job, Pairing},
    output::OutputFile,
    plugin::{Declared, PairMethod},
    progress::Meter,
    report::{self, Format},
    selection::{
        Elapsed, Ending, NamedPair, PairsReport, RankedVariable, Ranking, RefusedVariable, Single,
        StopRule, Truth,
    },
    selector::{self, SelectorError, Wanted},
    table::{self, ReadOptions, write_matrix},
};

/// Runs a job whose method is a selector of a plugin.
pub(super) fn rank(job: &Job, declared: &Declared) -> Result<Report, RunError> {
    let started = Instant::now();
    let output = job.output.as_deref().map(OutputFile::create).transpose()?;
    let (columns, truth, mut warnings) = binned(job)?;
    let mut meter = Meter::new(job.progress);
    let mut observe = |done, of| meter.count("variable", done, of);
    let ranked = selector::rank(
        &columns,
        &declared.score,
        &job.stop,
        &job.resources,
        &job.interrupt,
        &mut observe,
    )?;
    meter.finish();
    if let Some(fault) = &ranked.fault {
        warnings.push(format!("what was chosen before a device failed: {fault}"));
    }
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
    let refused = ranked.refused.map(|it| RefusedVariable {
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
    let mut method = named(&declared.name);
    for (name, value) in &declared.parameters {
        method.insert(name.clone(), (*value).into());
    }
    method.insert("plugin".to_owned(), declared.plugin.clone().into());
    let ranking = Ranking {
        passel: env!("CARGO_PKG_VERSION"),
        method,
        criterion: None,
        response: columns.response.name.clone(),
        classes: columns.response.levels,
        n: columns.n,
        p: columns.columns.len(),
        k: selected.len(),
        selected,
        refused,
        stop,
        seed: job.stop.permutation.map(|it| it.seed),
        binning: saved(&columns, job)?,
        set_aside: Vec::new(),
        truth: Truth::of_indexes(&truth, &chosen),
        devices: ranked.devices,
        precision: "exact",
        termination: ranked.termination,
        elapsed_seconds: elapsed(started, ranked.starting, ranked.seconds),
        warnings,
    };
    let rendered = report::rank(&ranking, &job.data, job.format).map_err(RunError::Render)?;
    let report = Report {
        outcome: Outcome::Ranking(Box::new(ranking)),
        rendered: written(output, rendered)?,
    };
    unless(ranked.fault, report)
}

/// Scores every variable and every pair of one file.
///
/// # Errors
/// As [`super::run`].
pub fn pairs(pairing: &Pairing) -> Result<Report, RunError> {
    let started = Instant::now();
    let job = &pairing.job;
    let create = |path: Option<&Path>| path.map(OutputFile::create).transpose();
    let (output, matrix) = (
        create(job.output.as_deref())?,
        create(pairing.matrix.as_deref())?,
    );
    let (columns, _, mut warnings) = binned(job)?;
    let PairMethod {
        name,
        plugin,
        score,
        ..
    } = &pairing.method;
    let mut meter = Meter::new(job.progress);
    let mut observe = |done, of| meter.count("column", done, of);
    let wanted = Wanted {
        top: job.stop.top,
        threshold: job.stop.threshold,
        matrix: matrix.is_some(),
    };
    let found = selector::pairs(
        &columns,
        score,
        &wanted,
        &job.resources,
        &job.interrupt,
        &mut observe,
    )?;
    meter.finish();
    let own = &columns.columns;
    let whole = found.termination == Ending::Top;
    if matrix.is_some() && !whole {
        warnings.push("the matrix was not written: not all pairs were scored".to_owned());
    }
    let single = found
        .single
        .iter()
        .zip(own)
        .map(|(&(score, p_value), it)| Single {
            name: it.name.clone(),
            index: it.index,
            score,
            p_value,
        });
    let pairs = found.pairs.iter().map(|it| NamedPair {
        a: own[it.a].name.clone(),
        b: own[it.b].name.clone(),
        a_index: own[it.a].index,
        b_index: own[it.b].index,
        score: it.score,
        synergy: it.synergy,
    });
    let mut method = named(name);
    method.insert("plugin".to_owned(), plugin.clone().into());
    let told = PairsReport {
        passel: env!("CARGO_PKG_VERSION"),
        method,
        response: columns.response.name.clone(),
        classes: columns.response.levels,
        n: columns.n,
        p: own.len(),
        single: single.collect(),
        pairs: pairs.collect(),
        binning: saved(&columns, job)?,
        devices: found.devices,
        precision: "exact",
        termination: found.termination,
        elapsed_seconds: elapsed(started, found.starting, found.seconds),
        warnings,
    };
    let rendered = report::pairs(&told, &job.data, job.format).map_err(RunError::Render)?;
    if let Some(mut file) = matrix.filter(|_| whole) {
        let written = write_matrix(&found.matrix, own.len(), &mut file);
        written.map_err(|source| file.write_error(source))?;
        file.commit()?;
    }
    let report = Report {
        outcome: Outcome::Pairs(Box::new(told)),
        rendered: written(output, rendered)?,
    };
    unless(found.fault, report)
}

/// The report, unless a device failed meanwhile.
fn unless(fault: Option<DeviceError>, report: Report) -> Result<Report, RunError> {
    match fault {
        None => Ok(report),
        Some(source) => Err(RunError::Fault {
            report: Box::new(report),
            source,
            trace: None,
        }),
    }
}

/// The file's columns as codes, the indexes of those it marks as true, and warnings.
fn binned(job: &Job) -> Result<(BinnedColumns, Vec<usize>, Vec<String>), RunError> {
    if job.resources.devices.is_cuda() {
        return Err(SelectorError::NotOnGpus.into());
    }
    let reading = ReadOptions {
        response: job.response.as_deref(),
        factors: &job.factor,
    };
    let table = table::read(&job.data, &reading)?;
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
    let columns = bin(table, &options)?;
    if columns.n < rows {
        let dropped = rows - columns.n;
        warnings.push(format!(
            "{dropped} of {rows} rows were dropped for missing values"
        ));
    }
    warnings.extend(suspicions(&columns));
    Ok((columns, truth, warnings))
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

fn named(name: &str) -> Map<String, Value> {
    Map::from_iter([("name".to_owned(), name.into())])
}

/// The rules of all columns where the report has them, else what was asked for alone.
fn saved(columns: &BinnedColumns, job: &Job) -> Result<Box<RawValue>, RunError> {
    let saved = match job.format {
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

fn elapsed(started: Instant, starting: f64, seconds: f64) -> Elapsed {
    let total = started.elapsed().as_secs_f64();
    Elapsed {
        read: total - seconds - starting,
        devices: starting,
        search: seconds,
        total,
    }
}
