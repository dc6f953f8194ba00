//! Selectors that go a way of their own: what they are lent, what they chose, and how one that
//! does not heed the wish to end is left behind.

mod levels;
mod regression;

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use rayon::ThreadPool;
use thiserror::Error;

use crate::{
    device::DeviceError,
    interrupt::Interrupt,
    random::Stream,
    threads::{ThreadError, pool},
};

pub(crate) use levels::OVER_LEVELS;
pub use levels::{ProcedureOptions, ProcedureRanking, rank_with_procedure};
pub use regression::{ProcedureRegression, regress_with_procedure};

/// A selector that chooses variables by itself.
pub trait Procedure: fmt::Debug + Send + Sync {
    /// Chooses variables, and returns when all are chosen.
    ///
    /// # Errors
    /// What it cannot do, on one line; what it chose before stands.
    fn run(&self, problem: &dyn Problem) -> Result<(), String>;
}

/// What a procedure is lent. All of it may be called from any thread, until the procedure
/// returns.
pub trait Problem: Send + Sync {
    /// Observations.
    fn n(&self) -> usize;

    /// Candidates, numbered from 0; as a column it stands for the response.
    fn p(&self) -> usize;

    /// Variables that may be chosen beside those kept, which may be chosen as well and are not
    /// counted.
    fn most(&self) -> usize;

    /// Remembers a misuse that was found before it came this far.
    fn note(&self, misuse: CallError);

    /// Takes a variable, the best first, with its score.
    ///
    /// # Errors
    /// See [`CallError`], here and below. The first one ends the selection as an error, whether
    /// or not the procedure heeds it.
    fn choose(&self, column: usize, score: f64) -> Result<(), CallError>;

    /// Writes the n numbers of a column.
    ///
    /// # Errors
    /// Not a column.
    fn numbers(&self, column: usize, room: &mut [f64]) -> Result<(), CallError>;

    /// Over levels: writes the n codes of a column; how many levels it has.
    ///
    /// # Errors
    /// Not a column, or a regression.
    fn codes(&self, column: usize, room: &mut [u32]) -> Result<usize, CallError>;

    /// Whether a column is of text, whose numbers are equal or not and nothing else.
    fn is_nominal(&self, column: usize) -> bool;

    /// Over a regression: for each anchor r, n numbers each, the candidates of largest |xᵀr|
    /// and xᵀr, the largest first, of equal ones the lowest; as many of each as there is room
    /// for, of both kinds alike.
    ///
    /// # Errors
    /// An anchor that holds what is no number, more wanted than there are, or levels.
    fn sweep(
        &self,
        anchors: &[f64],
        wanted: usize,
        columns: &mut [usize],
        products: &mut [f64],
    ) -> Result<(), CallError>;

    /// Over a regression: fits these variables and the kept ones, in this order of entry; the
    /// value of the criterion, +∞ where one is collinear with those before it.
    ///
    /// # Errors
    /// Not a candidate, one twice, more than may be chosen, or levels.
    fn fit(&self, columns: &[usize], residuals: Option<&mut [f64]>) -> Result<f64, CallError>;

    /// Calls `work` with 0 … count − 1, in any order, on the engine's threads.
    fn each(&self, count: usize, work: &(dyn Fn(usize) + Sync));

    /// Writes random words of a stream, which begins anew with every call.
    fn random(&self, stream: u32, words: &mut [u32]);

    /// Whether the user wants the end.
    fn interrupted(&self) -> bool;

    /// Shows how far it is.
    fn progress(&self, done: usize, of: usize);
}

