//! Columns of few levels beside few joint codes, counted as bits.

use passel_kernels::tiny::{PlanesArgs, THREADS, TILE, TinyArgs, TinyShape};

use super::{
    super::{super::DeviceError, gpu::arguments},
    kernel_choice::{KernelChoice, TinyChoice},
    layout::VECTOR,
    packs::ResidentPack,
    sweep::{Sweep, SweepScratch},
};

/// Where the bits of joint codes are.
#[derive(Clone, Copy, Default)]
pub(super) struct Bits {
    planes: u64,
    totals: u64,
}

impl Sweep<'_> {
    /// Makes the bits of joint codes, where packs are counted so.
    pub(super) fn bits(&self, tables: &mut SweepScratch) -> Result<Bits, DeviceError> {
        let (gpu, laid) = (self.gpu, &self.laid);
        let tiny = |pack| matches!(self.how(pack), KernelChoice::Tiny(_));
        if laid.put_off || !self.packs.layout.packs.iter().any(tiny) {
            return Ok(Bits::default());
        }
        let n = self.packs.layout.n;
        let (wide, tiles) = (laid.levels * laid.classes, n.div_ceil(TILE));
        let each = laid.batch * wide;
        let bits = Bits {
            planes: tables.planes.room(gpu, 64 * each * tiles, "counting")?,
            totals: tables.totals.room(gpu, each, "counting")?,
        };
        gpu.zero(bits.totals, 4 * each)?;
        let given = PlanesArgs {
            joint: laid.joint,
            joint_stride: laid.joint_stride as i64,
            rows: n as i64,
            tiles: tiles as i64,
            wide: wide as u32,
            planes: bits.planes,
            totals: bits.totals,
        };
        let blocks = (tiles * wide).div_ceil(8).min(8 * gpu.processors as usize);
        let grid = (blocks as u32, laid.batch as u32, 1);
        gpu.launch(
            &passel_kernels::tiny::KERNEL,
            "planes",
            grid,
            256,
            0,
            arguments![given],
        )?;
        Ok(bits)
    }

    pub(super) fn tiny(
        &self,
        here: &ResidentPack,
        how: TinyChoice,
        bits: Bits,
        tables: &mut SweepScratch,
    ) -> Result<(), DeviceError> {
        let (gpu, laid, pack) = (self.gpu, &self.laid, here.pack);
        let n = self.packs.layout.n;
        let groups = pack.count.div_ceil(how.shape.columns);
        let all = (laid.batch * groups, how.shape.counts());
        let (partial, arrived) = tables.shared(gpu, how.parts, all)?;
        let (xw, xwy, taken) = self.out(here);
        let given = TinyArgs {
            codes: here.address,
            stride: pack.stride as i64,
            taken,
            columns: pack.count as u32,
            places: self.packs.count() as u32,
            vectors: n.div_ceil(VECTOR) as i64,
            tiles: n.div_ceil(TILE) as i64,
            planes: bits.planes,
            totals: bits.totals,
            anchors: laid.anchors,
            classes: laid.classes as u32,
            wide: (laid.levels * laid.classes) as u32,
            parts: how.parts as u32,
            partial,
            arrived,
            terms: self.terms,
            xw,
            xwy,
            occurring: self.occurring(here),
        };
        let grid = ((groups * how.parts) as u32, laid.batch as u32, 1);
        gpu.launch(
            &passel_kernels::tiny::KERNEL,
            how.shape.function,
            grid,
            THREADS,
            0,
            arguments![given],
        )
    }
}

impl TinyChoice {
    /// `count` columns of `n` rows and x levels beside so many joint codes, on a GPU of so many
    /// multiprocessors.
    pub(super) fn of(
        (count, x): (usize, usize),
        n: usize,
        wide: usize,
        processors: usize,
    ) -> Option<Self> {
        /// Rows, and codes of a pack, from which bits pay for being made.
        const ROWS: usize = 2 * TILE;
        const CODES: usize = 1 << 19;
        if n < ROWS || count * n < CODES {
            return None;
        }
        let shape = TinyShape::of(x, wide)?;
        // A warp walks over some tiles at least.
        let most = n.div_ceil(TILE) / 8;
        let parts = (16 * processors).div_ceil(count.div_ceil(shape.columns).max(1));
        Some(Self {
            shape,
            parts: parts.clamp(1, most.max(1)),
        })
    }
}
