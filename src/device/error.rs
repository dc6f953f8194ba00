//! Why a device could not do its part.

use thiserror::Error;

/// Why a device could not do its part.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DeviceError {
    /// A device failed.
    #[error("{device} failed during {during}: {reason}")]
    Failed {
        /// The device.
        device: String,
        /// The step.
        during: String,
        /// What the driver said.
        reason: String,
    },
}
