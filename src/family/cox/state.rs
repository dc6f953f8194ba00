//! The partial likelihood at given linear predictors, and its second derivatives.
//!
//! With θᵢ = wᵢ·exp(ηᵢ), S = Σ θ over who is at risk at an event time and S_D that over its d events, of weight W together,
//!
//! ```text
//! ℓ = Σ w_i η_i − Σ (W/d) Σ_l ln S_l      S_l = S − (l/d)·S_D by Efron, S by Breslow, l = 0 … d − 1
//! −∂²ℓ/∂η∂ηᵀ = diag(θ∘C) − Σ (W/d) Σ_l p_l·p_lᵀ      p_l = θ∘(1 of those at risk − (l/d) of the events) / S_l
//! ```
//!
//! C the hazard that an observation has met. A product with the second derivatives, or a square by them, takes one pass:
//! sums over who is at risk are sums over rows from a stratum's first on, as rows fall in time.

use std::sync::Arc;

use super::{
    super::fast,
    response::SurvivalResponse,
    sums::{LOSS, Scales, sums_over_groups, sums_over_rows},
};

/// What a group of events says of sums over its risk set, at some linear predictors.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GroupHazard {
    /// (W/d) Σ 1/S_l, and Σ (l/d)/S_l.
    all: f64,
    events: f64,
    /// 1/S.
    pub(super) inverse: f64,
    /// (W/d) Σ S²/S_l², Σ (l/d)·S²/S_l², Σ (l/d)²·S²/S_l²: of 1/S² alone the range of f64 may be too small.
    pub(super) squares: [f64; 3],
}

/// The negative second derivatives of a partial likelihood with respect to linear predictors: an n × n matrix of which no more is
/// held than its parts.
#[derive(Debug, Clone)]
pub struct RiskCurvature {
    pub(super) response: Arc<SurvivalResponse>,
    pub(super) scales: Scales,
    /// θ on the scale of each row, and θ∘C.
    pub(super) hazards: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
    pub(super) groups: Vec<GroupHazard>,
    /// Groups whose sums are no differences.
    pub(super) afresh: Vec<bool>,
}

/// Linear predictors with what follows from them, by row: by stratum and falling time.
#[derive(Debug, Clone)]
pub(crate) struct CoxState {
    pub(crate) predictors: Vec<f64>,
    /// −2ℓ.
    pub(crate) minus_two_log_likelihood: f64,
    /// ∂ℓ/∂η: the martingale residuals, weighted.
    pub(crate) scores: Vec<f64>,
    pub(crate) curvature: RiskCurvature,
}

/// A column whose vᵀHv is a smaller share of its part without the risk sets has no information.
const LEAST_INFORMATION: f64 = 1e-13;

/// A square by second derivatives that is what is left of a whole; 0 where it is rounding.
#[inline(always)]
pub(in super::super) fn informative(square: f64, whole: f64) -> f64 {
    match square > LEAST_INFORMATION * whole {
        true => square,
        false => 0.0,
    }
}

/// Σ c·ln S of many c and S: of equal c by the logarithm of a product, which has no more rounding and fewer logarithms.
struct SumOfLogs {
    sum: f64,
    factor: f64,
    product: f64,
}

impl SumOfLogs {
    /// Beyond these a product may leave the range of f64.
    const RANGE: std::ops::Range<f64> = 1e-140..1e140;

    fn new() -> Self {
        Self {
            sum: 0.0,
            factor: 0.0,
            product: 1.0,
        }
    }

    fn add(&mut self, factor: f64, value: f64) {
        if !Self::RANGE.contains(&value) {
            self.sum += factor * value.ln();
            return;
        }
        if factor != self.factor || !Self::RANGE.contains(&self.product) {
            self.sum = self.end();
            (self.factor, self.product) = (factor, 1.0);
        }
        self.product *= value;
    }

    fn end(&self) -> f64 {
        self.sum + self.factor * self.product.ln()
    }
}

