//! The seam: where sweeps run and where the models of the swarm lie.
//!
//! Columns are sharded over `Device`s; `Devices` makes one of them. A device holds the
//! models of the swarm (support, factor and residual, updated in place) and a range of the
//! columns, which it sweeps against any of the models. Small orders go in, small records
//! come out. No sum crosses devices, so how many there are does not show in the answer.
//!
//! **The product screens, a fixed order decides.** How a product rounds may
//! depend on how it was split, so a sweep only screens: candidates within the
//! rounding error of the strongest are scored again by one dot product in a
//! fixed order, and of those still equal the lowest column wins. One thread or
//! many, one device or many, cached columns or not: one answer.

mod counters;
pub(crate) mod counting;
mod cpu;
pub mod cuda;
mod devices;
mod error;
mod exact;
pub mod host;
mod neighbours;
mod places;
mod pool;
mod resources;
#[cfg(test)]
mod tests;

pub(crate) use counters::{open_counters, open_pair_counters};
#[cfg(test)]
pub(crate) use cpu::{Cpu, CpuCounter, CpuTableScorer};
pub(crate) use devices::Devices;
pub use error::{Bytes, DeviceError, ScoreFault, UndefinedScore};
pub(crate) use neighbours::Neighbours;
pub(crate) use places::Placement;
pub(crate) use pool::GramPool;
pub use resources::{DeviceChoice, MIN_GPU_ELEMENTS, Partition, Precision, Resources};

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{
    design::Columns,
    least_squares::{Fit, FitView},
};

/// p columns in ranges whose lengths differ by one at most, none of them empty, as many as
/// `count` where there are so many columns.
fn split_range(p: usize, count: usize) -> impl Iterator<Item = Range<usize>> {
    let count = count.clamp(1, p.max(1));
    (0..count).map(move |at| at * p / count..(at + 1) * p / count)
}

/// The columns one device sweeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shard<'x> {
    /// All columns of the design.
    pub(crate) x: Columns<'x>,
    /// The first of its own.
    pub(crate) first: usize,
    /// Its own.
    pub(crate) own: Columns<'x>,
}

/// What makes a candidate the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gain {
    /// arg max |xᵢᵀr|, the orthogonal greedy choice: the paper's.
    #[default]
    Correlation,
    /// arg max (xᵢᵀr)² / (‖xᵢ‖² − ‖Qᵀxᵢ‖²), the exact fall in RSS.
    Exact,
}

/// What is to be done to one held model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModelUpdate {
    /// Add a column, unless the model explains it: then nothing is done.
    Add(u32),
    /// Drop a variable.
    Drop(u32),
    /// Drop the variable whose loss raises RSS least, of equals the lowest, and
    /// never one that is kept; nothing is done where all are.
    DropCheapest,
    /// Build the fit of the same support anew, in ascending order.
    Refactor,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct UpdateOutcome {
    /// The variable added or dropped; none where nothing was done.
    pub(crate) variable: Option<u32>,
    /// RSS of the model now.
    pub(crate) rss: f64,
}

/// A held model, as a sweep is told of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModelView<'a> {
    pub(crate) number: usize,
    /// Its variables.
    pub(crate) support: &'a [u32],
    pub(crate) rss: f64,
}

/// A column that a device's sweep could not tell from its strongest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Candidate {
    pub(crate) column: u32,
    /// |xᵀr| by one dot product in a fixed order, or the exact gain.
    pub(crate) score: f64,
}

/// One device: the CPU or a GPU, its range of the columns, and the swarm's models.
///
/// Models are named by their number, 0 … count − 1. Vectors are of unit norm.
/// Each verb is worth a launch: many models at a time.
pub(crate) trait Device: Send {
    /// Its name in reports: `cpu`, `cuda:0 NVIDIA H200`.
    fn name(&self) -> String;

    /// The arithmetic that screens: `f64`, `f32` or `tf32`. f64 decides.
    fn screen_precision(&self) -> &'static str;

    /// Waits until nothing is under way.
    fn synchronize(&mut self) {}

    /// Holds `count` models, each like `model`, whose variables are the kept ones.
    fn init_models(&mut self, model: &Fit, count: usize) -> Result<(), DeviceError>;

    /// Gives held models, the kept variables among them, these supports. [`ModelUpdate::Refactor`]
    /// follows: until then no other verb is asked of them.
    fn set_supports(&mut self, models: &[(usize, &[u32])]) -> Result<(), DeviceError>;

    /// Updates models, each at most once, and tells what became of each, in the
    /// order given. Any column of the design may be added.
    fn update_models(
        &mut self,
        updates: &[(usize, ModelUpdate)],
    ) -> Result<Vec<UpdateOutcome>, DeviceError>;

    /// Of each model named, this device's columns outside its support that may be
    /// the strongest of them; empty where it has none outside.
    fn find_strongest(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Vec<Candidate>>, DeviceError>;

    /// The `count` columns of this device that would do most for each anchor by
    /// joining, and by taking a variable's place, and whatever equals the last of
    /// them; where several ranks have the same columns, of which of how many parts of them. Variables of
    /// `keep` (ascending) are not replaced. Once `stop` says so, what is left is not swept.
    fn find_neighbours(
        &mut self,
        anchors: &[FitView],
        keep: &[u32],
        count: usize,
        part: (usize, usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Neighbours>, DeviceError>;
}
