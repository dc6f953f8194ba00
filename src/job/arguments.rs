//! The command line, made from the table of options.

use std::{ffi::OsString, path::PathBuf};

use clap::{
    Arg, ArgAction, ArgMatches, Command,
    builder::{PossibleValuesParser, ValueParser},
};

use super::{
    JobDraft, OptionError, OptionInfo, OptionSpec, PREDICT, PredictionJob, RUN, RunSettings,
    SIMULATE, Simulation, Task,
    examples::{
        EXAMPLE, PAIRS_EXAMPLE, PREDICT_EXAMPLE, RUN_EXAMPLE, STABILITY_EXAMPLE, STATUS_EXAMPLE,
        VALIDATE_EXAMPLE,
    },
    kernel_arguments::compilation,
    option,
    path_text::to_text,
    plugin_arguments::plugin_commands,
    prediction::reading_options,
    task::Command as TaskCommand,
};
use crate::simulate::{MODELS, model};

/// The shells that there are completions for.
const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// The commands that have a manual page.
const COMMANDS: [&str; 12] = [
    "select",
    "pairs",
    "stability",
    "validate",
    "run",
    "status",
    "predict",
    "simulate",
    "criteria",
    "devices",
    "methods",
    "plugins",
];

/// The command line of `passel-mpi`: the commands that ranks can do together.
pub fn mpi_command() -> Command {
    let all = command();
    let some = ["select", "pairs", "run"];
    let own = all.get_subcommands().cloned();
    let own = own.filter(|command| some.contains(&command.get_name()));
    program(
        "passel-mpi",
        "passel on many machines: mpirun -n RANKS passel-mpi …",
    )
    .subcommands(own.collect::<Vec<_>>())
}

