//! Launches `entries`: columns that list the rows off their most frequent code, one block or warp
//! a column, with a table in shared memory.

use passel_kernels::{
    counting::UNFILLED,
    entries::{EntriesArgs, KERNEL, reciprocal},
};

use super::{
    super::gpu::arguments,
    count_kernel::{CountKernel, GpuLimits, LaunchConfig, PackLaunch, PackShape},
    form::{ColumnTraits, Form, VECTOR},
    packs::ResidentPack,
    sweep_buffers::Sweep,
};
use crate::device::DeviceError;

/// Most entries of a short column.
pub(super) const SHORT: usize = 32;

/// Picoseconds of an entry.
const ENTRY: f64 = 5.2;

/// Most entries that a block passes over twice instead of clearing a table of wide cells, and
/// most that a block of few threads has.
const FEW: usize = 255;
const MANY: usize = 2048;

/// Cells from which a column of up to [`MANY`] entries is passed over twice.
const WALKED: usize = 1 << 11;

/// `kernels/entries.cu`: cells of 1 byte are `few`, of 2 `some`, of 4 `many`.
pub(super) struct Entries;

/// Picoseconds of a column's entries, where it may list them.
pub(super) fn listed_cost(column: &ColumnTraits) -> Option<f64> {
    // The last code of all marks places that are not filled.
    let may_list = !column.misses && column.levels <= usize::from(UNFILLED);
    may_list.then_some(column.entries as f64 * ENTRY)
}

/// Cells of narrow tables: those of a column, and of its most frequent code.
pub(super) fn narrow_cells(x: usize, w: usize, classes: usize) -> usize {
    let by_level = if classes > 2 { w } else { 0 };
    (1 + x) * (w * classes + by_level)
}

impl CountKernel for Entries {
    fn cost(&self, column: &ColumnTraits, _n: usize, _classes: usize) -> Option<(Form, f64)> {
        let picoseconds = listed_cost(column)?;
        let form = match column.entries {
            entries if entries <= SHORT => return None,
            entries if entries <= FEW => Form::Few,
            entries if entries <= MANY => Form::Many { threads: 128 },
            _ => Form::Many { threads: 1024 },
        };
        Some((form, picoseconds))
    }

    fn suits(&self, pack: &PackShape, gpu: GpuLimits) -> Option<LaunchConfig> {
        let narrow = narrow_cells(pack.x, pack.w, pack.classes);
        let cells = pack.cells();
        match pack.form {
            Form::Few if gpu.fits(narrow) => {
                let warps = gpu.processors * gpu.blocks_held(32, narrow).min(16);
                // A warp a column, where there are columns for all.
                let threads = if pack.columns >= 32 * warps { 32 } else { 64 };
                Some(LaunchConfig::new(&KERNEL, threads, 1))
            }
            Form::Few if gpu.fits(4 * cells) => Some(LaunchConfig::new(&KERNEL, 128, 4)),
            // Two passes over some entries are less than one over many cells.
            Form::Many { threads: 128 } if cells >= WALKED && gpu.fits(2 * narrow) => {
                Some(LaunchConfig::new(&KERNEL, 128, 2))
            }
            Form::Many { threads } if gpu.fits(4 * cells) => {
                // Few columns leave processors idle: more threads to each.
                let few = pack.columns < 8 * gpu.processors;
                let threads = threads.max(if few { 512 } else { 0 });
                Some(LaunchConfig::new(&KERNEL, threads as usize, 4))
            }
            _ => None,
        }
    }

    fn launch(&self, launch: PackLaunch) -> Result<(), DeviceError> {
        let (sweep, resident, config) = (launch.sweep, launch.resident, launch.config);
        let (gpu, anchor, pack) = (sweep.gpu, &sweep.anchor, resident.pack);
        let narrow = narrow_cells(pack.levels, anchor.levels, anchor.classes);
        let (eight, sixteen, bytes) = match config.cell_bytes {
            1 => ("few_8", "few_16", narrow.next_multiple_of(VECTOR)),
            2 => ("some_8", "some_16", (2 * narrow).next_multiple_of(VECTOR)),
            _ => ("many_8", "many_16", 4 * sweep.cells(pack)),
        };
        let function = anchor.sized(eight, sixteen);
        let held = GpuLimits::from(gpu).blocks_held(config.threads, bytes);
        let blocks = (gpu.processors as usize * held).min(pack.count) as u32;
        let grid = (blocks, anchor.batch as u32, 1);
        let (threads, bytes) = (config.threads as u32, bytes as u32);
        let (args, levels) = (arguments_of(sweep, resident), pack.levels as u32);
        let args: &mut [_] = match config.cell_bytes {
            1 | 2 => arguments![args, levels],
            _ => arguments![args],
        };
        gpu.launch(&KERNEL, function, grid, threads, bytes, args)
    }
}

/// The arguments of kernels of entries that depend on the anchor alone.
pub(super) fn anchor_arguments(sweep: &Sweep) -> EntriesArgs {
    let anchor = &sweep.anchor;
    EntriesArgs {
        joint: anchor.joint,
        joint_stride: anchor.joint_stride as i64,
        anchors: anchor.anchors,
        all: sweep.packs.places.address(),
        classes: anchor.classes as u32,
        reciprocal: reciprocal(anchor.classes as u32),
        y_most: anchor.y_most,
        by_joint: anchor.by_joint,
        by_level: anchor.by_level,
        terms: sweep.terms,
        ..EntriesArgs::default()
    }
}

/// The arguments of kernels of entries for a pack.
pub(super) fn arguments_of(sweep: &Sweep, resident: &ResidentPack) -> EntriesArgs {
    let (packs, pack) = (sweep.packs, resident.pack);
    let out = sweep.out.of(pack);
    EntriesArgs {
        rows: resident.address,
        codes: resident.address + pack.codes_at as u64,
        starts: match pack.form {
            Form::Few | Form::Many { .. } => resident.address + pack.starts_at as u64,
            _ => 0,
        },
        most: packs.most.at(pack.first),
        levels: packs.levels.at(pack.first),
        excluded: out.excluded,
        columns: pack.count as u32,
        places: packs.count() as u32,
        rows_all: packs.layout.n as i64,
        xw: out.xw,
        xwy: out.xwy,
        tables: out.tables,
        cells: out.cells as i64,
        ..anchor_arguments(sweep)
    }
}
