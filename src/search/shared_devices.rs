//! Devices that several searches of the same columns use one after another.

use super::SearchProblem;
use crate::{
    design::Columns,
    device::{DeviceChoice, DeviceError, Devices, Placement, Resources},
};

/// The devices that hold some columns, once the first search of these has opened them. Later ones have other responses,
/// unless the columns have a likelihood.
pub(crate) struct SharedDevices<'x> {
    columns: Columns<'x>,
    opened: Option<OpenDevices<'x>>,
}

/// Devices, where they are and what is to be said of that.
pub(super) struct OpenDevices<'x> {
    pub(super) devices: Devices<'x>,
    pub(super) places: Placement,
    pub(super) notes: Vec<String>,
}

impl<'x> SharedDevices<'x> {
    /// Devices for searches of these columns, not open yet.
    pub(crate) fn of(columns: Columns<'x>) -> Self {
        let opened = None;
        Self { columns, opened }
    }

    /// The devices with the columns and the response of a problem, opened at these places unless they were before.
    pub(super) fn open(
        &mut self,
        problem: &SearchProblem,
        (choice, mut places): (&DeviceChoice, Placement),
        resources: &Resources,
        threads: usize,
    ) -> Result<&mut OpenDevices<'x>, DeviceError> {
        // Those that fail are not used again.
        let opened = match self.opened.take() {
            Some(mut opened) => {
                opened.devices.set_response(problem.y)?;
                opened
            }
            None => {
                let models = (problem.pass.particles, problem.pass.gain);
                let mut notes = Vec::new();
                let devices = places.open(choice, &mut notes, |places| {
                    Devices::new(places, self.columns, problem.y, models, resources, threads)
                })?;
                OpenDevices {
                    devices,
                    places,
                    notes,
                }
            }
        };
        Ok(self.opened.insert(opened))
    }

    /// Closes the devices, one of which has failed.
    pub(super) fn close(&mut self) {
        self.opened = None;
    }
}
