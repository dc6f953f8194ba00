//! How designs are made of tables and matrices.

use super::{CovarianceEstimator, Group, Hierarchy};
use crate::{
    family::{Family, QuasiDispersion, Ties},
    formula::ExpansionOptions,
    table::Missing,
};

/// What kind of response the models are of.
#[derive(Debug, Clone, Copy, Default)]
pub struct ResponseOptions<'a> {
    /// Its distribution and link: normal, so that models are fitted by least squares, unless another is named.
    pub family: Family,
    /// Of the binomial family: the column of trials, of which the response counts the events; `None` where each
    /// observation is one trial.
    pub trials: Option<&'a str>,
    /// Of the binomial family: the column of failures, of which the response has the events; together they are the trials.
    pub failures: Option<&'a str>,
    /// Of the binomial family and of survival times: the value or level that is an event; `None` for 1, or for the second of two levels.
    pub success: Option<&'a str>,
    /// Of a response of levels: these, from lowest to highest, or the baseline first; empty where they ascend.
    pub levels: &'a [String],
    /// The column that is added to the linear predictor of every model.
    pub offset: Option<&'a str>,
    /// Of survival times, which the response holds: the column that says whether an observation ended by an event (1, or the
    /// second of two levels, or `success`) or was censored.
    pub event: Option<&'a str>,
    /// The column of the times from which on observations are at risk; `None` where they are from the beginning.
    pub entry: Option<&'a str>,
    /// The column whose values are strata, of baseline hazards of their own; `None` for one.
    pub strata: Option<&'a str>,
    /// How events at equal times share their risk set.
    pub ties: Ties,
    /// Of the families binomial and Poisson: the dispersion of a quasi-likelihood; `None` for the likelihood.
    pub dispersion: Option<QuasiDispersion>,
    /// Whether the estimates of a selected model are those of Firth's penalty, of logistic and Poisson regression; models are
    /// compared by their likelihood all the same.
    pub firth: bool,
    /// What the standard errors of the selected model rest on.
    pub covariance: CovarianceEstimator,
    /// The column whose values are clusters: observations of one may depend on one another, which standard errors then
    /// account for; `None` where all are independent.
    pub cluster: Option<&'a str>,
}

impl<'a> ResponseOptions<'a> {
    /// The columns that say something of observations and are no candidates, with the options that name them and what
    /// is said of them.
    pub(super) fn columns(
        &self,
        weights: Option<&'a str>,
    ) -> impl Iterator<Item = (&'static str, &'static str, &'a str)> {
        let all = [
            ("--weights", "holds the weights", weights),
            ("--trials", "holds the trials", self.trials),
            ("--response", "holds the failures", self.failures),
            ("--offset", "holds the offset", self.offset),
            ("--event", "holds the events", self.event),
            ("--entry", "holds the entry times", self.entry),
            ("--strata", "holds the strata", self.strata),
            ("--cluster", "holds the clusters", self.cluster),
        ];
        let named = all.into_iter();
        named.filter_map(|(option, what, name)| Some((option, what, name?)))
    }
}

/// How [`Design::from_table`](super::Design::from_table) makes a design of a table.
#[derive(Debug, Clone, Copy)]
pub struct DesignOptions<'a> {
    /// The response's column; `None` where the format names it.
    pub response: Option<&'a str>,
    /// What kind of response it is.
    pub kind: ResponseOptions<'a>,
    /// Columns, dummies as `column=level`, or groups that every model holds.
    pub keep: &'a [String],
    /// Columns left out before anything else.
    pub drop: &'a [String],
    /// The levels that factors are compared with, as `column=level`; of a factor that is not named
    /// it is the first that occurs.
    pub reference: &'a [String],
    /// Whether each dummy of a factor is a variable of its own; else the dummies enter and leave models
    /// together. Several processes share particles of such a search, not columns.
    pub split_factors: bool,
    /// Columns that are one term; each other column is one by itself, a factor whole.
    pub groups: &'a [Group],
    /// Whether each variant is a term of two columns, the copies and `NAME=het`, whether there is one of each allele; of one
    /// where only two genotypes occur. Not with groups, nor split factors.
    pub genotypic: bool,
    /// What to do about missing values.
    pub missing: Missing,
    /// Whether models have an intercept.
    pub intercept: bool,
    /// The column of weights; `None` where all observations have weight 1.
    pub weights: Option<&'a str>,
    /// The number of candidates before a screening left these; `None` where these are all.
    pub p_total: Option<usize>,
}

