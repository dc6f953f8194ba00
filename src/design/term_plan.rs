//! Which columns of a table go together in the design that is made of it.

use super::{Hierarchy, Terms, Variable};

/// Which columns of a table are a term of the design that is being made of it.
#[derive(Debug, Clone)]
pub(super) struct TermPlan {
    /// The term of each column of the table, by its index. The columns of a term are neighbours.
    pub(super) of: Vec<usize>,
    /// What each term is called.
    pub(super) labels: Vec<String>,
    /// The parents of each term.
    pub(super) parents: Vec<Vec<usize>>,
    pub(super) hierarchy: Hierarchy,
    /// Whether every model holds the term.
    pub(super) keep: Vec<bool>,
    /// The number of columns of each term.
    pub(super) widths: Vec<usize>,
}

impl TermPlan {
    pub(super) fn has_several_columns(&self, index: usize) -> bool {
        self.widths[self.of[index]] > 1
    }

    pub(super) fn keeps(&self, index: usize) -> bool {
        self.keep[self.of[index]]
    }

    /// A term that every model holds and of which these variables have nothing left.
    pub(super) fn lost(&self, variables: &[(Variable, bool)]) -> Option<&str> {
        let mut has = vec![false; self.labels.len()];
        for (variable, _) in variables {
            has[self.of[variable.index]] = true;
        }
        let lost = (0..has.len()).find(|term| self.keep[*term] && !has[*term]);
        lost.map(|term| &*self.labels[term])
    }

    /// The columns of each term that are left of these variables, in their order.
    pub(super) fn ranges(&self, variables: &[(Variable, bool)]) -> Vec<(usize, usize)> {
        let of = |variable: &(Variable, bool)| self.of[variable.0.index];
        let terms = variables.chunk_by(|a, b| of(a) == of(b));
        terms.map(|own| (of(&own[0]), own.len())).collect()
    }

    /// The terms of these variables of n × p columns, and their names.
    pub(super) fn terms(
        &self,
        x: &[f64],
        n: usize,
        variables: &[(Variable, bool)],
    ) -> (Option<Terms>, Vec<String>) {
        let ranges = self.ranges(variables);
        let widths: Vec<usize> = ranges.iter().map(|(_, width)| *width).collect();
        let mut places = vec![None; self.labels.len()];
        for (place, (term, _)) in (0_u32..).zip(&ranges) {
            places[*term] = Some(place);
        }
        let parents = ranges.iter().map(|(term, _)| {
            // Of a parent that is no candidate nothing is asked.
            let own = self.parents[*term]
                .iter()
                .filter_map(|parent| places[*parent]);
            own.collect()
        });
        let parents: Vec<Box<[u32]>> = parents.collect();
        let names = ranges.iter().map(|(term, _)| self.labels[*term].clone());
        let is_plain = widths.iter().all(|width| *width == 1)
            && (self.hierarchy == Hierarchy::None || parents.iter().all(|own| own.is_empty()));
        let terms = || Terms::new(x, n, &widths).with_parents(parents, self.hierarchy);
        ((!is_plain).then(terms), names.collect())
    }
}
