//! Sweeps of terms of several columns on a GPU: for the swarm the scores are made and reduced there; what
//! neighbours need of products comes to the host, whose threads evaluate it as they do their own.

use std::collections::BTreeSet;

use passel_kernels::{
    strongest,
    term_scores::{self, TermFacts},
};
use rayon::prelude::*;

use super::{
    super::{
        DeviceError, Gain, ModelView, Neighbours, TermChange,
        cpu::{neighbours_of_terms, strongest_terms_exactly},
        terms::free_drops,
    },
    Cuda,
    gpu::{GRID, Gpu, arguments},
    host_products::GpuProducts,
    memory::Buffer,
    models::THREADS,
    products::{Arithmetic, MatrixProduct},
};
use crate::{
    design::Terms,
    least_squares::{Fit, FitView},
};

/// Terms a block of threads looks through: SPAN in kernels/strongest.cu.
const SPAN: usize = 4096;

/// The facts of all terms of a design, on the GPU.
pub(super) struct TermsOnGpu {
    facts: Buffer<TermFacts>,
    _numbers: Buffer<f64>,
    _parents: Buffer<u32>,
    /// The widths that there are, ascending.
    widths: Vec<usize>,
}

/// By how much errors of products may grow once they are those of orthonormal columns.
pub(super) fn growth(terms: &Terms) -> f64 {
    terms.growth() * (terms.widest() as f64).sqrt()
}

impl TermsOnGpu {
    pub(super) fn new(gpu: &Gpu, terms: &Terms) -> Result<Self, DeviceError> {
        const DURING: &str = "laying out the terms";
        let count = terms.count() as u32;
        let widest = terms.widest();
        if 8 * widest + 1024 > gpu.shared as usize {
            return Err(DeviceError::Failed {
                device: gpu.name.clone(),
                during: DURING.to_owned(),
                reason: format!(
                    "a term has {widest} columns, more than it has shared memory for; use --device cpu"
                ),
            });
        }
        let widths: BTreeSet<usize> = (0..count).map(|term| terms.columns(term).len()).collect();
        let widths = Vec::from_iter(widths);
        let (mut numbers, mut parents) = (Vec::new(), Vec::new());
        let places: Vec<(usize, usize)> = (0..count)
            .map(|term| {
                let places = (numbers.len(), parents.len());
                numbers.extend_from_slice(terms.to_orthonormal(term).unwrap_or_default());
                parents.extend_from_slice(terms.parents(term));
                places
            })
            .collect();
        let numbers_on_gpu = gpu.buffer(numbers.len(), DURING)?;
        let parents_on_gpu = gpu.buffer(parents.len(), DURING)?;
        let facts = (0..count).zip(places).map(|(term, (number, parent))| {
            let columns = terms.columns(term);
            TermFacts {
                to_orthonormal: match terms.to_orthonormal(term) {
                    Some(_) => numbers_on_gpu.at(number),
                    None => 0,
                },
                parents: parents_on_gpu.at(parent),
                first: columns.start,
                width: columns.len() as u32,
                needs: terms.parents(term).len() as u32,
                kind: widths.partition_point(|width| *width < columns.len()) as u32,
            }
        });
        let facts: Vec<TermFacts> = facts.collect();
        let facts_on_gpu = gpu.buffer(facts.len(), DURING)?;
        gpu.upload(&numbers, numbers_on_gpu.address())?;
        gpu.upload(&parents, parents_on_gpu.address())?;
        gpu.upload(&facts, facts_on_gpu.address())?;
        gpu.wait(DURING)?;
        Ok(Self {
            facts: facts_on_gpu,
            _numbers: numbers_on_gpu,
            _parents: parents_on_gpu,
            widths,
        })
    }
}

