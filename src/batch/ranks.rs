//! How several ranks share the jobs of a run.

use std::{io, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    BatchError, RunSummary, error_chain, folder::ResultFolder, inputs::check_files, survey::Survey,
};
use crate::{
    interrupt::Interrupt,
    job::{RankSharing, file::JobFile},
    panics::catch_own_panic,
    ranks::Communicator,
    run::{RunContext, RunError, run_task},
};

/// What this process does of the jobs of a run.
pub(super) enum Role<'a> {
    /// It is the only process, and does all jobs.
    Single,
    /// Each rank does jobs of its own.
    Separate(&'a Communicator),
    /// All ranks work at each job; this one is rank 0, which writes the results.
    Lead(&'a Communicator),
    /// All ranks work at each job; this one does the jobs of these names as rank 0 does.
    Follow(&'a Communicator, FollowedJobs),
}

/// The jobs that rank 0 leads.
pub(super) struct FollowedJobs {
    names: Vec<String>,
    /// The number of jobs that had failed before the first of these.
    failed: usize,
}

/// What rank 0 has decided for all ranks.
#[derive(Serialize, Deserialize)]
struct Plan {
    /// The names of the jobs, in the order in which they are done.
    names: Vec<String>,
    /// Whether each rank does jobs of its own.
    separate: bool,
    /// The number of jobs that failed before any was started.
    failed: usize,
}

/// Opens the folder of results. Of several ranks, rank 0 holds its lock for all.
///
/// # Errors
/// The folder cannot be used, or is not there on the machine of some rank.
pub(super) fn open_folder(
    file: &JobFile,
    communicator: Option<&Communicator>,
) -> Result<ResultFolder, BatchError> {
    let (path, overwrite) = (&file.settings.folder(&file.path), file.settings.overwrite);
    let open = || check_files(file).and_then(|()| ResultFolder::open(path, overwrite));
    let Some(communicator) = communicator else {
        return open();
    };
    let own = communicator.is_root().then(open);
    let is_open = communicator.broadcast_first(|| own.as_ref().is_some_and(Result::is_ok))?;
    let folder = match own {
        Some(own) => own?,
        None => ResultFolder::opened_by_root(path, overwrite),
    };
    if !is_open {
        let reason = "rank 0 could not open the folder of results";
        return Err(BatchError::Refused(reason.to_owned()));
    }
    let visible = communicator.gather(&folder.exists())?;
    match visible.iter().position(|visible| !visible) {
        None => Ok(folder),
        Some(rank) => Err(io::Error::other(format!(
            "rank {rank} on {} does not see the folder {}: name a folder that all machines share, \
             with --output",
            communicator.host(rank),
            path.display()
        ))
        .into()),
    }
}

/// Decides how the ranks share the pending jobs, and leaves this rank's own in the survey.
pub(super) fn assign<'a>(
    survey: &mut Survey,
    communicator: Option<&'a Communicator>,
) -> Result<Role<'a>, BatchError> {
    let Some(communicator) = communicator else {
        return Ok(Role::Single);
    };
    let (rank, size) = (communicator.rank(), communicator.size());
    let plan = communicator.broadcast_first(|| Plan {
        names: survey
            .pending
            .iter()
            .map(|job| job.planned.id.clone())
            .collect(),
        separate: match survey.file.settings.ranks {
            RankSharing::Auto => survey.pending.len() >= size,
            RankSharing::Apart => true,
            RankSharing::Together => false,
        },
        failed: survey.summary.failed.len(),
    });
    let plan = plan?;
    if plan.separate {
        // Neighbouring jobs may take ever longer, so each rank takes every size-th.
        let own = plan.names.iter().skip(rank).step_by(size);
        survey.restrict_to(&own.map(String::as_str).collect::<Vec<_>>());
        communicator.interrupt_locally(true);
        return Ok(Role::Separate(communicator));
    }
    if !communicator.is_root() {
        let Plan { names, failed, .. } = plan;
        return Ok(Role::Follow(communicator, FollowedJobs { names, failed }));
    }
    // Every job runs on all GPUs of all ranks, so none is reserved.
    let demands = survey.pending.iter_mut().map(|job| &mut job.demand);
    demands.for_each(|demand| demand.reserve_no_gpu());
    Ok(Role::Lead(communicator))
}

impl<'a> Role<'a> {
    /// The ranks that work at each job with this one.
    pub(super) fn partners(&self) -> Option<&'a Communicator> {
        match self {
            Self::Lead(communicator) | Self::Follow(communicator, _) => Some(communicator),
            Self::Single | Self::Separate(_) => None,
        }
    }

    /// Adds up what all ranks have done.
    pub(super) fn merge(&self, own: RunSummary) -> Result<RunSummary, BatchError> {
        let Self::Separate(communicator) = self else {
            return Ok(own);
        };
        communicator.interrupt_locally(false);
        let mut sum = RunSummary::default();
        for of_rank in communicator.gather(&own)? {
            sum.before += of_rank.before;
            sum.done.extend(of_rank.done);
            sum.failed.extend(of_rank.failed);
            sum.left += of_rank.left;
        }
        Ok(sum)
    }
}

/// Works at each of these jobs together with rank 0, which writes the results.
pub(super) fn follow(
    jobs: &FollowedJobs,
    file: &JobFile,
    interrupt: &Interrupt,
    communicator: &Communicator,
) {
    let mut failed = jobs.failed;
    for name in &jobs.names {
        // As rank 0 decides, which counts the same failures.
        if file
            .settings
            .max_failures
            .is_some_and(|most| failed >= most)
        {
            return;
        }
        let Some(planned) = file.jobs.iter().find(|job| job.id == *name) else {
            continue;
        };
        if interrupt.requested() {
            continue;
        }
        communicator.reset();
        let mut task = planned.task.clone();
        let runs_on_one_rank = task.runs_on_one_rank();
        let job = task.job_mut();
        job.output = None;
        job.resources.threads = file.settings.threads.or(job.resources.threads);
        job.resources.communicator = Some(communicator.clone());
        job.start_timeout(interrupt);
        // Only rank 0 reads and writes the checkpoint, but all ranks must know that there is one.
        task.set_checkpoint(PathBuf::from(name));
        let context = RunContext::default();
        let run = || match runs_on_one_rank {
            true => Ok(()),
            false => run_task(&task, &context).map(drop),
        };
        let ended = catch_own_panic(|| {
            let mut result = run();
            if let Err(RunError::Checkpoint { .. }) = result {
                // Rank 0 has removed the damaged checkpoint, and starts again.
                result = run();
            }
            result.map_err(|error| error_chain(&error))
        });
        match communicator.finish(ended) {
            Ok(failures) => failed += usize::from(!failures.is_empty()),
            Err(_) => return,
        }
    }
}
