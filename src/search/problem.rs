//! The problem that a search solves, the same for every particle and island.

use crate::{design::Columns, least_squares::Fit};

/// The least-squares problem, the bounds on models and the probabilities of steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchProblem<'a> {
    /// The design matrix X.
    pub(crate) x: Columns<'a>,
    /// The response, centred and of unit norm.
    pub(crate) y: &'a [f64],
    /// Columns that every model holds, ascending.
    pub(crate) keep: &'a [u32],
    /// The fit of the kept columns.
    pub(crate) kept: &'a Fit,
    /// Columns of the largest model, the kept ones included.
    pub(crate) max_size: usize,
    /// Probabilities of a forward step: best, improve, random.
    pub(crate) forward: [f64; 3],
    /// Probability that a backward step is an improving one; else it is random.
    pub(crate) improve_backward: f64,
}
