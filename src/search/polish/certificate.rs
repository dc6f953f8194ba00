//! The certificate of models that have a likelihood: every model one change away is worse, by a bound or by its fit.
//!
//! The models that a term joins are neighbours of the best one; those that exchange one are neighbours of the best
//! model without the term that leaves. Where the loss has a dual bound ([`Device::find_joining`]
//! (crate::device::Device::find_joining)) most are settled by it.

use rayon::prelude::*;

use super::{
    super::problem::{Size, rises},
    candidate::{Candidate, PolishContext},
};
use crate::{
    device::{DeviceError, Devices},
    family::FitStatus,
    least_squares::{Fit, FitView},
    selection::Settled,
};

/// What a certificate found.
pub(super) enum Verdict {
    /// A better model.
    Better(Candidate),
    /// None: of models with a likelihood, how that is known.
    Best(Option<Settled>),
    /// Not known: the limits came first, or a fit did not converge.
    Unknown,
}

impl PolishContext<'_> {
    /// Whether a model of least φ among those one change away is better. Without a likelihood the sweep has told.
    pub(super) fn certify(
        &self,
        best: &Candidate,
        devices: &mut Devices,
    ) -> Result<Verdict, DeviceError> {
        let problem = self.problem;
        let (x, keep) = (problem.x, problem.keep);
        let Some(likelihood) = x.likelihood() else {
            return Ok(Verdict::Best(None));
        };
        let is_kept = |term: &u32| keep.binary_search(term).is_ok();
        let mut settled = Settled::default();
        // The best model, and it without each term that may leave, with those that stand on it.
        let members = best.fit.members();
        let leaving = members.iter().map(|term| {
            let mut leaving = x.standing_on(*term, &members);
            leaving.push(*term);
            leaving
        });
        let leaving: Vec<Vec<u32>> = leaving.filter(|all| !all.iter().any(is_kept)).collect();
        let dropped = self.fit_all(&leaving, |leaving| {
            let mut fit = best.fit.clone();
            fit.drop_all(x, leaving);
            Some(fit)
        });
        settled.by_fit += dropped.len();
        let mut lower: Option<Candidate> = None;
        let mut is_cut = dropped.len() < leaving.len();
        // Terms that leave together with others do so alone.
        let bases = std::iter::once(&best.fit).chain(dropped.iter().zip(&leaving).filter_map(
            |(fit, leaving)| fit.as_ref().filter(|_| leaving.len() == 1),
        ));
        let bases: Vec<&Fit> = bases.collect();
        let mut fits: Vec<(usize, Vec<u32>)> = Vec::new();
        if x.terms().is_none() && likelihood.has_bounds() {
            let views: Vec<FitView> = bases.iter().map(|fit| fit.view()).collect();
            let least = bases.iter().map(|fit| self.least_fall(fit, best.value));
            let least: Vec<f64> = least.collect();
            let stop = || self.limits.stop();
            let open = devices.find_joining(&views, &least, &stop)?;
            let candidates = x.p() - members.len();
            let pairs = candidates * bases.len();
            for (at, open) in open.into_iter().enumerate() {
                // The term that left may not return: that is the best model.
                let open = open.into_iter().filter(|j| members.binary_search(j).is_err());
                fits.extend(open.map(|j| (at, vec![j])));
            }
            settled.by_bound += pairs - fits.len().min(pairs);
            if self.limits.stop() {
                return Ok(Verdict::Unknown);
            }
            x.fetch(fits.iter().flat_map(|(_, terms)| terms.iter().copied()))?;
        } else {
            for (at, fit) in bases.iter().enumerate() {
                let own = fit.members();
                for term in self.terms() {
                    if members.binary_search(&term).is_ok() {
                        continue;
                    }
                    match x.terms() {
                        Some(terms) if !terms.admits(term, &own, None) => {
                            // A closure joins the best model alone.
                            if at == 0 {
                                terms.each_way_in(term, &own, |beside| {
                                    fits.push((0, [beside, &[term]].concat()));
                                });
                            }
                        }
                        _ => fits.push((at, vec![term])),
                    }
                }
            }
        }
        let has_room = |(at, terms): &(usize, Vec<u32>)| {
            bases[*at].support().len() + x.width_of(terms) <= problem.max_size
        };
        fits.retain(has_room);
        let joined = self.fit_all(&fits, |(at, terms)| {
            let mut fit = bases[*at].clone();
            terms.iter().try_for_each(|term| fit.add(x, *term)).ok()?;
            Some(fit)
        });
        is_cut |= joined.len() < fits.len();
        settled.by_fit += joined.len();
        for fit in dropped.into_iter().chain(joined).flatten() {
            let is_fitted = |own: &crate::family::FamilyFit| own.status() != FitStatus::NotConverged;
            is_cut |= !fit.family().is_some_and(is_fitted);
            let value = problem.objective.of_fit(&fit);
            let least = lower.as_ref().map_or(best.value, |own| own.value);
            if rises(value, least) {
                lower = Some(Candidate { fit, value });
            }
        }
        // Fitted from scratch, the last digits may differ, and with them the verdict.
        let anew = lower.map(|own| self.fitted(&own.fit.members()));
        Ok(match anew.filter(|own| rises(own.value, best.value)) {
            Some(better) => Verdict::Better(better),
            None if is_cut || self.limits.stop() => Verdict::Unknown,
            None => Verdict::Best(Some(settled)),
        })
    }

    /// Fits models, unless the limits come first: then there are fewer. None for those that cannot be.
    fn fit_all<T: Sync>(
        &self,
        models: &[T],
        fit: impl Fn(&T) -> Option<Fit> + Sync,
    ) -> Vec<Option<Fit>> {
        let own = |model: &T| match self.limits.stop() {
            true => None,
            false => Some(fit(model)),
        };
        let all: Vec<Option<Option<Fit>>> = match self.threads > 1 {
            true => models.par_iter().map(own).collect(),
            false => models.iter().map(own).collect(),
        };
        all.into_iter().map_while(|own| own).collect()
    }

    /// The least fall in the loss by which a model with a term more would be better than a value; ∞ where none is.
    fn least_fall(&self, fit: &Fit, value: f64) -> f64 {
        let before = Size::of(fit);
        let size = Size {
            terms: before.terms + 1,
            parameters: before.parameters + 1,
        };
        if size.parameters > self.problem.max_size {
            return f64::INFINITY;
        }
        let is_better =
            |fall: f64| rises(self.problem.objective.floored(size, fit.rss() - fall), value);
        let (mut low, mut high) = (0.0, fit.rss());
        if !is_better(high) {
            return f64::INFINITY;
        }
        if is_better(low) {
            return 0.0;
        }
        // By exponents first: the loss may be far above what the criterion charges.
        for _ in 0..200 {
            let middle = match low > 0.0 && high > 4.0 * low {
                true => (low * high).sqrt(),
                false if low == 0.0 => high / 1024.0,
                false => 0.5 * (low + high),
            };
            if middle <= low || middle >= high || high - low <= 1e-12 * high {
                break;
            }
            match is_better(middle) {
                true => high = middle,
                false => low = middle,
            }
        }
        low
    }
}
