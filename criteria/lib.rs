//! Information criteria for linear regression: one small file each, no dependency.
//!
//! A criterion is a function of a [`Model`], **smaller is better**:
//!
//! ```text
//! φ = n·ln(rss / n) + penalty
//! ```
//!
//! of a linear regression, and φ = −2ℓ + penalty of a model of maximum likelihood ℓ,
//! with n observations, p candidate variables, k chosen ones and rss = ‖y − Xβ̂‖² on the response's
//! own scale. Variables that every model holds are given and not chosen: p and k leave them out. They
//! count, with m parameters, where a criterion counts parameters, k + m; the intercept and the error
//! variance are counted nowhere, unless a formula says so. Additive constants that no model changes
//! (n + n·ln 2π, the parameters of intercept and variance) are left out.
//!
//! Where variables are terms of several columns, such as factors, k is the number of terms where a
//! formula counts models, as in a binomial coefficient, and that of their parameters where it counts
//! parameters.
//!
//! To add one: write its file beside these, with formula, source and a worked
//! number as its doc example, and name it in [`ALL`].

mod adjr2;
mod aic;
mod aicc;
mod bic;
mod cp;
mod cv;
mod ebic;
mod ebic_monotone;
mod hdaic;
mod hdbic;
mod hdhqc;
mod hqc;
mod mbic2;
mod ric;

pub use adjr2::AdjustedR2;
pub use aic::Aic;
pub use aicc::Aicc;
pub use bic::{Bic, BicOf};
pub use cp::Cp;
pub use cv::CrossValidation;
pub use ebic::Ebic;
pub use ebic_monotone::EbicMonotone;
pub use hdaic::Hdaic;
pub use hdbic::Hdbic;
pub use hdhqc::Hdhqc;
pub use hqc::Hqc;
pub use mbic2::Mbic2;
pub use ric::Ric;

use std::{ffi::CStr, fmt};

/// What a criterion is told of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// Observations n; of survival times the events.
    pub n: usize,
    /// Candidate variables p that a model may hold or not; before a screening, where the data are
    /// what a screening left.
    pub candidates: usize,
    /// Those of the candidates that the model holds: k ≤ p.
    pub chosen: usize,
    /// The parameters of those chosen: k, unless variables are terms of several columns.
    pub chosen_parameters: usize,
    /// The parameters m of variables that every model holds, which are neither candidates nor chosen.
    pub kept: usize,
    /// Whether the model has an intercept, which is neither chosen nor kept.
    pub has_intercept: bool,
    /// Residual sum of squares ‖y − Xβ̂‖² > 0, on the response's scale; of a model of maximum likelihood
    /// n·exp(−2ℓ/n), so that n·ln(rss/n) is −2ℓ, as far as f64 reaches.
    pub rss: f64,
    /// −2ℓ, of a model that is fitted by maximum likelihood and not by least squares; of a quasi-likelihood over its dispersion.
    pub minus_two_log_likelihood: Option<f64>,
    /// The family of the response, as plugins are told of it: `gaussian` of least squares.
    pub family: &'static CStr,
    /// The dispersion of a quasi-likelihood, else 1.
    pub dispersion: f64,
    /// The parameters of the response's scatter that are estimated beside the coefficients: 1, as the error
    /// variance, a dispersion or a shape; 0 of binomial and Poisson responses; of ordered levels the thresholds.
    pub scatter: usize,
    /// The error variance as the model of all candidates estimates it, RSS over its residual degrees
    /// of freedom, in units of `rss`. NaN unless the criterion
    /// [needs it](Criterion::needs_error_variance).
    pub error_variance: f64,
}

impl Model {
    /// A model with an intercept and without kept variables.
    pub fn new(n: usize, candidates: usize, chosen: usize, rss: f64) -> Self {
        Self {
            n,
            candidates,
            chosen,
            chosen_parameters: chosen,
            kept: 0,
            has_intercept: true,
            rss,
            minus_two_log_likelihood: None,
            family: c"gaussian",
            dispersion: 1.0,
            scatter: 1,
            error_variance: f64::NAN,
        }
    }

    /// How badly the model fits: n·ln(rss/n), or −2ℓ.
    pub fn misfit(&self) -> f64 {
        let n = self.n as f64;
        self.minus_two_log_likelihood
            .unwrap_or_else(|| n * (self.rss / n).ln())
    }

