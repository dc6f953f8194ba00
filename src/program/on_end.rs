//! The command that a user has run when a run of jobs has ended.

use std::{
    io,
    path::PathBuf,
    process::{Command, Stdio},
};

use super::print::print_error;
use crate::batch::RunSummary;

/// What the command is told, besides the exit code.
#[derive(Debug, Default)]
pub(super) struct EndedRun {
    /// The job file; `None` if it could not be read.
    pub(super) file: Option<PathBuf>,
    /// The folder of results.
    pub(super) folder: Option<PathBuf>,
    /// What was done; nothing if the run could not begin.
    pub(super) summary: RunSummary,
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
