//! Procedures: selection methods of plugins that are more than a score. They run on a thread that
//! is detached if it ignores requests to end.

mod context;
mod error;
mod levels;
mod regression;

use std::{
    ffi::CStr,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc,
        atomic::Ordering,
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use crate::{
    interrupt::grace,
    random::Stream,
    score::Quantity,
    threads::{CpuMeter, ThreadError},
};

pub use context::ProcedureContext;
use context::lock;
pub use error::{CallError, ProcedureError};
pub use levels::{ProcedureOptions, rank_with_procedure};
pub use regression::regress_with_procedure;

/// A selection method of a plugin that is more than a score: it chooses the variables itself.
pub trait Procedure: fmt::Debug + Send + Sync {
    /// Chooses variables, and returns when all are chosen.
    ///
    /// # Errors
    /// The reason for a failure, on one line; variables chosen before it stand.
    fn run(&self, problem: &dyn Problem) -> Result<(), String>;

    /// Whether it chooses models of every family, and not of linear regressions alone.
    fn has_likelihoods(&self) -> bool {
        false
    }
}

/// The problem that a procedure solves. Every function may be called from any thread, until the
/// procedure returns. The first [`CallError`] fails the selection, whether or not the procedure
/// heeds it.
pub trait Problem: Send + Sync {
    /// Observations n.
    fn n(&self) -> usize;

    /// The part that every problem has.
    #[doc(hidden)]
    fn context(&self) -> &ProcedureContext;

    /// The kind of problem, as errors name it: `a regression`.
    #[doc(hidden)]
    fn kind(&self) -> &'static str;

    /// Candidates p, numbered from 0; column p is the response.
    fn p(&self) -> usize {
        self.context().p
    }

    /// The most variables that may be chosen; kept variables are not counted.
    fn most(&self) -> usize {
        self.context().most
    }

    /// Records an error found before a call reached this problem.
    fn note(&self, error: CallError) {
        let _: Result<(), CallError> = self.context().noted(Err(error));
    }

    /// Chooses a variable, the best first, with its score.
    ///
    /// # Errors
    /// Not a candidate, chosen before, one too many, or a score that is not finite.
    fn choose(&self, column: usize, score: f64) -> Result<(), CallError> {
        self.context().choose(column, score)
    }

    /// Writes the numbers of a column; *shapes:* `buffer` has n elements.
    ///
    /// # Errors
    /// Not a column.
    fn numbers(&self, column: usize, buffer: &mut [f64]) -> Result<(), CallError>;

    /// Writes the codes of a column of a problem over levels, and returns its number of levels;
    /// *shapes:* `buffer` has n elements.
    ///
    /// # Errors
    /// Not a column, or a regression.
    fn codes(&self, _column: usize, _buffer: &mut [u32]) -> Result<usize, CallError> {
        self.context().not_lent("codes", self.kind())
    }

    /// Whether a column is of text: its numbers are equal or not, and have no order.
    fn is_nominal(&self, _column: usize) -> bool {
        false
    }

    /// The number of a column's term; what is chosen or fitted of a term is all of its columns. A column that is
    /// no candidate's is its own.
    fn term_of(&self, column: usize) -> usize {
        column
    }

    /// The name of the family: that of linear regressions where there is no other.
    fn family(&self) -> &'static CStr {
        c"gaussian"
    }

    /// Whether the user keeps a column.
    fn is_kept(&self, column: usize) -> bool {
        self.context().is_kept(column)
    }

    /// The name of a column.
    ///
    /// # Errors
    /// Not a column.
    fn name(&self, column: usize) -> Result<&str, CallError>;

    /// Writes, for each candidate of a problem over levels, the quantity of its table with an anchor and
    /// the response, in nats; the anchor is codes below its number of levels, which itself stands for none.
    ///
    /// *Shapes:* n codes; `values` has p elements.
    ///
    /// # Errors
    /// A code above the levels, or a regression.
    fn measure(
        &self,
        _quantity: &Quantity,
        _anchor: Option<(&[u32], usize)>,
        _values: &mut [f64],
    ) -> Result<(), CallError> {
        self.context().not_lent("levels", self.kind())
    }

    /// Puts a number into the report.
    ///
    /// # Errors
    /// A number that is not finite, or more than 1,000 names.
    fn tell(&self, name: &str, value: f64) -> Result<(), CallError> {
        self.context().tell(name, value)
    }

    /// Sweeps the candidates of a regression: for each anchor r, the candidates of largest |xᵀr|
    /// and their xᵀr, the largest first, of equal ones the lowest.
    ///
    /// *Shapes:* `anchors` is n × m, column-major; `columns` and `products` are `wanted` × m.
    ///
    /// # Errors
    /// An anchor that is not finite, more wanted than there are, or a problem over levels.
    fn sweep(
        &self,
        _anchors: &[f64],
        _wanted: usize,
        _columns: &mut [usize],
        _products: &mut [f64],
    ) -> Result<(), CallError> {
        self.context().not_lent("sweeps", self.kind())
    }

    /// Fits a regression on these variables and the kept ones, in this order of entry; the value
    /// of the criterion, +∞ where a variable is collinear with those before it.
    ///
    /// *Shapes:* `residuals`, if wanted, has n elements.
    ///
    /// # Errors
    /// Not a candidate, one twice, more than may be chosen, or a problem over levels.
    fn fit(&self, _columns: &[usize], _residuals: Option<&mut [f64]>) -> Result<f64, CallError> {
        self.context().not_lent("fits", self.kind())
    }

    /// Calls `work` with 0 … count − 1, in any order, on the engine's threads.
    fn each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        use rayon::prelude::*;
        let all = || (0..count).into_par_iter().for_each(work);
        self.context().pool.install(all);
    }

    /// Writes random words of a stream of the user's seed; a stream begins anew with every call.
    fn random(&self, stream: u32, words: &mut [u32]) {
        let mut stream = Stream::new(self.context().seed, STREAMS + u64::from(stream));
        for word in words {
            *word = (stream.next_word() >> 32) as u32;
        }
    }

    /// Whether the procedure should end: the user or the time limit wants it.
    fn interrupted(&self) -> bool {
        let context = self.context();
        context.interrupt.requested()
    }

    /// Reports progress.
    fn progress(&self, done: usize, of: usize) {
        let context = self.context();
        context.done.store(done, Ordering::Relaxed);
        context.of.store(of, Ordering::Relaxed);
    }
}

