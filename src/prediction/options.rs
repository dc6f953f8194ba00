//! What is wanted of a prediction.

/// What is wanted of [`Model::predict`](super::Model::predict).
#[derive(Debug, Clone, PartialEq)]
pub struct PredictionOptions {
    /// The scale of predictions.
    pub scale: Scale,
    /// Which intervals are made.
    pub interval: IntervalKind,
    /// Their level, between 0 and 1.
    pub level: f64,
    /// Of survival times when the probability is wanted to have had no event until then.
    pub times: Vec<f64>,
    /// Whether the models met predict by their weights, and not the selected one alone.
    pub average: bool,
    /// What becomes of a row with a level that no observation of the fit had.
    pub unknown_levels: UnknownLevels,
}

impl Default for PredictionOptions {
    fn default() -> Self {
        Self {
            scale: Scale::Response,
            interval: IntervalKind::None,
            level: 0.95,
            times: Vec::new(),
            average: false,
            unknown_levels: UnknownLevels::Refuse,
        }
    }
}

/// The scale of predictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// That of the response: means, probabilities, of survival times the hazard relative to that at the centers.
    #[default]
    Response,
    /// That of the linear predictor.
    Link,
}

/// Which intervals are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IntervalKind {
    /// None, and no standard errors.
    #[default]
    None,
    /// Confidence intervals of means.
    Mean,
    /// Prediction intervals of new observations.
    Observation,
    /// Both.
    Both,
}

/// What becomes of a row with a level that no observation of the fit had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownLevels {
    /// It is an error.
    #[default]
    Refuse,
    /// The row has no prediction, as one that misses a value.
    Missing,
}

impl IntervalKind {
    /// Whether there are confidence intervals of means.
    pub fn has_mean(self) -> bool {
        matches!(self, Self::Mean | Self::Both)
    }

    /// Whether there are intervals of new observations.
    pub fn has_observation(self) -> bool {
        matches!(self, Self::Observation | Self::Both)
    }
}
