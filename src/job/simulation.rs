//! The options of `passel simulate`, from which its command line, its help and docs/simulate.md are
//! made. The defaults are those of each model.

use std::{fmt::Write, path::PathBuf, sync::LazyLock, time::Duration};

use super::{OptionError, OptionSpec, RawValues};
use crate::nearest::nearest;
use crate::simulate::{Correlation, DRAWN, MODELS, SimulationModel, SimulationSettings};

/// One file of simulated data to write.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// The model that the data come from.
    pub model: &'static SimulationModel,
    /// The parameters of the model.
    pub settings: SimulationSettings,
    /// The file; its name determines the format.
    pub output: PathBuf,
    /// Whether it may replace a file that passel did not simulate.
    pub overwrite: bool,
    /// After this time it has failed, and leaves no file.
    pub timeout: Option<Duration>,
}

impl Default for Simulation {
    fn default() -> Self {
        Self {
            model: &MODELS[0],
            settings: MODELS[0].defaults,
            output: PathBuf::new(),
            overwrite: false,
            timeout: None,
        }
    }
}

/// The options that every model has.
const OUTPUT: [&str; 4] = ["family", "output", "overwrite", "timeout"];

type ModelOption = OptionSpec<Simulation>;

/// The options of `passel simulate`, in the order in which they are listed.
pub static SIMULATE: LazyLock<Vec<ModelOption>> = LazyLock::new(|| {
    let model = [
        ModelOption::count("n N", 3..=1_000_000_000, |draft| &mut draft.settings.n)
            .help("Number of observations"),
        ModelOption::count("p P", 1..=1_000_000_000, |draft| &mut draft.settings.p)
            .help("Number of variables"),
        ModelOption::count("r R", 1..=usize::MAX, |draft| &mut draft.settings.r)
            .range("1 … p; for ar1 even and at most p/2")
            .help("Number of true variables"),
        ModelOption::choice("correlation HOW", CORRELATION, |draft| {
            &mut draft.settings.correlation
        })
        .help("Correlation of the columns: none, ρ between any two, or ρ^|i − j|"),
        ModelOption::value("rho RHO", rho, |draft| &mut draft.settings.rho)
            .range("above -1 and below 1; at least 0 for constant correlation and for genotypes")
            .help("ρ, the correlation of two columns; of genotypes that of neighbouring alleles of a haplotype"),
        ModelOption::count("block B", 1..=1000, |draft| &mut draft.settings.block)
            .help("Variants of a block of linkage disequilibrium, which are correlated with one another and with no others"),
        ModelOption::count("snps Q", 22..=4000, |draft| &mut draft.settings.snps)
            .help("Number of SNPs; with their products there are Q(Q + 1)/2 variables"),
        ModelOption::field("maf LOW,HIGH", maf, |draft| &mut draft.settings.maf)
            .range("two numbers above 0 and at most 0.5, the first not above the second")
            .help("Least and largest frequency of the counted allele"),
        ModelOption::value("missing SHARE", missing, |draft| &mut draft.settings.missing)
            .range("at least 0 and below 1")
            .help("Probability that a genotype is missing"),
        ModelOption::value("heritability H2", heritability, |draft| &mut draft.settings.heritability)
            .range("above 0 and below 1; at most 0.8 for counts and positive numbers")
            .help("h² = var(Xβ)/(var(Xβ) + var(ε)), exact in the sample. Of another family than gaussian Xβ is the linear predictor, and var(ε) is π²/3 of binomial, as of logistic noise, 1 of others"),
        ModelOption::field("snr RATIO", snr, |draft| &mut draft.settings.snr)
            .range("1e-9 … 1e15, or none")
            .help("Signal-to-noise ratio var(Xβ)/var(ε), exact in the sample; none: noise N(0, 1). Of another family than gaussian the variance of the linear predictor"),
        ModelOption::choice("family NAME", DRAWN.map(|own| (own.name(), own)), |draft| &mut draft.settings.family)
            .help("The distribution of the response; of another than gaussian the linear predictor is Xβ about its mean, at the variance snr (none: 4 of binomial, 0.5 of others) or that of the heritability, the link is its first, and the mean of counts and positive numbers is 3 in the middle"),
        ModelOption::seed(|draft| &mut draft.settings.seed).help("Seed of all random numbers"),
    ];
    let output = [
        ModelOption::field("output FILE", |raw| raw.path(), |draft| &mut draft.output)
            .range(".csv, .tsv or .dat, each with or without .gz; of genotypes also .bed")
            .help("The file to write, whole or not at all; required"),
        ModelOption::flag("overwrite", |draft, is_given| draft.overwrite = is_given)
            .help("Replace a file that passel did not simulate"),
        ModelOption::time_limit("timeout TIME", |draft| &mut draft.timeout)
            .help("It fails after this time, with exit code 1, and leaves no file"),
    ];
    let model = ModelOption::group("Model", model);
    let all = model.chain(ModelOption::group("Output", output));
    all.map(|option| match option.name {
        // Of all models.
        "family" => option,
        name => {
            let default = defaults(name);
            option.default(default)
        }
    })
    .collect()
});

