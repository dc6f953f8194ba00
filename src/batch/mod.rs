//! Runs the jobs of a job file, so that a run that ends early loses nothing but the jobs in flight.
//!
//! Each result is a file of its own, written whole or not at all when its job ends, together with
//! the manifest of everything that shaped it. Whether a job is done follows from that file
//! alone, so the next run does exactly what is missing or out of date.

mod child;
mod columns;
mod estimate;
mod folder;
mod folder_status;
mod inputs;
mod isolated;
mod live;
mod lock;
mod manifest;
mod one_job;
mod plugin_process;
mod pool;
mod ranks;
mod run_status;
mod status;
mod survey;
mod tables;
mod time_left;
mod times;
mod worker;

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
};

use serde::{Deserialize, Serialize};

pub use crate::run::error_chain;
pub(crate) use child::{Child, ended_text, order as ordered};
pub use columns::column_failures;
pub use folder_status::{FolderStatus, folder_status};
pub use inputs::check_files;
pub use isolated::{COMMAND as ISOLATED_JOB, run_ordered};
pub(crate) use manifest::sha256;
pub use plugin_process::{COMMAND as PLUGIN_ANSWERS, PluginProcess, answer_questions};
pub use status::{matching_jobs, status_table};

use crate::{
    interrupt::Interrupt,
    job::file::{JobFile, PlannedJob},
    output::sweep_beside,
    printable::printable,
    ranks::Communicator,
};
use folder::ResultFolder;
use live::Live;
use ranks::Role;
use run_status::LostJobs;
use survey::Survey;
use worker::Runner;

/// What a run has done, and what it left undone.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RunSummary {
    /// The number of jobs whose results were there before the run.
    pub before: usize,
    /// The names of the jobs that the run did.
    pub done: BTreeSet<String>,
    /// The names of the jobs that failed, each with the reason.
    pub failed: BTreeMap<String, String>,
    /// The names of the jobs that are done and have no model of some of their responses, each with the reasons.
    #[serde(default)]
    pub incomplete: BTreeMap<String, String>,
    /// Why the tables could not be written; `None` if they were.
    pub tables: Option<String>,
    /// The number of jobs that an interrupt kept from being started or finished.
    pub left: usize,
}

/// Why a run could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// The folder of results or the pattern of `--only` cannot be used.
    #[error("{0}")]
    Refused(String),
    /// Another rank of the same run failed or is gone.
    #[error("the ranks cannot go on together: {0}")]
    Ranks(#[from] io::Error),
}

impl BatchError {
    /// The exit code of the program.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Ranks(_) => 1,
            Self::Refused(_) => 2,
        }
    }
}

impl RunSummary {
    /// Adds a job that has ended; the number of jobs that have ended by then.
    fn add(&mut self, name: &str, result: &Result<(), String>) -> usize {
        match result {
            Ok(()) => {
                self.done.insert(name.to_owned());
            }
            Err(message) => {
                self.failed.insert(name.to_owned(), message.clone());
            }
        }
        self.ended()
    }

    /// The exit code of a program whose run ended like this. An interrupt that came when all jobs had
    /// ended changes nothing.
    pub fn exit_code(&self, is_interrupted: bool) -> u8 {
        if is_interrupted && self.left > 0 {
            130
        } else {
            let is_whole = self.failed.is_empty() && self.incomplete.is_empty();
            u8::from(!is_whole || self.tables.is_some())
        }
    }

    fn ended(&self) -> usize {
        self.before + self.done.len() + self.failed.len()
    }

