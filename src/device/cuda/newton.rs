//! Fits of logistic and Poisson regression, of families of plugins and of Cox's model on a GPU. What its kernels leave the host's
//! threads fit.

use passel_kernels::{
    Kernel,
    cox::{self, CoxArgs, RiskRows},
    newton::{self, NewtonArgs, NewtonJob, shared_bytes},
};
use rayon::prelude::*;

use super::{
    super::{DeviceError, ModelUpdate, UpdateOutcome, fitted_models::cheapest},
    columns::GpuColumns,
    families, functions,
    gpu::{Gpu, arguments},
    memory::Buffer,
    models::Models,
    per_variable::HOLDING,
    scratch::{GrowableBuffer, StagingBuffer},
};
use crate::{design::Columns, family::Likelihood, interrupt::Interrupt, least_squares::Fit};

/// Columns of the largest model that is fitted here.
const MOST: usize = 96;

/// Blocks on a multiprocessor.
const BLOCKS: u32 = 2;

const DURING: &str = "fitting models";

/// What fits need of the response, and room for them.
pub(super) struct Newton<'x> {
    likelihood: &'x Likelihood,
    n: usize,
    /// Of survival times who is at risk when.
    risk: Option<RiskRows>,
    /// The kernel that knows the family.
    kernel: Kernel,
    /// y, weights, offsets, and the linear predictors that a fit from nothing begins at, n each; then the parameters of a
    /// plugin's family.
    response: Buffer<f64>,
    /// Of each block.
    room: GrowableBuffer<f64>,
    /// Blocks at a time, at most.
    blocks: usize,
    most: usize,
    jobs: StagingBuffer<NewtonJob>,
    answers: StagingBuffer<f64>,
}

impl<'x> Newton<'x> {
    /// None for a likelihood that is not fitted here.
    pub(super) fn new(
        gpu: &mut Gpu,
        likelihood: &'x Likelihood,
        risk: Option<RiskRows>,
    ) -> Result<Option<Self>, DeviceError> {
        let first = match risk {
            Some(_) => Some(likelihood.response().offset().to_vec()),
            None => likelihood.first_predictors(),
        };
        let Some(first) = first else {
            return Ok(None);
        };
        let (response, n) = (likelihood.response(), first.len());
        let (mut kernel, mut values) = (newton::KERNEL, Vec::new());
        if let Some(family) = response.family().distribution().plugin() {
            let Some(own) = families::fits(family) else {
                return Ok(None);
            };
            let name = family.name.to_string_lossy();
            let loaded = gpu.load(&[own]);
            loaded.map_err(|error| functions::attribute(&name, error))?;
            kernel = own;
            values.extend(family.parameters.iter().map(|(_, value)| *value));
        }
        let held = gpu.buffer(4 * n + values.len(), HOLDING)?;
        let parts = [response.y(), response.weights(), response.offset(), &first];
        for (at, part) in parts.into_iter().chain([&*values]).enumerate() {
            gpu.upload(part, held.at(at * n))?;
        }
        let fits = |k: &usize| shared_bytes(k + 1) + 2048 <= gpu.shared as usize;
        Ok(Some(Self {
            likelihood,
            n,
            risk,
            kernel,
            response: held,
            room: GrowableBuffer::default(),
            blocks: (BLOCKS * gpu.processors) as usize,
            most: (0..=MOST).rev().find(fits).unwrap_or(0),
            jobs: StagingBuffer::default(),
            answers: StagingBuffer::default(),
        }))
    }

    /// Where a fit from nothing begins.
    fn first(&self) -> u64 {
        self.response.at(3 * self.n)
    }