impl Default for DesignOptions<'_> {
    fn default() -> Self {
        Self {
            response: None,
            kind: ResponseOptions::default(),
            keep: &[],
            drop: &[],
            reference: &[],
            split_factors: true,
            groups: &[],
            genotypic: false,
            missing: Missing::Auto,
            intercept: true,
            weights: None,
            p_total: None,
        }
    }
}

/// Options of [`Design::from_matrices`](super::Design::from_matrices).
///
/// | name | meaning | default |
/// | --- | --- | --- |
/// | `names` | of the columns of X, each once | `x0`, `x1`, … |
/// | `response` | the name of y | `y` |
/// | `family` | the distribution and link of y | normal: least squares |
/// | `trials` | of the binomial family, of which y counts the events | each observation is one |
/// | `offset` | of the observations, added to the linear predictor of every model | none |
/// | `event`, `entry`, `strata`, `ties` | of survival times, which y holds: 1 where an observation ended by an event, when it began to be at risk, its stratum as a number, and the rule for equal times | none; Efron's |
/// | `dispersion` | of a quasi-likelihood, with the families binomial and Poisson | the likelihood |
/// | `firth` | whether the estimates of a selected model are those of Firth's penalty, of logistic and Poisson regression | no |
/// | `covariance`, `cluster` | what standard errors rest on, and the cluster of each observation as a number | the model; all are independent |
/// | `weights` | of the observations, finite and not below 0; those of weight 0 are left out | all count alike |
/// | `keep` | columns of X that every model holds, counted from 0 | none |
/// | `missing` | what to do about NaN | an error |
/// | `intercept` | whether models have an intercept | yes |
/// | `p_total` | candidates before a screening left these columns | p |
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the fields are described above")]
pub struct MatrixOptions<'a> {
    pub names: Option<&'a [&'a str]>,
    pub response: &'a str,
    pub family: Family,
    pub trials: Option<&'a [f64]>,
    pub offset: Option<&'a [f64]>,
    pub event: Option<&'a [f64]>,
    pub entry: Option<&'a [f64]>,
    pub strata: Option<&'a [f64]>,
    pub ties: Ties,
    pub dispersion: Option<QuasiDispersion>,
    pub firth: bool,
    pub covariance: CovarianceEstimator,
    pub cluster: Option<&'a [f64]>,
    pub weights: Option<&'a [f64]>,
    pub keep: &'a [usize],
    pub missing: Missing,
    pub intercept: bool,
    pub p_total: Option<usize>,
}

impl Default for MatrixOptions<'_> {
    fn default() -> Self {
        Self {
            names: None,
            response: "y",
            family: Family::default(),
            trials: None,
            offset: None,
            event: None,
            entry: None,
            strata: None,
            ties: Ties::default(),
            dispersion: None,
            firth: false,
            covariance: CovarianceEstimator::Model,
            cluster: None,
            weights: None,
            keep: &[],
            missing: Missing::Auto,
            intercept: true,
            p_total: None,
        }
    }
}

/// How [`Design::from_formula`](super::Design::from_formula) makes a design of a table.
#[derive(Debug, Clone)]
pub struct FormulaOptions<'a> {
    /// The response's column, where the formula has none; `None` where the format names it.
    pub response: Option<&'a str>,
    /// What kind of response it is; to the offset those of the formula are added.
    pub kind: ResponseOptions<'a>,
    /// Columns left out before anything else: `.` does not stand for them.
    pub drop: &'a [String],
    /// Terms, as R labels them, that every model holds, with those that they stand on.
    pub keep: &'a [String],
    /// Which terms need others.
    pub hierarchy: Hierarchy,
    /// How factors are coded.
    pub contrasts: ExpansionOptions,
    /// The levels that factors are compared with, as `column=level`: treatment contrasts.
    pub reference: &'a [String],
    /// What to do about missing values of the variables that the formula names.
    pub missing: Missing,
    /// The column of weights; `None` where all observations have weight 1.
    pub weights: Option<&'a str>,
    /// The number of candidates before a screening left these; `None` where these are all.
    pub p_total: Option<usize>,
}

impl Default for FormulaOptions<'_> {
    fn default() -> Self {
        Self {
            response: None,
            kind: ResponseOptions::default(),
            drop: &[],
            keep: &[],
            hierarchy: Hierarchy::Strong,
            contrasts: ExpansionOptions::default(),
            reference: &[],
            missing: Missing::Auto,
            weights: None,
            p_total: None,
        }
    }
}
