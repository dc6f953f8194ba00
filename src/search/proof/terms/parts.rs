//! Parts of all models in which no columns depend on others, so that the number of parameters of a model is
//! the sum of those of its terms.
//!
//! Where terms need all their parents, what the parents explain of a term is no part of any model's choice:
//! columns are then what the parents leave of them. Products of variables are so nearly uncorrelated with
//! the variables, wherever these have their zero.

use super::{
    super::subproblem::Subproblem,
    decisions::{Decision, Decisions},
};
use crate::{
    design::{Hierarchy, Terms},
    least_squares::{Collinear, Fit},
    search::{problem::SearchProblem, state::Branch},
    vector::{orthonormalise, product},
};

/// Most parts into which dependent columns split a problem.
const PARTS: usize = 64;

/// Coefficients of a dependent column on others: below the first it depends on the rest alone, from the
/// second on it depends on these; nothing is proved between them.
const NO_SHARE: f64 = 1e-9;
const LEAST_SHARE: f64 = 1e-5;

/// Pivots: below the first a column is dependent, from the second on it is not; between them it may be either
/// as models are fitted, and nothing is proved.
const DEPENDENT: f64 = 1e-10;
const INDEPENDENT: f64 = 1e-5;

/// Units of rounding of RSS for each column and each unit of the trace of H.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The models that hold some terms and any of others, and columns for them that are independent.
pub(super) struct Part {
    pub(super) decisions: Decisions,
    /// The columns of each term, as they are numbered here.
    pub(super) columns: Vec<Vec<u32>>,
    /// The term of each column.
    pub(super) term_of: Vec<u32>,
    /// Products of the columns with each other and with the response.
    gram: Vec<f64>,
    xty: Vec<f64>,
    /// What RSS may lack by their rounding, the response at unit norm.
    pub(super) rounding: f64,
}

impl Part {
    pub(super) fn width(&self, term: u32) -> usize {
        self.columns[term as usize].len()
    }

    /// All models that these decisions, which are some of the part's, leave. None where the columns are
    /// dependent in the arithmetic of products.
    pub(super) fn subproblem(&self, decisions: &Decisions) -> Option<Subproblem> {
        let m = self.xty.len();
        let is_there =
            |own: &u32| decisions.of_term(self.term_of[*own as usize]) != Decision::Dropped;
        let all: Vec<u32> = (0..m as u32).filter(is_there).collect();
        let row = |a: &u32| {
            let row = &self.gram[*a as usize * m..][..m];
            all.iter().map(|b| row[*b as usize])
        };
        let gram = all.iter().flat_map(row).collect();
        let xty = all.iter().map(|own| self.xty[*own as usize]).collect();
        let mut subproblem = Subproblem::of_products(all.clone(), gram, xty)?;
        for column in all {
            if decisions.of_term(self.term_of[column as usize]) == Decision::Fixed {
                let position = subproblem.position(column)?;
                subproblem.fix(position);
            }
        }
        Some(subproblem)
    }

    /// Whether a part holds all models of decisions.
    pub(super) fn holds(&self, decisions: &Decisions) -> bool {
        (0..self.columns.len() as u32).all(|term| match self.decisions.of_term(term) {
            Decision::Free => true,
            own => decisions.of_term(term) == own,
        })
    }

    /// Whether columns of its terms are left out.
    pub(super) fn is_reduced(&self, terms: &Terms) -> bool {
        (0..self.columns.len() as u32).any(|term| {
            self.decisions.of_term(term) != Decision::Dropped
                && self.width(term) < terms.columns(term).len()
        })
    }
}

/// The parts that hold all allowed models: none where they are too many or columns nearly dependent, or where
/// `stop` returns true.
pub(super) fn independent_parts(
    problem: &SearchProblem,
    terms: &Terms,
    stop: &dyn Fn() -> bool,
) -> Option<Vec<Part>> {
    let all = Branch::new(
        problem.keep.to_vec(),
        (0..terms.count() as u32)
            .filter(|term| problem.keep.binary_search(term).is_err())
            .collect(),
    );
    let mut open = vec![Decisions::of(&all, terms)];
    let mut parts = Vec::new();
    while let Some(mut decisions) = open.pop() {
        if !decisions.close(terms) {
            continue;
        }
        match independent_columns(problem, terms, &decisions, stop)? {
            Columns::Independent(columns) => {
                parts.push(part(problem, terms, decisions, &columns, stop)?);
            }
            Columns::Dependent(set) => {
                let mut held = decisions;
                for term in set {
                    let mut lacking = held.clone();
                    lacking.decide(term, Decision::Dropped);
                    open.push(lacking);
                    held.decide(term, Decision::Fixed);
                }
                open.push(held);
            }
        }
        if open.len() + parts.len() > PARTS {
            return None;
        }
    }
    // Something is wrong with the kept terms where they alone are not allowed.
    (!parts.is_empty()).then_some(parts)
}

