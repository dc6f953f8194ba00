//! Terms: columns that enter and leave a model together, such as the dummies of a factor, and which terms
//! others stand on.

use std::ops::Range;

use crate::vector::{packed_columns, product};

/// Least squared norm that the columns before it in its term leave of a column of unit norm.
const LEAST_REST: f64 = 1e-12;

/// Whether a term may be in a model without the terms that are part of it, its *parents*: `a` and `b` are those
/// of `a:b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hierarchy {
    /// Only with all of them, as R's `step` has it.
    #[default]
    Strong,
    /// Only with at least one of them.
    Weak,
    /// With or without them.
    None,
}

/// The terms of a design of which at least one has several columns, or needs others. The columns of a term
/// are neighbours, and terms are in the order of their columns.
#[derive(Debug, Clone)]
pub struct Terms {
    /// Where the columns of each term begin, and the end of the last.
    starts: Vec<u32>,
    /// The term of each column.
    of: Vec<u32>,
    /// For each term of several columns X_t an upper triangular T, packed by columns, for which those
    /// of X_t·T are orthonormal; empty for the others.
    to_orthonormal: Vec<Box<[f64]>>,
    /// The largest norm of a T.
    growth: f64,
    hierarchy: Hierarchy,
    /// The parents of each term, ascending; empty where no term has any.
    parents: Vec<Box<[u32]>>,
}

impl Terms {
    /// Terms of so many columns each; none where each has one.
    ///
    /// *Shapes:* `x` is n × p, column-major.
    pub(crate) fn of_widths(x: &[f64], n: usize, widths: &[usize]) -> Option<Self> {
        let are_columns = widths.iter().all(|width| *width == 1);
        (!are_columns).then(|| Self::new(x, n, widths))
    }

    /// Terms of so many columns each, even where each has one.
    pub(super) fn new(x: &[f64], n: usize, widths: &[usize]) -> Self {
        let (mut starts, mut of) = (vec![0], Vec::with_capacity(x.len() / n));
        for (term, width) in widths.iter().enumerate() {
            of.resize(of.len() + width, term as u32);
            starts.push(of.len() as u32);
        }
        let ranges = starts
            .windows(2)
            .map(|ends| ends[0] as usize..ends[1] as usize);
        let own = ranges.map(|columns| &x[columns.start * n..columns.end * n]);
        let all: Vec<Box<[f64]>> = own.map(|columns| to_orthonormal(columns, n)).collect();
        let norm = |t: &[f64]| t.iter().map(|t| t * t).sum::<f64>().sqrt();
        Self {
            growth: all.iter().map(|t| norm(t)).fold(1.0, f64::max),
            to_orthonormal: all,
            starts,
            of,
            hierarchy: Hierarchy::None,
            parents: Vec::new(),
        }
    }

    /// These terms with the parents of each, ascending, that a model must hold by a rule.
    pub(super) fn with_parents(self, parents: Vec<Box<[u32]>>, hierarchy: Hierarchy) -> Self {
        let is_free = hierarchy == Hierarchy::None || parents.iter().all(|own| own.is_empty());
        Self {
            parents: if is_free { Vec::new() } else { parents },
            hierarchy,
            ..self
        }
    }

    /// The rule by which terms need others.
    pub(crate) fn hierarchy(&self) -> Hierarchy {
        self.hierarchy
    }

    /// The terms that a term needs beside it, or one of which it needs.
    pub(crate) fn parents(&self, term: u32) -> &[u32] {
        self.parents.get(term as usize).map_or(&[], |own| own)
    }

    /// Whether no term needs others.
    pub(crate) fn are_free(&self) -> bool {
        self.parents.is_empty()
    }

    /// Whether a term needs all of its parents, not one of them.
    pub(crate) fn needs_all(&self) -> bool {
        self.hierarchy == Hierarchy::Strong
    }

