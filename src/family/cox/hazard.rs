//! What a fit says of survival times: how well it orders them, and the hazard that all share.

use std::sync::Arc;

use super::{response::SurvivalResponse, state::CoxState};

/// The events at one time of a stratum, and the hazard of linear predictor 0 there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HazardStep {
    /// The number of the stratum, from 1 on.
    pub(crate) stratum: usize,
    pub(crate) time: f64,
    pub(crate) at_risk: usize,
    pub(crate) events: usize,
    pub(crate) hazard: f64,
}

impl SurvivalResponse {
    /// The hazard at each time of events, by stratum and falling time; empty for predictors beyond the range of f64.
    ///
    /// *Shapes:* n linear predictors, in the order of the observations.
    pub(crate) fn hazards(self: &Arc<Self>, predictors: &[f64]) -> Vec<HazardStep> {
        let Some(state) = CoxState::of(self, self.sorted(predictors)) else {
            return Vec::new();
        };
        let groups = self.groups.iter().zip(state.hazards_of_groups());
        let step = |(group, hazard): (&super::response::Group, f64)| HazardStep {
            stratum: group.stratum + 1,
            time: group.time,
            at_risk: group.rows.len() - group.late.len(),
            events: group.events.len(),
            hazard,
        };
        groups.map(step).collect()
    }

    /// Harrell's C of linear predictors; none where no two observations can be compared.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn concordance(&self, predictors: &[f64]) -> Option<f64> {
        let (concordant, pairs) = self.concordant_pairs(predictors);
        (pairs > 0.0).then(|| concordant / pairs)
    }

    /// −2ℓ of linear predictors, offsets included; none beyond the range of f64.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn minus_two_log_likelihood(self: &Arc<Self>, predictors: &[f64]) -> Option<f64> {
        let state = CoxState::of(self, self.sorted(predictors))?;
        Some(state.minus_two_log_likelihood)
    }

    /// The pairs of observations that linear predictors put in order, equal ones counting half, and all that can be compared,
    /// by the products of their weights.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn concordant_pairs(&self, predictors: &[f64]) -> (f64, f64) {
        let eta = self.sorted(predictors);
        let mut distinct = eta.clone();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        let rank = |row: usize| distinct.partition_point(|own| *own < eta[row]);
        let mut below = Sums(vec![0.0; distinct.len() + 1]);
        let mut all = 0.0;
        let (mut concordant, mut pairs) = (0.0, 0.0);
        let (mut stratum, mut at, mut late) = (usize::MAX, 0, 0);
        for group in &self.groups {
            if group.stratum != stratum {
                stratum = group.stratum;
                (at, late, all) = (group.rows.start, group.rows.start, 0.0);
                below.0.fill(0.0);
            }
            // Those who are still at risk after this time.
            while at < group.events.start {
                below.add(rank(at), self.weights[at]);
                all += self.weights[at];
                at += 1;
            }
            while late < group.late.end {
                let row = self.entries[late] as usize;
                below.add(rank(row), -self.weights[row]);
                all -= self.weights[row];
                late += 1;
            }
            for row in group.events.clone() {
                let (less, own) = (below.before(rank(row)), below.before(rank(row) + 1));
                concordant += self.weights[row] * (less + 0.5 * (own - less));
                pairs += self.weights[row] * all;
            }
        }
        (concordant, pairs)
    }
}

/// Sums of the first numbers of a list, by Fenwick's tree.
struct Sums(Vec<f64>);

impl Sums {
    fn add(&mut self, at: usize, value: f64) {
        let mut node = at + 1;
        while node < self.0.len() {
            self.0[node] += value;
            node += node & node.wrapping_neg();
        }
    }

    /// The sum of those before a place.
    fn before(&self, at: usize) -> f64 {
        let (mut node, mut sum) = (at, 0.0);
        while node > 0 {
            sum += self.0[node];
            node -= node & node.wrapping_neg();
        }
        sum
    }
}
