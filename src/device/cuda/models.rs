//! The swarm's models on a GPU: residuals, factors and supports, updated in place by the
//! kernel `update`.

use std::collections::HashSet;

use passel_kernels::{gather, least_squares::ModelsArgs, update};

use super::{
    super::{DeviceError, ModelUpdate, UpdateOutcome},
    columns::GpuColumns,
    gpu::{GRID, Gpu, arguments},
    memory::Buffer,
    per_variable::{HOLDING, PerVariable, triangle},
    scratch::StagingBuffer,
};
use crate::least_squares::Fit;

/// Threads of a block that works on one model: as gain.cu and strongest.cu have it.
pub(super) const THREADS: u32 = 512;

/// The kernel of an update of columns, or of terms, and its threads, for models of n observations: few have
/// less to wait for, many more to read at a time.
fn kernel(n: usize, of_terms: bool) -> (&'static str, u32) {
    match (n, of_terms) {
        (0..2048, false) => ("update_256", 256),
        (0..2048, true) => ("update_terms_256", 256),
        (_, false) => ("update_512", 512),
        (_, true) => ("update_terms_512", 512),
    }
}

/// Variables a model has room for at first.
const FEWEST: usize = 32;

/// Bytes of inverses and coefficients that come to the host at a time.
const FACTORS: usize = 64 << 20;

/// All models, and what of them the host has to know.
pub(super) struct Models {
    n: usize,
    y: Buffer<f64>,
    pub(super) residual: Buffer<f64>,
    rest: Buffer<f64>,
    per_variable: PerVariable,
    sizes: Buffer<i32>,
    rss: Buffer<f64>,
    keep: Buffer<u32>,
    kept: usize,
    /// The kept terms, ascending.
    pub(super) kept_terms: Vec<u32>,
    /// Of each model, in the order of entry.
    pub(super) supports: Vec<Vec<u32>>,
    /// Of designs with terms of several columns: the terms of each model, in the order of entry.
    pub(super) terms: Vec<Vec<u32>>,
    pub(super) residuals: Vec<f64>,
    pub(super) orders: StagingBuffer<u64>,
    answers: StagingBuffer<u64>,
}

/// The number that an order's answer tells, if any.
pub(super) fn number(answer: u64) -> Option<u32> {
    let told = u32::try_from(answer).ok();
    told.filter(|number| *number != u32::MAX)
}

impl Models {
    /// Room for `count` models of y, of k variables at first.
    pub(super) fn new(gpu: &Gpu, y: &[f64], k: usize, count: usize) -> Result<Self, DeviceError> {
        let n = y.len();
        let capacity = (k + 1).next_power_of_two().max(FEWEST);
        let models = Self {
            n,
            y: gpu.buffer(n, HOLDING)?,
            residual: gpu.buffer(count * n, HOLDING)?,
            rest: gpu.buffer(count * n, HOLDING)?,
            per_variable: PerVariable::new(gpu, count, capacity)?,
            sizes: gpu.buffer(count, HOLDING)?,
            rss: gpu.buffer(count, HOLDING)?,
            keep: gpu.buffer(capacity, HOLDING)?,
            kept: 0,
            kept_terms: Vec::new(),
            supports: vec![Vec::new(); count],
            terms: vec![Vec::new(); count],
            residuals: vec![0.0; count],
            orders: StagingBuffer::default(),
            answers: StagingBuffer::default(),
        };
        models.set_response(gpu, y)?;
        Ok(models)
    }

    /// See [`super::super::Device::set_response`].
    pub(super) fn set_response(&self, gpu: &Gpu, y: &[f64]) -> Result<(), DeviceError> {
        gpu.upload(y, self.y.address())
    }

