//! PaSS, particle swarm stepwise: K particles, each a support, walk by adding
//! and dropping one variable a step, and share the best model found.
//!
//! *Source*: M. Yang, R.-B. Chen, I-H. Chung, W. Wang, Particle Swarm Stepwise
//! Algorithm (PaSS) on Multicore Hybrid CPU-GPU Clusters, 2016, Figure 1.
//! Where the paper leaves a choice, ARCHITECTURE.md says what passel does.

mod interrupt;
mod observe;
mod particle;
mod settings;
mod swarm;

use std::{
    num::NonZeroUsize,
    sync::atomic::{AtomicBool, Ordering},
    time::Instant,
};

use passel_criteria::Criterion;
use thiserror::Error;

pub use crate::device::Gain;
use crate::{
    design::Design,
    device::{Cpu, PIVOT_TOLERANCE},
    least_squares::{Collinear, Fit},
    selection::{CriterionValue, Elapsed, LEVEL, Method, Selection, Termination, Truth, estimates},
};
pub use interrupt::Interrupt;
pub use observe::{Iteration, Move, Step};
use particle::{Problem, rises};
pub(crate) use settings::sum_to_one;
pub use settings::{Pass, SettingsError};
use swarm::{Judge, Swarm};

/// What a search found.
#[derive(Debug, Clone)]
pub struct Found {
    /// The best model's fit, factored from scratch in ascending order.
    pub fit: Fit,
    /// φ of that fit.
    pub value: f64,
    /// The fit is exact: its RSS is nothing but rounding.
    pub exact: bool,
    /// The smallest pivot of the fit: what its other variables leave unexplained
    /// of a unit column.
    pub pivot: f64,
    /// Iterations done.
    pub iterations: usize,
    /// Why it ended.
    pub termination: Termination,
    /// The bound on model size that was in force.
    pub max_size: usize,
    /// Wall-clock seconds of the search, the data lying ready on the device.
    pub seconds: f64,
}

/// Why a search could not run.
#[derive(Debug, Error)]
pub enum SearchError {
    /// A parameter outside its range.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A kept variable is a linear combination of kept ones before it.
    #[error(
        "--keep names `{name}`, which the other kept variables explain (pivot {pivot:e}): keep fewer"
    )]
    KeptCollinear {
        /// The variable.
        name: String,
        /// What is left of its unit norm.
        pivot: f64,
    },
    /// The threads could not be started.
    #[error("{threads} threads could not be started")]
    Threads {
        /// Threads asked for.
        threads: usize,
        /// The system's reason.
        source: rayon::ThreadPoolBuildError,
    },
}

