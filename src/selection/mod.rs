//! The results of jobs: which variables were chosen, and everything a reader needs to judge and
//! repeat it.
//!
//! Six kinds of report exist: a regression model ([`Selection`]), models of several responses ([`ResponsesReport`]),
//! variables in the order of choice ([`Ranking`]), scores of pairs ([`PairsReport`]), selection frequencies over
//! resamples ([`StabilityReport`]) and errors on rows held out ([`ValidationReport`]); [`Outcome`] is any of them. Serialised as they stand they are the JSON of
//! the program, and a stored JSON reads back into them: fields are added, never renamed, an absent
//! field takes its default, and an unknown one is ignored.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Deserializer, Serialize};

mod adjust;
mod alternatives;
mod cautions;
mod columns;
mod covariance;
mod credible_set;
mod diagnostics;
mod estimates;
mod family;
mod goodness;
mod independence;
mod inference;
mod influence;
mod levels;
mod marginal_means;
mod models;
mod older;
mod outcome;
mod parameters;
mod profile;
mod ranking;
mod regression;
mod residuals;
mod responses;
mod roc;
mod shares;
mod stability;
mod survival;
mod survival_plots;
mod terms;
mod validation;
mod variant;
mod variants;

use crate::{ranks::Traffic, table::TrueVariable};
pub use adjust::Adjustment;
pub use alternatives::Alternatives;
pub(crate) use alternatives::describe_alternatives;
pub(crate) use cautions::{cautions, likelihood_cautions};
pub use columns::{
    ChosenColumn, ColumnAlone, ColumnPair, ColumnPartner, PairScan, RankedColumns, RejectedColumn,
    StopReason,
};
pub use covariance::{Covariance, RobustCovariance};
pub use credible_set::{CredibleSet, SetMember};
pub use diagnostics::{ChiSquaredTest, Diagnostics, DurbinWatson, FTest};
pub(crate) use estimates::estimates;
pub use family::{CalibrationGroup, Discrimination, FamilySummary, HosmerLemeshow, ResponseFamily};
pub(crate) use goodness::test_freedom;
pub use goodness::{FStatistic, GoodnessOfFit};
pub use independence::Independence;
pub use inference::{Inference, InferredVariable};
pub use influence::InfluentialObservation;
pub use levels::{LevelCount, ModelConstant};
pub use marginal_means::MarginalMean;
pub(crate) use marginal_means::marginal_means;
pub use models::{InclusionWeight, VisitedModel};
pub(crate) use models::{inclusion_weights, visited_models};
pub use outcome::Outcome;
pub(crate) use outcome::Overview;
pub use parameters::{BinningRules, CriterionValue, NamedParameters};
pub use profile::Intervals;
pub(crate) use profile::Profiles;
pub use ranking::{
    PairsReport, RankedVariable, Ranking, RejectedVariable, SingleVariable, StopRule, VariablePair,
    VariablePartner,
};
pub use regression::{
    Certificate, Estimate, Proof, SelectedVariable, Selection, Settled, Termination,
};
pub use residuals::{ObservationResidual, Residuals};
pub use responses::{FailedResponse, ResponsesReport, SharedVariable};
pub use roc::RocPoint;
pub use stability::{StabilityBound, StabilityReport, StableVariable};
pub use survival::{
    BaselineStep, HazardTest, LikelihoodRatio, ProportionalHazards, SurvivalSummary,
};
pub use survival_plots::{CoefficientOverTime, RiskGroup, SurvivalPlots};
pub use terms::SelectedTerm;
pub(crate) use terms::selected_terms;
pub use validation::{
    ChosenTerm, ErrorMeasure, HeldOut, SizeChoice, SizeError, ValidatedModel, ValidationReport,
    ValidationSplit,
};
pub use variant::SelectedVariant;
pub(crate) use variants::describe_variants;

/// The level of the confidence intervals where no other is set.
pub const CONFIDENCE_LEVEL: f64 = 0.95;

/// A text that a run takes from the program, and a stored report from its file.
pub type Label = Cow<'static, str>;

