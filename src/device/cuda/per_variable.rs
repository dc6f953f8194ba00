//! What grows with the largest of the swarm's models on a GPU.

use super::{super::DeviceError, gpu::Gpu, memory::Buffer};

pub(super) const HOLDING: &str = "holding the models";

/// What grows with the largest model: arrays of `capacity` variables a model.
pub(super) struct PerVariable {
    pub(super) capacity: usize,
    pub(super) inverse: Buffer<f64>,
    pub(super) coefficients: Buffer<f64>,
    pub(super) support: Buffer<u32>,
    pub(super) addresses: Buffer<u64>,
    /// Where a block's vectors do not fit into shared memory.
    pub(super) spare: Option<Buffer<f64>>,
}

impl PerVariable {
    pub(super) fn new(gpu: &Gpu, count: usize, capacity: usize) -> Result<Self, DeviceError> {
        let spare = shared(capacity) > gpu.shared;
        let spare = spare.then(|| gpu.buffer(3 * capacity * count, HOLDING));
        Ok(Self {
            capacity,
            inverse: gpu.buffer(count * triangle(capacity), HOLDING)?,
            coefficients: gpu.buffer(count * capacity, HOLDING)?,
            support: gpu.buffer(count * capacity, HOLDING)?,
            addresses: gpu.buffer(count * capacity, HOLDING)?,
            spare: spare.transpose()?,
        })
    }

    /// Where a model's inverse, coefficients, support and addresses begin.
    pub(super) fn of(&self, model: usize) -> [u64; 4] {
        let at = model * self.capacity;
        [
            self.inverse.at(model * triangle(self.capacity)),
            self.coefficients.at(at),
            self.support.at(at),
            self.addresses.at(at),
        ]
    }
}

/// Numbers of a packed triangle.
pub(super) fn triangle(k: usize) -> usize {
    k * (k + 1) / 2
}

/// Bytes of a block's three vectors, with what the kernels have of their own.
fn shared(capacity: usize) -> u32 {
    u32::try_from(3 * 8 * capacity).map_or(u32::MAX, |bytes| bytes.saturating_add(2048))
}
