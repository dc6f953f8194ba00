//! The variables of all ranks, and what shows which are equal.

use std::{collections::HashMap, ops::Range};

use super::Variable;

/// The range of variables of each rank, and hashes of the columns that may equal another rank's;
/// no hashes where one process holds all columns.
pub(super) struct Gathered {
    pub(super) ranges: Vec<Range<usize>>,
    pub(super) hashes: Option<HashMap<usize, u128>>,
}

impl Gathered {
    pub(super) fn alone(count: usize) -> Self {
        Self {
            ranges: std::iter::once(0..count).collect(),
            hashes: None,
        }
    }
}

/// The bits of mean and norm, in which equal columns agree.
pub(super) fn scale(variable: &Variable) -> [u64; 2] {
    [variable.mean.to_bits(), variable.norm.to_bits()]
}
