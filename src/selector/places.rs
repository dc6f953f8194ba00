//! The devices that a selection counts on, and the checks that its tables have room.

use std::cmp::Reverse;

use super::{CLASSES, SelectorError};
use crate::{
    binning::{BinnedColumn, BinnedColumns, Codes},
    device::{
        DeviceChoice, DeviceError, Placement, Resources, UndefinedScore,
        counting::{
            Categorical, CounterGroup, LocalColumns, PairCounterGroup, PairDomain, ScoreEvaluator,
            table_cells,
        },
        cuda::OpenGpus,
        gpus_pay, open_counters, open_pair_counters,
    },
    memory::{MemoryCharge, MemoryError},
    score::{Correction, Score, ScoreFunction},
};

/// Checks that the chosen devices can compute a score, before a file is read.
pub(crate) fn check_devices(score: &Score, choice: &DeviceChoice) -> Result<(), SelectorError> {
    if score.correction != Correction::None {
        let name = score.correction.name();
        if score.function().is_some() {
            return Err(SelectorError::Refused(format!(
                "--correction {name} corrects entropies, and the score of this method is made of none: \
                 leave it out"
            )));
        }
        if choice.is_cuda() {
            return Err(SelectorError::Refused(format!(
                "--correction {name} counts on the CPU alone as yet; use --device cpu, or leave it out"
            )));
        }
    }
    if choice.is_cuda() && !has_cuda(score) {
        return Err(SelectorError::NoCuda);
    }
    Ok(())
}

/// Checks that no GPU was asked for, for procedures over levels.
pub(crate) fn require_cpu(choice: &DeviceChoice) -> Result<(), SelectorError> {
    match choice.is_cuda() {
        true => Err(SelectorError::Refused(
            "selectors that rank by a way of their own run on the CPU alone as yet; use \
             --device cpu, or leave it out"
                .to_owned(),
        )),
        false => Ok(()),
    }
}

fn has_cuda(score: &Score) -> bool {
    let function = score.function();
    score.correction == Correction::None
        && function.is_none_or(|function| function.0.cuda().is_some())
}

pub(super) struct CountingDevices<'a> {
    places: Placement,
    resources: &'a Resources,
    pub(super) threads: usize,
    pub(super) notes: Vec<String>,
    open_gpus: Option<OpenGpus>,
    /// Held for the layouts of columns on a CPU.
    layouts: MemoryCharge,
}

impl<'a> CountingDevices<'a> {
    /// The devices for these columns and this score, where every column is swept some hundred times
    /// `hundreds`.
    pub(super) fn of(
        columns: &BinnedColumns,
        score: &Score,
        resources: &'a Resources,
        hundreds: usize,
    ) -> Result<Self, SelectorError> {
        let levels = columns.response.levels;
        if levels > CLASSES {
            return Err(SelectorError::Refused(format!(
                "the response has {levels} levels; at most {CLASSES} are counted: bin it with \
                 --bin-response equal-frequency:5, say"
            )));
        }
        check_devices(score, &resources.devices)?;
        let elements = columns.n.saturating_mul(columns.columns.len());
        let pays = gpus_pay(elements, hundreds.max(1) as f64, resources.thread_count());
        // Of what no GPU can compute no size is worth one.
        let pays = pays && has_cuda(score);
        let (places, note) = Placement::resolve(&resources.devices, pays)?;
        let places = places.for_rank(resources.communicator.as_ref());
        Ok(Self {
            // A thread for each GPU, however few there are for other work: it only waits.
            threads: resources.thread_count().max(places.host_threads()),
            places,
            resources,
            notes: Vec::from_iter(note),
            open_gpus: None,
            layouts: resources.memory.charge(),
        })
    }

    /// Keeps GPUs open between the rounds that open them again.
    pub(super) fn keep_open(&mut self) {
        if let Placement::Cuda(ordinals) = &self.places {
            self.open_gpus = Some(OpenGpus::open(ordinals));
        }
    }

    /// Counters of these columns on the devices; to be called inside the pool.
    pub(super) fn counters<'c>(
        &mut self,
        columns: &'c BinnedColumns,
        response: &Categorical,
        evaluator: &'c ScoreEvaluator,
    ) -> Result<CounterGroup<'c>, DeviceError> {
        let (threads, limit) = (self.threads, self.resources.memory_limit);
        let own = LocalColumns::of_rank(columns, self.resources.communicator.as_ref());
        if own.columns.is_empty() {
            self.places = Placement::Cpu(1);
        }
        self.hold_layouts(own.columns, evaluator)?;
        let choice = &self.resources.devices;
        let mut counters = self.places.open(choice, &mut self.notes, |placement| {
            open_counters(placement, own, response, evaluator, threads, limit)
        })?;
        counters.communicator = self.resources.communicator.clone();
        Ok(counters)
    }

    /// Holds memory for the copies of columns that a CPU makes: of a score that is a float none.
    fn hold_layouts(
        &self,
        columns: &[BinnedColumn],
        evaluator: &ScoreEvaluator,
    ) -> Result<(), MemoryError> {
        if matches!(self.places, Placement::Cuda(_)) || !evaluator.score().is_exact() {
            return Ok(());
        }
        let bytes = columns.iter().map(|column| match &column.codes {
            sparse @ Codes::Sparse { .. } => 2 * sparse.bytes(),
            dense => dense.bytes(),
        });
        self.layouts.set(bytes.sum(), "the layouts of the columns")
    }

    /// Counters of pairs on the devices, of which `wanted` at most are kept; to be called inside the
    /// pool.
    pub(super) fn pair_counters<'c>(
        &mut self,
        block: PairDomain<'c>,
        response: &Categorical,
        evaluator: &'c ScoreEvaluator,
        wanted: usize,
    ) -> Result<PairCounterGroup<'c>, DeviceError> {
        let threads = self.threads;
        if block.columns.is_empty() {
            self.places = Placement::Cpu(1);
        }
        self.hold_layouts(block.columns, evaluator)?;
        let limits = (wanted, self.resources.memory_limit);
        let choice = &self.resources.devices;
        self.places.open(choice, &mut self.notes, |placement| {
            open_pair_counters(placement, block, response, evaluator, threads, limits)
        })
    }
}

pub(super) fn check_top(top: usize, p: usize) -> Result<(), SelectorError> {
    match top <= p {
        true => Ok(()),
        false => Err(SelectorError::Refused(format!(
            "top = {top}, but there are {p} candidates: ask for {p} at most"
        ))),
    }
}

/// Checks that the tables of a score that is a function have room, of any two columns or of one.
pub(super) fn check_tables(
    columns: &BinnedColumns,
    function: Option<&ScoreFunction>,
    two: bool,
) -> Result<(), SelectorError> {
    let own = &columns.columns;
    let mut widest: Vec<usize> = (0..own.len()).collect();
    // A stable sort: of equally many levels the lowest columns come first.
    widest.sort_by_key(|at| Reverse(own[*at].levels));
    let (Some(_), Some(&x)) = (function, widest.first()) else {
        return Ok(());
    };
    let w = widest.get(1).filter(|_| two);
    let levels = w.map_or(1, |at| own[*at].levels);
    table_cells(own[x].levels, levels, columns.response.levels).map_err(|reason| {
        let unscored = UndefinedScore {
            column: x as u32,
            other: w.map(|at| *at as u32),
            reason,
        };
        SelectorError::Refused(unscored.describe(|at| format!("`{}`", own[at as usize].name)))
    })?;
    Ok(())
}
