//! One sweep: every pack of a GPU's columns counted against an anchor, each by the kernel that
//! `kernel_choice` names.

use passel_kernels::{short_entries::ShortEntriesArgs, tiny::KERNEL as TINY};

use super::{
    count_kernel::{PackLaunch, PackShape},
    form::Form,
    kernel_choice::{KernelChoice, WIDE, choose},
    layout::Pack,
    short_entries,
    sweep_buffers::{Sweep, SweepScratch},
    tiny,
};
use crate::device::DeviceError;

/// Bytes of columns up to which packs are counted on several streams.
const CONCURRENT: usize = 64 << 20;

/// Streams that packs are counted on.
const STREAMS: usize = 4;

/// Counts every pack.
pub(super) fn sweep_packs(sweep: &Sweep, scratch: &mut SweepScratch) -> Result<(), DeviceError> {
    let (gpu, anchor) = (sweep.gpu, &sweep.anchor);
    let packs = &sweep.packs.layout.packs;
    let n = sweep.packs.layout.n;
    let choice = |pack: &Pack| -> KernelChoice {
        if pack.misses || anchor.misses {
            return WIDE;
        }
        let mut shape = PackShape::of(pack, n, (anchor.levels, anchor.classes));
        shape.columns *= anchor.batch;
        choose(&shape, gpu.into())
    };
    scratch.short_entries = ShortEntriesArgs::default();
    if !anchor.skips_dense && packs.iter().any(|pack| choice(pack).1.is_of(&TINY)) {
        tiny::make_joint_planes(sweep, scratch)?;
    }
    // Small packs leave most of a GPU idle: several streams fill it.
    let bytes: usize = packs.iter().map(|pack| pack.bytes).sum();
    let concurrent = !sweep.packs.streams() && packs.len() > 1 && bytes <= CONCURRENT;
    if concurrent {
        gpu.fork()?;
    }
    let mut stream = 0;
    let counted = sweep.packs.sweep(gpu, |resident| {
        let (kernel, config) = choice(resident.pack);
        if concurrent {
            stream = (stream + 1) % STREAMS;
            gpu.use_stream(if config.in_order { 0 } else { stream });
        }
        if anchor.skips_dense && matches!(resident.pack.form, Form::Dense { .. }) {
            return Ok(());
        }
        kernel.launch(PackLaunch {
            sweep,
            resident: &resident,
            config,
            scratch,
        })
    });
    gpu.use_stream(0);
    let counted = counted.and_then(|()| short_entries::launch_waiting(sweep, scratch));
    let joined = if concurrent { gpu.join() } else { Ok(()) };
    counted.and(joined)
}
