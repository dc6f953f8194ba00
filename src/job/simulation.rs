//! A simulation to be made: its options once, from which its command line, help and
//! docs/simulate.md are made. What an option is by default, its model says.

use std::{fmt::Write, path::PathBuf};

use super::{OptionError, OptionSpec};
use crate::simulate::{Correlation, MODELS, SimulationModel, SimulationSettings};

/// One file of simulated data to be made.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// The model it comes from.
    pub model: &'static SimulationModel,
    /// What the model is asked for.
    pub settings: SimulationSettings,
    /// Where it goes; the name tells the format.
    pub output: PathBuf,
}

const MODEL: &str = "Model";
const OUTPUT: &str = "Output";

/// The options of `passel simulate`, in the order they are listed.
pub const SIMULATE: &[OptionSpec<Simulation>] = &[
    OptionSpec {
        name: "n",
        value: "N",
        default: "",
        range: "3 … 1000000000",
        help: "Observations",
        heading: MODEL,
        list: false,
        set: |it, given| {
            it.settings.n = given.count(3..=1_000_000_000)?;
            Ok(())
        },
    },
    OptionSpec {
        name: "p",
        value: "P",
        default: "",
        range: "1 … 1000000000",
        help: "Variables",
        heading: MODEL,
        list: false,
        set: |it, given| {
            it.settings.p = given.count(1..=1_000_000_000)?;
            Ok(())
        },
    },
    OptionSpec {
        name: "r",
        value: "R",
        default: "",
        range: "1 … p; of ar1 even, and at most p/2",
        help: "True variables",
        heading: MODEL,
        list: false,
        set: |it, given| {
            it.settings.r = given.count(1..=usize::MAX)?;
            Ok(())
        },
    },
    OptionSpec {
        name: "correlation",
        value: "HOW",
        default: "",
        range: "independent, constant or ar",
        help: "Correlation of the columns: none, ρ between any two, or ρ^|i − j|",
        heading: MODEL,
        list: false,
        set: |it, given| {
            let all = [
                Correlation::Independent,
                Correlation::Constant,
                Correlation::Autoregressive,
            ];
            it.settings.correlation = given.choice(&all.map(|it| (it.name(), it)))?;
            Ok(())
        },
    },
    OptionSpec {
        name: "rho",
        value: "RHO",
        default: "",
        range: "above -1 and below 1; not below 0 where it is constant",
        help: "ρ, the correlation of two columns",
        heading: MODEL,
        list: false,
        set: |it, given| {
            it.settings.rho = given.number(|rho| rho.abs() < 1.0)?;
            Ok(())
        },
    },
    OptionSpec {
        name: "snps",
        value: "Q",
        default: "",
        range: "22 … 4000",
        help: "SNPs; with their products they are Q(Q + 1)/2 variables",
        heading: MODEL,
        list: false,
        set: |it, given| {
            it.settings.snps = given.count(22..=4000)?;
            Ok(())
        },
    },
    OptionSpec {
        name: "snr",
        value: "RATIO",
        default: "",
        range: "1e-9 … 1e15, or none",
        help: "Signal to noise, var(Xβ)/var(ε), exactly so in the sample; none: noise N(0, 1)",
        heading: MODEL,
        list: false,
        set: |it, given| {
            it.settings.snr = match given.one()? {
                "none" => None,
                _ => Some(given.number(|snr| (1e-9..=1e15).contains(&snr))?),
            };
            Ok(())
        },
    },
    OptionSpec {
        name: "seed",
        value: "S",
        default: "",
        range: "0 … 18446744073709551615",
        help: "Seed of every random number",
        heading: MODEL,
        list: false,
        set: |it, given| {
            it.settings.seed = given.seed()?;
            Ok(())
        },
    },
    OptionSpec {
        name: "output",
        value: "FILE",
        default: "",
        range: ".csv, .tsv or .dat, and .gz behind it",
        help: "The file to write, whole or not at all; needed",
        heading: OUTPUT,
        list: false,
        set: |it, given| {
            it.output = given.path()?;
            Ok(())
        },
    },
];

