//! The terms of a formula.

use std::collections::HashMap;

use super::expression::{Expression, Kind};
use super::term_set::Factors;
use super::warning::Warning;

/// A variable of the terms: a name, or an expression such as `log(hp)`.
#[derive(Debug, Clone)]
pub(super) struct TermVariable {
    /// Its text as R writes it.
    pub(super) label: String,
    pub(super) expression: Expression,
}

impl TermVariable {
    /// Whether it has this label, or is the variable of this name.
    pub(super) fn is_called(&self, name: &str) -> bool {
        let is_name = matches!(&self.expression.kind, Kind::Name(own) if own == name);
        is_name || self.label == name
    }
}

/// The terms of a formula: which there are, in R's order, without the values of any variable.
///
/// Terms ascend by degree, those of one degree in the order in which the formula has them.
#[derive(Debug, Clone)]
pub struct Terms {
    /// Names of the data that the formula needs, in the order of the data.
    pub(super) names: Vec<String>,
    pub(super) variables: Vec<TermVariable>,
    pub(super) terms: Vec<Factors>,
    pub(super) has_intercept: bool,
    pub(super) offsets: Vec<Expression>,
    pub(super) response: Option<Expression>,
    pub(super) warnings: Vec<Warning>,
}

impl Terms {
    /// How many terms there are, the intercept not counted.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none but perhaps the intercept.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether there is an intercept.
    pub fn has_intercept(&self) -> bool {
        self.has_intercept
    }

    /// The label of a term, as R writes it: its variables with colons between them.
    ///
    /// # Panics
    /// If there is no such term.
    pub fn label(&self, term: usize) -> String {
        self.label_of(&self.terms[term])
    }

    /// The label of a term of these variables.
    pub(super) fn label_of(&self, variables: &[u32]) -> String {
        let variables = variables.iter();
        let labels = variables.map(|variable| &*self.variables[*variable as usize].label);
        labels.collect::<Vec<_>>().join(":")
    }

    /// The labels of all terms in order.
    pub fn labels(&self) -> impl Iterator<Item = String> {
        (0..self.len()).map(|term| self.label(term))
    }

    /// The variables of a term, as positions in [`variables`](Self::variables), ascending.
    ///
    /// # Panics
    /// If there is no such term.
    pub fn factors(&self, term: usize) -> &[u32] {
        &self.terms[term]
    }

    /// The degree of a term: how many variables it has.
    ///
    /// # Panics
    /// If there is no such term.
    pub fn degree(&self, term: usize) -> usize {
        self.terms[term].len()
    }

    /// The labels of the variables in the order of their first occurrence. Those of removed terms are
    /// among them.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|variable| &*variable.label)
    }

    /// The names of the data that the formula needs, those of response and offsets included, in the
    /// order of the data. Of observations that lack a value of one of them, no column can be made.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The label of the response.
    pub fn response(&self) -> Option<String> {
        self.response.as_ref().map(ToString::to_string)
    }

    /// The labels of events and failures, where the response is `cbind(events, failures)`.
    pub fn events_and_failures(&self) -> Option<[String; 2]> {
        match self.response.as_ref()?.bound_columns()? {
            [events, failures] => Some([&events.value, &failures.value].map(ToString::to_string)),
            _ => None,
        }
    }

    /// The labels of the offsets: the expressions inside `offset()`.
    pub fn offsets(&self) -> impl Iterator<Item = String> {
        self.offsets.iter().map(ToString::to_string)
    }

    /// What is doubtful about the formula.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// What finds the parents of terms: made once, in time linear in the number of terms.
    pub fn hierarchy(&self) -> Hierarchy<'_> {
        let places = self.terms.iter().enumerate();
        Hierarchy {
            terms: &self.terms,
            places: places.map(|(place, term)| (&**term, place)).collect(),
        }
    }
}

/// Finds the parents of terms.
#[derive(Debug)]
pub struct Hierarchy<'t> {
    terms: &'t [Factors],
    places: HashMap<&'t [u32], usize>,
}

impl Hierarchy<'_> {
    /// The terms whose variables are part of the variables of a term, ascending. A model that has
    /// the term and all its parents is hierarchical in it.
    ///
    /// Takes min(2^degree, number of terms) look-ups.
    ///
    /// # Panics
    /// If there is no such term.
    pub fn parents(&self, term: usize) -> Vec<usize> {
        let factors = &*self.terms[term];
        let degree = factors.len();
        let mut parents: Vec<usize> = if degree < 20 && 1 << degree <= self.terms.len() {
            // Every proper subset but the empty one, by the bits of a number.
            let subsets = 1..(1_u32 << degree) - 1;
            let subset = |bits: u32| -> Vec<u32> {
                let places = (0..degree).filter(|place| bits >> place & 1 == 1);
                places.map(|place| factors[place]).collect()
            };
            let found = subsets.filter_map(|bits| self.places.get(&*subset(bits)).copied());
            found.collect()
        } else {
            let lower = self.terms[..term].iter().enumerate();
            let lower =
                lower.filter(|(_, other)| other.len() < degree && is_subset(other, factors));
            lower.map(|(place, _)| place).collect()
        };
        parents.sort_unstable();
        parents
    }
}

/// Whether ascending numbers are all among others.
fn is_subset(part: &[u32], whole: &[u32]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|number| rest.any(|other| other == number))
}
