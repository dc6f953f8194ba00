//! The strongest column of each model: one product of the shard with the models'
//! residuals, the arg max fused behind it; near ties scored again in a fixed order.

use passel_kernels::{gather, strongest};

use super::{
    super::{
        Candidate, DeviceError, ModelView,
        gain::{MAX_SCREEN_ERROR, tie_width},
    },
    Cuda,
    gpu::{GRID, arguments},
    models::THREADS,
    products::{Arithmetic, MatrixProduct},
};

/// Columns a block of threads looks through: SPAN in kernels/strongest.cu.
const SPAN: usize = 4096;

/// Candidates near the largest so far that there is room for at first, at most.
const NEAR: usize = 1 << 22;

/// Candidates there is room for at first, a model.
const CANDIDATES: usize = 4;

/// What of the arithmetic asked for is worth its while with n observations, and by what
/// share of ‖r‖ a product of a unit column with r may then be off.
pub(super) fn screen(asked: Arithmetic, n: usize) -> (Arithmetic, f64) {
    let single = f64::from(f32::EPSILON) / 2.0;
    // Both factors are rounded, each product is, and n are added up in some order.
    let additions = (n + 3) as f64 * single;
    let (less, off) = match asked {
        Arithmetic::F64 => return (Arithmetic::F64, tie_width(n, 1.0)),
        Arithmetic::F32 => (Arithmetic::F64, additions),
        // Ten bits beside the leading one; factors and sums may be cut off there rather
        // than rounded.
        Arithmetic::Tf32 => (
            Arithmetic::F32,
            2.0 * additions + 2.0 * f64::from(2.0f32.powi(-10)),
        ),
    };
    match off > MAX_SCREEN_ERROR / (n as f64).sqrt() {
        true => screen(less, n),
        false => (asked, off),
    }
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
    /// of its residuals; RSS; where each model's members begin, and these, two a word. The
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
            rss[model] = held.rss.to_bits();
            offsets[model] = at as u64;
            for &member in held.support {
                packed[at / 2] |= u64::from(member) << (32 * (at % 2));
                at += 1;
            }
        }
        offsets[m] = at as u64;
        Ok(words)
    }

    fn sweep_residuals(
        &mut self,
        models: &[ModelView],
    ) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        let (kind, off) = screen(self.screen, self.y.len());
        // Each of two scores may be off by so much; as much again, for what lies within
        // the window of the decision.
        let off = match kind {
            Arithmetic::F64 => 2.0 * off,
            _ => 2.0 * off + 2.0 * tie_width(self.y.len(), 1.0),
        };
        let (n, m) = (self.y.len(), models.len());
        let words = self.tell_batch(models)?;
        let gpu = &self.gpu;
        let batch = self.scratch.batch.room(gpu, n * m, "sweeping")?;
        // RSS of each, where the members of each begin, and these.
        let rss = self.scratch.batch_on_gpu.room(gpu, words - m, "sweeping")?;
        let (offsets, members) = (rss + 8 * m as u64, rss + 8 * (2 * m + 1) as u64);
        let (addresses, observations) = (self.scratch.batch_told.address(), n as i64);
        let grid = (n.div_ceil(1024) as u32, m as u32, 1);
        let given = arguments![addresses, observations, batch];
        gpu.launch(&gather::KERNEL, "gather", grid, 256, 0, given)?;
        let narrow = match kind {
            Arithmetic::F64 => 0,
            _ => {
                let (count, to) = (
                    (n * m) as i64,
                    self.scratch.narrow.room(gpu, n * m, "sweeping")?,
                );
                let grid = (8 * gpu.processors, 1, 1);
                let given = arguments![batch, count, to];
                gpu.launch(&strongest::KERNEL, "narrow", grid, 256, 0, given)?;
                to
            }
        };
        let (e, block) = self
            .scratch
            .e
            .products(gpu, self.columns.count(), m, "sweeping")?;
        let tiles = self.columns.count().div_ceil(SPAN) + self.columns.count().div_ceil(block);
        // What was needed before is needed again.
        let (near_before, before) = self.scratch.rooms;
        let mut near_room = ((CANDIDATES + tiles) * m).min(NEAR).max(near_before);
        let mut room = (CANDIDATES * m).max(1024).max(before);
        loop {
            // What came near the largest so far, and how large it was.
            let near = self.scratch.near.room(gpu, 2 * near_room, "sweeping")?;
            let scores = near + 8 * near_room as u64;
            // How many came near, how many are near still, blocks that have ended; then the largest
            // of each model.
            let cleared = m + 3;
            let counters = self.scratch.found.room(gpu, cleared, "sweeping")?;
            let most = counters + 24;
            self.scratch.answers.room(gpu, 2 + 2 * room)?;
            let answers = self.scratch.answers.address();
            let (near_places, places) = (near_room as u64, room as u64);
            let mut clear = true;
            let batch_told = &self.scratch.batch_told.get(words)[m..];
            self.columns.sweep(gpu, (0, 1), block, |block| {
                let (kind, a, b) = match (kind, block.narrow) {
                    (Arithmetic::F64, _) | (_, None) => (Arithmetic::F64, block.address, batch),
                    (kind, Some(narrowed)) => (kind, narrowed, narrow),
                };
                gpu.product(MatrixProduct {
                    transposed: true,
                    rows: block.count,
                    columns: m,
                    inner: n,
                    a,
                    b,
                    c: e,
                    kind,
                })?;
                if std::mem::take(&mut clear) {
                    // Behind the product, which need not wait for it.
                    gpu.zero(counters, 8 * cleared)?;
                    gpu.upload(batch_told, rss)?;
                }
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
                let given = arguments![
                    columns,
                    observations,
                    first,
                    count,
                    batch,
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
            })?;
            gpu.wait("a sweep")?;
            let told = self.scratch.answers.get(2 + 2 * room);
            let count = |at: usize| usize::try_from(told[at]).unwrap_or(usize::MAX);
            let (nearby, listed) = (count(0), count(1));
            if nearby <= near_room && listed <= room {
                let mut all = vec![Vec::new(); m];
                for entry in told[2..][..2 * listed].chunks(2) {
                    all[(entry[0] >> 32) as usize].push(Candidate {
                        column: entry[0] as u32,
                        score: f64::from_bits(entry[1]),
                    });
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
