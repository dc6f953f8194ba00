//! Copies of columns whose values are elsewhere.

use std::sync::{Arc, OnceLock};

/// Slots are allocated for this many columns at a time, when the first of them is fetched: they lie far apart.
const BLOCK: usize = 1 << 6;

/// A fetched column: the values that came with it, and where among these its own begin.
type FetchedColumn = (Arc<Vec<f64>>, usize);

/// Copies of columns, as numbers or as they were sent, which are kept for good: those that models ever hold are few beside
/// those they never do.
#[derive(Debug, Default)]
pub(super) struct FetchedColumns<T = FetchedColumn> {
    blocks: Vec<OnceLock<Box<[OnceLock<T>]>>>,
}

impl FetchedColumns {
    /// The n values of a column, if they are here.
    pub(super) fn get(&self, j: u32, n: usize) -> Option<&[f64]> {
        let (values, first) = self.copy(j)?;
        Some(&values[*first..][..n])
    }
}

impl<T> FetchedColumns<T> {
    /// None of p columns.
    pub(super) fn new(p: usize) -> Self {
        let mut blocks = Vec::new();
        blocks.resize_with(p.div_ceil(BLOCK), OnceLock::new);
        Self { blocks }
    }

    /// The copy of a column, if it is here.
    pub(super) fn copy(&self, j: u32) -> Option<&T> {
        let block = self.blocks[j as usize / BLOCK].get()?;
        block[j as usize % BLOCK].get()
    }

    /// Keeps a column, unless it is here.
    pub(super) fn put(&self, j: u32, column: T) {
        let slots = || (0..BLOCK).map(|_| OnceLock::new()).collect();
        let block = self.blocks[j as usize / BLOCK].get_or_init(slots);
        block[j as usize % BLOCK].get_or_init(|| column);
    }
}
