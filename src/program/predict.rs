//! `passel predict`: a report and data → predictions.

use clap::ArgMatches;

use super::{
    EXIT_DONE, EXIT_FAILED,
    print::{print_error, print_result},
    rank_context::RankContext,
};
use crate::{
    batch::error_chain,
    interrupt::Interrupt,
    job::arguments,
    run::{RunError, predict},
};

/// Predicts what the arguments ask for, and prints it unless it goes to a file; the exit code.
pub(super) fn run(matches: &ArgMatches, interrupt: &Interrupt, context: &RankContext) -> u8 {
    let mut job = match arguments::prediction(matches) {
        Ok(job) => job,
        Err(errors) => return context.refuse(&errors),
    };
    job.data.start_timeout(interrupt);
    let predicted = match predict(&job) {
        Ok(predicted) => predicted,
        Err(RunError::Interrupted) if job.data.timed_out().is_some() => {
            let reason = job.data.timed_out().unwrap_or_default();
            print_error(&format!("error: {reason}"));
            return EXIT_FAILED;
        }
        Err(error) => {
            print_error(&format!("error: {}", error_chain(&error)));
            return error.exit_code();
        }
    };
    for warning in &predicted.warnings {
        print_error(&format!("warning: {warning}"));
    }
    match &job.output {
        Some(_) => EXIT_DONE,
        None => print_result(&predicted.rendered),
    }
}