    /// Makes every model like `model`, whose variables are the kept ones.
    pub(super) fn set(
        &mut self,
        gpu: &Gpu,
        columns: &mut GpuColumns,
        model: &Fit,
    ) -> Result<(), DeviceError> {
        let (kept, k) = (model.support(), model.support().len());
        let count = self.count();
        if k >= self.per_variable.capacity {
            let capacity = (k + 1).next_power_of_two();
            self.per_variable = PerVariable::new(gpu, count, capacity)?;
            self.keep = gpu.buffer(capacity, HOLDING)?;
        }
        columns.bring(gpu, kept.iter().copied(), HashSet::new)?;
        let addresses: Vec<u64> = kept
            .iter()
            .filter_map(|number| columns.address(*number))
            .collect();
        (self.kept, self.supports) = (k, vec![kept.to_vec(); count]);
        self.terms = vec![model.terms().to_vec(); count];
        self.kept_terms = model.members();
        self.residuals = vec![model.rss(); count];
        gpu.upload(kept, self.keep.address())?;
        gpu.upload(&vec![k as i32; count], self.sizes.address())?;
        gpu.upload(&self.residuals, self.rss.address())?;
        // One residual from the host, the others from it.
        gpu.upload(model.residual(), self.rest.address())?;
        let same = self.answers.room(gpu, count)?;
        same.fill(self.rest.address());
        let (from, n) = (self.answers.address(), self.n as i64);
        for at in (0..count).step_by(GRID) {
            let grid = (self.n.div_ceil(1024) as u32, GRID.min(count - at) as u32, 1);
            let (from, to) = (from + 8 * at as u64, self.residual.at(at * self.n));
            let given = arguments![from, n, to];
            gpu.launch(&gather::KERNEL, "gather", grid, 256, 0, given)?;
        }
        for at in (0..count).filter(|_| k > 0) {
            let [inverse, coefficients, support, to] = self.per_variable.of(at);
            gpu.upload(model.inverse(), inverse)?;
            gpu.upload(model.coefficients(), coefficients)?;
            gpu.upload(kept, support)?;
            gpu.upload(&addresses, to)?;
        }
        gpu.wait(HOLDING)
    }

    /// See [`super::super::Device::set_supports`].
    pub(super) fn place(
        &mut self,
        gpu: &Gpu,
        columns: &mut GpuColumns,
        models: &[(usize, &[u32])],
    ) -> Result<(), DeviceError> {
        let largest = models.iter().map(|(_, support)| support.len()).max();
        while largest.unwrap_or(0) >= self.per_variable.capacity {
            self.grow(gpu)?;
        }
        for (model, support) in models {
            self.supports[*model] = support.to_vec();
        }
        let supports = &self.supports;
        let asked = models.iter().flat_map(|(_, support)| *support).copied();
        columns.bring(gpu, asked, || supports.iter().flatten().copied().collect())?;
        for &(model, support) in models {
            let addresses = support.iter().filter_map(|number| columns.address(*number));
            let addresses: Vec<u64> = addresses.collect();
            let [_, _, held, to] = self.per_variable.of(model);
            gpu.upload(support, held)?;
            gpu.upload(&addresses, to)?;
        }
        let sizes: Vec<i32> = supports
            .iter()
            .map(|support| support.len() as i32)
            .collect();
        gpu.upload(&sizes, self.sizes.address())?;
        gpu.wait(HOLDING)
    }

    /// What the kernels are given.
    pub(super) fn held(&self) -> ModelsArgs {
        let all = &self.per_variable;
        ModelsArgs {
            n: self.n as i64,
            capacity: all.capacity as i32,
            y: self.y.address(),
            residual: self.residual.address(),
            rest: self.rest.address(),
            inverse: all.inverse.address(),
            coefficients: all.coefficients.address(),
            support: all.support.address(),
            addresses: all.addresses.address(),
            sizes: self.sizes.address(),
            rss: self.rss.address(),
            keep: self.keep.address(),
            kept: self.kept as i32,
            spare: all.spare.as_ref().map_or(0, Buffer::address),
        }
    }

