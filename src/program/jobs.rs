//! `passel run`: the jobs of a file.

use std::{
    fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};

use clap::ArgMatches;

use super::{
    EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE,
    on_end::{self, EndedRun},
    print::{print_error, print_json, print_page, print_text},
    rank_context::RankContext,
};
use crate::{
    batch::{self, PluginProcess, RunSummary, error_chain},
    fnv::Fnv,
    foreign_calls::Work,
    interrupt::Interrupt,
    job::{
        RunSettings, arguments,
        file::{self, JobFile, PlannedJob},
    },
    machine,
    nearest::plural,
    plugin,
    printable::printable,
};

/// Does what the arguments of `passel run` ask for; the exit code.
pub(super) fn run(matches: &ArgMatches, interrupt: &Interrupt, context: &RankContext) -> u8 {
    let mut ended = EndedRun::default();
    let only_looks = ["check", "list"].iter().any(|flag| matches.get_flag(flag));
    let command = matches.get_one::<String>("on-end").map(String::as_str);
    let command = command.filter(|_| context.is_root() && !only_looks);
    let code = run_file(matches, interrupt, context, (command, &mut ended));
    if let Some(command) = command {
        on_end::run_command(command, code, &ended);
    }
    code
}

/// Does what the arguments ask for, but for the command at the end, which is told what is noted in
/// `ended`; the exit code.
fn run_file(
    matches: &ArgMatches,
    interrupt: &Interrupt,
    context: &RankContext,
    (command, ended): (Option<&str>, &mut EndedRun),
) -> u8 {
    let Some(path) = matches.get_one::<PathBuf>("file") else {
        return EXIT_USAGE;
    };
    let [check, list, open] = ["check", "list", "open"].map(|name| matches.get_flag(name));
    let given = arguments::run_settings(matches, RunSettings::default()).unwrap_or_default();
    if let Some(limit) = given.time_limit {
        Work::current().end_within(limit);
    }
    // What only looks at jobs runs no code that they name, unless it is asked to.
    let read = || match (check || list) && !open {
        true => file::inspect(path),
        // Ranks start no processes, and refuse to isolate jobs.
        false if context.communicator().is_some() => file::read(path),
        false => {
            let process = PluginProcess::default();
            let ask = move |question: &str, within| process.ask(question, within);
            file::read_for_run(path, given.isolate, Box::new(ask))
        }
    };
    let mut file = match on_end::if_it_hangs(command, read) {
        Ok(file) => file,
        Err(error) => {
            let mistakes = error.render(io::stderr().is_terminal());
            let message = error_chain(&error);
            context.print_page(&mistakes);
            context.print_error(&format!("error: {message}"));
            return context.abandon(&message);
        }
    };
    for note in &file.notes {
        context.print_error(&format!("warning: {note}"));
    }
    file.settings = match arguments::run_settings(matches, file.settings) {
        Ok(settings) => settings,
        Err(errors) => return context.refuse(&errors),
    };
    file.settings.retry_failed = matches.get_flag("retry-failed");
    ended.file = Some(path.clone());
    ended.folder = Some(file.settings.folder(&file.path));
    let pattern = matches.get_one::<String>("only").map(String::as_str);
    let jobs = batch::check_files(&file).and_then(|()| batch::matching_jobs(&file, pattern));
    let jobs = match jobs {
        Ok(jobs) => jobs,
        Err(error) => {
            context.print_error(&format!("error: {error}"));
            return context.abandon(&error.to_string());
        }
    };
    if check {
        return check_jobs(&file, &jobs, open, interrupt, context);
    }
    if list {
        return match context.is_root() {
            true => {
                let table = batch::status_table(&file, &jobs);
                context.print_text(&table)
            }
            false => EXIT_DONE,
        };
    }
    let nice = file.settings.nice as i32;
    if nice > 0
        && let Err(error) = machine::add_niceness(nice)
    {
        context.print_error(&format!("warning: the priority stays as it is: {error}"));
    }
    match check_equal(context, path, &jobs) {
        Ok(()) => run_jobs(&file, &jobs, interrupt, context, (command, ended)),
        Err(code) => code,
    }
}

