//! The jobs of a file: what is done, what is to do, and doing it, so that nothing is lost.
//!
//! Each result lies in a file of its own, written whole or not at all when its job ends, with the
//! manifest of what it was made of. So a run that ends, however it ends, has lost what was in
//! flight and no more; the next one does what is missing or out of date.

mod folder;
mod manifest;
mod ranks;
mod room;
mod standing;
mod tables;
mod work;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    error::Error,
    path::Path,
    sync::{Condvar, Mutex, PoisonError, atomic::AtomicUsize},
    thread,
    time::Duration,
};

pub use folder::FolderError;
pub use manifest::{Input, Manifest, sha256};
pub use standing::{JobStatus, Status, job_statuses, matching_jobs, status_table};

use crate::{
    interrupt::Interrupt,
    job::file::{JobFile, PlannedJob},
    output::OutputError,
    progress::JobProgress,
    ranks::Communicator,
    run::DataCache,
};
use folder::Folder;
use manifest::Inputs;
use room::{Demand, GpuCensus, ResourcePool};
use standing::status;
use tables::Told;
pub use work::panic_report;
use work::{PendingJob, Worker};

/// How a run ended.
#[derive(Debug, Default)]
pub struct RunSummary {
    /// Jobs whose results were there before.
    pub before: usize,
    /// Jobs done now, by what they are called.
    pub done: BTreeSet<String>,
    /// Why others failed, by what they are called.
    pub failed: BTreeMap<String, String>,
    /// Why the tables could not be written.
    pub tables: Option<OutputError>,
    /// Jobs that were not started, or not finished, for the run was interrupted.
    pub left: usize,
}

/// Why a run could not begin.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// Its folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Another rank of the same run.
    #[error("the ranks cannot go on together: {reason}")]
    Ranks {
        /// What the one that looked for it saw.
        reason: String,
    },
    /// A pattern that is none.
    #[error("--only {pattern}: {reason}")]
    Pattern {
        /// What was given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A pattern that no job matches.
    #[error("--only {pattern} matches no job; `--list` has what they are called")]
    NoJob {
        /// What was given.
        pattern: String,
    },
}

impl BatchError {
    /// 2 where arguments or the folder are wrong, 1 where ranks failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Ranks { .. } => 1,
            Self::Folder(_) | Self::Pattern { .. } | Self::NoJob { .. } => 2,
        }
    }
}

impl RunSummary {
    /// In a few lines.
    pub fn to_text(&self, folder: &Path) -> String {
        let all = self.before + self.done.len() + self.failed.len() + self.left;
        let mut text = format!("{} of {all} jobs done", self.before + self.done.len());
        if self.before > 0 {
            text += &format!(", {} of them before", self.before);
        }
        if !self.failed.is_empty() {
            text += &format!(", {} failed", self.failed.len());
        }
        if self.left > 0 {
            text += &format!(", {} left for the next run", self.left);
        }
        let folder = folder.display();
        text + &match self.tables {
            None => format!(
                "\n{folder}/jobs.csv has a row a job, results.csv one a variable; report.html shows them\n"
            ),
            Some(_) => format!("\nthe results are in {folder}\n"),
        }
    }
}

/// Does what is missing or out of date of these jobs of a file, and writes the tables of all. Of
/// ranks each takes some of the jobs, or all work at each; what is said of the end is for the first.
///
/// # Errors
/// The folder cannot be had. A job that fails is no error, nor tables that cannot be written: see
/// [`Summary`].
pub fn run(
    file: &JobFile,
    jobs: &[&PlannedJob],
    interrupt: &Interrupt,
    communicator: Option<&Communicator>,
) -> Result<RunSummary, BatchError> {
    let folder = ranks::open(&file.settings.folder(&file.path), communicator)?;
    let watch = Watch::default();
    thread::scope(|scope| {
        if let Some(limit) = file.settings.time_limit {
            let watch = &watch;
            scope.spawn(move || watch.wait(limit, interrupt));
        }
        let ended = run_into(folder, file, jobs, interrupt, communicator);
        watch.end();
        ended
    })
}

