//! Data with a known truth, from the models that variable selection is measured by ([`MODELS`]): each
//! has a formula, a source and defaults.
//!
//! A model draws X and Xβ; the response is y = Xβ + ε with noise ε of variance 1, or of the
//! variance that a ratio of signal to noise asks for; or it is drawn of another family about a linear predictor that is Xβ
//! up to its mean and scale. Draws and sums use nothing but the exactly
//! rounded operations of IEEE 754, in a fixed order: the same settings make the same table on
//! any machine.

mod alleles;
mod ar1;
mod chen_chen;
mod error;
mod families;
#[cfg(feature = "program")]
mod fileset;
mod genotypes;
mod hung;
mod ing_lai;
mod random;

use crate::{
    family::Distribution,
    genotypes::Genotypes,
    table::{Column, Table, variable},
};
pub use error::SimulateError;
pub(crate) use families::DRAWN;
#[cfg(feature = "program")]
pub(crate) use fileset::{COUNTED_ALLELE, OTHER_ALLELE, SimulatedTrait, variants};
use random::Random;

/// Every model.
pub const MODELS: &[SimulationModel] = &[
    ing_lai::MODEL,
    chen_chen::MODEL,
    hung::MODEL,
    ar1::MODEL,
    genotypes::MODEL,
];

/// The model with this name; `None` if there is none.
pub fn model(name: &str) -> Option<&'static SimulationModel> {
    MODELS.iter().find(|model| model.name == name)
}

/// A model of data: its name, documentation, settings and defaults, and how it is drawn.
#[derive(Debug)]
pub struct SimulationModel {
    /// Its name on the command line.
    pub name: &'static str,
    /// What the model is good for, on one line.
    pub title: &'static str,
    /// X, β and the order of the columns.
    pub formula: &'static str,
    /// Who published it.
    pub source: &'static str,
    /// The names of its settings, in the order they are listed.
    pub options: &'static [&'static str],
    /// The defaults of its settings; those that are not among its options are ignored.
    pub defaults: SimulationSettings,
    /// The limits that its settings set each other.
    limits: fn(&SimulationSettings) -> Result<(), Limit>,
    draw: fn(&SimulationSettings, &mut Random) -> Drawn,
}

/// The parameters of a model. Each model has some of these, by its
/// [`options`](SimulationModel::options).
///
/// | name | meaning | range |
/// | --- | --- | --- |
/// | `n` | observations | at least 3 |
/// | `p` | variables | at least 1 |
/// | `r` | true variables | 1 … p |
/// | `rho` | correlation of two columns | inside −1 … 1 |
/// | `correlation` | how it spreads over the columns | |
/// | `block` | variants that are correlated with one another | 1 … 1000 |
/// | `snps` | SNPs, whose products are variables too | at least 22 |
/// | `maf` | the least and the largest frequency of the counted allele | above 0, at most ½ |
/// | `missing` | the probability that a genotype is missing | at least 0 and below 1 |
/// | `snr` | var(Xβ) / var(ε) in the sample; none for noise N(0, 1). Of another family the variance of the linear predictor; none for 4 of binomial responses, ½ of others | above 0 |
/// | `heritability` | h² = snr / (1 + snr), in place of `snr`; of binomial responses the noise is logistic, of others than gaussian 1 stands for its variance | above 0 and below 1 |
/// | `family` | the distribution of the response | |
/// | `seed` | of every random number | |
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the fields are described above")]
pub struct SimulationSettings {
    pub n: usize,
    pub p: usize,
    pub r: usize,
    pub rho: f64,
    pub correlation: Correlation,
    pub block: usize,
    pub snps: usize,
    pub maf: [f64; 2],
    pub missing: f64,
    pub heritability: f64,
    pub snr: Option<f64>,
    pub family: Distribution,
    pub seed: u64,
}

impl SimulationSettings {
    /// The base of every model's defaults.
    const BLANK: Self = Self {
        n: 0,
        p: 0,
        r: 0,
        rho: 0.0,
        correlation: Correlation::Independent,
        block: 0,
        snps: 0,
        maf: [0.0; 2],
        missing: 0.0,
        heritability: 0.0,
        snr: None,
        family: Distribution::Gaussian,
        seed: 1,
    };

