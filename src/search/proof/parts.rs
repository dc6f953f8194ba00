//! Branches without dependent columns.

use super::super::{problem::SearchProblem, state::Branch};
use crate::least_squares::Fit;

/// Most parts into which dependent columns split a problem.
const PARTS: usize = 64;

/// Coefficients of a dependent column on others below which it depends on the rest alone.
const NO_SHARE: f64 = 1e-9;

/// The branches that hold all allowed models and no dependent columns: every model lacks a column of each
/// dependent set. None where they are too many, or where `stop` returns true.
pub(super) fn independent_parts(
    problem: &SearchProblem,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<Branch>> {
    let SearchProblem { x, y, keep, .. } = *problem;
    let is_free = |column: &u32| keep.binary_search(column).is_err();
    let free = (0..x.p() as u32).filter(is_free);
    let mut open = vec![Branch::new(keep.to_vec(), free.collect())];
    let mut parts = Vec::new();
    while let Some(branch) = open.pop() {
        let mut fit = Fit::empty(y);
        let mut columns = branch.fixed.iter().chain(&branch.free);
        let ends = |column: &&u32| stop() || fit.add(x, **column).is_err();
        let dependent = columns.find(ends);
        if stop() {
            return None;
        }
        let Some(&dependent) = dependent else {
            parts.push(branch);
            continue;
        };
        let shares = fit.support().iter().zip(fit.explained());
        let others = shares.filter(|(_, share)| share.abs() > NO_SHARE);
        let others = others.map(|(column, _)| *column).chain([dependent]);
        let set: Vec<u32> = others
            .filter(|column| branch.free.contains(column))
            .collect();
        for (rank, lacking) in set.iter().enumerate() {
            let held = &set[..rank];
            let rest = branch.free.iter().copied();
            let rest = rest.filter(|v| v != lacking && !held.contains(v));
            open.push(Branch::new([&*branch.fixed, held].concat(), rest.collect()));
        }
        if open.len() + parts.len() > PARTS {
            return None;
        }
    }
    Some(parts)
}
