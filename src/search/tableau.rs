//! The tableau of a model among the columns of a pool: the effect of every single change, one
//! term added, dropped, or exchanged for another.
//!
//! For the model A and a column j of the pool, as sweeps of the cross-product
//! matrix leave them (Goodnight 1979):
//!
//! ```text
//! eⱼ = xⱼᵀr     sⱼ = ‖xⱼ‖² − ‖Qᵀxⱼ‖²     U = (X_AᵀX_A)⁻¹X_AᵀX     G = (X_AᵀX_A)⁻¹
//! ```
//!
//! A step costs two passes over the k rows of U, the best exchange one, and no
//! observation is touched. Everything is f64, but products of columns lose the
//! digits that residuals keep: a walk goes by these numbers, what it reports is
//! fitted anew.
//!
//! Terms of several columns enter column by column. What joining or replacing one
//! does is in [`super::blocks`].

use pulp::Simd;

use super::{
    blocks::{self, Blocks, SweptModel},
    closures::Families,
    gains::{LEAST, additions, exchanges},
    step::Step,
};
use crate::{
    design::Terms,
    device::GramPool,
    vector::{add_scaled, vectorised},
};

const REBUILD_EVERY: usize = 64;

/// Falls whose ratio is closer to one than this count as equal.
const TIE: f64 = 1e-9;

#[derive(Debug, Clone)]
pub(super) struct Tableau {
    /// The model's terms, by their positions in the pool.
    pub(super) members: Vec<usize>,
    /// Places of the model's columns; *positions* count along it. Where each column is a term, they are
    /// the members.
    pub(super) columns: Vec<usize>,
    /// U, a row a position.
    rows: Vec<f64>,
    /// G, dense.
    inverse: Vec<f64>,
    coefficients: Vec<f64>,
    /// e.
    products: Vec<f64>,
    /// s.
    rest: Vec<f64>,
    /// RSS, the response at unit norm.
    pub(super) rss: f64,
    /// What the model leaves of terms of several columns.
    blocks: Blocks,
    /// And of those that need others, with these.
    families: Families,
    steps: usize,
    scratch: Vec<f64>,
}

impl Tableau {
    /// The model of these terms, which may need others by a rule; a response of unit norm.
    pub(super) fn new(pool: &GramPool, rule: Option<&Terms>, members: &[usize]) -> Self {
        let width = pool.xty().len();
        let mut tableau = Self {
            members: Vec::new(),
            columns: Vec::new(),
            rows: Vec::new(),
            inverse: Vec::new(),
            coefficients: Vec::new(),
            products: pool.xty().to_vec(),
            rest: vec![1.0; width],
            rss: pool.rss(),
            blocks: Blocks::new(pool),
            families: Families::new(pool, rule),
            steps: 0,
            scratch: vec![0.0; width],
        };
        for &term in members {
            tableau.add(pool, term);
        }
        tableau
    }

    /// Adds a term; what the model explains of it is left out, and the term if that is all.
    fn add(&mut self, pool: &GramPool, term: usize) {
        let before = self.columns.len();
        for place in pool.places(term) {
            add(self, pool, place);
        }
        if self.columns.len() > before {
            self.members.push(term);
        }
    }

    /// Removes a term, by its index; columns that only it explained enter.
    fn remove(&mut self, pool: &GramPool, index: usize) {
        let term = self.members.remove(index);
        if pool.is_plain() {
            return remove(self, index);
        }
        let places = pool.places(term);
        for position in (0..self.columns.len()).rev() {
            if places.contains(&self.columns[position]) {
                remove(self, position);
            }
        }
        for at in 0..self.members.len() {
            for place in pool.places(self.members[at]) {
                if !self.columns.contains(&place) {
                    add(self, pool, place);
                }
            }
        }
    }

    /// Whether columns of the model's terms are left out.
    pub(super) fn is_partial(&self, pool: &GramPool) -> bool {
        let widths = self.members.iter().map(|term| pool.places(*term).len());
        self.columns.len() < widths.sum()
    }

    pub(super) fn step(
        &mut self,
        (pool, rule): (&GramPool, Option<&Terms>),
        leaves: Option<usize>,
        joins: Option<usize>,
    ) {
        if let Some(index) = leaves {
            self.remove(pool, index);
        }
        if let Some(term) = joins {
            self.add(pool, term);
        }
        self.steps += 1;
        if self.steps >= REBUILD_EVERY.max(2 * self.columns.len()) {
            *self = Self::new(pool, rule, &self.members);
        }
    }

