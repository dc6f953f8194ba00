//! The problem that a search solves, the same for every particle and island.

use super::{objective::Objective, settings::Pass};
use crate::{design::Columns, least_squares::Fit};

#[derive(Clone, Copy)]
pub(crate) struct SearchProblem<'a> {
    pub(crate) objective: Objective<'a>,
    pub(crate) x: Columns<'a>,
    /// The response, centred and of unit norm.
    pub(crate) y: &'a [f64],
    /// Columns that every model holds, ascending.
    pub(crate) keep: &'a [u32],
    pub(crate) kept: &'a Fit,
    /// Columns of the largest model, the kept ones included.
    pub(crate) max_size: usize,
    pub(crate) pass: &'a Pass,
}

impl<'a> SearchProblem<'a> {
    pub(super) fn new(
        objective: Objective<'a>,
        pass: &'a Pass,
        (max_size, kept): &'a (usize, Fit),
    ) -> Self {
        let design = objective.design;
        Self {
            objective,
            x: design.columns(),
            y: design.y(),
            keep: design.keep(),
            kept,
            max_size: *max_size,
            pass,
        }
    }
}
