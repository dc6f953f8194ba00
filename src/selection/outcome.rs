//! The result of a job, whichever method made it.

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Value;

use super::{
    Elapsed, PairsReport, RankSummary, Ranking, ResponsesReport, RunSummary, Selection,
    StabilityReport, StopReason, Termination, Truth, ValidationReport,
};
use crate::design::SetAside;

/// The result of one job: one of six kinds of report.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Outcome {
    /// A regression model, by PaSS or by a procedure of a plugin.
    Selection(Box<Selection>),
    /// A regression model of each of several responses.
    Responses(Box<ResponsesReport>),
    /// Variables in the order of choice, by a selector of a plugin.
    Ranking(Box<Ranking>),
    /// Single variables and pairs with their scores.
    Pairs(Box<PairsReport>),
    /// How often variables were chosen from resamples.
    Stability(Box<StabilityReport>),
    /// How well models predict rows that they were not selected on.
    Validation(Box<ValidationReport>),
}

/// Reads a stored report. Its JSON names no kind: each kind has a field that no other has.
impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let report = Value::deserialize(deserializer)?;
        Self::read(&report).map_err(D::Error::custom)
    }
}

/// What the six kinds of report have in common; a kind that lacks a part has none of it.
#[derive(Default)]
pub(crate) struct Overview<'a> {
    pub(crate) version: &'a str,
    pub(crate) response: &'a str,
    pub(crate) n: usize,
    pub(crate) p: usize,
    /// Chosen variables; none for pairs, which chooses nothing.
    pub(crate) k: Option<usize>,
    /// Names and indexes of the chosen variables, in the order of the report.
    pub(crate) chosen: Option<Vec<(&'a str, usize)>>,
    pub(crate) truth: Option<&'a Truth>,
    pub(crate) set_aside: &'a [SetAside],
    pub(crate) devices: &'a [String],
    /// The arithmetic that decided, and the one that screened candidates for it.
    pub(crate) arithmetic: [&'a str; 2],
    pub(crate) elapsed: Elapsed,
    pub(crate) ranks: Option<&'a RankSummary>,
    pub(crate) warnings: &'a [String],
}

/// The overview of a report that chose variables.
macro_rules! overview {
    ($report:expr, $run:expr) => {{
        let chosen = $report.selected.iter();
        Overview {
            k: Some($report.k),
            chosen: Some(chosen.map(|own| (&*own.name, own.index)).collect()),
            truth: $report.truth.as_ref(),
            ..overview!($report, $run, nothing)
        }
    }};
    ($report:expr, $run:expr, nothing) => {
        Overview {
            version: &$report.passel,
            response: &$report.response,
            n: $report.n,
            p: $report.p,
            devices: &$run.devices,
            arithmetic: [&$run.precision, ""],
            elapsed: $run.elapsed_seconds,
            ranks: $run.rank_summary.as_ref(),
            warnings: &$run.warnings,
            ..Overview::default()
        }
    };
}

impl Outcome {
    /// Reads a stored report.
    ///
    /// # Errors
    /// A field of another type than the report's.
    pub fn read(stored: &Value) -> Result<Self, serde_json::Error> {
        let has = |field: &str| stored.get(field).is_some();
        match () {
            () if has("responses") => Deserialize::deserialize(stored).map(Self::Responses),
            () if has("scheme") => Deserialize::deserialize(stored).map(Self::Validation),
            () if has("resampling") => Deserialize::deserialize(stored).map(Self::Stability),
            () if has("pairs") => Deserialize::deserialize(stored).map(Self::Pairs),
            () if has("models") => Deserialize::deserialize(stored).map(Self::Selection),
            () => Deserialize::deserialize(stored).map(Self::Ranking),
        }
    }

    /// Names the data file as it was given.
    pub(crate) fn name_data(&mut self, file: String) {
        let data = match self {
            Self::Selection(report) => {
                report.name_data(&file);
                &mut report.data
            }
            Self::Responses(report) => {
                for own in &mut report.responses {
                    own.name_data(&file);
                }
                &mut report.data
            }
            Self::Ranking(report) => &mut report.data,
            Self::Pairs(report) => &mut report.data,
            Self::Stability(report) => &mut report.data,
            Self::Validation(report) => &mut report.data,
        };
        *data = Some(file);
    }

    /// Whether an interrupt cut the job short, so that this is the best until then.
    pub fn interrupted(&self) -> bool {
        match self {
            Self::Selection(report) => report.is_interrupted(),
            Self::Responses(report) => {
                report.interrupted || report.responses.iter().any(Selection::is_interrupted)
            }
            Self::Ranking(report) => report.run.termination == StopReason::Interrupted,
            Self::Pairs(report) => report.run.termination == StopReason::Interrupted,
            Self::Stability(report) => report.run.termination == StopReason::Interrupted,
            Self::Validation(report) => report.run.termination == StopReason::Interrupted,
        }
    }

    /// The regression model, if the job chose one.
    pub fn selection(self) -> Option<Selection> {
        match self {
            Self::Selection(selection) => Some(*selection),
            Self::Responses(_)
            | Self::Ranking(_)
            | Self::Pairs(_)
            | Self::Stability(_)
            | Self::Validation(_) => None,
        }
    }

    /// Removes what differs from one run to the next: times, ranks and the numbers of GPUs. Returns the
    /// kinds of device that are left.
    #[cfg(feature = "program")]
    pub(crate) fn remove_circumstances(&mut self) -> Vec<String> {
        match self {
            Self::Selection(report) => {
                report.remove_circumstances();
                report.devices.clone()
            }
            Self::Responses(report) => {
                report.elapsed_seconds = Elapsed::default();
                let all = report.responses.iter_mut();
                all.for_each(Selection::remove_circumstances);
                let first = report.responses.first();
                first.map_or(Vec::new(), |first| first.devices.clone())
            }
            Self::Ranking(report) => report.run.remove_circumstances(),
            Self::Pairs(report) => report.run.remove_circumstances(),
            Self::Stability(report) => report.run.remove_circumstances(),
            Self::Validation(report) => {
                let others = report.others.iter_mut();
                others.for_each(|own| drop(own.run.remove_circumstances()));
                report.run.remove_circumstances()
            }
        }
    }

    /// What a user should know of the result first; of several responses each model has its own.
    pub fn warnings(&self) -> &[String] {
        self.overview().warnings
    }

    /// The devices that did the work, as `cpu` and `cuda:0`.
    pub fn devices(&self) -> &[String] {
        self.overview().devices
    }

    /// What all kinds of report have in common.
    pub(crate) fn overview(&self) -> Overview<'_> {
        match self {
            Self::Selection(report) => Overview {
                set_aside: &report.set_aside,
                arithmetic: [&report.precision, &report.screen],
                ..overview!(report, report)
            },
            Self::Responses(report) => {
                // What differs from one response to another is in their reports.
                let first = report.responses.first();
                Overview {
                    version: &report.passel,
                    p: first.map_or(0, |own| own.p),
                    devices: first.map_or(&[], |own| &own.devices),
                    arithmetic: first.map_or(["", ""], |own| [&own.precision, &own.screen]),
                    elapsed: report.elapsed_seconds,
                    ..Overview::default()
                }
            }
            Self::Ranking(report) => Overview {
                set_aside: &report.set_aside,
                ..overview!(report, report.run)
            },
            Self::Pairs(report) => overview!(report, report.run, nothing),
            Self::Stability(report) => overview!(report, report.run),
            Self::Validation(report) => overview!(report, report.run, nothing),
        }
    }
}

