//! Launches `tiny`: columns of few levels beside few joint codes, counted as bits.

use passel_kernels::tiny::{KERNEL, PlanesArgs, THREADS, TILE, TinyArgs, TinyShape};

use super::{
    super::gpu::arguments,
    count_kernel::{CountKernel, GpuLimits, LaunchConfig, PackLaunch, PackShape},
    form::{Form, VECTOR},
    sweep_buffers::{JointPlanes, Sweep, SweepScratch},
};
use crate::device::DeviceError;

/// Fewest rows, and codes of a pack, for which making the bits of joint codes pays.
const ROWS: usize = 2 * TILE;
const CODES: usize = 1 << 19;

/// A code counted as bits costs this part of one counted in a table.
pub(super) const SPEEDUP: usize = 8;

/// Fewest tiles that a warp walks over.
const TILES: usize = 8;

const DURING: &str = "counting";

pub(super) struct Tiny;

/// How columns are counted as bits, whatever bits their codes have.
pub(super) fn config(pack: &PackShape, gpu: GpuLimits) -> Option<LaunchConfig> {
    let (columns, n) = (pack.columns, pack.n);
    if n < ROWS || columns * n < CODES {
        return None;
    }
    let shape = TinyShape::of(pack.x, pack.joint())?;
    let most = n.div_ceil(TILE) / TILES;
    let parts = (16 * gpu.processors).div_ceil(columns.div_ceil(shape.columns).max(1));
    let parts = parts.clamp(1, most.max(1));
    Some(LaunchConfig {
        parts,
        columns: shape.columns,
        in_order: parts > 1,
        ..LaunchConfig::new(&KERNEL, THREADS as usize, 0)
    })
}

impl CountKernel for Tiny {
    fn suits(&self, pack: &PackShape, gpu: GpuLimits) -> Option<LaunchConfig> {
        let four_bits = pack.form == Form::Dense { bits: 4 };
        four_bits.then(|| config(pack, gpu))?
    }

    fn launch(&self, launch: PackLaunch) -> Result<(), DeviceError> {
        let (sweep, resident, scratch) = (launch.sweep, launch.resident, launch.scratch);
        let (gpu, anchor, pack) = (sweep.gpu, &sweep.anchor, resident.pack);
        let (n, joint) = (sweep.packs.layout.n, anchor.joint_levels());
        let Some(shape) = TinyShape::of(pack.levels, joint) else {
            return Ok(());
        };
        let (parts, groups) = (launch.config.parts, pack.count.div_ceil(shape.columns));
        let tables = (anchor.batch * groups, shape.counts());
        let (partial, arrived) = scratch.shared_tables(gpu, parts, tables)?;
        let out = sweep.out.of(pack);
        let args = TinyArgs {
            codes: resident.address,
            stride: pack.stride as i64,
            excluded: out.excluded,
            columns: pack.count as u32,
            places: sweep.packs.count() as u32,
            vectors: n.div_ceil(VECTOR) as i64,
            tiles: n.div_ceil(TILE) as i64,
            planes: scratch.joint_planes.planes,
            totals: scratch.joint_planes.totals,
            anchors: anchor.anchors,
            classes: anchor.classes as u32,
            wide: joint as u32,
            parts: parts as u32,
            partial,
            arrived,
            terms: sweep.terms,
            xw: out.xw,
            xwy: out.xwy,
            occurring: out.occurring,
        };
        let grid = ((groups * parts) as u32, anchor.batch as u32, 1);
        let args = arguments![args];
        gpu.launch(&KERNEL, shape.function, grid, THREADS, 0, args)
    }
}

/// Makes the bits of joint codes, before packs are counted with them.
pub(super) fn make_joint_planes(
    sweep: &Sweep,
    scratch: &mut SweepScratch,
) -> Result<(), DeviceError> {
    let (gpu, anchor, n) = (sweep.gpu, &sweep.anchor, sweep.packs.layout.n);
    let (wide, tiles) = (anchor.joint_levels(), n.div_ceil(TILE));
    let each = anchor.batch * wide;
    let joint_planes = JointPlanes {
        planes: scratch.planes.room(gpu, 64 * each * tiles, DURING)?,
        totals: scratch.totals.room(gpu, each, DURING)?,
    };
    scratch.joint_planes = joint_planes;
    gpu.zero(joint_planes.totals, 4 * each)?;
    let args = PlanesArgs {
        joint: anchor.joint,
        joint_stride: anchor.joint_stride as i64,
        rows: n as i64,
        tiles: tiles as i64,
        wide: wide as u32,
        planes: joint_planes.planes,
        totals: joint_planes.totals,
    };
    let blocks = (tiles * wide).div_ceil(8).min(8 * gpu.processors as usize);
    let grid = (blocks as u32, anchor.batch as u32, 1);
    gpu.launch(&KERNEL, "planes", grid, 256, 0, arguments![args])
}
