//! What a sweep reads, writes and keeps: an anchor's buffers, the sums of every place, scratch
//! memory.

use passel_kernels::{counting::TableSums, short_entries::ShortEntriesArgs};

use super::{
    super::{gpu::Gpu, memory::Buffer, scratch::GrowableBuffer},
    layout::Pack,
    packs::Packs,
};
use crate::device::DeviceError;

/// An anchor, or a batch of them, as kernels read it: addresses on the GPU, 0 for null.
///
/// *Shapes*: joint codes, `w` and `y` have n codes of each of the batch, joint codes filled up to
/// whole [`VECTOR`](super::form::VECTOR)s; `order` has n rows of each.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AnchorBuffers {
    /// Anchors of the batch.
    pub(super) batch: usize,
    /// `kernels::counting::AnchorSums`, one each.
    pub(super) anchors: u64,
    /// Most levels an anchor may have.
    pub(super) levels: usize,
    /// Classes of the response that joint codes tell apart.
    pub(super) classes: usize,
    /// Joint codes of 8 or 16 bits, those of the next anchor `joint_stride` bytes further.
    pub(super) bits: u32,
    pub(super) joint: u64,
    pub(super) joint_stride: usize,
    /// The class that most rows have.
    pub(super) y_most: u32,
    /// u32: rows of each joint code, and of each level; equal for all of a batch.
    pub(super) by_joint: u64,
    pub(super) by_level: u64,
    /// u64: rows in the order of joint codes.
    pub(super) order: u64,
    /// Whether it misses values: then only `wide` counts.
    pub(super) misses: bool,
    /// u32: its levels and the response's, of every row; 0 where no pack needs them.
    pub(super) w: u64,
    pub(super) y: u64,
    pub(super) y_levels: usize,
    /// Codes from one anchor's to the next, and from one response's.
    pub(super) w_stride: usize,
    pub(super) y_stride: usize,
    /// Whether dense packs are counted lazily, not by this sweep.
    pub(super) skips_dense: bool,
}

impl AnchorBuffers {
    /// Its joint codes with the response.
    pub(super) fn joint_levels(&self) -> usize {
        self.levels * self.classes
    }

    /// The function, of these two, that reads joint codes of its bits.
    pub(super) fn sized(&self, eight: &'static str, sixteen: &'static str) -> &'static str {
        if self.bits == 8 { eight } else { sixteen }
    }
}

/// Where a sweep writes: addresses of values of each place of a batch, 0 for null.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SweepOutput {
    /// i64: sums over (x, w), and over (x, w, y).
    pub(super) xw: u64,
    pub(super) xwy: u64,
    /// [`TableSums`], where something misses values.
    pub(super) whole: u64,
    /// u32: levels of x that occur, beside an anchor of one level.
    pub(super) occurring: u64,
    /// u8: not 0 where the column is excluded; null where all are to be counted.
    pub(super) excluded: u64,
    /// u32: whole tables instead of sums, of a pack's columns from its first on, and the cells
    /// from one to the next.
    pub(super) tables: u64,
    pub(super) cells: usize,
}

impl SweepOutput {
    /// Where the values of a pack begin.
    pub(super) fn of(&self, pack: &Pack) -> Self {
        let from_first = |address: u64, bytes: usize| match address {
            0 => 0,
            address => address + (bytes * pack.first) as u64,
        };
        Self {
            xw: from_first(self.xw, size_of::<i64>()),
            xwy: from_first(self.xwy, size_of::<i64>()),
            whole: from_first(self.whole, size_of::<TableSums>()),
            occurring: from_first(self.occurring, size_of::<u32>()),
            excluded: from_first(self.excluded, size_of::<u8>()),
            ..*self
        }
    }
}

/// Memory that is 0 between two launches.
#[derive(Default)]
pub(super) struct ZeroedBuffer(Option<Buffer<u8>>);

impl ZeroedBuffer {
    /// Room for so many bytes; what was there is lost if it grows.
    pub(super) fn room(&mut self, gpu: &Gpu, bytes: usize) -> Result<u64, DeviceError> {
        if let Some(buffer) = self.0.as_ref().filter(|buffer| buffer.len() >= bytes) {
            return Ok(buffer.address());
        }
        self.0 = None;
        let buffer = gpu.buffer::<u8>(bytes + bytes / 4, "counting")?;
        gpu.zero(buffer.address(), buffer.len())?;
        let address = buffer.address();
        self.0 = Some(buffer);
        Ok(address)
    }
}

/// Bits of the joint codes at hand, and how many rows each code has: addresses.
#[derive(Clone, Copy, Default)]
pub(super) struct JointPlanes {
    pub(super) planes: u64,
    pub(super) totals: u64,
}

/// Memory that sweeps of one GPU use again, and what launchers keep during one.
#[derive(Default)]
pub(super) struct SweepScratch {
    partial: ZeroedBuffer,
    arrived: ZeroedBuffer,
    pub(super) wide_tables: ZeroedBuffer,
    pub(super) spreads: GrowableBuffer<u16>,
    pub(super) planes: GrowableBuffer<u32>,
    pub(super) totals: GrowableBuffer<u32>,
    pub(super) joint_planes: JointPlanes,
    /// Short columns that wait for one launch of all.
    pub(super) short_entries: ShortEntriesArgs,
}

impl SweepScratch {
    /// Where blocks that share columns add up so many tables of so many counts, and how many of
    /// them have; null where one block has each.
    pub(super) fn shared_tables(
        &mut self,
        gpu: &Gpu,
        parts: usize,
        (tables, counts): (usize, usize),
    ) -> Result<(u64, u64), DeviceError> {
        if parts == 1 {
            return Ok((0, 0));
        }
        let partial = self.partial.room(gpu, 4 * tables * counts)?;
        Ok((partial, self.arrived.room(gpu, 4 * tables)?))
    }
}

/// What a sweep reads and writes.
pub(super) struct Sweep<'s> {
    pub(super) gpu: &'s Gpu,
    pub(super) packs: &'s Packs,
    /// i64: c·L(c) of every count c.
    pub(super) terms: u64,
    pub(super) anchor: AnchorBuffers,
    pub(super) out: SweepOutput,
}

impl Sweep<'_> {
    /// Cells of the contingency table of a pack's columns.
    pub(super) fn cells(&self, pack: &Pack) -> usize {
        pack.levels * self.anchor.joint_levels()
    }
}
