//! Squares xᵀWx of a GPU's columns under the weights of models.

use passel_kernels::squares;

use super::{
    super::DeviceError,
    blocks::Block,
    gpu::{Gpu, arguments},
    products::MatrixProduct,
    risk::RiskSquares,
    scratch::GrowableBuffer,
};

/// Room for the squares of some columns at a time, and what follows from them.
pub(super) struct Squares {
    n: usize,
    models: usize,
    /// Where the weights of the models lie.
    pub(super) weights: u64,
    entries: u64,
    /// Of each column the largest entry.
    pub(super) largest: u64,
    /// xᵀWx: columns × models.
    pub(super) products: u64,
    /// Of survival times what these are more than squares by second derivatives.
    pub(super) risk: Option<RiskSquares>,
}

impl Squares {
    /// For models with these weights; also how many columns at a time, at most so many.
    ///
    /// *Shapes:* `weights` n × models.
    pub(super) fn new(
        gpu: &Gpu,
        room: &mut GrowableBuffer<f64>,
        (weights, n): (&[f64], usize),
        most: usize,
        during: &str,
    ) -> Result<(Self, usize), DeviceError> {
        let models = weights.len() / n;
        // The weights lie before: as many columns more.
        let unit = n + 1 + models;
        let (address, columns) = room.products(gpu, (most + models, models + 1), unit, during)?;
        let most = columns - models;
        gpu.upload(weights, address)?;
        let entries = address + 8 * weights.len() as u64;
        let largest = entries + 8 * (most * n) as u64;
        let own = Self {
            n,
            models,
            weights: address,
            entries,
            largest,
            products: largest + 8 * most as u64,
            risk: None,
        };
        Ok((own, most))
    }

    /// Makes those of a block.
    pub(super) fn fill(&self, gpu: &Gpu, block: &Block) -> Result<(), DeviceError> {
        let (columns, n, to, largest) = (block.address, self.n as i64, self.entries, self.largest);
        let given = arguments![columns, n, to, largest];
        let grid = (block.count as u32, 1, 1);
        gpu.launch(&squares::KERNEL, "squares", grid, 256, 0, given)?;
        let (own, weights) = ((self.entries, block.count), (self.weights, self.models));
        gpu.product(MatrixProduct::of_columns(
            own,
            weights,
            self.n,
            self.products,
        ))?;
        match &self.risk {
            Some(risk) => risk.take_off(gpu, block, self.products),
            None => Ok(()),
        }
    }

    /// Those of a model, of a block of so many columns.
    pub(super) fn of(&self, model: usize, rows: usize) -> u64 {
        self.products + 8 * (model * rows) as u64
    }
}