/// What a procedure chose.
#[derive(Debug)]
pub struct ProcedureResult<T> {
    /// The variables that it ranked, in its order, or its model, as of any search.
    pub result: T,
    /// Why it failed, if it did; what it chose before stands.
    pub error: Option<ProcedureError>,
}

/// How a procedure ended.
struct ProcedureEnd {
    error: Option<ProcedureError>,
    /// A note for the report, where its thread ignored the request to end and runs on, detached.
    detached: Option<String>,
    interrupted: bool,
    late: bool,
}

impl ProcedureEnd {
    fn reason<T>(&self, [fault, interrupted, late, done]: [T; 4]) -> T {
        match self.error {
            Some(_) => fault,
            None if self.interrupted => interrupted,
            None if self.late => late,
            None => done,
        }
    }
}

/// The first random stream of procedures; particles, simulations and permutations have others.
const STREAMS: u64 = 1 << 62;

const DETACHED_NOTE: &str =
    "the selector did not heed the wish to end and was left behind: this is what it had chosen";

const POLL: Duration = Duration::from_millis(20);

/// Runs the work, which returns what the procedure did, on a thread that is detached if it ignores
/// requests to end, as a plugin may. `observe` is called with its progress.
fn run_detached<E: From<ThreadError> + Send + 'static>(
    context: &Arc<ProcedureContext>,
    observe: &mut dyn FnMut(usize, usize),
    work: impl FnOnce(&ProcedureContext) -> Result<Result<(), String>, E> + Send + 'static,
) -> Result<ProcedureEnd, E> {
    let (send, receive) = mpsc::channel();
    let own = Arc::clone(context);
    let interrupt = context.interrupt.clone();
    let _guard = interrupt.detachable();
    let cpu_meter = CpuMeter::current();
    let spawned = thread::Builder::new().spawn(move || {
        let result = cpu_meter.run(|| catch_unwind(AssertUnwindSafe(|| work(&own))));
        // Once it is detached, nobody receives this.
        let _ = send.send(result);
    });
    spawned.map_err(|source| ThreadError::Spawn { source })?;
    let mut shown = 0;
    let mut requested: Option<Instant> = None;
    let returned = loop {
        if requested.is_none() && interrupt.requested() {
            requested = Some(Instant::now());
        }
        let overdue = requested.is_some_and(|since| since.elapsed() >= grace());
        match receive.recv_timeout(POLL) {
            Ok(Ok(result)) => break Some(result?),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(RecvTimeoutError::Timeout) if interrupt.is_forced() || overdue => {
                context.detached.store(true, Ordering::Relaxed);
                interrupt.mark_detached();
                break None;
            }
            Err(RecvTimeoutError::Timeout) => {
                let done = context.done.load(Ordering::Relaxed);
                if done != shown {
                    shown = done;
                    observe(done, context.of.load(Ordering::Relaxed));
                }
            }
            Err(RecvTimeoutError::Disconnected) => break None,
        }
    };
    let detached = returned.is_none().then(|| DETACHED_NOTE.to_owned());
    let error = returned.and_then(|returned| {
        // A faulty call explains more than the reason that followed from it.
        let call = lock(&context.error).clone().map(ProcedureError::Call);
        call.or_else(|| returned.err().map(ProcedureError::Failed))
    });
    Ok(ProcedureEnd {
        error,
        detached,
        interrupted: interrupt.requested() && !interrupt.is_at_time_limit(),
        late: interrupt.is_at_time_limit(),
    })
}
