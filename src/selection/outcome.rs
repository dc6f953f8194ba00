//! The result of a job, whichever method made it.

use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::Value;

use super::{
    Elapsed, PairsReport, RankSummary, Ranking, Selection, StabilityReport, StopReason,
    Termination, Truth,
};
use crate::design::SetAside;

/// The result of one job: one of four kinds of report.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Outcome {
    /// A regression model, by PaSS or by a procedure of a plugin.
    Selection(Box<Selection>),
    /// Variables in the order of choice, by a selector of a plugin.
    Ranking(Box<Ranking>),
    /// Single variables and pairs with their scores.
    Pairs(Box<PairsReport>),
    /// How often variables were chosen from resamples.
    Stability(Box<StabilityReport>),
}

/// Reads a stored report. Its JSON names no kind: each kind has a field that no other has.
impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let report = Value::deserialize(deserializer)?;
        Self::read(&report).map_err(D::Error::custom)
    }
}

/// A field that all four kinds of report have.
macro_rules! common {
    ($outcome:expr, $report:ident => $field:expr) => {
        match $outcome {
            Outcome::Selection($report) => $field,
            Outcome::Ranking($report) => $field,
            Outcome::Pairs($report) => $field,
            Outcome::Stability($report) => $field,
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
        if has("resampling") {
            Deserialize::deserialize(stored).map(Self::Stability)
        } else if has("pairs") {
            Deserialize::deserialize(stored).map(Self::Pairs)
        } else if has("models") {
            Deserialize::deserialize(stored).map(Self::Selection)
        } else {
            Deserialize::deserialize(stored).map(Self::Ranking)
        }
    }

    /// Whether an interrupt cut the job short, so that this is the best until then.
    pub fn interrupted(&self) -> bool {
        match self {
            Self::Selection(report) => report.termination == Termination::Interrupted,
            Self::Ranking(report) => report.termination == StopReason::Interrupted,
            Self::Pairs(report) => report.termination == StopReason::Interrupted,
            Self::Stability(report) => report.termination == StopReason::Interrupted,
        }
    }

    /// The regression model, if the job chose one.
    pub fn selection(self) -> Option<Selection> {
        match self {
            Self::Selection(selection) => Some(*selection),
            Self::Ranking(_) | Self::Pairs(_) | Self::Stability(_) => None,
        }
    }

    /// The version of passel that made the report.
    pub fn version(&self) -> &str {
        common!(self, report => &report.passel)
    }

    /// The name of the response.
    pub fn response(&self) -> &str {
        common!(self, report => &report.response)
    }

    /// The devices, by name.
    pub fn devices(&self) -> &[String] {
        common!(self, report => &report.devices)
    }

    /// What a reader should know before trusting the rest.
    pub fn warnings(&self) -> &[String] {
        common!(self, report => &report.warnings)
    }

    /// Wall-clock seconds, by stage.
    pub fn elapsed(&self) -> Elapsed {
        common!(self, report => report.elapsed_seconds)
    }

    /// Observations used.
    pub fn n(&self) -> usize {
        common!(self, report => report.n)
    }

    /// Candidate variables.
    pub fn p(&self) -> usize {
        common!(self, report => report.p)
    }

    /// Chosen variables; none for pairs, which chooses nothing.
    pub fn k(&self) -> Option<usize> {
        match self {
            Self::Selection(report) => Some(report.k),
            Self::Ranking(report) => Some(report.k),
            Self::Stability(report) => Some(report.k),
            Self::Pairs(_) => None,
        }
    }

    /// Names and indexes of the chosen variables, in the order of the report; none for pairs.
    pub fn chosen(&self) -> Option<Vec<(&str, usize)>> {
        macro_rules! names {
            ($report:expr) => {
                Some(
                    $report
                        .selected
                        .iter()
                        .map(|v| (&*v.name, v.index))
                        .collect(),
                )
            };
        }
        match self {
            Self::Selection(report) => names!(report),
            Self::Ranking(report) => names!(report),
            Self::Stability(report) => names!(report),
            Self::Pairs(_) => None,
        }
    }

    /// How much of the true model was chosen, where the file marks one.
    pub fn truth(&self) -> Option<&Truth> {
        match self {
            Self::Selection(report) => report.truth.as_ref(),
            Self::Ranking(report) => report.truth.as_ref(),
            Self::Stability(report) => report.truth.as_ref(),
            Self::Pairs(_) => None,
        }
    }

    /// Variables that never were candidates.
    pub fn set_aside(&self) -> &[SetAside] {
        match self {
            Self::Selection(report) => &report.set_aside,
            Self::Ranking(report) => &report.set_aside,
            Self::Pairs(_) | Self::Stability(_) => &[],
        }
    }

    /// The processes, where there were several.
    pub fn rank_summary(&self) -> Option<&RankSummary> {
        match self {
            Self::Selection(report) => report.rank_summary.as_ref(),
            Self::Ranking(report) => report.rank_summary.as_ref(),
            Self::Pairs(report) => report.rank_summary.as_ref(),
            Self::Stability(_) => None,
        }
    }
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
        assert!(matches!(
            kind(r#"{"resampling":"bootstrap"}"#),
            Outcome::Stability(_)
        ));
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
        assert_eq!(read.termination, StopReason::Fault);
        assert_eq!((read.n, read.elapsed_seconds.total), (0, 0.0));
        assert_eq!(read.binning.get(), r#"{"rule":"auto"}"#);
        assert!(serde_json::from_str::<Outcome>(r#"{"n":"many"}"#).is_err());
    }
}
