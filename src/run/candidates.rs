//! What stability selection asks of a selector: what it may choose from, its settings, and what
//! it chose.

use serde_json::{Value, json};

use super::{
    RunError,
    method::{Method, method_parameters},
    prepared::{Binned, BinnedNumbers, Prepared},
};
use crate::{
    design::Design,
    job::Job,
    plugin::PASS,
    selection::{BinningRules, NamedParameters},
};

/// The variables that a method may choose from.
pub(super) struct Candidates {
    pub(super) response: String,
    /// Indexes of all variables, the kept ones among them; dummies of one factor have the same.
    pub(super) indexes: Vec<usize>,
    /// Indexes of the variables in every model.
    pub(super) kept: Vec<usize>,
    /// Indexes of the variables that the file marks as true.
    pub(super) truth: Vec<usize>,
    /// Columns of the matrix of a regression, or columns of codes.
    pub(super) width: usize,
    pub(super) warnings: Vec<String>,
}

/// Name and settings of a method, for the report.
#[derive(Default)]
pub(super) struct Settings {
    pub(super) method: NamedParameters,
    /// Of regressions.
    pub(super) criterion: Option<NamedParameters>,
    /// The rules asked for by which values become codes, where levels are counted.
    pub(super) binning: Option<BinningRules>,
}

/// Data that variables are chosen from.
pub(super) trait Choosable: Prepared {
    /// The variables.
    fn candidates(&self) -> Candidates;

    /// The settings of a job's method over such data.
    fn settings(job: &Job) -> Settings;
}

impl Choosable for Design {
    fn candidates(&self) -> Candidates {
        let index = |column: &u32| self.variables()[*column as usize].index;
        Candidates {
            response: self.response().name.clone(),
            indexes: (0..self.p() as u32).map(|column| index(&column)).collect(),
            kept: self.keep().iter().map(index).collect(),
            truth: self.truth().to_vec(),
            width: self.p(),
            warnings: self.warnings().to_vec(),
        }
    }

    fn settings(job: &Job) -> Settings {
        let criterion = job.criterion.parameters().into_iter();
        let criterion = criterion.map(|(name, value)| (name.to_owned(), value.into()));
        let method = match &job.selector {
            Some(resolved) => method_parameters(resolved),
            None => {
                let mut pass = job.pass.parameters(0);
                // Where it was not given it goes by the rows and columns of each resample.
                pass.insert("max_size".to_owned(), json!(job.pass.max_size));
                named(PASS, pass)
            }
        };
        Settings {
            method,
            criterion: Some(named(job.criterion.name(), criterion)),
            binning: None,
        }
    }
}

fn named(name: &str, parameters: impl IntoIterator<Item = (String, Value)>) -> NamedParameters {
    NamedParameters {
        name: name.to_owned(),
        parameters: parameters.into_iter().collect(),
    }
}

impl Choosable for Binned {
    fn candidates(&self) -> Candidates {
        let columns = &self.columns.columns;
        Candidates {
            response: self.columns.response.name.clone(),
            indexes: columns.iter().map(|column| column.index).collect(),
            kept: Vec::new(),
            truth: self.truth.clone(),
            width: columns.len(),
            warnings: self.warnings.clone(),
        }
    }

    fn settings(job: &Job) -> Settings {
        let mut method = job
            .selector
            .as_ref()
            .map(method_parameters)
            .unwrap_or_default();
        let parameters = &mut method.parameters;
        parameters.insert("top".to_owned(), json!(job.stop.top));
        parameters.insert("threshold".to_owned(), json!(job.stop.threshold));
        Settings {
            method,
            criterion: None,
            binning: Some(BinningRules {
                rule: job.binning.to_string(),
                response_rule: job.bin_response.to_string(),
            }),
        }
    }
}

impl Choosable for BinnedNumbers {
    fn candidates(&self) -> Candidates {
        self.binned.candidates()
    }

    fn settings(job: &Job) -> Settings {
        Binned::settings(job)
    }
}

/// A method that selects variables, so that stability selection can run it on resamples.
pub(super) trait Selector: Method<Data: Choosable, Found: Selected> + Sync {}

impl<M: Method<Data: Choosable, Found: Selected> + Sync> Selector for M {}

/// What a selector found.
pub(super) trait Selected {
    /// The variables chosen; none where an interrupt cut the selection short.
    fn choice(self) -> Result<Option<Choice>, RunError>;
}

/// The variables that one selection chose.
pub(super) struct Choice {
    /// Their indexes, ascending, each once; the kept ones among them.
    pub(super) indexes: Vec<usize>,
    /// What a reader should know.
    pub(super) notes: Vec<String>,
    /// What it ran on.
    pub(super) devices: Vec<String>,
}

impl Choice {
    /// Of these indexes, some perhaps more than once; `is_late` where the time limit ended the
    /// selection.
    pub(super) fn new(
        indexes: impl Iterator<Item = usize>,
        mut notes: Vec<String>,
        is_late: bool,
        devices: Vec<String>,
    ) -> Self {
        let mut indexes: Vec<usize> = indexes.collect();
        indexes.sort_unstable();
        indexes.dedup();
        if is_late {
            notes.push("the selection ended at the time limit, which is of each".to_owned());
        }
        Self {
            indexes,
            notes,
            devices,
        }
    }
}