    /// Whether a term may be in a model of which it is known what it holds beside it.
    fn may_stand(&self, term: u32, has: impl Fn(u32) -> bool) -> bool {
        let mut parents = self.parents(term).iter();
        match self.hierarchy {
            _ if parents.len() == 0 => true,
            Hierarchy::Strong => parents.all(|parent| has(*parent)),
            Hierarchy::Weak => parents.any(|parent| has(*parent)),
            Hierarchy::None => true,
        }
    }

    /// Whether a model (in any order) that loses a term, or none, may take in another.
    pub(crate) fn admits(&self, term: u32, model: &[u32], without: Option<u32>) -> bool {
        self.may_stand(term, |parent| {
            Some(parent) != without && model.contains(&parent)
        })
    }

    /// Whether a model (in any order) may lose a term of its own and none else.
    pub(crate) fn may_leave(&self, term: u32, model: &[u32]) -> bool {
        let stands_on = |other: &&u32| self.parents(**other).contains(&term);
        self.parents.is_empty()
            || model
                .iter()
                .filter(stands_on)
                .all(|other| self.admits(*other, model, Some(term)))
    }

    /// Whether each term of a model (in any order) may stand there.
    pub(crate) fn allow(&self, model: &[u32]) -> bool {
        let admitted = |term: &u32| self.admits(*term, model, None);
        self.are_free() || model.iter().all(admitted)
    }

    /// What a term needs that a model (in any order) lacks, in an order in which it may enter; where one
    /// of several would do, the first of those that are preferred, or else of all.
    pub(crate) fn missing(
        &self,
        term: u32,
        model: &[u32],
        prefers: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        let mut missing = Vec::new();
        let mut next = term;
        while !self.admits(next, model, None) {
            let parents = self.parents(next);
            if self.needs_all() {
                // With its parents a term has theirs.
                let absent = parents.iter().filter(|parent| !model.contains(parent));
                return absent.copied().collect();
            }
            let preferred = parents.iter().find(|parent| prefers(**parent));
            let Some(parent) = preferred.or(parents.first()) else {
                break;
            };
            missing.insert(0, *parent);
            next = *parent;
        }
        missing
    }

    /// The ways in which a term that a model (in any order) does not admit may join it: visits for each the
    /// terms that join with it.
    pub(crate) fn each_way_in(&self, term: u32, model: &[u32], mut visit: impl FnMut(&[u32])) {
        if self.needs_all() {
            return visit(&self.missing(term, model, |_| true));
        }
        for parent in self.parents(term) {
            if self.admits(*parent, model, None) {
                visit(&[*parent]);
            }
        }
    }

    /// The terms of a model (in any order) that may not stand there without one of its terms.
    pub(crate) fn standing_on(&self, term: u32, model: &[u32]) -> Vec<u32> {
        let mut fallen = Vec::new();
        if self.are_free() {
            return fallen;
        }
        loop {
            let has =
                |other: u32| other != term && !fallen.contains(&other) && model.contains(&other);
            let falls = |other: &&u32| has(**other) && !self.may_stand(**other, has);
            let more: Vec<u32> = model.iter().filter(falls).copied().collect();
            if more.is_empty() {
                return fallen;
            }
            fallen.extend(more);
        }
    }

    /// The number of terms.
    pub fn count(&self) -> usize {
        self.to_orthonormal.len()
    }

    /// The columns of a term.
    pub fn columns(&self, term: u32) -> Range<u32> {
        self.starts[term as usize]..self.starts[term as usize + 1]
    }

    /// The term of a column.
    pub fn of(&self, column: u32) -> u32 {
        self.of[column as usize]
    }

    /// The columns of the widest term.
    pub(crate) fn widest(&self) -> usize {
        let widths = self.starts.windows(2).map(|ends| ends[1] - ends[0]);
        widths.max().unwrap_or(1) as usize
    }

    /// The upper triangular T, packed by columns, for which the columns of X_t·T are orthonormal; none for a term
    /// of one column.
    pub(crate) fn to_orthonormal(&self, term: u32) -> Option<&[f64]> {
        let own = &self.to_orthonormal[term as usize];
        (!own.is_empty()).then_some(own)
    }

