//! Columns side by side on a GPU, and the two buffers that those which do not fit pass through.

use cudarc::driver::CudaEvent;

use super::{
    super::DeviceError,
    genotypes::LaidGenotypes,
    gpu::Gpu,
    memory::{Buffer, PinnedInPlace},
};

/// Some columns side by side on the GPU.
pub(super) struct Block {
    /// The first, as a column of the design.
    pub(super) first: u32,
    pub(super) count: usize,
    /// Their numbers; 0 of genotypes that were not asked for as numbers.
    pub(super) address: u64,
    /// The same in f32, where they lie there.
    pub(super) narrow: Option<u64>,
    pub(super) genotypes: Option<LaidGenotypes>,
}

/// The two buffers that columns are streamed through.
pub(super) struct StreamBuffers<'x> {
    pub(super) buffers: [Buffer<u64>; 2],
    pub(super) columns: usize,
    pub(super) copied: [CudaEvent; 2],
    pub(super) used: [CudaEvent; 2],
    _pinned: Vec<PinnedInPlace<'x>>,
}

impl<'x> StreamBuffers<'x> {
    /// Of so many columns each, of so many words of 64 bits, whose memory of the host is pinned.
    pub(super) fn new(
        gpu: &Gpu,
        (columns, each): (usize, usize),
        pinned: Vec<PinnedInPlace<'x>>,
    ) -> Result<Self, DeviceError> {
        let buffer = || gpu.buffer(columns * each, "streaming the columns");
        Ok(Self {
            buffers: [buffer()?, buffer()?],
            columns,
            copied: [gpu.event()?, gpu.event()?],
            used: [gpu.event()?, gpu.event()?],
            _pinned: pinned,
        })
    }
}