enum Columns {
    /// Columns that are independent, of which the others of the terms are combinations.
    Independent(Vec<u32>),
    /// Free terms of which columns depend on each other.
    Dependent(Vec<u32>),
}

/// Looks for dependent columns: those of a free term that fixed terms and the term itself explain are left
/// out. None where columns are nearly dependent, or where `stop` returns true.
fn independent_columns(
    problem: &SearchProblem,
    terms: &Terms,
    decisions: &Decisions,
    stop: &dyn Fn() -> bool,
) -> Option<Columns> {
    let (x, y) = (problem.x, problem.y);
    let single = x.range(0..x.p());
    let mut fit = Fit::empty(y);
    let order = [Decision::Fixed, Decision::Free].map(|decision| decisions.all(decision));
    for column in order.iter().flatten().flat_map(|term| terms.columns(*term)) {
        if stop() {
            return None;
        }
        match fit.add(single, column) {
            Ok(()) if fit.inverse().last()? * INDEPENDENT > 1.0 => return None,
            Ok(()) => continue,
            Err(Collinear { pivot }) if pivot > DEPENDENT => return None,
            Err(_) => {}
        }
        let mut set = vec![terms.of(column)];
        for (other, share) in fit.support().iter().zip(fit.explained()) {
            if share.abs() > NO_SHARE {
                if share.abs() < LEAST_SHARE {
                    return None;
                }
                set.push(terms.of(*other));
            }
        }
        set.retain(|term| decisions.of_term(*term) == Decision::Free);
        set.sort_unstable();
        set.dedup();
        if set.len() > 1 {
            return Some(Columns::Dependent(set));
        }
    }
    let trace: f64 = fit.inverse_gram_diagonal().iter().sum();
    let columns = Columns::Independent(fit.support().to_vec());
    (trace * INDEPENDENT * INDEPENDENT < 1.0).then_some(columns)
}

/// The part of these decisions, with orthonormal columns of each term's span.
fn part(
    problem: &SearchProblem,
    terms: &Terms,
    decisions: Decisions,
    independent: &[u32],
    stop: &dyn Fn() -> bool,
) -> Option<Part> {
    let is_strong = terms.hierarchy() == Hierarchy::Strong;
    let mut ascending = independent.to_vec();
    ascending.sort_unstable();
    let mut columns = vec![Vec::new(); terms.count()];
    let (mut basis, mut term_of): (Vec<Vec<f64>>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut order: Vec<u32> = (0..terms.count() as u32).collect();
    order.sort_by_key(|term| terms.parents(*term).len());
    let mut smallest = 1.0;
    for term in order {
        if stop() {
            return None;
        }
        let mut units: Vec<Vec<f64>> = Vec::new();
        let parents = terms.parents(term).iter().filter(|_| is_strong);
        for own in parents.flat_map(|parent| &columns[*parent as usize]) {
            let mut rest = basis[*own as usize].clone();
            let norm = orthonormalise(&mut rest, &units);
            smallest = f64::min(smallest, norm);
            units.push(rest);
        }
        let range = terms.columns(term);
        for column in ascending.iter().filter(|column| range.contains(column)) {
            let mut rest = problem.x.column(*column).to_vec();
            let norm = orthonormalise(&mut rest, &units);
            smallest = f64::min(smallest, norm);
            columns[term as usize].push(basis.len() as u32);
            term_of.push(term);
            units.push(rest.clone());
            basis.push(rest);
        }
    }
    let m = basis.len();
    let mut gram = vec![0.0; m * m];
    for a in 0..m {
        if stop() {
            return None;
        }
        for b in 0..=a {
            let value = product(&basis[a], &basis[b]);
            (gram[a * m + b], gram[b * m + a]) = (value, value);
        }
    }
    let xty: Vec<f64> = basis.iter().map(|own| product(own, problem.y)).collect();
    let all = Subproblem::of_products((0..m as u32).collect(), gram.clone(), xty.clone())?;
    // Columns are off by ε/(what was left of them), as unit vectors; RSS by less than that with ‖β̂‖.
    let rounding = ROUNDING * m as f64 * all.trace().max(1.0) / smallest;
    let is_exact = smallest > INDEPENDENT && rounding.is_finite();
    is_exact.then_some(Part {
        decisions,
        columns,
        term_of,
        gram,
        xty,
        rounding,
    })
}