/// The command line of `passel`.
pub fn command() -> Command {
    let data = || {
        positional(
            "data",
            "DATA",
            "The file of observations (rows) and variables (columns): .csv, .tsv, .txt, .npy, .dat, .arff, .libsvm, .mrmr, .bed or .pgen (PLINK) or .parquet; - for standard input",
        )
    };
    let of_task = |command: TaskCommand, about: &'static str, example: &'static str| {
        Command::new(command.name())
            .about(about)
            .arg(data().value_parser(ValueParser::path_buf()))
            .args(command.options().map(|option| argument(option)))
            .after_help(example)
    };
    let jobs = positional(
        "file",
        "JOBS.toml",
        "The job file: the tables [run] and [defaults], and one or more [[job]], each with data = \"FILE\"",
    );
    let only = Arg::new("only").long("only").value_name("PATTERN");
    // Not a key of job files: a file that somebody sent must not run commands.
    let on_end = Arg::new("on-end").long("on-end").value_name("COMMAND");
    let run =
        Command::new("run")
            .about("Run the jobs of a job file whose results are missing or out of date")
            .arg(jobs.value_parser(ValueParser::path_buf()))
            .args(RUN.iter().map(|option| argument(option)))
            .arg(only.help(
                "Run only the jobs whose names contain this, or match it if it contains * or ?",
            ))
            .arg(flag(
                "retry-failed",
                "Run only the jobs that failed the last time they were run; without this, all jobs that are not done, those that failed last",
            ))
            .arg(on_end.help(
                "Have the shell run this command when the run has ended: after success, failures or an interrupt, or where it could not begin, but not after a kill, a second Ctrl-C, or where a plugin ended the process; the variables PASSEL_FILE, PASSEL_FOLDER, PASSEL_DONE, PASSEL_FAILED, PASSEL_LEFT and PASSEL_EXIT_CODE tell it how",
            ))
            .arg(flag(
                "check",
                "Report every mistake in the job file, and run nothing",
            ))
            .arg(
                flag(
                    "list",
                    "List the jobs, with their status and the memory they need, and run nothing",
                )
                .conflicts_with("check"),
            )
            .arg(
                flag(
                    "open",
                    "With --check, look too whether the data have the columns that jobs name, and, as with --list, load the plugins that jobs name",
                ),
            )
            .after_help(RUN_EXAMPLE);
    let folder = positional(
        "folder",
        "FOLDER",
        "The folder of results of a run, or its job file",
    );
    let status = Command::new("status")
        .about("Show how a run stands: what is done, what runs, what failed and why, and about how long the rest takes")
        .arg(folder.value_parser(ValueParser::path_buf()))
        .arg(flag("json", "Show it as one JSON object"))
        .after_help(STATUS_EXAMPLE);
    let model = positional("model", "MODEL", "The model that the data come from");
    let models = PossibleValuesParser::new(MODELS.iter().map(|model| model.name));
    let simulate = Command::new("simulate")
        .about("Write data with a known truth, with which `select` then compares its selection")
        .arg(model.value_parser(models))
        .args(
            SIMULATE
                .iter()
                .map(|option| argument(option).required(option.name == "output")),
        )
        .after_help(models_help());
    let report = positional(
        "report",
        "REPORT.json",
        "The report of a selection as JSON, or a result of a run",
    );
    let predict = Command::new("predict")
        .about("Predict the response of data by the model of a report")
        .arg(report.value_parser(ValueParser::path_buf()))
        .arg(data().value_parser(ValueParser::path_buf()))
        .args(PREDICT.iter().map(|option| argument(option)))
        .args(reading_options().map(|option| argument(option)))
        .after_help(PREDICT_EXAMPLE);
    let list = |name: &'static str, about: &'static str| {
        let format = Arg::new("format").long("format").value_name("FORM");
        let format = format.value_parser(["text", "json"]).default_value("text");
        Command::new(name)
            .about(about)
            .arg(format.help("Form of the list"))
    };
    // For the lists that depend on plugins, outside the groups of `select`.
    let plugins = option("plugins").map(|option| argument(option).help_heading(None));
    let shell = positional("shell", "SHELL", "The shell");
    let page = Arg::new("command")
        .value_name("COMMAND")
        .value_parser(COMMANDS);
    program("passel", env!("CARGO_PKG_DESCRIPTION"))
        .after_help(EXAMPLE)
        .subcommand(of_task(TaskCommand::Select, "Select variables of one data file", EXAMPLE))
        .subcommand(of_task(TaskCommand::Pairs, "Score every variable and every pair of one data file", PAIRS_EXAMPLE))
        .subcommand(of_task(
            TaskCommand::Stability,
            "Select the variables that a method chooses from most resamples of one data file",
            STABILITY_EXAMPLE,
        ))
        .subcommand(of_task(
            TaskCommand::Validate,
            "Estimate how well the models that are selected of one data file predict new observations",
            VALIDATE_EXAMPLE,
        ))
        .subcommand(run)
        // For `run --isolate` alone, which tells them on standard input what to do.
        .subcommand(Command::new("isolated-job").hide(true))
        .subcommand(Command::new("plugin-answers").hide(true))
        .subcommand(status)
        .subcommand(predict)
        .subcommand(simulate)
        .subcommand(list("criteria", "List the criteria, their penalties and parameters").args(&plugins))
        .subcommand(
            list("devices", "List the CPU and the GPUs, with their memory and libraries")
                .args(compilation())
                .args(&plugins),
        )
        .subcommand(list("methods", "List the methods and pair scores, their formulas and parameters").args(&plugins))
        .subcommand(
            plugin_commands(list(
                "plugins",
                "List the plugins, what they provide, and why libraries were refused",
            ))
            .args(&plugins),
        )
        .subcommand(
            Command::new("completions")
                .about("Print the completions of commands and options for a shell")
                .arg(shell.value_parser(SHELLS))
                .after_help("Example:\n  passel completions bash > ~/.local/share/bash-completion/completions/passel"),
        )
        .subcommand(
            Command::new("man")
                .about("Print the manual page of the program or of one of its commands, for `man -l`")
                .arg(page.help("The command; without it, the program"))
                .after_help("Example:\n  passel man run > ~/.local/share/man/man1/passel-run.1"),
        )
}

/// A program with commands, one of which is required.
fn program(name: &'static str, about: &'static str) -> Command {
    Command::new(name)
        .version(env!("CARGO_PKG_VERSION"))
        .about(about)
        .subcommand_required(true)
        .arg_required_else_help(true)
}

fn positional(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).value_name(value).required(true).help(help)
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    let argument = Arg::new(name).long(name);
    argument.action(ArgAction::SetTrue).help(help)
}

/// The models and their formulas, for the help of `simulate`.
fn models_help() -> String {
    let models = MODELS.iter().map(|model| {
        let (name, title, formula) = (model.name, model.title, model.formula);
        format!("  {name}: {title}.\n      {formula}.\n")
    });
    format!(
        "Models, with y = Xβ + ε:\n{}\n\
         Example:\n  passel simulate ing-lai --seed 7 --output ing-lai.csv.gz\n  \
         passel select ing-lai.csv.gz --response y --criterion hdbic",
        models.collect::<String>()
    )
}

