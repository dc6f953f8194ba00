//! What ranks do of a run: each some of the jobs, or all each job.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    BatchError, RunSummary, error_chain,
    folder::Folder,
    manifest::{Inputs, Manifest},
    room::{Demand, GpuCensus},
    work::{PendingJob, panic_report},
};
use crate::{
    interrupt::Interrupt,
    job::file::{JobFile, PlannedJob},
    ranks::Communicator,
    run::{RunContext, RunError, run_task},
};

fn gone(error: std::io::Error) -> BatchError {
    BatchError::Ranks {
        reason: error.to_string(),
    }
}

/// The folder: the first opens it, and holds its lock for all.
pub(super) fn open(path: &Path, communicator: Option<&Communicator>) -> Result<Folder, BatchError> {
    let Some(communicator) = communicator else {
        return Ok(Folder::open(path)?);
    };
    let own = communicator.is_root().then(|| Folder::open(path));
    let is_open = communicator.broadcast_first(|| own.as_ref().is_some_and(Result::is_ok));
    let is_open = is_open.map_err(gone)?;
    let folder = match own {
        Some(own) => own?,
        None => Folder::beside(path),
    };
    if !is_open {
        let reason = "the first could not open the folder of results".to_owned();
        return Err(BatchError::Ranks { reason });
    }
    let seen = communicator.gather(&folder.is_there()).map_err(gone)?;
    match seen.iter().position(|it| !it) {
        None => Ok(folder),
        Some(rank) => Err(BatchError::Ranks {
            reason: format!(
                "rank {rank} on {} does not see the folder {}: name one that all machines have",
                communicator.host(rank),
                path.display()
            ),
        }),
    }
}

/// What is to be done, and how.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    /// What the jobs are called, in the order they are done.
    pub(super) ids: Vec<String>,
    /// Whether each rank takes some of them.
    pub(super) apart: bool,
}

/// What the first found to do.
pub(super) fn plan(
    ids: &[&str],
    apart: Option<bool>,
    communicator: &Communicator,
) -> Result<Plan, BatchError> {
    let plan = communicator.broadcast_first(|| Plan {
        ids: ids.iter().map(|it| (*it).to_owned()).collect(),
        apart: apart.unwrap_or(ids.len() >= communicator.size()),
    });
    plan.map_err(gone)
}

impl Plan {
    /// The jobs of this rank: neighbours have neighbouring jobs, for these may be longer or shorter
    /// the further down.
    pub(super) fn own(&self, communicator: &Communicator) -> Vec<&str> {
        let own = self
            .ids
            .iter()
            .skip(communicator.rank())
            .step_by(communicator.size());
        own.map(String::as_str).collect()
    }
}

/// The jobs of these names, which the first rank has looked at already.
pub(super) fn take<'a>(
    own: &[&str],
    file: &'a JobFile,
    (inputs, cards): (&mut Inputs, &mut GpuCensus),
    open: Vec<PendingJob<'a>>,
    failed: &mut BTreeMap<String, String>,
) -> Vec<PendingJob<'a>> {
    let mut known: BTreeMap<&str, PendingJob> =
        open.into_iter().map(|it| (&*it.planned.id, it)).collect();
    let mut taken = Vec::new();
    for id in own {
        taken.extend(known.remove(id).or_else(|| {
            let planned = file.jobs.iter().find(|it| it.id == *id);
            opened(planned, file, (&mut *inputs, &mut *cards), failed)
        }));
    }
    taken
}

fn opened<'a>(
    planned: Option<&'a PlannedJob>,
    file: &JobFile,
    (inputs, cards): (&mut Inputs, &mut GpuCensus),
    failed: &mut BTreeMap<String, String>,
) -> Option<PendingJob<'a>> {
    let planned = planned?;
    match Manifest::of(planned, file.folder(), inputs) {
        Ok(manifest) => Some(PendingJob {
            planned,
            manifest,
            need: Demand::of(&planned.task, cards),
        }),
        Err(error) => {
            failed.insert(planned.id.clone(), error_chain(&error));
            None
        }
    }
}

/// Does with the first rank, which writes, what it does.
pub(super) fn follow(
    ids: &[String],
    file: &JobFile,
    interrupt: &Interrupt,
    communicator: &Communicator,
) {
    for id in ids {
        let Some(planned) = file.jobs.iter().find(|it| it.id == *id) else {
            continue;
        };
        if interrupt.requested() {
            continue;
        }
        communicator.reset();
        let mut task = planned.task.clone();
        let runs_on_one_rank = task.runs_on_one_rank();
        let own = task.job_mut();
        own.interrupt = interrupt.clone();
        own.output = None;
        own.resources.threads = file.settings.threads.or(own.resources.threads);
        own.resources.communicator = Some(communicator.clone());
        // The first has a place for it.
        task.set_checkpoint(PathBuf::from(id));
        let context = RunContext::default();
        let run = || match runs_on_one_rank {
            true => Ok(()),
            false => run_task(&task, &context).map(drop),
        };
        let ended = catch_unwind(AssertUnwindSafe(|| {
            let mut result = run();
            if let Err(RunError::Checkpoint { .. }) = result {
                // The first has removed it, and begins anew.
                result = run();
            }
            result.map_err(|error| error_chain(&error))
        }));
        let ended = ended.unwrap_or_else(|panic| Err(panic_report(&*panic)));
        if communicator.finish(ended).is_err() {
            return;
        }
    }
}

/// What all ranks did of their jobs.
pub(super) fn all(own: RunSummary, communicator: &Communicator) -> Result<RunSummary, BatchError> {
    let told = (own.before, own.done, own.failed, own.left);
    let all = communicator.gather(&told).map_err(gone)?;
    let mut summary = RunSummary::default();
    for (before, done, failed, left) in all {
        summary.before += before;
        summary.done.extend(done);
        summary.failed.extend(failed);
        summary.left += left;
    }
    Ok(summary)
}
