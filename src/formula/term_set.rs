//! Sets of terms in the order in which they came.

use std::collections::HashMap;
use std::sync::Arc;

/// The variables of a term by their numbers, ascending and each once.
pub(super) type Factors = Arc<[u32]>;

/// Different terms in the order in which they were inserted.
#[derive(Default)]
pub(super) struct TermSet {
    /// None where a term was removed.
    terms: Vec<Option<Factors>>,
    places: HashMap<Factors, usize>,
}

impl TermSet {
    /// Appends a term unless it is there.
    pub(super) fn insert(&mut self, term: Factors) {
        let place = self.terms.len();
        if let std::collections::hash_map::Entry::Vacant(entry) = self.places.entry(term) {
            self.terms.push(Some(entry.key().clone()));
            entry.insert(place);
        }
    }

    pub(super) fn remove(&mut self, term: &Factors) {
        if let Some(place) = self.places.remove(term) {
            self.terms[place] = None;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn into_terms(self) -> Vec<Factors> {
        self.terms.into_iter().flatten().collect()
    }
}

impl FromIterator<Factors> for TermSet {
    fn from_iter<I: IntoIterator<Item = Factors>>(terms: I) -> Self {
        let mut set = Self::default();
        terms.into_iter().for_each(|term| set.insert(term));
        set
    }
}

/// The variables of either term.
pub(super) fn union(one: &[u32], other: &[u32]) -> Factors {
    let mut joined = Vec::with_capacity(one.len() + other.len());
    let (mut left, mut right) = (one, other);
    while let (Some(a), Some(b)) = (left.first(), right.first()) {
        joined.push(*a.min(b));
        if a <= b {
            left = &left[1..];
        }
        if b <= a {
            right = &right[1..];
        }
    }
    joined.extend(left);
    joined.extend(right);
    joined.into()
}
