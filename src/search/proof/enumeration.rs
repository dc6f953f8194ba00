//! All allowed models, where they are few: then models, front, weights and inclusion are exact.

use super::super::{problem::SearchProblem, visited::VisitedModel};
use crate::{least_squares::PIVOT_TOLERANCE, vector::product};

/// Most models that are enumerated, and most candidates.
const MODELS: u64 = 1 << 14;
const CANDIDATES: usize = 64;

/// What is left of a unit column below which it adds no direction to the others.
const NOTHING: f64 = 1e-12;

/// Whether all models of the problem are few enough to be enumerated.
pub(super) fn is_small(problem: &SearchProblem) -> bool {
    let candidates = problem.x.p() - problem.keep.len();
    let largest = candidates.min(problem.max_size - problem.keep.len());
    let (mut all, mut of_size) = (1u64, 1u64);
    for added in 0..largest as u64 {
        of_size = of_size.saturating_mul(candidates as u64 - added) / (added + 1);
        all = all.saturating_add(of_size);
    }
    candidates <= CANDIDATES && all <= MODELS
}

/// All models with the kept columns and up to the largest size, but those with a collinear column,
/// which never enters a model. None where `stop` returns true before they are reduced to few dimensions.
pub(super) fn enumerate(
    problem: &SearchProblem,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<VisitedModel>> {
    let keep = problem.keep;
    let is_free = |column: &u32| keep.binary_search(column).is_err();
    let free: Vec<u32> = (0..problem.x.p() as u32).filter(is_free).collect();
    let Reduced {
        coordinates,
        dimensions,
        beyond,
    } = reduce(problem, keep, &free, stop)?;
    let mut enumeration = Enumeration {
        problem,
        free: &free,
        dimensions,
        beyond,
        levels: vec![coordinates],
        members: keep.to_vec(),
        models: Vec::new(),
    };
    enumeration.visit(0, 0);
    Some(enumeration.models)
}

/// Free columns and the response in few dimensions.
pub(super) struct Reduced {
    /// Of the free columns and of the response, after them, in an orthonormal basis of what the kept
    /// columns leave of the free ones.
    pub(super) coordinates: Vec<f64>,
    pub(super) dimensions: usize,
    /// The part of ‖y‖² outside of the basis and of the kept columns.
    pub(super) beyond: f64,
}

/// Reduces the free columns beside kept ones, which are independent; none where `stop` returns true before.
pub(super) fn reduce(
    problem: &SearchProblem,
    keep: &[u32],
    free: &[u32],
    stop: &dyn Fn() -> bool,
) -> Option<Reduced> {
    let SearchProblem { x, y, .. } = *problem;
    let mut basis: Vec<Vec<f64>> = Vec::new();
    // Twice is enough: the second pass removes what rounding left in the first.
    let project = |basis: &[Vec<f64>], rest: &mut [f64]| {
        let mut coordinates = vec![0.0; basis.len()];
        for _ in 0..2 {
            for (unit, sum) in basis.iter().zip(&mut coordinates) {
                let share = product(unit, rest);
                rest.iter_mut().zip(unit).for_each(|(v, u)| *v -= share * u);
                *sum += share;
            }
        }
        coordinates
    };
    let mut rows = Vec::with_capacity(free.len() + 1);
    for column in keep.iter().chain(free) {
        if stop() {
            return None;
        }
        let mut rest = x.column(*column).to_vec();
        let mut coordinates = project(&basis, &mut rest);
        let norm = product(&rest, &rest).sqrt();
        if norm > NOTHING {
            rest.iter_mut().for_each(|v| *v /= norm);
            basis.push(rest);
            coordinates.push(norm);
        }
        rows.push(coordinates);
    }
    let mut rest = y.to_vec();
    rows.push(project(&basis, &mut rest));
    let dimensions = basis.len() - keep.len();
    let own = rows.into_iter().skip(keep.len());
    let coordinates = own.flat_map(|mut row| {
        row.resize(basis.len(), 0.0);
        row.split_off(keep.len())
    });
    Some(Reduced {
        coordinates: coordinates.collect(),
        dimensions,
        beyond: product(&rest, &rest),
    })
}

struct Enumeration<'a> {
    problem: &'a SearchProblem<'a>,
    free: &'a [u32],
    dimensions: usize,
    beyond: f64,
    /// What the model of so many added columns leaves of the later columns and of the response.
    levels: Vec<Vec<f64>>,
    members: Vec<u32>,
    models: Vec<VisitedModel>,
}

impl Enumeration<'_> {
    /// Notes the model of a level, and all that add columns from a position on.
    fn visit(&mut self, level: usize, from: usize) {
        let (q, m) = (self.dimensions, self.free.len());
        let rest = &self.levels[level][m * q..][..q];
        let rss = self.beyond + product(rest, rest);
        let mut members = self.members.clone();
        members.sort_unstable();
        self.models.push(VisitedModel {
            value: self.problem.objective.floored(members.len(), rss),
            members: members.into(),
        });
        if self.members.len() >= self.problem.max_size {
            return;
        }
        if self.levels.len() == level + 1 {
            self.levels.push(vec![0.0; (m + 1) * q]);
        }
        for position in from..m {
            let (here, below) = self.levels[level..].split_at_mut(1);
            let column = &here[0][position * q..][..q];
            let square = product(column, column);
            if square.sqrt() < PIVOT_TOLERANCE {
                continue;
            }
            for later in position + 1..=m {
                let own = &here[0][later * q..][..q];
                let share = product(column, own) / square;
                let left = &mut below[0][later * q..][..q];
                for ((left, own), c) in left.iter_mut().zip(own).zip(column) {
                    *left = own - share * c;
                }
            }
            self.members.push(self.free[position]);
            self.visit(level + 1, position + 1);
            self.members.pop();
        }
    }
}
