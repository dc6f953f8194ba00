//! Table → design matrix and response, at unit norm.
//!
//! Every column is centred (with an intercept) and scaled to unit norm in f64, so that products of
//! columns are correlations and the intercept needs no column. Means and norms are stored, and
//! reports are on the original scale.

mod blocks;
mod builder;
mod columns;
mod covariance;
mod error;
mod expanded;
mod family;
mod fetched;
mod formula;
mod formula_columns;
mod formula_data;
mod from_table;
mod genotypic;
mod groups;
mod identifiers;
mod in_file;
mod inputs;
mod interactions;
mod levels;
mod making;
mod matrices;
mod names;
mod options;
mod packed;
mod powers;
mod remote;
mod response;
mod response_levels;
mod shared;
pub(crate) mod size;
mod standardise;
mod survival;
mod term_plan;
mod terms;
mod twins;
mod variable;
mod weights;
mod wide;

use std::sync::Arc;

use crate::{
    family::Likelihood,
    table::{Genotypes, Loci, Numbers, TrueVariable},
};
pub use columns::Columns;
pub(crate) use covariance::Clusters;
pub use covariance::{CovarianceError, CovarianceEstimator};
pub use error::{DesignError, DispersionError};
pub(crate) use formula::FormulaDesign;
pub(crate) use formula_columns::check_formula;
pub use groups::Group;
pub(crate) use in_file::{ColumnsInFile, UnreadColumns};
pub(crate) use interactions::TermsOfColumns;
use levels::FormulaData;
pub(crate) use making::Making;
pub(crate) use names::check_columns;
pub(crate) use names::dummy_name;
pub(crate) use names::has_reference;
pub use options::{DesignOptions, FormulaOptions, MatrixOptions, ResponseOptions};
use packed::PackedColumns;
pub(crate) use packed::{PackedAnchor, PackedPart};
use remote::RemoteColumns;
pub(crate) use response_levels::levels_there;
pub(crate) use shared::{DesignColumns, ResponseColumn};
pub(crate) use standardise::is_constant;
pub use terms::{Hierarchy, Terms};
pub use variable::{FactorCoding, SetAside, Variable};
pub(crate) use wide::{WideFormula, WidePart};

/// Smallest number of observations: ln ln n is positive from 3 on.
const FEWEST_ROWS: usize = 3;

/// A warning of several factors without an intercept.
const NO_INTERCEPT: &str = "without an intercept the first factor has all its levels and the others lack one, so that \
                            the order of factors and their reference levels may decide what is chosen";

/// The design matrix and the response, both at unit norm.
///
/// With weights wᵢ at mean one, row i of both is multiplied by √wᵢ after the weighted means are
/// subtracted: least squares of these rows minimise Σ w (y − ŷ)², and norms and products of them
/// are the weighted ones.
///
/// *Shapes:* X is n × p, column-major; y has n values.
#[derive(Debug, Clone)]
pub struct Design {
    n: usize,
    /// How often the rows stand below one another: once, but for a response of several levels.
    blocks: usize,
    /// The local columns, column-major; designs of several responses share them, with their names and terms.
    x: Numbers,
    /// The columns of other ranks.
    remote: Option<Arc<RemoteColumns>>,
    /// The columns, if they stay in their file.
    in_file: Option<Arc<ColumnsInFile>>,
    /// The columns of genotypes, which stand behind those of numbers.
    packed: Option<Arc<PackedColumns>>,
    /// The genotypes that columns of numbers were made of, where a variant is a term of two.
    genotypic: Option<Arc<genotypic::ByName>>,
    /// Where the variants lie that they are, if that is known.
    loci: Option<Arc<Loci>>,
    y: Vec<f64>,
    variables: Arc<Vec<Variable>>,
    response: Variable,
    terms: Option<Arc<Terms>>,
    /// Whether the dummies of a factor are one term.
    is_whole: bool,
    /// The formula, if there is one, with its data.
    formula: Option<Arc<FormulaData>>,
    /// What it calls its terms; empty without one.
    term_names: Vec<String>,
    /// All terms of the formula, those of which nothing is a candidate among them; empty without one.
    formula_terms: Vec<String>,
    /// Which part of a formula it is that has too many terms; `None` if it is a whole one.
    wide: Option<WidePart>,
    keep: Vec<u32>,
    set_aside: Vec<SetAside>,
    factors: Vec<FactorCoding>,
    intercept: bool,
    weights: Option<String>,
    /// At mean one; empty where all observations count alike.
    weight_values: Vec<f64>,
    /// The mean of the weights as the file has them; 1 without weights.
    mean_weight: f64,
    /// Of each observation its row in the table; empty where none was left out.
    rows: Vec<usize>,
    p_total: Option<usize>,
    warnings: Vec<String>,
    truth: Vec<TrueVariable>,
    labels: Vec<String>,
    /// Whether missing values became the mean of their column's others.
    fills_missing: bool,
    /// What models are fitted by; `None` for least squares.
    likelihood: Option<Arc<Likelihood>>,
    /// Whether the estimates of a selected model are those of Firth's penalty.
    firth: bool,
    /// What the standard errors of a selected model rest on.
    covariance: CovarianceEstimator,
    /// The clusters of the observations; `None` where all are independent.
    clusters: Option<Arc<Clusters>>,
    /// The level of the response that is an event.
    event: Option<String>,
    /// The levels of a response of levels, in their order.
    response_levels: Vec<String>,
    /// The columns of trials and of the offset.
    trials: Option<String>,
    offset: Option<String>,
    /// Of survival times the columns of events, entry times and strata.
    survival_columns: [Option<String>; 3],
    /// The levels of the strata, as they are numbered.
    strata_levels: Vec<String>,
}

