//! What the host knows of the columns.

use std::ops::Range;

use super::{
    super::{super::DeviceError, gpu::Gpu},
    made::Made,
    packs::Packs,
};
use crate::binning::BinnedColumn;

/// Columns that lie in the host's memory, or that GPUs make.
#[derive(Clone, Copy)]
pub(crate) enum Columns<'a> {
    Here(&'a [BinnedColumn]),
    Made(&'a Made),
}

impl<'a> From<&'a [BinnedColumn]> for Columns<'a> {
    fn from(columns: &'a [BinnedColumn]) -> Self {
        Self::Here(columns)
    }
}

impl<'a> From<&'a Made> for Columns<'a> {
    fn from(made: &'a Made) -> Self {
        Self::Made(made)
    }
}

impl Columns<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Here(columns) => columns.len(),
            Self::Made(made) => made.p,
        }
    }

    pub(super) fn levels(&self, column: u32) -> usize {
        match self {
            Self::Here(columns) => columns[column as usize].levels,
            Self::Made(made) => made.levels(),
        }
    }

    /// Most levels of any.
    pub(super) fn most_levels(&self) -> usize {
        match self {
            Self::Here(columns) => columns.iter().map(|it| it.levels).max().unwrap_or(1),
            Self::Made(made) => made.levels(),
        }
    }

    /// Whether a column misses values.
    pub(super) fn misses(&self, column: u32) -> bool {
        match self {
            Self::Here(columns) => columns[column as usize].excluded_code().is_some(),
            Self::Made(_) => false,
        }
    }

    /// Whether any does.
    pub(super) fn any_misses(&self) -> bool {
        match self {
            Self::Here(columns) => columns.iter().any(|it| it.excluded_code().is_some()),
            Self::Made(_) => false,
        }
    }

    /// Levels of a column that occur.
    pub(super) fn occurring(&self, column: u32) -> usize {
        match self {
            Self::Here(columns) => {
                let of = &columns[column as usize];
                of.codes.occurring(of.levels)
            }
            Self::Made(made) => made.occurring(column),
        }
    }

    /// Lays some of them out on a GPU, in at most so many bytes, for n observations and
    /// responses of so many classes.
    pub(super) fn packs(
        &self,
        gpu: &mut Gpu,
        own: Range<usize>,
        shape: (usize, usize),
        room: usize,
    ) -> Result<Packs, DeviceError> {
        match self {
            Self::Here(columns) => {
                let first = own.start;
                Packs::new(gpu, &columns[own], first, shape, self.any_misses(), room)
            }
            Self::Made(made) => {
                gpu.load(&[passel_kernels::made::KERNEL])?;
                Packs::made(gpu, made, own, shape)
            }
        }
    }
}
