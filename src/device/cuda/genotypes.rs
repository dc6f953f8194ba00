//! Genotypes at two bits on a GPU: as they lie in the host's memory, and as numbers where these are asked for.

use std::ops::Range;

use passel_kernels::genotypes::KERNEL;
use rayon::prelude::*;

use super::{
    super::DeviceError,
    gpu::{GRID, Gpu, arguments},
    memory::Buffer,
    scratch::StagingBuffer,
};
use crate::design::PackedPart;

/// Bytes of genotypes that are copied at a time.
const COPIED: usize = 64 << 20;

/// Bytes of genotypes as numbers that there is room for, at most.
const UNPACKED: usize = 512 << 20;

const DURING: &str = "laying out the genotypes";

/// The genotypes of a shard on its GPU.
pub(super) struct GpuGenotypes<'x> {
    pub(super) part: PackedPart<'x>,
    n: usize,
    /// How many of them, from the first on, are resident.
    pub(super) resident: usize,
    words: Buffer<u64>,
    /// Four numbers for each of all its columns: see [`PackedPart::by_code`].
    values: Buffer<f64>,
    roots: Option<Buffer<f64>>,
    /// The largest norm of a column without its weights.
    pub(super) largest_norm: f64,
    unpacked: Buffer<f64>,
}

/// The genotypes of neighbouring columns, where they lie on the GPU.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaidGenotypes {
    pub(super) words: u64,
    pub(super) values: u64,
}

/// Resident genotypes of a GPU that another one reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct PeerGenotypes {
    first: usize,
    count: usize,
    laid: LaidGenotypes,
    /// Bytes of a column.
    stride: usize,
}

impl PeerGenotypes {
    /// A column of the design, if it is among them.
    pub(super) fn column(&self, column: usize) -> Option<LaidGenotypes> {
        let at = column.checked_sub(self.first).filter(|at| *at < self.count);
        at.map(|at| self.laid.behind(at, self.stride))
    }
}

impl LaidGenotypes {
    /// Those behind so many columns of so many bytes.
    fn behind(self, columns: usize, stride: usize) -> Self {
        Self {
            words: self.words + (columns * stride) as u64,
            values: self.values + (4 * size_of::<f64>() * columns) as u64,
        }
    }
}

/// How many columns of n people are unpacked at a time, in at most so many bytes.
fn at_once(n: usize, count: usize, room: usize) -> usize {
    (UNPACKED.min(room) / (size_of::<f64>() * n)).clamp(1, count.max(1))
}

/// Bytes of what lies beside the words of the genotypes, where there are so many in all.
pub(super) fn bytes_beside(part: &PackedPart, n: usize, room: usize) -> usize {
    let numbers = at_once(n, part.count(), room / 8) * n + part.roots().len();
    size_of::<f64>() * (numbers + 4 * part.count()) + size_of_val(part.numbers())
}

impl<'x> GpuGenotypes<'x> {
    /// Lays so many columns out, and what all stand for.
    pub(super) fn new(
        gpu: &Gpu,
        part: PackedPart<'x>,
        n: usize,
        (resident, room): (usize, usize),
    ) -> Result<Self, DeviceError> {
        let stride = part.stride();
        let words = gpu.buffer(resident * stride, DURING)?;
        let each = (COPIED / (8 * stride)).clamp(1, resident.max(1));
        let blocks = (0..resident).step_by(each);
        let blocks = blocks.map(|start| start..(start + each).min(resident));
        gpu.upload_in_turn(
            blocks,
            each * stride,
            |columns| words.at(columns.start * stride),
            |columns: Range<usize>, staged: &mut [u64]| {
                let mut rest = &mut staged[..columns.len() * stride];
                let mut pairs = Vec::new();
                for run in part.words(columns.clone()) {
                    let (to, after) = rest.split_at_mut(run.len());
                    // Runs may be long: threads copy them in pieces.
                    pairs.extend(to.chunks_mut(1 << 17).zip(run.chunks(1 << 17)));
                    rest = after;
                }
                pairs
                    .into_par_iter()
                    .for_each(|(to, from)| to.copy_from_slice(from));
                Ok(columns.len() * stride)
            },
        )?;
        let by_code: Vec<[f64; 4]> = (0..part.count())
            .into_par_iter()
            .map(|column| part.by_code(column))
            .collect();
        let values = gpu.buffer(4 * part.count(), DURING)?;
        gpu.upload(by_code.as_flattened(), values.address())?;
        let roots = match part.roots() {
            [] => None,
            roots => {
                let on_gpu = gpu.buffer(roots.len(), DURING)?;
                gpu.upload(roots, on_gpu.address())?;
                Some(on_gpu)
            }
        };
        gpu.wait(DURING)?;
        Ok(Self {
            n,
            resident,
            words,
            values,
            roots,
            largest_norm: part.largest_norm(),
            unpacked: gpu.buffer(n * at_once(n, part.count(), room / 8), DURING)?,
            part,
        })
    }

