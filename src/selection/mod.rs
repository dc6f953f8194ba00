//! The result: which variables were chosen, and everything a reader needs to
//! judge and repeat it. Serialised as it stands, it is the JSON of the program:
//! fields are added, never renamed.

use serde::{Serialize, Serializer, ser::SerializeMap};

mod estimates;
mod independence;
mod models;
mod outcome;
mod ranking;
mod residuals;
mod stability;

use crate::{design::SetAside, ranks::Traffic};
pub(crate) use estimates::estimates;
pub(crate) use estimates::student_t_quantile;
pub use independence::Independence;
pub use models::{InclusionWeight, VisitedModel};
pub(crate) use models::{inclusion_weights, visited_models};
pub use outcome::Outcome;
pub use ranking::{
    ChosenColumn, ColumnPair, ColumnPartner, PairScan, PairsReport, RankedColumns, RankedVariable,
    Ranking, RejectedColumn, RejectedVariable, SingleVariable, StopReason, StopRule, VariablePair,
    VariablePartner,
};
pub use residuals::{ObservationResidual, Residuals};
pub use stability::{StabilityBound, StabilityReport, StableVariable};

/// The level of the confidence intervals unless another is asked for.
pub const CONFIDENCE_LEVEL: f64 = 0.95;

/// One selection: a model, its fit on the original scale, and how it was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Selection {
    /// The version of passel that made it.
    pub passel: &'static str,
    /// The selector and its parameters.
    pub method: Method,
    /// The criterion, its parameters and its value for this model.
    pub criterion: CriterionValue,
    /// The response's name.
    pub response: String,
    /// The column of weights; none where all observations count alike.
    pub weights: Option<String>,
    /// Observations used.
    pub n: usize,
    /// Candidate variables, after setting aside.
    pub p: usize,
    /// Candidates before a prescreening, where told: the p of the criterion.
    pub p_total: Option<usize>,
    /// Chosen variables, the kept ones among them; the intercept is not counted.
    pub k: usize,
    /// Variables that every model holds: they were not chosen.
    pub kept: Vec<String>,
    /// Residual sum of squares, on the response's scale; with weights Σ w (y − ŷ)²,
    /// the weights at mean one over the observations used.
    pub rss: f64,
    /// Total sum of squares of the response: about its mean, or about zero
    /// without an intercept.
    pub tss: f64,
    /// The level of the estimates' confidence intervals, between 0 and 1.
    pub level: f64,
    /// The intercept's estimate; none when the model has no intercept.
    pub intercept: Option<Estimate>,
    /// The chosen variables, in the file's order.
    pub selected: Vec<SelectedVariable>,
    /// No addition, drop or exchange of one variable lowers φ, of those allowed:
    /// within the size bound, the kept variables staying, no collinear column.
    pub certified: bool,
    /// Distinct models met that the weights are over: at most the 1,000 best and the
    /// selection.
    pub met: usize,
    /// The ten best distinct models that the search met, best first: the first is
    /// the selection.
    pub models: Vec<VisitedModel>,
    /// Of each variable in the models met, the weight of the models that hold it;
    /// largest first.
    pub inclusion: Vec<InclusionWeight>,
    /// Of each size met the best model, ascending by size: how the criterion
    /// weighs size against fit.
    pub front: Vec<VisitedModel>,
    /// Variables that never were candidates, with the reason.
    pub set_aside: Vec<SetAside>,
    /// How much of the true model was found; none when the file marks no true variables.
    pub truth: Option<Truth>,
    /// The seed of every random number.
    pub seed: u64,
    /// The devices that swept, by name.
    pub devices: Vec<String>,
    /// The arithmetic that decided.
    pub precision: &'static str,
    /// The arithmetic that screened candidates for it.
    pub screen: String,
    /// Iterations done, the starts being the first.
    pub iterations: usize,
    /// Why the search ended.
    pub termination: Termination,
    /// The ranks that did it together, where it was not one process.
    #[serde(rename = "together", skip_serializing_if = "Option::is_none")]
    pub rank_summary: Option<RankSummary>,
    /// Wall-clock seconds, by stage.
    pub elapsed_seconds: Elapsed,
    /// What a reader should know before trusting the rest.
    pub warnings: Vec<String>,
}

/// A selector and the parameters it ran with, in the order they are documented.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Method {
    /// The name it is asked for by.
    pub name: String,
    /// The parameters, defaults filled in.
    #[serde(flatten)]
    pub parameters: serde_json::Map<String, serde_json::Value>,
}

/// A criterion and what it says of the chosen model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CriterionValue {
    /// The name it is asked for by.
    pub name: String,
    /// φ of the chosen model: smaller is better.
    pub value: f64,
    /// The parameters, defaults filled in.
    #[serde(flatten, serialize_with = "as_map")]
    pub parameters: Vec<(&'static str, f64)>,
}

