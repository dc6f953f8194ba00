//! What predicts by the result of a search.

use super::{
    SearchResult,
    problem::is_exact,
    refits::{REFIT_WORK, REPORTED},
};
use crate::{
    design::Design, formula::FormulaError, least_squares::Fit, prediction::Model,
    sandwich::Sandwich, threads::map_each,
};

/// About how many passes over the observations the fit of a likelihood takes.
const STEPS: usize = 8;

impl SearchResult {
    /// The best model, as what predicts.
    ///
    /// # Errors
    /// A part of the formula whose text is not read back as it is.
    pub fn model(&self, design: &Design) -> Result<Model, FormulaError> {
        Model::of(design, &self.estimated_fit(design), self.exact, &[])
    }

    /// The same with the equations of the other models that are reported, whose weights these are, as far as their fits are
    /// little work.
    pub(super) fn averaging_model(
        &self,
        design: &Design,
        estimated: &Fit,
        sandwich: Option<&Result<Sandwich, &'static str>>,
        weights: Vec<f64>,
    ) -> Result<Model, FormulaError> {
        let model = |met: &[(f64, (&Fit, bool))]| {
            Model::by_sandwich(design, (estimated, self.exact), sandwich, met)
        };
        let (x, y) = (design.columns(), design.y());
        let others = self.models.iter().take(REPORTED).skip(1);
        let others: Vec<&[u32]> = others.map(|own| &*own.members).collect();
        let steps = design.likelihood().map_or(1, |_| STEPS);
        let work = |members: &&[u32]| x.n() * x.width_of(members).pow(2) * steps;
        if others.iter().map(work).sum::<usize>() > REFIT_WORK {
            return model(&[]);
        }
        // Of those that other ranks hold, or that stay in a file, the host may lack some.
        let columns = others.iter().flat_map(|own| own.iter());
        let columns = columns.flat_map(|term| x.columns_of(*term));
        if x.fetch(columns).is_err() {
            return model(&[]);
        }
        let fit = |members: &[u32]| {
            let own = match design.likelihood() {
                Some(_) => Fit::of_near(x, y, members, &self.fit),
                None => Fit::of(x, y, members).0,
            };
            let exact = is_exact(x.n(), &own);
            match design.firth() {
                true => (own.by_firth(x), exact),
                false => (own, exact),
            }
        };
        let fits: Vec<(Fit, bool)> = map_each(others, fit);
        let all = std::iter::once((estimated, self.exact));
        let all = all.chain(fits.iter().map(|(fit, exact)| (fit, *exact)));
        let met: Vec<_> = weights.into_iter().zip(all).collect();
        model(&met)
    }
}