    /// Columns that are unpacked at a time.
    pub(super) fn at_once(&self) -> usize {
        self.unpacked.len() / self.n
    }

    /// Where the square roots of weights lie; 0 where there are none.
    pub(super) fn roots(&self) -> u64 {
        self.roots.as_ref().map_or(0, Buffer::address)
    }

    /// Bytes of a column.
    fn stride(&self) -> usize {
        size_of::<u64>() * self.part.stride()
    }

    /// Words of 32 bits of a column.
    pub(super) fn words_each(&self) -> i64 {
        (self.stride() / 4) as i64
    }

    /// Resident columns from this one of the shard's genotypes on.
    pub(super) fn laid(&self, at: usize) -> LaidGenotypes {
        let first = LaidGenotypes {
            words: self.words.address(),
            values: self.values.address(),
        };
        first.behind(at, self.stride())
    }

    /// Columns from this one of the shard's genotypes on that have been copied elsewhere.
    pub(super) fn copied(&self, at: usize, words: u64) -> LaidGenotypes {
        let values = self.laid(at).values;
        LaidGenotypes { words, values }
    }

    /// What another GPU reads of these, of which the first is a column of the design.
    pub(super) fn of_peer(&self, first: usize) -> PeerGenotypes {
        PeerGenotypes {
            first,
            count: self.resident,
            laid: self.laid(0),
            stride: self.stride(),
        }
    }

    /// Makes numbers of neighbouring columns, at most as many [at a time](Self::at_once): where they lie until the next.
    pub(super) fn unpack(
        &self,
        gpu: &Gpu,
        columns: LaidGenotypes,
        count: usize,
    ) -> Result<u64, DeviceError> {
        let (words, each, values) = (columns.words, self.words_each(), columns.values);
        let (n, roots, list, to) = (self.n as i64, self.roots(), 0u64, self.unpacked.address());
        let grid = (self.n.div_ceil(1024) as u32, count as u32, 1);
        let given = arguments![words, each, values, n, roots, list, to];
        gpu.launch(&KERNEL, "unpack", grid, 256, 0, given)?;
        Ok(to)
    }

    /// Makes numbers of columns here and there: those of addresses of words, of values, and where the numbers go.
    pub(super) fn unpack_listed(
        &self,
        gpu: &Gpu,
        list: &[[u64; 3]],
        staged: &mut StagingBuffer<u64>,
    ) -> Result<(), DeviceError> {
        staged
            .room(gpu, 3 * list.len())?
            .copy_from_slice(list.as_flattened());
        let (none, n, roots) = (0u64, self.n as i64, self.roots());
        let each = self.words_each();
        for at in (0..list.len()).step_by(GRID) {
            let from = staged.address() + 24 * at as u64;
            let count = GRID.min(list.len() - at) as u32;
            let grid = (self.n.div_ceil(1024) as u32, count, 1);
            let given = arguments![none, each, none, n, roots, from, none];
            gpu.launch(&KERNEL, "unpack", grid, 256, 0, given)?;
        }
        Ok(())
    }
}