    /// The summary in a few lines for the user, ending with where the results in `folder` are.
    pub fn to_text(&self, folder: &Path) -> String {
        let all = self.ended() + self.left;
        if all == 0 {
            // Only those that failed were asked for.
            return "nothing to do: no such job failed the last time it was run\n".to_owned();
        }
        let mut text = format!("{} of {all} jobs done", self.before + self.done.len());
        if self.before > 0 {
            text += &format!(", {} of them before", self.before);
        }
        if !self.incomplete.is_empty() {
            let count = self.incomplete.len();
            text += &format!(", {count} of them without a model of some responses");
        }
        if !self.failed.is_empty() {
            text += &format!(", {} failed", self.failed.len());
        }
        if self.left > 0 {
            text += &format!(", {} left for the next run", self.left);
        }
        let folder = folder.display().to_string();
        let folder = printable(&folder);
        text + &match self.tables {
            None => format!(
                "\n{folder}/jobs.csv has one row per job, results.csv one per selected variable; \
                 report.html shows them\n"
            ),
            Some(_) => format!("\nthe results are in {folder}\n"),
        }
    }
}

/// Runs those of `jobs`, which are jobs of `file`, whose results are missing or out of date, and
/// writes the tables of all jobs of the file. With a communicator, the ranks share the jobs, and only
/// rank 0 returns a complete summary.
///
/// # Errors
/// The folder of results cannot be used, or a rank is gone. Jobs that fail and tables that cannot be
/// written are not errors: the [`RunSummary`] lists them.
pub fn run(
    file: &JobFile,
    jobs: &[&PlannedJob],
    interrupt: &Interrupt,
    communicator: Option<&Communicator>,
) -> Result<RunSummary, BatchError> {
    run_or(file, jobs, interrupt, communicator, &|_, _| {})
}

/// What is done before a call that does not return ends the process of a run, by what the run has done and the exit code.
pub(crate) type IfItHangs<'a> = dyn Fn(&RunSummary, u8) + Sync + 'a;

/// Does what [`run`] does, and `if_it_hangs` before a call of a plugin that does not return ends the process.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_or(
    file: &JobFile,
    jobs: &[&PlannedJob],
    interrupt: &Interrupt,
    communicator: Option<&Communicator>,
    if_it_hangs: &IfItHangs<'_>,
) -> Result<RunSummary, BatchError> {
    let _heeding = interrupt.heeding();
    if file.settings.isolate && communicator.is_some() {
        let mend = "leave isolate out, or run passel without mpirun";
        let reason = "isolate gives each job a process of its own, and ranks share theirs";
        return Err(BatchError::Refused(format!("{reason}; {mend}")));
    }
    let folder = ranks::open_folder(file, communicator)?;
    let lost = run_status::lost_jobs(folder.path());
    let live = Live::new(folder.path(), file, (jobs.len(), &lost), communicator);
    let result = thread::scope(|scope| {
        // Closed when the run has ended, after which nobody waits.
        let (_running, ended) = mpsc::channel::<()>();
        let (_alive, over) = mpsc::channel::<()>();
        let refused = |error: io::Error| {
            BatchError::Refused(format!(
                "no thread can be started: {error}; lower threads, or raise the limits of this process"
            ))
        };
        let start = thread::Builder::new;
        start()
            .spawn_scoped(scope, || live.keep(over))
            .map_err(refused)?;
        if let Some(limit) = file.settings.time_limit {
            let wait = move || {
                if ended.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                    interrupt.request();
                }
            };
            start().spawn_scoped(scope, wait).map_err(refused)?;
        }
        let jobs = (jobs, &lost);
        let live = (&live, if_it_hangs);
        run_into(&folder, file, jobs, interrupt, communicator, live)
    });
    let summary = result.as_ref().ok();
    let code = result
        .as_ref()
        .map_or_else(BatchError::exit_code, |summary| {
            summary.exit_code(interrupt.requested())
        });
    // Before the folder's lock is given back.
    live.finish(summary, code);
    result
}

