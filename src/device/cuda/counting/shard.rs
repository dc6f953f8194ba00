//! A GPU and its columns: lays anchors out, sweeps, scores.

use std::ops::Range;

use passel_kernels::{
    counting::{AnchorSums, ColumnCodes},
    score::ScoreRule,
};

use super::{
    super::{
        super::{
            DeviceError,
            counting::{Categorical, LogTable, ScoreEvaluator},
        },
        gpu::Gpu,
        memory::Buffer,
        scratch::GrowableBuffer,
    },
    kernel_choice::{GpuLimits, KernelChoice, PackShape},
    layout::{Form, Pack, VECTOR},
    lazy::Lazy,
    packs::{Packs, put, room},
    rule::rule,
    score::{Phase, ScoreInputs, ScoreState},
    spread::Counts,
    sweep::{AnchorBuffers, Sweep, SweepOutput, SweepScratch},
};
use crate::binning::{BinnedColumn, Codes};

/// Bytes left free for what is beside the columns.
const RESERVE: usize = 1 << 30;

/// Bytes of a column from which on a copy to another GPU pays.
pub(super) const LONG: usize = 1 << 20;

const DURING: &str = "laying out an anchor";

/// The response, for all GPUs.
pub(super) struct ResponseCodes<'r> {
    pub(super) anchor: &'r Categorical,
    /// Σ c·L(c) over it.
    pub(super) sum: i64,
    /// Whether steps count by its classes.
    pub(super) by_class: bool,
}

/// One GPU's share of the columns.
pub(super) struct Shard {
    pub(super) gpu: Gpu,
    pub(super) packs: Packs,
    pub(super) n: usize,
    /// Levels of the response, and those of them that steps tell apart.
    pub(super) y_levels: usize,
    pub(super) classes: usize,
    /// The class that most rows have.
    y_most: u32,
    /// The response's u16, and u32.
    pub(super) y: Buffer<u16>,
    y_wide: Buffer<u32>,
    pub(super) terms: Buffer<i64>,
    rule: ScoreRule,
    /// One level.
    pub(super) nothing: AnchorSums,
    pub(super) x: Buffer<i64>,
    pub(super) excluded: Buffer<u8>,
    /// Levels that occur in each place; 0 where nobody counted.
    pub(super) occurring: Vec<u32>,
    pub(super) walk: ScoreState,
    pub(super) tables: SweepScratch,
    pub(super) joint: Buffer<u8>,
    pub(super) counts: Counts,
    pub(super) order: Option<Buffer<u64>>,
    guest: GrowableBuffer<u16>,
    w: GrowableBuffer<u32>,
    /// Whether there are packs of entries, which ask for counts of joint codes.
    pub(super) lists: bool,
    /// What is kept where dense columns are put off.
    pub(super) lazy: Option<Lazy>,
}