/// Prints that a job file has no mistakes and, where data are to be opened, what is wrong with them; the exit
/// code.
fn check_jobs(
    file: &JobFile,
    jobs: &[&PlannedJob],
    open: bool,
    interrupt: &Interrupt,
    context: &RankContext,
) -> u8 {
    if !context.is_root() {
        return EXIT_DONE;
    }
    let mut failures = 0;
    if open {
        for (name, reason) in batch::column_failures(jobs, interrupt) {
            failures += 1;
            print_error(&format!("error: {name}: {reason}"));
        }
    }
    if interrupt.requested() {
        return EXIT_INTERRUPTED;
    }
    let shown = file.path.display().to_string();
    let (shown, all) = (printable(&shown), jobs.len());
    let mut text = match failures {
        0 => format!("{shown}: no mistakes, {all} job{}\n", plural(all)),
        _ => format!("{shown}: {failures} of {all} jobs cannot be run on their data\n"),
    };
    let unchecked = jobs.iter().filter(|job| job.unchecked.is_some()).count();
    if unchecked > 0 && !open {
        text += &format!(
            "{unchecked} of them ask for what only the plugins that they name can bring; --open loads these \
             and checks them too\n"
        );
    }
    match failures {
        0 => context.print_text(&text),
        _ => context.print_text(&text).max(EXIT_USAGE),
    }
}

fn run_jobs(
    file: &JobFile,
    jobs: &[&PlannedJob],
    interrupt: &Interrupt,
    context: &RankContext,
    (command, ended): (Option<&str>, &mut EndedRun),
) -> u8 {
    let begun = ended.clone();
    let if_it_hangs = |summary: &RunSummary, code: u8| {
        if let Some(command) = command {
            let summary = summary.clone();
            let ended = EndedRun {
                summary,
                ..begun.clone()
            };
            on_end::run_command(command, code, &ended);
        }
    };
    let communicator = context.communicator();
    let summary = match batch::run_or(file, jobs, interrupt, communicator, &if_it_hangs) {
        Ok(summary) => summary,
        Err(error) => {
            context.print_error(&format!("error: {}", error_chain(&error)));
            return error.exit_code();
        }
    };
    if !context.is_root() {
        return EXIT_DONE;
    }
    let folder = file.settings.folder(&file.path);
    let code = context.print_text(&summary.to_text(&folder));
    for (name, reasons) in &summary.incomplete {
        print_error(&format!("warning: {name}: {reasons}"));
    }
    if let Some(error) = &summary.tables {
        print_error(&format!("error: {error}"));
    }
    let code = code.max(summary.exit_code(interrupt.requested()));
    ended.summary = summary;
    code
}

/// Does the one job that the run orders which started this process; the exit code.
pub(super) fn run_ordered(interrupt: &Interrupt) -> u8 {
    as_child(|output| batch::run_ordered(interrupt, output))
}

/// Answers what the run that started this process asks of plugins; the exit code.
pub(super) fn answer_questions(interrupt: &Interrupt) -> u8 {
    as_child(|output| batch::answer_questions(interrupt, output))
}

/// Does what the run orders which started this process, and ends it.
fn as_child(work: impl FnOnce(&mut (dyn Write + Send)) -> Result<(), String>) -> u8 {
    // What is told goes to the run, and what plugins print to standard error.
    machine::keep_standard_output();
    let told = match machine::standard_output() {
        Some(mut output) => work(&mut output),
        None => work(&mut io::stdout()),
    };
    let code = match told {
        Ok(()) => EXIT_DONE,
        Err(reason) => {
            print_error(&format!("error: {reason}"));
            EXIT_FAILED
        }
    };
    // A plugin may run on.
    plugin::end_now(code)
}

/// Prints how the run into a folder of results, or of a job file, stands; the exit code.
pub(super) fn print_status(matches: &ArgMatches) -> u8 {
    let Some(path) = matches.get_one::<PathBuf>("folder") else {
        return EXIT_USAGE;
    };
    let folder = match path.is_file() {
        false => path.clone(),
        // Which runs no code that the file names.
        true => match file::inspect(path) {
            Ok(file) => file.settings.folder(&file.path),
            Err(error) => {
                print_page(&error.render(io::stderr().is_terminal()));
                print_error(&format!("error: {}", error_chain(&error)));
                return EXIT_USAGE;
            }
        },
    };
    match batch::folder_status(&folder) {
        Ok(status) if matches.get_flag("json") => print_json(&status.to_json()),
        Ok(status) => print_text(&status.to_text()),
        Err(error) => {
            print_error(&format!("error: {error}"));
            error.exit_code()
        }
    }
}

/// Checks that all ranks have the same job file and plugins; else the exit code, and the reason is printed.
fn check_equal(context: &RankContext, path: &Path, jobs: &[&PlannedJob]) -> Result<(), u8> {
    let text = fs::read(path).unwrap_or_default();
    let hash = Fnv::new().bytes(&text).finish();
    context.check_equal(&path.display().to_string(), &format!("hash {hash:032x}"))?;
    let libraries = jobs.iter().flat_map(|job| &job.task.job().libraries);
    let mut libraries: Vec<PathBuf> = libraries.cloned().collect();
    libraries.sort_unstable();
    libraries.dedup();
    context.check_files("plugins", &libraries)
}