    /// A setting as text, as its option takes it.
    pub fn text(&self, option: &str) -> String {
        match option {
            "n" => self.n.to_string(),
            "p" => self.p.to_string(),
            "r" => self.r.to_string(),
            "rho" => self.rho.to_string(),
            "correlation" => self.correlation.name().to_owned(),
            "block" => self.block.to_string(),
            "snps" => self.snps.to_string(),
            "maf" => self.maf.map(|frequency| frequency.to_string()).join(","),
            "missing" => self.missing.to_string(),
            "heritability" => self.heritability.to_string(),
            "snr" => self.snr.map_or("none".to_owned(), |snr| snr.to_string()),
            "family" => self.family.name().to_owned(),
            "seed" => self.seed.to_string(),
            _ => String::new(),
        }
    }
}

/// How correlation spreads over the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correlation {
    /// None.
    Independent,
    /// ρ between any two columns.
    Constant,
    /// ρ^|i − j|.
    Autoregressive,
}

impl Correlation {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Constant => "constant",
            Self::Autoregressive => "ar",
        }
    }
}

/// A setting and the limits that it violates.
type Limit = (&'static str, String);

struct Drawn {
    columns: Vec<Column>,
    /// Positions of the true variables among them, ascending.
    truth: Vec<usize>,
    /// Xβ, n values.
    signal: Vec<f64>,
}

impl SimulationModel {
    /// The options that have an effect with these settings: without correlation, ρ has none.
    pub fn options(&self, settings: &SimulationSettings) -> impl Iterator<Item = &'static str> {
        let has = |option: &str| self.options.contains(&option);
        let independent = has("correlation") && settings.correlation == Correlation::Independent;
        let options = self.options.iter().copied();
        options.filter(move |option| !(independent && *option == "rho"))
    }

    /// The command that makes this table, without `passel`.
    pub fn command(&self, settings: &SimulationSettings) -> String {
        let mut command = format!("simulate {}", self.name);
        for option in self.options(settings) {
            command += &format!(" --{option} {}", settings.text(option));
        }
        if settings.family != Distribution::Gaussian {
            command += &format!(" --family {}", settings.family);
        }
        command
    }

    /// Checks that the model can be drawn with these settings.
    ///
    /// # Errors
    /// The first setting outside its limits.
    pub fn check(&self, settings: &SimulationSettings) -> Result<(), SimulateError> {
        let common = match settings {
            SimulationSettings { n: ..3, .. } => Err(("n", "at least 3".to_owned())),
            SimulationSettings { family, .. } if !DRAWN.contains(family) => {
                let drawn = DRAWN.map(Distribution::name).join(", ");
                Err(("family", format!("one of {drawn}")))
            }
            SimulationSettings { snr: Some(snr), .. } if !(*snr > 0.0 && snr.is_finite()) => {
                Err(("snr", "above 0".to_owned()))
            }
            SimulationSettings {
                snr: Some(snr),
                family,
                ..
            } if *snr > families::MOST
                && !matches!(family, Distribution::Gaussian | Distribution::Binomial) =>
            {
                let most = families::MOST;
                Err((
                    "snr",
                    format!("at most {most} for responses of the family {family}"),
                ))
            }
            _ => Ok(()),
        };
        let limits = common.and_then(|()| (self.limits)(settings));
        limits.map_err(|(option, limit)| SimulateError::Limit {
            model: self.name,
            option,
            value: settings.text(option),
            limit,
        })
    }

    /// Draws a table: the response `y`, then the variables, with the true ones marked.
    ///
    /// *Shapes:* n observations of 1 + p columns.
    ///
    /// # Errors
    /// As [`check`](Self::check); a table that does not fit into memory.
    pub fn simulate(&self, settings: &SimulationSettings) -> Result<Table, SimulateError> {
        self.check(settings)?;
        let (n, p) = (settings.n, self.variables(settings));
        // A column at a time would run out of memory where no error can be told.
        let values = match self.has_genotypes() {
            true => p.checked_mul(Genotypes::stride(n)),
            false => p.checked_add(1).and_then(|columns| columns.checked_mul(n)),
        };
        let room = values.map(|values| Vec::<f64>::new().try_reserve_exact(values));
        if !matches!(room, Some(Ok(()))) {
            return Err(SimulateError::TooLarge { n, p });
        }
        let mut random = Random::new(settings.seed);
        let drawn = (self.draw)(settings, &mut random);
        let y = self.response(settings, drawn.signal, &mut random)?;
        let mut columns = vec![Column::from(("y", y))];
        columns.extend(drawn.columns);
        Ok(Table {
            source: format!("the model {}", self.name),
            columns,
            rows: n,
            response: Some(0),
            truth: drawn.truth.iter().map(|position| position + 1).collect(),
            ..Table::default()
        })
    }

    /// Whether the variables are genotypes, which may become a `.bed` too.
    pub(crate) fn has_genotypes(&self) -> bool {
        self.options.contains(&"maf")
    }

    /// The response of a signal Xβ.
    fn response(
        &self,
        settings: &SimulationSettings,
        signal: Vec<f64>,
        random: &mut Random,
    ) -> Result<Vec<f64>, SimulateError> {
        let ratio = self.signal_ratio(settings);
        let is_scaled = ratio.is_some() || settings.family != Distribution::Gaussian;
        if is_scaled && signal.windows(2).all(|pair| pair[0] == pair[1]) {
            return Err(SimulateError::Constant { n: settings.n });
        }
        Ok(match settings.family {
            Distribution::Gaussian => response(signal, ratio, random),
            family => families::response(family, &signal, ratio, random),
        })
    }

    fn signal_ratio(&self, settings: &SimulationSettings) -> Option<f64> {
        match self.has_genotypes() {
            true => Some(genotypes::signal_ratio(settings)),
            false => settings.snr,
        }
    }

    fn variables(&self, settings: &SimulationSettings) -> usize {
        match self.options.contains(&"snps") {
            true => settings.snps * (settings.snps + 1) / 2,
            false => settings.p,
        }
    }
}

