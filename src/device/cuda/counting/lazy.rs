//! Scores that only fall: dense columns are counted against further anchors only while they
//! could still win. What is kept on a GPU for that; `waves` has the steps.

use passel_kernels::{
    counting::{AnchorSums, WorkItem},
    deferred::{WaveControl, WorkList},
    dense::list_function,
    score::BestCandidate,
};

use super::{
    super::{super::DeviceError, gpu::Gpu, memory::Buffer},
    dense::{self, Dense},
    kernel_choice::{CountKernel, GpuLimits, PackShape},
    layout::{Form, VECTOR},
    packs::Packs,
};

const DURING: &str = "counting by bounds";

/// Threads of a block of `select` and `settle`.
pub(super) const THREADS: usize = 256;

/// Anchors there is room for at first.
const ANCHORS: usize = 64;

/// When columns are put off, and how much a wave counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LazyOptions {
    /// Fewest counts of a step of all dense columns: below, launches cost more than counting.
    pub(super) from: usize,
    /// Items of a list; else some for each of its columns.
    pub(super) capacity: Option<usize>,
}

impl Default for LazyOptions {
    fn default() -> Self {
        Self {
            from: 1 << 27,
            capacity: None,
        }
    }
}

#[cfg(test)]
impl LazyOptions {
    /// Wherever columns can be put off.
    pub(crate) fn always(capacity: Option<usize>) -> Self {
        Self { from: 0, capacity }
    }
}

/// Items for each column of a list.
const EACH: usize = 4;

/// Items of a list, at least.
const LEAST: usize = 1 << 12;

/// The candidates of a GPU that are put off.
pub(super) struct Lazy {
    /// They are the first ones.
    pub(super) places: usize,
    pub(super) lists: Vec<Launch>,
    /// What kernels are told of the lists.
    pub(super) told: [WorkList; 3],
    /// Whether relevance bounds what follows: else the first step is of all.
    pub(super) from_relevance: bool,
    /// Joint codes of anchors, of so many bits, every so many bytes, with room for so many.
    pub(super) bits: u32,
    pub(super) stride: usize,
    pub(super) room: usize,
    pub(super) joint: Buffer<u8>,
    pub(super) anchors: Buffer<AnchorSums>,
    /// Steps gathered by all, and steps so far.
    pub(super) base: usize,
    pub(super) steps: usize,
    /// Whether picks of the last steps become anchors.
    pub(super) chosen: bool,
    /// Of each place.
    pub(super) done: Buffer<u32>,
    pub(super) start: Buffer<u32>,
    pub(super) many: Buffer<u32>,
    /// Of each item.
    pub(super) items: Buffer<WorkItem>,
    pub(super) xw: Buffer<i64>,
    pub(super) xwy: Buffer<i64>,
    pub(super) found: Buffer<BestCandidate>,
    control: Buffer<WaveControl>,
}

/// How a list is counted.
pub(super) struct Launch {
    pub(super) function: &'static str,
    pub(super) blocks: usize,
    pub(super) threads: usize,
    pub(super) words: usize,
    pub(super) copies: u32,
    /// Its number.
    pub(super) of: usize,
}

