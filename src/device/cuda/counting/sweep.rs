//! One sweep: every pack by the kernel that its form, its levels and the card ask for. The rule
//! and its constants are in docs/performance.md.

use passel_kernels::{dense::Dense, entries::Entries, rows::Rows, whole::Wide};

use super::{
    super::{DeviceError, card::Card, card::arguments, memory::Buffer},
    layout::{Form, VECTOR},
    packs::{Here, Packs},
};

/// Threads of a multiprocessor.
const THREADS: usize = 2048;

/// Bytes of shared memory that kernels have of their own, and that a block takes besides.
const OWN: usize = 2048;

/// Most bytes of joint codes that blocks of short columns copy to shared memory.
const COPIED: usize = 48 << 10;

/// Rows from which cells have 32 bits.
const HALF: usize = 1 << 16;

/// Fewest rows of a part of a column.
const PART: usize = 1 << 16;

/// An anchor, or a batch of them, laid out on the card.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Laid {
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
}

/// Where the sums of a sweep go, of each place of a batch, or whole tables.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Out {
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
pub(super) struct Zeros(Option<Buffer<u8>>);

impl Zeros {
    pub(super) fn room(&mut self, card: &Card, bytes: usize) -> Result<u64, DeviceError> {
        if let Some(buffer) = self.0.as_ref().filter(|it| it.len() >= bytes) {
            return Ok(buffer.address());
        }
        self.0 = None;
        let buffer = card.buffer::<u8>(bytes + bytes / 4, "counting")?;
        card.zero(buffer.address(), buffer.len())?;
        let address = buffer.address();
        self.0 = Some(buffer);
        Ok(address)
    }
}

/// What sweeps of one card use again.
#[derive(Default)]
pub(super) struct Tables {
    partial: Zeros,
    arrived: Zeros,
    scratch: Zeros,
    spreads: Option<Buffer<u16>>,
}

/// How a pack is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Half {
        threads: usize,
    },
    Dense {
        two: bool,
        copies: u32,
        threads: usize,
        parts: usize,
    },
    Rows,
    Short {
        copied: bool,
    },
    Few {
        threads: usize,
    },
    Many {
        threads: usize,
    },
    Whole,
}

/// Shared memory of a block of a kernel, and blocks that a multiprocessor holds of it.
fn held(shared: usize, threads: usize, bytes: usize) -> usize {
    ((shared + 1024) / (bytes + OWN))
        .min(THREADS / threads)
        .max(1)
}

impl How {
    /// A pack of `count` columns of `n` rows beside an anchor, on a card of so many bytes of
    /// shared memory a block and multiprocessors.
    pub(super) fn of(
        (form, count, x): (Form, usize, usize),
        n: usize,
        (w, classes): (usize, usize),
        (shared, processors): (usize, usize),
    ) -> Self {
        let room = shared - OWN;
        let wide = w.saturating_mul(classes);
        let cells = wide.saturating_mul(x);
        let filled = n.next_multiple_of(VECTOR);
        let fits = |bytes: usize| bytes <= room;
        // Joint codes have at most 16 bits.
        if wide > 1 << 16 || cells > 1 << 24 {
            return Self::Whole;
        }
        match form {
            Form::Dense { .. } if filled < HALF && fits(2 * cells + VECTOR) => Self::Half {
                threads: (filled / VECTOR).next_power_of_two().clamp(64, 256),
            },
            Form::Dense { .. } => {
                let most = |columns: usize, most: u32| {
                    (0..=most).rev().find(|copies| {
                        fits(columns * (4 * cells << copies) + VECTOR)
                            && (*copies == 0 || cells << copies <= n / 2)
                    })
                };
                let (two, copies) = match (most(2, 4), most(1, 5)) {
                    (Some(copies @ 1..), _) if count > 1 => (true, copies),
                    (_, Some(copies)) => (false, copies),
                    (_, None) => return Self::Whole,
                };
                let bytes = (1 + usize::from(two)) * (4 * cells << copies);
                let threads = match bytes {
                    0x1_C001.. => 1024,
                    0xE001.. => 512,
                    _ => 256,
                };
                let wave = processors * held(shared, threads, bytes);
                let groups = count.div_ceil(1 + usize::from(two));
                let parts = (8 * wave)
                    .div_ceil(groups.max(1))
                    .clamp(1, (n / PART).max(1));
                Self::Dense {
                    two,
                    copies,
                    threads,
                    parts,
                }
            }
            Form::Rows => Self::Rows,
            Form::Short { .. } => {
                let bits = if wide <= 256 { 1 } else { 2 };
                let bytes = bits * n + VECTOR + 4 * (w + wide);
                Self::Short {
                    copied: bytes <= COPIED.min(room),
                }
            }
            Form::Few => {
                let bytes = 4 * few_words(x, w, classes);
                match fits(bytes) {
                    true if held(shared, 32, bytes) >= 16 => Self::Few { threads: 32 },
                    true => Self::Few { threads: 128 },
                    false if fits(4 * cells) => Self::Many { threads: 128 },
                    false => Self::Whole,
                }
            }
            Form::Many { threads } if fits(4 * cells) => Self::Many {
                threads: threads as usize,
            },
            Form::Many { .. } => Self::Whole,
        }
    }
}