impl Cuda<'_> {
    /// See [`super::super::Device::find_strongest_terms`].
    pub(super) fn strongest_terms(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Vec<TermChange>>, DeviceError> {
        let shard = self.shard;
        let Some(terms) = shard.x.terms() else {
            return Ok(vec![Vec::new(); models.len()]);
        };
        if gain == Gain::Exact {
            let (x, y) = (shard.x, self.y);
            let fitted = |model: &ModelView| Fit::of(x, y, model.support).0;
            let fits: Vec<Fit> = models.par_iter().map(fitted).collect();
            let never = || false;
            let mut source = GpuProducts {
                cuda: self,
                part: (0, 1),
                stop: &never,
            };
            return strongest_terms_exactly(&mut source, (shard, terms), &fits, &never);
        }
        let mut all = Vec::with_capacity(models.len());
        for models in models.chunks(GRID) {
            all.extend(self.sweep_terms(terms, models)?);
        }
        Ok(all)
    }

    /// The terms of each width whose scores ‖X̂_tᵀr‖ may be the largest; as `sweep_residuals` does by columns.
    fn sweep_terms(
        &mut self,
        terms: &Terms,
        models: &[ModelView],
    ) -> Result<Vec<Vec<TermChange>>, DeviceError> {
        let growth = growth(terms);
        let batch = self.gather_batch(models, growth)?;
        let (n, m) = (self.y.len(), models.len());
        let gpu = &self.gpu;
        let Some(laid) = &self.terms else {
            return Err(self.unheld());
        };
        let widest = laid.widths.last().copied().unwrap_or(1);
        // Products, and behind them the scores of at most as many terms.
        let columns = (self.columns.count(), widest);
        let products = self.scratch.e.products(gpu, columns, 2 * m, "sweeping")?;
        let (e, block) = products;
        let scores = e + 8 * (block * m) as u64;
        let (facts, rule) = (laid.facts.address(), i32::from(terms.needs_all()));
        let kinds = laid.widths.len();
        let (near_before, before) = self.scratch.rooms;
        let mut near_room = (4 * kinds * m + SPAN).max(near_before);
        let mut room = (4 * kinds * m).max(1024).max(before);
        loop {
            let near = self.scratch.near.room(gpu, 2 * near_room, "sweeping")?;
            let near_scores = near + 8 * near_room as u64;
            // Three counters, the largest of each kind and model, and offsets of no members.
            let cleared = 3 + kinds * m + m + 1;
            let counters = self.scratch.found.room(gpu, cleared, "sweeping")?;
            let most = counters + 24;
            let none = most + 8 * (kinds * m) as u64;
            self.scratch.answers.room(gpu, 2 + 2 * room)?;
            let answers = self.scratch.answers.address();
            let (near_places, places) = (near_room as u64, room as u64);
            let mut clear = true;
            let told = self.scratch.told(&batch, m);
            self.columns.sweep(gpu, (0, 1), block, |block| {
                let (kind, a, b) = batch.factors(&block);
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
                    gpu.zero(counters, 8 * cleared)?;
                    gpu.upload(told, batch.rss)?;
                }
                let last = block.first + block.count as u32 - 1;
                let begin = terms.of(block.first);
                let count = terms.of(last) + 1 - begin;
                let (rows, from, listed) = (block.count as i64, block.first, count as i64);
                let function = match kind {
                    Arithmetic::F64 => "term_scores_f64",
                    Arithmetic::F32 | Arithmetic::Tf32 => "term_scores_f32",
                };
                for kind in 0..kinds as u32 {
                    let grid = (count.div_ceil(256), m as u32, 1);
                    let (offsets, members) = (batch.offsets, batch.members);
                    let given = arguments![
                        e, rows, from, facts, begin, count, kind, rule, offsets, members, scores
                    ];
                    gpu.launch(&term_scores::KERNEL, function, grid, 256, 0, given)?;
                    let most = most + 8 * (kind as usize * m) as u64;
                    let grid = (count.div_ceil(SPAN as u32), m as u32, 1);
                    let (rss, off) = (batch.rss, batch.off);
                    let given = arguments![
                        scores,
                        listed,
                        begin,
                        rss,
                        none,
                        members,
                        off,
                        most,
                        near,
                        near_scores,
                        counters,
                        near_places
                    ];
                    gpu.launch(&strongest::KERNEL, "near_f64", grid, 256, 0, given)?;
                }
                let (columns, observations) = (block.address, n as i64);
                let (count, models) = (block.count as u32, m as u64);
                let (residuals, rss, off) = (batch.wide, batch.rss, batch.off);
                let grid = (4 * gpu.processors, 1, 1);
                let given = arguments![
                    columns,
                    observations,
                    from,
                    count,
                    facts,
                    residuals,
                    rss,
                    off,
                    most,
                    models,
                    near,
                    near_scores,
                    near_places,
                    counters,
                    answers,
                    places
                ];
                let shared = (8 * widest) as u32;
                let kernel = &term_scores::KERNEL;
                gpu.launch(kernel, "score_terms", grid, THREADS, shared, given)
            })?;
            gpu.wait("a sweep of terms")?;
            let told = self.scratch.answers.get(2 + 2 * room);
            let count = |at: usize| usize::try_from(told[at]).unwrap_or(usize::MAX);
            let (nearby, listed) = (count(0), count(1));
            if nearby <= near_room && listed <= room {
                let mut all = vec![Vec::new(); m];
                for entry in told[2..][..2 * listed].chunks(2) {
                    let term = entry[0] as u32;
                    all[(entry[0] >> 32) as usize].push(TermChange {
                        term,
                        parameters: terms.columns(term).len(),
                        rss: f64::from_bits(entry[1]).powi(2),
                    });
                }
                return Ok(all);
            }
            // As in sweeps of columns: once more, with room for all.
            near_room = near_room.max(nearby + nearby / 4);
            room = room.max(listed + listed / 4);
            self.scratch.rooms = (near_room, room);
        }
    }

    /// See [`super::super::Device::find_drop_costs`].
    pub(super) fn drop_costs(
        &mut self,
        models: &[usize],
    ) -> Result<Vec<Vec<TermChange>>, DeviceError> {
        let (x, y) = (self.shard.x, self.y);
        let Some(held) = &mut self.models else {
            return Err(self.unheld());
        };
        let whole = models.iter().filter(|model| !held.is_partial(x, **model));
        let whole: Vec<usize> = whole.copied().collect();
        let mut factors = held.download_factors(&self.gpu, &whole)?.into_iter();
        let held = &*held;
        let (supports, held_terms, keep) = (&held.supports, &held.terms, &held.kept_terms);
        let with_factors = models.iter().map(|model| {
            let factors = (!held.is_partial(x, *model)).then(|| factors.next());
            (*model, factors.flatten())
        });
        let all: Vec<(usize, Option<[Vec<f64>; 2]>)> = with_factors.collect();
        let costs = |(model, factors): &(usize, Option<[Vec<f64>; 2]>)| {
            let terms = &held_terms[*model];
            match factors {
                Some([inverse, coefficients]) => {
                    let view = FitView {
                        support: &supports[*model],
                        terms,
                        coefficients,
                        inverse,
                        residual: &[],
                    };
                    free_drops(x, keep, terms, view.term_drop_costs(x))
                }
                None => {
                    let fit = Fit::of(x, y, terms).0;
                    free_drops(x, keep, fit.terms(), fit.term_drop_costs(x))
                }
            }
        };
        Ok(all.par_iter().map(costs).collect())
    }

    /// See [`super::super::Device::find_neighbours`].
    pub(super) fn near_terms(
        &mut self,
        terms: &Terms,
        anchors: &[FitView],
        wanted: (&[u32], usize),
        part: (usize, usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Neighbours>, DeviceError> {
        let (shard, y) = (self.shard, self.y);
        let mut source = GpuProducts {
            cuda: self,
            part,
            stop,
        };
        neighbours_of_terms(&mut source, (shard, terms), (y, anchors), wanted, stop)
    }
}