    /// Takes a step with all terms that go with it.
    pub(super) fn take(&mut self, place: (&GramPool, Option<&Terms>), step: &Step) {
        let leaving = step.leaves.map(|index| self.members[index]);
        for term in &step.beside {
            let index = self.members.iter().position(|own| own == term);
            match leaving {
                Some(_) => self.step(place, index, None),
                None => self.step(place, None, Some(*term)),
            }
        }
        let index = self.members.iter().position(|own| Some(*own) == leaving);
        self.step(place, index, step.joins);
    }

    /// The best additions, drops and exchanges: those by which RSS falls most, of each number of
    /// parameters. Of the pool's terms those are added that are `open` (1, else 0), of the model's those
    /// leave that are `free`; where terms have several columns or need others, those that they allow.
    pub(super) fn best_steps(
        &mut self,
        pool: &GramPool,
        open: &[f64],
        (free, rule): (impl Fn(usize) -> bool, Option<&Terms>),
    ) -> Vec<Step> {
        if let Some(rule) = rule {
            return blocks::best_steps(&self.swept(), pool, open, (free, rule));
        }
        let exchange = self.best_exchange(open, &free);
        let addition = self.best_addition(open);
        let drop = self.best_drop(&free);
        [exchange, addition, drop].into_iter().flatten().collect()
    }

    /// The addition by which RSS falls most, of the places that are `open` (1,
    /// else 0).
    fn best_addition(&mut self, open: &[f64]) -> Option<Step> {
        let most = additions(&self.products, &self.rest, open, &mut self.scratch);
        let step = self.first(most, 0.0, None)?;
        Some(Step {
            parameters: 1,
            ..step
        })
    }

    /// The drop by which RSS rises least, of the positions that are `free`.
    fn best_drop(&self, free: impl Fn(usize) -> bool) -> Option<Step> {
        let (mut leaves, mut most) = (None, f64::NEG_INFINITY);
        for (position, &place) in self.members.iter().enumerate() {
            let (cost, _) = self.cost(position);
            if free(place) && -cost > most {
                (leaves, most) = (Some(position), -cost);
            }
        }
        leaves.map(|_| Step {
            fall: most,
            leaves,
            joins: None,
            beside: Vec::new(),
            parameters: -1,
        })
    }

    /// The exchange by which RSS falls most (or rises least), of the positions
    /// that are `free` for places that are `open`.
    fn best_exchange(&mut self, open: &[f64], free: impl Fn(usize) -> bool) -> Option<Step> {
        let mut best: Option<(f64, usize)> = None;
        for position in 0..self.members.len() {
            if !free(self.members[position]) {
                continue;
            }
            let (most, cost) = self.gains_without(position, open);
            if most > 0.0 && best.is_none_or(|(fall, _)| most - cost > fall + TIE * most) {
                best = Some((most - cost, position));
            }
        }
        let (_, position) = best?;
        let (most, cost) = self.gains_without(position, open);
        self.first(most, cost, Some(position))
    }

    /// Fills the scratch with what each open place would gain once a position has
    /// left; the largest, and what the leaving costs.
    fn gains_without(&mut self, position: usize, open: &[f64]) -> (f64, f64) {
        let width = self.products.len();
        let (cost, inverse) = self.cost(position);
        let leaving = [self.coefficients[position] * inverse, inverse];
        let row = &self.rows[position * width..][..width];
        let gains = &mut self.scratch;
        let most = exchanges(&self.products, &self.rest, open, row, leaving, gains);
        (most, cost)
    }

