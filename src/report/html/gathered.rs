//! What the page of a run shows of its jobs, gathered job by job as their results are read.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::Path,
};

use serde_json::Value;

use super::{PageExtras, counted, finite, page::Body, sections, set_aside_note, summary};
use crate::{
    report::{numbers::when, validation::answer},
    selection::{Outcome, Overview},
};

/// Jobs whose own results are shown, each the first of its setting.
const DETAILED: usize = 12;

/// A job of a run, and how it stands.
#[derive(Debug, Clone)]
pub struct JobRow {
    /// The job's identifier.
    pub id: String,
    /// Its data file.
    pub data: String,
    /// Its values of the options that the page lists.
    pub options: Vec<String>,
    /// `done`, `failed`, `stale` or `missing`.
    pub status: &'static str,
    /// Why it failed, or what its result lacks.
    pub message: String,
}

/// The page of the jobs of a file, to which they are added one by one.
#[derive(Debug, Default)]
pub struct JobsPage {
    pub(super) file: String,
    /// Options that have a column.
    pub(super) options: Vec<String>,
    pub(super) rows: Vec<Row>,
    pub(super) names: Names,
    /// The number of jobs with each warning.
    pub(super) warnings: BTreeMap<String, usize>,
    pub(super) devices: BTreeSet<String>,
    pub(super) versions: BTreeSet<String>,
    /// The results of the first jobs of each setting, as HTML.
    pub(super) detailed: Vec<String>,
    settings: HashSet<Vec<String>>,
}

/// A job, and what comparisons need of its result.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) job: JobRow,
    /// The numbers named by [`NUMBERS`].
    pub(super) numbers: [Option<f64>; 6],
    /// The variables it chose; none for jobs that choose nothing.
    pub(super) chosen: Option<BTreeSet<u32>>,
    /// The chosen variables by their columns in the file: the dummies of a factor are one.
    pub(super) columns: Option<BTreeSet<u32>>,
    /// Frequencies of stability selection, the highest first, and its cut-off.
    pub(super) frequencies: Vec<(u32, f64)>,
    pub(super) cutoff: Option<f64>,
}

/// The numbers of a [`Row`], and where some of them stand.
pub(super) const NUMBERS: [&str; 6] = ["n", "p", "k", "criterion value", "PSR", "FDR"];
pub(super) const K: usize = 2;
pub(super) const PSR: usize = 4;
pub(super) const FDR: usize = 5;

/// Names as numbers: many jobs choose the same variables.
#[derive(Debug, Default)]
pub(super) struct Names {
    all: Vec<String>,
    places: HashMap<String, u32>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        self.all.push(name.to_owned());
        let place = self.places.len() as u32;
        *self.places.entry(name.to_owned()).or_insert(place)
    }

    pub(super) fn name(&self, number: u32) -> &str {
        &self.all[number as usize]
    }
}

impl JobsPage {
    /// Begins the page of a job file that lists these options of each job.
    pub fn new(file: &Path, options: Vec<String>) -> Self {
        let name = file.file_name().unwrap_or(file.as_os_str());
        Self {
            file: name.display().to_string(),
            options,
            ..Self::default()
        }
    }

    /// Adds a job with its stored result, null where it has none.
    pub fn push(&mut self, job: JobRow, result: &Value) {
        let result = Some(result).filter(|result| !result.is_null());
        let result = result.map(Outcome::read).transpose();
        let result = result.unwrap_or_else(|error| {
            let warning = format!("the stored result is not shown: {error}");
            *self.warnings.entry(warning).or_default() += 1;
            None
        });
        let result = result.as_ref();
        let overview = result.map(Outcome::overview);
        if let (Some(outcome), Some(overview)) = (result, &overview) {
            let aside = set_aside_note(overview);
            for warning in overview.warnings.iter().cloned().chain(aside) {
                *self.warnings.entry(warning).or_default() += 1;
            }
            self.devices.extend(overview.devices.iter().cloned());
            self.versions.insert(overview.version.to_owned());
            self.show(&job, outcome);
        }
        let (mut criterion, mut frequencies, mut cutoff) = (None, &[][..], None);
        match result {
            Some(Outcome::Selection(report)) => criterion = finite(report.criterion.value),
            Some(Outcome::Stability(own)) => (frequencies, cutoff) = (&own.variables, own.cutoff),
            _ => {}
        }
        let overview = overview.as_ref();
        let truth = overview.and_then(|own| own.truth);
        let chosen = overview.and_then(|own| own.chosen.as_ref());
        self.rows.push(Row {
            numbers: [
                // Several responses may differ in theirs.
                overview.map(|own| own.n as f64).filter(|n| *n > 0.0),
                overview.map(|own| own.p as f64),
                overview.and_then(|own| own.k).map(|k| k as f64),
                criterion,
                truth.map(|truth| truth.psr),
                truth.map(|truth| truth.fdr),
            ],
            columns: chosen.map(|all| all.iter().map(|own| own.1 as u32).collect()),
            chosen: chosen.map(|all| all.iter().map(|own| self.names.number(own.0)).collect()),
            frequencies: frequencies
                .iter()
                .map(|variable| (self.names.number(&variable.name), variable.frequency))
                .collect(),
            cutoff,
            job,
        });
    }

    /// Keeps the result of the first job of each setting: of all that differs but the seed.
    fn show(&mut self, job: &JobRow, outcome: &Outcome) {
        let seed = self.place("seed");
        let mut setting = job.options.clone();
        seed.map(|at| setting.remove(at));
        if self.detailed.len() == DETAILED || !self.settings.insert(setting) {
            return;
        }
        let mut part = Body::part(format!("{}-", self.detailed.len() + 1));
        let title = format!("{}: {}", job.id, brief(outcome));
        part.fold("job", &title, |body| {
            summary(body, outcome, job.data.clone());
            sections(body, outcome, &PageExtras::default());
        });
        self.detailed.push(part.finish());
    }

    pub(super) fn place(&self, option: &str) -> Option<usize> {
        self.options.iter().position(|own| own == option)
    }

    /// The places of the options in which jobs differ, with or without the seed.
    pub(super) fn differing(&self, with_seed: bool) -> Vec<usize> {
        let differs = |at: &usize| {
            let first = self.rows.first().map(|row| &row.job.options[*at]);
            let mut rows = self.rows.iter();
            (with_seed || self.options[*at] != "seed")
                && rows.any(|row| Some(&row.job.options[*at]) != first)
        };
        (0..self.options.len()).filter(differs).collect()
    }
}

/// A result in a few words.
fn brief(outcome: &Outcome) -> String {
    if let Outcome::Pairs(report) = outcome {
        return counted(report.pairs.len(), "pair", "pairs");
    }
    if let Outcome::Responses(report) = outcome {
        return counted(report.responses.len(), "response", "responses");
    }
    if let Outcome::Validation(report) = outcome {
        return answer(report);
    }
    let Overview { chosen, k, .. } = outcome.overview();
    let chosen = chosen.unwrap_or_default();
    let first: Vec<&str> = chosen.iter().take(4).map(|own| own.0).collect();
    let more = when(chosen.len() > 4, ", …");
    match chosen.is_empty() {
        true => "nothing chosen".to_owned(),
        false => {
            let (k, first) = (k.unwrap_or_default(), first.join(", "));
            format!("{k} chosen ({first}{more})")
        }
    }
}
