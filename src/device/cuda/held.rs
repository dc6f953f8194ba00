//! What a GPU holds of models.

use super::{Cuda, DeviceError, FitView};
use crate::family::Curvature;

impl Cuda<'_> {
    /// Where its residuals lie.
    pub(super) fn residuals(&self) -> u64 {
        match (&self.newton, &self.fitted, &self.models) {
            (Some(own), ..) => own.scores(),
            (_, Some(own), _) => own.scores(),
            (.., Some(own)) => own.residual.address(),
            _ => 0,
        }
    }

    /// Whether second derivatives are no diagonal matrix: the host multiplies by them.
    pub(super) fn is_joint(&self) -> bool {
        let likelihood = self.shard.x.likelihood();
        likelihood.is_some_and(|own| own.response().is_joint())
    }

    /// Whether squares by the second derivatives of these models are made here.
    pub(super) fn has_squares(&self, anchors: &[FitView]) -> bool {
        let has_scale = |anchor: &FitView| {
            let own = anchor.weighted.and_then(|own| own.curvature);
            matches!(own, Some((Curvature::Risk(own), _)) if own.has_one_scale())
        };
        self.risk.is_some() && anchors.iter().all(has_scale)
    }

    /// A verb that came before [`Device::init_models`].
    pub(super) fn unheld(&self) -> DeviceError {
        DeviceError::Failed {
            device: self.gpu.name.clone(),
            during: "looking for the models".to_owned(),
            reason: "none are held".to_owned(),
        }
    }
}
