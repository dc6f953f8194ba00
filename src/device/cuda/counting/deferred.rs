//! Scores that only fall: dense columns are counted against further anchors only while they
//! could still win. What `deferred` keeps on a GPU for that; `waves` has the steps.

use std::mem::offset_of;

use passel_kernels::{
    counting::{AnchorSums, WorkItem},
    deferred::{WaveControl, WorkList},
    dense::list_function,
    score::BestCandidate,
};

use super::{
    super::{gpu::Gpu, memory::Buffer},
    count_kernel::{CountKernel, GpuLimits, LaunchConfig, PackShape},
    dense::{self, Dense},
    form::{Form, VECTOR},
    packs::Packs,
    tiny,
};
use crate::device::DeviceError;

pub(super) const DURING: &str = "counting by bounds";

/// Threads of a block of `select` and `settle`.
pub(super) const THREADS: usize = 256;

/// Anchors there is room for at first.
const ANCHORS: usize = 64;

/// When dense columns are counted lazily, and how much a wave counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LazyOptions {
    /// Fewest counts of a step of all dense columns: below, launches cost more than counting.
    min_counts: usize,
    /// Items of a list; else some for each of its columns.
    capacity: Option<usize>,
}

impl Default for LazyOptions {
    fn default() -> Self {
        Self {
            min_counts: 1 << 27,
            capacity: None,
        }
    }
}

#[cfg(test)]
impl LazyOptions {
    /// Lazily wherever that is possible, with lists of so many items.
    pub(crate) fn always(capacity: Option<usize>) -> Self {
        Self {
            min_counts: 0,
            capacity,
        }
    }
}

/// Items of a list for each of its columns, and at least.
const ITEMS: usize = 4;
const MIN_ITEMS: usize = 1 << 12;

/// The dense columns of a GPU, each of which has gathered some of the anchors kept.
pub(super) struct DeferredCounts {
    /// How many they are: the columns of the first places.
    pub(super) places: usize,
    pub(super) launches: Vec<ListLaunch>,
    /// The lists of codes of 4, 8 and 16 bits, as kernels read them.
    pub(super) lists: [WorkList; 3],
    /// Whether relevance bounds what follows: else the first step counts all columns.
    pub(super) bounded_by_relevance: bool,
    /// Joint codes of the anchors kept, of so many bits, every so many bytes; room for so many.
    pub(super) bits: u32,
    pub(super) stride: usize,
    pub(super) room: usize,
    pub(super) joint: Buffer<u8>,
    pub(super) anchors: Buffer<AnchorSums>,
    /// Anchors that all columns have gathered, and anchors so far.
    pub(super) base: usize,
    pub(super) steps: usize,
    /// Whether picks of the last steps become anchors.
    pub(super) chosen: bool,
    /// Of each place: anchors gathered behind `base`, its first item at hand, and how many it has.
    pub(super) done: Buffer<u32>,
    pub(super) start: Buffer<u32>,
    pub(super) many: Buffer<u32>,
    /// Of each item: what is counted, and its sums.
    pub(super) items: Buffer<WorkItem>,
    pub(super) xw: Buffer<i64>,
    pub(super) xwy: Buffer<i64>,
    /// Two of each block.
    pub(super) found: Buffer<BestCandidate>,
    control: Buffer<WaveControl>,
}

/// How the columns of one list are counted.
pub(super) struct ListLaunch {
    /// Of the list.
    pub(super) number: usize,
    pub(super) function: &'static str,
    pub(super) blocks: usize,
    pub(super) words: usize,
    pub(super) config: LaunchConfig,
}

