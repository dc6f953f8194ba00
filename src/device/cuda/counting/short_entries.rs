//! Launches `short_entries`: columns of so few entries that a warp counts several at once.

use passel_kernels::{
    entries::EntriesArgs,
    short_entries::{KERNEL, ShortEntriesArgs},
};

use super::{
    super::gpu::arguments,
    count_kernel::{self, CountKernel, GpuLimits, LaunchConfig, OWN, PackLaunch, PackShape},
    entries::{SHORT, anchor_arguments, listed_cost},
    form::{ColumnTraits, Form, VECTOR},
    sweep_buffers::{Sweep, SweepScratch},
};
use crate::device::DeviceError;

/// Threads of a block, and how many entries each of its warps takes at a time.
const THREADS: usize = 512;
const ENTRIES: usize = 32;

/// Most bytes of joint codes that a block copies to shared memory.
const COPIED: usize = 48 << 10;

/// Fewest entries per resident thread from which copying pays.
const PAID: usize = 8;

pub(super) struct ShortEntries;

impl CountKernel for ShortEntries {
    fn cost(&self, column: &ColumnTraits, _n: usize, _classes: usize) -> Option<(Form, f64)> {
        let picoseconds = listed_cost(column)?;
        let each = column.entries.max(1).next_power_of_two().trailing_zeros();
        (column.entries <= SHORT).then_some((Form::Short { each }, picoseconds))
    }

    fn suits(&self, pack: &PackShape, _gpu: GpuLimits) -> Option<LaunchConfig> {
        matches!(pack.form, Form::Short { .. }).then(|| LaunchConfig::new(&KERNEL, THREADS, 0))
    }

    /// Short columns that lie on the GPU wait for [`launch_waiting`]: a launch for each kind of
    /// them would take longer than most of them do.
    fn launch(&self, launch: PackLaunch) -> Result<(), DeviceError> {
        let (sweep, resident, scratch) = (launch.sweep, launch.resident, launch.scratch);
        let Form::Short { each } = resident.pack.form else {
            return Ok(());
        };
        let (pack, kind) = (resident.pack, each as usize);
        let waits = scratch.short_entries.columns[kind] == 0 && !sweep.packs.streams();
        let mut own = ShortEntriesArgs::default();
        let args = if waits {
            &mut scratch.short_entries
        } else {
            &mut own
        };
        args.rows[kind] = resident.address;
        args.codes[kind] = resident.address + pack.codes_at as u64;
        args.columns[kind] = pack.count as u32;
        args.first[kind] = pack.first as u32;
        launch_all(sweep, own)
    }
}

/// Counts the packs that wait, in one launch.
pub(super) fn launch_waiting(sweep: &Sweep, scratch: &mut SweepScratch) -> Result<(), DeviceError> {
    launch_all(sweep, std::mem::take(&mut scratch.short_entries))
}

fn launch_all(sweep: &Sweep, args: ShortEntriesArgs) -> Result<(), DeviceError> {
    let (gpu, anchor) = (sweep.gpu, &sweep.anchor);
    let n = sweep.packs.layout.n;
    let places = |(kind, &columns): (u32, &u32)| (columns as usize) << kind;
    let places: usize = (0..).zip(&args.columns).map(places).sum();
    if places == 0 {
        return Ok(());
    }
    let copied = copied_bytes(sweep, places);
    let entries = EntriesArgs {
        places: sweep.packs.count() as u32,
        rows_all: n as i64,
        xw: sweep.out.xw,
        xwy: sweep.out.xwy,
        copied: u8::from(copied.is_some()),
        ..anchor_arguments(sweep)
    };
    let bytes = copied.unwrap_or(0);
    let most = gpu.processors as usize * GpuLimits::from(gpu).blocks_held(THREADS, bytes);
    let blocks = places.div_ceil(ENTRIES * THREADS / 32).clamp(1, most) as u32;
    let grid = (blocks, anchor.batch as u32, 1);
    let function = anchor.sized("short_entries_8", "short_entries_16");
    let (threads, bytes, args) = (THREADS as u32, bytes as u32, arguments![entries, args]);
    gpu.launch(&KERNEL, function, grid, threads, bytes, args)
}

/// Bytes of joint codes and their counts that every block copies to shared memory, where that pays.
fn copied_bytes(sweep: &Sweep, places: usize) -> Option<usize> {
    let (gpu, anchor) = (sweep.gpu, &sweep.anchor);
    let counts = anchor.levels + anchor.levels * anchor.classes;
    let bytes = sweep.packs.layout.n * anchor.bits as usize / 8 + VECTOR + 4 * counts;
    let pays = places >= PAID * count_kernel::THREADS * gpu.processors as usize;
    (pays && bytes <= COPIED.min(gpu.shared as usize - OWN)).then_some(bytes)
}