impl CoxState {
    /// The state of these linear predictors, offsets included; none where they are no numbers or beyond the range of f64.
    ///
    /// *Shapes:* n values, by row.
    pub(crate) fn of(response: &Arc<SurvivalResponse>, predictors: Vec<f64>) -> Option<Self> {
        if predictors.iter().any(|eta| !eta.is_finite()) {
            return None;
        }
        let (ties, n) = (response.ties, response.n());
        let scales = Scales::of(response, &predictors);
        // Of rows that are never at risk, nothing.
        let exponent = |(eta, first): (&f64, &u32)| match scales.shifts.get(*first as usize) {
            Some(shift) => eta - shift,
            None => f64::NEG_INFINITY,
        };
        let exponents = predictors.iter().zip(&scales.first).map(exponent);
        let mut hazards: Vec<f64> = exponents.collect();
        fast::exponentials(&mut hazards, &response.weights);
        let mut groups = Vec::with_capacity(response.groups.len());
        let (mut logs, mut of_events) = (SumOfLogs::new(), 0.0);
        let mut afresh = vec![false; response.groups.len()];
        let is_lossy = |number: usize, sum: &[f64; 1], gone: &[f64; 1]| {
            afresh[number] = sum[0] - gone[0] <= LOSS * sum[0];
            afresh[number]
        };
        sums_over_groups(
            (response, &scales),
            |row| [hazards[row]],
            is_lossy,
            |number, group, [all], [events]| {
                let each = group.weight / group.events.len() as f64;
                // By rounding it may be less: the events themselves are at risk.
                let all = all.max(events);
                let mut own = GroupHazard {
                    inverse: 1.0 / all,
                    ..GroupHazard::default()
                };
                for share in group.shares(ties) {
                    let inverse = match share > 0.0 {
                        true => 1.0 / (all - share * events),
                        false => own.inverse,
                    };
                    own.all += each * inverse;
                    own.events += each * share * inverse;
                    let ratio = all * inverse;
                    for (sum, factor) in own.squares.iter_mut().zip([1.0, share, share * share]) {
                        *sum += each * factor * ratio * ratio;
                    }
                    logs.add(each, all - share * events);
                }
                let shift = scales.shifts[number];
                let of_event = |row| response.weights[row] * (predictors[row] - shift);
                of_events += group.events.clone().map(of_event).sum::<f64>();
                groups.push(own);
            },
        );
        let half = logs.end() - of_events;
        // The hazard that each row has met: at all its groups, less its share at that of its own event.
        let mut diagonal = sums_over_rows((response, &scales), |group| groups[group].all);
        for (group, own) in response.groups.iter().zip(&groups) {
            for row in group.events.clone() {
                diagonal[row] -= own.events;
            }
        }
        let mut scores = vec![0.0; n];
        for ((diagonal, hazard), score) in diagonal.iter_mut().zip(&hazards).zip(&mut scores) {
            // What differences leave of none is rounding.
            *diagonal = hazard * diagonal.max(0.0);
            *score = -*diagonal;
        }
        let events = response
            .groups
            .iter()
            .flat_map(|group| group.events.clone());
        for row in events {
            scores[row] += response.weights[row];
        }
        let is_valid = half.is_finite() && diagonal.iter().all(|own| own.is_finite());
        is_valid.then(|| Self {
            predictors,
            minus_two_log_likelihood: 2.0 * half,
            scores,
            curvature: RiskCurvature {
                response: response.clone(),
                scales,
                hazards,
                diagonal,
                groups,
                afresh,
            },
        })
    }

    /// The hazard of linear predictor 0 at each group of events.
    pub(crate) fn hazards_of_groups(&self) -> impl Iterator<Item = f64> {
        let own = &self.curvature;
        let groups = own.groups.iter().zip(&own.scales.shifts);
        groups.map(|(group, shift)| group.all * (-shift).exp())
    }
}

