//! The parameters of a PaSS search, which are checked against the problem before it runs.

use std::time::Duration;

use serde_json::{Map, Value, json};
use thiserror::Error;

use crate::device::Gain;

/// The parameters of PaSS. A search checks them before it runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Pass {
    /// Particles K, 1 … 65,536; 32 by default.
    pub particles: usize,
    /// Iterations, the starts being the first, 1 … 10⁹; 32 by default.
    pub iterations: usize,
    /// Probabilities of a forward step, with sum 1: best, improve, random; .2, .6, .2 by default.
    pub forward: [f64; 3],
    /// Probabilities of a backward step, with sum 1: improve, random; .4, .6 by default.
    pub backward: [f64; 2],
    /// What improving means for a forward step; by default the correlation.
    pub gain: Gain,
    /// Number of random variables that each particle starts with besides the kept ones,
    /// 0 … `max_size`; fewer where the kept ones leave less room. 1 by default.
    pub start_size: usize,
    /// Size of the largest model, kept variables included, 1 … min(p, n − 2). `None`: of n′ observations
    /// and p′ candidates, the kept variables taken from both, all p′ where p′ ≤ n′/2, else n′/4, besides
    /// the kept ones.
    pub max_size: Option<usize>,
    /// Whether tabu search continues from the swarm's best models, by exact changes in RSS, until no
    /// single addition, drop or exchange improves the model; true by default.
    pub polish: bool,
    /// Number of tabu searches of the polish, each from a model of its own, 1 … 1,024; 4 by default.
    pub islands: usize,
    /// How long to go on with a proof that no allowed model is better; by default so long as that
    /// takes a bounded amount of work.
    pub proof: ProofEffort,
    /// Whether what could stand in the place of each variable of a certified model is looked for; true by default.
    pub alternatives: bool,
    /// Number of iterations without a better model after which the search ends, 1 … 10⁹; `None`, the
    /// default, for no limit.
    pub patience: Option<usize>,
    /// Time after which the search ends, above 0, counted from its start; `None`, the default, for no
    /// limit.
    pub time_limit: Option<Duration>,
    /// The seed of every random number; 1 by default.
    pub seed: u64,
}

/// How long a search goes on with the proof that no allowed model has a lower φ than the one found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProofEffort {
    /// No proof is tried: the search alone decides.
    None,
    /// A bounded amount of work, small beside that of the search.
    #[default]
    Bounded,
    /// Until the proof is complete, or something ends the search.
    Complete,
}

/// How many times as long a step takes whose models are fitted by a likelihood.
const LIKELIHOOD: f64 = 8.0;

impl Pass {
    /// About how many times as long the search takes as one by least squares with the default settings.
    pub(crate) fn relative_effort(&self, has_likelihood: bool) -> f64 {
        let moves = |pass: &Self| pass.particles as f64 * pass.iterations as f64;
        let times = (moves(self) / moves(&Self::default())).max(1.0);
        if has_likelihood {
            times * LIKELIHOOD
        } else {
            times
        }
    }
}

impl Default for Pass {
    fn default() -> Self {
        Self {
            particles: 32,
            iterations: 32,
            forward: [0.2, 0.6, 0.2],
            backward: [0.4, 0.6],
            gain: Gain::Correlation,
            start_size: 1,
            max_size: None,
            polish: true,
            islands: 4,
            proof: ProofEffort::Bounded,
            alternatives: true,
            patience: None,
            time_limit: None,
            seed: 1,
        }
    }
}

/// A parameter of [`Pass`] outside its range, by the name of its option, or kept variables that are
/// collinear.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SettingsError(pub(super) String);

impl Pass {
    /// PaSS as the paper has it: no polish, and the settings of its Table IV that
    /// reached the optimum in every run with 16 particles.
    pub fn paper() -> Self {
        Self {
            particles: 16,
            iterations: 256,
            backward: [0.2, 0.8],
            polish: false,
            ..Self::default()
        }
    }