    /// The parameters that differ between models but for a constant: those of the chosen and of the
    /// kept variables, without intercept and error variance.
    pub fn parameters(&self) -> usize {
        self.chosen_parameters + self.kept
    }

    /// All coefficients, the intercept's among them.
    pub fn coefficients(&self) -> usize {
        self.parameters() + usize::from(self.has_intercept)
    }
}

/// Charges of a variable are told apart up to this.
const MOST_CHARGE: f64 = 1000.0;

/// An information criterion: smaller is better.
///
/// At a given size φ must not fall when RSS rises: a search looks among models of
/// equal size at those of least RSS only. A value that is NaN counts as +∞.
pub trait Criterion: fmt::Debug + Send + Sync {
    /// The name it is asked for by, lower case.
    fn name(&self) -> &str;

    /// Its parameters' names and values, for the report.
    fn parameters(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The word for the value of a parameter, where it is given by one.
    fn word(&self, _parameter: &str) -> Option<&str> {
        None
    }

    /// What is added to the misfit for size; `rss` has no part in it.
    fn penalty(&self, model: &Model) -> f64;

    /// φ = [misfit](Model::misfit) + penalty, unless the criterion is of another form.
    fn value(&self, model: &Model) -> f64 {
        model.misfit() + self.penalty(model)
    }

    /// Whether the criterion has a meaning for least squares alone.
    fn needs_least_squares(&self) -> bool {
        self.needs_error_variance()
    }

    /// Whether [`Model::error_variance`] is to be told: the model of all candidates is fitted for it,
    /// so it must leave residual degrees of freedom.
    fn needs_error_variance(&self) -> bool {
        false
    }

    /// The plugin that brings it; none of passel's own.
    fn origin(&self) -> Option<&Origin> {
        None
    }

    /// How the size of models is chosen, where the criterion compares none of unlike sizes.
    fn cross_validation(&self) -> Option<CrossValidation> {
        None
    }

    /// What the criterion charges the last chosen variable, if that has one parameter: it stays if and
    /// only if it lowers the misfit by more. 2 for AIC, ln n for BIC; 0 where nothing is chosen.
    ///
    /// Found from values alone, so that it is right for criteria of any form.
    fn last_charge(&self, model: &Model) -> f64 {
        let Some(fewer) = model.chosen.checked_sub(1) else {
            return 0.0;
        };
        let value = self.value(model);
        let is_paid = |charge: f64| {
            let rss = model.rss * (charge / model.n as f64).exp();
            let without = Model {
                chosen: fewer,
                chosen_parameters: model.chosen_parameters.saturating_sub(1),
                rss,
                minus_two_log_likelihood: model.minus_two_log_likelihood.map(|own| own + charge),
                ..*model
            };
            // A NaN counts as +∞, in either.
            self.value(&without) > value || value.is_nan()
        };
        // φ rises with RSS, so there is one charge from which on the variable pays.
        let (mut low, mut high) = (-MOST_CHARGE, MOST_CHARGE);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            match is_paid(middle) {
                true => high = middle,
                false => low = middle,
            }
        }
        0.5 * (low + high)
    }
}

/// The plugin that brings a criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Its name.
    pub plugin: String,
    /// Its version.
    pub version: String,
    /// The SHA-256 of its library, where it is one.
    pub sha256: Option<String>,
}

/// One parameter of a criterion, as `passel criteria` lists it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// The name in `criterion:name=value`.
    pub name: &'static str,
    /// The value when it is not given; NaN where the data then decide.
    pub default: f64,
    /// Smallest value allowed.
    pub min: f64,
    /// Largest value allowed.
    pub max: f64,
    /// Whether it counts something.
    pub is_whole: bool,
}

/// A criterion's entry in [`ALL`].
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The name it is asked for by, lower case.
    pub name: &'static str,
    /// What it is called in full.
    pub title: &'static str,
    /// Its penalty, on one line.
    pub penalty: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Its parameters, in the order [`build`](Self::build) takes them.
    pub parameters: &'static [Parameter],
    /// Makes it from one value a parameter, each inside its range.
    pub build: fn(&[f64]) -> Box<dyn Criterion>,
}