    fn swept(&self) -> SweptModel<'_> {
        SweptModel {
            members: &self.members,
            columns: &self.columns,
            rows: &self.rows,
            inverse: &self.inverse,
            coefficients: &self.coefficients,
            products: &self.products,
            blocks: &self.blocks,
            families: &self.families,
        }
    }

    /// The first place in the scratch that equals the most.
    fn first(&self, most: f64, cost: f64, leaves: Option<usize>) -> Option<Step> {
        let equal = most * (1.0 - TIE);
        let joins = self.scratch.iter().position(|gain| *gain >= equal);
        joins.filter(|_| most > 0.0).map(|_| Step {
            fall: most - cost,
            leaves,
            joins,
            beside: Vec::new(),
            parameters: 0,
        })
    }

    /// What dropping a position alone costs, β̂²/g, and 1/g.
    fn cost(&self, position: usize) -> (f64, f64) {
        let k = self.columns.len();
        let inverse = 1.0 / self.inverse[position * k + position];
        (self.coefficients[position].powi(2) * inverse, inverse)
    }
}

vectorised! {
    fn add<'a>(tableau: &'a mut Tableau, pool: &'a GramPool, place: usize) -> () = add_body;
}

/// A column that the model explains is left out.
#[inline(always)]
fn add_body<S: Simd>(_: S, t: &mut Tableau, pool: &GramPool, place: usize) {
    let (k, width) = (t.columns.len(), t.products.len());
    let s = t.rest[place];
    if s < LEAST {
        return;
    }
    // The column's products with what the model leaves of every column.
    let g = pool.products(place);
    t.scratch.copy_from_slice(g);
    for (row, &member) in t.rows.chunks(width).zip(&t.columns) {
        add_scaled(&mut t.scratch, -g[member], row);
    }
    let step = t.products[place] / s;
    let mut u = Vec::with_capacity(k + 1);
    for row in t.rows.chunks_mut(width) {
        u.push(row[place]);
        add_scaled(row, -row[place] / s, &t.scratch);
    }
    for ((e, rest), c) in t.products.iter_mut().zip(&mut t.rest).zip(&t.scratch) {
        *e -= step * c;
        *rest -= c * c / s;
    }
    t.rss -= step * step * s;
    for (b, u) in t.coefficients.iter_mut().zip(&u) {
        *b -= step * u;
    }
    t.coefficients.push(step);
    t.rows.extend(t.scratch.iter().map(|c| c / s));
    // G grows by a row and a column: v·vᵀ/s with v = (−u, 1).
    u.iter_mut().for_each(|u| *u = -*u);
    u.push(1.0);
    let old = std::mem::replace(&mut t.inverse, vec![0.0; (k + 1) * (k + 1)]);
    for (i, row) in t.inverse.chunks_mut(k + 1).enumerate() {
        if i < k {
            row[..k].copy_from_slice(&old[i * k..][..k]);
        }
        add_scaled(row, u[i] / s, &u);
    }
    t.blocks.change(&t.scratch, -1.0 / s);
    t.families.change(&t.scratch, -1.0 / s);
    t.columns.push(place);
    (t.products[place], t.rest[place]) = (0.0, 0.0);
}

vectorised! {
    fn remove<'a>(tableau: &'a mut Tableau, position: usize) -> () = remove_body;
}

#[inline(always)]
fn remove_body<S: Simd>(_: S, t: &mut Tableau, position: usize) {
    let (k, width) = (t.columns.len(), t.products.len());
    t.scratch
        .copy_from_slice(&t.rows[position * width..][..width]);
    let g: Vec<f64> = t.inverse[position * k..][..k].to_vec();
    let d = 1.0 / g[position];
    let step = t.coefficients[position] * d;
    for ((e, rest), u) in t.products.iter_mut().zip(&mut t.rest).zip(&t.scratch) {
        *e += step * u;
        *rest += u * u * d;
    }
    t.rss += t.coefficients[position] * step;
    // Row by row without the one that leaves; G without its row and column.
    let mut kept = Vec::with_capacity((k - 1) * (k - 1));
    for (i, row) in t.rows.chunks_mut(width).enumerate() {
        if i != position {
            add_scaled(row, -g[i] * d, &t.scratch);
            t.coefficients[i] -= g[i] * step;
            let without = t.inverse[i * k..][..k].iter().zip(&g).enumerate();
            let without = without.filter(|(j, _)| *j != position);
            kept.extend(without.map(|(_, (v, h))| v - g[i] * h * d));
        }
    }
    t.inverse = kept;
    t.rows.drain(position * width..(position + 1) * width);
    t.coefficients.remove(position);
    t.columns.remove(position);
    t.blocks.change(&t.scratch, d);
    t.families.change(&t.scratch, d);
}

#[cfg(test)]
mod tests;
