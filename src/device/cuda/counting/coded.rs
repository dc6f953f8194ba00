//! Values of a coded score on GPUs.

use super::{
    super::super::{
        DeviceError,
        counting::{Anchor, Pairs, Step, Tally, Value, Values},
    },
    none,
};
use crate::{binning::BinnedColumn, score::Coded};

/// Cards that share the columns, with the function in CUDA C.
pub(crate) struct CudaValues<'a>(std::marker::PhantomData<&'a ()>);

impl<'a> CudaValues<'a> {
    /// The columns on the cards of these ordinals.
    ///
    /// # Errors
    /// There is no way yet.
    pub(crate) fn new(
        _: &'a [BinnedColumn],
        _: Coded,
        _: &[usize],
        _: Option<u64>,
    ) -> Result<Self, DeviceError> {
        Err(none())
    }
}

impl Values for CudaValues<'_> {
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn values(&mut self, _: &Step, _: &Anchor, _: &[bool]) -> Result<Vec<Value>, DeviceError> {
        Err(none())
    }

    fn permutes(&self) -> bool {
        true
    }

    fn pairs(
        &mut self,
        _: &Anchor,
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
