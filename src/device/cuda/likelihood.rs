//! Models of a GPU that have a likelihood: the host's threads fit them, and their scores lie on the GPU, to be swept.

use passel_kernels::gather;
use rayon::prelude::*;

use super::{
    super::{DeviceError, ModelUpdate, UpdateOutcome, fitted_models::FittedModels},
    gpu::{GRID, Gpu, arguments},
    memory::Buffer,
    per_variable::HOLDING,
    scratch::StagingBuffer,
};
use crate::least_squares::Fit;

/// Bytes of scores that go to the GPU at a time.
const STAGED: usize = 64 << 20;

pub(super) struct LikelihoodModels<'x> {
    pub(super) fits: FittedModels<'x>,
    n: usize,
    /// n a model.
    scores: Buffer<f64>,
    staged: StagingBuffer<f64>,
    pairs: StagingBuffer<u64>,
}

impl<'x> LikelihoodModels<'x> {
    /// Room for `count` models of n observations.
    pub(super) fn new(
        gpu: &Gpu,
        fits: FittedModels<'x>,
        n: usize,
        count: usize,
    ) -> Result<Self, DeviceError> {
        Ok(Self {
            fits,
            n,
            scores: gpu.buffer(count * n, HOLDING)?,
            staged: StagingBuffer::default(),
            pairs: StagingBuffer::default(),
        })
    }

    /// Where the scores lie.
    pub(super) fn scores(&self) -> u64 {
        self.scores.address()
    }

    /// See [`super::super::Device::init_models`].
    pub(super) fn init(&mut self, gpu: &Gpu, model: &Fit, count: usize) -> Result<(), DeviceError> {
        if count * self.n > self.scores.len() {
            self.scores = gpu.buffer(count * self.n, HOLDING)?;
        }
        self.fits.init(model, count)?;
        self.upload(gpu, &Vec::from_iter(0..count))
    }

    /// See [`super::super::Device::update_models`].
    pub(super) fn update(
        &mut self,
        gpu: &Gpu,
        updates: &[(usize, ModelUpdate)],
    ) -> Result<Vec<UpdateOutcome>, DeviceError> {
        let outcomes = self.fits.update(updates);
        let updated: Vec<usize> = updates.iter().map(|(model, _)| *model).collect();
        self.upload(gpu, &updated)?;
        Ok(outcomes)
    }

    /// Brings the scores of some models to the GPU.
    fn upload(&mut self, gpu: &Gpu, models: &[usize]) -> Result<(), DeviceError> {
        let n = self.n;
        for models in models.chunks((STAGED / (8 * n)).clamp(1, GRID)) {
            let staged = self.staged.room(gpu, models.len() * n)?;
            let fits = &self.fits;
            let each = staged.par_chunks_mut(n).zip(models);
            each.for_each(|(to, model)| to.copy_from_slice(fits.of(*model).residual()));
            let pairs = self.pairs.room(gpu, 2 * models.len())?;
            let from = self.staged.address();
            for (at, (pair, model)) in pairs.chunks_mut(2).zip(models).enumerate() {
                pair[0] = from + 8 * (at * n) as u64;
                pair[1] = self.scores.at(model * n);
            }
            let (pairs, observations) = (self.pairs.address(), n as i64);
            let grid = (n.div_ceil(1024) as u32, models.len() as u32, 1);
            let given = arguments![pairs, observations];
            gpu.launch(&gather::KERNEL, "fetch", grid, 256, 0, given)?;
            // What is staged must stay until it was read.
            gpu.wait(HOLDING)?;
        }
        Ok(())
    }
}
