//! Arguments → run → report → exit code: the program `passel`, and of ranks each of them.

mod lists;
mod print;
mod together;

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    thread,
};

use clap::ArgMatches;
use signal_hook::{consts, iterator::Signals, low_level};

use crate::{
    batch::{self, error_chain},
    interrupt::Interrupt,
    job::{self, Job, OptionError, Task},
    ranks::Transport,
    run::{Report, RunError, simulate},
};
use print::{complain, print, printed};
use together::Together;

const DONE: u8 = 0;
const FAILED: u8 = 1;
const WRONG: u8 = 2;
const INTERRUPTED: u8 = 130;

/// How the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// 0 where all went well, 1 where the work failed, 2 where arguments or data are wrong, 130
    /// where it was interrupted.
    pub code: u8,
    /// A plugin is at work still: the process must end without destructors.
    left_behind: bool,
}

impl Ended {
    /// The exit code for `main` to return; where a plugin was left behind, the process ends here.
    pub fn exit(self) -> ExitCode {
        if self.left_behind {
            // Nothing of it is to be taken down under it.
            low_level::exit(self.code.into());
        }
        ExitCode::from(self.code)
    }
}

/// The program, from its arguments to its end. Of ranks each does the same; the first speaks.
pub fn main(ranks: Option<Arc<dyn Transport>>) -> Ended {
    let interrupt = Interrupt::default();
    let code = match together::begin(ranks, &interrupt) {
        Ok(together) => of_arguments(&together, &interrupt),
        Err(code) => code,
    };
    Ended {
        code,
        // Reports are written and flushed where they are printed.
        left_behind: interrupt.has_detached(),
    }
}

fn of_arguments(together: &Together, interrupt: &Interrupt) -> u8 {
    let command = match together.is_one() {
        true => job::arguments::command(),
        false => job::arguments::mpi_command(),
    };
    let matches = match command.try_get_matches() {
        Ok(matches) => matches,
        Err(message) => {
            // Help and version come this way too: results, on standard output.
            let code = message.exit_code().try_into().unwrap_or(WRONG);
            return match together.speaks() {
                true => printed(message.print()).max(code),
                false => code,
            };
        }
    };
    if let Err(error) = heed_signals(interrupt) {
        together.complain(&format!(
            "warning: signals end the program at once: {error}"
        ));
    }
    let task = match matches.subcommand() {
        Some(("select", matches)) => {
            job::arguments::select_job(matches).map(|it| Task::Select(Box::new(it)))
        }
        Some(("pairs", matches)) => {
            job::arguments::pairs_job(matches).map(|it| Task::Pairs(Box::new(it)))
        }
        Some(("stability", matches)) => {
            job::arguments::stability_job(matches).map(|it| Task::Stability(Box::new(it)))
        }
        Some(("run", matches)) => {
            return match matches.get_one::<PathBuf>("file") {
                Some(path) => run_file(path, matches, interrupt, together),
                None => WRONG,
            };
        }
        Some(("simulate", matches)) => {
            return match job::arguments::simulation(matches) {
                Ok(simulation) => match simulate(&simulation, interrupt) {
                    Ok(()) => DONE,
                    Err(error) => {
                        complain(&format!("error: {}", error_chain(&error)));
                        error.exit_code()
                    }
                },
                Err(errors) => refuse(&errors),
            };
        }
        _ => return lists::list(&matches).unwrap_or(WRONG),
    };
    match task {
        Ok(mut task) => {
            let job = task.job_mut();
            job.interrupt = interrupt.clone();
            job.command = Some(as_given(together));
            together.run(task)
        }
        Err(errors) => refuse_all(&errors, together),
    }
}

/// Tells every option that cannot be taken; of ranks others may have taken them.
fn refuse_all(errors: &[OptionError], together: &Together) -> u8 {
    if together.speaks() {
        refuse(errors);
    }
    let all: Vec<String> = errors.iter().map(OptionError::to_string).collect();
    together.leave(&all.join("; "))
}

/// The first Ctrl-C or TERM asks for the end. The second is the end, unless a plugin is at work
/// that did not heed the first: then it is left behind, and what it chose so far is told.
fn heed_signals(interrupt: &Interrupt) -> io::Result<()> {
    let mut signals = Signals::new([consts::SIGINT, consts::SIGTERM])?;
    let interrupt = interrupt.clone();
    let heed = move || {
        for _ in signals.forever() {
            if !interrupt.requested_here() {
                interrupt.request();
            } else if !interrupt.force() {
                // A plugin may be at work: nothing of it is to be taken down under it.
                low_level::exit(INTERRUPTED.into());
            }
        }
    };
    thread::Builder::new().spawn(heed).map(drop)
}

