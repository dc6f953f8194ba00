//! The terms of a tableau that join a model together with those that they need.

use super::{gains::LEAST, step::Step};
use crate::{cholesky, design::Terms, device::GramPool};

/// What the model leaves of each term of a pool that needs others and of these, as far as they are in the
/// pool; nothing where no term needs others.
#[derive(Debug, Clone, Default)]
pub(super) struct Families {
    /// The family of each term of the pool.
    of: Vec<Option<Family>>,
    /// The two places of each product, and its value: of each family the lower triangle, row by row.
    places: Vec<(u32, u32)>,
    values: Vec<f64>,
}

#[derive(Debug, Clone)]
struct Family {
    /// Positions in the pool, the term itself last, and its columns.
    members: Vec<(usize, usize)>,
    /// Where its products begin.
    start: usize,
    /// Whether the pool has all that the term needs.
    is_whole: bool,
}

impl Families {
    /// Of the empty model.
    pub(super) fn new(pool: &GramPool, rule: Option<&Terms>) -> Self {
        let mut families = Self::default();
        let Some(rule) = rule.filter(|rule| !rule.are_free()) else {
            return families;
        };
        for term in 0..pool.len() {
            let parents = rule.parents(pool.term(term)).iter();
            let members = parents.filter_map(|parent| pool.position(*parent));
            let members: Vec<usize> = members.chain([term]).collect();
            families.of.push(None);
            if members.len() == 1 {
                continue;
            }
            let start = families.values.len();
            let widths = members.iter().map(|own| (*own, pool.places(*own).len()));
            families.of[term] = Some(Family {
                members: widths.collect(),
                start,
                is_whole: members.len() > rule.parents(pool.term(term)).len(),
            });
            let columns = || {
                members
                    .iter()
                    .flat_map(|own| pool.places(*own).map(move |at| (own, at)))
            };
            for (at, (own, row)) in columns().enumerate() {
                let products = pool.products(row);
                for (other, column) in columns().take(at + 1) {
                    families.places.push((row as u32, column as u32));
                    families.values.push(match own == other {
                        true => f64::from(u8::from(row == column)),
                        false => products[column],
                    });
                }
            }
        }
        families
    }

    /// Adds factor·c·cᵀ for a vector c by place.
    pub(super) fn change(&mut self, c: &[f64], factor: f64) {
        for (value, (row, column)) in self.values.iter_mut().zip(&self.places) {
            *value += factor * c[*row as usize] * c[*column as usize];
        }
    }

    /// Visits the ways in which a term of the pool may join a model of these terms, which does not admit it:
    /// each a step with the terms that go with it, of which all are open. `products` are e by place.
    pub(super) fn ways_in(
        &self,
        term: usize,
        (pool, rule): (&GramPool, &Terms),
        (members, held): (&[usize], &[u32]),
        open: &[f64],
        (products, scratch): (&[f64], &mut ClosureScratch),
        mut visit: impl FnMut(Step, &[usize]),
    ) {
        let Some(Some(family)) = self.of.get(term) else {
            return;
        };
        let parents = &family.members[..family.members.len() - 1];
        let missing = parents.iter().filter(|own| !members.contains(&own.0));
        if rule.needs_all() {
            // A parent that the pool lacks the model lacks as well.
            if family.is_whole && missing.clone().all(|own| open[own.0] != 0.0) {
                scratch.beside.clear();
                scratch.beside.extend(missing.map(|own| own.0));
                let found = self.gain(term, family, pool, products, scratch);
                found
                    .into_iter()
                    .for_each(|step| visit(step, &scratch.beside));
            }
            return;
        }
        for (parent, _) in missing {
            if open[*parent] != 0.0 && rule.admits(pool.term(*parent), held, None) {
                scratch.beside.clear();
                scratch.beside.push(*parent);
                let found = self.gain(term, family, pool, products, scratch);
                found
                    .into_iter()
                    .for_each(|step| visit(step, &scratch.beside));
            }
        }
    }

    /// The step in which a term joins with those that the scratch has beside it; none where one of them
    /// would bring no column.
    fn gain(
        &self,
        term: usize,
        family: &Family,
        pool: &GramPool,
        products: &[f64],
        scratch: &mut ClosureScratch,
    ) -> Option<Step> {
        let ClosureScratch {
            beside,
            rows,
            matrix,
            vector,
        } = scratch;
        let joins = |member: usize| member == term || beside.contains(&member);
        // The rows of the family's products, and e.
        rows.clear();
        vector.clear();
        let mut first = 0;
        for (member, width) in &family.members {
            if joins(*member) {
                rows.extend(first..first + width);
                vector.extend_from_slice(&products[pool.places(*member)]);
            }
            first += width;
        }
        let w = rows.len();
        matrix.clear();
        matrix.resize(w * w, 0.0);
        for (row, out) in rows.iter().zip(matrix.chunks_mut(w)) {
            let own = &self.values[family.start + row * (row + 1) / 2..][..=*row];
            for (out, column) in out.iter_mut().zip(rows.iter().take_while(|at| *at <= row)) {
                *out = own[*column];
            }
        }
        let (fall, rank) = cholesky::explained(matrix, vector, LEAST);
        if rank < w {
            let mut first = 0;
            for (_, width) in family.members.iter().filter(|own| joins(own.0)) {
                if (first..first + width).all(|row| matrix[row * w + row] == 0.0) {
                    return None;
                }
                first += width;
            }
        }
        Some(Step {
            fall,
            leaves: None,
            joins: Some(term),
            beside: Vec::new(),
            parameters: rank as i32,
        })
    }
}

/// Room for the evaluation of one closure.
#[derive(Default)]
pub(super) struct ClosureScratch {
    beside: Vec<usize>,
    rows: Vec<usize>,
    matrix: Vec<f64>,
    vector: Vec<f64>,
}
