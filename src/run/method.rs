//! The steps in which methods differ, and the state of a run that they share.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use passel_criteria::{Criterion, Origin};

use super::{
    Fault, RunError, checkpoint,
    data_cache::DataCache,
    prepared::{Held, Prepared, SharedData, read},
    resample_checkpoint::ResampleCheckpoint,
};
#[cfg(feature = "program")]
use crate::progress::JobProgress;
use crate::{
    job::{Job, Task},
    output::{OutputError, OutputFile, Replaces},
    plugin::ResolvedMethod,
    presentation::{Curves, PageExtras},
    progress::{Meter, Progress},
    search::Checkpoint,
    selection::{Elapsed, NamedParameters, Outcome, RankSummary},
    trace::Trace,
};

/// A method: the steps that [`super::drive::drive`] takes, in their order.
pub(super) trait Method {
    /// What the job's table becomes before the work.
    type Data: Prepared;
    /// What the work finds, with the data that it speaks of.
    type Found;
    /// Whether a plugin's own loop runs, which may look at any column, so that each rank reads all,
    /// and which a second interrupt leaves behind.
    const IS_PROCEDURE: bool = false;

    /// Checks that it can run on such devices, which must be known before a long reading.
    fn check(&self, _: &Job) -> Result<(), RunError> {
        Ok(())
    }

    /// Does the work.
    fn work(&self, run: &mut Run, data: Arc<Self::Data>) -> Result<Self::Found, RunError>;

    /// Turns what was found into a report.
    fn report(&self, run: &mut Run, found: Self::Found) -> Result<Finding, RunError>;
}

/// What a run of many jobs gives one of them: shared data, a place to show progress, a file to
/// resume from. A job that runs alone has none of these, which is the default.
#[derive(Debug, Default, Clone, Copy)]
pub struct RunContext<'a> {
    /// The name of the data file in the report; its path as it was given, where there is none.
    pub data: Option<&'a str>,
    /// Data shared with other jobs.
    pub cache: Option<&'a DataCache>,
    /// The progress of all jobs, and the name of this one.
    #[cfg(feature = "program")]
    pub board: Option<(&'a JobProgress, &'a str)>,
    /// When the process began that does nothing but the job.
    pub process_started: Option<Instant>,
    /// Where stability selection keeps the resamples that are done, and a validation its splits; PaSS has [`Job::checkpoint`].
    pub checkpoint: Option<ResampleCheckpoint<'a>>,
}

impl RunContext<'_> {
    /// A meter of a job that starts its clock now.
    pub(super) fn meter(&self, job: &Job) -> Meter {
        #[cfg(feature = "program")]
        if let Some((board, id)) = self.board {
            return board.meter(id);
        }
        Meter::new(match job.resources.is_root() {
            true => job.progress,
            false => Progress::None,
        })
    }

    /// The data of a job, read and prepared; ranks have a share of the columns each, but for
    /// procedures and where each resample is a job of its own. With them comes the memory that is held
    /// for them.
    pub(super) fn prepare<M: Method>(&self, job: &Job) -> Result<SharedData<M::Data>, RunError> {
        let ranks = job.resources.distributed();
        match self.cache {
            // Ranks read at the same time: what one remembers others might not.
            Some(cache) if ranks.is_none() => cache.prepare(job),
            _ => {
                let ranks = ranks.filter(|_| {
                    M::Data::IS_SHARED && !M::IS_PROCEDURE && M::Data::is_partitioned(job)
                });
                if let Some(held) = M::Data::left_in_file(job)? {
                    return Ok(held.share());
                }
                M::Data::of(job, read(job, ranks)?, ranks).map(Held::share)
            }
        }
    }
}

/// A job on its way: its clock, its meter, and files of its own.
pub(super) struct Run<'a> {
    pub(super) job: &'a Job,
    pub(super) context: RunContext<'a>,
    pub(super) started: Instant,
    /// When its data were read and prepared.
    pub(super) prepared: Instant,
    /// How long devices were waited for after that.
    pub(super) waited: Duration,
    pub(super) meter: Meter,
    /// Of PaSS: the steps of its particles.
    pub(super) trace: Option<Trace>,
    /// Of PaSS: the state to go on from.
    pub(super) resume_from: Option<Checkpoint>,
    /// Of PaSS: its course until that state, if a page was to draw it.
    pub(super) drawn: Option<Curves>,
    /// Of pairs: the scores of all of them.
    pub(super) matrix: Option<OutputFile>,
}

impl<'a> Run<'a> {
    /// Starts the clock of a job that shows and writes nothing.
    pub(super) fn silent(job: &'a Job) -> Self {
        let started = Instant::now();
        Self {
            job,
            context: RunContext::default(),
            started,
            prepared: started,
            waited: Duration::ZERO,
            meter: Meter::default(),
            trace: None,
            resume_from: None,
            drawn: None,
            matrix: None,
        }
    }

