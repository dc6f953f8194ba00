//! The hardware that searches and selections run on: a caller chooses it by [`Resources`].
//!
//! **The product screens, a fixed order decides.** How a matrix product rounds may depend on how
//! it was split, so a sweep only screens: candidates within the rounding error of the strongest are
//! scored again by one dot product in a fixed order, and of those still equal the lowest column
//! wins. So one thread or many, one device or many, cached columns or not give one answer.

// The seam between searches and hardware: the columns of the design are sharded over `Device`s, and
// `Devices` treats them as one. A device holds the models of the swarm (support, factor and residual,
// updated in place) and a range of the columns, which it sweeps against any of the models. Orders and
// results are small. No sum crosses devices, so their number does not show in the answer.

mod counters;
pub(crate) mod counting;
mod cpu;
pub mod cuda;
mod devices;
mod error;
mod fitted_models;
mod gain;
mod gram_pool;
pub mod host;
mod interactions;
mod neighbours;
mod placement;
mod resources;
mod shards;
mod terms;
#[cfg(test)]
pub(crate) mod tests;
mod weighted_products;

pub(crate) use counters::{measure_terms, open_counters, open_pair_counters};
#[cfg(test)]
pub(crate) use cpu::{Cpu, CpuCounter, CpuTableScorer, joining_bound};
pub(crate) use cpu::{bytes_of_copies, bytes_of_integers, falls_by_joining};
pub(crate) use cuda::StartingGpus;
pub(crate) use devices::Devices;
pub use error::{DeviceError, ScoreFault, UndefinedScore};
pub(crate) use gram_pool::GramPool;
pub(crate) use interactions::PairSweep;
pub(crate) use neighbours::{ClosureChange, ExchangeTerms, ModelChange, Neighbours, first_of_each};
pub(crate) use placement::{Placement, gpus_pay};
pub use resources::{DeviceChoice, Partition, Precision, Resources};

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{
    design::Columns,
    interrupt::Interrupt,
    least_squares::{Fit, FitView},
};

/// Splits 0 … p − 1 into `count` ranges whose lengths differ by at most one; into p ranges where p
/// is smaller, so that none is empty.
fn split_range(p: usize, count: usize) -> impl Iterator<Item = Range<usize>> {
    let count = count.clamp(1, p.max(1));
    (0..count).map(move |at| at * p / count..(at + 1) * p / count)
}

/// The columns that one device sweeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shard<'x> {
    /// All columns of the design, n × p.
    pub(crate) x: Columns<'x>,
    pub(crate) first: usize,
    /// The shard's columns.
    pub(crate) own: Columns<'x>,
}

/// The measure by which a candidate is the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Gain {
    /// arg max |xᵢᵀr|, the orthogonal greedy choice: the paper's.
    #[default]
    Correlation,
    /// arg max (xᵢᵀr)² / (‖xᵢ‖² − ‖Qᵀxᵢ‖²), the exact fall in RSS.
    Exact,
}

/// An order to change one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModelUpdate {
    /// Add a term, unless the model already explains its columns.
    Add(u32),
    Drop(u32),
    /// Drop the variable whose loss raises RSS least, ties going to the lowest. Kept variables are
    /// never dropped. Not for designs with terms of several columns.
    DropCheapest,
    /// Factor the support again, in ascending order of its columns.
    Refactor,
}

/// The effect of one [`ModelUpdate`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct UpdateOutcome {
    /// The term that was added or dropped; none where the model is unchanged.
    pub(crate) variable: Option<u32>,
    /// The columns of the model.
    pub(crate) parameters: usize,
    pub(crate) rss: f64,
    /// ‖r‖² of the residual: RSS, unless the model is one of maximum likelihood.
    pub(crate) square: f64,
}

/// What one term would gain, or would cost.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct TermChange {
    pub(crate) term: u32,
    /// The columns that it brings or takes away.
    pub(crate) parameters: usize,
    /// The fall in RSS if it joins, or the rise if it leaves. By [`Gain::Correlation`] what it would
    /// be if its columns were orthogonal to the model.
    pub(crate) rss: f64,
}

/// What a sweep needs to know of a model that the device holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelView<'a> {
    /// The model's number on the device.
    pub(crate) number: usize,
    /// Its terms, in any order.
    pub(crate) support: &'a [u32],
    pub(crate) rss: f64,
    /// ‖r‖²; see [`UpdateOutcome::square`].
    pub(crate) square: f64,
}

