//! What a GPU holds of models.

use super::{Cuda, DeviceError};

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

    /// A verb that came before [`Device::init_models`].
    pub(super) fn unheld(&self) -> DeviceError {
        DeviceError::Failed {
            device: self.gpu.name.clone(),
            during: "looking for the models".to_owned(),
            reason: "none are held".to_owned(),
        }
    }
}
