//! One sweep: every pack by the kernel that its form, its levels and the GPU ask for. The rule
//! and its constants are in docs/performance.md.

use passel_kernels::{
    dense::{self, DenseArgs, Variant},
    rows::RowsArgs,
    short_entries::ShortEntriesArgs,
};

use super::{
    super::{DeviceError, gpu::Gpu, gpu::arguments, memory::Buffer, scratch::GrowableBuffer},
    kernel_choice::{KernelChoice, TinyChoice},
    layout::{Form, Pack, VECTOR},
    lists::{add, one},
    packs::{Packs, ResidentPack},
};

/// An anchor, or a batch of them, laid out on the GPU.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct AnchorBuffers {
    /// Anchors of the batch.
    pub(super) batch: usize,
    /// `kernels::counting::Anchor`, one each.
    pub(super) anchors: u64,
    /// Most levels an anchor may have.
    pub(super) levels: usize,
    pub(super) classes: usize,
    /// Joint codes of 8 or 16 bits, an anchor's every so many bytes.
    pub(super) bits: u32,
    pub(super) joint: u64,
    pub(super) joint_stride: usize,
    /// The class that most rows have.
    pub(super) y_most: u32,
    /// Rows of each joint code, and of each level: the same for all of the batch.
    pub(super) by_joint: u64,
    pub(super) by_level: u64,
    /// Rows in the order of joint codes.
    pub(super) order: u64,
    /// Whether it misses values: then only `wide` tells.
    pub(super) misses: bool,
    /// Its levels and the response's, u32, of every row; 0 where no pack needs them.
    pub(super) w: u64,
    pub(super) y: u64,
    pub(super) y_levels: usize,
    /// From one anchor's u32 to the next, and from one response's.
    pub(super) w_stride: usize,
    pub(super) y_stride: usize,
    /// Whether dense packs are put off.
    pub(super) put_off: bool,
}

impl AnchorBuffers {
    /// Of two kernels that for the bits of joint codes.
    pub(super) fn sized(&self, eight: &'static str, sixteen: &'static str) -> &'static str {
        if self.bits == 8 { eight } else { sixteen }
    }
}

/// Bytes of columns whose packs are counted beside one another.
const BESIDE: usize = 64 << 20;

/// Where the sums of a sweep go, of each place of a batch, or whole tables.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SweepOutput {
    pub(super) xw: u64,
    pub(super) xwy: u64,
    pub(super) whole: u64,
    /// Levels of x that occur, beside an anchor of one level; 0 where nobody asks.
    pub(super) occurring: u64,
    /// Of each place, not 0 where nobody asks; 0 where all are to be counted.
    pub(super) taken: u64,
    /// Whole tables instead of sums, of a pack's dense columns from its first on, and the cells
    /// from one to the next; 0 where sums are wanted.
    pub(super) tables: u64,
    pub(super) cells: usize,
}

/// Memory that is 0 between two launches.
#[derive(Default)]
pub(super) struct ZeroedBuffer(Option<Buffer<u8>>);

impl ZeroedBuffer {
    pub(super) fn room(&mut self, gpu: &Gpu, bytes: usize) -> Result<u64, DeviceError> {
        if let Some(buffer) = self.0.as_ref().filter(|it| it.len() >= bytes) {
            return Ok(buffer.address());
        }
        self.0 = None;
        let buffer = gpu.buffer::<u8>(bytes + bytes / 4, "counting")?;
        gpu.zero(buffer.address(), buffer.len())?;
        let address = buffer.address();
        self.0 = Some(buffer);
        Ok(address)
    }
}

/// What sweeps of one GPU use again.
#[derive(Default)]
pub(super) struct SweepScratch {
    partial: ZeroedBuffer,
    arrived: ZeroedBuffer,
    pub(super) scratch: ZeroedBuffer,
    pub(super) spreads: GrowableBuffer<u16>,
    pub(super) planes: GrowableBuffer<u32>,
    pub(super) totals: GrowableBuffer<u32>,
}

