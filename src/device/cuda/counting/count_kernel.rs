//! What every launcher of a counting kernel says: which packs it suits, what it costs, and how it
//! is launched.

use passel_kernels::Kernel;

use super::{
    super::gpu::Gpu,
    form::{ColumnTraits, Form},
    layout::Pack,
    packs::ResidentPack,
    sweep_buffers::{Sweep, SweepScratch},
};
use crate::device::DeviceError;

/// Threads that a multiprocessor holds.
pub(super) const THREADS: usize = 2048;

/// Bytes of shared memory that kernels declare themselves, and that the driver takes of a block.
pub(super) const OWN: usize = 2048;

/// A kernel that counts packs of columns: `kernels/STEM.cu` on the GPU, `kernels/STEM.rs` its
/// reference, `STEM.rs` here its launcher.
pub(super) trait CountKernel: Sync {
    /// The form in which the kernel reads a column of `n` observations, and the picoseconds of
    /// counting it against an anchor of its own levels and so many classes, on the GPU that the
    /// rule was measured on; none where it cannot read it, or has no form of its own.
    fn cost(&self, _column: &ColumnTraits, _n: usize, _classes: usize) -> Option<(Form, f64)> {
        None
    }

    /// How a pack is launched; none where its form, its tables or their number are for others.
    fn suits(&self, pack: &PackShape, gpu: GpuLimits) -> Option<LaunchConfig>;

    /// Puts the counting of a pack on the GPU's stream.
    fn launch(&self, launch: PackLaunch) -> Result<(), DeviceError>;
}

/// A pack, what it is counted against, and how.
pub(super) struct PackLaunch<'l> {
    pub(super) sweep: &'l Sweep<'l>,
    pub(super) resident: &'l ResidentPack<'l>,
    pub(super) config: LaunchConfig,
    pub(super) scratch: &'l mut SweepScratch,
}

/// What the choice of a kernel depends on: a pack and what it is counted against.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackShape {
    pub(super) form: Form,
    /// Whether half of the rows or more have one code.
    pub(super) skewed: bool,
    /// Columns, times the anchors of a batch.
    pub(super) columns: usize,
    /// Most levels of any column.
    pub(super) x: usize,
    pub(super) n: usize,
    /// Levels of the anchor, and classes of the response.
    pub(super) w: usize,
    pub(super) classes: usize,
}

impl PackShape {
    pub(super) fn of(pack: &Pack, n: usize, (w, classes): (usize, usize)) -> Self {
        Self {
            form: pack.form,
            skewed: pack.skewed,
            columns: pack.count,
            x: pack.levels,
            n,
            w,
            classes,
        }
    }

    /// Joint codes of the anchor and the response.
    pub(super) fn joint(&self) -> usize {
        self.w.saturating_mul(self.classes)
    }

    /// Cells of a column's contingency table.
    pub(super) fn cells(&self) -> usize {
        self.joint().saturating_mul(self.x)
    }

    /// Whether joint codes have 16 bits at most and a table may be in shared memory.
    pub(super) fn is_small(&self) -> bool {
        self.joint() <= 1 << 16 && self.cells() <= 1 << 24
    }
}

/// What a GPU offers to a launch.
#[derive(Debug, Clone, Copy)]
pub(super) struct GpuLimits {
    /// Bytes of shared memory that a block may have.
    pub(super) shared: usize,
    pub(super) processors: usize,
}

impl From<&Gpu> for GpuLimits {
    fn from(gpu: &Gpu) -> Self {
        Self {
            shared: gpu.shared as usize,
            processors: gpu.processors as usize,
        }
    }
}

impl GpuLimits {
    /// Whether a block may have so many bytes besides what kernels declare themselves.
    pub(super) fn fits(&self, bytes: usize) -> bool {
        bytes <= self.shared - OWN
    }

    /// Blocks of so many threads and bytes of shared memory that a multiprocessor holds.
    pub(super) fn blocks_held(&self, threads: usize, bytes: usize) -> usize {
        ((self.shared + 1024) / (bytes + OWN))
            .min(THREADS / threads)
            .max(1)
    }
}

/// How a kernel is launched for one pack.
#[derive(Clone, Copy)]
pub(super) struct LaunchConfig {
    pub(super) stem: &'static str,
    pub(super) threads: usize,
    /// Blocks that share a group of columns.
    pub(super) parts: usize,
    /// Columns of a group, which a block counts together.
    pub(super) columns: usize,
    /// log₂ of the copies of a table that a block has.
    pub(super) copies: u32,
    pub(super) cell_bytes: usize,
    /// Whether it works in memory that the next launch of its kind finds zeroed: such launches
    /// follow one another on one stream.
    pub(super) in_order: bool,
}

impl LaunchConfig {
    /// One block a column, one table each.
    pub(super) const fn new(kernel: &Kernel, threads: usize, cell_bytes: usize) -> Self {
        Self {
            stem: kernel.name,
            threads,
            parts: 1,
            columns: 1,
            copies: 0,
            cell_bytes,
            in_order: false,
        }
    }

    pub(super) fn is_of(&self, kernel: &Kernel) -> bool {
        self.stem == kernel.name
    }
}