    /// Checks the draft against the problem's size, of which so many variables are kept that have `keep` columns; the bound
    /// on model size in force.
    pub(crate) fn check(
        &self,
        n: usize,
        p: usize,
        (variables, keep): (usize, usize),
    ) -> Result<usize, SettingsError> {
        self.check_alone()?;
        let most = p.min(n - 2);
        let max_size = match self.max_size {
            Some(size) => {
                count("max-size", size, 1, most)?;
                size
            }
            None => most.min(keep + default_choice(n.saturating_sub(keep), p.saturating_sub(keep))),
        };
        if keep > max_size {
            let (kept, of) = match variables {
                1 => ("1 variable is kept".to_owned(), "it has"),
                _ => (format!("{variables} variables are kept"), "they have"),
            };
            let kept = match variables == keep {
                true => format!("{kept}, but the largest model may hold {max_size}"),
                false => format!(
                    "{kept}, and {of} {keep} columns, but the largest model may hold {max_size} of them"
                ),
            };
            return Err(SettingsError(format!(
                "{kept}: raise max-size or keep fewer"
            )));
        }
        count("start-size", self.start_size, 0, max_size)?;
        Ok(max_size)
    }

    pub(crate) fn parameters(&self, max_size: usize) -> Map<String, Value> {
        let limit = self.time_limit.map(|limit| limit.as_secs_f64());
        [
            ("particles", json!(self.particles)),
            ("iterations", json!(self.iterations)),
            ("forward", json!(self.forward)),
            ("backward", json!(self.backward)),
            ("gain", json!(self.gain)),
            ("start_size", json!(self.start_size)),
            ("max_size", json!(max_size)),
            ("polish", json!(self.polish)),
            ("islands", json!(self.polish.then_some(self.islands))),
            ("prove", json!(self.proof == ProofEffort::Complete)),
            ("patience", json!(self.patience)),
            ("time_limit", json!(limit)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
    }

    /// Checks the ranges that do not depend on the data.
    ///
    /// # Errors
    /// The first parameter outside its range.
    pub fn check_alone(&self) -> Result<(), SettingsError> {
        count("particles", self.particles, 1, 65_536)?;
        count("iterations", self.iterations, 1, 1_000_000_000)?;
        count("islands", self.islands, 1, 1024)?;
        if let Some(patience) = self.patience {
            count("patience", patience, 1, 1_000_000_000)?;
        }
        probabilities("forward", &self.forward)?;
        probabilities("backward", &self.backward)?;
        if self.time_limit.is_some_and(|limit| limit.is_zero()) {
            return Err(SettingsError("time-limit must be above 0".to_owned()));
        }
        Ok(())
    }
}

/// The largest number of variables chosen by default, of so many candidates for what the kept variables
/// leave of the observations.
fn default_choice(n: usize, candidates: usize) -> usize {
    // Beyond, with as many candidates, a model could interpolate: φ then falls to its lowest at
    // whatever bound there is.
    match candidates <= n / 2 {
        true => candidates,
        false => (n / 4).max(1),
    }
}

fn count(name: &str, value: usize, min: usize, max: usize) -> Result<(), SettingsError> {
    match (min..=max).contains(&value) {
        true => Ok(()),
        false => Err(SettingsError(format!(
            "{name} = {value} lies outside {min} … {max}"
        ))),
    }
}

fn probabilities(name: &str, values: &[f64]) -> Result<(), SettingsError> {
    sum_to_one(values).map_err(|sum| {
        SettingsError(format!(
            "{name} = {values:?} must be probabilities: none below 0, with sum 1 (it is {sum})"
        ))
    })
}

/// Whether these are probabilities of all that can happen; if not, their sum.
pub(crate) fn sum_to_one(values: &[f64]) -> Result<(), f64> {
    let sum: f64 = values.iter().sum();
    // Written decimals such as .1 + .2 + .7 need not sum to one exactly.
    if values.iter().all(|v| *v >= 0.0) && (sum - 1.0).abs() <= 1e-9 {
        Ok(())
    } else {
        Err(sum)
    }
}
