//! GPUs by CUDA: which libraries and GPUs this machine has ([`facts`]), and scores and families in CUDA C ([`functions`],
//! [`families`]).
//!
//! CUDA's libraries are opened when the program runs, so the program is the same where there are none.

// The only place that knows of CUDA. The crate that opens its libraries panics where one is missing or
// lacks a function: `library` asks before the first call of each, and everything else asks `library`.
//
// A `Cuda` is a GPU with a shard: `columns` lie on it or pass through it, `models` stay on it and are
// updated there; `find_strongest`, `gain`, `find_neighbours` and `terms` are its sweeps. The host sees orders and short lists.

pub mod ahead;
mod blocks;
mod cache;
mod columns;
mod compile;
pub(crate) mod counting;
mod digits;
pub mod facts;
pub mod families;
mod fit_joined;
pub mod functions;
mod gain;
mod genotypes;
mod gpu;
mod held;
mod host_products;
mod in_file;
mod joining;
pub(crate) mod library;
mod likelihood;
mod memory;
mod models;
mod neighbours;
mod newton;
mod open;
mod per_variable;
mod products;
mod risk;
mod scratch;
mod squares;
mod streams;
mod strongest;
mod sweep;
pub mod tensor;
mod term_models;
mod terms;
mod transfers;

use std::sync::Arc;

use super::{
    Candidate, Device, DeviceError, Gain, ModelUpdate, ModelView, Neighbours, Precision, Resources,
    Shard, TermChange, UpdateOutcome, cpu::neighbours_on_host, fitted_models::FittedModels,
};
use crate::{
    interrupt::Interrupt,
    least_squares::{Fit, FitView},
};
use columns::GpuColumns;
pub(in crate::device) use digits::MOST_PEOPLE;
use gpu::Gpu;
pub use library::Version;
use likelihood::LikelihoodModels;
use models::Models;
use newton::{GpuFits, Newton};
pub(crate) use open::{OpenGpus, StartingGpus};
pub(super) use open::{count, enable_peer_access, is_there};
use passel_kernels::Kernel;
use products::Arithmetic;
use risk::RiskOnGpu;
use scratch::Scratch;
use terms::TermsOnGpu;

const KERNELS: &[Kernel] = &[
    passel_kernels::cox::KERNEL,
    passel_kernels::update::KERNEL,
    passel_kernels::gain::KERNEL,
    passel_kernels::gather::KERNEL,
    passel_kernels::genotypes::KERNEL,
    passel_kernels::joining::KERNEL,
    passel_kernels::strongest::KERNEL,
    passel_kernels::neighbours::KERNEL,
    passel_kernels::newton::KERNEL,
    passel_kernels::risk_squares::KERNEL,
    passel_kernels::squares::KERNEL,
    passel_kernels::term_scores::KERNEL,
];

/// Bytes left free for products, what is beside the models, and cuBLAS itself.
const RESERVE: u64 = 1 << 30;

/// Vectors of n numbers a model takes, its batch and its columns among them.
const VECTORS: u64 = 6;

/// One GPU, its shard of the columns and the models.
pub(super) struct Cuda<'x> {
    shard: Shard<'x>,
    y: Arc<[f64]>,
    screen: Arithmetic,
    // Before the GPU in this order, so that their memory goes back first.
    models: Option<Models>,
    /// Beside them, where the columns have a likelihood that is fitted here.
    newton: Option<GpuFits<'x>>,
    /// Of survival times, where terms are columns.
    risk: Option<RiskOnGpu>,
    /// In their place, where the host fits it.
    fitted: Option<LikelihoodModels<'x>>,
    /// Where some terms have several columns.
    terms: Option<TermsOnGpu>,
    columns: GpuColumns<'x>,
    /// Where each GPU's residuals lie: model i's on GPU i mod their number.
    owners: Vec<u64>,
    scratch: Scratch,
    gpu: Gpu,
}

