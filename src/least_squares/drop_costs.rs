//! What dropping a term costs.

use super::Fit;
use crate::{cholesky, design::Columns};

impl Fit {
    /// The rise in RSS if a term were dropped, and the columns that would leave with it, in the order of
    /// [`Fit::terms`].
    pub(crate) fn term_drop_costs(&self, x: Columns) -> Vec<(f64, usize)> {
        if x.terms().is_none() {
            return self.drop_costs().map(|cost| (cost, 1)).collect();
        }
        if self.is_partial {
            let without = |position| {
                let mut fit = self.clone();
                fit.drop(x, position);
                let rise = (fit.rss - self.rss).max(0.0);
                (rise, self.support.len().saturating_sub(fit.support.len()))
            };
            return (0..self.terms.len()).map(without).collect();
        }
        let inverse = self.inverse_gram();
        let cost = |term: &u32| {
            let positions = self.positions(x, *term);
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
}
