//! Whether hazards are proportional: Schoenfeld's residuals, their test, and the estimate of Kaplan and Meier.
//!
//! At the time of an event, with x̄ and V the mean and the covariance of columns over who is at risk, weighted by their hazards,
//! the residual is s = x − x̄. If coefficients change by γ·g(t), the score of γ at 0 is Σ g(t)·s, and its information beside β
//! is made of Σ V, Σ g·V and Σ g²·V.
//!
//! *Source:* D. Schoenfeld, Partial residuals for the proportional hazards regression model, Biometrika 69, 1982; P. M. Grambsch,
//! T. M. Therneau, Proportional hazards tests and diagnostics based on weighted residuals, Biometrika 81, 1994; as the score
//! test of R's `cox.zph`, g being 1 less the estimate of Kaplan and Meier just before t.

use super::response::SurvivalResponse;
use crate::{
    cholesky,
    vector::{add_scaled, product},
};

/// A pivot that is a smaller share of the largest is none.
const LEAST_PIVOT: f64 = 1e-10;

/// What the columns of a model are at its events.
#[derive(Debug, Clone)]
pub(crate) struct EventMoments {
    /// Of each event its time and its residual.
    pub(crate) events: Vec<(f64, Vec<f64>)>,
    /// Of each time of a stratum g, and the weighted sum of the residuals there.
    times: Vec<(f64, Vec<f64>)>,
    /// Σ V, Σ g·V and Σ g²·V, row by row.
    information: [Vec<f64>; 3],
}

/// The estimate of Kaplan and Meier after a time of events.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SurvivalStep {
    pub(crate) time: f64,
    /// The probability to have had no event until then.
    pub(crate) survival: f64,
}

impl SurvivalResponse {
    /// The moments of columns at events; none where a hazard is beyond the range of f64.
    ///
    /// *Shapes:* n values each, in the order of the observations.
    pub(crate) fn moments(&self, columns: &[&[f64]], predictors: &[f64]) -> Option<EventMoments> {
        let k = columns.len();
        let columns: Vec<Vec<f64>> = columns.iter().map(|own| self.sorted(own)).collect();
        let predictors = self.sorted(predictors);
        let at = |row: usize| columns.iter().map(|own| own[row]).collect::<Vec<f64>>();
        let transform = self.transform();
        let mut own = EventMoments {
            events: Vec::new(),
            times: Vec::new(),
            information: [(); 3].map(|()| vec![0.0; k * k]),
        };
        let (mut stratum, mut next, mut late) = (usize::MAX, 0, 0);
        let mut at_risk = Sums::new(k);
        let mut shift = 0.0;
        for (group, g) in self.groups.iter().zip(transform) {
            if group.stratum != stratum {
                stratum = group.stratum;
                (next, late) = (group.rows.start, group.rows.start);
                at_risk = Sums::new(k);
                let rows = self.strata[stratum].clone();
                shift = predictors[rows]
                    .iter()
                    .copied()
                    .fold(f64::NEG_INFINITY, f64::max);
            }
            let hazard = |row: usize| self.weights[row] * (predictors[row] - shift).exp();
            while next < group.rows.end {
                at_risk.add(hazard(next), &at(next));
                next += 1;
            }
            while late < group.late.end {
                let row = self.entries[late] as usize;
                at_risk.add(-hazard(row), &at(row));
                late += 1;
            }
            let mut of_events = Sums::new(k);
            group
                .events
                .clone()
                .for_each(|row| of_events.add(hazard(row), &at(row)));
            let d = group.events.len() as f64;
            let mut middle = vec![0.0; k];
            for share in group.shares(self.ties) {
                let (mean, covariance) = at_risk.moments(&of_events, share)?;
                add_scaled(&mut middle, 1.0 / d, &mean);
                let each = group.weight / d;
                for (sum, factor) in own
                    .information
                    .iter_mut()
                    .zip([each, each * g, each * g * g])
                {
                    add_scaled(sum, factor, &covariance);
                }
            }
            let mut sum = vec![0.0; k];
            for row in group.events.clone() {
                let mut rest = at(row);
                add_scaled(&mut rest, -1.0, &middle);
                add_scaled(&mut sum, self.weights[row], &rest);
                own.events.push((group.time, rest));
            }
            own.times.push((g, sum));
        }
        Some(own)
    }

    /// Of each group of events 1 less the estimate of Kaplan and Meier just before it, over all strata and without weights.
    fn transform(&self) -> Vec<f64> {
        let steps = self.kaplan_meier(|_| true, |_| 1.0);
        let before = |time: f64| {
            let place = steps.partition_point(|step| step.time < time);
            place
                .checked_sub(1)
                .map_or(1.0, |place| steps[place].survival)
        };
        self.groups
            .iter()
            .map(|group| 1.0 - before(group.time))
            .collect()
    }