/// Searches the model of lowest criterion value.
///
/// `threads` none means every core. `observe` is called after each iteration.
/// The answer depends on the design, the criterion and `pass`, never on the
/// number of threads.
///
/// # Errors
/// A parameter outside its range, or threads that cannot be started.
pub fn search(
    design: &Design,
    criterion: &dyn Criterion,
    pass: &Pass,
    threads: Option<NonZeroUsize>,
    interrupt: &Interrupt,
    observe: &mut (dyn FnMut(&Iteration) + Send),
) -> Result<Found, SearchError> {
    let max_size = pass.check(design.n(), design.p(), design.keep().len())?;
    let mut kept = Fit::empty(design.y());
    for &j in design.keep() {
        kept.add(design.columns(), j)
            .map_err(|Collinear { pivot }| SearchError::KeptCollinear {
                name: design.variables()[j as usize].name.clone(),
                pivot,
            })?;
    }
    let threads = threads
        .or_else(|| std::thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let problem = Problem {
        x: design.columns(),
        y: design.y(),
        keep: design.keep(),
        kept: &kept,
        max_size,
        forward: pass.forward,
        improve_backward: pass.backward[0],
    };
    let judge = Judge {
        criterion,
        n: design.n(),
        p: design.p_total().unwrap_or(design.p()),
        tss: design.tss(),
    };
    // A thread of its own becomes the pool's first: the caller then sleeps before
    // the others start, and leaves them its core.
    let searching = || {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .use_current_thread()
            .build()
            .map_err(|source| SearchError::Threads { threads, source })?;
        let done = AtomicBool::new(false);
        // More threads than cores would only take turns at staying awake.
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(pool.in_place_scope(|scope| {
            let _end = Raise(&done);
            for _ in 1..threads.min(cores) {
                scope.spawn(|_| stay_awake(&done));
            }
            let device = Cpu::new(problem.x, problem.y, threads);
            walk(problem, judge, device, pass, threads, interrupt, observe)
        }))
    };
    std::thread::scope(|scope| match scope.spawn(searching).join() {
        Ok(found) => found,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// Searches with every core and no interruption, and reports the model found.
///
/// # Errors
/// As [`search`].
pub fn select(
    design: &Design,
    criterion: &dyn Criterion,
    pass: &Pass,
) -> Result<Selection, SearchError> {
    let never = Interrupt::default();
    let found = search(design, criterion, pass, None, &never, &mut |_| {})?;
    Ok(found.selection(design, criterion, pass))
}

impl Found {
    /// The result, on the original scale, with intervals at [`LEVEL`]. What the caller alone knows (seconds
    /// of reading, say) is left for the caller to fill in.
    pub fn selection(&self, design: &Design, criterion: &dyn Criterion, pass: &Pass) -> Selection {
        let (intercept, selected) = estimates(design, &self.fit, self.exact);
        let k = selected.len();
        let mut warnings = design.warnings().to_vec();
        if k == self.max_size && k < design.p() {
            let mend = if k < design.n() - 2 {
                "a larger one may be better (--max-size)"
            } else {
                "these observations can fit no larger one"
            };
            warnings.push(format!(
                "the model has {k} variables, as many as allowed: {mend}"
            ));
        }
        if self.pivot < PIVOT_TOLERANCE {
            warnings.push(format!(
                "the chosen variables are nearly collinear (pivot {:.0e}): coefficients and standard errors have few digits",
                self.pivot
            ));
        }
        if self.exact {
            warnings.push(
                "the fit is exact: the residuals are rounding, so there are no standard errors"
                    .to_owned(),
            );
        }
        let mut selection = Selection {
            passel: env!("CARGO_PKG_VERSION"),
            method: Method {
                name: "pass",
                parameters: pass.parameters(self.max_size),
            },
            criterion: CriterionValue {
                name: criterion.name().to_owned(),
                value: self.value,
                parameters: criterion.parameters(),
            },
            response: design.response().name.clone(),
            weights: design.weights().map(str::to_owned),
            n: design.n(),
            p: design.p(),
            p_total: design.p_total(),
            k,
            rss: self.fit.rss() * design.tss(),
            tss: design.tss(),
            level: LEVEL,
            intercept,
            truth: Truth::of(design.truth(), &selected),
            selected,
            set_aside: design.set_aside().to_vec(),
            seed: pass.seed,
            devices: vec!["cpu".to_owned()],
            precision: "f64",
            iterations: self.iterations,
            termination: self.termination,
            elapsed_seconds: Elapsed {
                search: self.seconds,
                total: self.seconds,
                ..Elapsed::default()
            },
            warnings,
        };
        selection.set_level(LEVEL);
        selection
    }
}

/// Raises a flag when it goes, by a panic too: a criterion is anybody's code.
struct Raise<'a>(&'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Keeps a thread of the pool from falling asleep between two sweeps: to wake
/// it takes as long as a sweep of a small problem. It yields its core to
/// whatever else wants to run.
fn stay_awake(done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            std::thread::yield_now();
        }
    }
}

/// Whether RSS is rounding alone: each residual is the rounded sum of y and the
/// terms, |β̂| in size.
fn is_exact(n: usize, fit: &Fit) -> bool {
    let terms: f64 = fit.coefficients().iter().map(|b| b.abs()).sum();
    fit.rss() <= n as f64 * (f64::EPSILON * (1.0 + terms)).powi(2)
}

/// The iterations, until something ends them.
fn walk(
    problem: Problem,
    judge: Judge,
    device: Cpu,
    pass: &Pass,
    threads: usize,
    interrupt: &Interrupt,
    observe: &mut dyn FnMut(&Iteration),
) -> Found {
    let start = Instant::now();
    let mut swarm = Swarm::start(problem, judge, device, pass, threads);
    let (mut iterations, mut improved, mut lowest) = (1, 1, swarm.best().value);
    let termination = loop {
        let best = swarm.best();
        observe(&Iteration {
            number: iterations,
            of: pass.iterations,
            best_value: best.value,
            best_size: best.members.len(),
            steps: swarm.steps(),
        });
        if rises(best.value, lowest) {
            (improved, lowest) = (iterations, best.value);
        }
        if interrupt.requested() {
            break Termination::Interrupted;
        } else if iterations >= pass.iterations {
            break Termination::Iterations;
        } else if pass
            .patience
            .is_some_and(|most| iterations - improved >= most)
        {
            break Termination::Patience;
        } else if pass.time_limit.is_some_and(|most| start.elapsed() >= most) {
            break Termination::TimeLimit;
        }
        swarm.iterate();
        iterations += 1;
    };
    let (fit, pivot) = Fit::of(problem.x, problem.y, &swarm.best().members);
    Found {
        value: judge.value(&fit),
        exact: is_exact(problem.x.n(), &fit),
        pivot,
        fit,
        iterations,
        termination,
        max_size: problem.max_size,
        seconds: start.elapsed().as_secs_f64(),
    }
}
