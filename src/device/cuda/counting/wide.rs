//! Any column beside any anchor, counted in the GPU's memory.

use passel_kernels::wide::WideArgs;

use super::{
    super::{super::DeviceError, gpu::arguments},
    packs::ResidentPack,
    sweep::{Sweep, SweepScratch},
};

impl Sweep<'_> {
    pub(super) fn whole(
        &self,
        here: &ResidentPack,
        tables: &mut SweepScratch,
    ) -> Result<(), DeviceError> {
        const DURING: &str = "counting in the GPU's memory";
        let (gpu, laid, pack) = (self.gpu, &self.laid, here.pack);
        let n = self.packs.layout.n;
        let missing = self.packs.misses.is_some() && (pack.misses || laid.misses);
        let (x, w, y) = (pack.levels as u64, laid.levels as u64, laid.y_levels as u64);
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
        let blocks = (free / (stride + 2 * n as u64) / laid.batch as u64).clamp(1, most.max(1));
        let all = blocks as usize * laid.batch;
        let scratch = tables.scratch.room(gpu, all * stride as usize)?;
        let spreads = tables.spreads.room(gpu, all * n, DURING)?;
        let whole = self.out.whole + (72 * pack.first) as u64;
        let given = WideArgs {
            spreads,
            scratch,
            scratch_stride: stride as i64,
            slots,
            direct,
            room,
            whole: if missing { whole } else { 0 },
            ..self.wide(here)
        };
        let grid = (blocks as u32, laid.batch as u32, 1);
        gpu.launch(
            &passel_kernels::wide::KERNEL,
            "wide",
            grid,
            512,
            0,
            arguments![given],
        )
    }

    /// What the kernel is told of a pack and of what it is counted beside.
    pub(super) fn wide(&self, here: &ResidentPack) -> WideArgs {
        let (packs, laid, pack) = (self.packs, &self.laid, here.pack);
        let (xw, xwy, taken) = self.out(here);
        WideArgs {
            places: here.places,
            left_out: packs.left_out.at(pack.first),
            levels: packs.levels.at(pack.first),
            taken,
            columns: pack.count as u32,
            rows: packs.layout.n as i64,
            w: laid.w,
            y: laid.y,
            w_levels: laid.levels as u32,
            y_levels: laid.y_levels as u32,
            w_stride: laid.w_stride as i64,
            y_stride: laid.y_stride as i64,
            all_places: packs.count() as u32,
            terms: self.terms,
            xw,
            xwy,
            tables: self.out.tables,
            cells: self.out.cells as i64,
            ..WideArgs::default()
        }
    }
}