    /// The estimate of Kaplan and Meier by rising time, of some of the rows, with a weight of each.
    pub(crate) fn kaplan_meier(
        &self,
        is_in: impl Fn(usize) -> bool,
        weight: impl Fn(usize) -> f64,
    ) -> Vec<SurvivalStep> {
        let mut rows: Vec<usize> = (0..self.n()).filter(|row| is_in(*row)).collect();
        rows.sort_by(|a, b| self.time[*a].total_cmp(&self.time[*b]));
        let mut entering = match self.entry.is_empty() {
            true => Vec::new(),
            false => rows.clone(),
        };
        entering.sort_by(|a, b| self.entry[*a].total_cmp(&self.entry[*b]));
        let mut entering = entering.into_iter().peekable();
        let mut at_risk: f64 = match self.entry.is_empty() {
            true => rows.iter().map(|row| weight(*row)).sum(),
            false => 0.0,
        };
        let (mut survival, mut steps) = (1.0, Vec::new());
        for equal in rows.chunk_by(|a, b| self.time[*a] == self.time[*b]) {
            let time = self.time[equal[0]];
            while let Some(row) = entering.next_if(|row| self.entry[*row] < time) {
                at_risk += weight(row);
            }
            let events = equal.iter().filter(|row| self.event[**row]);
            let events: f64 = events.map(|row| weight(*row)).sum();
            if events > 0.0 && at_risk > 0.0 {
                survival *= (1.0 - events / at_risk).max(0.0);
                steps.push(SurvivalStep { time, survival });
            }
            at_risk -= equal.iter().map(|row| weight(*row)).sum::<f64>();
        }
        steps
    }
}

/// Σ θ, Σ θx and Σ θx·xᵀ.
struct Sums {
    all: f64,
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Sums {
    fn new(k: usize) -> Self {
        Self {
            all: 0.0,
            first: vec![0.0; k],
            second: vec![0.0; k * k],
        }
    }

    fn add(&mut self, hazard: f64, x: &[f64]) {
        self.all += hazard;
        add_scaled(&mut self.first, hazard, x);
        for (row, a) in self.second.chunks_mut(x.len().max(1)).zip(x) {
            add_scaled(row, hazard * a, x);
        }
    }

    /// The mean and the covariance, row by row, of these less a share of others.
    fn moments(&self, others: &Self, share: f64) -> Option<(Vec<f64>, Vec<f64>)> {
        let all = self.all - share * others.all;
        if !(all.is_normal() && all > 0.0) {
            return None;
        }
        let less = |own: &[f64], other: &[f64]| -> Vec<f64> {
            let both = own.iter().zip(other);
            both.map(|(own, other)| (own - share * other) / all)
                .collect()
        };
        let mean = less(&self.first, &others.first);
        let mut covariance = less(&self.second, &others.second);
        for (row, a) in covariance.chunks_mut(mean.len().max(1)).zip(&mean) {
            add_scaled(row, -a, &mean);
        }
        Some((mean, covariance))
    }
}

impl EventMoments {
    /// χ² and its degrees of freedom, of the test that the coefficients at some places do not change with time; none where the
    /// events say nothing of it.
    pub(crate) fn test(&self, places: &[usize]) -> Option<(f64, usize)> {
        let [plain, once, twice] = &self.information;
        let k = plain.len().isqrt();
        let largest = |matrix: &[f64], w: usize| {
            let diagonal = (0..w).map(|at| matrix[at * (w + 1)]);
            diagonal.fold(0.0, f64::max)
        };
        let mut factor = plain.clone();
        cholesky::factor(&mut factor, k, LEAST_PIVOT * largest(plain, k));
        // L⁻¹ of the columns of Σ g·V, which is symmetric.
        let halves = places.iter().map(|at| {
            let mut own = once[at * k..][..k].to_vec();
            cholesky::solve(&factor, &mut own);
            own
        });
        let halves: Vec<Vec<f64>> = halves.collect();
        let w = places.len();
        let mut rest = vec![0.0; w * w];
        for (a, own) in halves.iter().enumerate() {
            for (b, other) in halves.iter().enumerate() {
                rest[a * w + b] = twice[places[a] * k + places[b]] - product(own, other);
            }
        }
        let whole = places
            .iter()
            .map(|at| twice[at * (k + 1)])
            .fold(0.0, f64::max);
        let df = cholesky::factor(&mut rest, w, LEAST_PIVOT * whole);
        let score = |at: &usize| self.times.iter().map(|(g, sum)| g * sum[*at]).sum::<f64>();
        let mut scores: Vec<f64> = places.iter().map(score).collect();
        cholesky::solve(&rest, &mut scores);
        (df > 0).then(|| (product(&scores, &scores), df))
    }
}
