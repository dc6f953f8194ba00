//! Launches of a GPU that need not wait for one another.

use super::{super::DeviceError, gpu::Gpu};

impl Gpu {
    /// Lets launches be put on lanes, which begin with what was put on the GPU before.
    pub(super) fn fork(&self) -> Result<(), DeviceError> {
        self.mark(&self.forked)?;
        for side in &self.sides {
            let waits = side.wait(&self.forked);
            waits.map_err(|error| self.failed("launching beside", error))?;
        }
        Ok(())
    }

    /// Where launches go from now on: 0 for the stream, the order of all other work, 1 to 3
    /// beside it.
    pub(super) fn use_stream(&self, lane: usize) {
        self.current_stream.set(lane.min(self.sides.len()));
    }

    /// Lets all further work wait for the lanes.
    pub(super) fn join(&self) -> Result<(), DeviceError> {
        self.current_stream.set(0);
        for (side, joined) in self.sides.iter().zip(&self.joined) {
            let marked = joined.record(side);
            marked.map_err(|error| self.failed("launching beside", error))?;
            self.after(joined)?;
        }
        Ok(())
    }
}