impl<'x> Cuda<'x> {
    /// Opens a GPU and lays a shard out on it, for `count` models of `y` that improve by this gain, in at most the bytes
    /// that the resources allow; `threads` of the host's are beside it.
    pub(super) fn new(
        ordinal: usize,
        shard: Shard<'x>,
        y: &[f64],
        (count, gain): (usize, Gain),
        resources: &Resources,
        threads: usize,
    ) -> Result<Self, DeviceError> {
        let mut gpu = Gpu::open(ordinal, KERNELS)?;
        let has_genotypes = shard.x.packed().is_some();
        let asked = match resources.precision {
            _ if has_genotypes => Arithmetic::F64,
            Precision::F64 if gpu.slow_f64 => Arithmetic::F32,
            Precision::F64 => Arithmetic::F64,
            Precision::Tf32 if gpu.has_tf32 => Arithmetic::Tf32,
            Precision::F32 | Precision::Tf32 => Arithmetic::F32,
        };
        let terms = shard.x.terms();
        let growth = terms.map_or(1.0, terms::growth);
        let (screen, _) = strongest::screen(asked, y.len(), growth);
        let vectors = VECTORS + 2 * u64::from(shard.x.likelihood().is_some());
        let reserve = RESERVE + vectors * (8 * y.len() * count) as u64;
        let (room, narrow) = ((resources, reserve), screen != Arithmetic::F64);
        let mut columns = GpuColumns::new(&gpu, shard, room, narrow)?;
        columns.expect(&gpu, count, resources.memory_limit);
        let terms = terms.map(|terms| TermsOnGpu::new(&gpu, terms));
        // By the exact gain, and of terms, the host needs to know the fits.
        let on_gpu = gain == Gain::Correlation && terms.is_none();
        let risk = match shard.x.likelihood().filter(|_| terms.is_none()) {
            Some(likelihood) => RiskOnGpu::new(&gpu, likelihood)?,
            None => None,
        };
        let newton = match shard.x.likelihood().filter(|_| on_gpu) {
            Some(likelihood) => {
                Newton::new(&mut gpu, likelihood, risk.as_ref().map(|own| own.rows))?
            }
            None => None,
        };
        let newton = newton
            .map(|newton| GpuFits::new(&gpu, newton, count))
            .transpose()?;
        let of_host = shard.x.likelihood().filter(|_| newton.is_none());
        let fitted = of_host.map(|_| {
            let fits = FittedModels::new(shard.x, y, threads, &resources.memory);
            LikelihoodModels::new(&gpu, fits, y.len(), count)
        });
        let mut cuda = Self {
            shard,
            y: y.into(),
            screen,
            models: None,
            newton,
            risk,
            fitted: fitted.transpose()?,
            terms: terms.transpose()?,
            columns,
            owners: Vec::new(),
            scratch: Scratch::default(),
            gpu,
        };
        cuda.warm_up(count)?;
        Ok(cuda)
    }

    /// Does once what a search does all the time: libraries load their kernels, and memory is taken, when they are first asked.
    fn warm_up(&mut self, count: usize) -> Result<(), DeviceError> {
        let (empty, _) = Fit::of(self.shard.x, &self.y, &[]);
        self.init_models(&empty, count)?;
        self.owners = vec![self.residuals()];
        let models: Vec<ModelView> = (0..count)
            .map(|number| ModelView {
                number,
                support: &[],
                rss: empty.rss(),
                square: empty.square(),
            })
            .collect();
        // Each width may have a kernel of its own; what streams takes long enough for them not to show.
        let (mut few, streams) = (1, self.columns.streams());
        let mut sweep = |models: &[ModelView]| match self.terms {
            None => self.find_strongest(models, Gain::Correlation).map(drop),
            Some(_) => self.strongest_terms(models, Gain::Correlation).map(drop),
        };
        while few < count && !streams {
            sweep(&models[..few])?;
            few *= 2;
        }
        sweep(&models)?;
        if self.fitted.is_some() {
            // The host fits them.
            return Ok(());
        }
        // The narrowest term: there may be wide ones that no model has room for.
        let Shard { x, first, own } = self.shard;
        let terms = (first..first + own.p()).map(|column| x.term_of(column as u32));
        let Some(term) = terms.min_by_key(|term| x.columns_of(*term).len()) else {
            return Ok(());
        };
        let all = |update: ModelUpdate| (0..count).map(|model| (model, update)).collect();
        let adds: Vec<_> = all(ModelUpdate::Add(term));
        let drops: Vec<_> = all(ModelUpdate::Drop(term));
        self.update_models(&adds)?;
        self.update_models(&drops)?;
        Ok(())
    }
}

