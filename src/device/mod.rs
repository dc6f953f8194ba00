//! Where sweeps run. An anchor is what every column is swept against; a sweep
//! returns, for each anchor, the one column that fits it best.
//!
//! **The product screens, a fixed order decides.** How a product rounds may
//! depend on how it was split, so a sweep only screens: candidates within the
//! rounding error of the strongest are scored again by one dot product in a
//! fixed order, and of those still equal the lowest column wins. One thread or
//! many, cached columns or not: one answer.

mod cpu;
pub mod cuda;
mod error;
mod exact;
mod gram;
pub mod host;
mod neighbours;
mod pool;
mod resident;
mod window;

pub(crate) use cpu::Cpu;
pub use error::{Bytes, DeviceError};
pub(crate) use neighbours::Neighbours;
pub(crate) use pool::Pool;

/// The columns of the design matrix, n × p, column-major, each of unit norm.
#[derive(Debug, Clone, Copy)]
pub struct Columns<'x> {
    values: &'x [f64],
    n: usize,
}

impl<'x> Columns<'x> {
    /// Columns of n observations each.
    ///
    /// # Panics
    /// If `values` is no whole number of columns.
    pub fn new(values: &'x [f64], n: usize) -> Self {
        assert!(n > 0 && values.len().is_multiple_of(n));
        Self { values, n }
    }

    /// Observations.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Variables.
    pub fn p(&self) -> usize {
        self.values.len() / self.n
    }

    /// Column j, n values.
    #[inline(always)]
    pub fn column(&self, j: u32) -> &'x [f64] {
        &self.values[j as usize * self.n..][..self.n]
    }

    /// All values, column after column.
    pub fn values(&self) -> &'x [f64] {
        self.values
    }
}

/// Smallest part ‖x − X_A·u‖ of a unit column that a support may leave
/// unexplained: below it the column is collinear and never enters. (R's `lm`
/// uses the same 10⁻⁷.)
pub const PIVOT_TOLERANCE: f64 = 1e-7;

/// What a sweep is told of one model.
#[derive(Debug, Clone, Copy)]
pub struct Anchor<'a> {
    /// Columns of the model, in the order of entry: never candidates.
    pub support: &'a [u32],
    /// β̂, by position in the support.
    pub coefficients: &'a [f64],
    /// T = R⁻¹, packed by columns (see [`crate::least_squares`]).
    pub inverse: &'a [f64],
    /// r = y − X_A·β̂, n values.
    pub residual: &'a [f64],
}

/// What makes a candidate the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gain {
    /// arg max |xᵢᵀr|, the orthogonal greedy choice: the paper's.
    #[default]
    Correlation,
    /// arg max (xᵢᵀr)² / (‖xᵢ‖² − ‖Qᵀxᵢ‖²), the exact fall in RSS.
    Exact,
}
