//! `passel select`, `pairs` and `stability`: one task, alone or on all ranks, and its report.

use std::{io, path::PathBuf, time::Instant};

use clap::ArgMatches;

use super::{
    EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED,
    print::{print_error, print_result},
    rank_context::RankContext,
};
use crate::{
    batch::error_chain,
    foreign_calls::Work,
    interrupt::Interrupt,
    job::{Job, Task, arguments, command_time, task::Command},
    machine,
    memory::MemoryBudget,
    output::sweep_beside,
    panics::catch_own_panic,
    ranks::Communicator,
    run::{Report, RunContext, RunError, run_task},
    selection::Elapsed,
};

/// Does the task that the arguments ask for, and prints its report; the exit code.
pub(super) fn run(
    command: Command,
    matches: &ArgMatches,
    interrupt: &Interrupt,
    context: &RankContext,
) -> u8 {
    let run_context = RunContext {
        process_started: Some(context.started),
        ..RunContext::default()
    };
    if let Some(time) = command_time(command, matches) {
        Work::current().end_within(time);
    }
    let mut task = match arguments::task(command, matches) {
        Ok(task) => task,
        Err(errors) => return context.refuse(&errors),
    };
    let job = task.job_mut();
    job.command = Some(shell_command(context.program()));
    job.resources.hold_within(&MemoryBudget::of_system());
    if context.is_root() {
        let checkpoint = task.job().checkpoint.as_deref();
        let outputs = task.output_files().into_iter();
        let outputs = outputs.map(|(_, path)| path.as_path());
        sweep_beside(outputs.chain(checkpoint));
    }
    match context.communicator() {
        None => {
            task.job_mut().start_timeout(interrupt);
            print_outcome(
                task.job(),
                run_context.process_started,
                run_task(&task, &run_context),
            )
        }
        Some(communicator) => match check_files(&task, context) {
            Ok(()) => run_on_ranks(task, interrupt, communicator, &run_context),
            Err(code) => code,
        },
    }
}

/// The command of this process, quoted so that a shell reads it back.
fn shell_command(program: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:=,+@%".contains(letter);
    let quote = |text: &str| match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    };
    let arguments = machine::arguments();
    let arguments = arguments.map(|argument| quote(&argument.to_string_lossy()));
    let words = [program.to_owned()].into_iter().chain(arguments);
    words.collect::<Vec<_>>().join(" ")
}

/// Checks that all ranks have the same plugins and small input files. The data are compared when they
/// are read.
fn check_files(task: &Task, context: &RankContext) -> Result<(), u8> {
    let job = task.job();
    let mut others: Vec<PathBuf> = job.input_files();
    others.retain(|path| *path != job.data);
    context.check_files("plugins", &job.libraries)?;
    context.check_files("what they read beside the data", &others)
}