    /// Where the addresses of a model's columns lie.
    pub(super) fn addresses(&self, model: usize) -> u64 {
        let [.., addresses] = self.per_variable.of(model);
        addresses
    }

    /// The supports' columns, `capacity` a model.
    pub(super) fn support(&self) -> (u64, i32) {
        let all = &self.per_variable;
        (all.support.address(), all.capacity as i32)
    }

    /// Bytes of shared memory for a block that works on a model.
    pub(super) fn shared(&self) -> u32 {
        match self.per_variable.spare {
            Some(_) => 0,
            None => (3 * 8 * self.per_variable.capacity) as u32,
        }
    }

    /// Models there are: as many blocks have room to work.
    pub(super) fn count(&self) -> usize {
        self.supports.len()
    }

    pub(super) fn size(&self, model: usize) -> usize {
        self.supports[model].len()
    }

    pub(super) fn rss_of(&self, model: usize) -> f64 {
        self.residuals[model]
    }

    /// See [`super::super::Device::update_models`].
    pub(super) fn update(
        &mut self,
        gpu: &Gpu,
        columns: &mut GpuColumns,
        updates: &[(usize, ModelUpdate)],
    ) -> Result<Vec<UpdateOutcome>, DeviceError> {
        if updates.is_empty() {
            return Ok(Vec::new());
        }
        let added = updates.iter().filter_map(|(_, update)| match update {
            ModelUpdate::Add(column) => Some(*column),
            _ => None,
        });
        let largest = updates.iter().map(|(model, _)| self.size(*model)).max();
        self.make_room(gpu, columns, added, largest.unwrap_or(0) + 1)?;
        let count = updates.len();
        let orders = self.orders.room(gpu, 4 * count)?;
        for (order, &(model, update)) in orders.chunks_mut(4).zip(updates) {
            let (kind, variable) = match update {
                ModelUpdate::Add(column) => (update::ADD, column),
                ModelUpdate::Drop(column) => (update::DROP, column),
                ModelUpdate::DropCheapest => (update::DROP_CHEAPEST, 0),
                ModelUpdate::Refactor => (update::REFACTOR, 0),
            };
            let address = columns.address(variable).unwrap_or(0);
            order.copy_from_slice(&[model as u64, kind, variable.into(), address]);
        }
        self.launch(gpu, (count, count), false)?;
        let answers = self.answers.get(2 * count);
        let mut all = Vec::with_capacity(count);
        for (answer, &(model, update)) in answers.chunks(2).zip(updates) {
            let done = number(answer[1]);
            let rss = f64::from_bits(answer[0]);
            let support = &mut self.supports[model];
            match (update, done) {
                (ModelUpdate::Add(_), Some(variable)) => support.push(variable),
                (ModelUpdate::Drop(_) | ModelUpdate::DropCheapest, Some(variable)) => {
                    support.retain(|member| *member != variable);
                }
                (ModelUpdate::Refactor, _) => support.sort_unstable(),
                _ => {}
            }
            self.residuals[model] = rss;
            all.push(UpdateOutcome {
                variable: done,
                parameters: support.len(),
                rss,
                square: rss,
            });
        }
        Ok(all)
    }

    /// Brings columns that models are about to take in, and makes room for models of so many.
    pub(super) fn make_room(
        &mut self,
        gpu: &Gpu,
        columns: &mut GpuColumns,
        added: impl Iterator<Item = u32>,
        largest: usize,
    ) -> Result<(), DeviceError> {
        let supports = &self.supports;
        let used = || supports.iter().flatten().copied().collect();
        columns.bring(gpu, added, used)?;
        while largest > self.per_variable.capacity {
            self.grow(gpu)?;
        }
        Ok(())
    }

