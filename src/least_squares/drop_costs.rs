//! What dropping a term costs.

use super::{Fit, FitView};
use crate::{
    cholesky,
    design::Columns,
    vector::{add_scaled, packed_columns},
};

impl Fit {
    /// The rise in RSS if a term were dropped, with those that need it, and the columns that would leave
    /// with it, in the order of [`Fit::terms`].
    pub(crate) fn term_drop_costs(&self, x: Columns) -> Vec<(f64, usize)> {
        if x.terms().is_none() {
            return self.drop_costs().map(|cost| (cost, 1)).collect();
        }
        if !self.is_partial {
            return self.view().term_drop_costs(x);
        }
        let without = |term: &u32| {
            let mut fit = self.clone();
            fit.drop_all(x, &leaving(x, *term, &self.terms));
            let rise = (fit.rss() - self.rss()).max(0.0);
            (rise, self.support.len().saturating_sub(fit.support.len()))
        };
        self.terms.iter().map(without).collect()
    }

    /// Drops these terms, as far as the model has them.
    pub(crate) fn drop_all(&mut self, x: Columns, terms: &[u32]) {
        for term in terms {
            if let Some(position) = self.terms.iter().position(|own| own == term) {
                self.drop(x, position);
            }
        }
    }
}

impl FitView<'_> {
    /// As [`Fit::term_drop_costs`], of a model that holds all columns of its terms. Asks nothing of the residual.
    pub(crate) fn term_drop_costs(&self, x: Columns) -> Vec<(f64, usize)> {
        let cost = |term: &u32| {
            let terms = leaving(x, *term, self.terms);
            let (_, z) = self.without(&self.positions_of(x, &terms));
            (z.iter().map(|z| z * z).sum(), z.len())
        };
        self.terms.iter().map(cost).collect()
    }

    /// What takes the columns of some terms out of the model at the least cost of its quadratic: the steps of the linear
    /// predictors, and this cost.
    ///
    /// *Shapes:* n steps.
    pub(crate) fn steps_without(&self, x: Columns, terms: &[u32]) -> (Vec<f64>, f64) {
        let positions = self.positions_of(x, terms);
        let (factor, mut z) = self.without(&positions);
        let cost = z.iter().map(|z| z * z).sum();
        cholesky::solve_transposed(&factor, &mut z);
        // β̂ moves by −TTᵀ(0, z), so that what leaves has no coefficient.
        let (mut moves, mut constant) = (vec![0.0; self.support.len()], 0.0);
        let intercept = self.weighted.map_or(&[][..], |own| own.intercept);
        for (at, t) in packed_columns(self.inverse).enumerate() {
            let entries = positions.iter().zip(&z).filter(|(row, _)| **row <= at);
            let q: f64 = entries.map(|(row, z)| t[*row] * z).sum();
            moves.iter_mut().zip(t).for_each(|(own, t)| *own -= q * t);
            constant -= q * intercept.get(at + 1).copied().unwrap_or(0.0);
        }
        let mut steps = vec![constant; x.n()];
        for (column, step) in self.support.iter().zip(moves) {
            add_scaled(&mut steps, step, x.column(*column));
        }
        (steps, cost)
    }

    /// The factor L of the entries of (X_AᵀX_A)⁻¹ at some positions, and z = L⁻¹β̂ there.
    fn without(&self, positions: &[usize]) -> (Vec<f64>, Vec<f64>) {
        let k = self.support.len();
        let t = |row: usize, column: usize| self.inverse[column * (column + 1) / 2 + row];
        // (X_AᵀX_A)⁻¹ = T·Tᵀ.
        let inverse = |a: usize, b: usize| -> f64 {
            let columns = a.max(b)..k;
            columns.map(|column| t(a, column) * t(b, column)).sum()
        };
        let mut block = Vec::with_capacity(positions.len() * positions.len());
        for a in positions {
            block.extend(positions.iter().map(|b| inverse(*a, *b)));
        }
        let own = positions.iter().map(|at| self.coefficients[*at]);
        let mut own: Vec<f64> = own.collect();
        cholesky::factor(&mut block, own.len(), 0.0);
        cholesky::solve(&block, &mut own);
        (block, own)
    }

    fn positions_of(&self, x: Columns, terms: &[u32]) -> Vec<usize> {
        let positions = terms.iter().flat_map(|term| self.positions(x, *term));
        positions.collect()
    }

    /// The positions of a term's columns in the support, ascending.
    pub(super) fn positions(&self, x: Columns, term: u32) -> Vec<usize> {
        let columns = x.columns_of(term);
        let support = self.support.iter().enumerate();
        let own = support.filter(|(_, column)| columns.contains(column));
        own.map(|(position, _)| position).collect()
    }
}

/// A term of a model and those that need it.
fn leaving(x: Columns, term: u32, model: &[u32]) -> Vec<u32> {
    [&[term][..], &x.standing_on(term, model)].concat()
}
