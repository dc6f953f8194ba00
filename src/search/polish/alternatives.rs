//! What could stand in the place of each variable of the best model: the exchanges by which φ rises little.
//!
//! Where φ follows from RSS a sweep of the model finds the columns of which some exchange is within the window, and each of
//! these is then projected in full precision. Of a likelihood the models that a term joins are those of the certificate
//! ([`super::certificate`]), with a higher value to stay below.

use std::collections::{BTreeSet, VecDeque};

use super::{
    super::problem::{Size, is_exact},
    candidate::{Candidate, FIT_WORK, PolishContext},
    certificate::{Joined, Neighbour},
};
use crate::{
    design::Columns,
    device::{DeviceError, Devices, ExchangeTerms},
    least_squares::{Fit, FitView},
    selection::Alternatives,
};

/// By how much φ may rise: a model further off has less than 5·10⁻⁵ times the weight exp(−Δ/2) of the best.
const WINDOW: f64 = 20.0;

/// What the sweep's numbers may be off by.
const SLACK: f64 = 1e-6;

/// Columns that one sweep lists. Where all of them are within the window, half of the variables are swept at a time.
const LISTED: usize = 1024;

/// Sweeps of one model, at most.
const SWEEPS: usize = 8;

impl PolishContext<'_> {
    /// What could stand in the place of each variable that is not kept. None of terms of several columns, of an exact fit,
    /// or where the limits came first; of likelihoods not of a variable for which too many models would be fitted.
    pub(in super::super) fn alternatives(
        &self,
        members: &[u32],
        devices: &mut Devices,
    ) -> Result<Vec<Alternatives>, DeviceError> {
        let x = self.problem.x;
        if x.terms().is_some() || self.limits.stop() {
            return Ok(Vec::new());
        }
        let best = self.fitted(members);
        if is_exact(x.n(), &best.fit) {
            return Ok(Vec::new());
        }
        let keep = self.problem.keep;
        let free = members
            .iter()
            .filter(|term| keep.binary_search(term).is_err());
        let free: Vec<u32> = free.copied().collect();
        let mut all = match x.likelihood() {
            None => self.by_sweeps(&best, free, devices)?,
            Some(_) => self.by_fits(&best, free, devices)?,
        };
        if self.limits.stop() {
            return Ok(Vec::new());
        }
        for own in &mut all {
            own.joins
                .sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        }
        let joining = all.iter().flat_map(|own| &own.joins);
        devices.bring_to_host(joining.map(|join| join.0))?;
        Ok(all)
    }

    /// By how much φ rises by an exchange that lowers RSS of the best model by so much.
    fn rise(&self, best: &Candidate, fall: f64) -> f64 {
        let objective = self.problem.objective;
        objective.floored(Size::of(&best.fit), best.fit.rss() - fall) - best.value
    }

    fn by_sweeps(
        &self,
        best: &Candidate,
        free: Vec<u32>,
        devices: &mut Devices,
    ) -> Result<Vec<Alternatives>, DeviceError> {
        let x = self.problem.x;
        let view = best.fit.view();
        let mut columns = BTreeSet::new();
        let mut groups = VecDeque::from([free.clone()]);
        let mut swept = 0;
        while let Some(group) = groups.pop_front() {
            if group.is_empty() {
                continue;
            }
            // The others stay.
            let stay = view.support.iter().filter(|term| !group.contains(term));
            let mut stay: Vec<u32> = stay.copied().collect();
            stay.sort_unstable();
            let stop = || self.limits.stop();
            let mut near = devices.find_neighbours(&[view], &stay, LISTED, &stop)?;
            let listed = near.pop().unwrap_or_default().exchanges;
            if self.limits.stop() {
                return Ok(Vec::new());
            }
            swept += 1;
            let within = listed
                .iter()
                .filter(|own| self.rise(best, own.fall) <= WINDOW + SLACK);
            let within: Vec<u32> = within.map(|own| own.column).collect();
            let is_cut = within.len() >= LISTED && group.len() > 1;
            if is_cut && swept + groups.len() + 2 <= SWEEPS {
                let (first, second) = group.split_at(group.len() / 2);
                groups.extend([first.to_vec(), second.to_vec()]);
            } else {
                columns.extend(within);
            }
        }
        let columns: Vec<u32> = columns.into_iter().collect();
        devices.bring_to_host(columns.iter().copied())?;
        let terms = ExchangeTerms::new(&view, self.problem.keep);
        let found = self.in_parallel(&columns, |column| {
            let falls = terms.exchanges(x, &view, *column);
            let rises = falls.map(|(at, fall)| (view.support[at], self.rise(best, fall)));
            Vec::from_iter(rises.filter(|(_, rise)| *rise <= WINDOW))
        });
        let of = |leaves: u32| {
            let found = columns.iter().zip(&found);
            let own = found.flat_map(|(column, exchanges)| {
                let own = exchanges.iter().filter(move |own| own.0 == leaves);
                own.map(|own| (*column, own.1))
            });
            Alternatives {
                leaves,
                joins: own.collect(),
            }
        };
        Ok(free.into_iter().map(of).collect())
    }

    fn by_fits(
        &self,
        best: &Candidate,
        free: Vec<u32>,
        devices: &mut Devices,
    ) -> Result<Vec<Alternatives>, DeviceError> {
        let x = self.problem.x;
        if !best.fit.has_converged() {
            return Ok(Vec::new());
        }
        let without = self.in_parallel(&free, |term| {
            let mut fit = best.fit.clone();
            fit.drop_all(x, &[*term]);
            fit
        });
        let bases: Vec<&Fit> = without.iter().collect();
        let most = best.value + WINDOW;
        let mut open = self.open(x, &bases, most, devices)?;
        if without.len() < free.len() || self.limits.stop() {
            return Ok(Vec::new());
        }
        for open in &mut open {
            open.retain(|term| !best.fit.terms().contains(term));
        }
        // As many fits as the polish may spend without a better model, for the variables that need fewest.
        let mut order: Vec<usize> = (0..free.len()).collect();
        order.sort_by_key(|at| open[*at].len());
        let each = FIT_WORK * (x.n() * (best.fit.support().len() + 2).pow(2)) as u64;
        let mut left = (self.idle_work() / each) as usize;
        order.retain(|at| {
            let rest = left.checked_sub(open[*at].len());
            left = rest.unwrap_or(0);
            rest.is_some()
        });
        order.sort_unstable();
        let (count, own) = (x.term_count() as u64, self.own_terms());
        let neighbours = order.iter().flat_map(|at| {
            let open = open[*at]
                .iter()
                .filter(|term| own.contains(&(**term as usize)));
            open.map(|term| Neighbour::joined((*at, count), *term, &[]))
        });
        let mut told = Joined::default();
        self.judge_joined(devices, (&bases, most), neighbours.collect(), &mut told)?;
        let found = self.gather_joined(told)?.better;
        let of = |at: usize| {
            let own = found.iter().filter(|own| own.0 / count == at as u64);
            let own = own.map(|own| ((own.0 % count) as u32, own.1 - best.value));
            Alternatives {
                leaves: free[at],
                joins: own.collect(),
            }
        };
        Ok(order.into_iter().map(of).collect())
    }

    /// For each model the terms whose joining may bring φ below a value.
    fn open(
        &self,
        x: Columns,
        bases: &[&Fit],
        value: f64,
        devices: &mut Devices,
    ) -> Result<Vec<Vec<u32>>, DeviceError> {
        if !x.likelihood().is_some_and(|own| own.has_joining_bounds()) {
            return Ok(vec![self.terms().collect(); bases.len()]);
        }
        let views: Vec<FitView> = bases.iter().map(|fit| fit.view()).collect();
        self.find_joining(bases, &views, value, devices)
    }
}