fn as_map<S: Serializer>(pairs: &[(&str, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (name, value) in pairs {
        map.serialize_entry(name, value)?;
    }
    map.end()
}

/// One estimated coefficient, on the original scale of its variable.
///
/// Standard error, t, p and interval are absent where there are no degrees of
/// freedom left (n ≤ k + 1) or the fit is exact. The p-value is two-sided, from
/// Student's t with n − k − 1 degrees of freedom (n − k without an intercept),
/// and so is the interval; both take the model as given beforehand, so after
/// selection they are optimistic.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// β̂.
    pub coefficient: f64,
    /// Its standard error.
    pub std_error: Option<f64>,
    /// β̂ over its standard error.
    pub t: Option<f64>,
    /// Two-sided p-value.
    pub p_value: Option<f64>,
    /// Lower end of the confidence interval at the selection's level.
    pub lower: Option<f64>,
    /// Its upper end.
    pub upper: Option<f64>,
}

/// One chosen variable.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SelectedVariable {
    /// The column's name; `column=level` for a dummy of a factor.
    pub name: String,
    /// 0-based position of the column in the file with response and weights taken
    /// out, before anything is set aside; dummies of one factor share it.
    pub index: usize,
    /// Its coefficient.
    #[serde(flatten)]
    pub estimate: Estimate,
}

/// A selection S* beside the model S that made the response, both as columns of the file: the
/// dummies of one factor are one column.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Truth {
    /// |S|: the file's true variables, with those that were dropped or set aside.
    pub variables: usize,
    /// |S* ∩ S|.
    pub found: usize,
    /// Positive selection rate, |S* ∩ S| / |S|.
    pub psr: f64,
    /// False discovery rate, |S* ∖ S| / |S*|; 0 where nothing was chosen.
    pub fdr: f64,
}

impl Truth {
    /// Of the indexes of the true variables, ascending, and of the chosen ones, in the file's
    /// order; none where nothing is marked as true.
    pub(crate) fn of(truth: &[usize], selected: &[SelectedVariable]) -> Option<Self> {
        let mut chosen: Vec<usize> = selected.iter().map(|it| it.index).collect();
        chosen.dedup();
        Self::of_indexes(truth, &chosen)
    }

    /// Of the indexes of the true variables, ascending, and of the chosen ones, each once.
    pub(crate) fn of_indexes(truth: &[usize], chosen: &[usize]) -> Option<Self> {
        if truth.is_empty() {
            return None;
        }
        let found = chosen.iter().filter(|it| truth.binary_search(it).is_ok());
        let found = found.count();
        Some(Self {
            variables: truth.len(),
            found,
            psr: found as f64 / truth.len() as f64,
            fdr: (chosen.len() - found) as f64 / chosen.len().max(1) as f64,
        })
    }
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// Every iteration was done.
    Iterations,
    /// No better model for as many iterations as the patience allows.
    Patience,
    /// The time limit was reached.
    TimeLimit,
    /// Interrupted from outside: the best so far is reported.
    Interrupted,
    /// A device or a plugin failed: the best so far is reported.
    Fault,
    /// The selector of a plugin chose all that it wanted to.
    Done,
}

/// The processes that did a job together, and the messages of the first of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RankSummary {
    /// Number of processes.
    pub ranks: usize,
    /// The machines they ran on, each once.
    pub hosts: Vec<String>,
    /// What was partitioned over them: `columns`, `particles`, `sweeps` or `pairs`.
    pub over: &'static str,
    /// The first rank's messages.
    #[serde(flatten)]
    pub messages: Traffic,
}

impl RankSummary {
    /// What a text report appends to the list of devices; empty for a single process.
    pub(crate) fn suffix(summary: Option<&Self>) -> String {
        let Some(summary) = summary else {
            return String::new();
        };
        let plural = if summary.ranks == 1 { "" } else { "s" };
        let hosts = match summary.hosts.len() {
            1 => "one machine".to_owned(),
            count => format!("{count} machines"),
        };
        let Self { ranks, over, .. } = summary;
        let Traffic {
            gathered,
            broadcast,
            gathered_bytes,
            broadcast_bytes,
        } = summary.messages;
        let megabytes = (gathered_bytes + broadcast_bytes) as f64 / 1e6;
        format!(
            ", {ranks} rank{plural} on {hosts} sharing {over} ({gathered} messages of all, {broadcast} of \
             one, {megabytes:.3} MB a rank)"
        )
    }
}

/// Wall-clock seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Elapsed {
    /// Reading the file and preparing the design matrix.
    pub read: f64,
    /// Starting the devices and laying the columns out on them.
    pub devices: f64,
    /// The search alone.
    pub search: f64,
    /// From the first byte read to the finished selection.
    pub total: f64,
}

impl Selection {
    /// Puts the confidence intervals of all estimates at another level, above 0
    /// and below 1: β̂ ± q·(standard error), P(|T| ≥ q) = 1 − level. At any other
    /// level there are none.
    pub fn set_level(&mut self, level: f64) {
        self.level = level;
        let fixed = usize::from(self.intercept.is_some());
        let freedom = self.n as f64 - (self.selected.len() + fixed) as f64;
        let q = (level > 0.0 && level < 1.0).then(|| student_t_quantile(level, freedom));
        let chosen = self.selected.iter_mut().map(|it| &mut it.estimate);
        for estimate in self.intercept.iter_mut().chain(chosen) {
            let half = estimate.std_error.zip(q).map(|(error, q)| error * q);
            estimate.lower = half.map(|half| estimate.coefficient - half);
            estimate.upper = half.map(|half| estimate.coefficient + half);
        }
    }
}
