//! The command line, made from the table of options.

use std::path::PathBuf;

use clap::{
    Arg, ArgAction, ArgMatches, Command,
    builder::{PossibleValuesParser, ValueParser},
};

use super::{
    Job, JobDraft, OPTIONS, OptionError, OptionSpec, PAIRS, PairsDraft, PairsJob, RUN, RawValues,
    RunSettings, SIMULATE, STABILITY, Simulation, StabilityDraft, StabilityJob, option,
    options::pairs_shared_options, simulation::defaults,
};
use crate::simulate::{MODELS, model};

const EXAMPLE: &str = "\
Example:
  passel select houses.csv --response price --criterion hdbic \\
      --keep area --format json --output houses.json

  Chooses, among all other columns of houses.csv, those that explain price
  best; area is in every model. The same command makes the same selection.

Exit codes: 0 done; 1 the work failed; 2 arguments, job file or data wrong;
130 interrupted, with the best so far written (a second Ctrl-C ends at once).";

const PAIRS_EXAMPLE: &str = "\
Example:
  passel pairs genes.csv --response disease --score synergy --top 20

  Tells I(x;y) of every variable x, and the 20 pairs that together tell most
  beyond what each tells alone.";

const RUN_EXAMPLE: &str = "\
Example, jobs.toml:
  [defaults]
  response = \"price\"

  [[job]]
  data = \"houses-*.csv\"
  criterion = [\"ebic\", \"hdbic\"]
  seed = { from = 1, count = 100 }

  passel run jobs.toml --list
  passel run jobs.toml

  Makes 200 jobs of each file. Their results go to jobs-results/, one file
  each, and as tables to jobs.csv and results.csv there. Run it again after
  whatever ended it: what is done is not done again. A job that fails does not
  stop the others; the exit code is then 1. docs/jobs.md has the whole.";

/// Shells that completions can be had for.
const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// Commands that have a manual page.
const COMMANDS: [&str; 9] = [
    "select",
    "pairs",
    "stability",
    "run",
    "simulate",
    "criteria",
    "devices",
    "methods",
    "plugins",
];

const STABILITY_EXAMPLE: &str = "\
Example:
  passel stability genes.csv --response disease --method jmi --top 20 \\
      --resamples 100 --false-picks 1

  Runs jmi on both halves of 100 random splits of the rows, and selects what is
  chosen so often that one false pick is to be expected at most.";

/// The commands that ranks do together.
pub fn mpi_command() -> Command {
    let all = command();
    let some = ["select", "pairs", "run"];
    let own = all
        .get_subcommands()
        .filter(|it| some.contains(&it.get_name()));
    let own: Vec<Command> = own.cloned().collect();
    Command::new("passel-mpi")
        .version(env!("CARGO_PKG_VERSION"))
        .about("passel on many machines: mpirun -n RANKS passel-mpi …")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(own)
}

/// The command line of the program: `select`, `pairs`, `stability`, `run`, `simulate` and the lists.
pub fn command() -> Command {
    let data = Arg::new("data")
        .value_name("DATA")
        .required(true)
        .value_parser(ValueParser::path_buf())
        .help("The file of observations (rows) and variables (columns): .csv, .tsv, .npy, .dat, .arff, .libsvm, .mrmr, .bed (PLINK 1) or .parquet");
    let jobs = Arg::new("file")
        .value_name("JOBS.toml")
        .required(true)
        .value_parser(ValueParser::path_buf())
        .help("The job file: [run], [defaults] and a list of [[job]], each with data = \"FILE\"");
    let format = Arg::new("format")
        .long("format")
        .value_name("FORM")
        .value_parser(["text", "json"])
        .default_value("text")
        .help("Form of the list");
    // The option of that name, for the lists that depend on it.
    let plugins = option("plugins").map(|it| argument(it, it.default).help_heading(None));
    let model = Arg::new("model")
        .value_name("MODEL")
        .required(true)
        .value_parser(PossibleValuesParser::new(
            MODELS.iter().map(|model| model.name),
        ))
        .help("The model the data come from");
    Command::new("passel")
        .version(env!("CARGO_PKG_VERSION"))
        .about(env!("CARGO_PKG_DESCRIPTION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .after_help(EXAMPLE)
        .subcommand(
            Command::new("select")
                .about("Select variables of one file")
                .arg(data.clone())
                .args(OPTIONS.iter().map(|it| argument(it, it.default)))
                .after_help(EXAMPLE),
        )
        .subcommand(
            Command::new("pairs")
                .about("Score every variable and every pair of one file")
                .arg(data.clone())
                .args(PAIRS.iter().map(|it| argument(it, it.default)))
                .args(pairs_shared_options().map(|it| argument(it, it.default)))
                .after_help(PAIRS_EXAMPLE),
        )
        .subcommand(
            Command::new("stability")
                .about("Select what a method chooses from most resamples of one file")
                .arg(data.clone())
                .args(STABILITY.iter().map(|it| argument(it, it.default)))
                .args(OPTIONS.iter().map(|it| argument(it, it.default)))
                .after_help(STABILITY_EXAMPLE),
        )
        .subcommand(
            Command::new("run")
                .about("Run the jobs of a job file: what has no result yet, or one out of date")
                .arg(jobs)
                .args(RUN.iter().map(|it| argument(it, it.default)))
                .arg(
                    Arg::new("only")
                        .long("only")
                        .value_name("PATTERN")
                        .help("Take only the jobs whose name has this in it, or is as it says where it holds * or ?"),
                )
                .arg(
                    Arg::new("check")
                        .long("check")
                        .action(ArgAction::SetTrue)
                        .help("Tell every mistake of the file, and run nothing"),
                )
                .arg(
                    Arg::new("list")
                        .long("list")
                        .action(ArgAction::SetTrue)
                        .conflicts_with("check")
                        .help("List the jobs, how each stands and what memory it needs, and run nothing"),
                )
                .after_help(RUN_EXAMPLE),
        )
        .subcommand(
            Command::new("simulate")
                .about("Write data with a known truth, which `select` then compares with")
                .arg(model)
                .args(SIMULATE.iter().map(|option| {
                    let argument = argument(option, &defaults(option.name));
                    argument.required(option.name == "output")
                }))
                .after_help(models()),
        )
        .subcommand(
            Command::new("criteria")
                .about("List the criteria, their penalties and parameters")
                .arg(format.clone())
                .args(&plugins),
        )
        .subcommand(
            Command::new("devices")
                .about("List the CPU and the GPUs, with their memory and libraries")
                .arg(format.clone()),
        )
        .subcommand(
            Command::new("methods")
                .about("List the methods and pair scores, their formulas and parameters")
                .arg(format.clone())
                .args(&plugins),
        )
        .subcommand(
            Command::new("plugins")
                .about("List the plugins, what they bring, and what was refused and why")
                .arg(format)
                .arg(Arg::new("cuda").long("cuda").action(ArgAction::SetTrue).help(
                    "Compile their functions in CUDA C, and run them on the first GPU, if there \
                     is one, beside their twins",
                ))
                .args(&plugins),
        )
        .subcommand(
            Command::new("completions")
                .about("Print completions for a shell: of every command and option")
                .arg(
                    Arg::new("shell")
                        .value_name("SHELL")
                        .required(true)
                        .value_parser(SHELLS)
                        .help("The shell"),
                )
                .after_help(
                    "Example:\n  passel completions bash > ~/.local/share/bash-completion/completions/passel",
                ),
        )
        .subcommand(
            Command::new("man")
                .about("Print a manual page, for `man -l`: of the program or one of its commands")
                .arg(
                    Arg::new("command")
                        .value_name("COMMAND")
                        .value_parser(COMMANDS)
                        .help("The command; none for the program"),
                )
                .after_help(
                    "Example:\n  passel man run > ~/.local/share/man/man1/passel-run.1",
                ),
        )
}

/// The models with their formulas, for the help.
fn models() -> String {
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

fn argument<T>(option: &'static OptionSpec<T>, default: &str) -> Arg {
    let mut facts = Vec::new();
    if !default.is_empty() && !option.value.is_empty() {
        facts.push(format!("default: {default}"));
    }
    if !option.list && !option.value.is_empty() {
        facts.push(format!("range: {}", option.range));
    }
    let facts = match facts.is_empty() {
        true => String::new(),
        false => format!(" [{}]", facts.join("; ")),
    };
    let argument = Arg::new(option.name)
        .long(option.name)
        .help(format!("{}{facts}", option.help))
        .help_heading(option.heading);
    if option.value.is_empty() {
        return argument.action(ArgAction::SetTrue);
    }
    // A list may begin with a negative number, though no range allows one, and ρ
    // with `-.`: that is for the option to say, not for a guess at another option.
    let argument = argument
        .value_name(option.value)
        .allow_negative_numbers(true)
        .allow_hyphen_values(option.value.contains("I,R") || option.value == "RHO");
    argument.action(match option.list {
        true => ArgAction::Append,
        false => ArgAction::Set,
    })
}

/// The texts given for an option.
fn values<T>(matches: &ArgMatches, option: &OptionSpec<T>) -> Vec<String> {
    if option.value.is_empty() {
        let given = matches.get_flag(option.name);
        return given.then(|| "true".to_owned()).into_iter().collect();
    }
    let values = matches.get_many::<String>(option.name);
    values.into_iter().flatten().cloned().collect()
}

/// Of these options those that were given, with their texts.
fn given<T: 'static>(
    matches: &ArgMatches,
    options: impl IntoIterator<Item = &'static OptionSpec<T>>,
) -> impl Iterator<Item = (&'static OptionSpec<T>, Vec<String>)> {
    let all = options.into_iter().map(|it| (it, values(matches, it)));
    all.filter(|(_, values)| !values.is_empty())
}

/// The simulation that the arguments of `simulate` ask for.
///
/// # Errors
/// Every option that cannot be taken, and every one that the model does not have.
pub fn simulation(matches: &ArgMatches) -> Result<Simulation, Vec<OptionError>> {
    let name = matches.get_one::<String>("model");
    // The command line takes no other name than a model's.
    let model = name.and_then(|name| model(name)).unwrap_or(&MODELS[0]);
    let given: Vec<_> = given(matches, SIMULATE).collect();
    Simulation::new(model, &given)
}

/// The libraries that the arguments of `methods` and `plugins` name.
///
/// # Errors
/// A list that is none.
pub fn plugin_files(matches: &ArgMatches) -> Result<Vec<PathBuf>, OptionError> {
    let Some(option) = option("plugins") else {
        return Ok(Vec::new());
    };
    let values = values(matches, option);
    let (option, range, values) = (option.name, option.range, &values);
    RawValues {
        option,
        range,
        values,
    }
    .paths()
}

/// What the arguments of `run` ask for over what the job file says.
///
/// # Errors
/// Every option that cannot be taken.
pub fn run_settings(
    matches: &ArgMatches,
    of_file: RunSettings,
) -> Result<RunSettings, Vec<OptionError>> {
    let (mut settings, mut errors) = (of_file, Vec::new());
    for (option, values) in given(matches, RUN) {
        errors.extend(option.read(&mut settings, &values).err());
    }
    match errors.is_empty() {
        true => Ok(settings),
        false => Err(errors),
    }
}

/// What the arguments of `pairs` ask for.
///
/// # Errors
/// Every option that cannot be taken, and every two that contradict each other.
pub fn pairs_job(matches: &ArgMatches) -> Result<PairsJob, Vec<OptionError>> {
    let data = matches.get_one::<PathBuf>("data");
    let mut draft = JobDraft::new(data.cloned().unwrap_or_default());
    let mut pairing = PairsDraft::default();
    let mut errors = Vec::new();
    for (option, values) in given(matches, pairs_shared_options()) {
        errors.extend(draft.set(option.name, &values).err());
    }
    for (option, values) in given(matches, PAIRS) {
        errors.extend(option.read(&mut pairing, &values).err());
    }
    match errors.is_empty() {
        true => pairing.check(draft),
        false => Err(errors),
    }
}

/// What the arguments of `stability` ask for.
///
/// # Errors
/// Every option that cannot be taken, and every two that contradict each other.
pub fn stability_job(matches: &ArgMatches) -> Result<StabilityJob, Vec<OptionError>> {
    let data = matches.get_one::<PathBuf>("data");
    let mut draft = JobDraft::new(data.cloned().unwrap_or_default());
    let mut own = StabilityDraft::default();
    let mut errors = Vec::new();
    for (option, values) in given(matches, STABILITY) {
        errors.extend(option.read(&mut own, &values).err());
    }
    for (option, values) in given(matches, OPTIONS) {
        errors.extend(draft.set(option.name, &values).err());
    }
    match own.check(draft) {
        Ok(it) if errors.is_empty() => Ok(it),
        Ok(_) => Err(errors),
        Err(more) => {
            errors.extend(more);
            Err(errors)
        }
    }
}

/// The job that the arguments of `select` ask for.
///
/// # Errors
/// Every option that cannot be taken, and every two that contradict each other.
pub fn select_job(matches: &ArgMatches) -> Result<Job, Vec<OptionError>> {
    let data = matches.get_one::<PathBuf>("data");
    let mut draft = JobDraft::new(data.cloned().unwrap_or_default());
    let mut errors = Vec::new();
    for (option, values) in given(matches, OPTIONS) {
        errors.extend(draft.set(option.name, &values).err());
    }
    // Even a draft with refused options, as of a job file: what it asks for that there is not
    // is told as well.
    match draft.check() {
        Ok(job) if errors.is_empty() => Ok(job),
        Ok(_) => Err(errors),
        Err(more) => {
            errors.extend(more);
            Err(errors)
        }
    }
}
