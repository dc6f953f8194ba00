//! The strongest column of each model: one product of the shard with the models'
//! residuals, the arg max fused behind it; near ties scored again in a fixed order.

use passel_kernels::{gather, strongest};

use super::{
    super::{
        Candidate, DeviceError, ModelView,
        gain::{MAX_SCREEN_ERROR, tie_width},
    },
    Cuda,
    blocks::Block,
    digits::{Accuracy, Digits},
    gpu::{GRID, Gpu, arguments},
    models::THREADS,
    products::{Arithmetic, MatrixProduct},
    scratch::Scratch,
};

/// Columns, or terms, that a block of threads looks through: SPAN in kernels/strongest.cu.
pub(super) const SPAN: usize = 4096;

/// Candidates near the largest so far that there is room for at first, at most.
const NEAR: usize = 1 << 22;

/// Candidates there is room for at first, a model.
const CANDIDATES: usize = 4;

/// What of the arithmetic asked for is worth its while with n observations, and by what
/// share of ‖r‖ a product of a unit column with r may then be off.
/// Products of terms of several columns may be off by `growth` times as much.
pub(super) fn screen(asked: Arithmetic, n: usize, growth: f64) -> (Arithmetic, f64) {
    let single = f64::from(f32::EPSILON) / 2.0;
    // Both factors are rounded, each product is, and n are added up in some order.
    let additions = (n + 3) as f64 * single;
    let (less, off) = match asked {
        Arithmetic::F64 => return (Arithmetic::F64, growth * tie_width(n, 1.0)),
        Arithmetic::F32 => (Arithmetic::F64, additions),
        // Ten bits beside the leading one; factors and sums may be cut off there rather
        // than rounded.
        Arithmetic::Tf32 => (
            Arithmetic::F32,
            2.0 * additions + 2.0 * f64::from(2.0f32.powi(-10)),
        ),
    };
    let off = growth * off;
    match off > MAX_SCREEN_ERROR / (n as f64).sqrt() {
        true => screen(less, n, growth),
        false => (asked, off),
    }
}

/// The residuals of a batch of models, side by side on the GPU, and what kernels are told of the models.
pub(super) struct Batch {
    pub(super) kind: Arithmetic,
    /// Scores that differ by less than this share of ‖r‖ may be equal.
    pub(super) off: f64,
    /// n × m, in f64, and in f32 where that screens.
    pub(super) wide: u64,
    pub(super) narrow: u64,
    /// Where ‖r‖² of each lie, where the members of each begin, and these.
    pub(super) rss: u64,
    pub(super) offsets: u64,
    pub(super) members: u64,
    /// The residuals in digits, where columns are genotypes.
    pub(super) digits: Option<Digits>,
    /// The words from `rss` on, which [`Scratch::told`] has on the host until they are uploaded.
    words: usize,
}

impl Batch {
    /// The arithmetic of a block's product with the residuals, and both factors.
    pub(super) fn factors(&self, block: &Block) -> (Arithmetic, u64, u64) {
        match (self.kind, block.narrow) {
            (Arithmetic::F64, _) | (_, None) => (Arithmetic::F64, block.address, self.wide),
            (kind, Some(narrowed)) => (kind, narrowed, self.narrow),
        }
    }
}

impl Scratch {
    /// What is to be uploaded to [`Batch::rss`].
    pub(super) fn told(&self, batch: &Batch, m: usize) -> &[u64] {
        &self.batch_told.get(batch.words)[m..]
    }
}

/// Where the kernels of a sweep list what comes near the largest score, and what is near it still.
pub(super) struct Lists {
    /// Entries and their scores, and how many there is room for.
    pub(super) near: u64,
    pub(super) scores: u64,
    pub(super) near_places: u64,
    /// How many came near, how many are near still, blocks that have ended; then the largest score of each
    /// model and kind; then what the caller asked for. All 0 at first.
    pub(super) counters: u64,
    pub(super) most: u64,
    /// Entries near the largest still, in the host's memory, and how many there is room for.
    pub(super) answers: u64,
    pub(super) places: u64,
}