/// Does a task on all ranks, or on rank 0 alone if it cannot be shared, and prints its report and
/// every failure; the exit code.
fn run_on_ranks(
    mut task: Task,
    interrupt: &Interrupt,
    communicator: &Communicator,
    run_context: &RunContext,
) -> u8 {
    let is_root = communicator.is_root();
    // A rank that waits for the others must not leave them.
    let _heeding = task.job().interrupt.heeding();
    let on_one_rank = task.runs_on_one_rank();
    // mpirun's exit code is that of rank 0, unless a rank could not end in order.
    let code_of_others = |ended: io::Result<_>| match ended {
        Ok(_) => EXIT_DONE,
        Err(_) => EXIT_FAILED,
    };
    if on_one_rank && !is_root {
        return code_of_others(communicator.finish(Ok(())));
    }
    communicator.interrupt_locally(on_one_rank);
    let job = task.job_mut();
    job.resources.communicator = (!on_one_rank).then(|| communicator.clone());
    job.start_timeout(interrupt);
    let result = catch_own_panic(|| Ok(run_task(&task, run_context)));
    communicator.interrupt_locally(false);
    let own = match &result {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(error_chain(error)),
        Err(panic) => Err(panic.clone()),
    };
    let failures = communicator.finish(own.clone());
    if !is_root {
        return code_of_others(failures);
    }
    let failures = match failures {
        Ok(failures) => failures,
        Err(error) => {
            print_error(&format!("error: {error}"));
            return EXIT_FAILED;
        }
    };
    let is_incomplete = |error: &RunError| matches!(error, RunError::Incomplete(_));
    if task.job().interrupt.requested_by_caller()
        && matches!(&result, Ok(Err(error)) if !is_incomplete(error))
    {
        // Whichever rank heeded it first: the others failed for its sake.
        print_error(&format!("error: {}", RunError::Interrupted));
        return EXIT_INTERRUPTED;
    }
    let Ok(result) = result else {
        for failure in &failures {
            print_error(&format!("error: {failure}"));
        }
        return EXIT_FAILED;
    };
    let code = print_outcome(task.job(), run_context.process_started, result);
    for failure in &failures {
        let is_printed = own
            .as_ref()
            .is_err_and(|own| own == &failure.message || own.ends_with(&failure.to_string()));
        if failure.rank > 0 && !is_printed {
            print_error(&format!("error: {failure}"));
        }
    }
    match failures.is_empty() {
        true => code,
        false => code.max(EXIT_FAILED),
    }
}

/// Prints where the time went since the process began, on standard error.
fn print_timings(elapsed: &Elapsed, started: Instant) {
    let all = started.elapsed().as_secs_f64();
    let output = ("output", (all - elapsed.total).max(0.0));
    for (part, seconds) in elapsed.parts().into_iter().chain([output, ("total", all)]) {
        print_error(&format!("{part:<8} {seconds:8.3} s"));
    }
}

/// Prints the report of a task and what went wrong; the exit code.
fn print_outcome(job: &Job, started: Option<Instant>, result: Result<Report, RunError>) -> u8 {
    let error_code = result.as_ref().err().map(RunError::exit_code);
    if let (Err(RunError::Interrupted), Some(reason)) = (&result, job.timed_out()) {
        print_error(&format!("error: {reason}, and nothing was found before"));
        return EXIT_FAILED;
    }
    if let Err(error) = &result {
        print_error(&format!("error: {}", error_chain(error)));
    }
    let mut report = match result {
        Ok(report) => report,
        Err(RunError::Incomplete(incomplete)) => {
            if let Some(error) = &incomplete.trace {
                print_error(&format!("error: the trace: {}", error_chain(error)));
            }
            match incomplete.report {
                Some(report) => report,
                None => return EXIT_FAILED,
            }
        }
        Err(error) => return error.exit_code(),
    };
    if job.output.is_none() {
        let code = match report.render() {
            Ok(text) => print_result(&text),
            Err(error) => {
                print_error(&format!("error: {}", error_chain(&error)));
                error.exit_code()
            }
        };
        if code != EXIT_DONE {
            return code;
        }
    }
    if let Some(started) = started.filter(|_| job.timings) {
        print_timings(&report.outcome.overview().elapsed, started);
    }
    if let Err(error) = report.remove_checkpoint() {
        print_error(&format!("warning: {}", error_chain(&error)));
    }
    match error_code {
        Some(code) => code,
        None if report.outcome.interrupted() => {
            let resume = match &job.checkpoint {
                Some(file) => {
                    let file = file.display();
                    format!("; the same command continues from {file}")
                }
                None => String::new(),
            };
            match job.timed_out() {
                Some(reason) => {
                    print_error(&format!("error: {reason}: this is the best so far{resume}"));
                    EXIT_FAILED
                }
                None => {
                    print_error(&format!("interrupted: this is the best so far{resume}"));
                    EXIT_INTERRUPTED
                }
            }
        }
        None => EXIT_DONE,
    }
}