fn run_into(
    folder: Folder,
    file: &JobFile,
    jobs: &[&PlannedJob],
    interrupt: &Interrupt,
    communicator: Option<&Communicator>,
) -> Result<RunSummary, BatchError> {
    let is_first = communicator.is_none_or(Communicator::is_root);
    let wanted: HashSet<&str> = jobs.iter().map(|it| &*it.id).collect();
    let (mut inputs, mut cards) = (Inputs::heeding(interrupt), GpuCensus::default());
    let mut told: HashMap<&str, Told> = HashMap::new();
    let (mut open, mut notes, mut left) = (Vec::new(), Vec::new(), 0);
    let (mut before, mut failed) = (0, BTreeMap::new());
    // Of ranks the first looks what there is to do; nobody else can say that it should end.
    if let Some(communicator) = communicator {
        communicator.interrupt_locally(true);
    }
    for planned in file.jobs.iter().filter(|_| is_first) {
        let (id, is_wanted) = (&*planned.id, wanted.contains(&*planned.id));
        let manifest = Manifest::of(planned, file.folder(), &mut inputs);
        if interrupt.requested() {
            left += usize::from(is_wanted);
            continue;
        }
        let manifest = match manifest {
            Ok(manifest) => manifest,
            Err(error) => {
                if is_wanted {
                    failed.insert(planned.id.clone(), error_chain(&error));
                }
                continue;
            }
        };
        let status = status(folder.path(), planned, &manifest, &inputs);
        match &status {
            Status::Done => {
                told.insert(id, Told::Done);
                before += usize::from(is_wanted);
                continue;
            }
            Status::Stale(why) => {
                told.insert(id, Told::Stale);
                if is_wanted {
                    notes.push(format!("{id}: out of date ({why})"));
                }
            }
            Status::Missing | Status::Unreadable(_) => {}
        }
        if is_wanted {
            let need = Demand::of(&planned.task, &mut cards);
            open.push(PendingJob {
                planned,
                manifest,
                need,
            });
        }
    }
    let all: HashSet<&str> = file.jobs.iter().map(|it| &*it.id).collect();
    let strangers = is_first.then(|| folder.strangers(&all));
    for stranger in strangers.into_iter().flatten() {
        let path = folder.path().join(stranger);
        let (path, file) = (path.display(), file.path.display());
        notes.push(format!("{path}.json is of no job of {file}"));
    }
    if is_first && wanted.len() == all.len() && !interrupt.requested() {
        folder.sweep(open.iter().map(|it| &it.manifest));
    }
    // Jobs of one file of data follow one another: it is given back before the next is read.
    let mut places = HashMap::new();
    for (at, it) in open.iter().enumerate() {
        places.entry(&it.planned.task.job().data).or_insert(at);
    }
    let place = |it: &PendingJob| places[&it.planned.task.job().data];
    let mut order: Vec<(usize, usize)> = open.iter().map(place).zip(0..).collect();
    order.sort_unstable();
    drop(places);
    let mut together = None;
    if let Some(communicator) = communicator {
        communicator.interrupt_locally(false);
        let ids: Vec<&str> = order.iter().map(|it| &*open[it.1].planned.id).collect();
        let plan = ranks::plan(&ids, file.settings.apart, communicator)?;
        if plan.apart {
            let own = plan.own(communicator);
            open = ranks::take(&own, file, (&mut inputs, &mut cards), open, &mut failed);
            order = (0..open.len()).map(|at| (at, at)).collect();
        } else if is_first {
            together = Some(communicator);
            // All GPUs of all ranks are every job's.
            open.iter_mut().for_each(|it| it.need.for_all());
        } else {
            ranks::follow(&plan.ids, file, interrupt, communicator);
            return Ok(RunSummary::default());
        }
        communicator.interrupt_locally(plan.apart);
    }
    let cache = DataCache::default();
    for it in &open {
        cache.expect(&it.planned.task);
    }
    let needs: Vec<&Demand> = open.iter().map(|it| &it.need).collect();
    // Of ranks that take some each, each counts its own.
    let of = before + failed.len() + open.len();
    let batch = Worker {
        together,
        room: ResourcePool::new(&file.settings, &mut cards, &needs, communicator),
        board: JobProgress::new(file.settings.progress, before, of),
        of,
        ended: AtomicUsize::new(before + failed.len()),
        next: AtomicUsize::new(0),
        state: Mutex::new(RunSummary {
            before,
            failed,
            left,
            ..RunSummary::default()
        }),
        folder,
        inputs,
        cache,
        interrupt,
    };
    let lines = notes.iter().map(|it| format!("note: {it}"));
    lines.for_each(|it| batch.board.print_line(&it));
    for (id, message) in &batch.state().failed {
        batch.board.print_line(&format!("error: {id}: {message}"));
    }
    thread::scope(|scope| {
        let at_once = match together {
            Some(_) => 1,
            None => batch.room.at_once(),
        };
        let workers = at_once.min(open.len());
        for _ in 0..workers {
            scope.spawn(|| batch.work(&open, &order));
        }
    });
    let Worker {
        board,
        state,
        folder,
        ..
    } = batch;
    board.finish();
    let mut summary = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(communicator) = communicator.filter(|_| together.is_none()) {
        communicator.interrupt_locally(false);
        summary = ranks::all(summary, communicator)?;
        if !is_first {
            return Ok(summary);
        }
    }
    told.extend(summary.done.iter().map(|id| (&**id, Told::Done)));
    for (id, why) in &summary.failed {
        told.insert(id, Told::Failed(why));
    }
    let tables = tables::write(folder.path(), file, &told).err();
    drop(told);
    Ok(RunSummary { tables, ..summary })
}

/// Asks for the end of a run that takes too long.
#[derive(Default)]
struct Watch {
    ended: Mutex<bool>,
    told: Condvar,
}

impl Watch {
    fn wait(&self, limit: Duration, interrupt: &Interrupt) {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.told.wait_timeout_while(ended, limit, |ended| !*ended);
        let (ended, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if !*ended {
            interrupt.request();
        }
    }

    fn end(&self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.told.notify_all();
    }
}

/// An error with its causes, each told once, on one line.
pub fn error_chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        // Many a message has its cause in it already.
        let told = cause.to_string();
        if !text.contains(&told) {
            text += &format!(": {told}");
        }
        next = cause.source();
    }
    text
}
