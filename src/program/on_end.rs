//! The command that a user has run when a run of jobs has ended.

use std::{
    io,
    path::PathBuf,
    process::{Command, Stdio},
    thread,
};

use super::print::print_error;
use crate::{batch::RunSummary, plugin};

/// What the command is told, besides the exit code.
#[derive(Debug, Clone, Default)]
pub(super) struct EndedRun {
    /// The job file; `None` if it could not be read.
    pub(super) file: Option<PathBuf>,
    /// The folder of results.
    pub(super) folder: Option<PathBuf>,
    /// What was done; nothing if the run could not begin.
    pub(super) summary: RunSummary,
}

/// Does the work before a run, and has the command run where a plugin's call that does not return ends the process meanwhile.
pub(super) fn if_it_hangs<T>(command: Option<&str>, work: impl FnOnce() -> T) -> T {
    let Some(command) = command else {
        return work();
    };
    let (listening, hung) = plugin::hung_calls();
    let end = move || {
        if let Ok((call, answer)) = hung.recv() {
            print_error(&format!("error: {call}"));
            let code = call.exit_code();
            run_command(command, code, &EndedRun::default());
            // It ends the process.
            let _ = answer.send(code);
        }
    };
    thread::scope(|scope| {
        // Without the thread nobody listens, and the process ends without the command.
        let _ = thread::Builder::new().spawn_scoped(scope, end);
        let done = work();
        drop(listening);
        done
    })
}

/// Has the shell run a command, and waits for it. What it prints goes to standard error, for standard
/// output is passel's own. If it fails, the user is told, and the run's exit code stays what it is.
pub(super) fn run_command(command: &str, exit_code: u8, ended: &EndedRun) {
    let mut shell = match cfg!(windows) {
        true => Command::new("cmd"),
        false => Command::new("sh"),
    };
    shell
        .arg(if cfg!(windows) { "/C" } else { "-c" })
        .arg(command);
    let path = |path: &Option<PathBuf>| path.clone().unwrap_or_default();
    let summary = &ended.summary;
    shell
        .env("PASSEL_FILE", path(&ended.file))
        .env("PASSEL_FOLDER", path(&ended.folder))
        .env(
            "PASSEL_DONE",
            (summary.before + summary.done.len()).to_string(),
        )
        .env("PASSEL_FAILED", summary.failed.len().to_string())
        .env("PASSEL_LEFT", summary.left.to_string())
        .env("PASSEL_EXIT_CODE", exit_code.to_string())
        .stdin(Stdio::null())
        .stdout(io::stderr());
    match shell.status() {
        Ok(status) if status.success() => {}
        Ok(status) => print_error(&format!(
            "warning: the command of --on-end failed: {status}"
        )),
        Err(error) => print_error(&format!(
            "warning: the command of --on-end could not be run: {error}"
        )),
    }
}
