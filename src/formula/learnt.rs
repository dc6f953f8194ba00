//! What an expansion learns from data, to make the same columns of new data.

use serde::{Deserialize, Serialize};

use super::contrasts::ContrastChoice;

/// One thing learnt. A variable has a list of them, in the order in which its expression is
/// evaluated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Learnt {
    /// A variable of the data that is numeric.
    Numeric,
    /// A constant with a name that no variable has, such as `pi`.
    Constant,
    /// A variable of the data that is a factor.
    Factor {
        levels: Vec<String>,
        is_ordered: bool,
    },
    /// The levels that `factor()` found.
    Levels(Vec<String>),
    /// A mean, a standard deviation or another statistic of a variable.
    Statistic(f64),
    /// `scale()`: what is subtracted, then what is divided by.
    Scale { center: f64, scale: f64 },
    /// Orthogonal polynomials of degree 1, 2, …: P₀ = 1, P₁ = x − c₁,
    /// Pₖ₊₁ = (x − cₖ₊₁) Pₖ − (nₖ / nₖ₋₁) Pₖ₋₁ with nₖ = ‖Pₖ‖² from k = 0.
    Polynomial {
        centers: Vec<f64>,
        squared_norms: Vec<f64>,
    },
    /// The knots of a spline between its boundary knots.
    Spline {
        knots: Vec<f64>,
        lower: f64,
        upper: f64,
    },
    /// The breaks that `cut()` made from a number of intervals.
    Breaks(Vec<f64>),
}

/// What a variable of the terms is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Shape {
    /// Numeric columns, with what the name of each has behind the variable's label.
    Numeric { suffixes: Vec<String> },
    /// A factor.
    Factor {
        levels: Vec<String>,
        is_ordered: bool,
        contrast: ContrastChoice,
    },
}
