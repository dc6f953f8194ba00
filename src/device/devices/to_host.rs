//! Columns that the host needs of those that are elsewhere.

use super::Devices;
use crate::{design::Columns, device::DeviceError};

impl Devices<'_> {
    /// Fetches from other ranks the columns that models are about to take in.
    pub(super) fn fetch(&self, columns: impl Iterator<Item = u32>) -> Result<(), DeviceError> {
        let x = self.x.filter(Columns::is_partitioned);
        Ok(x.map_or(Ok(()), |x| x.fetch(columns))?)
    }

    /// Brings columns that are elsewhere into the host's memory: from other ranks, from the device that has them, or
    /// from their file.
    pub(crate) fn bring_to_host(
        &mut self,
        columns: impl IntoIterator<Item = u32>,
    ) -> Result<(), DeviceError> {
        let Some(x) = self.x else {
            return Ok(());
        };
        let Some((file, first)) = x.in_file() else {
            return Ok(x.fetch(columns)?);
        };
        let mut left: Vec<u32> = columns.into_iter().collect();
        left.sort_unstable();
        left.dedup();
        left.retain(|column| !file.has(first as u32 + column));
        for device in &mut self.devices {
            for (column, values) in device.copies_of(&left)? {
                file.keep(first as u32 + column, values);
            }
        }
        Ok(x.fetch(left)?)
    }
}