/// What a procedure asked for and cannot have.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CallError {
    /// Not a column.
    #[error("it named column {column} of {p}")]
    Column {
        /// As it said.
        column: usize,
        /// How many there are.
        p: usize,
    },
    /// A variable chosen before.
    #[error("it chose column {column} twice")]
    Twice {
        /// As it said.
        column: usize,
    },
    /// More variables than may be chosen.
    #[error("it chose more than {most} variables")]
    TooMany {
        /// How many may be.
        most: usize,
    },
    /// A score that is no number.
    #[error("its score of column {column} is {score}")]
    Score {
        /// The column.
        column: usize,
        /// NaN, or an infinity.
        score: f64,
    },
    /// An anchor with a NaN or an infinity.
    #[error("its anchor {at} holds {value}")]
    Anchor {
        /// Which, from 0.
        at: usize,
        /// What it holds.
        value: f64,
    },
    /// More candidates of a sweep than there are.
    #[error("it asked for the {wanted} strongest of {p} candidates")]
    Wanted {
        /// As it said.
        wanted: usize,
        /// How many there are.
        p: usize,
    },
    /// Something of levels for a regression, or the other way round.
    #[error("it asked for {what}, which {of} does not have")]
    NotLent {
        /// What it asked for.
        what: &'static str,
        /// What it chooses from.
        of: &'static str,
    },
    /// A pointer that must not be null.
    #[error("it handed over a null pointer, not {what}")]
    Null {
        /// What it should lead to.
        what: &'static str,
    },
    /// More numbers than any memory holds.
    #[error("it handed over {what} that no memory can hold")]
    Room {
        /// What they are.
        what: &'static str,
    },
    /// A device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The fault is passel's.
    #[error("passel itself failed: {0}")]
    Broken(String),
}

/// Why a procedure's selection failed; what was chosen before stands.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ProcedureError {
    /// It says that it cannot.
    #[error("{0}")]
    Failed(String),
    /// It broke its contract.
    #[error(transparent)]
    Call(#[from] CallError),
}

/// What any procedure's problem has, shared with who waits for it.
#[derive(Debug)]
struct Desk {
    p: usize,
    most: usize,
    /// Variables that every model holds, ascending: chosen or not, they do not count.
    keep: Vec<u32>,
    seed: u64,
    /// The threads that are lent.
    pool: ThreadPool,
    interrupt: Interrupt,
    /// When it is to end.
    until: Option<Instant>,
    chosen: Mutex<Vec<(usize, f64)>>,
    misuse: Mutex<Option<CallError>>,
    /// Whether the criterion was no number of some model.
    undefined: AtomicBool,
    done: AtomicUsize,
    of: AtomicUsize,
}

/// How a procedure ended.
enum End<T> {
    /// It returned.
    Returned(T),
    /// It did not heed the wish to end: its thread runs on, and is nobody's.
    Left,
}

/// Streams of procedures begin here: no particle, no simulation and no permutation has them.
const STREAMS: u64 = 1 << 62;

/// What to say of one that was left behind.
const UNHEEDED: &str =
    "the selector did not heed the wish to end and was left behind: this is what it had chosen";

/// How long a procedure may go on after the first wish to end, or its time limit, before it is
/// left behind: a batch system kills what does not heed it.
const GRACE: Duration = Duration::from_secs(10);

/// Between two looks at the wish to end.
const LOOK: Duration = Duration::from_millis(20);

impl Desk {
    /// For p candidates, at most so many of them beside those kept; with threads of its own.
    fn new(
        p: usize,
        (most, keep): (usize, Vec<u32>),
        (seed, time_limit): (u64, Option<Duration>),
        threads: usize,
        interrupt: &Interrupt,
    ) -> Result<Arc<Self>, ThreadError> {
        Ok(Arc::new(Self {
            p,
            most,
            keep,
            seed,
            pool: pool(threads)?,
            interrupt: interrupt.clone(),
            until: time_limit.map(|it| Instant::now() + it),
            chosen: Default::default(),
            misuse: Default::default(),
            undefined: Default::default(),
            done: Default::default(),
            of: Default::default(),
        }))
    }

