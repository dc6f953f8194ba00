//! The choice among terms of unlike widths, by φ.

use super::problem::{SearchProblem, Size, rises};
use crate::device::TermChange;

/// Of the strongest terms of each width, outside a model of this size and RSS, the one with which φ is
/// lowest, if there is room for it: by what they gain if their columns are orthogonal to the model.
pub(super) fn strongest_term(
    problem: &SearchProblem,
    (size, rss): (Size, f64),
    found: &[TermChange],
) -> Option<u32> {
    let mut fitting = found.to_vec();
    fitting.retain(|change| size.parameters + change.parameters <= problem.max_size);
    let after = |change: &TermChange| {
        let size = Size {
            terms: size.terms + 1,
            parameters: size.parameters + change.parameters,
        };
        problem.objective.floored(size, rss - change.rss)
    };
    first_lowest(&fitting, after)
}

/// The term of the change with the lowest φ after it, of those that tie the lowest.
pub(super) fn first_lowest(
    changes: &[TermChange],
    after: impl Fn(&TermChange) -> f64,
) -> Option<u32> {
    let values: Vec<f64> = changes.iter().map(after).collect();
    let least = values.iter().copied().reduce(f64::min)?;
    let tied = changes.iter().zip(values);
    let tied = tied.filter(|(_, value)| !rises(least, *value));
    tied.map(|(change, _)| change.term).min()
}
