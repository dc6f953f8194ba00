//! The certificate of models that have a likelihood: every model one change away is worse, by a bound or by its fit.
//!
//! The models that a term joins are neighbours of the best one; those that exchange one are neighbours of the best
//! model without the term that leaves. Where the loss has a bound ([`Device::find_joining`]
//! (crate::device::Device::find_joining)) most are settled by it.

use std::ops::Range;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    super::problem::{Size, rises},
    candidate::{Candidate, PolishContext},
};
use crate::{
    device::{DeviceError, Devices},
    least_squares::{Fit, FitView},
    selection::Settled,
};

/// Numbers of residuals and factors that are swept at a time.
const BATCH: usize = 32 << 20;

/// What a certificate found.
pub(super) enum Verdict {
    /// A better model.
    Better(Box<Candidate>),
    /// None: of models with a likelihood, how that is known.
    Best(Option<Settled>),
    /// Not known: the limits came first, or a fit did not converge.
    Unknown,
}

/// By how much, relative to it, a value is clearly above another: far more than fits on devices are off.
const CLEARLY: f64 = 1e-8;

/// What one rank's fits of joining terms say.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Joined {
    fitted: usize,
    /// Whether the limits came first, or a fit did not converge.
    is_cut: bool,
    /// Models that are better, with their numbers among all, and their values.
    pub(super) better: Vec<(u64, f64, Vec<u32>)>,
}

/// A model that a term joins, with those that it needs.
pub(super) struct Neighbour {
    /// Its place among all, of every rank.
    number: u64,
    /// The model, by its place.
    base: usize,
    term: u32,
    beside: Vec<u32>,
}

