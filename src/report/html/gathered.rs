//! What a page tells of jobs, gathered one by one as their results are read.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::Path,
};

use serde_json::Value;

use super::{
    page::ROWS,
    told::{cut, list, number, of, text, texts},
};

/// Jobs whose own results are kept for the page, each the first of a setting.
const DETAILED: usize = 12;

/// A job of a run, and how it stands.
#[derive(Debug, Clone)]
pub struct JobRow {
    /// What it is called.
    pub id: String,
    /// Its file of data.
    pub data: String,
    /// What it has for each of the options of all.
    pub options: Vec<String>,
    /// `done`, `failed`, `stale` or `missing`.
    pub status: &'static str,
    /// Why it failed.
    pub message: String,
}

/// What a page tells of the jobs of a file, gathered job by job.
#[derive(Debug)]
pub struct JobsPage {
    pub(super) file: String,
    /// Options that have a column.
    pub(super) options: Vec<String>,
    pub(super) rows: Vec<Row>,
    pub(super) names: Names,
    /// Of each warning how many jobs have it.
    pub(super) warnings: BTreeMap<String, usize>,
    pub(super) devices: BTreeSet<String>,
    pub(super) versions: BTreeSet<String>,
    pub(super) detailed: Vec<(usize, Value)>,
    settings: HashSet<Vec<String>>,
}

/// A job and what comparisons want of its result.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) job: JobRow,
    /// n, p, k, criterion, PSR, FDR.
    pub(super) numbers: [Option<f64>; 6],
    /// What it chose; none of jobs that choose nothing.
    pub(super) chosen: Option<BTreeSet<u32>>,
    /// The same as columns of the file: the dummies of a factor are one.
    pub(super) columns: Option<BTreeSet<u32>>,
    /// Of stability selection: frequencies, the highest first, and the cut-off.
    pub(super) frequencies: Vec<(u32, f64)>,
    pub(super) cutoff: Option<f64>,
}

/// Where the numbers of a [`Row`] stand, and what they are called.
pub(super) const NUMBERS: [(&str, &str); 6] = [
    ("n", "/n"),
    ("p", "/p"),
    ("k", "/k"),
    ("criterion value", "/criterion/value"),
    ("PSR", "/truth/psr"),
    ("FDR", "/truth/fdr"),
];
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
        let place = self.all.len() as u32;
        self.all.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        place
    }

    pub(super) fn name(&self, number: u32) -> &str {
        &self.all[number as usize]
    }
}

impl JobsPage {
    /// Of a job file, with these options told of each job.
    pub fn new(file: &Path, options: Vec<String>) -> Self {
        let name = file.file_name().unwrap_or(file.as_os_str());
        Self {
            file: name.display().to_string(),
            options,
            rows: Vec::new(),
            names: Names::default(),
            warnings: BTreeMap::new(),
            devices: BTreeSet::new(),
            versions: BTreeSet::new(),
            detailed: Vec::new(),
            settings: HashSet::new(),
        }
    }

    /// Takes in a job with its result, null where it has none.
    pub fn push(&mut self, job: JobRow, result: &Value) {
        let number_of = |at: usize| result.pointer(NUMBERS[at].1).and_then(Value::as_f64);
        let selected = result["selected"].as_array();
        let column = |it: &Value| it["index"].as_u64()?.try_into().ok();
        let columns = selected.map(|all| all.iter().filter_map(column).collect());
        let mut name = |it: &Value| self.names.number(text(it, "name"));
        let chosen = selected.map(|all| all.iter().map(&mut name).collect());
        let frequencies = match result.get("resampling") {
            Some(_) => {
                let all = list(result, "variables").iter();
                let all = all.filter_map(|it| Some((text(it, "name"), number(it, "frequency")?)));
                all.map(|it| (self.names.number(it.0), it.1)).collect()
            }
            None => Vec::new(),
        };
        for warning in texts(result, "warnings") {
            *self.warnings.entry(warning.to_owned()).or_default() += 1;
        }
        let aside = list(result, "set_aside").len();
        if aside > 0 {
            let told = of(aside, "variable was", "variables were");
            *self
                .warnings
                .entry(format!("{told} set aside"))
                .or_default() += 1;
        }
        self.devices
            .extend(texts(result, "devices").iter().map(|it| (*it).to_owned()));
        self.versions
            .extend(result["passel"].as_str().map(str::to_owned));
        // The first of each setting.
        let seed = self.place("seed");
        let others = job.options.iter().enumerate();
        let setting = others
            .filter(|it| Some(it.0) != seed)
            .map(|it| it.1.clone())
            .collect();
        if !result.is_null() && self.detailed.len() < DETAILED && self.settings.insert(setting) {
            let mut result = result.clone();
            cut(&mut result, ROWS);
            self.detailed.push((self.rows.len(), result));
        }
        self.rows.push(Row {
            numbers: std::array::from_fn(number_of),
            chosen,
            columns,
            frequencies,
            cutoff: number(result, "cutoff"),
            job,
        });
    }

    /// Where an option stands.
    pub(super) fn place(&self, option: &str) -> Option<usize> {
        self.options.iter().position(|it| it == option)
    }

    /// The options that jobs have differently, by place; the seed only if it is asked for.
    pub(super) fn differing(&self, with_seed: bool) -> Vec<usize> {
        let differs = |at: &usize| {
            let first = self.rows.first().map(|it| &it.job.options[*at]);
            (with_seed || self.options[*at] != "seed")
                && self
                    .rows
                    .iter()
                    .any(|it| Some(&it.job.options[*at]) != first)
        };
        (0..self.options.len()).filter(differs).collect()
    }
}