    /// About the multiply-adds by which one sweep factors a block for each term of several columns.
    pub(crate) fn block_work(&self) -> u64 {
        let widths = self
            .starts
            .windows(2)
            .map(|ends| u64::from(ends[1] - ends[0]));
        let several = widths.filter(|width| *width > 1);
        several
            .map(|width| width.saturating_pow(3))
            .fold(0, u64::saturating_add)
    }

    /// A bound on how much larger errors of products may be once they are those of orthonormal columns.
    pub(crate) fn growth(&self) -> f64 {
        self.growth
    }

    /// A column of T, for a column of X_t·T, and the first column of its term; none where it is the column of
    /// X itself.
    pub(super) fn combination(&self, column: u32) -> Option<(u32, &[f64])> {
        let term = self.of(column);
        let first = self.starts[term as usize];
        let at = (column - first) as usize;
        let inverse = &self.to_orthonormal[term as usize];
        let own = inverse.get(at * (at + 1) / 2..)?.get(..=at)?;
        Some((first, own))
    }

    /// Turns products of a term's columns with a vector into those of orthonormal columns of the same
    /// span.
    #[inline]
    pub(crate) fn orthonormalise(&self, term: u32, products: &mut [f64]) {
        let inverse = &self.to_orthonormal[term as usize];
        if inverse.is_empty() {
            return;
        }
        // From the last, for each takes those before it.
        for at in (0..products.len()).rev() {
            let t = &inverse[at * (at + 1) / 2..][..=at];
            products[at] = t.iter().zip(&*products).map(|(t, x)| t * x).sum();
        }
    }
}

