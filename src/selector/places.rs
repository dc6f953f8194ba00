//! Where a selection counts, and whether there is room for its tables.

use std::cmp::Reverse;

use super::{CLASSES, SelectorError};
use crate::{
    binning::BinnedColumns,
    device::{
        DeviceChoice, DeviceError, Placement, Resources, UndefinedScore,
        counting::{
            Categorical, CounterGroup, LocalColumns, LogTable, PairCounterGroup, PairDomain,
            ScoreEvaluator, table_cells,
        },
        cuda::OpenGpus,
        open_counters, open_pair_counters,
    },
    score::{Score, ScoreFunction},
    threads,
};

/// Whether the devices chosen can count for this score: to be known before a long reading.
///
/// # Errors
/// GPUs that were asked for, and are not there or have no way.
pub(crate) fn check_devices(score: &Score, choice: &DeviceChoice) -> Result<(), SelectorError> {
    if choice.is_cuda() && !has_cuda(score) {
        return Err(SelectorError::NoCuda);
    }
    Ok(Placement::check(choice)?)
}

/// The same for what has a way on the CPU alone.
///
/// # Errors
/// GPUs that were asked for.
pub(crate) fn require_cpu(what: &'static str, choice: &DeviceChoice) -> Result<(), SelectorError> {
    match choice.is_cuda() {
        true => Err(SelectorError::NotOnGpus(what)),
        false => Ok(()),
    }
}

/// Whether GPUs can compute it.
fn has_cuda(score: &Score) -> bool {
    score.function().is_none_or(|it| it.0.cuda().is_some())
}

/// Where one selection counts.
pub(super) struct Counting<'a> {
    places: Placement,
    resources: &'a Resources,
    threads: usize,
    /// What a reader should know of the devices.
    pub(super) notes: Vec<String>,
    awake: Option<OpenGpus>,
}

impl<'a> Counting<'a> {
    /// The places chosen, for these columns and this score; all columns are swept some hundred
    /// times so often.
    ///
    /// # Errors
    /// As [`check_devices`]; too many levels of the response.
    pub(super) fn of(
        columns: &BinnedColumns,
        score: &Score,
        resources: &'a Resources,
        hundreds: usize,
    ) -> Result<Self, SelectorError> {
        classes(columns)?;
        check_devices(score, &resources.devices)?;
        let elements = columns.n.saturating_mul(columns.columns.len());
        let elements = elements.saturating_mul(hundreds.max(1));
        // Of what no GPU can compute no size is worth one.
        let elements = if has_cuda(score) { elements } else { 0 };
        let (places, note) = Placement::resolve(&resources.devices, elements)?;
        let places = places.for_rank(resources.communicator.as_ref());
        Ok(Self {
            // A thread for each GPU, however few there are for other work: it only waits.
            threads: resources.thread_count().max(places.host_threads()),
            places,
            resources,
            notes: Vec::from_iter(note),
            awake: None,
        })
    }

    /// Lets GPUs that are opened again and again stay open between.
    pub(super) fn stay_awake(&mut self) {
        if let Placement::Cuda(ordinals) = &self.places {
            self.awake = Some(OpenGpus::open(ordinals));
        }
    }

    /// Its threads.
    ///
    /// # Errors
    /// Threads that cannot be started.
    pub(super) fn pool(&self) -> Result<rayon::ThreadPool, SelectorError> {
        Ok(threads::pool(self.threads)?)
    }

    /// The devices, with these columns; inside the pool.
    ///
    /// # Errors
    /// A device that was asked for and cannot begin.
    pub(super) fn counters<'c>(
        &mut self,
        columns: &'c BinnedColumns,
        response: &Categorical,
        by: (&'c LogTable, &'c ScoreEvaluator),
    ) -> Result<CounterGroup<'c>, DeviceError> {
        let (threads, limit) = (self.threads, self.resources.memory_limit);
        let own = LocalColumns::of_rank(columns, self.resources.communicator.as_ref());
        if own.columns.is_empty() {
            self.places = Placement::Cpu(1);
        }
        let counters = self
            .or_on_cpu(|placement| open_counters(placement, own, response, by, threads, limit))?;
        Ok(counters.with_communicator(self.resources.communicator.as_ref()))
    }

    /// The same, for all pairs, of which so many are wanted at most.
    ///
    /// # Errors
    /// A device that was asked for and cannot begin.
    pub(super) fn pair_counters<'c>(
        &mut self,
        block: PairDomain<'c>,
        response: &Categorical,
        by: (&'c LogTable, &'c ScoreEvaluator),
        wanted: usize,
    ) -> Result<PairCounterGroup<'c>, DeviceError> {
        let (threads, limit) = (self.threads, self.resources.memory_limit);
        if block.columns.is_empty() {
            self.places = Placement::Cpu(1);
        }
        self.or_on_cpu(|placement| {
            open_pair_counters(placement, block, response, by, threads, (wanted, limit))
        })
    }

    /// Opens counters where they were placed, or on the CPU if nobody asked for the GPUs that fail.
    fn or_on_cpu<T>(
        &mut self,
        open: impl Fn(&Placement) -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        match open(&self.places) {
            Err(error)
                if matches!(self.places, Placement::Cuda(_))
                    && self.resources.devices == DeviceChoice::Auto =>
            {
                let note = "the CPU was used, for not all GPUs can be";
                self.notes.push(format!("{note}: {error}"));
                self.places = Placement::Cpu(1);
                open(&self.places)
            }
            opened => opened,
        }
    }
}

/// Whether tables have room for the levels of the response.
///
/// # Errors
/// They have not.
pub(super) fn classes(columns: &BinnedColumns) -> Result<(), SelectorError> {
    match columns.response.levels {
        ..=CLASSES => Ok(()),
        levels => Err(SelectorError::Classes { levels }),
    }
}

/// Whether the whole tables of a coded score may be made, of any two columns or of one.
///
/// # Errors
/// They have too many cells.
pub(super) fn room(
    columns: &BinnedColumns,
    coded: Option<&ScoreFunction>,
    two: bool,
) -> Result<(), SelectorError> {
    let own = &columns.columns;
    let mut widest: Vec<usize> = (0..own.len()).collect();
    // Of equally many levels the lowest columns.
    widest.sort_by_key(|at| Reverse(own[*at].levels));
    let (Some(_), Some(&x)) = (coded, widest.first()) else {
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
        SelectorError::Cells(unscored.describe(|at| format!("`{}`", own[at as usize].name)))
    })?;
    Ok(())
}
