//! Launches `rows`: columns that lie row by row, whose rows are compared with one another; and
//! the order of rows that it goes by.

use passel_kernels::rows::{KERNEL, RowsArgs, SHARED};

use super::{
    super::gpu::{Gpu, arguments},
    count_kernel::{CountKernel, GpuLimits, LaunchConfig, PackLaunch, PackShape},
    dense::CELL,
    form::{ColumnTraits, Form},
    sweep_buffers::AnchorBuffers,
};
use crate::device::DeviceError;

/// Most rows that are compared with one another.
const COMPARED: usize = 1024;

/// A comparison of two rows costs as much as so many cells of a table.
const COMPARISON: f64 = 0.25;

/// Columns of a block; threads of a block that counts, and of one that sorts rows.
const COLUMNS: usize = 128;
const THREADS: usize = 512;
const SORTING_THREADS: u32 = 1024;

pub(super) struct Rows;

impl CountKernel for Rows {
    fn cost(&self, column: &ColumnTraits, n: usize, _classes: usize) -> Option<(Form, f64)> {
        let suits = !column.misses && n <= COMPARED && column.levels <= 256;
        let compared = n * n / column.levels.max(1);
        suits.then_some((Form::Rows, compared as f64 * COMPARISON * CELL))
    }

    fn suits(&self, pack: &PackShape, _gpu: GpuLimits) -> Option<LaunchConfig> {
        (pack.form == Form::Rows).then(|| LaunchConfig::new(&KERNEL, THREADS, 0))
    }

    fn launch(&self, launch: PackLaunch) -> Result<(), DeviceError> {
        let (sweep, resident, config) = (launch.sweep, launch.resident, launch.config);
        let (gpu, anchor, pack) = (sweep.gpu, &sweep.anchor, resident.pack);
        let out = sweep.out.of(pack);
        let args = RowsArgs {
            codes: resident.address,
            stride: (pack.stride / 4) as i64,
            columns: pack.count as u32,
            places: sweep.packs.count() as u32,
            rows: sweep.packs.layout.n as u32,
            classes: anchor.classes as u32,
            order: anchor.order,
            terms: sweep.terms,
            xw: out.xw,
            xwy: out.xwy,
            occurring: out.occurring,
        };
        let grid = (pack.count.div_ceil(COLUMNS) as u32, anchor.batch as u32, 1);
        let threads = config.threads as u32;
        gpu.launch(&KERNEL, "rows", grid, threads, SHARED, arguments![args])
    }
}

/// Sorts `n` rows by their joint codes, for each anchor of a batch, where some pack asks for it.
pub(super) fn sort_rows(gpu: &Gpu, n: usize, anchor: &AnchorBuffers) -> Result<(), DeviceError> {
    if anchor.order == 0 {
        return Ok(());
    }
    let (joint, rows, classes) = (anchor.joint, n as u32, anchor.classes as u32);
    let args = arguments![joint, rows, classes, anchor.order];
    let function = anchor.sized("order_8", "order_16");
    let grid = (1, anchor.batch as u32, 1);
    gpu.launch(&KERNEL, function, grid, SORTING_THREADS, 0, args)
}