impl SurvivalResponse {
    /// −2ℓ of the empty model; none where it is no number.
    pub(in super::super) fn empty_value(self: &Arc<Self>) -> Option<f64> {
        let value = || {
            let state = CoxState::of(self, self.sorted(&self.offset))?;
            Some(state.minus_two_log_likelihood)
        };
        *self.empty.get_or_init(value)
    }
}

impl RiskCurvature {
    /// Whether it is of this response.
    pub(in super::super) fn is_of(&self, response: &Arc<SurvivalResponse>) -> bool {
        Arc::ptr_eq(&self.response, response)
    }

    /// −2ℓ of its response at linear predictors, offsets included; none beyond the range of f64.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn value(&self, predictors: &[f64]) -> Option<f64> {
        let state = CoxState::of(&self.response, self.response.sorted(predictors));
        state.map(|own| own.minus_two_log_likelihood)
    }

    /// Its product with a vector.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn times(&self, v: &[f64]) -> Vec<f64> {
        let response = &self.response;
        response.unsorted(&self.times_rows(&response.sorted(v)))
    }

    /// vᵀHv; 0 where that is rounding.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn square(&self, v: &[f64]) -> f64 {
        self.square_rows(&self.response.sorted(v))
    }

    /// Its product with a vector, by row.
    pub(in super::super) fn times_rows(&self, v: &[f64]) -> Vec<f64> {
        let (response, hazards) = (&*self.response, &self.hazards);
        let mut sums = Vec::with_capacity(self.groups.len());
        sums_over_groups(
            (response, &self.scales),
            |row| [hazards[row] * v[row]],
            |number, _, _| self.afresh[number],
            |number, _, [all], [events]| {
                let inverse = self.groups[number].inverse;
                sums.push((all * inverse, events * inverse));
            },
        );
        let of_all = |group: usize| {
            let ([first, second, _], (all, events)) = (self.groups[group].squares, sums[group]);
            (first * all - second * events) * self.groups[group].inverse
        };
        let mut product = sums_over_rows((response, &self.scales), of_all);
        for (number, group) in response.groups.iter().enumerate() {
            let ([_, second, third], (all, events)) = (self.groups[number].squares, sums[number]);
            let own = (second * all - third * events) * self.groups[number].inverse;
            for row in group.events.clone() {
                product[row] -= own;
            }
        }
        for (row, product) in product.iter_mut().enumerate() {
            *product = self.diagonal[row] * v[row] - hazards[row] * *product;
        }
        product
    }

    /// vᵀHv, by row; 0 where that is rounding.
    pub(in super::super) fn square_rows(&self, v: &[f64]) -> f64 {
        let [square] = self.squares_of(|row| [v[row]]);
        square
    }

    /// vᵀHv of `L` vectors, whose values are told by row; 0 where that is rounding.
    #[inline(always)]
    pub(super) fn squares_of<const L: usize>(&self, v: impl Fn(usize) -> [f64; L]) -> [f64; L] {
        let (mut whole, mut less) = ([0.0; L], [0.0; L]);
        for (row, diagonal) in self.diagonal.iter().enumerate() {
            for (whole, v) in whole.iter_mut().zip(v(row)) {
                *whole += diagonal * v * v;
            }
        }
        let hazards = &self.hazards[..];
        sums_over_groups(
            (&self.response, &self.scales),
            |row| v(row).map(|v| hazards[row] * v),
            |number, _, _| self.afresh[number],
            |number, _, all, events| {
                let GroupHazard {
                    inverse, squares, ..
                } = self.groups[number];
                let [first, second, third] = squares;
                for (lane, less) in less.iter_mut().enumerate() {
                    let (all, events) = (all[lane] * inverse, events[lane] * inverse);
                    *less += first * all * all - (2.0 * second * all - third * events) * events;
                }
            },
        );
        std::array::from_fn(|lane| informative(whole[lane] - less[lane], whole[lane]))
    }

    /// What each observation adds of itself: the hazard that it has met.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        self.response.unsorted(&self.diagonal)
    }
}