/// A column that the screen could not tell from the strongest of its device.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Candidate {
    pub(crate) column: u32,
    /// |xᵀr| by one dot product in a fixed order, or the exact gain.
    pub(crate) score: f64,
}

/// The CPU or a GPU, with its range of the columns and the swarm's models.
///
/// Models are numbered 0 … count − 1, as [`Device::init_models`] made them. Columns and response
/// have unit norm. Every verb takes many models at a time, so that it is worth a launch.
///
/// *Errors*, of every verb: [`DeviceError::OutOfMemory`], [`DeviceError::Failed`].
pub(crate) trait Device: Send {
    /// The device's name in reports, such as `cpu` or `cuda:0 NVIDIA H200`.
    fn name(&self) -> String;

    /// The arithmetic that screens: `f64`, `f32` or `tf32`. Decisions are always in f64.
    fn screen_precision(&self) -> &'static str;

    /// Waits until all work that was launched is done.
    fn synchronize(&mut self) {}

    /// Those of some columns that this device holds beside the host's memory, copied back.
    fn copies_of(&mut self, _columns: &[u32]) -> Result<Vec<(u32, Vec<f64>)>, DeviceError> {
        Ok(Vec::new())
    }

    /// From now on a verb that takes long may end once this is requested, without all of its work: the
    /// caller looks at the request as well, and uses none of its results.
    fn heed(&mut self, _interrupt: &Interrupt) {}

    /// Turns to another response of the columns, which have no likelihood: the models that are held are gone, and
    /// [`Device::init_models`] comes next. What is known of the columns alone stays.
    ///
    /// *Shapes:* `y` has n values and unit norm.
    fn set_response(&mut self, y: &[f64]) -> Result<(), DeviceError>;

    /// Replaces the models by `count` copies of `model`. Its variables are the kept ones: no update
    /// drops them.
    fn init_models(&mut self, model: &Fit, count: usize) -> Result<(), DeviceError>;

    /// Gives models other terms, which contain the kept ones. The caller must order
    /// [`ModelUpdate::Refactor`] of these models before anything else.
    fn set_supports(&mut self, models: &[(usize, &[u32])]) -> Result<(), DeviceError>;

    /// Updates models, each at most once; the outcomes are in the order of the updates. Any column
    /// of the design may be added.
    fn update_models(
        &mut self,
        updates: &[(usize, ModelUpdate)],
    ) -> Result<Vec<UpdateOutcome>, DeviceError>;

    /// For each model, this device's columns outside the support that may be the strongest, all
    /// ties included; empty where it has no column outside.
    fn find_strongest(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Vec<Candidate>>, DeviceError>;

    /// Of a design with terms of several columns, for each model this device's terms outside it that may
    /// gain most of those with as many parameters, all ties included.
    fn find_strongest_terms(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Vec<TermChange>>, DeviceError>;

    /// Of a design with terms of several columns, for each model what dropping each of its terms would
    /// cost, with all that stand on it, where none of these is kept.
    fn find_drop_costs(&mut self, models: &[usize]) -> Result<Vec<Vec<TermChange>>, DeviceError>;

    /// For each fit, the `count` columns of this device that reduce RSS most by joining it, and by
    /// replacing one of its variables; columns that tie with the last are included. Where terms need others,
    /// also the terms that do most by joining with what they need.
    ///
    /// `keep` (ascending) lists variables that are not replaced. `part` = (i, m) sweeps only the
    /// i-th of m ranges of this device's columns, for ranks that have the same columns. When `stop`
    /// returns true, the remaining columns are skipped.
    fn find_neighbours(
        &mut self,
        fits: &[FitView],
        keep: &[u32],
        count: usize,
        part: (usize, usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Neighbours>, DeviceError>;

    /// For each fit of a likelihood that has bounds, this device's columns outside of it whose joining may lower its loss
    /// by more than the number in `least`: the others do not. `part` and `stop` as above.
    fn find_joining(
        &mut self,
        fits: &[FitView],
        least: &[f64],
        part: (usize, usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<u32>>, DeviceError>;

    /// For each pair of a fit of a likelihood and a column outside of it the loss of the model that it joins, to 10⁻¹⁰ of
    /// it; none where another device has the column, or the host is to fit it. When `stop` returns true the rest is none.
    fn fit_joined(
        &mut self,
        _fits: &[FitView],
        pairs: &[(usize, u32)],
        _stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Option<f64>>, DeviceError> {
        Ok(vec![None; pairs.len()])
    }
}