/// Cells that `few` has in shared memory.
fn few_words(x: usize, w: usize, classes: usize) -> usize {
    let wide = w * classes;
    w + x * w + if classes > 1 { wide + x * wide } else { 0 }
}

/// What a sweep is made of.
pub(super) struct Sweep<'s> {
    pub(super) card: &'s Card,
    pub(super) packs: &'s Packs,
    pub(super) terms: u64,
    pub(super) laid: Laid,
    pub(super) out: Out,
}

impl Sweep<'_> {
    /// How a pack is to be counted beside an anchor of so many levels.
    pub(super) fn how(&self, here: &Here) -> How {
        let pack = here.pack;
        if pack.misses || self.laid.misses {
            return How::Whole;
        }
        How::of(
            (pack.form, pack.count, pack.levels),
            self.packs.layout.n,
            (self.laid.levels, self.laid.classes),
            (self.card.shared as usize, self.card.processors as usize),
        )
    }

    /// Counts every pack.
    pub(super) fn run(&self, tables: &mut Tables) -> Result<(), DeviceError> {
        self.packs.sweep(self.card, |here| match self.how(&here) {
            How::Half { .. } | How::Dense { .. } => self.dense(&here, tables),
            How::Rows => self.rows(&here),
            How::Short { .. } | How::Few { .. } | How::Many { .. } => self.entries(&here),
            How::Whole => self.whole(&here, tables),
        })
    }

    /// Where the sums of a pack begin.
    fn out(&self, here: &Here) -> (u64, u64, u64) {
        let at = 8 * here.pack.first as u64;
        let taken = match self.out.taken {
            0 => 0,
            taken => taken + here.pack.first as u64,
        };
        (self.out.xw + at, self.out.xwy + at, taken)
    }

    pub(super) fn dense(&self, here: &Here, tables: &mut Tables) -> Result<(), DeviceError> {
        let (card, laid, pack) = (self.card, &self.laid, here.pack);
        let n = self.packs.layout.n;
        let Form::Dense { bits } = pack.form else {
            return Ok(());
        };
        let cells = pack.levels * laid.levels * laid.classes;
        let (half, two, copies, threads, parts) = match self.how(here) {
            How::Dense {
                two,
                copies,
                threads,
                parts,
            } => (false, two, copies, threads, parts),
            How::Half { threads } => (true, false, 0, threads, 1),
            _ => return Ok(()),
        };
        let words = match half {
            true => cells.div_ceil(2).next_multiple_of(4),
            // Whole words of a copy are taken up by all of them.
            false => cells.next_multiple_of(4) << copies,
        };
        let (mut partial, mut arrived) = (0, 0);
        if parts > 1 {
            let all = laid.batch * pack.count;
            partial = tables.partial.room(card, all * 4 * (words >> copies))?;
            arrived = tables.arrived.room(card, all * 4)?;
        }
        let (xw, xwy, taken) = self.out(here);
        let given = Dense {
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
            occurring: match self.out.occurring {
                0 => 0,
                occurring => occurring + 4 * pack.first as u64,
            },
            tables: self.out.tables,
            cells: self.out.cells as i64,
        };
        let function = match (bits, laid.bits, half, two) {
            (4, 8, true, _) => "dense_4_8_half",
            (4, 8, _, true) => "dense_4_8_two",
            (4, 8, ..) => "dense_4_8",
            (4, _, true, _) => "dense_4_16_half",
            (4, _, _, true) => "dense_4_16_two",
            (4, ..) => "dense_4_16",
            (8, 8, true, _) => "dense_8_8_half",
            (8, 8, _, true) => "dense_8_8_two",
            (8, 8, ..) => "dense_8_8",
            (8, _, true, _) => "dense_8_16_half",
            (8, _, _, true) => "dense_8_16_two",
            (8, ..) => "dense_8_16",
            (_, 8, true, _) => "dense_16_8_half",
            (_, 8, _, true) => "dense_16_8_two",
            (_, 8, ..) => "dense_16_8",
            (_, _, true, _) => "dense_16_16_half",
            (_, _, _, true) => "dense_16_16_two",
            _ => "dense_16_16",
        };
        let groups = pack.count.div_ceil(1 + usize::from(two));
        let grid = ((groups * parts) as u32, laid.batch as u32, 1);
        let shared = 4 * words * (1 + usize::from(two));
        card.launch(
            function,
            grid,
            threads as u32,
            shared as u32,
            arguments![given],
        )
    }

    fn rows(&self, here: &Here) -> Result<(), DeviceError> {
        let (laid, pack) = (&self.laid, here.pack);
        let (xw, xwy, _) = self.out(here);
        let given = Rows {
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
            occurring: match self.out.occurring {
                0 => 0,
                occurring => occurring + 4 * pack.first as u64,
            },
        };
        let grid = (pack.count.div_ceil(128) as u32, laid.batch as u32, 1);
        let shared = (256 + 64 + 256) * 8;
        self.card
            .launch("rows", grid, 512, shared, arguments![given])
    }

    fn entries(&self, here: &Here) -> Result<(), DeviceError> {
        let (card, laid, pack) = (self.card, &self.laid, here.pack);
        let n = self.packs.layout.n;
        let how = self.how(here);
        let (xw, xwy, taken) = self.out(here);
        let given = Entries {
            rows: here.address + pack.rows_at as u64,
            codes: here.address + pack.codes_at as u64,
            starts: match pack.form {
                Form::Few | Form::Many { .. } => here.address + pack.starts_at as u64,
                _ => 0,
            },
            most: self.packs.most.at(pack.first),
            levels: self.packs.levels.at(pack.first),
            taken,
            columns: pack.count as u32,
            places: self.packs.count() as u32,
            each: match pack.form {
                Form::Short { each } => each,
                _ => 0,
            },
            rows_all: n as i64,
            joint: laid.joint,
            joint_stride: laid.joint_stride as i64,
            copied: u8::from(how == How::Short { copied: true }),
            anchors: laid.anchors,
            classes: laid.classes as u32,
            by_joint: laid.by_joint,
            by_level: laid.by_level,
            counts_stride: 0,
            terms: self.terms,
            xw,
            xwy,
            ..Entries::default()
        };
        let eight = laid.bits == 8;
        let wide = laid.levels * laid.classes;
        let blocks = |threads, bytes| {
            let held = held(card.shared as usize, threads, bytes);
            (card.processors as usize * held).min(pack.count) as u32
        };
        match how {
            How::Short { copied } => {
                let function = if eight { "short_8" } else { "short_16" };
                let bytes = match copied {
                    true => n * laid.bits as usize / 8 + VECTOR + 4 * (laid.levels + wide),
                    false => 0,
                };
                let units = (pack.count << given.each).div_ceil(32 * 16) as u32;
                let grid = (blocks(512, bytes).min(units).max(1), laid.batch as u32, 1);
                card.launch(function, grid, 512, bytes as u32, arguments![given])
            }
            How::Few { threads } => {
                let function = if eight { "few_8" } else { "few_16" };
                let bytes = 4 * few_words(pack.levels, laid.levels, laid.classes);
                let grid = (blocks(threads, bytes), laid.batch as u32, 1);
                let most = pack.levels as u32;
                let given = arguments![given, most];
                card.launch(function, grid, threads as u32, bytes as u32, given)
            }
            How::Many { threads } => {
                let function = if eight { "many_8" } else { "many_16" };
                let bytes = 4 * pack.levels * wide;
                let grid = (blocks(threads, bytes), laid.batch as u32, 1);
                card.launch(
                    function,
                    grid,
                    threads as u32,
                    bytes as u32,
                    arguments![given],
                )
            }
            _ => Ok(()),
        }
    }

    fn whole(&self, here: &Here, tables: &mut Tables) -> Result<(), DeviceError> {
        const DURING: &str = "counting in the card's memory";
        let (card, laid, pack) = (self.card, &self.laid, here.pack);
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
        let free = card.free()? / 4;
        let most = (2 * card.processors as u64).min(pack.count as u64);
        let blocks = (free / (stride + 2 * n as u64) / laid.batch as u64).clamp(1, most.max(1));
        let all = blocks as usize * laid.batch;
        let scratch = tables.scratch.room(card, all * stride as usize)?;
        if tables.spreads.as_ref().is_none_or(|it| it.len() < all * n) {
            tables.spreads = None;
            tables.spreads = Some(card.buffer(all * n, DURING)?);
        }
        let (xw, xwy, taken) = self.out(here);
        let whole = self.out.whole + (72 * pack.first) as u64;
        let given = Wide {
            places: here.places,
            left_out: self.packs.left_out.at(pack.first),
            levels: self.packs.levels.at(pack.first),
            taken,
            which: 0,
            columns: pack.count as u32,
            rows: n as i64,
            w: laid.w,
            y: laid.y,
            w_levels: laid.levels as u32,
            y_levels: laid.y_levels as u32,
            w_stride: laid.w_stride as i64,
            y_stride: laid.y_stride as i64,
            all_places: self.packs.count() as u32,
            spreads: tables.spreads.as_ref().map_or(0, Buffer::address),
            scratch,
            scratch_stride: stride as i64,
            slots,
            direct,
            room,
            terms: self.terms,
            xw,
            xwy,
            whole: if missing { whole } else { 0 },
            tables: 0,
            cells: 0,
        };
        let grid = (blocks as u32, laid.batch as u32, 1);
        card.launch("whole", grid, 512, 0, arguments![given])
    }
}