    /// Fits models; of each the loss and ‖scores‖², or nothing where the host is to fit it.
    pub(super) fn fit(
        &mut self,
        gpu: &Gpu,
        jobs: &[NewtonJob],
    ) -> Result<Vec<Option<(f64, f64)>>, DeviceError> {
        let least = i64::from(!self.likelihood.has_intercept());
        let is_small = |at: &usize| (least..=self.most as i64).contains(&jobs[*at].k);
        let here: Vec<usize> = (0..jobs.len()).filter(is_small).collect();
        let mut told = vec![None; jobs.len()];
        let Some(widest) = here.iter().map(|at| jobs[*at].k as usize).max() else {
            return Ok(told);
        };
        let given = self.jobs.room(gpu, here.len())?.iter_mut();
        given.zip(&here).for_each(|(job, at)| *job = jobs[*at]);
        self.answers.room(gpu, 4 * here.len())?;
        let most = self.blocks.min(here.len());
        let each = match &self.risk {
            Some(rows) => cox::room_each(rows, widest),
            None => 3 * self.n,
        };
        let (room, blocks) = self.room.as_many(gpu, each, (1, most), DURING)?;
        let (given, answers, count) = (
            self.jobs.address(),
            self.answers.address(),
            here.len() as i32,
        );
        let (grid, shared) = ((blocks as u32, 1, 1), shared_bytes(widest + 1) as u32);
        match self.risk {
            Some(rows) => {
                let args = self.risk_args(rows, (room, each));
                let given = arguments![args, given, count, answers];
                gpu.launch(&cox::KERNEL, "cox", grid, 256, shared, given)?;
            }
            None => {
                let args = self.args(room);
                let given = arguments![args, given, count, answers];
                gpu.launch(&self.kernel, "newton", grid, 256, shared, given)?;
            }
        }
        gpu.wait(DURING)?;
        let answers = self.answers.get(4 * here.len()).chunks(4);
        for (at, answer) in here.iter().zip(answers) {
            let loss = answer[0] / self.likelihood.loss_scale();
            told[*at] = (answer[2] == 0.0).then_some((loss, answer[1]));
        }
        Ok(told)
    }

    fn args(&self, room: u64) -> NewtonArgs {
        let (of_scores, of_weights) = self.likelihood.scales();
        let (shift, least_change) = self.likelihood.deviance_shift();
        NewtonArgs {
            n: self.n as i64,
            y: self.response.at(0),
            weights: self.response.at(self.n),
            offset: self.response.at(2 * self.n),
            shift,
            least_change,
            of_scores,
            of_costs: of_weights / self.likelihood.coefficient_scale().powi(2),
            first: self.first(),
            room,
            values: self.response.at(4 * self.n),
            is_binomial: i32::from(self.likelihood.is_logistic()),
            has_intercept: i32::from(self.likelihood.has_intercept()),
        }
    }

    fn risk_args(&self, rows: RiskRows, (room, each): (u64, usize)) -> CoxArgs {
        let (of_scores, of_weights) = self.likelihood.scales();
        let (least, least_change) = self.likelihood.partial_least();
        CoxArgs {
            rows,
            weights: self.response.at(self.n),
            offset: self.response.at(2 * self.n),
            shift: -0.5 * least,
            least_change,
            of_scores,
            of_costs: of_weights / self.likelihood.coefficient_scale().powi(2),
            first: self.first(),
            room,
            room_each: each as i64,
        }
    }
}

/// The fits of the swarm's models beside their least squares, which tell what enters.
pub(super) struct GpuFits<'x> {
    pub(super) newton: Newton<'x>,
    /// n a model each.
    predictors: Buffer<f64>,
    scores: Buffer<f64>,
    /// Of each model the loss and ‖scores‖², and what drops cost by position.
    losses: Vec<(f64, f64)>,
    costs: Vec<Vec<f64>>,
    /// What kernels write of them.
    written_costs: StagingBuffer<f64>,
    /// What ends the host's fits before all are made.
    pub(super) interrupt: Interrupt,
}

impl<'x> GpuFits<'x> {
    /// Room for so many models.
    pub(super) fn new(gpu: &Gpu, newton: Newton<'x>, count: usize) -> Result<Self, DeviceError> {
        let n = newton.n;
        Ok(Self {
            newton,
            predictors: gpu.buffer(count * n, HOLDING)?,
            scores: gpu.buffer(count * n, HOLDING)?,
            losses: Vec::new(),
            costs: Vec::new(),
            written_costs: StagingBuffer::default(),
            interrupt: Interrupt::default(),
        })
    }

    /// Where the scores lie.
    pub(super) fn scores(&self) -> u64 {
        self.scores.address()
    }

    /// Makes every model like `model`.
    pub(super) fn init(&mut self, gpu: &Gpu, model: &Fit, count: usize) -> Result<(), DeviceError> {
        if count * self.newton.n > self.scores.len() {
            self.predictors = gpu.buffer(count * self.newton.n, HOLDING)?;
            self.scores = gpu.buffer(count * self.newton.n, HOLDING)?;
        }
        self.losses = vec![(0.0, 0.0); count];
        self.costs = vec![Vec::new(); count];
        for at in 0..count {
            self.copy_from_host(gpu, at, model, model.support())?;
        }
        gpu.wait(HOLDING)
    }

