//! What the survival curves of a fit are made of, with their standard errors.
//!
//! At the time of an event, of d events of weight W together, and over who is at risk, with θ the hazards, S = Σ θ, X = Σ θx, and S_D
//! and X_D those over the events:
//!
//! ```text
//! dΛ = (W/d) Σ_l 1/S_l     dv = (W/d) Σ_l 1/S_l²     da = (W/d) Σ_l X_l/S_l²     S_l = S − (l/d)·S_D, X_l = X − (l/d)·X_D
//! ```
//!
//! by Efron, l = 0 … d − 1; by Breslow the events are at risk whole. The cumulative hazard of linear predictor η at x is e^η·Λ, and
//! its variance e^2η·(v + uᵀVu), u = x·Λ − a.
//!
//! *Source:* A. A. Tsiatis, A large sample study of Cox's regression model, Annals of Statistics 9, 1981; as R's `survfit` of a
//! `coxph` has it.

use super::response::SurvivalResponse;
use crate::vector::add_scaled;

/// The hazard at a time of events.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CurveStep {
    /// The place of its stratum.
    pub(crate) stratum: usize,
    pub(crate) time: f64,
    /// dΛ, dv and da at linear predictor 0.
    pub(crate) hazard: f64,
    pub(crate) variance: f64,
    pub(crate) means: Vec<f64>,
}

impl SurvivalResponse {
    /// The steps of the baseline hazard, by stratum and rising time.
    ///
    /// *Shapes:* n values each, in the order of the observations.
    pub(crate) fn curve_steps(&self, columns: &[&[f64]], predictors: &[f64]) -> Vec<CurveStep> {
        let k = columns.len();
        let columns: Vec<Vec<f64>> = columns.iter().map(|own| self.sorted(own)).collect();
        let predictors = self.sorted(predictors);
        let mut steps: Vec<CurveStep> = Vec::with_capacity(self.groups.len());
        let (mut stratum, mut next, mut late, mut shift) = (usize::MAX, 0, 0, 0.0);
        // Σ θ, then Σ θx.
        let mut at_risk = vec![0.0; k + 1];
        let mut first_step = 0;
        for group in &self.groups {
            if group.stratum != stratum {
                steps[first_step..].reverse();
                first_step = steps.len();
                stratum = group.stratum;
                (next, late) = (group.rows.start, group.rows.start);
                at_risk.fill(0.0);
                let rows = predictors[self.strata[stratum].clone()].iter();
                shift = rows.copied().fold(f64::NEG_INFINITY, f64::max);
            }
            let values = |row: usize, sign: f64| {
                let hazard = sign * self.weights[row] * (predictors[row] - shift).exp();
                let means = columns.iter().map(move |own| hazard * own[row]);
                std::iter::once(hazard).chain(means).collect::<Vec<f64>>()
            };
            while next < group.rows.end {
                add_scaled(&mut at_risk, 1.0, &values(next, 1.0));
                next += 1;
            }
            while late < group.late.end {
                let row = self.entries[late] as usize;
                add_scaled(&mut at_risk, 1.0, &values(row, -1.0));
                late += 1;
            }
            let mut of_events = vec![0.0; k + 1];
            for row in group.events.clone() {
                add_scaled(&mut of_events, 1.0, &values(row, 1.0));
            }
            let each = group.weight / group.events.len() as f64;
            let mut step = CurveStep {
                stratum,
                time: group.time,
                hazard: 0.0,
                variance: 0.0,
                means: vec![0.0; k],
            };
            for share in group.shares(self.ties) {
                let mut left = at_risk.clone();
                add_scaled(&mut left, -share, &of_events);
                let inverse = 1.0 / left[0];
                step.hazard += each * inverse;
                step.variance += each * inverse * inverse;
                add_scaled(&mut step.means, each * inverse * inverse, &left[1..]);
            }
            // Sums are on a scale on which none overflows.
            let scale = (-shift).exp();
            step.hazard *= scale;
            step.variance *= scale * scale;
            step.means.iter_mut().for_each(|own| *own *= scale);
            steps.push(step);
        }
        steps[first_step..].reverse();
        steps
    }

    /// The last time of each stratum.
    pub(crate) fn last_times(&self) -> impl Iterator<Item = f64> {
        self.strata.iter().map(|rows| self.time[rows.start])
    }
}
