//! Arguments → run → report → exit code.

#![forbid(unsafe_code)]

use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
};

use clap::{ArgMatches, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;
use passel::{
    batch::{self, chain},
    device::{
        cuda::{facts::cuda, functions},
        host::host,
    },
    job::{self, Job, OptionError},
    plugin::Plugins,
    report::{criteria, devices, methods, plugins},
    run::{Report, RunError, pairs, run, simulate, stability},
    search::Interrupt,
};
use signal_hook::{consts, iterator::Signals, low_level};

const DONE: u8 = 0;
const FAILED: u8 = 1;
const WRONG: u8 = 2;
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let matches = match job::arguments::command().try_get_matches() {
        Ok(matches) => matches,
        Err(message) => {
            // Help and version come this way too: results, on standard output.
            let code = message.exit_code().try_into().unwrap_or(WRONG);
            return ExitCode::from(printed(message.print()).max(code));
        }
    };
    let interrupt = Interrupt::default();
    if let Err(error) = heed_signals(&interrupt) {
        complain(&format!(
            "warning: signals end the program at once: {error}"
        ));
    }
    let code = match matches.subcommand() {
        Some(("select", matches)) => select(matches, &interrupt),
        Some(("pairs", matches)) => match job::arguments::pairing(matches) {
            Ok(mut pairing) => {
                pairing.job.interrupt = interrupt.clone();
                pairing.job.command = Some(command());
                report(&pairing.job, pairs(&pairing))
            }
            Err(errors) => refuse(&errors),
        },
        Some(("stability", matches)) => match job::arguments::stability(matches) {
            Ok(mut it) => {
                it.job.interrupt = interrupt.clone();
                it.job.command = Some(command());
                report(&it.job, stability(&it))
            }
            Err(errors) => refuse(&errors),
        },
        Some(("run", matches)) => match matches.get_one::<PathBuf>("file") {
            Some(path) => run_file(path, matches, &interrupt),
            None => WRONG,
        },
        Some(("simulate", matches)) => match job::arguments::simulation(matches) {
            Ok(simulation) => match simulate(&simulation, &interrupt) {
                Ok(()) => DONE,
                Err(error) => {
                    complain(&format!("error: {}", chain(&error)));
                    error.exit_code()
                }
            },
            Err(errors) => refuse(&errors),
        },
        Some(("criteria", matches)) => with_plugins(matches, |plugins| {
            tell_refused(plugins);
            match as_json(matches) {
                true => criteria::json(plugins),
                false => criteria::text(plugins),
            }
        }),
        Some(("devices", matches)) => {
            let (host, cuda) = (host(), cuda());
            let list = match as_json(matches) {
                true => devices::json(&host, &cuda),
                false => devices::text(&host, &cuda),
            };
            print(list.as_bytes())
        }
        Some(("methods", matches)) => with_plugins(matches, |plugins| {
            tell_refused(plugins);
            match as_json(matches) {
                true => methods::json(plugins),
                false => methods::text(plugins),
            }
        }),
        Some(("plugins", matches)) => list_plugins(matches),
        Some(("completions", matches)) => completions(matches),
        Some(("man", matches)) => manual(matches),
        _ => WRONG,
    };
    if interrupt.left() {
        // As above; reports are written and flushed where they are printed.
        low_level::exit(code.into());
    }
    ExitCode::from(code)
}

/// Prints what there is of plugins; with `--cuda` their functions in CUDA C are tried.
fn list_plugins(matches: &ArgMatches) -> u8 {
    let all = match found(matches) {
        Ok(all) => all,
        Err(code) => return code,
    };
    let mut tried = Vec::new();
    if matches.get_flag("cuda") {
        for plugin in all.plugins() {
            for (name, function) in plugin.functions() {
                let checked = functions::check(name, &function).transpose();
                tried.extend(checked.map(|it| (&*plugin.name, name.to_owned(), it)));
            }
        }
    }
    let code = match tried.iter().all(|it| it.2.is_ok()) {
        true => DONE,
        false => FAILED,
    };
    let list = match as_json(matches) {
        true => plugins::json(&all, &tried),
        false => plugins::text(&all, &tried),
    };
    print(list.as_bytes()).max(code)
}

/// Prints the completions of a shell.
fn completions(matches: &ArgMatches) -> u8 {
    let shell = matches.get_one::<String>("shell");
    // The command line takes no other name than a shell's.
    let Some(shell) = shell.and_then(|it| Shell::from_str(it, true).ok()) else {
        return WRONG;
    };
    let mut page = Vec::new();
    clap_complete::generate(shell, &mut job::arguments::command(), "passel", &mut page);
    print(&page)
}

/// Prints a manual page.
fn manual(matches: &ArgMatches) -> u8 {
    let mut program = job::arguments::command();
    program.build();
    let name = matches.get_one::<String>("command");
    let page = match name.and_then(|it| program.find_subcommand(it)) {
        Some(command) => Man::new(command.clone()),
        None => Man::new(program),
    };
    let mut text = Vec::new();
    match page.render(&mut text) {
        Ok(()) => print(&text),
        // Nothing is written but memory.
        Err(_) => FAILED,
    }
}