/// The command as a shell would be given it.
fn as_given(together: &Together) -> String {
    let plain = |it: char| it.is_alphanumeric() || "-_./:=,+@%".contains(it);
    let quoted = |text: String| match !text.is_empty() && text.chars().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    };
    let rest = std::env::args_os().skip(1);
    let rest = rest.map(|it| quoted(it.to_string_lossy().into_owned()));
    let all: Vec<String> = [together.name().to_owned()]
        .into_iter()
        .chain(rest)
        .collect();
    all.join(" ")
}

/// Tells every option that cannot be taken.
fn refuse(errors: &[OptionError]) -> u8 {
    for error in errors {
        let help = error
            .help()
            .map_or(String::new(), |help| format!("; {help}"));
        complain(&format!("error: {error}{help}"));
    }
    WRONG
}

fn run_file(path: &Path, matches: &ArgMatches, interrupt: &Interrupt, together: &Together) -> u8 {
    let mut file = match job::file::read(path) {
        Ok(file) => file,
        Err(error) => {
            let mistakes = error.render(io::stderr().is_terminal());
            together.complain(&format!("{mistakes}error: {}", error_chain(&error)));
            return together.leave(&error_chain(&error));
        }
    };
    file.settings = match job::arguments::run_settings(matches, file.settings) {
        Ok(settings) => settings,
        Err(errors) => return refuse_all(&errors, together),
    };
    let pattern = matches.get_one::<String>("only").map(String::as_str);
    let jobs = match batch::matching_jobs(&file, pattern) {
        Ok(jobs) => jobs,
        Err(error) => {
            together.complain(&format!("error: {error}"));
            return together.leave(&error.to_string());
        }
    };
    if matches.get_flag("check") {
        return together
            .print(format!("{}: no mistake, {} jobs\n", path.display(), jobs.len()).as_bytes());
    }
    if matches.get_flag("list") {
        return match together.speaks() {
            true => print(batch::status_table(&batch::job_statuses(&file, &jobs)).as_bytes()),
            false => DONE,
        };
    }
    if let Err(code) = together.same_jobs(path, &jobs) {
        return code;
    }
    let summary = match batch::run(&file, &jobs, interrupt, together.communicator()) {
        Ok(summary) => summary,
        Err(error) => {
            together.complain(&format!("error: {}", error_chain(&error)));
            return error.exit_code();
        }
    };
    if !together.speaks() {
        return DONE;
    }
    let folder = file.settings.folder(&file.path);
    let code = print(summary.to_text(&folder).as_bytes());
    if let Some(error) = &summary.tables {
        complain(&format!("error: {}", error_chain(error)));
    }
    match (
        interrupt.requested(),
        summary.failed.is_empty() && summary.tables.is_none(),
    ) {
        (true, _) => INTERRUPTED,
        (false, false) => FAILED,
        (false, true) => code,
    }
}

/// Prints what a job gave, and what it lacks.
fn told(job: &Job, result: Result<Report, RunError>) -> u8 {
    let failed = result.as_ref().err().map(RunError::exit_code);
    if let Err(error) = &result {
        complain(&format!("error: {}", error_chain(error)));
    }
    let mut report = match result {
        Ok(report) => report,
        Err(RunError::Incomplete(incomplete)) => {
            if let Some(lost) = &incomplete.trace {
                complain(&format!("error: the trace: {}", error_chain(lost)));
            }
            match incomplete.report {
                Some(report) => report,
                None => return FAILED,
            }
        }
        Err(error) => return error.exit_code(),
    };
    if job.output.is_none() {
        let code = match report.render() {
            Ok(text) => print(&text),
            Err(error) => {
                complain(&format!("error: {}", error_chain(&error)));
                error.exit_code()
            }
        };
        if code != DONE {
            return code;
        }
    }
    if let Err(error) = report.remove_checkpoint() {
        complain(&format!("warning: {}", error_chain(&error)));
    }
    match failed {
        Some(code) => code,
        None if report.outcome.interrupted() => {
            let goes_on = match &job.checkpoint {
                Some(file) => format!("; the same command goes on from {}", file.display()),
                None => String::new(),
            };
            complain(&format!("interrupted: this is the best so far{goes_on}"));
            INTERRUPTED
        }
        None => DONE,
    }
}
