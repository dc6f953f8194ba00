//! PaSS, particle swarm stepwise: K particles, each a set of variables, walk by adding or dropping one
//! variable a step, and share the best model found. [`select`] searches with defaults, [`search`] with
//! every choice; [`Pass`] has the parameters.
//!
//! *Source*: M. Yang, R.-B. Chen, I-H. Chung, W. Wang, Particle Swarm Stepwise
//! Algorithm (PaSS) on Multicore Hybrid CPU-GPU Clusters, 2016, Figure 1.
//! Where the paper leaves a choice, ARCHITECTURE.md says what passel does.

#[cfg(test)]
mod alternatives_tests;
mod attempts;
pub(crate) mod bits;
mod block_gains;
mod blocks;
mod by_parts;
mod checkpoint;
mod closures;
mod control;
#[cfg(test)]
mod cuts;
mod error;
#[cfg(test)]
mod faults;
mod gains;
#[cfg(test)]
mod genotypes_tests;
#[cfg(test)]
mod in_file_tests;
mod intervals;
mod model;
mod particle;
mod polish;
mod problem;
mod proof;
mod record;
mod refits;
mod result;
mod scan;
mod settings;
mod shared_devices;
mod stages;
mod state;
mod step;
mod swarm;
mod tableau;
#[cfg(test)]
mod tableau_tests;
mod tabu;
mod term_choice;
mod visited;

use std::{
    num::NonZeroUsize,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use passel_criteria::Criterion;

pub use crate::device::Gain;
use crate::{
    design::Design,
    device::{Partition, Placement, Resources, gpus_pay},
    interrupt::Interrupt,
    least_squares::{Collinear, Fit},
    selection::Selection,
    threads,
};
pub use by_parts::search_by_parts;
pub(crate) use by_parts::search_by_parts_on;
pub(crate) use checkpoint::CheckpointWriter;
pub use checkpoint::{Checkpoint, Checkpointing, WriteCheckpoint};
use control::{Limits, RunControl};
pub use error::{CheckpointError, SearchError};
pub(crate) use problem::{Objective, is_exact};
use problem::{SearchProblem, Start};
pub use record::{IterationRecord, MoveKind, ProofRecord, StepRecord};
pub use result::SearchResult;
pub(crate) use scan::{NAMED, REGION};
pub use scan::{Region, ScannedVariant, VariantScan};
pub(crate) use settings::sum_to_one;
pub use settings::{Pass, ProofEffort, SettingsError};
pub(crate) use shared_devices::SharedDevices;
use stages::run_stages;
pub use visited::VisitedModel;
pub(crate) use visited::VisitedModels;

/// Searches for the model with the lowest value of a criterion.
///
/// ```
/// use passel::{Design, Pass, criteria::Bic, device::Resources, search};
///
/// let x = nalgebra::DMatrix::from_fn(20, 3, |i, j| ((i * (j + 3) * 7) % 11) as f64);
/// let y = nalgebra::DVector::from_fn(20, |i, _| 2.0 * x[(i, 1)] + 0.1 * (i % 3) as f64);
/// let design = Design::from_matrices(&x, &y, &Default::default())?;
/// // Every GPU: `DeviceChoice::Cuda(vec![])`. Where the problem is worth it: `DeviceChoice::Auto`.
/// let resources = Resources {
///     memory_limit: Some(1 << 30),
///     ..Resources::cpu(2)
/// };
/// let never = passel::Interrupt::default();
/// let (pass, mut observe) = (Pass::default(), |_: &search::IterationRecord| {});
/// let found = search::search(&design, &Bic, &pass, &resources, &never, None, &mut observe)?;
/// assert_eq!(found.devices, ["cpu"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `observe` is called after each iteration. The answer depends on the design, the
/// criterion and `pass`, never on the resources.
///
/// With `checkpointing` the state is written from time to time. A search resumed from it finds the
/// same, bit for bit, as one that was never interrupted. Where a search ends neither by its
/// iterations nor by patience ([`SearchResult::termination`]), the checkpoint written last is the
/// one to resume from.
///
/// # Errors
/// A parameter outside its range, threads or a device that cannot be started, or a checkpoint of
/// another search; the design of a formula that only [`search_by_parts`] searches. A device that fails later ends
/// the search: [`SearchResult::fault`].
pub fn search(
    design: &Design,
    criterion: &dyn Criterion,
    pass: &Pass,
    resources: &Resources,
    interrupt: &Interrupt,
    checkpointing: Option<Checkpointing>,
    observe: &mut (dyn FnMut(&IterationRecord) + Send),
) -> Result<SearchResult, SearchError> {
    refuse_parts(design, "this search")?;
    search_from(
        design,
        criterion,
        pass,
        resources,
        interrupt,
        checkpointing,
        observe,
        &Start::default(),
        &mut SharedDevices::of(design.columns()),
    )
}

/// Refuses a design that lacks interactions of its formula.
pub(crate) fn refuse_parts(design: &Design, what: &str) -> Result<(), SettingsError> {
    match design.wide() {
        None => Ok(()),
        Some(_) => Err(SettingsError(format!(
            "the formula has {} terms; {what} makes all of them at once, at most 250,000: let fewer variables interact",
            design.candidate_terms()
        ))),
    }
}

/// The search of a design, or of a part of one.
#[expect(
    clippy::too_many_arguments,
    reason = "those of a search, where it begins, and the devices"
)]
fn search_from(
    design: &Design,
    criterion: &dyn Criterion,
    pass: &Pass,
    resources: &Resources,
    interrupt: &Interrupt,
    checkpointing: Option<Checkpointing>,
    observe: &mut (dyn FnMut(&IterationRecord) + Send),
    start: &Start,
    shared: &mut SharedDevices,
) -> Result<SearchResult, SearchError> {
    let fitted = fit_kept(design, pass)?;
    let threads = resources.thread_count();
    let elements = design.n().saturating_mul(design.p());
    let times = pass.relative_effort(design.likelihood().is_some());
    check_partition(design, resources)?;
    let devices = &resources.devices;
    let (places, note) = Placement::resolve(devices, gpus_pay(elements, times, threads))?;
    let places = places.for_rank(resources.communicator.as_ref());
    // A thread for each GPU, however few there are for other work: it only waits.
    let threads = threads.max(places.host_threads());
    let undefined = AtomicBool::new(false);
    let objective = Objective::new(design, criterion, &undefined)?;
    let problem = SearchProblem::new(objective, pass, &fitted).with_start(start);
    // The search runs on one of the pool's threads and the caller sleeps: its core is theirs. (A
    // caller that joins the pool is never taken from it again: rayon leaks some KiB for each.)
    let pool = threads::pool(threads)?;
    let done = AtomicBool::new(false);
    // More threads than cores would only take turns at staying awake; and beside GPUs
    // there is little for the others to do.
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let awake = match &places {
        Placement::Cpu(_) => threads.min(cores),
        Placement::Cuda(_) => places.host_threads(),
    };
    pool.scope(|scope| {
        let _end = SetOnDrop(&done);
        for _ in 1..awake {
            scope.spawn(|_| stay_awake(&done));
        }
        let starting = Instant::now();
        // First, so that a wrong checkpoint is refused before devices start.
        let writer =
            checkpointing.map(|checkpointing| CheckpointWriter::new(checkpointing, &problem));
        let (keeper, from) = writer.transpose()?.unzip();
        let opened = shared.open(&problem, (devices, places), resources, threads)?;
        let mut notes = Vec::from_iter(note);
        notes.extend(opened.notes.iter().cloned());
        if let Placement::Cpu(_) = opened.places {
            // Threads that would have waited for GPUs.
            for _ in awake..threads.min(cores) {
                scope.spawn(|_| stay_awake(&done));
            }
        }
        resources.barrier()?;
        let starting = starting.elapsed().as_secs_f64();
        let interrupt = resources.with_time_limit(interrupt, pass.time_limit);
        opened.devices.heed(&interrupt);
        let control = RunControl {
            limits: Limits {
                interrupt: &interrupt,
                communicator: resources.communicator.as_ref(),
                start: Instant::now(),
            },
            observe,
            keeper,
        };
        let found = run_stages(
            problem,
            &mut opened.devices,
            threads,
            control,
            from.flatten(),
        )?;
        if found.fault.is_some() {
            shared.close();
        }
        notes.extend(objective.undefined_note());
        notes.extend(found.notes);
        Ok(SearchResult {
            starting,
            notes,
            ..found
        })
    })
}