/// What is swept against, as the host knows it.
#[derive(Clone, Copy)]
pub(super) enum AnchorSource<'s> {
    /// The column that was chosen on the GPU; it may have as many levels as any.
    Chosen { levels: usize },
    /// A column of the GPU's, of these sums.
    Place(AnchorSums),
    /// Codes of the host.
    Codes(AnchorSums, &'s Categorical),
    /// A column of the host's, of no more levels than joint codes have room for.
    Guest(AnchorSums, &'s Codes),
    /// A column that lies on another GPU.
    Peer(AnchorSums, ColumnCodes),
    /// One level.
    Nothing,
}

impl Shard {
    /// Opens a GPU and lays some of the columns out on it.
    pub(super) fn new(
        ordinal: usize,
        (columns, own): (&[BinnedColumn], Range<usize>),
        response: &ResponseCodes,
        (logs, evaluator): (&LogTable, &ScoreEvaluator),
        limit: Option<u64>,
    ) -> Result<Self, DeviceError> {
        let gpu = Gpu::open(ordinal, passel_kernels::COUNTING)?;
        let (first, any_misses) = (own.start, super::any_misses(columns));
        let n = response.anchor.codes.len();
        let y_levels = response.anchor.levels;
        let classes = if response.by_class { y_levels } else { 1 };
        let terms = put(&gpu, logs.terms())?;
        let beside =
            ScoreState::bytes(own.len(), any_misses) + 64 * own.len() + RESERVE.min(64 * n);
        let room = room(&gpu, beside, limit)?;
        let packs = Packs::new(&gpu, &columns[own], first, (n, classes), any_misses, room)?;
        let y: Vec<u16> = response.anchor.codes.iter().map(|&it| it as u16).collect();
        let steps = evaluator.score().has_steps();
        let form = |it: fn(&Form) -> bool| packs.layout.packs.iter().any(|pack| it(&pack.form));
        let compares = form(|it| matches!(it, Form::Rows));
        let order = compares.then(|| gpu.buffer(n, DURING));
        let lists = form(|it| !matches!(it, Form::Rows | Form::Dense { .. }));
        let count = packs.count();
        let mut shard = Self {
            n,
            y_levels,
            classes,
            y_most: most(&response.anchor.codes, y_levels),
            y: put(&gpu, &y)?,
            y_wide: put(&gpu, &response.anchor.codes)?,
            terms,
            rule: rule(evaluator, logs, response.sum),
            nothing: AnchorSums {
                w: logs.full_term(),
                wy: response.sum,
                levels: 1,
                place: count as u32,
            },
            x: gpu.buffer(count, DURING)?,
            excluded: put(&gpu, &vec![0; count])?,
            occurring: vec![0; count],
            walk: ScoreState::new(&gpu, &packs, 1, steps)?,
            tables: SweepScratch::default(),
            joint: gpu.buffer(2 * n.next_multiple_of(VECTOR), DURING)?,
            counts: Counts::default(),
            order: order.transpose()?,
            guest: GrowableBuffer::default(),
            w: GrowableBuffer::default(),
            lists,
            lazy: None,
            packs,
            gpu,
        };
        shard.begin()?;
        Ok(shard)
    }

    /// Counts every column beside the response alone: relevance.
    fn begin(&mut self) -> Result<(), DeviceError> {
        let laid = self.lay(AnchorSource::Nothing, self.y_levels)?;
        let occurring = put(&self.gpu, &self.occurring)?;
        let out = self.walk.out_first(&self.x, occurring.address());
        self.swept(laid, out)?;
        self.score(Phase::Begin, false, 0)?;
        self.gpu
            .download(occurring.address(), &mut self.occurring)?;
        self.gpu.wait("counting the response")
    }

    /// Whether some pack has to be counted by codes of the host's, beside an anchor of so many
    /// levels.
    pub(super) fn is_wide(&self, levels: usize, misses: bool) -> bool {
        self.is_wide_for(levels, self.classes, misses)
    }

    /// The same for so many classes of the response.
    pub(super) fn is_wide_for(&self, levels: usize, classes: usize, misses: bool) -> bool {
        let (limits, against) = (GpuLimits::from(&self.gpu), (levels, classes));
        let wide = |pack: &Pack| {
            let shape = PackShape::of(pack, self.n, against);
            pack.misses || KernelChoice::of(&shape, limits).is_wide()
        };
        misses || self.packs.layout.packs.iter().any(wide)
    }

    /// The next anchor's sums and levels.
    pub(super) fn set(&self, anchor: AnchorSums) -> Result<(), DeviceError> {
        self.gpu.upload(&[anchor], self.walk.anchors.address())
    }

    /// Lays an anchor out, for so many classes of the response.
    pub(super) fn lay(
        &mut self,
        source: AnchorSource,
        classes: usize,
    ) -> Result<AnchorBuffers, DeviceError> {
        self.lay_at(source, classes, None)
    }

    /// The same, with joint codes at a place of their own, of so many bits.
    pub(super) fn lay_at(
        &mut self,
        source: AnchorSource,
        classes: usize,
        to: Option<(u64, u32)>,
    ) -> Result<AnchorBuffers, DeviceError> {
        let (levels, misses, codes) = match source {
            AnchorSource::Chosen { levels } => (levels, false, None),
            AnchorSource::Place(it) | AnchorSource::Peer(it, _) | AnchorSource::Guest(it, _) => {
                (it.levels as usize, false, None)
            }
            AnchorSource::Codes(it, anchor) => (it.levels as usize, anchor.missing, Some(anchor)),
            AnchorSource::Nothing => (1, false, None),
        };
        // Behind all places is what is none of the GPU's columns.
        let place = self.packs.count() as u32;
        match source {
            AnchorSource::Chosen { .. } => {}
            AnchorSource::Place(it) => self.set(it)?,
            AnchorSource::Peer(it, _) | AnchorSource::Codes(it, _) | AnchorSource::Guest(it, _) => {
                self.set(AnchorSums { place, ..it })?;
            }
            AnchorSource::Nothing => self.set(self.nothing)?,
        }
        let wide = levels * classes;
        let bits = if wide <= 1 << 8 { 8 } else { 16 };
        let (joint, bits) = to.unwrap_or((self.joint.address(), bits));
        let mut laid = AnchorBuffers {
            batch: 1,
            anchors: self.walk.anchors.address(),
            levels,
            classes,
            bits,
            joint,
            joint_stride: 0,
            misses,
            y_most: if classes > 1 { self.y_most } else { 0 },
            y: self.y_wide.address(),
            y_levels: self.y_levels,
            order: self.order.as_ref().map_or(0, Buffer::address),
            ..AnchorBuffers::default()
        };
        let first = matches!(source, AnchorSource::Nothing);
        if first || self.is_wide_for(levels, classes, misses) {
            let none = Categorical::constant(self.n);
            if let Some(codes) = codes.or(first.then_some(&none)) {
                laid.w = self.w.room(&self.gpu, self.n, DURING)?;
                self.gpu.upload(&codes.codes, laid.w)?;
            }
        }
        // Joint codes of more bits, and those of what misses values, nobody reads.
        if misses || wide > 1 << 16 {
            return Ok(laid);
        }
        let brought = match source {
            AnchorSource::Chosen { .. } | AnchorSource::Place(_) => None,
            AnchorSource::Codes(_, anchor) => {
                let codes = anchor.codes.iter().map(|&it| it as u16).collect();
                Some(self.guest(&Codes::Word(codes), anchor.levels)?)
            }
            AnchorSource::Guest(it, codes) => Some(self.guest(codes, it.levels as usize)?),
            AnchorSource::Peer(_, place) => Some(self.near(place)?),
            AnchorSource::Nothing => Some(ColumnCodes::default()),
        };
        if let Some(place) = brought {
            self.gpu
                .upload(&[place], self.packs.places.at(self.packs.count()))?;
        }
        self.spread(&mut laid)?;
        Ok(laid)
    }

    /// Brings codes of the host's.
    fn guest(&mut self, codes: &Codes, levels: usize) -> Result<ColumnCodes, DeviceError> {
        let address = self.guest_room()?;
        let bits = match codes {
            Codes::Byte(codes) => {
                self.gpu.upload(codes, address)?;
                8
            }
            Codes::Word(codes) => {
                self.gpu.upload(codes, address)?;
                16
            }
            Codes::Sparse { .. } => {
                self.gpu.upload(&codes.dense(), address)?;
                16
            }
        };
        Ok(ColumnCodes {
            address,
            length: 1,
            levels: levels as u32,
            bits,
            ..ColumnCodes::default()
        })
    }

    /// Room for any dense column, where it stays.
    pub(super) fn guest_room(&mut self) -> Result<u64, DeviceError> {
        let filled = self.n.next_multiple_of(VECTOR);
        self.guest.room(&self.gpu, filled, DURING)
    }

    /// Where its columns lie.
    pub(super) fn lying(&self) -> Result<Vec<ColumnCodes>, DeviceError> {
        let mut places = vec![ColumnCodes::default(); self.packs.count()];
        self.gpu
            .download(self.packs.places.address(), &mut places)?;
        self.gpu.wait(DURING)?;
        Ok(places)
    }

    /// A column of another GPU's, copied if it is long: kernels read it slower than copies do.
    fn near(&mut self, place: ColumnCodes) -> Result<ColumnCodes, DeviceError> {
        let bytes = bytes_of(self.n, place.bits);
        if bytes < LONG || (place.bits == 8 && place.length != 1) {
            return Ok(place);
        }
        let address = self.guest_room()?;
        self.gpu.copy(place.address, address, bytes)?;
        Ok(ColumnCodes { address, ..place })
    }

    /// What scores are made of.
    pub(super) fn means(&self) -> ScoreInputs<'_> {
        ScoreInputs {
            gpu: &self.gpu,
            packs: &self.packs,
            rule: &self.rule,
            x: &self.x,
            excluded: &self.excluded,
            y_levels: self.y_levels,
            classes: self.classes,
        }
    }

    /// Counts every pack beside what is laid out.
    pub(super) fn swept(
        &mut self,
        laid: AnchorBuffers,
        out: SweepOutput,
    ) -> Result<(), DeviceError> {
        let sweep = Sweep {
            gpu: &self.gpu,
            packs: &self.packs,
            terms: self.terms.address(),
            anchor: laid,
            out,
        };
        sweep.run(&mut self.tables)
    }
}

/// Bytes of so many dense codes, of whole words as kernels read them.
fn bytes_of(n: usize, bits: u32) -> usize {
    (n * bits as usize).div_ceil(8).next_multiple_of(4)
}

/// The code that comes most often.
fn most(codes: &[u32], levels: usize) -> u32 {
    let mut counts = vec![0usize; levels];
    codes.iter().for_each(|&it| counts[it as usize] += 1);
    let most = (0..).zip(counts).max_by_key(|it| it.1);
    most.map_or(0, |it| it.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_code_is_left_behind() {
        for (n, bits, bytes) in [(16, 4, 8), (17, 4, 12), (25, 4, 16), (3, 8, 4), (5, 16, 12)] {
            assert_eq!(bytes_of(n, bits), bytes, "{n} {bits}");
        }
        assert_eq!(bytes_of(2_097_153, 4), (1 << 20) + 4);
    }
}
