//! The program `passel`, and each rank of `passel-mpi`: arguments → run → report → exit code.

mod archive;
mod check_calls;
mod check_data;
mod check_family;
mod check_method;
mod check_plugin;
mod check_step;
mod check_values;
mod install;
mod jobs;
mod lists;
mod new_plugin;
mod on_end;
mod predict;
mod print;
mod rank_context;
mod signals;
mod task;
mod wheel;

use std::{ffi::OsString, process::ExitCode, sync::Arc};

use signal_hook::low_level;

use crate::{
    batch::{self, error_chain},
    interrupt::Interrupt,
    job::{arguments, task::Command},
    machine, plugin,
    printable::printable,
    ranks::Transport,
    run::simulate,
};
use print::print_error;
use rank_context::RankContext;

const EXIT_DONE: u8 = 0;
const EXIT_FAILED: u8 = 1;
const EXIT_USAGE: u8 = 2;
const EXIT_INTERRUPTED: u8 = 130;

/// How the program has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// 0 for success, 1 if the work failed, 2 for wrong arguments or data, 130 after an interrupt.
    pub code: u8,
    /// Whether a plugin still runs on a detached thread, so that no destructor may run.
    has_detached: bool,
}

impl Exit {
    /// The exit code for `main` to return. If a plugin still runs, or one of others was loaded, the process ends here.
    pub fn exit(self) -> ExitCode {
        plugin::end();
        if self.has_detached {
            low_level::exit(self.code.into());
        }
        plugin::end_without_others(self.code);
        ExitCode::from(self.code)
    }
}

/// Says that the program has come to its end when it goes.
struct AtEnd;

impl Drop for AtEnd {
    fn drop(&mut self) {
        plugin::end();
    }
}

/// Runs the program where it is no executable file of its own, but a part of one that another command starts: `command` and
/// `arguments` behind it are what the user wrote. Only the first of several calls says how the process was started.
pub fn main_within(command: Vec<OsString>, arguments: Vec<OsString>) -> Exit {
    machine::started_as(command, arguments);
    main(None)
}

/// Runs the program on the arguments of this process: alone, or as one of the ranks that a transport
/// connects. All ranks run it, and rank 0 alone writes files and prints.
pub fn main(transport: Option<Arc<dyn Transport>>) -> Exit {
    let interrupt = Interrupt::default();
    plugin::watch(&interrupt);
    // Also where a panic of its own ends it.
    let _ended = AtEnd;
    let code = match RankContext::new(transport, &interrupt) {
        Ok(context) => run_arguments(&context, &interrupt),
        Err(code) => code,
    };
    Exit {
        code,
        has_detached: interrupt.has_detached(),
    }
}

/// The message about mistaken arguments when these are escaped, for it repeats them, and they may be names
/// of files; `None` where that makes them right.
fn printable_message(context: &RankContext) -> Option<clap::Error> {
    let arguments = machine::arguments().map(|argument| {
        let text = argument.to_string_lossy();
        printable(&text).into_owned()
    });
    let name = std::iter::once(context.program().to_owned());
    let parsed = (context.command_line()).try_get_matches_from(name.chain(arguments));
    parsed.err()
}

fn run_arguments(context: &RankContext, interrupt: &Interrupt) -> u8 {
    let name = std::iter::once(OsString::from(context.program()));
    let arguments = name.chain(machine::arguments());
    let matches = match context.command_line().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(message) => {
            let message = printable_message(context).unwrap_or(message);
            // The texts of --help and --version arrive here too.
            let code = message.exit_code().try_into().unwrap_or(EXIT_USAGE);
            return match context.is_root() {
                true => print::exit_code(message.print()).max(code),
                false => code,
            };
        }
    };
    if let Err(error) = signals::handle(interrupt) {
        context.print_error(&format!(
            "warning: a signal will end the program without a report: {error}"
        ));
    }
    let Some((name, arguments)) = matches.subcommand() else {
        return EXIT_USAGE;
    };
    match (Command::named(name), name) {
        (Some(command), _) => task::run(command, arguments, interrupt, context),
        (None, "run") => jobs::run(arguments, interrupt, context),
        (None, batch::ISOLATED_JOB) => jobs::run_ordered(interrupt),
        (None, batch::PLUGIN_ANSWERS) => jobs::answer_questions(interrupt),
        (None, "status") => jobs::print_status(arguments),
        (None, "simulate") => match arguments::simulation(arguments) {
            Ok(simulation) => match simulate(&simulation, interrupt) {
                Ok(()) => EXIT_DONE,
                Err(error) => {
                    print_error(&format!("error: {}", error_chain(&error)));
                    error.exit_code()
                }
            },
            Err(errors) => context.refuse(&errors),
        },
        (None, "predict") => predict::run(arguments, interrupt, context),
        _ => lists::print_list(name, arguments, interrupt).unwrap_or(EXIT_USAGE),
    }
}