    /// Does something as the run of another job, with the clock, the meter and the files of this one.
    pub(super) fn of_job<T>(&mut self, job: &Job, work: impl FnOnce(&mut Run) -> T) -> T {
        let mut own = Run {
            job,
            context: self.context,
            started: self.started,
            prepared: self.prepared,
            waited: self.waited,
            meter: std::mem::take(&mut self.meter),
            trace: self.trace.take(),
            resume_from: None,
            drawn: None,
            matrix: None,
        };
        let done = work(&mut own);
        (self.meter, self.trace) = (own.meter, own.trace);
        done
    }

    pub(super) fn open(task: &'a Task, context: &RunContext<'a>) -> Result<Self, RunError> {
        let job = task.job();
        let matrix = match task {
            Task::Pairs(pairs) => pairs.matrix.as_deref(),
            Task::Select(_) | Task::Stability(_) | Task::Validate(_) => None,
        };
        let matrix = create_file(job, matrix, Replaces::Matrix)?;
        let trace = job.trace.as_deref().filter(|_| job.resources.is_root());
        let by_criterion = !job.other_criteria.is_empty();
        let trace = trace.map(|path| Trace::create(path, job.overwrite, by_criterion));
        let trace = trace.transpose()?;
        let checkpoint = job.checkpoint.as_deref();
        let communicator = job.resources.communicator.as_ref();
        let saved = checkpoint.map(|path| checkpoint::open(path, communicator));
        let (resume_from, drawn) = saved.transpose()?.flatten().unzip();
        Ok(Self {
            context: *context,
            trace,
            resume_from,
            drawn: drawn.flatten(),
            matrix,
            ..Self::silent(job)
        })
    }

    /// Seconds by stage until now, with those of the start of devices and of the search.
    pub(super) fn elapsed(&self, devices: f64, search: f64) -> Elapsed {
        let began = self.context.process_started.unwrap_or(self.started);
        let seconds = |from, to: Instant| to.saturating_duration_since(from).as_secs_f64();
        let after = self.prepared.elapsed().as_secs_f64();
        let devices = devices + self.waited.as_secs_f64();
        Elapsed {
            start: seconds(began, self.started),
            read: seconds(self.started, self.prepared),
            devices,
            search,
            report: (after - devices - search).max(0.0),
            total: began.elapsed().as_secs_f64(),
        }
    }

    /// The ranks that shared the work, what was partitioned over them, and their messages until
    /// now.
    pub(super) fn rank_summary(&self, over: &'static str) -> Option<RankSummary> {
        let communicator = self.job.resources.communicator.as_ref()?;
        let hosts = communicator.hosts().into_iter();
        Some(RankSummary {
            ranks: communicator.size(),
            hosts: hosts.map(str::to_owned).collect(),
            over: over.into(),
            messages: communicator.traffic(),
        })
    }
}

/// A result, with what only a page shows and what ended the work early.
pub(super) struct Finding {
    pub(super) outcome: Outcome,
    pub(super) extras: PageExtras,
    pub(super) fault: Option<Fault>,
}

impl Finding {
    pub(super) fn new(outcome: Outcome, fault: Option<Fault>) -> Self {
        Self {
            outcome,
            extras: PageExtras::default(),
            fault,
        }
    }
}

/// Name, parameters and plugin of a method, for a report.
pub(super) fn method_parameters<T>(resolved: &ResolvedMethod<T>) -> NamedParameters {
    let own = resolved.parameters.iter();
    let own = own.map(|(name, value)| (name.clone(), value.clone()));
    let origin = Origin {
        plugin: resolved.plugin.clone(),
        version: resolved.version.clone(),
        sha256: resolved.sha256.clone(),
    };
    NamedParameters::new(
        &resolved.name,
        own.chain(NamedParameters::of_origin(&origin)),
    )
}

/// Name and parameters of a criterion, for a report.
pub(super) fn criterion_parameters(criterion: &dyn Criterion) -> NamedParameters {
    let own = NamedParameters::of_criterion(criterion);
    NamedParameters::new(criterion.name(), own)
}

/// Creates a file of this kind that a job names, if it names one and this process is the one that
/// writes.
pub(super) fn create_file(
    job: &Job,
    path: Option<&Path>,
    kind: Replaces,
) -> Result<Option<OutputFile>, OutputError> {
    let path = path.filter(|_| job.resources.is_root());
    let create = |path| OutputFile::create(path, kind.or_any(job.overwrite));
    path.map(create).transpose()
}
