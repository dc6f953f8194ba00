//! Which kernel bounds the pairs of two groups, and how it is launched.

use passel_kernels::{
    Kernel, pair_levels, pair_tables,
    pairs::{self, BitProducts},
};

use super::layout::{BitLayout, TABLE_CROSSING};
use crate::device::{DeviceError, cuda::gpu::Gpu};

/// The fastest products of bits that a GPU has. From compute capability 10.0 on products of bits are
/// emulated, those of bytes are not.
pub(super) fn fastest(gpu: &Gpu) -> Result<BitProducts, DeviceError> {
    let asked = gpu.context.compute_capability();
    let asked = asked.map_err(|error| gpu.failed("asking for its compute capability", error))?;
    Ok(match asked {
        (..8, _) => BitProducts::Words,
        (9, 0) => BitProducts::Groups,
        (8 | 9, _) => BitProducts::Bits,
        _ => BitProducts::Bytes,
    })
}

/// The kernels that make the tables of pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairKernel {
    /// [`pairs`]: products of bits, a whole table in a thread's registers.
    Pairs,
    /// [`pair_levels`]: products of bits, a table in shared memory.
    PairLevels,
    /// [`pair_tables`]: codes counted in shared memory.
    PairTables,
}

/// The launch of a kernel over tiles of two groups.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairLaunch {
    pub(super) kind: PairKernel,
    pub(super) kernel: Kernel,
    pub(super) function: &'static str,
    pub(super) threads: u32,
    /// Bytes of dynamic shared memory.
    pub(super) shared: u32,
}

impl PairLaunch {
    /// The launch for two groups, where tables tell so many classes apart, by products of one kind;
    /// `ahead` says that the GPU copies to shared memory asynchronously (8.0 and later do).
    pub(super) fn of(
        (layout, classes): (&BitLayout, usize),
        (a, b): (usize, usize),
        (products, ahead): (BitProducts, bool),
    ) -> Self {
        let planes = [a, b].map(|group| layout.groups[group].planes);
        let long = layout.n >= 1 << 16;
        let fits_registers = planes[0] == planes[1] && planes[0] <= 2 && classes <= 2 && !long;
        let kind = match planes[0] * planes[1] {
            TABLE_CROSSING.. => PairKernel::PairTables,
            _ if fits_registers => PairKernel::Pairs,
            _ => PairKernel::PairLevels,
        };
        let of_products = |[groups, bits, bytes, words]: [Kernel; 4]| match products {
            BitProducts::Groups => groups,
            BitProducts::Bits => bits,
            BitProducts::Bytes => bytes,
            BitProducts::Words => words,
        };
        let mut threads = products.threads();
        let (kernel, function, shared) = match kind {
            PairKernel::PairTables => {
                let shared = pair_tables::shared(planes.map(|planes| planes + 1), classes);
                threads = pair_tables::threads(shared);
                (pair_tables::KERNEL, "pair_tables", shared)
            }
            PairKernel::Pairs => {
                let name = match (planes[0], classes) {
                    (1, 1) => "pairs_2_1",
                    (1, _) => "pairs_2_2",
                    (_, 1) => "pairs_3_1",
                    _ => "pairs_3_2",
                };
                use pairs::{BYTES, GROUPS, KERNEL, WORDS};
                let shared = pairs::shared(planes[0] + 1, classes, products, ahead);
                (of_products([GROUPS, KERNEL, BYTES, WORDS]), name, shared)
            }
            PairKernel::PairLevels => {
                let name = ["pair_levels_16", "pair_levels_32"][usize::from(long)];
                use pair_levels::{BYTES, GROUPS, KERNEL, WORDS};
                let shared = pair_levels::shared(planes, classes, long, (products, ahead));
                (of_products([GROUPS, KERNEL, BYTES, WORDS]), name, shared)
            }
        };
        Self {
            kind,
            kernel,
            function,
            threads,
            shared: u32::try_from(shared).unwrap_or(u32::MAX),
        }
    }
}
