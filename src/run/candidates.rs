//! What stability selection asks of a selector: what it may choose from, its settings, and what
//! it chose.

use serde_json::json;

use super::{
    Fault, RunError,
    method::{Method, criterion_parameters, method_parameters},
    prepared::{Binned, Prepared},
};
use crate::{
    design::Design,
    job::Job,
    plugin::PASS,
    score::Correction,
    search::{SearchError, refuse_parts},
    selection::{BinningRules, NamedParameters, ResponseFamily, StabilityReport},
    table::TrueVariable,
};

pub(super) struct Candidates {
    pub(super) response: String,
    pub(super) formula: Option<String>,
    /// What kind of response it is, of models of maximum likelihood.
    pub(super) family: Option<ResponseFamily>,
    /// Indexes of all variables, the kept ones among them; dummies of one factor have the same.
    pub(super) indexes: Vec<usize>,
    /// The names of the terms of a formula by their index; none where indexes are those of columns.
    pub(super) names: Option<Vec<String>>,
    /// Indexes of the variables in every model.
    pub(super) kept: Vec<usize>,
    /// The variables that the file marks as true.
    pub(super) truth: Vec<TrueVariable>,
    /// The columns that are coded by their levels.
    pub(super) factors: Vec<String>,
    /// Columns of the matrix of a regression, or columns of codes.
    pub(super) width: usize,
    pub(super) warnings: Vec<String>,
}

/// Data that variables are chosen from.
pub(super) trait Choosable: Prepared {
    /// # Errors
    /// Data that not all candidates are made of.
    fn candidates(&self) -> Result<Candidates, RunError>;

    /// A report with the settings of a job's method over such data, and nothing else: the method,
    /// the criterion of a regression, the binning asked for where levels are counted.
    fn settings(job: &Job) -> StabilityReport;
}

impl Choosable for Design {
    fn candidates(&self) -> Result<Candidates, RunError> {
        refuse_parts(self, "stability selection").map_err(SearchError::from)?;
        let index = |column: &u32| self.variables()[*column as usize].index;
        let kept = self.keep().iter();
        let kept = kept.map(|term| index(&self.columns().columns_of(*term).start));
        Ok(Candidates {
            response: self.response().name.clone(),
            formula: self.formula().map(str::to_owned),
            family: ResponseFamily::of(self),
            indexes: (0..self.p() as u32).map(|column| index(&column)).collect(),
            names: self.formula_terms().map(<[String]>::to_vec),
            kept: kept.collect(),
            truth: self.truth().to_vec(),
            factors: self.factor_columns(),
            width: self.p(),
            warnings: self.warnings().to_vec(),
        })
    }

    fn settings(job: &Job) -> StabilityReport {
        let method = match &job.selector {
            Some(resolved) => method_parameters(resolved),
            None => {
                let mut pass = job.pass.parameters(0);
                // Where it was not given it goes by the rows and columns of each resample.
                pass.insert("max_size".to_owned(), json!(job.pass.max_size));
                NamedParameters::new(PASS, pass)
            }
        };
        StabilityReport {
            method,
            criterion: Some(criterion_parameters(&*job.criterion)),
            ..StabilityReport::default()
        }
    }
}

impl Choosable for Binned {
    fn candidates(&self) -> Result<Candidates, RunError> {
        let columns = &self.columns.columns;
        Ok(Candidates {
            response: self.columns.response.name.clone(),
            formula: None,
            family: None,
            indexes: columns.iter().map(|column| column.index).collect(),
            names: None,
            kept: Vec::new(),
            truth: self.truth.clone(),
            factors: Vec::new(),
            width: columns.len(),
            warnings: self.warnings.clone(),
        })
    }

    fn settings(job: &Job) -> StabilityReport {
        let method = job.selector.as_ref().map(method_parameters);
        let mut method = method.unwrap_or_default();
        method.add_option("top", json!(job.stop.top));
        method.add_option("threshold", json!(job.stop.threshold));
        if job.correction != Correction::None {
            method.add_option("correction", json!(job.correction.name()));
        }
        StabilityReport {
            method,
            binning: Some(BinningRules {
                rule: job.binning.to_string(),
                response_rule: job.bin_response.to_string(),
            }),
            ..StabilityReport::default()
        }
    }
}

/// A method that selects variables, so that stability selection can run it on resamples.
pub(super) trait Selector: Method<Data: Choosable, Found: Selected> + Sync {}

impl<M: Method<Data: Choosable, Found: Selected> + Sync> Selector for M {}

/// What a selector found.
pub(super) trait Selected {
    /// The variables chosen; none where an interrupt or a time limit cut the selection short.
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
    /// What stands of it when the selection has ended, its indexes in any order until now.
    pub(super) fn ended(
        mut self,
        fault: Option<Fault>,
        is_cut: bool,
    ) -> Result<Option<Self>, RunError> {
        if let Some(fault) = fault {
            return Err(fault.without_report());
        }
        self.indexes.sort_unstable();
        self.indexes.dedup();
        Ok((!is_cut).then_some(self))
    }
}
