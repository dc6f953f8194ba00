//! Information criteria for linear regression: one small file each, no dependency.
//!
//! A criterion is a function of (n, p, k, rss), **smaller is better**:
//!
//! ```text
//! φ = n·ln(rss / n) + penalty(n, p, k)
//! ```
//!
//! with n observations, p candidate variables, k chosen ones (the intercept is
//! not counted) and rss = ‖y − Xβ̂‖² on the response's own scale. Additive
//! constants that no model changes (n·ln 2π + n, the variance's own parameter)
//! are left out.
//!
//! To add one: write its file beside these, with formula, source and a worked
//! number as its doc example, and name it in [`ALL`].

mod aic;
mod bic;
mod ebic;
mod hdaic;
mod hdbic;
mod hdhqc;
mod hqc;

pub use aic::Aic;
pub use bic::Bic;
pub use ebic::Ebic;
pub use hdaic::Hdaic;
pub use hdbic::Hdbic;
pub use hdhqc::Hdhqc;
pub use hqc::Hqc;

use std::fmt;

/// What a criterion is told of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// Observations.
    pub n: usize,
    /// Candidate variables, `k ≤ p`.
    pub p: usize,
    /// Variables in the model; the intercept is not counted.
    pub k: usize,
    /// Residual sum of squares ‖y − Xβ̂‖² > 0, on the response's scale.
    pub rss: f64,
}

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

    /// What is added to n·ln(rss/n) for size.
    fn penalty(&self, n: usize, p: usize, k: usize) -> f64;

    /// φ = n·ln(rss/n) + penalty, unless the criterion is of another form.
    fn value(&self, model: &Model) -> f64 {
        let n = model.n as f64;
        n * (model.rss / n).ln() + self.penalty(model.n, model.p, model.k)
    }
}

/// One parameter of a criterion, as `passel criteria` lists it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// The name in `criterion:name=value`.
    pub name: &'static str,
    /// The value when it is not given.
    pub default: f64,
    /// Smallest value allowed.
    pub min: f64,
    /// Largest value allowed.
    pub max: f64,
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
    bic::ENTRY,
    hqc::ENTRY,
    ebic::ENTRY,
    hdaic::ENTRY,
    hdbic::ENTRY,
    hdhqc::ENTRY,
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
    /// The parameter lies outside its range.
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
            } => write!(
                f,
                "{} = {value} of criterion `{criterion}` lies outside {} … {}",
                parameter.name, parameter.min, parameter.max
            ),
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
/// An unknown name or parameter, or a value outside its range (NaN included).
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
        if !(parameter.min..=parameter.max).contains(value) {
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