/// The argument of an option; its help ends with the default and the range.
fn argument(option: &OptionInfo) -> Arg {
    if option.is_flag() {
        return flag(option.name, option.help).help_heading(option.heading);
    }
    let default = Some(&option.default).filter(|default| !default.is_empty());
    let default = default.map(|default| format!("default: {default}"));
    let range = (!option.list).then(|| format!("range: {}", option.range));
    let facts: Vec<String> = default.into_iter().chain(range).collect();
    let facts = match facts.is_empty() {
        true => String::new(),
        false => format!(" [{}]", facts.join("; ")),
    };
    // Probabilities and ρ that begin with a minus are out of range, not misspelt options, and marks
    // of missing values may be -999.
    let takes_minus = option.value.contains("I,R") || ["rho", "na"].contains(&option.name);
    Arg::new(option.name)
        .long(option.name)
        .help_heading(option.heading)
        .help(format!("{}{facts}", option.help))
        .value_name(option.value)
        .allow_negative_numbers(true)
        .allow_hyphen_values(takes_minus)
        .value_parser(match option.is_path() {
            true => ValueParser::os_string(),
            false => ValueParser::string(),
        })
        .action(match option.list {
            true => ArgAction::Append,
            false => ArgAction::Set,
        })
}

/// The texts given for an option; none if it was not given.
pub(super) fn texts(matches: &ArgMatches, option: &OptionInfo) -> Vec<String> {
    if option.is_flag() {
        let is_set = matches.get_flag(option.name);
        return is_set.then(|| "true".to_owned()).into_iter().collect();
    }
    if option.is_path() {
        let paths = matches.get_many::<OsString>(option.name);
        return paths
            .into_iter()
            .flatten()
            .map(|path| to_text(path))
            .collect();
    }
    let texts = matches.get_many::<String>(option.name);
    texts.into_iter().flatten().cloned().collect()
}

/// Those of the options that were given, each with its texts.
fn given<T: 'static>(
    matches: &ArgMatches,
    options: &'static [OptionSpec<T>],
) -> impl Iterator<Item = (&'static OptionSpec<T>, Vec<String>)> {
    let all = options.iter();
    let all = all.map(|option| (option, texts(matches, option)));
    all.filter(|(_, texts)| !texts.is_empty())
}

/// The simulation that the arguments of `simulate` ask for.
///
/// # Errors
/// Every option that is refused, and every option that the model does not have.
pub fn simulation(matches: &ArgMatches) -> Result<Simulation, Vec<OptionError>> {
    let name = matches.get_one::<String>("model");
    // The command line accepts the names of models alone.
    let model = name.and_then(|name| model(name)).unwrap_or(&MODELS[0]);
    let given: Vec<_> = given(matches, &SIMULATE).collect();
    Simulation::new(model, &given)
}

/// The prediction that the arguments of `predict` ask for.
///
/// # Errors
/// Every option that is refused, and every conflict between them.
pub fn prediction(matches: &ArgMatches) -> Result<PredictionJob, Vec<OptionError>> {
    let path = |name| {
        matches
            .get_one::<PathBuf>(name)
            .cloned()
            .unwrap_or_default()
    };
    let own: Vec<_> = given(matches, &PREDICT).collect();
    let reading = reading_options().map(|option| (option, texts(matches, option)));
    let reading: Vec<_> = reading.filter(|(_, texts)| !texts.is_empty()).collect();
    PredictionJob::new(path("report"), path("data"), &own, &reading)
}

/// The libraries that the arguments of `criteria`, `methods` and `plugins` name.
///
/// # Errors
/// The list is malformed.
pub fn plugin_files(matches: &ArgMatches) -> Result<Vec<PathBuf>, OptionError> {
    let mut draft = JobDraft::new("");
    if let Some(option) = option("plugins") {
        draft.set(option.name, &texts(matches, option))?;
    }
    Ok(draft.job.plugins)
}

/// The settings of a job file, overridden by the arguments of `run`.
///
/// # Errors
/// Every option that is refused.
pub fn run_settings(
    matches: &ArgMatches,
    mut settings: RunSettings,
) -> Result<RunSettings, Vec<OptionError>> {
    let mut errors = Vec::new();
    for (option, texts) in given(matches, &RUN) {
        errors.extend(option.read(&mut settings, &texts).err());
    }
    match errors.is_empty() {
        true => Ok(settings),
        false => Err(errors),
    }
}

/// The task that the arguments of a command ask for.
///
/// # Errors
/// Every option that is refused, every conflict between options, and every method, score or
/// criterion that does not exist.
pub fn task(command: TaskCommand, matches: &ArgMatches) -> Result<Task, Vec<OptionError>> {
    let data = matches.get_one::<PathBuf>("data");
    let draft = JobDraft::new(data.cloned().unwrap_or_default());
    let mut draft = draft.of(command);
    let mut errors = Vec::new();
    for option in command.options() {
        let texts = texts(matches, option);
        if !texts.is_empty() {
            errors.extend(draft.set(option.name, &texts).err());
        }
    }
    // The remaining options are checked too, so that the user sees every mistake at once.
    match draft.task() {
        Ok(task) if errors.is_empty() => Ok(task),
        checked => {
            errors.extend(checked.err().into_iter().flatten());
            Err(errors)
        }
    }
}