/// Every criterion passel brings, in the order `passel criteria` prints.
pub const ALL: &[Entry] = &[
    aic::ENTRY,
    aicc::ENTRY,
    bic::ENTRY,
    hqc::ENTRY,
    ebic_monotone::ENTRY,
    ebic::ENTRY,
    mbic2::ENTRY,
    ric::ENTRY,
    hdaic::ENTRY,
    hdbic::ENTRY,
    hdhqc::ENTRY,
    cp::ENTRY,
    adjr2::ENTRY,
    cv::ENTRY,
];

/// Why a criterion could not be made.
#[derive(Debug, Clone, PartialEq)]
pub enum CriterionError {
    /// No criterion has this name.
    UnknownName {
        /// The name asked for.
        name: String,
    },
    /// The criterion has no such parameter.
    UnknownParameter {
        /// The criterion.
        criterion: &'static str,
        /// The parameter asked for.
        parameter: String,
        /// Those it has.
        known: Vec<&'static str>,
    },
    /// One parameter has two values.
    Twice {
        /// The criterion.
        criterion: &'static str,
        /// The parameter.
        parameter: String,
    },
    /// The parameter lies outside its range, or is no whole number.
    OutOfRange {
        /// The criterion.
        criterion: &'static str,
        /// The parameter and its range.
        parameter: Parameter,
        /// The value asked for.
        value: f64,
    },
}

impl fmt::Display for CriterionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName { name } => write!(f, "there is no criterion `{name}`"),
            Self::UnknownParameter {
                criterion,
                parameter,
                known,
            } if known.is_empty() => {
                write!(
                    f,
                    "criterion `{criterion}` takes no parameters, not `{parameter}`"
                )
            }
            Self::UnknownParameter {
                criterion,
                parameter,
                known,
            } => write!(
                f,
                "criterion `{criterion}` has no parameter `{parameter}`; it has {}",
                known.join(", ")
            ),
            Self::Twice {
                criterion,
                parameter,
            } => write!(f, "criterion `{criterion}` is given `{parameter}` twice"),
            Self::OutOfRange {
                criterion,
                parameter,
                value,
            } => {
                let Parameter {
                    name,
                    min,
                    max,
                    is_whole,
                    ..
                } = parameter;
                let is_inside = (min..=max).contains(&value);
                let fault = match *is_whole && is_inside {
                    true => "is no whole number in",
                    false => "lies outside",
                };
                write!(
                    f,
                    "{name} = {value} of criterion `{criterion}` {fault} {min} … {max}"
                )
            }
        }
    }
}

impl std::error::Error for CriterionError {}

/// The criterion of that name, with parameters by name and defaults for the rest.
///
/// ```
/// let ebic = passel_criteria::named("ebic", &[("gamma".into(), 0.5)])?;
/// assert_eq!(ebic.parameters(), [("gamma", 0.5)]);
/// # Ok::<(), passel_criteria::CriterionError>(())
/// ```
///
/// # Errors
/// An unknown name or parameter, or a value outside its range (NaN included), or no whole number where one is needed.
pub fn named(
    name: &str,
    parameters: &[(String, f64)],
) -> Result<Box<dyn Criterion>, CriterionError> {
    let entry =
        ALL.iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| CriterionError::UnknownName {
                name: name.to_owned(),
            })?;
    let mut values: Vec<f64> = entry.parameters.iter().map(|p| p.default).collect();
    for (at, (given, value)) in parameters.iter().enumerate() {
        if parameters[..at].iter().any(|earlier| earlier.0 == *given) {
            return Err(CriterionError::Twice {
                criterion: entry.name,
                parameter: given.clone(),
            });
        }
        let at = entry.parameters.iter().position(|p| p.name == given);
        let at = at.ok_or_else(|| CriterionError::UnknownParameter {
            criterion: entry.name,
            parameter: given.clone(),
            known: entry.parameters.iter().map(|p| p.name).collect(),
        })?;
        let parameter = entry.parameters[at];
        let is_countable = !parameter.is_whole || value.fract() == 0.0;
        if !((parameter.min..=parameter.max).contains(value) && is_countable) {
            return Err(CriterionError::OutOfRange {
                criterion: entry.name,
                parameter,
                value: *value,
            });
        }
        values[at] = *value;
    }
    Ok((entry.build)(&values))
}

/// What the best of p candidates costs, as a multiple of one: ln p, and 1 where that is less.
fn multiplicity(candidates: usize) -> f64 {
    (candidates as f64).ln().max(1.0)
}
