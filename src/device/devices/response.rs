//! Another response of the same columns, on all devices.

use super::Devices;
use crate::device::DeviceError;

impl Devices<'_> {
    /// See [`Device::set_response`](crate::device::Device::set_response).
    pub(crate) fn set_response(&mut self, y: &[f64]) -> Result<(), DeviceError> {
        self.each(|_, device| device.set_response(y))?;
        Ok(())
    }
}