    /// Carries out the orders of so many models, and waits for the answers, two words an order.
    pub(super) fn launch(
        &mut self,
        gpu: &Gpu,
        (models, orders): (usize, usize),
        of_terms: bool,
    ) -> Result<&[u64], DeviceError> {
        // Read and written where they lie, in the host's memory: two copies less to wait for.
        self.answers.room(gpu, 2 * orders)?;
        let (orders_at, answers_at) = (self.orders.address(), self.answers.address());
        let (held, shared) = (self.held(), self.shared());
        let (function, threads) = kernel(self.n, of_terms);
        let (grid, given) = (
            (models as u32, 1, 1),
            arguments![held, orders_at, answers_at],
        );
        gpu.launch(&update::KERNEL, function, grid, threads, shared, given)?;
        gpu.wait(function)?;
        Ok(self.answers.get(2 * orders))
    }

    /// The columns of a model, as they are on the GPU.
    pub(super) fn download_support(
        &self,
        gpu: &Gpu,
        model: usize,
        count: usize,
    ) -> Result<Vec<u32>, DeviceError> {
        let mut support = vec![0; count];
        let [_, _, held, _] = self.per_variable.of(model);
        gpu.download(held, &mut support)?;
        gpu.wait(HOLDING)?;
        Ok(support)
    }

    /// The inverse T and the coefficients of some models.
    pub(super) fn download_factors(
        &mut self,
        gpu: &Gpu,
        models: &[usize],
    ) -> Result<Vec<[Vec<f64>; 2]>, DeviceError> {
        let largest = models.iter().map(|model| self.size(*model)).max();
        let k = largest.unwrap_or(0).max(1);
        let most = (FACTORS / (8 * (triangle(k) + k))).clamp(1, GRID);
        let mut all = Vec::with_capacity(models.len());
        for models in models.chunks(most) {
            let m = models.len();
            let addresses = self.orders.room(gpu, 2 * m)?;
            for (at, model) in models.iter().enumerate() {
                let [inverse, coefficients, ..] = self.per_variable.of(*model);
                (addresses[at], addresses[m + at]) = (inverse, coefficients);
            }
            self.answers.room(gpu, m * (triangle(k) + k))?;
            // Of each model as many numbers as the largest has.
            let (from, to) = (self.orders.address(), self.answers.address());
            for (from, each, to) in [
                (from, triangle(k), to),
                (from + 8 * m as u64, k, to + 8 * (m * triangle(k)) as u64),
            ] {
                let (grid, n) = ((each.div_ceil(1024) as u32, m as u32, 1), each as i64);
                let given = arguments![from, n, to];
                gpu.launch(&gather::KERNEL, "gather", grid, 256, 0, given)?;
            }
            gpu.wait(HOLDING)?;
            let told = self.answers.get(m * (triangle(k) + k));
            let (inverses, coefficients) = told.split_at(m * triangle(k));
            let parts = inverses.chunks(triangle(k)).zip(coefficients.chunks(k));
            let numbers = |bits: &[u64]| bits.iter().map(|bits| f64::from_bits(*bits)).collect();
            all.extend(parts.zip(models).map(|((inverse, coefficients), model)| {
                let own = self.size(*model);
                [
                    numbers(&inverse[..triangle(own)]),
                    numbers(&coefficients[..own]),
                ]
            }));
        }
        Ok(all)
    }

    /// Doubles the room for variables.
    fn grow(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let before = &self.per_variable;
        let grown = PerVariable::new(gpu, self.count(), 2 * before.capacity)?;
        for (model, support) in self.supports.iter().enumerate() {
            let k = support.len();
            let bytes = [8 * triangle(k), 8 * k, 4 * k, 8 * k];
            for ((from, to), bytes) in before.of(model).into_iter().zip(grown.of(model)).zip(bytes)
            {
                if bytes > 0 {
                    gpu.copy(from, to, bytes)?;
                }
            }
        }
        gpu.wait("making room for larger models")?;
        self.per_variable = grown;
        Ok(())
    }
}