/// Refuses to share columns or sweeps of terms of several columns among processes, which is not there yet.
fn check_partition(design: &Design, resources: &Resources) -> Result<(), SearchError> {
    let is_shared =
        resources.distributed().is_some() && resources.partition != Some(Partition::Particles);
    match design.has_terms() {
        true if is_shared => Err(SettingsError(
            "terms of several columns, or that need others, are not searched by several processes that share \
             columns or sweeps (--over) yet: leave that out, or let each dummy be a term of its own (--split)"
                .to_owned(),
        )
        .into()),
        _ => Ok(()),
    }
}

/// The largest model size, in columns, and the fit of the kept variables.
pub(crate) fn fit_kept(design: &Design, pass: &Pass) -> Result<(usize, Fit), SearchError> {
    let x = design.columns();
    let keep = design.keep().iter().map(|term| x.columns_of(*term).len());
    let max_size = pass.check(design.n(), design.p(), (design.keep().len(), keep.sum()))?;
    let (mut kept, _) = Fit::of(x, design.y(), &[]);
    for &term in design.keep() {
        if let Err(Collinear { pivot }) = kept.add(x, term) {
            let name = design.term_name(term);
            return Err(SettingsError(format!(
                "`{name}` is kept, by --keep or --covariates or because a kept term stands on it, and the other kept variables \
                 explain it (pivot {pivot:e}): keep fewer, or leave it out of the data or the formula"
            ))
            .into());
        }
    }
    if !kept.rss().is_finite() {
        return Err(SettingsError(
            "the model of the kept variables cannot be fitted: no means that the family can have follow from them; look at \
             their units, or keep fewer"
                .to_owned(),
        )
        .into());
    }
    Ok((max_size, kept))
}

/// Searches for the model with the lowest value of a criterion, and reports it: its coefficients, how
/// certain the choice is, and how it was found. Every core is used, and where n × p is large every GPU
/// ([`DeviceChoice::Auto`](crate::device::DeviceChoice::Auto)); [`search`] takes resources, interrupts and
/// checkpoints.
///
/// # Errors
/// As [`search`].
pub fn select(
    design: &Design,
    criterion: &dyn Criterion,
    pass: &Pass,
) -> Result<Selection, SearchError> {
    let never = Interrupt::default();
    let anything = Resources::default();
    let (part, found) = search_by_parts(
        design,
        criterion,
        pass,
        &anything,
        &never,
        None,
        &mut |_, _| {},
    )?;
    Ok(found.selection(part.as_ref().unwrap_or(design), criterion, pass))
}

/// Sets a flag when dropped, also by a panic: a criterion may be foreign code.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Keeps a thread of the pool from sleeping between two sweeps: waking it takes as long as a sweep
/// of a small problem. It yields its core to any other work.
fn stay_awake(done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            std::thread::yield_now();
        }
    }
}