impl Device for Cuda<'_> {
    fn name(&self) -> String {
        self.gpu.name.clone()
    }

    fn screen_precision(&self) -> &'static str {
        match self.screen {
            _ if self.columns.genotypes.is_some() => "int8",
            Arithmetic::F64 => "f64",
            Arithmetic::F32 => "f32",
            Arithmetic::Tf32 => "tf32",
        }
    }

    fn synchronize(&mut self) {
        // A GPU that was lost has nothing under way.
        let _ = self.gpu.wait("its last work");
    }

    fn copies_of(&mut self, columns: &[u32]) -> Result<Vec<(u32, Vec<f64>)>, DeviceError> {
        self.columns.copies_of(&self.gpu, columns)
    }

    fn heed(&mut self, interrupt: &Interrupt) {
        if let Some(own) = &mut self.fitted {
            own.fits.interrupt = interrupt.clone();
        }
        if let Some(own) = &mut self.newton {
            own.interrupt = interrupt.clone();
        }
    }

    fn set_response(&mut self, y: &[f64]) -> Result<(), DeviceError> {
        self.y = y.into();
        let held = self.models.as_ref();
        held.map_or(Ok(()), |models| models.set_response(&self.gpu, y))
    }

    fn init_models(&mut self, model: &Fit, count: usize) -> Result<(), DeviceError> {
        if let Some(own) = &mut self.fitted {
            return own.init(&self.gpu, model, count);
        }
        let (gpu, columns) = (&self.gpu, &mut self.columns);
        // The residuals stay where they are: other GPUs may read them there.
        let before = self.models.take().filter(|models| models.count() == count);
        let mut models = match before {
            Some(models) => models,
            None => Models::new(gpu, &self.y, model.support().len(), count)?,
        };
        match &mut self.newton {
            None => models.set(gpu, columns, model)?,
            Some(own) => {
                models.set(gpu, columns, &model.without_likelihood())?;
                own.init(gpu, model, count)?;
            }
        }
        self.models = Some(models);
        Ok(())
    }

    fn set_supports(&mut self, models: &[(usize, &[u32])]) -> Result<(), DeviceError> {
        if let Some(own) = &mut self.fitted {
            own.fits.set_supports(models);
            return Ok(());
        }
        let (x, columns) = (self.shard.x, &mut self.columns);
        match &mut self.models {
            Some(held) if x.terms().is_some() => {
                let models = models.iter().map(|(model, terms)| (*model, terms.to_vec()));
                held.place_terms(&self.gpu, columns, x, &Vec::from_iter(models))
            }
            Some(held) => held.place(&self.gpu, columns, models),
            None => Ok(()),
        }
    }

    fn update_models(
        &mut self,
        updates: &[(usize, ModelUpdate)],
    ) -> Result<Vec<UpdateOutcome>, DeviceError> {
        if let Some(own) = &mut self.fitted {
            return own.update(&self.gpu, updates);
        }
        let (x, columns) = (self.shard.x, &mut self.columns);
        if let (Some(own), Some(models)) = (&mut self.newton, &mut self.models) {
            return own.update(&self.gpu, (models, columns), (x, &self.y), updates);
        }
        match &mut self.models {
            Some(models) if x.terms().is_some() => {
                models.update_terms(&self.gpu, columns, x, updates)
            }
            Some(models) => models.update(&self.gpu, columns, updates),
            None => Err(self.unheld()),
        }
    }

    fn find_strongest(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        match gain {
            Gain::Correlation => self.by_correlation(models),
            Gain::Exact if self.is_joint() => self.by_score_on_host(models),
            Gain::Exact if self.fitted.is_some() => self.by_score(models),
            Gain::Exact => self.by_gain(models),
        }
    }

    fn find_strongest_terms(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Vec<TermChange>>, DeviceError> {
        self.strongest_terms(models, gain)
    }

    fn find_drop_costs(&mut self, models: &[usize]) -> Result<Vec<Vec<TermChange>>, DeviceError> {
        match &self.fitted {
            Some(own) => Ok(own.fits.drop_costs(models)),
            None => self.drop_costs(models),
        }
    }

    fn find_neighbours(
        &mut self,
        anchors: &[FitView],
        keep: &[u32],
        count: usize,
        part: (usize, usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Neighbours>, DeviceError> {
        match self.shard.x.terms() {
            Some(terms) => self.near_terms(terms, anchors, (keep, count), part, stop),
            None if self.is_joint() && !self.has_squares(anchors) => {
                let (shard, threads) = (self.shard.part(part), rayon::current_num_threads());
                Ok(neighbours_on_host(
                    shard, anchors, keep, count, threads, stop,
                ))
            }
            None => self.near(anchors, (keep, count), part, stop),
        }
    }

    fn find_joining(
        &mut self,
        anchors: &[FitView],
        least: &[f64],
        part: (usize, usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<u32>>, DeviceError> {
        match self.shard.x.likelihood() {
            Some(likelihood) => self.joining(likelihood, (anchors, least), part, stop),
            None => Ok(vec![Vec::new(); anchors.len()]),
        }
    }

    fn fit_joined(
        &mut self,
        fits: &[FitView],
        pairs: &[(usize, u32)],
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Option<f64>>, DeviceError> {
        self.joined(fits, pairs, stop)
    }
}
