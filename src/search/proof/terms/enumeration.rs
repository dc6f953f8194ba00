//! All allowed models of terms, where they are few.

use std::collections::HashMap;

use super::super::enumeration::{Reduced, reduce};
use crate::{
    design::Terms,
    least_squares::PIVOT_TOLERANCE,
    search::{
        ProofEffort,
        problem::{SearchProblem, Size},
        visited::VisitedModel,
    },
    vector::{add_scaled, product},
};

/// Most models that are enumerated, where nobody asked for a proof and where one was asked for, and most
/// terms that a model may hold or not.
const MODELS: usize = 1 << 14;
const MODELS_ASKED: usize = 1 << 16;
const CANDIDATES: usize = 64;

/// The terms that a model may hold or not, those that others need before them.
fn candidates(problem: &SearchProblem, terms: &Terms) -> Vec<u32> {
    let is_free = |term: &u32| problem.keep.binary_search(term).is_err();
    let mut free: Vec<u32> = (0..terms.count() as u32).filter(is_free).collect();
    // A part of a term has fewer parts than the term.
    free.sort_by_key(|term| terms.parents(*term).len());
    free
}

/// Whether all models that the hierarchy allows are few enough to be enumerated.
pub(in super::super) fn is_small(problem: &SearchProblem, terms: &Terms) -> bool {
    /// Counts the models down from what is left to count.
    fn count(terms: &Terms, free: &[u32], members: &mut Vec<u32>, left: &mut usize) {
        *left = left.saturating_sub(1);
        for (at, term) in free.iter().enumerate() {
            if *left == 0 {
                return;
            }
            if terms.admits(*term, members, None) {
                members.push(*term);
                count(terms, &free[at + 1..], members, left);
                members.pop();
            }
        }
    }
    let free = candidates(problem, terms);
    if free.len() > CANDIDATES {
        return false;
    }
    let mut left = 1 + match problem.pass.proof {
        ProofEffort::Complete => MODELS_ASKED,
        _ => MODELS,
    };
    count(terms, &free, &mut problem.keep.to_vec(), &mut left);
    left > 0
}

/// All models that additions can make of the kept terms, up to the largest size: each addition is one that
/// the hierarchy allows, of a term that the model does not explain. None where `stop` returns true before
/// the columns are reduced to few dimensions.
pub(in super::super) fn enumerate(
    problem: &SearchProblem,
    terms: &Terms,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<VisitedModel>> {
    let free = candidates(problem, terms);
    let columns: Vec<u32> = free.iter().flat_map(|term| terms.columns(*term)).collect();
    let mut keep = problem.kept.support().to_vec();
    keep.sort_unstable();
    let reduced = reduce(problem, &keep, &columns, stop)?;
    let mut starts = vec![0];
    for term in &free {
        starts.push(starts[starts.len() - 1] + terms.columns(*term).len());
    }
    let mut enumeration = Enumeration {
        problem,
        terms,
        free: &free,
        starts,
        columns: columns.len(),
        reduced: &reduced,
        levels: vec![reduced.coordinates.clone()],
        members: problem.keep.to_vec(),
        mask: 0,
        models: Vec::new(),
    };
    enumeration.visit(0, 0, keep.len());
    let Enumeration { models, .. } = enumeration;
    Some(reachable(models))
}

struct Enumerated {
    model: VisitedModel,
    /// Its terms among the candidates, a bit each.
    mask: u64,
    parameters: usize,
}

struct Enumeration<'a> {
    problem: &'a SearchProblem<'a>,
    terms: &'a Terms,
    free: &'a [u32],
    /// Where the columns of each candidate begin, and the end of the last.
    starts: Vec<usize>,
    columns: usize,
    reduced: &'a Reduced,
    /// What the model of so many added terms leaves of the columns and of the response.
    levels: Vec<Vec<f64>>,
    members: Vec<u32>,
    mask: u64,
    models: Vec<Enumerated>,
}

impl Enumeration<'_> {
    /// Notes the model of a level, and all that add terms from a position on.
    fn visit(&mut self, level: usize, from: usize, parameters: usize) {
        let q = self.reduced.dimensions;
        let rest = &self.levels[level][self.columns * q..][..q];
        let rss = self.reduced.beyond + product(rest, rest);
        let mut members = self.members.clone();
        members.sort_unstable();
        let size = Size {
            terms: members.len(),
            parameters,
        };
        self.models.push(Enumerated {
            model: VisitedModel {
                value: self.problem.objective.floored(size, rss),
                members: members.into(),
            },
            mask: self.mask,
            parameters,
        });
        for position in from..self.free.len() {
            let term = self.free[position];
            if !self.terms.admits(term, &self.members, None) {
                continue;
            }
            let parameters = parameters + self.add(level, position);
            if parameters <= self.problem.max_size {
                self.members.push(term);
                self.mask |= 1 << position;
                self.visit(level + 1, position + 1, parameters);
                self.mask &= !(1 << position);
                self.members.pop();
            }
        }
    }

    /// Makes the next level, of the model with a term more; the parameters that it adds.
    fn add(&mut self, level: usize, position: usize) -> usize {
        if self.levels.len() == level + 1 {
            self.levels.push(Vec::new());
        }
        let (here, below) = self.levels[level..].split_at_mut(1);
        let own = &mut below[0];
        own.clone_from(&here[0]);
        let q = self.reduced.dimensions;
        let mut added = 0;
        for column in self.starts[position]..self.starts[position + 1] {
            let (before, later) = own.split_at_mut((column + 1) * q);
            let column = &before[column * q..];
            let square = product(column, column);
            if square.sqrt() < PIVOT_TOLERANCE {
                continue;
            }
            added += 1;
            for rest in later.chunks_exact_mut(q) {
                let share = product(column, rest) / square;
                add_scaled(rest, -share, column);
            }
        }
        added
    }
}

/// The models that additions can make: those of which a term that adds a parameter can leave another one.
fn reachable(models: Vec<Enumerated>) -> Vec<VisitedModel> {
    let mut by_size: Vec<&Enumerated> = models.iter().collect();
    by_size.sort_by_key(|own| own.mask.count_ones());
    let mut parameters: HashMap<u64, usize> = HashMap::new();
    for own in by_size {
        let mut others = (0..CANDIDATES).map(|at| own.mask & !(1 << at));
        let is_larger = |other: u64| {
            let without = parameters.get(&other);
            other != own.mask && without.is_some_and(|count| *count < own.parameters)
        };
        if own.mask == 0 || others.any(is_larger) {
            parameters.insert(own.mask, own.parameters);
        }
    }
    let models = models.into_iter();
    let models = models.filter(|own| parameters.contains_key(&own.mask));
    models.map(|own| own.model).collect()
}