    fn take(&self, column: usize, score: f64) -> Result<(), CallError> {
        let mut chosen = lock(&self.chosen);
        let p = self.p;
        let kept =
            |it: usize| u32::try_from(it).is_ok_and(|it| self.keep.binary_search(&it).is_ok());
        self.noted(if column >= p {
            Err(CallError::Column { column, p })
        } else if chosen.iter().any(|it| it.0 == column) {
            Err(CallError::Twice { column })
        } else if !kept(column) && chosen.iter().filter(|it| !kept(it.0)).count() == self.most {
            Err(CallError::TooMany { most: self.most })
        } else if !score.is_finite() {
            Err(CallError::Score { column, score })
        } else {
            chosen.push((column, score));
            Ok(())
        })
    }

    /// The first misuse is remembered.
    fn noted<T>(&self, result: Result<T, CallError>) -> Result<T, CallError> {
        if let Err(misuse) = &result {
            lock(&self.misuse).get_or_insert(misuse.clone());
        }
        result
    }

    fn each(&self, count: usize, work: &(dyn Fn(usize) + Sync)) {
        use rayon::prelude::*;
        self.pool
            .install(|| (0..count).into_par_iter().for_each(work));
    }

    fn random(&self, stream: u32, words: &mut [u32]) {
        let mut stream = Stream::new(self.seed, STREAMS + u64::from(stream));
        for word in words {
            *word = (stream.next_word() >> 32) as u32;
        }
    }

    fn late(&self) -> bool {
        self.until.is_some_and(|it| Instant::now() >= it)
    }

    /// Whether nobody waits for it any more: it was asked twice, or long enough.
    fn given_up(&self) -> bool {
        let overdue = |it: Instant| Instant::now() >= it + GRACE;
        self.interrupt.is_forced() || self.until.is_some_and(overdue)
    }

    fn interrupted(&self) -> bool {
        self.interrupt.requested() || self.late()
    }

    fn progress(&self, done: usize, of: usize) {
        self.done.store(done, Ordering::Relaxed);
        self.of.store(of, Ordering::Relaxed);
    }

    /// What was chosen so far.
    fn chosen(&self) -> Vec<(usize, f64)> {
        lock(&self.chosen).clone()
    }

    /// What went wrong, of what the procedure said and of what it did.
    fn fault(&self, said: Result<(), String>) -> Option<ProcedureError> {
        // What it says of its own misuse is less than what is known.
        let misuse = lock(&self.misuse).clone().map(ProcedureError::Call);
        misuse.or_else(|| said.err().map(ProcedureError::Failed))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does the work on a thread that can be left behind: another's code need not heed the wish to
/// end. `observe` is told how far it is.
fn aside<T: Send + 'static>(
    desk: &Arc<Desk>,
    observe: &mut dyn FnMut(usize, usize),
    work: impl FnOnce(&Desk) -> T + Send + 'static,
) -> Result<End<T>, ThreadError> {
    let (send, receive) = mpsc::channel();
    let own = Arc::clone(desk);
    let interrupt = desk.interrupt.clone();
    let _foreign = interrupt.detachable();
    let started = thread::Builder::new().spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&own)));
        // Nobody listens any more where it was left.
        let _ = send.send(done);
    });
    started.map_err(|source| ThreadError::Spawn { source })?;
    let mut shown = 0;
    let mut asked: Option<Instant> = None;
    loop {
        if asked.is_none() && interrupt.requested() {
            asked = Some(Instant::now());
        }
        let unheeded = asked.is_some_and(|it| it.elapsed() >= GRACE);
        match receive.recv_timeout(LOOK) {
            Ok(Ok(done)) => return Ok(End::Returned(done)),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(RecvTimeoutError::Timeout) if desk.given_up() || unheeded => {
                interrupt.mark_detached();
                return Ok(End::Left);
            }
            Err(RecvTimeoutError::Timeout) => {
                let done = desk.done.load(Ordering::Relaxed);
                if done != shown {
                    shown = done;
                    observe(done, desk.of.load(Ordering::Relaxed));
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(End::Left),
        }
    }
}
