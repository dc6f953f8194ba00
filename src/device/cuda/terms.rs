//! Sweeps of terms of several columns on a GPU: for the swarm the scores are made and reduced there; what
//! neighbours need of products comes to the host, whose threads evaluate it as they do their own.

use std::{collections::BTreeSet, sync::Arc};

use passel_kernels::{
    strongest,
    term_scores::{self, TermFacts},
};
use rayon::prelude::*;

use super::{
    super::{
        DeviceError, Gain, ModelView, Neighbours, TermChange,
        cpu::{
            neighbours_of_likelihood_terms, neighbours_of_terms, strongest_likelihood_terms,
            strongest_terms_exactly,
        },
        terms::free_drops,
    },
    Cuda,
    blocks::Block,
    gpu::{GRID, Gpu, arguments},
    host_products::GpuProducts,
    memory::Buffer,
    models::THREADS,
    products::Arithmetic,
    strongest::{Batch, Lists, SPAN},
};
use crate::{
    design::Terms,
    least_squares::{Fit, FitView},
};

/// The facts of all terms of a design, on the GPU.
pub(super) struct TermsOnGpu {
    facts: Buffer<TermFacts>,
    _numbers: Buffer<f64>,
    _parents: Buffer<u32>,
    /// The widths that there are, ascending.
    widths: Vec<usize>,
    /// See [`growth`].
    growth: f64,
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
            growth: growth(terms),
        })
    }
}

impl TermsOnGpu {
    /// The columns of the widest.
    pub(super) fn widest(&self) -> usize {
        self.widths.last().copied().unwrap_or(1)
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
            let (x, y) = (shard.x, Arc::clone(&self.y));
            let held = self.fitted.as_ref().map(|own| &own.fits);
            let fitted = |model: &ModelView| match held {
                Some(fits) => fits.of(model.number).clone(),
                None => Fit::of(x, &y, model.support).0,
            };
            let fits: Vec<Fit> = models.par_iter().map(fitted).collect();
            let never = || false;
            let mut source = GpuProducts {
                cuda: self,
                part: (0, 1),
                stop: &never,
                squares: None,
            };
            if x.likelihood().is_some() {
                let anchors: Vec<FitView> = fits.iter().map(Fit::view).collect();
                let own = (shard, terms);
                return strongest_likelihood_terms(&mut source, own, &anchors, &never);
            }
            return strongest_terms_exactly(&mut source, (shard, terms), &fits, &never);
        }
        let mut all = Vec::with_capacity(models.len());
        for models in models.chunks(GRID) {
            all.extend(self.sweep_terms(terms, models)?);
        }
        Ok(all)
    }

    /// The terms of each width whose scores ‖X̂_tᵀr‖ may be the largest.
    fn sweep_terms(
        &mut self,
        terms: &Terms,
        models: &[ModelView],
    ) -> Result<Vec<Vec<TermChange>>, DeviceError> {
        let Some(laid) = &self.terms else {
            return Err(self.unheld());
        };
        let (growth, widest, kinds) = (laid.growth, laid.widest(), laid.widths.len());
        let (facts, rule) = (laid.facts.address(), i32::from(terms.needs_all()));
        let batch = self.gather_batch(models, growth)?;
        let (m, observations) = (models.len(), self.y.len() as i64);
        // Products, and behind them the scores of at most as many terms.
        let columns = (self.columns.count(), widest);
        let room = self
            .scratch
            .e
            .products(&self.gpu, columns, 2 * m, "sweeping")?;
        let (e, block) = room;
        let scores = e + 8 * (block * m) as u64;
        let rooms = (4 * kinds * m + SPAN, (4 * kinds * m).max(1024));
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
                scores: near_scores,
                near_places,
                counters,
                most,
                answers,
                places,
            } = *lists;
            // Offsets of no members: those have no score.
            let none = most + 8 * (kinds * m) as u64;
            let last = block.first + block.count as u32 - 1;
            let begin = terms.of(block.first);
            let count = terms.of(last) + 1 - begin;
            let (rows, from, listed) = (block.count as i64, block.first, i64::from(count));
            let function = match kind {
                Arithmetic::F64 => "term_scores_f64",
                Arithmetic::F32 | Arithmetic::Tf32 => "term_scores_f32",
            };
            for kind in 0..kinds as u32 {
                let grid = (count.div_ceil(256), m as u32, 1);
                let given = arguments![
                    e, rows, from, facts, begin, count, kind, rule, offsets, members, scores
                ];
                gpu.launch(&term_scores::KERNEL, function, grid, 256, 0, given)?;
                let most = most + 8 * (kind as usize * m) as u64;
                let grid = (count.div_ceil(SPAN as u32), m as u32, 1);
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
            let (columns, count, models) = (block.address, block.count as u32, m as u64);
            let grid = (4 * gpu.processors, 1, 1);
            let given = arguments![
                columns,
                observations,
                from,
                count,
                facts,
                wide,
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
            let (kernel, shared) = (&term_scores::KERNEL, (8 * widest) as u32);
            gpu.launch(kernel, "score_terms", grid, THREADS, shared, given)
        };
        // The largest of each kind and model, and the offsets.
        let words = kinds * m + m + 1;
        let all = self.list_strongest((&batch, m), room, rooms, words, launch)?;
        let change = |(term, score): (u32, f64)| TermChange {
            term,
            parameters: terms.columns(term).len(),
            rss: score.powi(2),
        };
        let of_model = |own: Vec<(u32, f64)>| own.into_iter().map(change).collect();
        Ok(all.into_iter().map(of_model).collect())
    }

    /// See [`super::super::Device::find_drop_costs`].
    pub(super) fn drop_costs(
        &mut self,
        models: &[usize],
    ) -> Result<Vec<Vec<TermChange>>, DeviceError> {
        let (x, y) = (self.shard.x, &*self.y);
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
                        weighted: None,
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
        let (shard, y) = (self.shard, Arc::clone(&self.y));
        let mut source = GpuProducts {
            cuda: self,
            part,
            stop,
            squares: None,
        };
        if shard.x.likelihood().is_some() {
            let own = (shard.part(part), terms);
            return neighbours_of_likelihood_terms(&mut source, own, (&*y, anchors), wanted, stop);
        }
        neighbours_of_terms(&mut source, (shard, terms), (&*y, anchors), wanted, stop)
    }
}
