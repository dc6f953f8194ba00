//! What is doubtful about a formula or its columns, but no error.

use std::fmt;

use crate::nearest::plural;

/// What is doubtful about the terms or the columns that were made.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// A power of a single term, which is the term itself: `x^2` for `I(x^2)`.
    PowerOfOneTerm {
        /// The power, as R writes it.
        expression: String,
        /// The term, as R writes it.
        term: String,
    },
    /// A factor that is coded by contrasts in a term, as in R, although no columns span the term without
    /// it.
    MarginNotSpanned {
        /// The term's label.
        term: String,
        /// The factor's label.
        factor: String,
        /// The label of the term without the factor.
        margin: String,
    },
    /// Values beyond the boundary knots of `bs()`, where its polynomials go on and grow fast.
    BeyondBoundary {
        /// The expression, as R writes it.
        expression: String,
        /// How many observations have such values.
        count: usize,
        /// The first of them, counted from 1.
        first_row: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PowerOfOneTerm { expression, term } => write!(
                f,
                "`{expression}` is the term `{term}` itself; powers of values are written `I({expression})`"
            ),
            Self::MarginNotSpanned {
                term,
                factor,
                margin,
            } => write!(
                f,
                "`{term}` codes `{factor}` by contrasts, as R does, but no columns span `{margin}`; add \
                 the term `{margin}`"
            ),
            Self::BeyondBoundary {
                expression,
                count,
                first_row,
            } => write!(
                f,
                "`{expression}`: {count} value{} beyond the boundary knots (first in row {first_row}); \
                 the basis may be ill-conditioned there",
                plural(*count)
            ),
        }
    }
}
