//! The report of a regression model: its fit on the original scale, and how it was found.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use super::{
    Covariance, CredibleSet, CriterionValue, Diagnostics, Elapsed, FamilySummary, GoodnessOfFit,
    InclusionWeight, Inference, Label, MarginalMean, ModelConstant, NamedParameters, RankSummary,
    RobustCovariance, SelectedTerm, SelectedVariant, SizeChoice, Truth, VisitedModel,
    number_or_nan,
};
use crate::{
    design::{FactorCoding, SetAside},
    family::{Link, normal_quantile, student_t_quantile},
    prediction::Model,
};

/// A selected regression model, its fit on the original scale, and how it was found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    /// The version of passel that made the report.
    pub passel: Label,
    /// The data file as it was given; none for data in memory.
    pub data: Option<String>,
    /// The method and its parameters.
    pub method: NamedParameters,
    /// The criterion, its parameters and its value for this model.
    pub criterion: CriterionValue,
    /// The name of the response.
    pub response: String,
    /// The formula whose terms are the candidates; none where these are the columns of the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// The family of the response and how well the model fits, of a model of maximum likelihood; none of one of least
    /// squares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<FamilySummary>,
    /// The column of weights; none where all observations count alike.
    pub weights: Option<String>,
    /// Observations used.
    pub n: usize,
    /// Candidate variables, without those set aside: the columns of the design.
    pub p: usize,
    /// The candidate terms, where these are not the variables: factors of several dummies, interactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidate_terms: Option<usize>,
    /// Candidates before a prescreening, if the job says how many: the p of the criterion.
    pub p_total: Option<usize>,
    /// Chosen variables, the kept ones among them; the intercept is not counted.
    pub k: usize,
    /// Variables that every model holds: they were not chosen.
    pub kept: Vec<String>,
    /// Residual sum of squares Σ w (y − ŷ)², on the response's scale; weights w have mean one over
    /// the observations used. Null of a model of maximum likelihood.
    #[serde(deserialize_with = "number_or_nan")]
    pub rss: f64,
    /// Total sum of squares of the response: about its mean, or about zero without an intercept; null of a model of maximum
    /// likelihood.
    #[serde(deserialize_with = "number_or_nan")]
    pub tss: f64,
    /// R², σ̂, degrees of freedom, log-likelihood and the F-test.
    #[serde(flatten)]
    pub goodness: GoodnessOfFit,
    /// What speaks against the assumptions of least squares; none of models of maximum likelihood, of exact fits and without
    /// variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics: Option<Diagnostics>,
    /// The level of the confidence intervals, between 0 and 1.
    pub level: f64,
    /// What the intervals of coefficients are by: `wald` or `profile`. Of least squares both are Student's t.
    pub intervals: Label,
    /// By which method p-values are adjusted for the number of tests; none where they are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted: Option<Label>,
    /// What standard errors, tests and intervals rest on in the place of the model's variances; none where they rest on these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robust: Option<RobustCovariance>,
    /// The intercept's estimate; none for a model without an intercept.
    pub intercept: Option<Estimate>,
    /// What stands in its place: of ordered levels the thresholds between them, of others an intercept for each but the
    /// baseline.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<ModelConstant>,
    /// The chosen variables, in the file's order.
    pub selected: Vec<SelectedVariable>,
    /// The chosen terms, with the test of each; none where each variable is a term.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<SelectedTerm>,
    /// The mean response by level of each factor on which the model depends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marginal_means: Vec<MarginalMean>,
    /// P-values or intervals that account for the choice of variables, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inference: Option<Inference>,
    /// How cross-validation chose the size; none where the criterion did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross_validation: Option<SizeChoice>,
    /// The covariance matrix of the coefficients.
    pub covariance: Covariance,
    /// What is certain of the model among those allowed: within the size bound, the kept variables
    /// staying, no collinear column.
    #[serde(deserialize_with = "certificate")]
    pub certified: Option<Certificate>,
    /// How the models one change away from a certified one were settled, of models of maximum likelihood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// How far the proof of the optimum got; none where none was tried.
    pub proof: Option<Proof>,
    /// Distinct models met over which the weights are normalised: at most the 1,000 best and the
    /// selection.
    pub met: usize,
    /// The ten best distinct models that the search met, best first: the first is the selection.
    pub models: Vec<VisitedModel>,
    /// The weight of each variable among the models met, largest first.
    pub inclusion: Vec<InclusionWeight>,
    /// The best model met of each size, ascending by size: how the criterion weighs size against
    /// fit.
    pub front: Vec<VisitedModel>,
    /// Variables that never were candidates, with the reason.
    pub set_aside: Vec<SetAside>,
    /// The factors among the columns, in the file's order: the levels of each, and the one that its
    /// dummies are compared with.
    pub factors: Vec<FactorCoding>,
    /// How much of the true model was chosen; none where the file marks no true variables.
    pub truth: Option<Truth>,
    /// The seed of every random number.
    pub seed: u64,
    /// The devices that swept, by name.
    pub devices: Vec<String>,
    /// The arithmetic that decided.
    pub precision: Label,
    /// The arithmetic that screened candidates for it.
    pub screen: String,
    /// Iterations done, the starts being the first.
    pub iterations: usize,
    /// Why the search ended.
    pub termination: Termination,
    /// The processes, where there were several.
    #[serde(rename = "together", skip_serializing_if = "Option::is_none")]
    pub rank_summary: Option<RankSummary>,
    /// Wall-clock seconds, by stage.
    #[serde(skip_serializing_if = "Elapsed::is_unknown")]
    pub elapsed_seconds: Elapsed,
    /// What a reader should know before trusting the rest.
    pub warnings: Vec<String>,
    /// What a selector of a plugin told of its work, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub numbers: BTreeMap<String, f64>,
    /// What predicts by this model; none of reports of earlier versions.
    pub model: Option<Model>,
    /// The models that further criteria chose from the same data, one each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by_other_criteria: Vec<Selection>,
}

