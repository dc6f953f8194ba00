//! How strong terms are for each model: columns that enter together, some only beside others.
//!
//! ```text
//! score(t) = ‖X̂_tᵀr‖ = ‖T_tᵀe_t‖     X̂_t = X_t·T_t orthonormal, e_t = X_tᵀr
//! ```
//!
//! *Shapes*: e = XᵀR of the `rows` columns from `from` and the batch's m models, rows × m, column-major,
//! f64 or f32. `terms`: [`TermFacts`] of all terms of the design; those from `begin` on, `count` of them, have
//! all their columns among the rows. Models, lists, `counters` and `answers` as in [`crate::strongest`], with
//! terms for columns.
//!
//! *Launch*, in this order for each kind of terms:
//!
//! | function | grid | block | what |
//! | --- | --- | --- | --- |
//! | `term_scores_f64`, `_f32` | (⌈count/256⌉, m ≤ 65,535) | 256 | `scores`, count × m, column-major: of the terms of this kind outside the model that the rule admits; of the others NaN |
//! | `near_f64` of [`crate::strongest`] | (⌈count/4096⌉, m) | 256 | with the scores for e, `begin` for `from`, no members, and for each kind m numbers `most` |
//! | `score_terms` | any, a block an entry at a time | 512 | once for all kinds: of each entry that is near the largest of its kind still, and whose columns are among the `count` from `from`: the score from products in a fixed order |
//!
//! `off` as in [`crate::strongest`], times the largest norm of a T and the root of the largest width. `score_terms` has 8 bytes of dynamic shared
//! memory for each column of the widest term; sums do not depend on the grid. `rule` is 0 where a term needs one of
//! its parents, 1 where it needs all.

use std::ops::Range;

use crate::{
    Kernel,
    least_squares::{self, square},
};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "term_scores",
    source!("term_scores.cu"),
    &["term_scores_f64", "term_scores_f32", "score_terms"],
);

/// What the kernels know of a term.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct TermFacts {
    /// f64: the upper triangular T, packed by columns; 0 for a term of one column.
    pub to_orthonormal: u64,
    /// u32: the terms that it needs, `needs` of them.
    pub parents: u64,
    /// Its first column, and how many it has.
    pub first: u32,
    /// See `first`.
    pub width: u32,
    /// See `parents`.
    pub needs: u32,
    /// The number of its width among the widths that there are.
    pub kind: u32,
}

assert_layout!(TermFacts: 32; first: 16, kind: 28);

/// A term, for the reference.
#[derive(Debug, Clone)]
pub struct ReferenceTerm {
    /// Its columns.
    pub columns: Range<u32>,
    /// The terms that it needs.
    pub parents: Vec<u32>,
}

/// The score of every term beside a model: the root of what its columns explain of the residual, by a fit; none
/// for those of the model and those that it does not admit.
///
/// ```
/// use passel_kernels::term_scores::{ReferenceTerm, reference};
/// // The first term spans the plane in which (3, 4, 12) has length 5.
/// let columns = [1.0, 0.0, 0.0, 0.6, 0.8, 0.0, 0.0, 0.0, 1.0];
/// let term = |columns, parents: &[u32]| ReferenceTerm { columns, parents: parents.to_vec() };
/// let terms = [term(0..2, &[]), term(2..3, &[0])];
/// let scores = reference(&columns, &[3.0, 4.0, 12.0], &terms, true, &[]);
/// assert!((scores[0].unwrap() - 5.0).abs() < 1e-12);
/// assert_eq!(scores[1], None);
/// ```
///
/// # Panics
/// If a column is not there.
pub fn reference(
    columns: &[f64],
    residual: &[f64],
    terms: &[ReferenceTerm],
    needs_all: bool,
    model: &[u32],
) -> Vec<Option<f64>> {
    let score = |(number, term): (u32, &ReferenceTerm)| {
        let mut parents = term.parents.iter();
        let is_held = |parent: &u32| model.contains(parent);
        let admitted = match needs_all {
            true => parents.all(is_held),
            false => term.parents.is_empty() || parents.any(is_held),
        };
        let own: Vec<u32> = term.columns.clone().collect();
        let fit = || least_squares::reference(columns, residual, &own);
        let explained = || (square(residual) - fit().rss).max(0.0).sqrt();
        (admitted && !model.contains(&number)).then(explained)
    };
    (0..).zip(terms).map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{least_squares::tests::problem, strongest};

    #[test]
    fn terms_of_one_column_are_as_strong_as_their_columns() {
        let (x, y) = problem(30, 9, 41);
        let term = |column| ReferenceTerm {
            columns: column..column + 1,
            parents: Vec::new(),
        };
        let terms: Vec<ReferenceTerm> = (0..9).map(term).collect();
        let scores = reference(&x, &y, &terms, true, &[4]);
        let most = (0..9u32).max_by(|a, b| {
            let score = |at: &u32| scores[*at as usize].unwrap_or(0.0);
            score(a).total_cmp(&score(b))
        });
        assert_eq!(most, strongest::reference(&x, &y, &[4]));
        assert_eq!(scores.iter().filter(|score| score.is_none()).count(), 1);
    }
}
