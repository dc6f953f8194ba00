//! Parts of survival times: those of some observations.

use super::{
    super::FamilyError,
    response::{SurvivalResponse, SurvivalTimes, Ties},
};

impl SurvivalResponse {
    /// The times in the order of the observations, of which parts can be taken.
    pub(crate) fn rows(&self) -> SurvivalRows {
        let mut strata = vec![0; self.n()];
        for (number, rows) in (0..).zip(&self.strata) {
            rows.clone()
                .for_each(|row| strata[self.order()[row]] = number);
        }
        let events = self.event.iter().map(|event| f64::from(u8::from(*event)));
        SurvivalRows {
            time: self.unsorted(&self.time),
            event: self.unsorted(&events.collect::<Vec<f64>>()),
            entry: match self.entry[..] {
                [] => Vec::new(),
                _ => self.unsorted(&self.entry),
            },
            strata,
            weights: self.unsorted(&self.weights),
            ties: self.ties,
        }
    }
}

/// Survival times as they are observed.
///
/// *Shapes:* n values each; `entry` n or none.
#[derive(Debug, Clone)]
pub(crate) struct SurvivalRows {
    pub(crate) time: Vec<f64>,
    /// 1 for an event, 0 for none.
    pub(crate) event: Vec<f64>,
    entry: Vec<f64>,
    strata: Vec<u32>,
    pub(crate) weights: Vec<f64>,
    ties: Ties,
}

impl SurvivalRows {
    /// Some observations, in this order: there may be no event among them, and nobody else at risk.
    pub(crate) fn part(&self, observations: &[usize]) -> Result<SurvivalResponse, FamilyError> {
        let of = |values: &[f64]| {
            observations
                .iter()
                .map(|at| values[*at])
                .collect::<Vec<f64>>()
        };
        let strata = observations.iter().map(|at| self.strata[*at]);
        SurvivalResponse::of_any(&SurvivalTimes {
            time: &of(&self.time),
            event: &of(&self.event),
            entry: &match self.entry[..] {
                [] => Vec::new(),
                _ => of(&self.entry),
            },
            strata: &strata.collect::<Vec<u32>>(),
            weights: &of(&self.weights),
            offset: &[],
            ties: self.ties,
        })
    }
}
