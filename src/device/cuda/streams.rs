//! Side streams, for launches that need not wait for one another.

use super::{super::DeviceError, gpu::Gpu};

impl Gpu {
    /// Lets the side streams begin behind the work launched so far.
    pub(super) fn fork(&self) -> Result<(), DeviceError> {
        self.mark(&self.forked)?;
        for side in &self.sides {
            let waits = side.wait(&self.forked);
            waits.map_err(|error| self.failed("launching beside", error))?;
        }
        Ok(())
    }

    /// Selects the stream of later launches: 0 for the main stream, 1 to 3 for a side stream.
    pub(super) fn use_stream(&self, stream: usize) {
        self.current_stream.set(stream.min(self.sides.len()));
    }

    /// Lets later work on the main stream wait for the side streams, and selects it.
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