impl Simulation {
    /// A simulation of a model at its defaults, with these options set: the texts given for
    /// each that was given.
    ///
    /// # Errors
    /// Every option that cannot be taken, and every one that the model does not have.
    pub fn new(
        model: &'static SimulationModel,
        given: &[(&'static OptionSpec<Self>, Vec<String>)],
    ) -> Result<Self, Vec<OptionError>> {
        let mut simulation = Self {
            model,
            settings: model.defaults,
            output: PathBuf::new(),
        };
        let mut errors = Vec::new();
        for (option, values) in given {
            errors.extend(option.read(&mut simulation, values).err());
        }
        let (settings, output) = (&simulation.settings, "output");
        let has: Vec<&str> = model.options(settings).collect();
        for (option, _) in given {
            if option.name != output && !has.contains(&option.name) {
                // What it does not have, it need not read.
                errors.retain(|error| error.option() != option.name);
                // An option it has with other settings is missed for those it was given.
                let why = match model.options.contains(&option.name) {
                    true => format!(" with correlation {}", settings.correlation.name()),
                    false => String::new(),
                };
                errors.push(OptionError::NotOfModel {
                    option: option.name,
                    model: format!("{}{why}", model.name),
                    options: has.join(", "),
                });
            }
        }
        match errors.is_empty() {
            true => Ok(simulation),
            false => Err(errors),
        }
    }
}

/// What an option is where it is not given, for each model that has it.
pub(super) fn defaults(option: &str) -> String {
    let having = MODELS.iter().filter(|it| it.options.contains(&option));
    let texts: Vec<(&str, String)> = having
        .map(|model| (model.name, model.defaults.text(option)))
        .collect();
    match texts.first() {
        None => String::new(),
        // One for all is told once.
        Some((_, first))
            if texts.len() == MODELS.len() && texts.iter().all(|it| it.1 == *first) =>
        {
            first.clone()
        }
        Some(_) => {
            let texts = texts.iter().map(|(model, text)| format!("{model} {text}"));
            texts.collect::<Vec<_>>().join(", ")
        }
    }
}

/// docs/simulate.md: the models, and their options with each one's default.
pub fn simulate_markdown() -> String {
    let mut page = String::from(
        "# Simulated data\n\n\
         `passel simulate MODEL --output FILE` writes data with a known truth: the response `y`,\n\
         then the variables. The same options make the same file on any machine. A CSV or TSV\n\
         begins with the command that made it and the names of the true variables,\n\n    \
         # passel simulate ing-lai --n 400 --p 4000 --r 10 --snr none --seed 1\n    \
         # passel truth x0,x1,x2,x3,x4,x5,x6,x7,x8,x9\n\n\
         and a `.dat` marks them in its row `*`. `passel select` reads both and reports how much\n\
         of the truth it found ([reports.md](reports.md)). Lines that begin with `# passel ` may\n\
         be put above the header of any CSV or TSV; no others are taken for them. Elsewhere they\n\
         are comments: `pandas.read_csv(FILE, comment='#')`, `read.csv(FILE, comment.char = '#')`.\n\n\
         Made from `MODELS` in src/simulate/ and `SIMULATE` in src/job/simulation.rs by\n\
         `PASSEL_BLESS=1 cargo test`.\n\n\
         ## Models\n\n| model | good for | X, β and columns | source |\n| --- | --- | --- | --- |\n",
    );
    let cell = |text: &str| text.replace('|', "\\|").replace('*', "\\*");
    // Writing to a String cannot fail.
    for it in MODELS {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} |",
            it.name,
            cell(it.title),
            cell(it.formula),
            it.source
        );
    }
    page += "\nThe response is y = Xβ + ε.\n\n## Options\n\nEach model's default; a model has no option \
             without one.\n\n| option |";
    for it in MODELS {
        let _ = write!(page, " {} |", it.name);
    }
    page += " range | meaning |\n| --- |";
    page += &" --- |".repeat(MODELS.len() + 2);
    for option in SIMULATE {
        let _ = write!(page, "\n| `--{} {}` |", option.name, option.value);
        for it in MODELS {
            let _ = match it.options.contains(&option.name) {
                true => write!(page, " {} |", it.defaults.text(option.name)),
                false => write!(page, "  |"),
            };
        }
        let _ = write!(page, " {} | {} |", cell(option.range), cell(option.help));
    }
    page.push('\n');
    page
}