impl DeferredCounts {
    /// Room for the dense columns of these packs, against anchors of up to so many levels and
    /// classes; none where lists, or tables of some columns, have none.
    pub(super) fn new(
        gpu: &Gpu,
        packs: &Packs,
        against: (usize, usize),
        bounded_by_relevance: bool,
        options: LazyOptions,
    ) -> Result<Option<Self>, DeviceError> {
        let (limits, n) = (GpuLimits::from(gpu), packs.layout.n);
        let codes = against.0 * against.1;
        let bits = if codes <= 1 << 8 { 8 } else { 16 };
        let mut launches = Vec::new();
        let mut lists = [WorkList::default(); 3];
        let (mut places, mut items) = (0, 0);
        for (number, wide) in [4, 8, 16].into_iter().enumerate() {
            let form = Form::Dense { bits: wide };
            let mut shape = PackShape {
                form,
                skewed: false,
                // Every item is of one block.
                columns: 1,
                x: 1,
                n,
                w: codes,
                classes: 1,
            };
            let mut count = 0;
            for pack in packs.layout.packs.iter().filter(|pack| pack.form == form) {
                count += pack.count;
                shape.x = shape.x.max(pack.levels);
                shape.skewed |= pack.skewed;
            }
            let capacity = options.capacity.unwrap_or((ITEMS * count).max(MIN_ITEMS));
            let capacity = capacity.max(1);
            lists[number] = WorkList {
                first: places as u32,
                offset: items as u32,
                capacity: capacity as u32,
            };
            if count == 0 {
                continue;
            }
            let Some(config) = Dense.suits(&shape, limits) else {
                return Ok(None);
            };
            let Some(function) = list_function(wide, bits, config.cell_bytes == 2) else {
                return Ok(None);
            };
            let words = dense::words(shape.cells(), config);
            launches.push(ListLaunch {
                number,
                function,
                blocks: limits.processors * limits.blocks_held(config.threads, 4 * words),
                words,
                config,
            });
            (places, items) = (places + count, items + capacity);
        }
        let buffer = |len| gpu.buffer::<u32>(len, DURING);
        let stride = n.next_multiple_of(VECTOR) * bits as usize / 8;
        let blocks = packs.count().div_ceil(THREADS);
        if !has_room(gpu, stride * ANCHORS + 24 * items + 12 * places)? {
            return Ok(None);
        }
        let deferred = Self {
            places,
            launches,
            lists,
            bounded_by_relevance,
            bits,
            stride,
            room: ANCHORS,
            joint: gpu.buffer(stride * ANCHORS, DURING)?,
            anchors: gpu.buffer(ANCHORS, DURING)?,
            base: 0,
            steps: 0,
            chosen: false,
            done: buffer(places)?,
            start: buffer(places)?,
            many: buffer(places)?,
            items: gpu.buffer(items, DURING)?,
            xw: gpu.buffer(items, DURING)?,
            xwy: gpu.buffer(items, DURING)?,
            found: gpu.buffer(2 * blocks, DURING)?,
            control: gpu.buffer(1, DURING)?,
        };
        gpu.zero(deferred.many.address(), 4 * places)?;
        gpu.zero(deferred.control.address(), size_of::<WaveControl>())?;
        deferred.forget_done(gpu)?;
        Ok(Some(deferred))
    }

    /// Every column has gathered the anchors up to `base`, and no more.
    fn forget_done(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.zero(self.done.address(), 4 * self.places)
    }

    /// Every column that may ever be chosen has gathered all anchors, and so many more.
    pub(super) fn set_all_gathered(&mut self, gpu: &Gpu, more: usize) -> Result<(), DeviceError> {
        self.steps += more;
        self.base = self.steps;
        self.forget_done(gpu)
    }

    /// No anchor was gathered yet.
    pub(super) fn restart(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        self.steps = 0;
        let stalled = self.control(offset_of!(WaveControl, stalled));
        gpu.zero(stalled, size_of::<u32>())?;
        self.set_all_gathered(gpu, 0)
    }

    /// The address of a member of `WaveControl`, by its offset.
    pub(super) fn control(&self, offset: usize) -> u64 {
        self.control.address() + offset as u64
    }

    pub(super) fn kept(&self) -> usize {
        self.steps - self.base
    }

    /// Makes room for so many anchors and keeps those that are there; whether there was memory.
    pub(super) fn grow(&mut self, gpu: &Gpu, room: usize) -> Result<bool, DeviceError> {
        if !has_room(gpu, self.stride * room)? {
            return Ok(false);
        }
        let joint = gpu.buffer(self.stride * room, DURING);
        let buffers = joint.and_then(|joint| Ok((joint, gpu.buffer(room, DURING)?)));
        let (joint, anchors) = match buffers {
            Err(DeviceError::OutOfMemory { .. }) => return Ok(false),
            buffers => buffers?,
        };
        let kept = self.kept();
        gpu.copy(self.joint.address(), joint.address(), self.stride * kept)?;
        let bytes = size_of::<AnchorSums>() * kept;
        gpu.copy(self.anchors.address(), anchors.address(), bytes)?;
        // The memory given back waits for the copies.
        (self.joint, self.anchors, self.room) = (joint, anchors, room);
        Ok(true)
    }
}

/// Whether lazy counting pays, against anchors of up to so many levels and classes.
pub(super) fn pays(
    gpu: &Gpu,
    packs: &Packs,
    against: (usize, usize),
    options: LazyOptions,
) -> bool {
    let (limits, n) = (GpuLimits::from(gpu), packs.layout.n);
    let counts = packs.layout.packs.iter().map(|pack| {
        let (counts, shape) = (pack.count * n, PackShape::of(pack, n, against));
        match pack.form {
            Form::Dense { .. } if tiny::config(&shape, limits).is_some() => counts / tiny::SPEEDUP,
            Form::Dense { .. } => counts,
            _ => 0,
        }
    });
    counts.sum::<usize>() >= options.min_counts.max(1)
}

/// Whether so many bytes may be allocated: what else is on the GPU may have to grow too.
fn has_room(gpu: &Gpu, bytes: usize) -> Result<bool, DeviceError> {
    Ok(bytes as u64 <= gpu.free()? / 4)
}