impl Cuda<'_> {
    /// By |xᵀr|; see [`super::super::Device::find_strongest`].
    pub(super) fn by_correlation(
        &mut self,
        models: &[ModelView],
    ) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        let mut all = Vec::with_capacity(models.len());
        for models in models.chunks(GRID) {
            all.extend(self.sweep_residuals(models)?);
        }
        Ok(all)
    }

    /// Puts together what the kernels are told of a batch, in pinned memory: the addresses
    /// of its residuals; ‖r‖²; where each model's members begin, and these, two a word. The
    /// words there are.
    fn tell_batch(&mut self, models: &[ModelView]) -> Result<usize, DeviceError> {
        let (n, m) = (self.y.len(), models.len());
        let members: usize = models.iter().map(|model| model.support.len()).sum();
        let words = 3 * m + 1 + members.div_ceil(2);
        let told = self.scratch.batch_told.room(&self.gpu, words)?;
        let (addresses, rest) = told.split_at_mut(m);
        let (rss, rest) = rest.split_at_mut(m);
        let (offsets, packed) = rest.split_at_mut(m + 1);
        packed.fill(0);
        let mut at = 0;
        for (model, held) in models.iter().enumerate() {
            let owner = self.owners[held.number % self.owners.len()];
            addresses[model] = owner + 8 * (held.number * n) as u64;
            rss[model] = held.square.to_bits();
            offsets[model] = at as u64;
            for &member in held.support {
                packed[at / 2] |= u64::from(member) << (32 * (at % 2));
                at += 1;
            }
        }
        offsets[m] = at as u64;
        Ok(words)
    }

    /// Gathers the residuals of a batch of models; `growth` as in [`screen`].
    pub(super) fn gather_batch(
        &mut self,
        models: &[ModelView],
        growth: f64,
    ) -> Result<Batch, DeviceError> {
        let (n, m) = (self.y.len(), models.len());
        let (kind, off) = screen(self.screen, n, growth);
        // Each of two scores may be off by so much; as much again, for what lies within
        // the window of the decision.
        let off = match kind {
            Arithmetic::F64 => 2.0 * off,
            _ => 2.0 * off + 2.0 * growth * tie_width(n, 1.0),
        };
        let words = self.tell_batch(models)?;
        let gpu = &self.gpu;
        let wide = self.scratch.batch.room(gpu, n * m, "sweeping")?;
        let rss = self.scratch.batch_on_gpu.room(gpu, words - m, "sweeping")?;
        let (addresses, observations) = (self.scratch.batch_told.address(), n as i64);
        let grid = (n.div_ceil(1024) as u32, m as u32, 1);
        let given = arguments![addresses, observations, wide];
        gpu.launch(&gather::KERNEL, "gather", grid, 256, 0, given)?;
        let narrow = match kind {
            Arithmetic::F64 => 0,
            _ => {
                let (count, to) = (
                    (n * m) as i64,
                    self.scratch.narrow.room(gpu, n * m, "sweeping")?,
                );
                let grid = (8 * gpu.processors, 1, 1);
                let given = arguments![wide, count, to];
                gpu.launch(&strongest::KERNEL, "narrow", grid, 256, 0, given)?;
                to
            }
        };
        let digits = match &self.columns.genotypes {
            Some(own) => {
                let (room, given) = (&mut self.scratch.digits, (wide, m, n));
                let cut = Digits::cut(gpu, room, given, own.roots(), Accuracy::Screen, "sweeping");
                Some(cut?)
            }
            None => None,
        };
        Ok(Batch {
            kind,
            off,
            digits,
            wide,
            narrow,
            rss,
            offsets: rss + 8 * m as u64,
            members: rss + 8 * (2 * m + 1) as u64,
            words,
        })
    }

    fn sweep_residuals(
        &mut self,
        models: &[ModelView],
    ) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        let batch = self.gather_batch(models, 1.0)?;
        let (count, m, observations) = (self.columns.count(), models.len(), self.y.len() as i64);
        let room = self
            .scratch
            .e
            .products(&self.gpu, (count, 1), m, "sweeping")?;
        let (e, block) = room;
        let tiles = count.div_ceil(SPAN) + count.div_ceil(block);
        let rooms = (
            ((CANDIDATES + tiles) * m).min(NEAR),
            (CANDIDATES * m).max(1024),
        );
        let genotypes = self.columns.genotypes.as_ref();
        let of_genotypes = genotypes.map(|own| (own.words_each(), own.roots()));
        let launch = |gpu: &Gpu, kind: Arithmetic, block: &Block, lists: &Lists| {
            let Batch {
                off,
                wide,
                rss,
                offsets,
                members,
                ..
            } = batch;
            let Lists {
                near,
                scores,
                near_places,
                counters,
                most,
                answers,
                places,
            } = *lists;
            let screen = match kind {
                Arithmetic::F64 => "near_f64",
                Arithmetic::F32 | Arithmetic::Tf32 => "near_f32",
            };
            let (rows, first) = (block.count as i64, block.first);
            let grid = (block.count.div_ceil(SPAN) as u32, m as u32, 1);
            let given = arguments![
                e,
                rows,
                first,
                rss,
                offsets,
                members,
                off,
                most,
                near,
                scores,
                counters,
                near_places
            ];
            gpu.launch(&strongest::KERNEL, screen, grid, 256, 0, given)?;
            let (columns, count) = (block.address, block.count as u32);
            let grid = (4 * gpu.processors, 1, 1);
            if let (Some(laid), Some((each, roots))) = (block.genotypes, of_genotypes) {
                let (words, values) = (laid.words, laid.values);
                let given = arguments![
                    words,
                    each,
                    values,
                    roots,
                    observations,
                    first,
                    count,
                    wide,
                    rss,
                    off,
                    most,
                    near,
                    scores,
                    near_places,
                    counters,
                    answers,
                    places
                ];
                let function = "score_genotypes";
                return gpu.launch(&strongest::KERNEL, function, grid, THREADS, 0, given);
            }
            let given = arguments![
                columns,
                observations,
                first,
                count,
                wide,
                rss,
                off,
                most,
                near,
                scores,
                near_places,
                counters,
                answers,
                places
            ];
            gpu.launch(&strongest::KERNEL, "score", grid, THREADS, 0, given)
        };
        let all = self.list_strongest((&batch, m), room, rooms, m, launch)?;
        let candidate = |(column, score)| Candidate { column, score };
        let of_model = |own: Vec<(u32, f64)>| own.into_iter().map(candidate).collect();
        Ok(all.into_iter().map(of_model).collect())
    }

    /// Multiplies a batch of m models with all columns, at most `most` at a time, to `e`, and lists by the kernels
    /// that `launch` puts behind each product what is near the largest score: of each model numbers and scores.
    /// There is room for so many entries near it so far, and near it still, at first; `words` are cleared
    /// behind the counters.
    pub(super) fn list_strongest(
        &mut self,
        (batch, m): (&Batch, usize),
        (e, most): (u64, usize),
        (near_room, room): (usize, usize),
        words: usize,
        launch: impl Fn(&Gpu, Arithmetic, &Block, &Lists) -> Result<(), DeviceError>,
    ) -> Result<Vec<Vec<(u32, f64)>>, DeviceError> {
        let gpu = &self.gpu;
        // What was needed before is needed again.
        let (near_before, before) = self.scratch.rooms;
        let (mut near_room, mut room) = (near_room.max(near_before), room.max(before));
        loop {
            let near = self.scratch.near.room(gpu, 2 * near_room, "sweeping")?;
            let cleared = 3 + words;
            let counters = self.scratch.found.room(gpu, cleared, "sweeping")?;
            self.scratch.answers.room(gpu, 2 + 2 * room)?;
            let lists = Lists {
                near,
                scores: near + 8 * near_room as u64,
                near_places: near_room as u64,
                counters,
                most: counters + 24,
                answers: self.scratch.answers.address(),
                places: room as u64,
            };
            let mut clear = true;
            let told = self.scratch.told(batch, m);
            let genotypes = self.columns.genotypes.as_ref();
            self.columns.sweep_packed(gpu, (0, 1), most, |block| {
                let kind = match (block.genotypes, genotypes, &batch.digits) {
                    (Some(laid), Some(own), Some(digits)) => {
                        digits.multiply(gpu, (own, laid), block.count, e)?;
                        Arithmetic::F64
                    }
                    _ => {
                        let (kind, a, b) = batch.factors(&block);
                        gpu.product(MatrixProduct {
                            transposed: true,
                            rows: block.count,
                            columns: m,
                            inner: self.y.len(),
                            a,
                            b,
                            c: e,
                            kind,
                        })?;
                        kind
                    }
                };
                if std::mem::take(&mut clear) {
                    // Behind the product, which need not wait for it.
                    gpu.zero(counters, 8 * cleared)?;
                    gpu.upload(told, batch.rss)?;
                    if let (Some(digits), Some(own)) = (&batch.digits, genotypes) {
                        digits.widen(gpu, batch.rss, (batch.off, own.largest_norm))?;
                    }
                }
                launch(gpu, kind, &block, &lists)
            })?;
            gpu.wait("a sweep")?;
            let told = self.scratch.answers.get(2 + 2 * room);
            let count = |at: usize| usize::try_from(told[at]).unwrap_or(usize::MAX);
            let (nearby, listed) = (count(0), count(1));
            if nearby <= near_room && listed <= room {
                let mut all = vec![Vec::new(); m];
                for entry in told[2..][..2 * listed].chunks(2) {
                    let own = (entry[0] as u32, f64::from_bits(entry[1]));
                    all[(entry[0] >> 32) as usize].push(own);
                }
                return Ok(all);
            }
            // Many equal columns: once more, with room for all of them. What comes early
            // differs from run to run, so some more.
            near_room = near_room.max(nearby + nearby / 4);
            room = room.max(listed + listed / 4);
            self.scratch.rooms = (near_room, room);
        }
    }
}