/// One estimated coefficient, on the original scale of its variable.
///
/// Standard error, t, p and interval are absent where no degrees of freedom are left (n ≤ k + 1)
/// or the fit is exact. The two-sided p-value and the interval are by Student's t with n − k − 1
/// degrees of freedom (n − k without an intercept); both take the model as given beforehand, so
/// after selection they are optimistic.
///
/// *Units:* the response's, over those of the variable.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Estimate {
    /// β̂.
    #[serde(deserialize_with = "number_or_nan")]
    pub coefficient: f64,
    /// The standard error of β̂.
    pub std_error: Option<f64>,
    /// β̂ over its standard error, without a unit, where Student's t has its distribution.
    pub t: Option<f64>,
    /// β̂ over its standard error, where the normal distribution is that of large samples: of families without a
    /// dispersion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z: Option<f64>,
    /// The two-sided p-value of β = 0.
    pub p_value: Option<f64>,
    /// The p-value adjusted for the number of selected variables, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_adjusted: Option<f64>,
    /// Lower end of the confidence interval at the selection's level; −∞, in JSON null, where a profile never ends.
    pub lower: Option<f64>,
    /// Upper end of the confidence interval, ∞ likewise.
    pub upper: Option<f64>,
    /// exp(β̂): the odds ratio, rate ratio or ratio of means, where the link has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Lower end of its confidence interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_lower: Option<f64>,
    /// Upper end of its confidence interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_upper: Option<f64>,
}

/// A chosen variable and its coefficient.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SelectedVariable {
    /// The column's name; `column=level` for a dummy of a factor.
    pub name: String,
    /// The column's name.
    pub column: String,
    /// The term that it is part of; none where each variable is a term.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub term: Option<String>,
    /// Of a response of levels without order the level whose coefficient it is, beside the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The level that a dummy stands for; none for a variable that is no dummy.
    pub level: Option<String>,
    /// 0-based position of the column in the file with response and weights taken out, before
    /// anything is set aside; dummies of one factor share it. With a formula, the position of its term among
    /// the formula's terms.
    pub index: usize,
    /// Its coefficient.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The variance inflation factor 1 / (1 − R²) with R² of the regression of this variable on the
    /// other chosen ones, of generalized linear models under the working weights; none for a model without an intercept, and of
    /// survival times and levels.
    pub vif: Option<f64>,
    /// Its share of R²: the rise of R² as it enters, averaged over all orders of entering (Lindeman, Merenda and Gold). None of
    /// more than 20 variables, and where terms of several are selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r_squared_share: Option<f64>,
    /// Of genotypes: where they lie, their alleles and their copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<SelectedVariant>,
    /// What could stand in its place, of a certified model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credible_set: Option<CredibleSet>,
}

/// What is certain of a selected model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certificate {
    /// No allowed model has a lower φ.
    Global,
    /// No allowed addition, drop or exchange of one variable lowers φ.
    Local,
}

/// How the models one change away from a certified one were settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settled {
    /// By a bound on their likelihood.
    pub by_bound: usize,
    /// By their fit.
    pub by_fit: usize,
}

/// Reads a certificate; reports before 0.2 have a boolean: whether it is local.
fn certificate<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Certificate>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        Kind(Certificate),
        IsLocal(bool),
    }
    Ok(match Option::deserialize(deserializer)? {
        Some(Stored::Kind(kind)) => Some(kind),
        Some(Stored::IsLocal(is_local)) => is_local.then_some(Certificate::Local),
        None => None,
    })
}