/// Does the jobs of [`run`] into a folder that this run has opened.
fn run_into<'a>(
    folder: &ResultFolder,
    file: &'a JobFile,
    (jobs, lost): (&[&'a PlannedJob], &LostJobs),
    interrupt: &Interrupt,
    communicator: Option<&Communicator>,
    (live, if_it_hangs): (&Live<'a>, &IfItHangs<'_>),
) -> Result<RunSummary, BatchError> {
    let is_root = communicator.is_none_or(Communicator::is_root);
    let mut survey = Survey::new(file, interrupt);
    if is_root {
        let outputs = jobs.iter().flat_map(|job| job.task.output_files());
        sweep_beside(outputs.map(|(_, path)| path.as_path()));
        // The other ranks wait for rank 0 meanwhile, so it alone can heed an interrupt.
        let heed_alone = |alone| communicator.inspect(|ranks| ranks.interrupt_locally(alone));
        heed_alone(true);
        survey.inspect_folder(folder, jobs, interrupt);
        survey.order(lost);
        heed_alone(false);
    }
    let role = ranks::assign(&mut survey, communicator)?;
    if let Role::Follow(communicator, names) = &role {
        ranks::follow(names, file, interrupt, communicator);
        return Ok(RunSummary::default());
    }
    let pool = survey.resource_pool(communicator);
    let told = (live, if_it_hangs);
    let runner = Runner::new(&survey, folder, pool, role.partners(), interrupt, told);
    let summary = role.merge(runner.run())?;
    if !is_root {
        return Ok(summary);
    }
    live.enter("writing the tables");
    let tables = tables::write(folder, file, &survey.recorded, &summary);
    let (mut incomplete, tables) = match tables {
        Ok(incomplete) => (incomplete, None),
        Err(error) => (BTreeMap::new(), Some(error_chain(&error))),
    };
    incomplete.retain(|name, _| jobs.iter().any(|job| job.id == *name));
    Ok(RunSummary {
        incomplete,
        tables,
        ..summary
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_that_leaves_no_job_changes_no_exit_code() {
        let mut summary = RunSummary::default();
        summary.add("a", &Ok(()));
        assert_eq!(summary.exit_code(true), 0);
        summary.left = 1;
        assert_eq!(summary.exit_code(true), 130);
        assert_eq!(summary.exit_code(false), 0);
        summary.add("b", &Err("no such file".to_owned()));
        assert_eq!(summary.exit_code(false), 1);
    }

    /// The options whose files a finished job lists; `None` if there is no result of it.
    fn listed(results: &Path) -> Option<Vec<String>> {
        let read = |name: &str| std::fs::read_to_string(results.join(name)).ok();
        read("a.json")?;
        let listed: Vec<serde_json::Value> = serde_json::from_str(&read("a~files.json")?).unwrap();
        let options = listed.iter().map(|file| file["path"].as_str().unwrap());
        Some(options.map(str::to_owned).collect())
    }

    #[test]
    fn a_job_that_ends_under_an_interrupt_lists_all_its_files_or_is_left() {
        let data = (0..12).map(|i| format!("{i},{},{}\n", i * i % 7, (i * 5 + 1) % 11));
        let data = format!("y,a,b\n{}", data.collect::<String>());
        let job = "[[job]]\nname = \"a\"\ndata = \"data.csv\"\nresponse = \"y\"\n\
                   output = \"a.txt\"\ntrace = \"a-trace.csv\"\n\
                   iterations = 1\nparticles = 2\nthreads = 1\ndevice = \"cpu\"\n";
        let mut left = 0;
        for look in 1.. {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("jobs.toml");
            std::fs::write(folder.path().join("data.csv"), &data).unwrap();
            std::fs::write(&path, job).unwrap();
            let file = crate::job::file::read(&path).unwrap();
            let jobs: Vec<&PlannedJob> = file.jobs.iter().collect();
            let interrupt = Interrupt::at_look(look);
            let summary = run(&file, &jobs, &interrupt, None).unwrap();
            assert!(summary.failed.is_empty(), "look {look}: {summary:?}");
            let listed = listed(&folder.path().join("jobs-results"));
            assert_eq!(listed.is_some(), summary.left == 0, "look {look}");
            match listed {
                Some(options) => assert_eq!(options, ["output", "trace"], "look {look}"),
                None => left += 1,
            }
            if !interrupt.requested_here() {
                break;
            }
        }
        assert!(left > 10, "{left}");
    }
}