impl SweepScratch {
    /// Where blocks that share columns add up so many tables of so many counts, and how many of
    /// them have; null where one block has each.
    pub(super) fn shared(
        &mut self,
        gpu: &Gpu,
        parts: usize,
        (tables, counts): (usize, usize),
    ) -> Result<(u64, u64), DeviceError> {
        if parts == 1 {
            return Ok((0, 0));
        }
        let partial = self.partial.room(gpu, 4 * tables * counts)?;
        Ok((partial, self.arrived.room(gpu, 4 * tables)?))
    }
}

/// What a sweep is made of.
pub(super) struct Sweep<'s> {
    pub(super) gpu: &'s Gpu,
    pub(super) packs: &'s Packs,
    pub(super) terms: u64,
    pub(super) laid: AnchorBuffers,
    pub(super) out: SweepOutput,
}

impl Sweep<'_> {
    /// How a pack is to be counted beside an anchor of so many levels.
    pub(super) fn how(&self, pack: &Pack) -> KernelChoice {
        if pack.misses || self.laid.misses {
            return KernelChoice::Whole;
        }
        KernelChoice::of(
            (pack.form, pack.skewed),
            (pack.count * self.laid.batch.max(1), pack.levels),
            self.packs.layout.n,
            (self.laid.levels, self.laid.classes),
            (self.gpu.shared as usize, self.gpu.processors as usize),
        )
    }

    /// Counts every pack.
    pub(super) fn run(&self, tables: &mut SweepScratch) -> Result<(), DeviceError> {
        // Short columns that lie on the GPU are counted together: a launch for each kind of
        // them would take longer than most of them do.
        let mut shorts = ShortEntriesArgs::default();
        let bits = self.bits(tables)?;
        // Small packs leave most of a GPU idle: they go beside one another.
        let packs = &self.packs.layout.packs;
        let bytes: usize = packs.iter().map(|it| it.bytes).sum();
        let beside = !self.packs.streams() && packs.len() > 1 && bytes <= BESIDE;
        if beside {
            self.gpu.fork()?;
        }
        let mut lane = 0;
        let counted = self.packs.sweep(self.gpu, |here| {
            let how = self.how(here.pack);
            let alone = match how {
                // They leave memory at zero for the next of their kind.
                KernelChoice::Whole => true,
                KernelChoice::Dense { parts, .. }
                | KernelChoice::Tiny(TinyChoice { parts, .. }) => parts > 1,
                _ => false,
            };
            if beside {
                lane = (lane + 1) % 4;
                self.gpu.use_stream(if alone { 0 } else { lane });
            }
            match (how, here.pack.form) {
                (_, Form::Dense { .. }) if self.laid.put_off => Ok(()),
                (KernelChoice::Half { .. } | KernelChoice::Dense { .. }, _) => {
                    self.dense(&here, how, tables)
                }
                (KernelChoice::Tiny(how), _) => self.tiny(&here, how, bits, tables),
                (KernelChoice::Rows, _) => self.rows(&here),
                (KernelChoice::Short, Form::Short { each }) => {
                    let kind = each as usize;
                    if shorts.columns[kind] != 0 || self.packs.streams() {
                        self.shorts(&one(&here, kind))?;
                    } else {
                        add(&mut shorts, &here, kind);
                    }
                    Ok(())
                }
                (KernelChoice::Few { .. } | KernelChoice::Many { .. } | KernelChoice::Short, _) => {
                    self.entries(&here)
                }
                (KernelChoice::Whole, _) => self.whole(&here, tables),
            }
        });
        self.gpu.use_stream(0);
        let counted = counted.and_then(|()| self.shorts(&shorts));
        let joined = match beside {
            true => self.gpu.join(),
            false => Ok(()),
        };
        counted.and(joined)
    }

    /// Where the sums of a pack begin.
    pub(super) fn out(&self, here: &ResidentPack) -> (u64, u64, u64) {
        let at = 8 * here.pack.first as u64;
        let taken = match self.out.taken {
            0 => 0,
            taken => taken + here.pack.first as u64,
        };
        (self.out.xw + at, self.out.xwy + at, taken)
    }

    /// Where the levels of a pack that occur are counted; 0 where nobody asks.
    pub(super) fn occurring(&self, here: &ResidentPack) -> u64 {
        match self.out.occurring {
            0 => 0,
            occurring => occurring + 4 * here.pack.first as u64,
        }
    }

    pub(super) fn dense(
        &self,
        here: &ResidentPack,
        how: KernelChoice,
        tables: &mut SweepScratch,
    ) -> Result<(), DeviceError> {
        let (gpu, laid, pack) = (self.gpu, &self.laid, here.pack);
        let n = self.packs.layout.n;
        let Form::Dense { bits } = pack.form else {
            return Ok(());
        };
        let cells = pack.levels * laid.levels * laid.classes;
        let (half, two, copies, threads, parts) = match how {
            KernelChoice::Dense {
                two,
                copies,
                threads,
                parts,
            } => (false, two, copies, threads, parts),
            KernelChoice::Half { threads } => (true, false, 0, threads, 1),
            _ => return Ok(()),
        };
        let words = match half {
            true => cells.div_ceil(2).next_multiple_of(4),
            // Whole words of a copy are taken up by all of them.
            false => cells.next_multiple_of(4) << copies,
        };
        let all = laid.batch * pack.count;
        let (partial, arrived) = tables.shared(gpu, parts, (all, words >> copies))?;
        let (xw, xwy, taken) = self.out(here);
        let given = DenseArgs {
            codes: here.address,
            stride: pack.stride as i64,
            levels: self.packs.levels.at(pack.first),
            taken,
            columns: pack.count as u32,
            places: self.packs.count() as u32,
            rows: n as i64,
            vectors: n.div_ceil(VECTOR) as i64,
            joint: laid.joint,
            joint_stride: laid.joint_stride as i64,
            anchors: laid.anchors,
            classes: laid.classes as u32,
            copies: copies as i32,
            parts: parts as u32,
            words: words as u32,
            partial,
            arrived,
            terms: self.terms,
            xw,
            xwy,
            occurring: self.occurring(here),
            tables: self.out.tables,
            cells: self.out.cells as i64,
            ..DenseArgs::default()
        };
        let variant = match (half, two) {
            (true, _) => Variant::Half,
            (_, true) => Variant::Two,
            _ => Variant::Full,
        };
        let Some(function) = dense::function(bits, laid.bits, variant) else {
            return Ok(());
        };
        let groups = pack.count.div_ceil(1 + usize::from(two));
        let grid = ((groups * parts) as u32, laid.batch as u32, 1);
        let shared = 4 * words * (1 + usize::from(two));
        gpu.launch(
            &passel_kernels::dense::KERNEL,
            function,
            grid,
            threads as u32,
            shared as u32,
            arguments![given],
        )
    }

    fn rows(&self, here: &ResidentPack) -> Result<(), DeviceError> {
        let (laid, pack) = (&self.laid, here.pack);
        let (xw, xwy, _) = self.out(here);
        let given = RowsArgs {
            codes: here.address,
            stride: (pack.stride / 4) as i64,
            columns: pack.count as u32,
            places: self.packs.count() as u32,
            rows: self.packs.layout.n as u32,
            classes: laid.classes as u32,
            order: laid.order,
            terms: self.terms,
            xw,
            xwy,
            occurring: self.occurring(here),
        };
        let grid = (pack.count.div_ceil(128) as u32, laid.batch as u32, 1);
        let shared = passel_kernels::rows::SHARED;
        self.gpu.launch(
            &passel_kernels::rows::KERNEL,
            "rows",
            grid,
            512,
            shared,
            arguments![given],
        )
    }
}