/// How far the proof that no allowed model has a lower φ got.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Proof {
    /// Whether every allowed model was decided, one by one or by a bound.
    pub complete: bool,
    /// Subproblems of branch and bound; 0 where all models were enumerated.
    pub nodes: u64,
    /// The number of models, where all were enumerated: weights and inclusion are exact then.
    pub models: Option<usize>,
    /// By how much φ of a model not yet decided may lie below that of the selection, at most; none where
    /// that is not known.
    pub gap: Option<f64>,
    /// Other models met with the same φ, up to 1e-11 of it. Of equal models that with the fewest variables is
    /// selected, then that with the first columns.
    pub ties: usize,
    /// Why no proof was tried, where one was asked for.
    pub reason: Option<String>,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// Every iteration was done.
    #[default]
    Iterations,
    /// No better model was found in as many iterations as the patience allows.
    Patience,
    /// The time limit was reached.
    TimeLimit,
    /// Interrupted from outside: the best model so far is reported.
    Interrupted,
    /// A device or a plugin failed: the best model so far is reported.
    Fault,
    /// The procedure of a plugin ended by itself.
    Done,
}

impl Selection {
    /// The term of a selected variable.
    pub(crate) fn term_of<'a>(&'a self, variable: &'a str) -> &'a str {
        let mut selected = self.selected.iter();
        let own = selected.find(|own| own.name == variable);
        own.and_then(|own| own.term.as_deref()).unwrap_or(variable)
    }

    /// Leaves out the members of credible sets that stand more than 20 behind the set: hundreds may share the last
    /// thousandth of the weight. A higher level is then beyond what is listed.
    pub fn shorten_credible_sets(&mut self) {
        let sets = self.selected.iter_mut();
        let sets = sets.filter_map(|own| own.credible_set.as_mut());
        sets.for_each(CredibleSet::shorten);
    }

    /// Sets the level of all confidence intervals, β̂ ± q·(standard error) with
    /// P(|T| ≥ q) = 1 − level, and of credible sets. A level outside (0, 1) removes the intervals. Those by profiles need the fit:
    /// [`SearchResult::set_intervals`](crate::search::SearchResult::set_intervals).
    ///
    /// *Source:* any textbook of linear regression, e.g. Seber and Lee, *Linear Regression
    /// Analysis* (2003), section 5.1.
    pub fn set_level(&mut self, level: f64) {
        self.level = level;
        let fixed = usize::from(self.intercept.is_some());
        let quasi = self.family.as_ref().and_then(|own| own.dispersion_df);
        let freedom = match quasi {
            Some(freedom) => freedom as f64,
            None => self.n as f64 - (self.selected.len() + fixed) as f64,
        };
        let robust = self.robust.as_ref().filter(|own| own.omitted.is_none());
        let clusters = robust.and_then(|own| own.clusters);
        let freedom = clusters.map_or(freedom, |count| count as f64 - 1.0);
        let is_normal = self
            .family
            .as_ref()
            .is_some_and(FamilySummary::has_normal_tests);
        let q = (level > 0.0 && level < 1.0).then(|| match is_normal {
            true => normal_quantile(level),
            false => student_t_quantile(level, freedom),
        });
        self.intervals = "wald".into();
        let sets = self.selected.iter_mut();
        let sets = sets.filter_map(|own| own.credible_set.as_mut());
        sets.filter(|_| level > 0.0 && level < 1.0)
            .for_each(|own| own.set_level(level));
        let constants = self.constants.iter_mut().map(|own| &mut own.estimate);
        let chosen = self.selected.iter_mut().map(|own| &mut own.estimate);
        for estimate in self.intercept.iter_mut().chain(constants).chain(chosen) {
            let half = estimate.std_error.zip(q).map(|(error, q)| error * q);
            let ends = [-1.0, 1.0].map(|sign| half.map(|half| estimate.coefficient + sign * half));
            estimate.set_interval(ends);
        }
        let link = self.family.as_ref();
        let link = link.and_then(|family| Link::named(&family.response.link));
        for own in &mut self.marginal_means {
            own.set_interval(q, link);
        }
        let q = (level > 0.0 && level < 1.0).then(|| normal_quantile(level));
        let groups = self.family.iter_mut().flat_map(|own| &mut own.calibration);
        groups.for_each(|group| group.set_interval(q));
    }

    /// The estimates of the intercept, if there is one, and of the chosen variables.
    pub(super) fn estimates_mut(&mut self) -> impl Iterator<Item = &mut Estimate> {
        let chosen = self.selected.iter_mut().map(|own| &mut own.estimate);
        self.intercept.iter_mut().chain(chosen)
    }
}

impl Estimate {
    /// Sets the ends of the interval, and of that of the ratio, if there is one.
    pub(super) fn set_interval(&mut self, [lower, upper]: [Option<f64>; 2]) {
        (self.lower, self.upper) = (lower, upper);
        let has_ratio = self.ratio.is_some();
        [self.ratio_lower, self.ratio_upper] =
            [lower, upper].map(|end| end.filter(|_| has_ratio).map(f64::exp));
    }
}
