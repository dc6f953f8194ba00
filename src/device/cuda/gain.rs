//! The strongest column of each model by the exact fall in RSS: products with r and Q
//! bound it, and what the bounds leave open is projected by itself.

use passel_kernels::gain;
use rayon::prelude::*;

use super::{
    super::{
        Candidate, DeviceError, ModelView,
        cpu::strongest_on_host,
        gain::{exact_gain, factor_width, push_orthonormal, tie_width},
    },
    Cuda,
    blocks::Block,
    gpu::{Gpu, arguments},
    likelihood::LikelihoodModels,
    models::THREADS,
    products::{MatrixProduct, PRODUCTS},
    squares::Squares,
};

const DURING: &str = "sweeping for exact gains";

/// Columns of r and Q at a time.
const WIDTH: usize = 2048;

/// Rows of E a thread looks at, about.
const STRIDE: usize = 1024;

impl Cuda<'_> {
    /// By the exact gain; see [`super::super::Device::find_strongest`].
    pub(super) fn by_gain(
        &mut self,
        models: &[ModelView],
    ) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        let held = self.models.as_ref().ok_or_else(|| self.unheld())?;
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let most = (PRODUCTS / (8 * self.y.len())).clamp(1, WIDTH);
        let mut width = most;
        for model in models.iter().map(|model| model.number) {
            let more = held.size(model) + 1;
            if width + more > most {
                parts.push(Vec::new());
                width = 0;
            }
            width += more;
            if let Some(part) = parts.last_mut() {
                part.push(model);
            }
        }
        let mut all = Vec::with_capacity(models.len());
        for part in parts {
            all.extend(self.sweep_gains(&part)?);
        }
        Ok(all)
    }

    fn sweep_gains(&mut self, models: &[usize]) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        let (n, m) = (self.y.len(), models.len());
        let gpu = &self.gpu;
        let held = self.models.as_ref().ok_or_else(|| self.unheld())?;
        let (support, capacity) = held.support();
        let mut width = 0;
        let mut swept = Vec::with_capacity(m);
        for &model in models {
            let k = held.size(model);
            swept.push(SweptModel {
                start: width,
                vectors: k,
                k,
                support: support + 4 * model as u64 * capacity as u64,
                square: held.rss_of(model),
            });
            width += k + 1;
        }
        let which: Vec<u32> = models.iter().map(|model| *model as u32).collect();
        let offsets: Vec<u64> = swept.iter().map(|own| (own.start * n) as u64).collect();
        let on_gpu = self.scratch.which.room(gpu, m, DURING)?;
        let largest = self.scratch.largest.room(gpu, 2 * m, DURING)?;
        let offsets_on_gpu = largest + 8 * m as u64;
        gpu.upload(&which, on_gpu)?;
        gpu.upload(&offsets, offsets_on_gpu)?;
        let batch = self.scratch.batch.room(gpu, n * width, DURING)?;
        let most_columns = models.iter().map(|model| held.size(*model) + 1).max();
        let columns = most_columns.unwrap_or(1).min(65_535) as u32;
        let grid = ((n.div_ceil(STRIDE)) as u32, columns, m as u32);
        let all = held.held();
        let given = arguments![all, on_gpu, offsets_on_gpu, batch];
        gpu.launch(&gain::KERNEL, "orthonormal", grid, 256, 0, given)?;
        let blocks = (held.count() as u32).min(4 * gpu.processors);
        let shared = held.shared();
        let score = |gpu: &Gpu, block: &Block, list: u64, counter: u64, room: u64, scores: u64| {
            let (columns, first, count) = (block.address, block.first, block.count as u32);
            let exact = arguments![
                all, columns, first, count, on_gpu, list, counter, room, scores
            ];
            let grid = (blocks, 1, 1);
            gpu.launch(&gain::KERNEL, "gain", grid, THREADS, shared, exact)
        };
        let found = self.list_gains((batch, width), &swept, None, score)?;
        // A collinear column gains nothing.
        let gains = found.into_iter().map(|own| {
            let own = own.into_iter().filter(|candidate| candidate.score > 0.0);
            own.collect()
        });
        Ok(gains.collect())
    }

    /// The same by score statistics, of models that have a likelihood: the host decides among what the bounds leave
    /// open.
    pub(super) fn by_score(
        &mut self,
        models: &[ModelView],
    ) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        let (n, x) = (self.y.len(), self.shard.x);
        let most = (PRODUCTS / (8 * n)).clamp(1, WIDTH);
        let mut all = Vec::with_capacity(models.len());
        let mut rest = models;
        while !rest.is_empty() {
            let Some(LikelihoodModels { fits, .. }) = &self.fitted else {
                return Err(self.unheld());
            };
            // As many as there is room for, at least one.
            let mut width = 0;
            let mut swept = Vec::new();
            for model in rest {
                let view = fits.view(model.number);
                let (more, _) = factor_width(&view);
                if width > 0 && width + more > most {
                    break;
                }
                swept.push((width, more, model.number));
                width += more;
            }
            let (part, after) = rest.split_at(swept.len());
            rest = after;
            let vectors = |(_, _, number): &(usize, usize, usize)| {
                let mut batch = Vec::new();
                push_orthonormal(x, &fits.view(*number), &mut batch);
                batch
            };
            let batch: Vec<Vec<f64>> = swept.par_iter().map(vectors).collect();
            let batch = batch.concat();
            let weights = swept.iter().filter_map(|(_, _, number)| {
                let view = fits.view(*number);
                view.weighted.map(|own| own.weights)
            });
            let weights: Vec<f64> = weights.flatten().copied().collect();
            let supports: Vec<u32> = swept
                .iter()
                .flat_map(|(_, _, number)| fits.of(*number).support())
                .copied()
                .collect();
            let gpu = &self.gpu;
            let mut support = self.scratch.which.room(gpu, supports.len(), DURING)?;
            gpu.upload(&supports, support)?;
            let address = self.scratch.batch.room(gpu, batch.len(), DURING)?;
            gpu.upload(&batch, address)?;
            let swept: Vec<SweptModel> = swept
                .into_iter()
                .map(|(start, width, number)| {
                    let (fit, at) = (fits.of(number), support);
                    let k = fit.support().len();
                    support += 4 * k as u64;
                    SweptModel {
                        start,
                        vectors: width - 1,
                        k,
                        support: at,
                        square: fit.square(),
                    }
                })
                .collect();
            let undecided = |_: &Gpu, _: &Block, _, _, _, _| Ok(());
            let found = self.list_gains((address, width), &swept, Some(&weights), undecided)?;
            let Some(LikelihoodModels { fits, .. }) = &self.fitted else {
                return Err(self.unheld());
            };
            let decide = |(model, found): (&ModelView, Vec<Candidate>)| {
                let view = fits.view(model.number);
                let scored = found.into_iter().map(|candidate| Candidate {
                    score: exact_gain(x, &view, candidate.column),
                    ..candidate
                });
                scored.filter(|candidate| candidate.score > 0.0).collect()
            };
            let pairs: Vec<_> = part.iter().zip(found).collect();
            all.par_extend(pairs.into_par_iter().map(decide));
        }
        Ok(all)
    }

    /// The same where the host multiplies by second derivatives.
    pub(super) fn by_score_on_host(
        &mut self,
        models: &[ModelView],
    ) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        let Some(LikelihoodModels { fits, .. }) = &self.fitted else {
            return Err(self.unheld());
        };
        let shard = self.shard;
        let stop = || fits.interrupt.requested();
        let strongest =
            |model: &ModelView| strongest_on_host(shard, &fits.view(model.number), &stop);
        Ok(models.par_iter().map(strongest).collect())
    }

    /// Multiplies [r, Q] of models, so many columns side by side, with all columns, and lists those whose gains may be
    /// the largest, with the scores that `score` puts behind them: it is given a block, the list, its counter, the room
    /// and where scores go. Columns have unit norm, or squares under `weights`, n a model.
    fn list_gains(
        &mut self,
        (batch, width): (u64, usize),
        models: &[SweptModel],
        weights: Option<&[f64]>,
        score: impl Fn(&Gpu, &Block, u64, u64, u64, u64) -> Result<(), DeviceError>,
    ) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        let (n, m) = (self.y.len(), models.len());
        let gpu = &self.gpu;
        let largest = self.scratch.largest.room(gpu, 2 * m, DURING)?;
        // With the bounds of one model's gains behind the products.
        let columns = (self.columns.count(), 1);
        let room = self.scratch.e.products(gpu, columns, width + 1, DURING);
        let (e, mut most) = room?;
        let upper = e + 8 * (most * width) as u64;
        let squares = match weights {
            None => None,
            Some(weights) => {
                let room = &mut self.scratch.squares;
                let (squares, columns) = Squares::new(gpu, room, (weights, n), most, DURING)?;
                most = columns;
                Some(squares)
            }
        };
        let mut room = (4 * m).max(1024);
        loop {
            let counter = self.scratch.found.room(gpu, 1 + 2 * room, DURING)?;
            gpu.zero(largest, 8 * m)?;
            gpu.zero(counter, 8 * (1 + 2 * room))?;
            let (list, places) = (counter + 8, room as u64);
            let scores = list + 8 * places;
            self.columns.sweep(gpu, (0, 1), most, |block| {
                let own = (block.address, block.count);
                gpu.product(MatrixProduct::of_columns(own, (batch, width), n, e))?;
                if let Some(squares) = &squares {
                    squares.fill(gpu, &block)?;
                }
                let (rows, first) = (block.count as i64, block.first);
                let grid = (block.count.div_ceil(STRIDE) as u32, 1, 1);
                for (at, own) in models.iter().enumerate() {
                    let products = e + 8 * (block.count * own.start) as u64;
                    let off = tie_width(n, own.square.sqrt());
                    // k squares, each off by twice the error of a product.
                    let error = 16.0 * ((own.k + 1) * n) as f64 * f64::EPSILON;
                    let of_squares = squares.as_ref();
                    let of_squares = of_squares.map_or(0, |all| all.of(at, block.count));
                    let (support, largest) = (own.support, largest + 8 * at as u64);
                    let (vectors, k, at) = (own.vectors as i32, own.k as i32, at as u64);
                    let bounds = arguments![
                        products, vectors, of_squares, support, k, rows, first, off, error, upper,
                        largest
                    ];
                    gpu.launch(&gain::KERNEL, "bounds", grid, 256, 0, bounds)?;
                    let open = arguments![upper, rows, first, at, largest, list, counter, places];
                    gpu.launch(&gain::KERNEL, "collect_gains", grid, 256, 0, open)?;
                }
                score(gpu, &block, list, counter, places, scores)
            })?;
            let answers = self.scratch.answers.room(gpu, 1 + 2 * room)?;
            gpu.download(counter, answers)?;
            gpu.wait("a sweep for exact gains")?;
            let listed = usize::try_from(answers[0]).unwrap_or(usize::MAX);
            if listed > room {
                room = listed;
                continue;
            }
            let (list, scores) = answers[1..].split_at(room);
            let mut all = vec![Vec::new(); m];
            for (pair, score) in list[..listed].iter().zip(scores) {
                all[(pair >> 32) as usize].push(Candidate {
                    column: *pair as u32,
                    score: f64::from_bits(*score),
                });
            }
            return Ok(all);
        }
    }
}

/// A model of a batch that is swept.
struct SweptModel {
    /// Its first column in the batch.
    start: usize,
    /// The vectors of Q, and how many columns it has.
    vectors: usize,
    k: usize,
    /// Where these lie.
    support: u64,
    /// ‖r‖².
    square: f64,
}
