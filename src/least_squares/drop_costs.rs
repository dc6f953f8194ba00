//! What dropping a term costs.

use super::Fit;
use crate::{cholesky, design::Columns};

impl Fit {
    /// The rise in RSS if a term were dropped, with those that need it, and the columns that would leave
    /// with it, in the order of [`Fit::terms`].
    pub(crate) fn term_drop_costs(&self, x: Columns) -> Vec<(f64, usize)> {
        if x.terms().is_none() {
            return self.drop_costs().map(|cost| (cost, 1)).collect();
        }
        let leaving = |term: &u32| [&[*term][..], &x.standing_on(*term, &self.terms)].concat();
        if self.is_partial {
            let without = |position: usize| {
                let mut fit = self.clone();
                fit.drop_all(x, &leaving(&self.terms[position]));
                let rise = (fit.rss - self.rss).max(0.0);
                (rise, self.support.len().saturating_sub(fit.support.len()))
            };
            return (0..self.terms.len()).map(without).collect();
        }
        let inverse = self.inverse_gram();
        let cost = |term: &u32| {
            let terms = leaving(term);
            let positions = terms.iter().flat_map(|term| self.positions(x, *term));
            let positions: Vec<usize> = positions.collect();
            let (mut block, k) = (Vec::new(), self.support.len());
            for a in &positions {
                block.extend(positions.iter().map(|b| inverse[a * k + b]));
            }
            let own = positions.iter().map(|at| self.coefficients[*at]);
            let mut own: Vec<f64> = own.collect();
            cholesky::factor(&mut block, own.len(), 0.0);
            cholesky::solve(&block, &mut own);
            (own.iter().map(|z| z * z).sum(), own.len())
        };
        self.terms.iter().map(cost).collect()
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
