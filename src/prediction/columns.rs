//! The columns of data that a model uses, and what its variables are made of.

use serde::{Deserialize, Serialize};

/// A column of the data that a model uses, as it was where the model was fitted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelColumn {
    /// Its name.
    pub name: String,
    /// The levels of a factor; none of numbers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<String>,
    /// Of numbers their mean over the observations of the fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// Their standard deviation, with divisor n.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// The least of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// The largest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest: Option<f64>,
    /// What a missing value counts as; none where an observation that misses it has no prediction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<f64>,
    /// The alleles of a variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alleles: Option<Alleles>,
    /// Whether it is not the copies of a variant, but whether there is one of each allele.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub heterozygotes: bool,
}

/// The alleles of a variant.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Alleles {
    /// The one whose copies are counted.
    pub counted: String,
    /// The other one.
    pub other: String,
    /// What a genotype counts as: `additive`, `dominant`, `recessive` or `genotypic`.
    pub encoding: String,
}

/// A variable of a model: a column, a dummy of a factor, or a column of a formula's term.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelVariable {
    /// Its name, as in `selected`.
    pub name: String,
    /// The place of its column among those of the model; none of a formula.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// Of a dummy the level that it is 1 for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The place among the columns of the formula; none without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<usize>,
    /// Of levels without order the place of the level whose linear predictor it is in, the baseline being 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<usize>,
    /// What is subtracted of it: its mean, or 0 of a model without an intercept.
    pub center: f64,
}

impl ModelColumn {
    /// A column of numbers that has these values.
    pub(super) fn of_numbers(name: &str, values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let square = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        Self {
            name: name.to_owned(),
            mean: finite(mean),
            deviation: finite(square.sqrt()),
            least: finite(values.iter().copied().fold(f64::INFINITY, f64::min)),
            largest: finite(values.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
            ..Self::default()
        }
    }

    /// A factor of these levels.
    pub(super) fn of_levels(name: &str, levels: &[String]) -> Self {
        Self {
            name: name.to_owned(),
            levels: levels.to_vec(),
            ..Self::default()
        }
    }

    /// Whether it is a factor.
    pub fn is_factor(&self) -> bool {
        !self.levels.is_empty()
    }
}
