//! Columns that may lower the loss of a model, of all devices.

use super::Devices;
use crate::{
    device::{DeviceError, Partition},
    least_squares::FitView,
};

impl Devices<'_> {
    /// The columns, ascending, that no bound settles; see [`find_joining`](crate::device::Device::find_joining).
    pub(crate) fn find_joining(
        &mut self,
        anchors: &[FitView],
        least: &[f64],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<u32>>, DeviceError> {
        let part = self.part();
        let mut found = self.each(|_, device| device.find_joining(anchors, least, part, stop))?;
        if let Some((communicator, _)) = &self.communicator {
            found = communicator.gather(&found)?.into_iter().flatten().collect();
        }
        let of_model = |at: usize| {
            let mut all: Vec<u32> = found.iter().flat_map(|own| &own[at]).copied().collect();
            all.sort_unstable();
            all
        };
        Ok((0..anchors.len()).map(of_model).collect())
    }

    /// The losses of models that columns join, of this rank's pairs; see
    /// [`fit_joined`](crate::device::Device::fit_joined).
    pub(crate) fn fit_joined(
        &mut self,
        fits: &[FitView],
        pairs: &[(usize, u32)],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Option<f64>>, DeviceError> {
        let found = self.each(|_, device| device.fit_joined(fits, pairs, stop))?;
        let of_pair = |at: usize| found.iter().find_map(|own| own[at]);
        Ok((0..pairs.len()).map(of_pair).collect())
    }

    /// Which part of its columns each rank sweeps: ranks that each have all columns one part of them each.
    pub(super) fn part(&self) -> (usize, usize) {
        match &self.communicator {
            Some((communicator, Partition::Particles)) => {
                (communicator.rank(), communicator.size())
            }
            _ => (0, 1),
        }
    }
}