/// See [`Terms::to_orthonormal`]: the inverse of the Cholesky factor of X_tᵀX_t, of these columns of n
/// values.
fn to_orthonormal(columns: &[f64], n: usize) -> Box<[f64]> {
    let width = columns.len() / n;
    if width < 2 {
        return Box::default();
    }
    let mut inverse: Vec<f64> = Vec::with_capacity(width * (width + 1) / 2);
    for (at, column) in columns.chunks(n).enumerate() {
        // What the orthonormal columns so far explain, and their combination that does.
        let before = columns[..at * n].chunks(n);
        let products: Vec<f64> = before.map(|other| product(other, column)).collect();
        let (mut explained, mut combination) = (0.0, vec![0.0; at]);
        for t in packed_columns(&inverse) {
            let q: f64 = t.iter().zip(&products).map(|(t, g)| t * g).sum();
            explained += q * q;
            combination.iter_mut().zip(t).for_each(|(u, t)| *u += q * t);
        }
        let rest = (1.0 - explained).max(LEAST_REST).sqrt();
        inverse.extend(combination.iter().map(|u| -u / rest));
        inverse.push(1.0 / rest);
    }
    inverse.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{design::Columns, least_squares::Fit, random::Stream};

    #[test]
    fn columns_know_their_term_and_products_become_those_of_orthonormal_columns() {
        let (n, widths) = (50, [2, 1, 4, 1]);
        let mut stream = Stream::new(5, 0);
        let mut draw = || (stream.next_word() >> 11) as f64 / (1u64 << 53) as f64 - 0.4;
        let mut unit = || {
            let x: Vec<f64> = (0..n).map(|_| draw()).collect();
            let norm = product(&x, &x).sqrt();
            x.into_iter().map(move |x| x / norm)
        };
        let x: Vec<f64> = (0..8).flat_map(|_| unit()).collect();
        let r: Vec<f64> = unit().collect();
        assert!(Terms::of_widths(&x, n, &[1; 8]).is_none());
        let terms = Terms::of_widths(&x, n, &widths).unwrap();
        let x = Columns::new(&x, n);
        let ranges: Vec<_> = (0..4).map(|term| terms.columns(term)).collect();
        assert_eq!(ranges, [0..2, 2..3, 3..7, 7..8]);
        assert_eq!(terms.count(), 4);
        let of: Vec<u32> = (0..8).map(|column| terms.of(column)).collect();
        assert_eq!(of, [0, 0, 1, 2, 2, 2, 2, 3]);
        for term in 0..4 {
            let columns: Vec<&[f64]> = terms.columns(term).map(|j| x.column(j)).collect();
            let orthonormal = |v: &[f64]| {
                let mut products: Vec<f64> = columns.iter().map(|x| product(x, v)).collect();
                terms.orthonormalise(term, &mut products);
                products
            };
            // A combination of the columns has the norm of its products; another vector what the
            // columns explain of it.
            let sum: Vec<f64> = (0..n)
                .map(|row| {
                    columns
                        .iter()
                        .zip(1..)
                        .map(|(x, at)| f64::from(at) * x[row])
                        .sum()
                })
                .collect();
            let square = |v: &[f64]| product(v, v);
            assert!((square(&orthonormal(&sum)) / square(&sum) - 1.0).abs() < 1e-12);
            let explained = square(&orthonormal(&r));
            let (fit, _) = Fit::of(x, &r, &terms.columns(term).collect::<Vec<_>>());
            assert!((explained - (1.0 - fit.rss())).abs() < 1e-12);
        }
    }

    #[test]
    fn models_take_in_and_lose_what_the_rule_allows() {
        // a, b, c, a:b, a:c, a:b:c without b:c.
        let parents: [&[u32]; 6] = [&[], &[], &[], &[0, 1], &[0, 2], &[0, 1, 2, 3, 4]];
        let x: Vec<f64> = (0..18).map(|at| f64::from(at % 5)).collect();
        let terms = |rule| {
            let parents = parents.iter().map(|own| (*own).into());
            Terms::new(&x, 3, &[1; 6]).with_parents(parents.collect(), rule)
        };
        let ways = |terms: &Terms, term: u32, model: &[u32]| {
            let mut ways = Vec::new();
            terms.each_way_in(term, model, |beside| ways.push(beside.to_vec()));
            ways
        };
        let strong = terms(Hierarchy::Strong);
        assert!(strong.admits(2, &[], None) && !strong.admits(3, &[1], None));
        assert!(strong.admits(3, &[1, 0], None) && !strong.admits(3, &[1, 0], Some(1)));
        assert!(!strong.may_leave(0, &[3, 1, 0]) && strong.may_leave(3, &[3, 1, 0]));
        assert!(strong.may_leave(2, &[3, 2, 1, 0]));
        assert_eq!(strong.missing(5, &[3, 1, 0], |_| true), [2, 4]);
        assert!(strong.missing(3, &[1, 0], |_| true).is_empty());
        assert_eq!(ways(&strong, 4, &[2]), [[0]]);
        assert_eq!(ways(&strong, 3, &[]), [[0, 1]]);
        assert_eq!(strong.standing_on(0, &[5, 4, 3, 2, 1, 0]), [5, 4, 3]);
        assert!(strong.standing_on(3, &[3, 2, 1, 0]).is_empty());
        assert!(strong.allow(&[3, 1, 0]) && !strong.allow(&[3, 1]));
        let weak = terms(Hierarchy::Weak);
        assert!(!weak.admits(3, &[2], None) && weak.admits(3, &[1], None));
        assert!(weak.may_leave(0, &[3, 1, 0]) && !weak.may_leave(1, &[3, 1]));
        assert!(weak.missing(5, &[4, 0], |_| true).is_empty());
        assert_eq!(weak.missing(5, &[], |_| true), [0]);
        assert_eq!(weak.missing(5, &[], |parent| parent > 3), [0, 4]);
        assert_eq!(ways(&weak, 4, &[]), [[0], [2]]);
        assert_eq!(weak.standing_on(2, &[5, 4, 2]), [4, 5]);
        assert!(weak.standing_on(2, &[5, 4, 2, 0]).is_empty());
        let none = terms(Hierarchy::None);
        assert!(none.admits(5, &[], None) && none.may_leave(0, &[0, 3]));
        assert!(none.are_free() && none.standing_on(0, &[0, 3]).is_empty());
    }
}
