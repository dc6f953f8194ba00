//! Counting on GPUs.

mod coded;

pub(crate) use coded::CudaValues;

use super::super::{
    DeviceError,
    counting::{Anchor, Best, Counter, Logs, Pairs, Step, Tally},
};
use crate::binning::BinnedColumn;

/// Cards that share the columns.
pub(crate) struct CudaCounter<'a>(std::marker::PhantomData<&'a ()>);

impl<'a> CudaCounter<'a> {
    /// The columns on the cards of these ordinals, for this response.
    ///
    /// # Errors
    /// There is no way yet.
    pub(crate) fn new(
        _: &'a [BinnedColumn],
        _: &Anchor,
        _: (&'a Logs, &'a Tally),
        _: &[usize],
        _: Option<u64>,
    ) -> Result<Self, DeviceError> {
        Err(none())
    }
}

fn none() -> DeviceError {
    DeviceError::Failed {
        device: "cuda".to_owned(),
        during: "counting".to_owned(),
        reason: "there is no way yet".to_owned(),
    }
}

impl Counter for CudaCounter<'_> {
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn sweep(&mut self, step: &Step) -> Result<(), DeviceError> {
        let _ = step.column;
        Err(none())
    }

    fn forget(&mut self) {}

    fn best(&mut self) -> Result<Option<Best>, DeviceError> {
        Err(none())
    }

    fn take(&mut self, _: u32) {}

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        Err(none())
    }

    fn pairs(
        &mut self,
        _: &[BinnedColumn],
        _: &Tally,
        _: &Pairs,
        _: Option<&mut [f64]>,
        _: &(dyn Fn() -> bool + Sync),
        _: &(dyn Fn() + Sync),
    ) -> Result<Pairs, DeviceError> {
        Err(none())
    }
}