/// Xβ + ε, with ε ~ N(0, 1), or scaled so that var(Xβ) / var(ε) is `snr` in this sample.
fn response(mut signal: Vec<f64>, snr: Option<f64>, random: &mut Random) -> Vec<f64> {
    let noise = random.normals(signal.len());
    let scale = snr.map_or(1.0, |snr| {
        (variance(&signal) / variance(&noise) / snr).sqrt()
    });
    for (y, noise) in signal.iter_mut().zip(&noise) {
        *y += scale * noise;
    }
    signal
}

/// Mean square about the mean.
fn variance(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean) * (value - mean));
    squares.sum::<f64>() / n
}

/// Σ βⱼ·xⱼ over some columns.
fn signal<'a>(n: usize, terms: impl Iterator<Item = (f64, &'a [f64])>) -> Vec<f64> {
    let mut signal = vec![0.0; n];
    for (coefficient, column) in terms {
        for (sum, value) in signal.iter_mut().zip(column) {
            *sum += coefficient * value;
        }
    }
    signal
}

/// Columns with cov(Xᵢ, Xⱼ) = ρ^|i − j|: each is ρ times the one before and a part of its own.
fn autoregressive(n: usize, p: usize, rho: f64, random: &mut Random) -> Vec<Vec<f64>> {
    let own = (1.0 - rho * rho).sqrt();
    let mut columns = vec![random.normals(n)];
    while columns.len() < p {
        let column = random.normals_with(&columns[columns.len() - 1], rho, own);
        columns.push(column);
    }
    columns
}

fn numbered(columns: Vec<Vec<f64>>) -> Vec<Column> {
    let columns = columns.into_iter().enumerate();
    columns
        .map(|(position, values)| Column::from((variable(position), values)))
        .collect()
}

/// Limit of r that every model with p variables has.
fn at_most_p(settings: &SimulationSettings) -> Result<(), Limit> {
    match settings {
        SimulationSettings { p: 0, .. } => Err(("p", "at least 1".to_owned())),
        SimulationSettings { p, r, .. } if !(1..=*p).contains(r) => {
            Err(("r", format!("1 … p = {p}")))
        }
        _ => Ok(()),
    }
}

/// Limit of a ρ that may be negative.
fn inside_one(settings: &SimulationSettings) -> Result<(), Limit> {
    match settings.rho.abs() < 1.0 {
        true => Ok(()),
        false => Err(("rho", "above -1 and below 1".to_owned())),
    }
}