impl Neighbour {
    /// A model, by its place, that one of so many terms joins.
    pub(super) fn joined((base, terms): (usize, u64), term: u32, beside: &[u32]) -> Self {
        Self {
            number: base as u64 * terms + u64::from(term),
            base,
            term,
            beside: beside.to_vec(),
        }
    }
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
        if !best.fit.has_converged() {
            return Ok(Verdict::Unknown);
        }
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
        let dropped = self.in_parallel(&leaving, |leaving| {
            let mut fit = best.fit.clone();
            fit.drop_all(x, leaving);
            fit
        });
        settled.by_fit += dropped.len();
        if dropped.len() < leaving.len() {
            return Ok(Verdict::Unknown);
        }
        // Terms that leave together with others do so alone.
        let alone = dropped.iter().zip(&leaving);
        let alone = alone.filter_map(|(fit, leaving)| (leaving.len() == 1).then_some(fit));
        let bases: Vec<&Fit> = std::iter::once(&best.fit).chain(alone).collect();
        let own = self.own_terms();
        let is_own = |term: u32| own.contains(&(term as usize));
        let count = x.term_count() as u64;
        let neighbour =
            |base: usize, term: u32, beside: &[u32]| Neighbour::joined((base, count), term, beside);
        let mut told = Joined::default();
        if x.terms().is_none() && likelihood.has_joining_bounds() {
            let views: Vec<FitView> = bases.iter().map(|fit| fit.view()).collect();
            let open = self.find_joining(&bases, &views, best.value, devices)?;
            let mut fits = Vec::new();
            for (at, open) in open.into_iter().enumerate() {
                // The term that left may not return: that is the best model.
                let open = open.into_iter();
                let open = open.filter(|j| members.binary_search(j).is_err());
                fits.extend(open.map(|j| neighbour(at, j, &[])));
            }
            if self.limits.stop() {
                return Ok(Verdict::Unknown);
            }
            let have_room = bases
                .iter()
                .filter(|fit| fit.support().len() < problem.max_size);
            let pairs = (x.p() - members.len()) * have_room.count();
            settled.by_bound += pairs - fits.len().min(pairs);
            fits.retain(|own| is_own(own.term));
            self.judge_joined(devices, (&bases, best.value), fits, &mut told)?;
        } else {
            for (at, fit) in bases.iter().enumerate() {
                // Those of one model at a time: of all they may be many.
                let mut fits = Vec::new();
                let own = fit.members();
                for term in self.terms().filter(|term| is_own(*term)) {
                    if members.binary_search(&term).is_ok() {
                        continue;
                    }
                    match x.terms() {
                        Some(terms) if !terms.admits(term, &own, None) => {
                            // A closure joins the best model alone.
                            if at == 0 {
                                terms.each_way_in(term, &own, |beside| {
                                    fits.push(neighbour(0, term, beside));
                                });
                            }
                        }
                        _ => fits.push(neighbour(at, term, &[])),
                    }
                }
                self.judge_joined(devices, (&bases, best.value), fits, &mut told)?;
            }
        }
        let Joined {
            fitted,
            mut is_cut,
            better,
        } = self.gather_joined(told)?;
        settled.by_fit += fitted;
        let mut lower: Option<(f64, Vec<u32>)> = None;
        let dropped =
            dropped
                .iter()
                .map(|fit| self.judged(fit))
                .map(|(value, is_optimum, members)| {
                    is_cut |= !is_optimum;
                    (value, members)
                });
        for (value, members) in dropped.chain(better.into_iter().map(|own| (own.1, own.2))) {
            let least = lower.as_ref().map_or(best.value, |own| own.0);
            if rises(value, least) {
                lower = Some((value, members));
            }
        }
        if let Some((_, members)) = &lower {
            devices.bring_to_host(members.iter().copied())?;
        }
        // Fitted from scratch, the last digits may differ, and with them the verdict.
        let anew = lower.map(|(_, members)| self.fitted(&members));
        Ok(match anew.filter(|own| rises(own.value, best.value)) {
            Some(better) => Verdict::Better(Box::new(better)),
            None if is_cut || self.limits.stop() => Verdict::Unknown,
            None => Verdict::Best(Some(settled)),
        })
    }

    /// The terms that join models on this rank: of its own columns.
    pub(super) fn own_terms(&self) -> Range<usize> {
        let x = self.problem.x;
        match self.limits.communicator {
            Some(_) if x.is_partitioned() => x.local(),
            Some(ranks) => ranks.local_range(x.term_count()),
            None => 0..x.term_count(),
        }
    }

    /// For each model the columns whose joining may bring φ below a value, by a bound on the likelihood.
    pub(super) fn find_joining(
        &self,
        bases: &[&Fit],
        views: &[FitView],
        value: f64,
        devices: &mut Devices,
    ) -> Result<Vec<Vec<u32>>, DeviceError> {
        let least = bases.iter().map(|fit| self.least_fall(fit, value));
        let least: Vec<f64> = least.collect();
        let stop = || self.limits.stop();
        let width: usize = bases.iter().map(|fit| fit.support().len() + 2).sum();
        let batches = (width * self.problem.x.n()).div_ceil(BATCH);
        let each = bases.len().div_ceil(batches.clamp(1, bases.len().max(1)));
        let mut all = Vec::with_capacity(bases.len());
        for (views, least) in views.chunks(each.max(1)).zip(least.chunks(each.max(1))) {
            all.extend(devices.find_joining(views, least, &stop)?);
        }
        Ok(all)
    }

    /// What the fits of all ranks say, in the order of one process; ways in of one term are in theirs.
    pub(super) fn gather_joined(&self, told: Joined) -> Result<Joined, DeviceError> {
        let all = match self.limits.communicator {
            Some(ranks) => ranks.gather(&told)?,
            None => vec![told],
        };
        let mut together = Joined::default();
        for own in all {
            together.fitted += own.fitted;
            together.is_cut |= own.is_cut;
            together.better.extend(own.better);
        }
        together.better.sort_by_key(|(number, ..)| *number);
        Ok(together)
    }

    /// φ of a fit, whether it is an optimum, and its terms.
    fn judged(&self, fit: &Fit) -> (f64, bool, Vec<u32>) {
        let value = self.problem.objective.of_fit(fit);
        (value, fit.has_converged(), fit.members())
    }

    /// Fits neighbours that terms of this rank join, and notes those whose φ is below that of the best model. Devices fit
    /// those that are clearly no better; the others are decided by fits of the host.
    pub(super) fn judge_joined(
        &self,
        devices: &mut Devices,
        (bases, value): (&[&Fit], f64),
        neighbours: Vec<Neighbour>,
        told: &mut Joined,
    ) -> Result<(), DeviceError> {
        let problem = self.problem;
        let x = problem.x;
        let losses = match x.terms() {
            None => {
                let pairs = neighbours.iter().map(|own| (own.base, own.term));
                let views: Vec<FitView> = bases.iter().map(|fit| fit.view()).collect();
                let stop = || self.limits.stop();
                devices.fit_joined(&views, &Vec::from_iter(pairs), &stop)?
            }
            Some(_) => vec![None; neighbours.len()],
        };
        let is_worse = |base: usize, loss: f64| {
            let size = Size::of(bases[base]);
            let size = Size {
                terms: size.terms + 1,
                parameters: size.parameters + 1,
            };
            let own = problem.objective.floored(size, loss);
            own - value > CLEARLY * (1.0 + value.abs())
        };
        let all = neighbours.len();
        let open: Vec<Neighbour> = neighbours
            .into_iter()
            .zip(losses)
            .filter(|(own, loss)| !loss.is_some_and(|loss| is_worse(own.base, loss)))
            .map(|(own, _)| own)
            .collect();
        told.fitted += all - open.len();
        let joined = self.in_parallel(&open, |own| {
            let mut fit = bases[own.base].clone();
            let mut terms = own.beside.iter().chain([&own.term]);
            let joins = terms.try_for_each(|term| fit.add(x, *term));
            // A model that explains the term, or has no room for it, is no neighbour.
            let is_model = joins.is_ok() && fit.support().len() <= problem.max_size;
            is_model.then(|| (own.number, self.judged(&fit)))
        });
        told.is_cut |= joined.len() < open.len();
        for (number, (own, is_optimum, members)) in joined.into_iter().flatten() {
            told.fitted += 1;
            told.is_cut |= !is_optimum;
            if rises(own, value) {
                told.better.push((number, own, members));
            }
        }
        Ok(())
    }

    /// What models are, unless the limits come first: then there are fewer.
    pub(super) fn in_parallel<T: Sync, U: Send>(
        &self,
        models: &[T],
        of: impl Fn(&T) -> U + Sync,
    ) -> Vec<U> {
        let own = |model: &T| match self.limits.stop() {
            true => None,
            false => Some(of(model)),
        };
        let all: Vec<Option<U>> = match self.threads > 1 {
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
        let is_better = |fall: f64| {
            rises(
                self.problem.objective.floored(size, fit.rss() - fall),
                value,
            )
        };
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
