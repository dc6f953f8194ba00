//! Score residuals: what each observation adds to the derivatives of the partial likelihood.
//!
//! With x̄_l the mean of a column over who is at risk at the l-th of d events of weight W at one time, weighted by the hazards
//! θ with which S_l is their sum, and the events at risk by 1 − l/d (by Breslow whole), the residual of observation i is
//!
//! ```text
//! U_i = w_i·(x_i − (1/d) Σ_l x̄_l at its event) − θ_i Σ over the times it is at risk (W/d) Σ_l (x_i − x̄_l) / S_l
//! ```
//!
//! which is w_i·∂/∂w_i of the score: what a little more weight of the observation would change. Residuals sum up to the score,
//! and those of one cluster may be summed up. Between the inverse of the information their squares make the covariance
//! that holds where observations depend on one another, or hazards are not quite proportional.
//!
//! *Source:* D. Y. Lin, L. J. Wei, The robust inference for the Cox proportional hazards model, Journal of the American
//! Statistical Association 84, 1989; D. A. Binder, Fitting Cox's proportional hazards models from survey data, Biometrika 79,
//! 1992; as R's `residuals` of a `coxph` has them.

use super::response::SurvivalResponse;
use crate::vector::add_scaled;

impl SurvivalResponse {
    /// The score residuals of each column, weights included.
    ///
    /// *Shapes:* n values each, in the order of the observations, offsets being in the predictors.
    pub(crate) fn score_residuals(&self, columns: &[&[f64]], predictors: &[f64]) -> Vec<Vec<f64>> {
        let k = columns.len();
        let columns: Vec<Vec<f64>> = columns.iter().map(|own| self.sorted(own)).collect();
        let predictors = self.sorted(predictors);
        let mut residuals = vec![vec![0.0; self.n()]; k];
        for (stratum, rows) in self.strata.iter().enumerate() {
            let own = predictors[rows.clone()].iter();
            let shift = own.copied().fold(f64::NEG_INFINITY, f64::max);
            let first = self.groups.partition_point(|own| own.stratum < stratum);
            let end = self.groups.partition_point(|own| own.stratum <= stratum);
            let groups = &self.groups[first..end];
            let hazard = |row: usize| self.weights[row] * (predictors[row] - shift).exp();
            // A hazard, then that times each column.
            let values = |row: usize| {
                let hazard = hazard(row);
                let products = columns.iter().map(move |own| hazard * own[row]);
                std::iter::once(hazard)
                    .chain(products)
                    .collect::<Vec<f64>>()
            };
            let (mut next, mut late) = (rows.start, rows.start);
            let mut at_risk = vec![0.0; k + 1];
            // Σ (W/d) Σ_l 1/S_l, and x̄_l/S_l by column, of each group of events.
            let mut sums: Vec<Vec<f64>> = Vec::with_capacity(groups.len());
            for group in groups {
                while next < group.rows.end {
                    add_scaled(&mut at_risk, 1.0, &values(next));
                    next += 1;
                }
                while late < group.late.end {
                    add_scaled(&mut at_risk, -1.0, &values(self.entries[late] as usize));
                    late += 1;
                }
                let mut of_events = vec![0.0; k + 1];
                for row in group.events.clone() {
                    add_scaled(&mut of_events, 1.0, &values(row));
                }
                let d = group.events.len() as f64;
                let (mut sum, mut of_late) = (vec![0.0; k + 1], vec![0.0; k + 1]);
                let mut middle = vec![0.0; k];
                for share in group.shares(self.ties) {
                    let mut left = at_risk.clone();
                    add_scaled(&mut left, -share, &of_events);
                    let inverse = 1.0 / left[0];
                    add_scaled(&mut middle, inverse / d, &left[1..]);
                    left.iter_mut().for_each(|own| *own *= inverse);
                    left[0] = 1.0;
                    let each = group.weight / d * inverse;
                    add_scaled(&mut sum, each, &left);
                    // Where the events are less at risk.
                    add_scaled(&mut of_late, each * share, &left);
                }
                for row in group.events.clone() {
                    let hazard = hazard(row);
                    for (at, residual) in residuals.iter_mut().enumerate() {
                        let x = columns[at][row];
                        residual[row] += self.weights[row] * (x - middle[at])
                            + hazard * (x * of_late[0] - of_late[at + 1]);
                    }
                }
                sums.push(sum);
            }
            // From each group on to the earliest: the times at which who leaves there is at risk.
            for at in (1..sums.len()).rev() {
                let (before, own) = sums.split_at_mut(at);
                add_scaled(&mut before[at - 1], 1.0, &own[0]);
            }
            for row in rows.clone() {
                // Of times that fall, those not after its end, less those not after its entry.
                let since = |time: f64| groups.partition_point(|own| own.time > time);
                let from = sums.get(since(self.time[row]));
                let to = self
                    .entry
                    .get(row)
                    .and_then(|entry| sums.get(since(*entry)));
                let hazard = hazard(row);
                for (sign, sum) in from
                    .map(|own| (1.0, own))
                    .into_iter()
                    .chain(to.map(|own| (-1.0, own)))
                {
                    for (at, residual) in residuals.iter_mut().enumerate() {
                        residual[row] -= sign * hazard * (columns[at][row] * sum[0] - sum[at + 1]);
                    }
                }
            }
        }
        residuals.iter().map(|own| self.unsorted(own)).collect()
    }
}