/// Prints a list made from the plugins there are and those that were named.
fn with_plugins(matches: &ArgMatches, list: impl Fn(&Plugins) -> String) -> u8 {
    match found(matches) {
        Ok(plugins) => print(list(&plugins).as_bytes()),
        Err(code) => code,
    }
}

/// The plugins there are and those that were named; else the exit code of what was said.
fn found(matches: &ArgMatches) -> Result<Plugins, u8> {
    let named = job::arguments::plugins(matches).map_err(|error| refuse(&[error]))?;
    Plugins::find(&named).map_err(|error| {
        complain(&format!("error: {error}"));
        WRONG
    })
}

/// Says what is not used, for the list is of what can be.
fn tell_refused(plugins: &Plugins) {
    for refused in plugins.refused() {
        complain(&format!("warning: {refused}"));
    }
}

/// Whether a list is to be read by a program.
fn as_json(matches: &ArgMatches) -> bool {
    let format = matches.get_one::<String>("format");
    format.is_some_and(|it| it == "json")
}

/// The first Ctrl-C or TERM asks for the end. The second is the end, unless a plugin is at work
/// that did not heed the first: then it is left behind, and what it chose so far is told.
fn heed_signals(interrupt: &Interrupt) -> io::Result<()> {
    let mut signals = Signals::new([consts::SIGINT, consts::SIGTERM])?;
    let interrupt = interrupt.clone();
    let heed = move || {
        for _ in signals.forever() {
            if !interrupt.requested() {
                interrupt.request();
            } else if !interrupt.insist() {
                // A plugin may be at work: nothing of it is to be taken down under it.
                low_level::exit(INTERRUPTED.into());
            }
        }
    };
    thread::Builder::new().spawn(heed).map(drop)
}

fn select(matches: &ArgMatches, interrupt: &Interrupt) -> u8 {
    match job::arguments::job(matches) {
        Ok(mut job) => {
            job.interrupt = interrupt.clone();
            job.command = Some(command());
            report(&job, run(&job))
        }
        Err(errors) => refuse(&errors),
    }
}

/// The command as a shell would be given it.
fn command() -> String {
    let plain = |it: char| it.is_alphanumeric() || "-_./:=,+@%".contains(it);
    let quoted = |text: String| match !text.is_empty() && text.chars().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    };
    let rest = std::env::args_os().skip(1);
    let rest = rest.map(|it| quoted(it.to_string_lossy().into_owned()));
    let all: Vec<String> = [String::from("passel")].into_iter().chain(rest).collect();
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

fn run_file(path: &Path, matches: &ArgMatches, interrupt: &Interrupt) -> u8 {
    let mut file = match job::file::read(path) {
        Ok(file) => file,
        Err(error) => {
            let mistakes = error.render(io::stderr().is_terminal());
            complain(&format!("{mistakes}error: {}", chain(&error)));
            return WRONG;
        }
    };
    file.settings = match job::arguments::settings(matches, file.settings) {
        Ok(settings) => settings,
        Err(errors) => return refuse(&errors),
    };
    let pattern = matches.get_one::<String>("only").map(String::as_str);
    let jobs = match batch::only(&file, pattern) {
        Ok(jobs) => jobs,
        Err(error) => {
            complain(&format!("error: {error}"));
            return WRONG;
        }
    };
    if matches.get_flag("check") {
        return print(format!("{}: no mistake, {} jobs\n", path.display(), jobs.len()).as_bytes());
    }
    if matches.get_flag("list") {
        return print(batch::list(&batch::standings(&file, &jobs)).as_bytes());
    }
    let summary = match batch::run(&file, &jobs, interrupt) {
        Ok(summary) => summary,
        Err(error) => {
            complain(&format!("error: {}", chain(&error)));
            return error.exit_code();
        }
    };
    let folder = file.settings.folder(&file.path);
    let code = print(summary.told(&folder).as_bytes());
    if let Some(error) = &summary.tables {
        complain(&format!("error: {}", chain(error)));
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
fn report(job: &Job, result: Result<Report, RunError>) -> u8 {
    let error = result.as_ref().err().map(|error| {
        complain(&format!("error: {}", chain(error)));
        if let RunError::Fault {
            trace: Some(lost), ..
        } = error
        {
            complain(&format!("error: the trace: {}", chain(&**lost)));
        }
        error.exit_code()
    });
    let mut report = match result {
        Ok(report) => report,
        Err(
            RunError::Trace { report, .. }
            | RunError::Fault { report, .. }
            | RunError::Unscored { report, .. }
            | RunError::Procedure {
                report: Some(report),
                ..
            },
        ) => *report,
        Err(error) => return error.exit_code(),
    };
    if job.output.is_none() {
        let code = print(&report.rendered);
        if code != DONE {
            return code;
        }
    }
    if let Err(error) = report.told() {
        complain(&format!("warning: {}", chain(&error)));
    }
    match error {
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

/// Writes a result to standard output.
fn print(text: &[u8]) -> u8 {
    let mut stdout = io::stdout().lock();
    printed(stdout.write_all(text).and_then(|()| stdout.flush()))
}

/// A reader who has seen enough (`| head`) is no failure; a full disk is.
fn printed(result: io::Result<()>) -> u8 {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!(
                "error: writing to standard output failed: {error}"
            ));
            FAILED
        }
        _ => DONE,
    }
}

/// Writes a line to standard error; where that is closed, nobody listens.
fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