impl Design {
    /// Observations.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Candidate variables.
    pub fn p(&self) -> usize {
        self.variables.len()
    }

    /// The number of candidates before a screening, if the options say it; at least p. It is the p
    /// of a criterion's penalty: a screening of the same data does not change how many models
    /// compete.
    pub fn p_total(&self) -> Option<usize> {
        self.p_total
    }

    /// The columns of X at unit norm.
    ///
    /// *Shapes:* n × p, column-major; of a response of K levels without order (K − 1)·n × p.
    pub fn columns(&self) -> Columns<'_> {
        Columns::new(&self.x, self.n * self.blocks)
            .with_remote(self.remote.as_deref())
            .with_file(self.in_file.as_deref())
            .with_packed(self.packed.as_deref())
            .with_terms(self.terms.as_deref())
            .with_likelihood(self.likelihood())
    }

    /// Bytes of X, as it is held.
    pub(crate) fn matrix_bytes(&self) -> u64 {
        let packed = self.packed.as_ref().map_or(0, |packed| packed.bytes());
        size_of_val(&*self.x) as u64 + packed
    }

    /// The genotypes of a column, if it is genotypes at two bits and no other rank has it alone, or the copies of a variant
    /// that is a term of two columns.
    pub(crate) fn genotypes(&self, j: u32) -> Option<&Genotypes> {
        match &self.genotypic {
            Some(all) => all.get(&self.variables[j as usize].name),
            None => Some(self.columns().genotypes_of(j)?.genotypes()),
        }
    }

    /// Where the variants of the file lie, if it says so.
    pub(crate) fn loci(&self) -> Option<&Loci> {
        self.loci.as_deref()
    }

    /// The (weighted) mean of a variable of which the file has dosages, and how many people lack one.
    pub(crate) fn dosages(&self, j: u32) -> Option<(f64, usize)> {
        let variable = &self.variables[j as usize];
        let missing = self.loci()?.missing_dosages(&variable.name)?;
        let mean = variable.mean + variable.norm * self.mean_of_rows(j);
        Some((mean, missing))
    }

    /// The response at unit norm; of a likelihood the scores of its empty model.
    ///
    /// *Shapes:* n values.
    pub fn y(&self) -> &[f64] {
        match self.likelihood() {
            Some(likelihood) => likelihood.scores(),
            None => &self.y,
        }
    }

    /// The candidates, by column.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The name of a term: as R labels it in a formula; else that of its column in the file, or of the
    /// variable where it is one alone.
    pub fn term_name(&self, term: u32) -> &str {
        if let Some(name) = self.term_names.get(term as usize) {
            return name;
        }
        let columns = self.columns().columns_of(term);
        let first = &self.variables[columns.start as usize];
        match self.terms {
            None => &first.name,
            Some(_) => first.column(),
        }
    }

    /// The formula that the terms are of, if there is one.
    pub fn formula(&self) -> Option<&str> {
        self.formula.as_ref().map(|formula| &*formula.text)
    }

    /// The labels of a formula's terms, by which [`Variable::index`] counts; none without a formula.
    pub(crate) fn formula_terms(&self) -> Option<&[String]> {
        (!self.formula_terms.is_empty()).then_some(&self.formula_terms)
    }

    /// The response's name and scale.
    pub fn response(&self) -> &Variable {
        &self.response
    }

    /// Total sum of squares of the response about its mean, or about 0 without an intercept.
    ///
    /// *Units:* those of the response, squared.
    pub fn tss(&self) -> f64 {
        self.response.norm * self.response.norm
    }

    /// The terms that every model holds, ascending: columns, unless factors are whole.
    pub fn keep(&self) -> &[u32] {
        &self.keep
    }

    /// The variables that never were candidates, with the reason.
    pub fn set_aside(&self) -> &[SetAside] {
        &self.set_aside
    }

    /// The factors, in the file's order: with which level each is compared.
    pub fn factors(&self) -> &[FactorCoding] {
        &self.factors
    }

    /// Whether models have an intercept.
    pub fn intercept(&self) -> bool {
        self.intercept
    }

    /// What the file calls the observations, as R's row names; empty where it has no names for them.
    ///
    /// *Shapes:* n labels, or none.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The variables that the file marks as those of the model that made the response, ascending by
    /// index: also those that are no candidates, being dropped or set aside. Empty where it marks
    /// none.
    pub fn truth(&self) -> &[TrueVariable] {
        &self.truth
    }

    /// The column of weights, if the observations are weighted.
    pub fn weights(&self) -> Option<&str> {
        self.weights.as_deref()
    }

    /// Whether the estimates of a selected model are those of Firth's penalty.
    pub fn firth(&self) -> bool {
        self.firth
    }

    /// What the standard errors of a selected model rest on.
    pub fn covariance(&self) -> CovarianceEstimator {
        self.covariance
    }

    /// The clusters of the observations; none where all are independent.
    pub(crate) fn clusters(&self) -> Option<&Clusters> {
        self.clusters.as_deref()
    }

    /// Which level or value of the response is an event; none where it is 1.
    pub fn event(&self) -> Option<&str> {
        self.event.as_deref()
    }

    /// The levels of a response of levels, in their order; none of another one.
    pub fn response_levels(&self) -> &[String] {
        &self.response_levels
    }

    /// The column of trials, if the response counts events of several.
    pub fn trials(&self) -> Option<&str> {
        self.trials.as_deref()
    }

    /// The column that is added to the linear predictor, or what a formula adds.
    pub fn offset(&self) -> Option<&str> {
        self.offset.as_deref()
    }

    /// The weights of the observations, at mean one; empty where all count alike.
    pub fn weight_values(&self) -> &[f64] {
        &self.weight_values
    }

    /// The mean of the weights as the file has them, by which they were divided; 1 without weights.
    pub(crate) fn mean_weight(&self) -> f64 {
        self.mean_weight
    }

    /// The row of the table, counted from 0, that an observation comes from. Rows with missing
    /// values and rows of weight 0 are no observations.
    pub fn row(&self, observation: usize) -> usize {
        self.rows.get(observation).copied().unwrap_or(observation)
    }

    /// The (weighted) standard deviation of a variable, with divisor n.
    ///
    /// *Units:* those of the variable.
    pub(crate) fn deviation(&self, j: u32) -> f64 {
        let (variable, n) = (&self.variables[j as usize], self.n as f64);
        let square = 1.0 / n - self.mean_of_rows(j).powi(2);
        variable.norm * square.max(0.0).sqrt()
    }

    /// The (weighted) mean of a column as it is held: 0 with an intercept, for it is centred already.
    fn mean_of_rows(&self, j: u32) -> f64 {
        let column = self.own_rows(j);
        let root = |i: usize| {
            self.weight_values
                .get(i)
                .map_or(1.0, |weight| weight.sqrt())
        };
        let sum: f64 = column.iter().enumerate().map(|(i, x)| root(i) * x).sum();
        sum / self.n as f64
    }

    /// Warnings about the preparation, for the report.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}
