//! What the program says about itself: criteria, methods, plugins, devices, completions and manual
//! pages.

use std::path::PathBuf;

use clap::{ArgMatches, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;

use super::{
    EXIT_DONE, EXIT_FAILED, EXIT_USAGE, check_plugin, install, new_plugin,
    print::{print_error, print_json, print_option_error, print_result, print_text},
};
use crate::{
    batch::error_chain,
    device::{
        cuda::{ahead::compile_all, facts::cuda, families, functions},
        host::host_info,
    },
    interrupt::Interrupt,
    job, machine,
    plugin::{Plugins, installed},
    report::{criteria, devices, methods, plugins},
};

/// Prints a list; the exit code, or `None` if there is no such list.
pub(super) fn print_list(name: &str, matches: &ArgMatches, interrupt: &Interrupt) -> Option<u8> {
    Some(match name {
        "criteria" => print_plugin_list(matches, criteria::json, criteria::text),
        "methods" => print_plugin_list(matches, methods::json, methods::text),
        "devices" if matches.contains_id("compile") => compile_kernels(matches),
        "devices" => {
            let (host, cuda) = (host_info(), cuda());
            let json = || devices::json(&host, &cuda);
            print_as(matches, json, || devices::text(&host, &cuda))
        }
        "plugins" => print_plugins(matches, interrupt),
        "completions" => print_completions(matches),
        "man" => print_manual(matches),
        _ => return None,
    })
}

/// Compiles every kernel for the architectures that the arguments name.
fn compile_kernels(matches: &ArgMatches) -> u8 {
    let all = match find_plugins(matches) {
        Ok(all) => all,
        Err(code) => return code,
    };
    let plugins = all.plugins().iter();
    let functions: Vec<_> = plugins.clone().flat_map(|own| own.functions()).collect();
    let families: Vec<_> = plugins.flat_map(|own| own.own_families()).collect();
    let architectures = matches.get_many("compile").into_iter().flatten().cloned();
    let architectures: Vec<String> = architectures.collect();
    let into = matches.get_one::<PathBuf>("into").map(PathBuf::as_path);
    match compile_all((&functions, &families), &architectures, into) {
        Ok(compiled) => {
            let json = || devices::compiled_json(&compiled);
            print_as(matches, json, || devices::compiled_text(&compiled))
        }
        Err(error) => {
            print_error(&format!("error: {}", error_chain(&error)));
            EXIT_FAILED
        }
    }
}

/// Does what a command of `plugins` asks for.
fn plugin_command(name: &str, matches: &ArgMatches, interrupt: &Interrupt) -> u8 {
    match name {
        "install" => install::install(matches, interrupt),
        "remove" => install::remove(matches),
        "new" => new_plugin::write(matches),
        _ => {
            let all = installed();
            let json = || plugins::installed_json(&all);
            print_as(matches, json, || plugins::installed_text(&all))
        }
    }
}

/// Lists the plugins; with `--cuda` their functions in CUDA C are compiled and compared. With `--check` one library is checked.
fn print_plugins(matches: &ArgMatches, interrupt: &Interrupt) -> u8 {
    if let Some((name, matches)) = matches.subcommand() {
        return plugin_command(name, matches, interrupt);
    }
    if let Some(library) = matches.get_one::<PathBuf>("check") {
        return check_plugin::check(matches, library);
    }
    let all = match find_plugins(matches) {
        Ok(all) => all,
        Err(code) => return code,
    };
    let mut tried = Vec::new();
    if matches.get_flag("cuda") {
        for plugin in all.plugins() {
            for (name, function) in plugin.functions() {
                let checked = functions::check(name, &function).transpose();
                tried.extend(checked.map(|check| (&*plugin.name, name.to_owned(), check)));
            }
            for family in plugin.own_families() {
                let name = family.name.to_string_lossy().into_owned();
                let checked = families::check(family).transpose();
                tried.extend(checked.map(|check| (&*plugin.name, name, check)));
            }
        }
    }
    let code = match tried.iter().all(|(_, _, check)| check.is_ok()) {
        true => EXIT_DONE,
        false => EXIT_FAILED,
    };
    let json = || plugins::json(&all, &tried);
    print_as(matches, json, || plugins::text(&all, &tried)).max(code)
}

/// Prints the completions for a shell.
fn print_completions(matches: &ArgMatches) -> u8 {
    let shell = matches.get_one::<String>("shell");
    // The command line accepts the names of shells alone.
    let Some(shell) = shell.and_then(|name| Shell::from_str(name, true).ok()) else {
        return EXIT_USAGE;
    };
    let mut page = Vec::new();
    clap_complete::generate(shell, &mut job::arguments::command(), "passel", &mut page);
    print_result(&page)
}

/// Prints a manual page.
fn print_manual(matches: &ArgMatches) -> u8 {
    let mut program = job::arguments::command();
    program.build();
    let name = matches.get_one::<String>("command");
    let page = match name.and_then(|name| program.find_subcommand(name)) {
        Some(command) => Man::new(command.clone()),
        None => Man::new(program),
    };
    let mut text = Vec::new();
    match page.render(&mut text) {
        Ok(()) => print_result(&text),
        // Writing to memory does not fail.
        Err(_) => EXIT_FAILED,
    }
}

/// Prints a list that depends on plugins, after the reasons why some were refused.
fn print_plugin_list(
    matches: &ArgMatches,
    json: fn(&Plugins) -> String,
    text: fn(&Plugins) -> String,
) -> u8 {
    match find_plugins(matches) {
        Ok(plugins) => {
            for refused in plugins.refused() {
                print_error(&format!("warning: {refused}"));
            }
            print_as(matches, || json(&plugins), || text(&plugins))
        }
        Err(code) => code,
    }
}

/// The installed plugins and those that the arguments name; else the exit code, and the reason is printed.
fn find_plugins(matches: &ArgMatches) -> Result<Plugins, u8> {
    let named = job::arguments::plugin_files(matches).map_err(|error| {
        print_option_error(&error);
        EXIT_USAGE
    })?;
    let find = match matches.try_get_one::<bool>("alone") {
        Ok(Some(true)) => {
            // A library that does not return goes with the process that installs it.
            machine::end_with_parent();
            Plugins::named
        }
        _ => Plugins::find,
    };
    find(&named).map_err(|error| {
        print_error(&format!("error: {error}"));
        EXIT_USAGE
    })
}

/// Prints a list in the form that the arguments name.
fn print_as(
    matches: &ArgMatches,
    json: impl FnOnce() -> String,
    text: impl FnOnce() -> String,
) -> u8 {
    let form = matches.get_one::<String>("format").map(String::as_str);
    match form == Some("json") {
        true => print_json(&json()),
        false => print_text(&text()),
    }
}