impl Lazy {
    /// For anchors of up to so many levels beside so many classes; none where they, or
    /// tables of some columns, have no room.
    pub(super) fn new(
        gpu: &Gpu,
        packs: &Packs,
        (levels, classes): (usize, usize),
        from_relevance: bool,
        waves: LazyOptions,
    ) -> Result<Option<Self>, DeviceError> {
        let n = packs.layout.n;
        let bits = if levels * classes <= 1 << 8 { 8 } else { 16 };
        let mut lists = Vec::new();
        let mut told = [WorkList::default(); 3];
        let (mut places, mut items) = (0, 0);
        for (of, wide) in [4, 8, 16].into_iter().enumerate() {
            let own = packs.layout.packs.iter();
            let own = own.filter(|it| it.form == Form::Dense { bits: wide });
            let (mut count, mut most, mut skewed) = (0, 1, false);
            for pack in own {
                (count, most) = (count + pack.count, most.max(pack.levels));
                skewed |= pack.skewed;
            }
            let capacity = waves.capacity.unwrap_or((EACH * count).max(LEAST)).max(1);
            told[of] = WorkList {
                first: places as u32,
                offset: items as u32,
                capacity: capacity as u32,
            };
            if count == 0 {
                continue;
            }
            let columns = (wide, skewed, bits);
            let Some(list) = Launch::new(gpu, columns, n, (most, levels * classes), of) else {
                return Ok(None);
            };
            lists.push(list);
            (places, items) = (places + count, items + capacity);
        }
        let buffer = |len| gpu.buffer::<u32>(len, DURING);
        let stride = n.next_multiple_of(VECTOR) * bits as usize / 8;
        let blocks = packs.count().div_ceil(THREADS);
        if !has_room(gpu, stride * ANCHORS + 24 * items + 12 * places)? {
            return Ok(None);
        }
        let lazy = Self {
            places,
            lists,
            told,
            from_relevance,
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
        gpu.zero(lazy.many.address(), 4 * places)?;
        gpu.zero(lazy.control.address(), size_of::<WaveControl>())?;
        lazy.begin(gpu)?;
        Ok(Some(lazy))
    }

    /// All have gathered the steps up to `base`, and no more.
    pub(super) fn begin(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.zero(self.done.address(), 4 * self.places)
    }

    /// Where a member of `Control` lies, at so many bytes of it.
    pub(super) fn control(&self, offset: usize) -> u64 {
        self.control.address() + offset as u64
    }

    /// Anchors kept.
    pub(super) fn kept(&self) -> usize {
        self.steps - self.base
    }

    /// Makes room for so many anchors, and keeps those that are there; whether it has.
    pub(super) fn grow(&mut self, gpu: &Gpu, room: usize) -> Result<bool, DeviceError> {
        if !has_room(gpu, self.stride * room)? {
            return Ok(false);
        }
        let buffers = || {
            Ok((
                gpu.buffer(self.stride * room, DURING)?,
                gpu.buffer(room, DURING)?,
            ))
        };
        let (joint, anchors) = match buffers() {
            Err(DeviceError::OutOfMemory { .. }) => return Ok(false),
            buffers => buffers?,
        };
        let kept = self.kept();
        gpu.copy(self.joint.address(), joint.address(), self.stride * kept)?;
        let bytes = size_of::<AnchorSums>() * kept;
        gpu.copy(self.anchors.address(), anchors.address(), bytes)?;
        // What is given back waits for the copies.
        (self.joint, self.anchors, self.room) = (joint, anchors, room);
        Ok(true)
    }
}

/// Whether so many bytes may be taken: what else is on the GPU may have to grow too.
fn has_room(gpu: &Gpu, bytes: usize) -> Result<bool, DeviceError> {
    Ok(bytes as u64 <= gpu.free()? / 4)
}

impl Launch {
    /// For tables of so many levels of x and joint codes; none where they have no room.
    fn new(
        gpu: &Gpu,
        (wide, skewed, joint): (u32, bool, u32),
        n: usize,
        (levels, codes): (usize, usize),
        of: usize,
    ) -> Option<Self> {
        let limits = GpuLimits::from(gpu);
        // One column and its parts: every item is of one block.
        let shape = PackShape {
            form: Form::Dense { bits: wide },
            skewed,
            columns: 1,
            x: levels,
            n,
            w: codes,
            classes: 1,
        };
        let config = Dense.suits(&shape, limits)?;
        let words = dense::words(levels * codes, config);
        let threads = config.threads;
        Some(Self {
            function: list_function(wide, joint, config.cell_bytes == 2)?,
            blocks: limits.processors * limits.blocks_held(threads, 4 * words),
            threads,
            words,
            copies: config.copies,
            of,
        })
    }
}