    /// Makes a model that of the host, whose columns are there in this order.
    fn copy_from_host(
        &mut self,
        gpu: &Gpu,
        at: usize,
        fit: &Fit,
        support: &[u32],
    ) -> Result<(), DeviceError> {
        let n = self.newton.n;
        if let Some(family) = fit.family() {
            gpu.upload(family.predictors(), self.predictors.at(at * n))?;
        }
        gpu.upload(fit.residual(), self.scores.at(at * n))?;
        self.losses[at] = (fit.rss(), fit.square());
        let costs: Vec<(u32, f64)> = fit
            .support()
            .iter()
            .copied()
            .zip(fit.drop_costs())
            .collect();
        let cost = |column: &u32| {
            let own = costs.iter().find(|(own, _)| own == column);
            own.map_or(0.0, |(_, cost)| *cost)
        };
        self.costs[at] = support.iter().map(cost).collect();
        Ok(())
    }

    /// See [`super::super::Device::update_models`].
    pub(super) fn update(
        &mut self,
        gpu: &Gpu,
        (models, columns): (&mut Models, &mut GpuColumns),
        (x, y): (Columns, &[f64]),
        updates: &[(usize, ModelUpdate)],
    ) -> Result<Vec<UpdateOutcome>, DeviceError> {
        // What is cheapest the likelihood says.
        let order = |(model, update): &(usize, ModelUpdate)| match update {
            ModelUpdate::DropCheapest => {
                let costs = self.costs[*model].iter().copied();
                let costs = models.supports[*model].iter().copied().zip(costs);
                cheapest(costs, &models.kept_terms).map(|term| (*model, ModelUpdate::Drop(term)))
            }
            update => Some((*model, *update)),
        };
        let orders: Vec<Option<(usize, ModelUpdate)>> = updates.iter().map(order).collect();
        let given: Vec<(usize, ModelUpdate)> = orders.iter().flatten().copied().collect();
        let mut done = models.update(gpu, columns, &given)?.into_iter();
        let variables: Vec<Option<u32>> = orders
            .iter()
            .map(|order| order.and_then(|_| done.next()?.variable))
            .collect();
        let changed = updates
            .iter()
            .zip(&variables)
            .filter(|((_, update), variable)| {
                variable.is_some() || *update == ModelUpdate::Refactor
            });
        let changed: Vec<(usize, bool)> = changed
            .map(|((model, update), _)| (*model, *update == ModelUpdate::Refactor))
            .collect();
        let n = self.newton.n;
        let sizes = changed.iter().map(|(model, _)| models.size(*model));
        let places: Vec<usize> = sizes
            .scan(0, |next, size| {
                let at = *next;
                *next += size;
                Some(at)
            })
            .collect();
        let all = changed.iter().map(|(model, _)| models.size(*model)).sum();
        self.written_costs.room(gpu, all)?;
        let jobs = changed.iter().zip(&places).map(|((model, is_new), place)| {
            let predictors = self.predictors.at(model * n);
            NewtonJob {
                addresses: models.addresses(*model),
                start: if *is_new {
                    self.newton.first()
                } else {
                    predictors
                },
                predictors,
                scores: self.scores.at(model * n),
                costs: self.written_costs.address() + 8 * *place as u64,
                k: models.size(*model) as i64,
            }
        });
        let jobs: Vec<NewtonJob> = jobs.collect();
        let fitted = self.newton.fit(gpu, &jobs)?;
        let costs = self.written_costs.get(all);
        let mut left = Vec::new();
        for (((model, _), place), own) in changed.iter().zip(&places).zip(fitted) {
            match own {
                Some(own) => {
                    self.losses[*model] = own;
                    self.costs[*model] = costs[*place..][..models.size(*model)].to_vec();
                }
                None => left.push(*model),
            }
        }
        let of_host = |model: &usize| {
            let mut members = models.supports[*model].clone();
            members.sort_unstable();
            Fit::of(x, y, &members).0
        };
        if self.interrupt.requested() {
            // The caller uses none of the outcomes.
            left.clear();
        }
        let fits: Vec<Fit> = left.par_iter().map(of_host).collect();
        for (model, fit) in left.iter().zip(&fits) {
            let support = models.supports[*model].clone();
            self.copy_from_host(gpu, *model, fit, &support)?;
        }
        if !left.is_empty() {
            gpu.wait(HOLDING)?;
        }
        let outcome = |((model, _), variable): (&(usize, ModelUpdate), Option<u32>)| {
            let (rss, square) = self.losses[*model];
            UpdateOutcome {
                variable,
                parameters: models.size(*model),
                rss,
                square,
            }
        };
        Ok(updates.iter().zip(variables).map(outcome).collect())
    }
}
