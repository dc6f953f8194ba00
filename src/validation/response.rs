//! What was observed, and what models predicted of it.

use crate::family::{Distribution, Scatter, SurvivalRows};

/// The responses of n observations.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    /// What was observed.
    pub(crate) observed: Observed,
    /// How much each observation counts.
    pub(crate) weights: Vec<f64>,
}

/// Responses of a kind.
///
/// *Shapes:* n values in each part.
#[derive(Debug, Clone)]
pub(crate) enum Observed {
    /// Numbers of a family: normal ones, counts, positive ones.
    Numbers(Distribution, Vec<f64>),
    /// Shares of events among numbers of trials.
    Events { shares: Vec<f64>, trials: Vec<f64> },
    /// The places of levels.
    Levels {
        levels: Vec<String>,
        codes: Vec<u32>,
    },
    /// Survival times.
    Survival(SurvivalRows),
}

impl Response {
    /// Observations.
    pub(crate) fn n(&self) -> usize {
        self.weights.len()
    }

    /// How much an observation counts, each of its trials being one.
    pub(super) fn weight(&self, at: usize) -> f64 {
        match &self.observed {
            Observed::Events { trials, .. } => self.weights[at] * trials[at],
            _ => self.weights[at],
        }
    }

    /// What parts of the rows should have equal shares of: events and others, levels; none of numbers.
    ///
    /// *Shapes:* n classes, or none.
    pub(crate) fn classes(&self) -> Vec<u32> {
        match &self.observed {
            Observed::Numbers(..) => Vec::new(),
            Observed::Events { shares, .. } => {
                let classes = shares.iter().map(|share| u32::from(*share >= 0.5));
                classes.collect()
            }
            Observed::Levels { codes, .. } => codes.clone(),
            Observed::Survival(own) => own.event.iter().map(|event| *event as u32).collect(),
        }
    }

    /// The weighted mean of numbers over some rows; NaN of other responses.
    pub(crate) fn mean(&self, rows: &[usize]) -> f64 {
        let Observed::Numbers(_, y) = &self.observed else {
            return f64::NAN;
        };
        let total: f64 = rows.iter().map(|at| self.weights[*at]).sum();
        let sum: f64 = rows.iter().map(|at| self.weights[*at] * y[*at]).sum();
        sum / total
    }
}

/// What one model says of some observations.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Predicted {
    /// Means, probabilities of an event, or linear predictors of survival times; empty of levels.
    pub(crate) values: Vec<f64>,
    /// Of levels the probability of each, 0 of one that the model does not know.
    pub(crate) levels: Vec<Vec<f64>>,
    /// How responses scatter about these means.
    pub(crate) scatter: Scatter,
}

impl Predicted {
    /// What it says of some of the observations, by their places.
    pub(crate) fn at(&self, places: &[usize]) -> Self {
        let of = |all: &[f64]| {
            places
                .iter()
                .filter_map(|at| all.get(*at).copied())
                .collect()
        };
        Self {
            values: of(&self.values),
            levels: self.levels.iter().map(|own| of(own)).collect(),
            scatter: self.scatter,
        }
    }
}

/// The models of one split, judged on observations that they were not made of.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Judged {
    /// Which time the rows were dealt out.
    pub(crate) repeat: usize,
    /// The number of the split in the repeat.
    pub(crate) number: usize,
    /// The observations, ascending.
    pub(crate) rows: Vec<usize>,
    /// The mean response of the observations that the models were made of; NaN but of numbers.
    pub(crate) center: f64,
    /// What each model says of them.
    pub(crate) models: Vec<Predicted>,
}

/// What one model says of one observation that is held out.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) at: usize,
    /// Among all splits.
    pub(super) fold: usize,
    /// What is left out together where the error's error is estimated.
    pub(super) unit: usize,
    pub(super) weight: f64,
    pub(super) center: f64,
    pub(super) by: &'a Predicted,
    /// The place of the observation in that.
    pub(super) place: usize,
}

impl Row<'_> {
    pub(super) fn value(&self) -> f64 {
        self.by.values[self.place]
    }

    pub(super) fn probability(&self, level: u32) -> f64 {
        self.by.levels[level as usize][self.place]
    }
}
