//! Memory that one verb needs and the next may have again.

use super::{
    super::DeviceError,
    gpu::Gpu,
    memory::{Buffer, Pinned},
    products::PRODUCTS,
};

/// Memory that sweeps use again.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) batch_told: StagingBuffer<u64>,
    pub(super) batch_on_gpu: GrowableBuffer<u64>,
    pub(super) which: GrowableBuffer<u32>,
    pub(super) batch: GrowableBuffer<f64>,
    pub(super) digits: GrowableBuffer<u64>,
    pub(super) narrow: GrowableBuffer<f32>,
    pub(super) e: GrowableBuffer<f64>,
    pub(super) squares: GrowableBuffer<f64>,
    pub(super) largest: GrowableBuffer<u64>,
    pub(super) near: GrowableBuffer<u64>,
    pub(super) found: GrowableBuffer<u64>,
    pub(super) answers: StagingBuffer<u64>,
    /// What comes to the host of products.
    pub(super) products: StagingBuffer<f64>,
    /// Entries that the lists of sweeps had to have room for.
    pub(super) rooms: (usize, usize),
    pub(super) neighbours_room: usize,
}

/// Memory on the GPU that grows with what is asked of it.
pub(super) struct GrowableBuffer<T> {
    buffer: Option<Buffer<T>>,
}

impl<T> Default for GrowableBuffer<T> {
    fn default() -> Self {
        Self { buffer: None }
    }
}

impl<T> GrowableBuffer<T> {
    /// The address of room for `len` values; what was there before may be lost.
    pub(super) fn room(&mut self, gpu: &Gpu, len: usize, during: &str) -> Result<u64, DeviceError> {
        if let Some(buffer) = self.buffer.as_ref().filter(|held| held.len() >= len.max(1)) {
            return Ok(buffer.address());
        }
        // The old one first: both may have no room. A quarter more than asked for, so that
        // slow growth asks seldom.
        self.buffer = None;
        let buffer = gpu
            .buffer(len + len / 4, during)
            .or_else(|_| gpu.buffer(len, during))?;
        let address = buffer.address();
        self.buffer = Some(buffer);
        Ok(address)
    }

    /// Room for `each` values of as many things as there is memory for, from `least` to `most`, and of how many.
    pub(super) fn as_many(
        &mut self,
        gpu: &Gpu,
        each: usize,
        (least, most): (usize, usize),
        during: &str,
    ) -> Result<(u64, usize), DeviceError> {
        let mut count = most.max(least);
        loop {
            match self.room(gpu, count * each, during) {
                Ok(address) => return Ok((address, count)),
                Err(DeviceError::OutOfMemory { .. }) if count > least => {
                    count = count.div_ceil(2).max(least);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl GrowableBuffer<f64> {
    /// Room for the products of up to `columns` columns, `unit` numbers each, at a time, and
    /// of how many: fewer where there is less memory, but at least those of the widest term.
    pub(super) fn products(
        &mut self,
        gpu: &Gpu,
        (columns, widest): (usize, usize),
        unit: usize,
        during: &str,
    ) -> Result<(u64, usize), DeviceError> {
        let most = PRODUCTS / (size_of::<f64>() * unit);
        self.as_many(gpu, unit, (widest, most.min(columns)), during)
    }
}

/// Memory of the host, pinned, that grows with what is asked of it.
pub(super) struct StagingBuffer<T> {
    pinned: Option<Pinned<T>>,
}

impl<T> Default for StagingBuffer<T> {
    fn default() -> Self {
        Self { pinned: None }
    }
}

impl<T: Copy + Default> StagingBuffer<T> {
    /// Where it lies, for the GPU too; while a kernel reads or writes there, nobody else
    /// may.
    pub(super) fn address(&self) -> u64 {
        self.pinned.as_ref().map_or(0, Pinned::address)
    }

    /// The first `len` values.
    pub(super) fn get(&self, len: usize) -> &[T] {
        self.pinned
            .as_ref()
            .map_or(&[], |pinned| &pinned.get()[..len])
    }

    /// The same, to be set.
    fn values(&mut self, len: usize) -> &mut [T] {
        let pinned = self.pinned.as_mut();
        pinned.map_or(&mut [], |pinned| &mut pinned.values()[..len])
    }

    /// Room for `len` values; what was there before may be lost.
    pub(super) fn room(&mut self, gpu: &Gpu, len: usize) -> Result<&mut [T], DeviceError> {
        if self
            .pinned
            .as_ref()
            .is_none_or(|pinned| pinned.get().len() < len)
        {
            self.pinned = Some(gpu.pinned(len + len / 4)?);
        }
        Ok(self.values(len))
    }
}