fn rho(raw: &RawValues) -> Result<f64, OptionError> {
    raw.number(|rho| rho.abs() < 1.0)
}

fn maf(raw: &RawValues) -> Result<[f64; 2], OptionError> {
    let text = raw.one()?;
    let both = text.split_once(',');
    let both = both.and_then(|(low, high)| Some([low.parse().ok()?, high.parse().ok()?]));
    both.filter(|[low, high]| *low > 0.0 && low <= high && *high <= 0.5)
        .ok_or_else(|| raw.out_of_range())
}

fn missing(raw: &RawValues) -> Result<f64, OptionError> {
    raw.number(|share| (0.0..1.0).contains(&share))
}

fn heritability(raw: &RawValues) -> Result<f64, OptionError> {
    raw.number(|share| share > 0.0 && share < 1.0)
}

fn snr(raw: &RawValues) -> Result<Option<f64>, OptionError> {
    match raw.one()? {
        "none" => Ok(None),
        _ => raw.number(|snr| (1e-9..=1e15).contains(&snr)).map(Some),
    }
}

const CORRELATION: [(&str, Correlation); 3] = [
    ("independent", Correlation::Independent),
    ("constant", Correlation::Constant),
    ("ar", Correlation::Autoregressive),
];

impl Simulation {
    /// The defaults of a model, with options that are given by their names, each with its texts.
    ///
    /// # Errors
    /// As [`new`](Self::new); a model or an option that there is not.
    pub fn of_names(
        model: &str,
        given: &[(String, Vec<String>)],
    ) -> Result<Self, Vec<OptionError>> {
        let Some(own) = crate::simulate::model(model) else {
            let names = MODELS.iter().map(|model| model.name);
            let list = names.clone().collect::<Vec<_>>().join(", ");
            let message = format!("there is no model `{model}`: there are {list}");
            let error = OptionError::new("model", message);
            return Err(vec![error.suggest(nearest(model, names))]);
        };
        let (mut known, mut errors) = (Vec::new(), Vec::new());
        for (name, texts) in given {
            match SIMULATE.iter().find(|option| option.name == name) {
                Some(option) => known.push((option, texts.clone())),
                None => errors.push(OptionError::unknown(
                    name,
                    SIMULATE.iter().map(|option| option.name),
                )),
            }
        }
        match Self::new(own, &known) {
            Ok(simulation) if errors.is_empty() => Ok(simulation),
            checked => {
                errors.extend(checked.err().into_iter().flatten());
                Err(errors)
            }
        }
    }

