//! Launches `dense`: columns with a code for every row, counted in tables in shared memory.

use passel_kernels::dense::{self, DenseArgs, KERNEL, Variant};

use super::{
    super::gpu::arguments,
    count_kernel::{CountKernel, GpuLimits, LaunchConfig, PackLaunch, PackShape},
    form::{ColumnTraits, Form, VECTOR},
};
use crate::device::DeviceError;

/// Rows from which cells need 32 bits.
const HALF: usize = 1 << 16;

/// Fewest rows of a part of a column.
const PART: usize = 1 << 16;

/// Picoseconds of a count in a table, and of a cell that is cleared and summed.
const COUNT: f64 = 0.54;
pub(super) const CELL: f64 = 0.5;

pub(super) struct Dense;

/// Words of shared memory that a block has for each of its columns.
pub(super) fn words(cells: usize, config: LaunchConfig) -> usize {
    match config.cell_bytes {
        2 => cells.div_ceil(2).next_multiple_of(4),
        // Copies are added up by whole words.
        _ => cells.next_multiple_of(4) << config.copies,
    }
}

impl CountKernel for Dense {
    fn cost(&self, column: &ColumnTraits, n: usize, classes: usize) -> Option<(Form, f64)> {
        let cells = (column.levels * column.levels * classes) as f64;
        let bits = match column.levels + usize::from(column.misses) {
            ..=16 => 4,
            17..=256 => 8,
            _ => 16,
        };
        Some((Form::Dense { bits }, n as f64 * COUNT + cells * CELL))
    }

    fn suits(&self, pack: &PackShape, gpu: GpuLimits) -> Option<LaunchConfig> {
        if !matches!(pack.form, Form::Dense { .. }) {
            return None;
        }
        let (n, cells) = (pack.n, pack.cells());
        let filled = n.next_multiple_of(VECTOR);
        let halves_fit = filled < HALF && gpu.fits(2 * cells + VECTOR);
        if !pack.skewed && halves_fit {
            let threads = (filled / VECTOR).next_power_of_two().clamp(64, 256);
            return Some(LaunchConfig::new(&KERNEL, threads, 2));
        }
        let most_copies = |columns: usize, most: u32| {
            (0..=most).rev().find(|copies| {
                gpu.fits(columns * ((4 * cells) << copies) + VECTOR)
                    && (*copies == 0 || cells << copies <= n / 2)
            })
        };
        let (columns, copies) = match (most_copies(2, 4), most_copies(1, 5)) {
            (Some(copies @ 1..), _) if pack.columns > 1 => (2, copies),
            (_, Some(copies)) => (1, copies),
            (_, None) if halves_fit => return Some(LaunchConfig::new(&KERNEL, 256, 2)),
            (_, None) => return None,
        };
        let bytes = columns * ((4 * cells) << copies);
        let threads = match bytes {
            0x1_C001.. => 1024,
            0xE001.. => 512,
            _ => 256,
        };
        let wave = gpu.processors * gpu.blocks_held(threads, bytes);
        let groups = pack.columns.div_ceil(columns);
        let parts = (8 * wave).div_ceil(groups.max(1));
        let parts = parts.clamp(1, (n / PART).max(1));
        Some(LaunchConfig {
            parts,
            columns,
            copies,
            in_order: parts > 1,
            ..LaunchConfig::new(&KERNEL, threads, 4)
        })
    }

    fn launch(&self, launch: PackLaunch) -> Result<(), DeviceError> {
        let (sweep, resident, config) = (launch.sweep, launch.resident, launch.config);
        let (gpu, anchor, pack) = (sweep.gpu, &sweep.anchor, resident.pack);
        let n = sweep.packs.layout.n;
        let (parts, columns) = (config.parts, config.columns);
        let words = words(sweep.cells(pack), config);
        let tables = (anchor.batch * pack.count, words >> config.copies);
        let (partial, arrived) = launch.scratch.shared_tables(gpu, parts, tables)?;
        let out = sweep.out.of(pack);
        let args = DenseArgs {
            codes: resident.address,
            stride: pack.stride as i64,
            levels: sweep.packs.levels.at(pack.first),
            excluded: out.excluded,
            columns: pack.count as u32,
            places: sweep.packs.count() as u32,
            rows: n as i64,
            vectors: n.div_ceil(VECTOR) as i64,
            joint: anchor.joint,
            joint_stride: anchor.joint_stride as i64,
            anchors: anchor.anchors,
            classes: anchor.classes as u32,
            copies: config.copies as i32,
            parts: parts as u32,
            words: words as u32,
            partial,
            arrived,
            terms: sweep.terms,
            xw: out.xw,
            xwy: out.xwy,
            occurring: out.occurring,
            tables: out.tables,
            cells: out.cells as i64,
            ..DenseArgs::default()
        };
        let variant = match (config.cell_bytes, columns) {
            (2, _) => Variant::Half,
            (_, 2) => Variant::Two,
            _ => Variant::Full,
        };
        let Form::Dense { bits } = pack.form else {
            return Ok(());
        };
        let Some(function) = dense::function(bits, anchor.bits, variant) else {
            return Ok(());
        };
        let groups = pack.count.div_ceil(columns);
        let grid = ((groups * parts) as u32, anchor.batch as u32, 1);
        let (threads, shared) = (config.threads as u32, (4 * words * columns) as u32);
        gpu.launch(&KERNEL, function, grid, threads, shared, arguments![args])
    }
}
