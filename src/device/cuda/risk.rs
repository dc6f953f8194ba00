//! Who is at risk when, on a GPU, and squares of its columns by second derivatives of partial likelihoods.

use passel_kernels::{
    cox::{BEGINS, RiskGroup, RiskRows},
    risk_squares::{KERNEL, RiskModel},
};

use super::{
    super::DeviceError,
    blocks::Block,
    gpu::{Gpu, arguments},
    memory::Buffer,
    per_variable::HOLDING,
    scratch::GrowableBuffer,
};
use crate::{
    family::{Curvature, Likelihood, SurvivalResponse, Ties},
    least_squares::FitView,
};

/// Warps of a block, and blocks on a multiprocessor.
const WARPS: usize = 8;
const BLOCKS: u32 = 4;

/// Rows of a response of survival times on a GPU.
pub(super) struct RiskOnGpu {
    pub(super) rows: RiskRows,
    /// What `rows` points at.
    _held: (Buffer<u32>, Buffer<RiskGroup>),
    /// What squares are made of, and room for sums.
    models: GrowableBuffer<f64>,
    described: GrowableBuffer<RiskModel>,
    sums: GrowableBuffer<f64>,
}

impl RiskOnGpu {
    /// None of other likelihoods, and none where rows enter late: their sums are differences, which the host makes.
    pub(super) fn new(gpu: &Gpu, likelihood: &Likelihood) -> Result<Option<Self>, DeviceError> {
        let response = likelihood.response().survival();
        let Some(response) = response.filter(|own| own.entries.is_empty()) else {
            return Ok(None);
        };
        let (n, count) = (response.n(), response.groups.len());
        let held = gpu.buffer::<u32>(2 * n, HOLDING)?;
        let groups = gpu.buffer::<RiskGroup>(count, HOLDING)?;
        gpu.upload(&order(response), held.at(0))?;
        gpu.upload(&first_groups(response), held.at(n))?;
        let described = response.groups.iter().map(|group| RiskGroup {
            begin: group.rows.start as u32,
            start: group.events.start as u32,
            end: group.events.end as u32,
            spare: 0,
            weight: group.weight,
        });
        let described: Vec<RiskGroup> = described.collect();
        gpu.upload(&described, groups.at(0))?;
        let is_efron = response.ties() == Ties::Efron;
        let has_ties = is_efron && described.iter().any(|own| own.end > own.start + 1);
        gpu.wait(HOLDING)?;
        Ok(Some(Self {
            rows: RiskRows {
                n: n as i64,
                order: held.at(0),
                group: held.at(n),
                groups: groups.at(0),
                count: count as i32,
                is_efron: i32::from(is_efron),
                has_ties: i32::from(has_ties),
                spare: 0,
            },
            _held: (held, groups),
            models: GrowableBuffer::default(),
            described: GrowableBuffer::default(),
            sums: GrowableBuffer::default(),
        }))
    }

    /// What turns xᵀDx of columns, D the weights of these models, into their squares; none where the range of f64 is too small
    /// on the GPU.
    pub(super) fn squares(
        &mut self,
        gpu: &Gpu,
        anchors: &[FitView],
        during: &str,
    ) -> Result<Option<RiskSquares>, DeviceError> {
        let (n, groups) = (self.rows.n as usize, self.rows.count as usize);
        let mut numbers: Vec<f64> = Vec::new();
        for anchor in anchors {
            let own = anchor.weighted.and_then(|own| own.curvature);
            let Some((Curvature::Risk(curvature), scale)) = own else {
                return Ok(None);
            };
            let Some((theta, factors)) = curvature.on_one_scale() else {
                return Ok(None);
            };
            let root = scale.sqrt();
            numbers.extend(theta);
            numbers.extend(factors.iter().map(|own| root * own[0]));
            numbers.extend(factors.iter().map(|own| own[1]));
            numbers.extend(factors.iter().map(|own| root * own[2]));
        }
        let at = self.models.room(gpu, numbers.len(), during)?;
        gpu.upload(&numbers, at)?;
        let model = |number: usize| {
            let theta = at + 8 * (number * (n + 3 * groups)) as u64;
            let [of_all, share, of_events] =
                [0, 1, 2].map(|part| theta + 8 * (n + part * groups) as u64);
            RiskModel {
                theta,
                of_all,
                share,
                of_events,
            }
        };
        let described: Vec<RiskModel> = (0..anchors.len()).map(model).collect();
        let models = self.described.room(gpu, described.len(), during)?;
        gpu.upload(&described, models)?;
        let most = (BLOCKS * gpu.processors) as usize;
        let (sums, blocks) = self.sums.as_many(gpu, WARPS * n, (1, most), during)?;
        Ok(Some(RiskSquares {
            rows: self.rows,
            models,
            count: anchors.len(),
            sums,
            blocks,
        }))
    }
}

/// Of each row its observation, and which are the first of a stratum.
fn order(response: &SurvivalResponse) -> Vec<u32> {
    let mut order: Vec<u32> = response.order().iter().map(|row| *row as u32).collect();
    for stratum in response.strata() {
        order[stratum.start] |= BEGINS;
    }
    order
}

/// Of each row the first group at which it is at risk, or past the last.
fn first_groups(response: &SurvivalResponse) -> Vec<u32> {
    let mut first = vec![response.groups.len() as u32; response.n()];
    let (mut at, mut stratum) = (0, usize::MAX);
    for (number, group) in (0..).zip(&response.groups) {
        if group.stratum != stratum {
            (at, stratum) = (group.rows.start, group.stratum);
        }
        first[at..group.rows.end].fill(number);
        at = group.rows.end;
    }
    first
}

/// Squares by the second derivatives of some models.
pub(super) struct RiskSquares {
    rows: RiskRows,
    models: u64,
    count: usize,
    sums: u64,
    blocks: usize,
}

impl RiskSquares {
    /// Takes off xᵀDx of the columns of a block, columns × models, what risk sets take.
    pub(super) fn take_off(&self, gpu: &Gpu, block: &Block, to: u64) -> Result<(), DeviceError> {
        let (columns, count) = (block.address, block.count as i64);
        let (models, model_count) = (self.models, self.count as i32);
        let blocks = self.blocks.min(block.count.div_ceil(WARPS)) as u32;
        let (rows, sums) = (self.rows, self.sums);
        let given = arguments![rows, columns, count, models, model_count, sums, to];
        gpu.launch(&KERNEL, "risk_squares", (blocks, 1, 1), 256, 0, given)
    }
}