/// Reads a number that JSON writes as null where it is infinite or undefined: NaN then.
fn number_or_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// How much of the model that generated the response was selected. Both the selection S* and the
/// true model S are counted in columns of the file: the dummies of one factor are one column.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Truth {
    /// |S|: the file's true variables, including those that were dropped or set aside.
    pub variables: usize,
    /// |S* ∩ S|.
    pub found: usize,
    /// Positive selection rate, |S* ∩ S| / |S|.
    pub psr: f64,
    /// False discovery rate, |S* ∖ S| / |S*|; 0 where nothing was chosen.
    pub fdr: f64,
    /// S ∖ S*: the names of the true variables that were not selected, in the file's order.
    pub missed: Vec<String>,
}

impl Truth {
    /// Compares the true variables with the indexes of the chosen ones; none where no variable is
    /// marked as true.
    pub(crate) fn of(truth: &[TrueVariable], mut chosen: Vec<usize>) -> Option<Self> {
        if truth.is_empty() {
            return None;
        }
        chosen.sort_unstable();
        chosen.dedup();
        let is_missed = |own: &&TrueVariable| chosen.binary_search(&own.index).is_err();
        let missed = truth.iter().filter(is_missed);
        let missed: Vec<String> = missed.map(|own| own.name.clone()).collect();
        let found = truth.len() - missed.len();
        Some(Self {
            variables: truth.len(),
            found,
            psr: found as f64 / truth.len() as f64,
            fdr: (chosen.len() - found) as f64 / chosen.len().max(1) as f64,
            missed,
        })
    }
}

/// The processes that did a job together, and the messages of the first of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RankSummary {
    /// Number of processes.
    pub ranks: usize,
    /// The machines they ran on, each once.
    pub hosts: Vec<String>,
    /// What was partitioned over them: `columns`, `particles`, `sweeps` or `pairs`.
    pub over: Label,
    /// The first rank's messages.
    #[serde(flatten)]
    pub messages: Traffic,
}

impl RankSummary {
    /// What a text report appends to the list of devices; empty for a single process.
    pub(crate) fn suffix(summary: &Option<Self>) -> String {
        let Some(Self {
            ranks,
            hosts,
            over,
            messages,
        }) = summary
        else {
            return String::new();
        };
        let plural = if *ranks == 1 { "" } else { "s" };
        let hosts = match hosts.len() {
            1 => "one machine".to_owned(),
            count => format!("{count} machines"),
        };
        let (gathered, broadcast) = (messages.gathered, messages.broadcast);
        let megabytes = (messages.gathered_bytes + messages.broadcast_bytes) as f64 / 1e6;
        format!(
            ", {ranks} rank{plural} on {hosts} sharing {over} ({gathered} messages of all, {broadcast} of \
             one, {megabytes:.3} MB a rank)"
        )
    }
}

/// Where and how a job of counting, or of many selections, ran.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSummary {
    /// The devices, by name.
    pub devices: Vec<String>,
    /// `exact` where levels are counted: counts are integers, and scores fixed-point numbers; else
    /// absent.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub precision: Label,
    /// Why it ended.
    pub termination: StopReason,
    /// The processes, where there were several.
    #[serde(rename = "together", skip_serializing_if = "Option::is_none")]
    pub rank_summary: Option<RankSummary>,
    /// Wall-clock seconds, by stage.
    #[serde(skip_serializing_if = "Elapsed::is_unknown")]
    pub elapsed_seconds: Elapsed,
    /// What a selector of a plugin told of its work, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub numbers: BTreeMap<String, f64>,
    /// What a reader should know before trusting the rest.
    pub warnings: Vec<String>,
}

/// Wall-clock seconds of a job, by stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Elapsed {
    /// From the start of the process to that of the job: options, plugins, files to be written; 0 of a job of a run.
    pub start: f64,
    /// Reading the file and preparing the columns.
    pub read: f64,
    /// Starting the devices and copying the columns to them.
    pub devices: f64,
    /// The search alone.
    pub search: f64,
    /// What is worked out of the result once it is found.
    pub report: f64,
    /// All of these; 0 where it is not known.
    pub total: f64,
}

impl Elapsed {
    /// The parts by name.
    pub fn parts(&self) -> [(&'static str, f64); 5] {
        [
            ("start", self.start),
            ("read", self.read),
            ("devices", self.devices),
            ("search", self.search),
            ("report", self.report),
        ]
    }

    /// Returns true where no time was kept, as in results of runs.
    pub(crate) fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}
