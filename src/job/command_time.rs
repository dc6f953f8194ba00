//! The time that a command has, known before plugins are loaded.

use std::time::Duration;

use clap::ArgMatches;

use super::{JobDraft, arguments::texts, task::Command};

/// The time that a command has by its arguments, read before all others: the code of plugins, which others may call, has no more.
pub fn command_time(command: Command, matches: &ArgMatches) -> Option<Duration> {
    let mut draft = JobDraft::default().of(command);
    for option in command.options() {
        if ["time-limit", "timeout"].contains(&option.name) {
            // What is refused here is told where all options are.
            let texts = texts(matches, option);
            let _ = (!texts.is_empty()).then(|| draft.set(option.name, &texts));
        }
    }
    let times = [draft.job.timeout, draft.job.pass.time_limit];
    times.into_iter().flatten().min()
}
