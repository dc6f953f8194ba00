//! Steps of a GPU: an anchor swept, the best found.

use passel_kernels::score::Pick;

use super::{
    super::{super::DeviceError, gpu::arguments},
    score::Phase,
    shard::{AnchorSource, Shard},
};

impl Shard {
    /// Sweeps an anchor, finds the best and lets it be told in a slot.
    pub(super) fn step(
        &mut self,
        source: AnchorSource,
        chosen: bool,
        slot: usize,
    ) -> Result<(), DeviceError> {
        if self.lazy.is_some() {
            return self.lazy_step(source, chosen, slot);
        }
        self.step_all(source, chosen, slot)
    }

    /// The same, of all columns.
    pub(super) fn step_all(
        &mut self,
        source: AnchorSource,
        chosen: bool,
        slot: usize,
    ) -> Result<(), DeviceError> {
        let before = self.sweep_all(source)?;
        self.score_all(before, chosen, slot)
    }

    /// Sweeps an anchor, and what scores are to gather then.
    pub(super) fn sweep_all(&mut self, source: AnchorSource) -> Result<Phase, DeviceError> {
        let laid = self.lay(source, self.classes)?;
        self.swept(laid, self.walk.out(self.excluded.address()))?;
        let misses = laid.misses;
        Ok(Phase::Gather { misses })
    }

    /// Finds the best and lets it be told in a slot.
    pub(super) fn score(
        &mut self,
        before: Phase,
        chosen: bool,
        slot: usize,
    ) -> Result<(), DeviceError> {
        if self.lazy.is_some() {
            return self.lazy_score(before, chosen, slot);
        }
        self.score_all(before, chosen, slot)
    }

    /// The same, where all columns have gathered all steps.
    pub(super) fn score_all(
        &mut self,
        before: Phase,
        chosen: bool,
        slot: usize,
    ) -> Result<(), DeviceError> {
        if before == Phase::Forget {
            self.walk.restart(&self.gpu)?;
        }
        let known = self.lazy.as_ref().map(|it| it.steps as u32);
        self.walk
            .score(&self.means(), before, chosen, (slot, known))
    }

    /// A column that is no candidate any more.
    pub(super) fn take(&self, place: u32) -> Result<(), DeviceError> {
        let excluded = self.excluded.address();
        let given = arguments![excluded, place];
        self.gpu.launch(
            &passel_kernels::score::KERNEL,
            "exclude",
            (1, 1, 1),
            1,
            0,
            given,
        )
    }

    /// What was found, from the first slot on: all of so many, or fewer where lists were too
    /// short.
    pub(super) fn picks(&mut self, count: usize) -> Result<&[Pick], DeviceError> {
        self.gpu.wait("counting")?;
        let known = self.settled(count)?;
        Ok(&self.walk.picks.get()[..known])
    }
}
