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

    /// Whether second derivatives are those of a partial likelihood, which the host multiplies by.
    pub(super) fn is_survival(&self) -> bool {
        let likelihood = self.shard.x.likelihood();
        likelihood.is_some_and(|own| own.response().survival().is_some())
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
