//! Launches `wide`: any column beside any anchor, counted in the GPU's memory.

use passel_kernels::wide::{KERNEL, WideArgs};

use super::{
    super::gpu::arguments,
    count_kernel::{CountKernel, GpuLimits, LaunchConfig, PackLaunch, PackShape},
    packs::ResidentPack,
    sweep_buffers::Sweep,
};
use crate::device::DeviceError;

const DURING: &str = "counting in the GPU's memory";

pub(super) struct Wide;

impl Wide {
    /// Its launches share one scratch memory, which each leaves at zero.
    pub(super) const CONFIG: LaunchConfig = LaunchConfig {
        in_order: true,
        ..LaunchConfig::new(&KERNEL, 512, 0)
    };
}

impl CountKernel for Wide {
    fn suits(&self, _pack: &PackShape, _gpu: GpuLimits) -> Option<LaunchConfig> {
        Some(Self::CONFIG)
    }

    fn launch(&self, launch: PackLaunch) -> Result<(), DeviceError> {
        let (sweep, resident, scratch) = (launch.sweep, launch.resident, launch.scratch);
        let (gpu, anchor, pack) = (sweep.gpu, &sweep.anchor, resident.pack);
        let n = sweep.packs.layout.n;
        let [x, w, y] = [pack.levels, anchor.levels, anchor.y_levels].map(|levels| levels as u64);
        let cells = [x, w, y, x * w, x * y, w * y, x * w * y];
        let slots = (2 * n as u64).next_power_of_two();
        let direct = 4 * n as u64;
        let room = cells.map(|cells| match cells <= direct {
            true => (4 * cells).next_multiple_of(16),
            false => (12 * slots).max(4 * direct).next_multiple_of(16),
        });
        let stride: u64 = room.iter().sum();
        // A quarter of what is free, at least one block.
        let free = gpu.free()? / 4;
        let most = (2 * gpu.processors as u64).min(pack.count as u64);
        let blocks = (free / (stride + 2 * n as u64) / anchor.batch as u64).clamp(1, most.max(1));
        let all = blocks as usize * anchor.batch;
        let tables = scratch.wide_tables.room(gpu, all * stride as usize)?;
        let spreads = scratch.spreads.room(gpu, all * n, DURING)?;
        let misses = pack.misses || anchor.misses;
        let args = WideArgs {
            spreads,
            scratch: tables,
            scratch_stride: stride as i64,
            slots,
            direct,
            room,
            whole: if misses { sweep.out.of(pack).whole } else { 0 },
            ..arguments_of(sweep, resident)
        };
        let grid = (blocks as u32, anchor.batch as u32, 1);
        let threads = launch.config.threads as u32;
        gpu.launch(&KERNEL, "wide", grid, threads, 0, arguments![args])
    }
}

/// The arguments of the kernel for a pack, but for the memory that it counts in.
pub(super) fn arguments_of(sweep: &Sweep, resident: &ResidentPack) -> WideArgs {
    let (packs, anchor, pack) = (sweep.packs, &sweep.anchor, resident.pack);
    let out = sweep.out.of(pack);
    WideArgs {
        places: resident.places,
        left_out: packs.left_out.at(pack.first),
        levels: packs.levels.at(pack.first),
        excluded: out.excluded,
        columns: pack.count as u32,
        rows: packs.layout.n as i64,
        w: anchor.w,
        y: anchor.y,
        w_levels: anchor.levels as u32,
        y_levels: anchor.y_levels as u32,
        w_stride: anchor.w_stride as i64,
        y_stride: anchor.y_stride as i64,
        all_places: packs.count() as u32,
        terms: sweep.terms,
        xw: out.xw,
        xwy: out.xwy,
        tables: out.tables,
        cells: out.cells as i64,
        ..WideArgs::default()
    }
}
