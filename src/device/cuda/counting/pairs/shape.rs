//! Which kernel bounds the pairs of two groups.

use passel_kernels::{
    Kernel, pair_levels, pair_tables,
    pairs::{self, BitProducts},
};

use super::{
    super::super::{super::DeviceError, gpu::Gpu},
    plan::Plan,
    screen::Screen,
};

/// The fastest products of a GPU: from 10.0 on those of bits are made of others.
pub(super) fn fastest(gpu: &Gpu) -> Result<BitProducts, DeviceError> {
    let asked = gpu.context.compute_capability();
    let asked = asked.map_err(|error| gpu.failed("asking what it is", error))?;
    Ok(match asked {
        (..8, _) => BitProducts::Words,
        (9, 0) => BitProducts::Groups,
        (8 | 9, _) => BitProducts::Bits,
        _ => BitProducts::Bytes,
    })
}

/// The kernel that makes tables so.
fn kernel(products: BitProducts, way: Way) -> Kernel {
    match (products, way) {
        (BitProducts::Groups, Way::Whole) => pairs::GROUPS,
        (BitProducts::Bits, Way::Whole) => pairs::KERNEL,
        (BitProducts::Bytes, Way::Whole) => pairs::BYTES,
        (BitProducts::Words, Way::Whole) => pairs::WORDS,
        (BitProducts::Groups, Way::Levels) => pair_levels::GROUPS,
        (BitProducts::Bits, Way::Levels) => pair_levels::KERNEL,
        (BitProducts::Bytes, Way::Levels) => pair_levels::BYTES,
        (BitProducts::Words, Way::Levels) => pair_levels::WORDS,
        (_, Way::Cells) => pair_tables::KERNEL,
    }
}

/// Products of two columns' rows of bits from which on a table is faster, of which each
/// observation counts one cell: as measured on an H200.
pub(super) const CROSSING: usize = 43 * 43;

/// How tables are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Of bits, a thread a whole table.
    Whole,
    /// Of bits, through shared memory.
    Levels,
    /// Of codes, in shared memory.
    Cells,
}

/// How it is launched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) kernel: Kernel,
    pub(super) function: &'static str,
    pub(super) threads: u32,
    /// Bytes of dynamic shared memory.
    pub(super) shared: u32,
    pub(super) way: Way,
}

impl Shape {
    /// Of two groups, by these products; whether the GPU is one of 8.0 or later.
    pub(super) fn of(
        (plan, screen): (&Plan, &Screen),
        (a, b): (usize, usize),
        (products, ahead): (BitProducts, bool),
    ) -> Self {
        let planes = [a, b].map(|it| plan.groups[it].planes);
        let (classes, long) = (screen.classes(), plan.n >= 1 << 16);
        let whole = planes[0] == planes[1] && planes[0] <= 2 && classes <= 2 && !long;
        let way = match planes[0] * planes[1] {
            CROSSING.. => Way::Cells,
            _ if whole => Way::Whole,
            _ => Way::Levels,
        };
        let (function, threads, shared) = match way {
            Way::Cells => {
                let shared = pair_tables::shared(planes.map(|it| it + 1), classes);
                ("pair_tables", pair_tables::threads(shared), shared)
            }
            Way::Whole => {
                let name = match (planes[0], classes) {
                    (1, 1) => "pairs_2_1",
                    (1, _) => "pairs_2_2",
                    (_, 1) => "pairs_3_1",
                    _ => "pairs_3_2",
                };
                let shared = pairs::shared(planes[0] + 1, classes, products, ahead);
                (name, products.threads(), shared)
            }
            Way::Levels => {
                let name = if long {
                    "pair_levels_32"
                } else {
                    "pair_levels_16"
                };
                let shared = pair_levels::shared(planes, classes, long, (products, ahead));
                (name, products.threads(), shared)
            }
        };
        Self {
            kernel: kernel(products, way),
            function,
            threads,
            shared: u32::try_from(shared).unwrap_or(u32::MAX),
            way,
        }
    }

    /// The kernels of these.
    pub(super) fn kernels(all: &[Self]) -> Vec<Kernel> {
        let ways = [Way::Whole, Way::Levels, Way::Cells];
        let shapes = ways
            .iter()
            .filter_map(|way| all.iter().find(|shape| shape.way == *way));
        shapes.map(|shape| shape.kernel).collect()
    }
}
