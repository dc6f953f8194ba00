//! What the program tells of itself: criteria, methods, plugins, devices, its own pages.

use clap::{ArgMatches, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;

use super::{
    DONE, FAILED, WRONG,
    print::{complain, print},
    refuse,
};
use crate::{
    device::{
        cuda::{facts::cuda, functions},
        host::host_info,
    },
    job,
    plugin::Plugins,
    report::{criteria, devices, methods, plugins},
};

/// Prints the list that was asked for; none where it is no list.
pub(super) fn list(matches: &ArgMatches) -> Option<u8> {
    Some(match matches.subcommand()? {
        ("criteria", matches) => with_plugins(matches, |plugins| {
            tell_refused(plugins);
            match as_json(matches) {
                true => criteria::json(plugins),
                false => criteria::text(plugins),
            }
        }),
        ("devices", matches) => {
            let (host, cuda) = (host_info(), cuda());
            let list = match as_json(matches) {
                true => devices::json(&host, &cuda),
                false => devices::text(&host, &cuda),
            };
            print(list.as_bytes())
        }
        ("methods", matches) => with_plugins(matches, |plugins| {
            tell_refused(plugins);
            match as_json(matches) {
                true => methods::json(plugins),
                false => methods::text(plugins),
            }
        }),
        ("plugins", matches) => list_plugins(matches),
        ("completions", matches) => completions(matches),
        ("man", matches) => manual(matches),
        _ => return None,
    })
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
    let named = job::arguments::plugin_files(matches).map_err(|error| refuse(&[error]))?;
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