    /// The defaults of a model, with these options set, each from its texts.
    ///
    /// # Errors
    /// Every option that is refused, and every option that the model does not have.
    pub fn new(
        model: &'static SimulationModel,
        given: &[(&'static OptionSpec<Self>, Vec<String>)],
    ) -> Result<Self, Vec<OptionError>> {
        let mut simulation = Self {
            model,
            settings: model.defaults,
            ..Self::default()
        };
        let mut errors = Vec::new();
        for (option, texts) in given {
            errors.extend(option.read(&mut simulation, texts).err());
        }
        let settings = &simulation.settings;
        let has: Vec<&str> = model.options(settings).chain(OUTPUT).collect();
        for (option, _) in given {
            let name = option.name;
            if has.contains(&name) {
                continue;
            }
            // Whether the model would take the value does not matter.
            errors.retain(|error| error.option != name);
            let why = match model.options.contains(&name) {
                true => format!(" with correlation {}", settings.correlation.name()),
                false => String::new(),
            };
            let options = has.iter().filter(|other| !OUTPUT.contains(other)).copied();
            let options = options.collect::<Vec<_>>().join(", ");
            let model = model.name;
            let message = format!("the model {model}{why} has no option {name}: it has {options}");
            errors.push(OptionError::new(name, message));
        }
        match errors.is_empty() {
            true => Ok(simulation),
            false => Err(errors),
        }
    }
}

/// The default of an option: one for all models, or that of each model which has the option.
fn defaults(option: &str) -> String {
    let models = MODELS
        .iter()
        .filter(|model| model.options.contains(&option));
    let texts: Vec<(&str, String)> = models
        .map(|model| (model.name, model.defaults.text(option)))
        .collect();
    match texts.first() {
        Some((_, first))
            if texts.len() == MODELS.len() && texts.iter().all(|(_, text)| text == first) =>
        {
            first.clone()
        }
        _ => {
            let texts = texts.iter().map(|(model, text)| format!("{model} {text}"));
            texts.collect::<Vec<_>>().join(", ")
        }
    }
}

/// What the page says of genotypes.
const GENOTYPES: &str = "
## Genotypes

    passel simulate genotypes --n 10000 --p 100000 --r 12 --missing 0.01 --output cohort.bed
    passel select cohort.bed

writes `cohort.bed`, `.bim` and `.fam`, as PLINK 1 and 2 read them, and `cohort.truth` beside them. The `.bed` is drawn in
blocks, by all cores, and written as it is drawn: it may be larger than memory, and any number of cores makes the same
file. `--output cohort.csv` and the other endings above hold the same genotypes as a table.

- **Variants** are `snp1`, `snp2`, …, alleles A (counted) and G, on the chromosomes 1 … 22, equally many blocks on each. A person's
  two haplotypes are independent: genotypes are in Hardy–Weinberg equilibrium.
- **People** have the ids 1, 2, …, as FID and as IID. The last column of the `.fam` is the trait; of `--family binomial` controls are
  1 and cases 2, as PLINK has them (`passel select cohort.bed --family binomial --success 2`).
- **The trait** is made of the genotypes before any become missing. h² of `--family binomial` is the heritability of the
  liability, with logistic noise.
- **`cohort.truth`** has, below two lines that begin with `# passel `, a line for each true variant: its id, the counted allele and the effect of
  a copy on the trait, or on the linear predictor of its family. `passel select cohort.bed` marks these variants as true, unless
  `--phenotype` gives another trait; those that filters leave out are not counted, and a warning says how many they are.
  `--extract cohort.truth`, here and in PLINK 2, takes the true variants alone, and `plink2 --bfile cohort --score cohort.truth` makes the
  genetic value of each person (it tells that it skips two lines, the first ones).

The four files are replaced where passel simulated them, which it knows by the truth: it says how many bytes the others have.
";

/// The page docs/simulate.md: the models, and the default of each option for each model.
pub fn simulate_markdown() -> String {
    let mut page = String::from(
        "# Simulated data\n\n\
         `passel simulate MODEL --output FILE` writes data with a known truth: the response `y`,\n\
         then the variables. The same options make the same file on any machine. A CSV or TSV\n\
         begins with the command that made it and the names of the true variables,\n\n    \
         # passel simulate ing-lai --n 400 --p 4000 --r 10 --snr none --seed 1\n    \
         # passel truth x0,x1,x2,x3,x4,x5,x6,x7,x8,x9\n\n\
         and a `.dat` marks them in its row `*`; of a `.bed` they are in a file beside it (see [below](#genotypes)). `passel select` reads all\n\
         of these and reports how much of the truth it found ([reports.md](reports.md)). Such lines, which begin with\n\
         `# passel `, may stand above the header of any CSV or TSV. Other programs skip them as\n\
         comments: `pandas.read_csv(FILE, comment='#')`, `read.csv(FILE, comment.char = '#')`.\n\n\
         This page is made from `MODELS` in src/simulate/ and `SIMULATE` in src/job/simulation.rs by\n\
         `PASSEL_BLESS=1 cargo test`.\n\n\
         ## Models\n\n| model | good for | X, β and columns | source |\n| --- | --- | --- | --- |\n",
    );
    let cell = |text: &str| text.replace('|', "\\|").replace('*', "\\*");
    // Writing to a String cannot fail.
    for model in MODELS {
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} |",
            model.name,
            cell(model.title),
            cell(model.formula),
            model.source
        );
    }
    page += "\nThe response is y = Xβ + ε, unless `--family` names another distribution than gaussian.\n\n## Options\n\nThe default of each model; a model without a default \
             for an option does not have it.\n\n| option |";
    for model in MODELS {
        let _ = write!(page, " {} |", model.name);
    }
    page += " range | meaning |\n| --- |";
    page += &" --- |".repeat(MODELS.len() + 2);
    for option in SIMULATE.iter() {
        let usage = format!("--{} {}", option.name, option.value);
        let _ = write!(page, "\n| `{}` |", usage.trim_end());
        for model in MODELS {
            let _ = match model.options.contains(&option.name) {
                true => write!(page, " {} |", model.defaults.text(option.name)),
                false => write!(page, "  |"),
            };
        }
        let _ = write!(page, " {} | {} |", cell(&option.range), cell(option.help));
    }
    page.push('\n');
    page += GENOTYPES;
    page
}