impl Selection {
    /// Names the data file, in the reports of other criteria too.
    fn name_data(&mut self, file: &str) {
        for own in &mut self.by_other_criteria {
            own.data = Some(file.to_owned());
        }
        self.data = Some(file.to_owned());
    }

    fn is_interrupted(&self) -> bool {
        let mut all = self.by_other_criteria.iter().chain([self]);
        all.any(|report| report.termination == Termination::Interrupted)
    }

    #[cfg(feature = "program")]
    fn remove_circumstances(&mut self) {
        for own in &mut self.by_other_criteria {
            own.remove_circumstances();
        }
        self.devices = kinds(&self.devices);
        (self.elapsed_seconds, self.rank_summary) = (Elapsed::default(), None);
    }
}

#[cfg(feature = "program")]
impl RunSummary {
    fn remove_circumstances(&mut self) -> Vec<String> {
        self.devices = kinds(&self.devices);
        (self.elapsed_seconds, self.rank_summary) = (Elapsed::default(), None);
        self.devices.clone()
    }
}

/// The kinds of these devices: `cuda` for `cuda:0` and `cuda:1`.
#[cfg(feature = "program")]
fn kinds(devices: &[String]) -> Vec<String> {
    let kinds = devices.iter().filter_map(|name| name.split(':').next());
    let mut kinds: Vec<String> = kinds.map(str::to_owned).collect();
    kinds.dedup();
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_reports_read_back_into_their_kinds() {
        let selection = crate::report::example::selection();
        let stored = serde_json::to_value(Outcome::Selection(Box::new(selection.clone()))).unwrap();
        let Outcome::Selection(read) = Outcome::read(&stored).unwrap() else {
            panic!("{stored}");
        };
        assert_eq!(*read, selection);
        let kind = |text: &str| serde_json::from_str::<Outcome>(text).unwrap();
        let stable = kind(r#"{"resampling":"bootstrap"}"#);
        assert!(matches!(stable, Outcome::Stability(_)));
        let validated = kind(r#"{"scheme":{"name":"folds"},"models":[]}"#);
        assert!(matches!(validated, Outcome::Validation(_)));
        assert!(matches!(kind(r#"{"selected":[]}"#), Outcome::Ranking(_)));
    }

    #[test]
    fn old_and_newer_fields_and_numbers_that_json_lacks_are_read() {
        let text = r#"{"pairs":[{"a":"x","b":"z","score":null,"of":"a newer version"}],
                       "binning":{"rule":"auto"},"termination":"fault","newer":[1]}"#;
        let Ok(Outcome::Pairs(read)) = serde_json::from_str(text) else {
            panic!("{text}");
        };
        assert!(read.pairs[0].score.is_nan() && read.pairs[0].a == "x");
        assert_eq!(read.run.termination, StopReason::Fault);
        assert_eq!((read.n, read.run.elapsed_seconds.total), (0, 0.0));
        assert_eq!(read.binning.get(), r#"{"rule":"auto"}"#);
        assert!(serde_json::from_str::<Outcome>(r#"{"n":"many"}"#).is_err());
    }
}
