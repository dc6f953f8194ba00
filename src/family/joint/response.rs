//! Responses whose likelihood is of all observations together.

use std::sync::Arc;

use super::{
    super::{Family, FamilyError, FamilyResponse, SurvivalResponse, SurvivalTimes, theta::Counts},
    JointResponse, MultinomialResponse, OrdinalResponse,
};

impl FamilyResponse {
    /// Survival times, whose likelihood is Cox's partial one.
    ///
    /// # Errors
    /// As [`SurvivalResponse::new`].
    pub fn of_survival(times: &SurvivalTimes) -> Result<Self, FamilyError> {
        let joint = JointResponse::Survival(Arc::new(SurvivalResponse::new(times)?));
        Ok(Self::of_joint(
            Family::COX,
            times.event.to_vec(),
            times.weights,
            joint,
        ))
    }

    /// Ordered levels, by the model of proportional odds.
    ///
    /// # Errors
    /// As [`OrdinalResponse::new`].
    pub fn of_levels(codes: &[u32], weights: &[f64], offset: &[f64]) -> Result<Self, FamilyError> {
        let own = OrdinalResponse::new(codes, weights, offset)?;
        let y = codes.iter().map(|level| f64::from(*level)).collect();
        let joint = JointResponse::Ordinal(Arc::new(own));
        Ok(Self::of_joint(Family::ORDINAL, y, weights, joint))
    }

    /// Levels without order, of which the first is the baseline: of n observations n values for each other level, one level
    /// below the other.
    ///
    /// # Errors
    /// As [`MultinomialResponse::new`].
    pub fn of_classes(codes: &[u32], weights: &[f64]) -> Result<Self, FamilyError> {
        let own = MultinomialResponse::new(codes, weights)?;
        let blocks = 1..=own.blocks() as u32;
        let is_own = |level: u32| move |code: &u32| f64::from(u8::from(*code == level));
        let y = blocks
            .flat_map(|level| codes.iter().map(is_own(level)))
            .collect();
        let weights = weights.repeat(own.blocks());
        let joint = JointResponse::Multinomial(Arc::new(own));
        Ok(Self::of_joint(Family::MULTINOMIAL, y, &weights, joint))
    }

    fn of_joint(family: Family, y: Vec<f64>, weights: &[f64], joint: JointResponse) -> Self {
        let n = y.len();
        let weights = match weights {
            [] => vec![1.0; n],
            weights => weights.to_vec(),
        };
        Self {
            family,
            y,
            trials: vec![1.0; n],
            offset: joint.offset().to_vec(),
            is_all_or_none: false,
            shift: 0.0,
            is_summable: false,
            rounding: f64::EPSILON * n as f64,
            total: weights.iter().sum(),
            joint: Some(joint),
            constants: 0.0,
            counts: Counts::default(),
            quasi: None,
            weights,
        }
    }

    /// Who is at risk when, of survival times.
    pub fn survival(&self) -> Option<&Arc<SurvivalResponse>> {
        match self.joint.as_ref()? {
            JointResponse::Survival(own) => Some(own),
            JointResponse::Ordinal(_) | JointResponse::Multinomial(_) => None,
        }
    }

    /// The sum of the weights of each level; none of other responses.
    pub(crate) fn level_totals(&self) -> &[f64] {
        self.joint.as_ref().map_or(&[], JointResponse::level_totals)
    }

    /// Whether its likelihood is of all observations together: its second derivatives are no diagonal matrix.
    pub(crate) fn is_joint(&self) -> bool {
        self.joint.is_some()
    }
}
