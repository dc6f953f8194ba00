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

use super::response::{Group, SurvivalResponse};

/// What a group of events says of sums over its risk set, at some linear predictors.
#[derive(Debug, Clone, Copy, Default)]
struct GroupHazard {
    /// (W/d) Σ 1/S_l, and Σ (l/d)/S_l.
    all: f64,
    events: f64,
    /// 1/S.
    inverse: f64,
    /// (W/d) Σ S²/S_l², Σ (l/d)·S²/S_l², Σ (l/d)²·S²/S_l²: of 1/S² alone the range of f64 may be too small.
    squares: [f64; 3],
}

/// The negative second derivatives of a partial likelihood with respect to linear predictors: an n × n matrix of which no more is
/// held than its parts.
#[derive(Debug, Clone)]
pub struct RiskCurvature {
    response: Arc<SurvivalResponse>,
    scales: Scales,
    /// θ on the scale of each row, and θ∘C.
    hazards: Vec<f64>,
    diagonal: Vec<f64>,
    groups: Vec<GroupHazard>,
    /// Groups whose sums are no differences.
    afresh: Vec<bool>,
}

/// Linear predictors with what follows from them.
#[derive(Debug, Clone)]
pub(crate) struct CoxState {
    pub(crate) predictors: Vec<f64>,
    /// −2ℓ.
    pub(crate) minus_two_log_likelihood: f64,
    /// ∂ℓ/∂η: the martingale residuals, weighted.
    pub(crate) scores: Vec<f64>,
    pub(crate) curvature: RiskCurvature,
}

/// Of a difference of sums that is a smaller share of them nothing is left but rounding.
const LOSS: f64 = 1e-8;

/// A column whose vᵀHv is a smaller share of its part without the risk sets has no information.
const LEAST_INFORMATION: f64 = 1e-13;

/// A square by second derivatives that is what is left of a whole; 0 where it is rounding.
pub(in super::super) fn informative(square: f64, whole: f64) -> f64 {
    match square > LEAST_INFORMATION * whole {
        true => square,
        false => 0.0,
    }
}

/// Hazards on scales on which none overflows: of a row that of the first group at which it is at risk, the largest linear
/// predictor of all who began until then. Later groups' scales are no smaller.
#[derive(Debug, Clone, Default)]
struct Scales {
    /// Of each group.
    shifts: Vec<f64>,
    /// What turns sums of the group before into the scale of this one.
    decays: Vec<f64>,
    /// Of each row the number of that group; past the last one for rows that are never at risk.
    first: Vec<u32>,
}

impl Scales {
    fn of(response: &SurvivalResponse, predictors: &[f64]) -> Self {
        let groups = &response.groups;
        let mut own = Self {
            first: vec![groups.len() as u32; predictors.len()],
            ..Self::default()
        };
        let (mut at, mut stratum, mut shift) = (0, usize::MAX, f64::NEG_INFINITY);
        for (number, group) in groups.iter().enumerate() {
            if group.stratum != stratum {
                (at, stratum, shift) = (group.rows.start, group.stratum, f64::NEG_INFINITY);
            }
            let before = shift;
            let started = at..group.rows.end.max(at);
            own.first[started.clone()].fill(number as u32);
            let largest = predictors[started].iter().copied();
            shift = largest.fold(shift, f64::max);
            at = at.max(group.rows.end);
            own.shifts.push(shift);
            own.decays.push((before - shift).exp());
        }
        own
    }

    /// What turns a value on the scale of a row into that of a group at which it is at risk.
    fn to_group(&self, row: usize, group: usize) -> f64 {
        (self.shifts[self.first[row] as usize] - self.shifts[group]).exp()
    }
}

/// Sums over the risk set and over the events of each group, in the order of the groups and on their scales. Of groups that
/// are to be made `afresh`, told their number and the sums of those who began and of those of them who enter late, the sum
/// is no difference of these.
fn sums_over_groups(
    (response, scales): (&SurvivalResponse, &Scales),
    value: impl Fn(usize) -> f64,
    mut afresh: impl FnMut(usize, f64, f64) -> bool,
    mut visit: impl FnMut(usize, &Group, f64, f64),
) {
    let (mut at, mut late, mut stratum) = (0, 0, usize::MAX);
    let (mut sum, mut gone) = (0.0, 0.0);
    for (number, group) in response.groups.iter().enumerate() {
        if group.stratum != stratum {
            stratum = group.stratum;
            (at, late, sum, gone) = (group.rows.start, group.rows.start, 0.0, 0.0);
        }
        let decay = scales.decays[number];
        (sum, gone) = (sum * decay, gone * decay);
        while at < group.rows.end {
            sum += value(at);
            at += 1;
        }
        let there = |row: usize| value(row) * scales.to_group(row, number);
        while late < group.late.end {
            gone += there(response.entries[late] as usize);
            late += 1;
        }
        let events: f64 = group.events.clone().map(there).sum();
        let all = match !group.late.is_empty() && afresh(number, sum, gone) {
            false => sum - gone,
            true => {
                let at_risk = |row: &usize| !response.is_late(*row, group);
                group.rows.clone().filter(at_risk).map(there).sum()
            }
        };
        visit(number, group, all, events);
    }
}

/// Of each row, on its scale, the sum of a value over the groups at which it is at risk.
fn sums_over_rows(
    (response, scales): (&SurvivalResponse, &Scales),
    value: impl Fn(usize) -> f64,
) -> Vec<f64> {
    let groups = &response.groups;
    // From each group on, on its scale: rows that are at risk there are so at all later ones, but for those who enter late.
    let mut from_here = vec![0.0; groups.len()];
    for number in (0..groups.len()).rev() {
        let next = groups.get(number + 1);
        let is_same = next.is_some_and(|next| next.stratum == groups[number].stratum);
        let rest = match is_same {
            true => from_here[number + 1] * scales.decays[number + 1],
            false => 0.0,
        };
        from_here[number] = value(number) + rest;
    }
    let own = |row: usize| {
        from_here
            .get(scales.first[row] as usize)
            .copied()
            .unwrap_or(0.0)
    };
    let mut sums: Vec<f64> = (0..response.n()).map(own).collect();
    // Those who enter at a group's time or later are not at risk there, nor at the groups after it.
    let mut place = 0;
    for (number, group) in groups
        .iter()
        .enumerate()
        .filter(|(_, group)| !group.late.is_empty())
    {
        place = group.late.start.max(place);
        while place < group.late.end {
            let row = response.entries[place] as usize;
            place += 1;
            let late = from_here[number] * scales.to_group(row, number);
            sums[row] -= late;
            if sums[row].abs() <= LOSS * late.abs() {
                let first = scales.first[row] as usize;
                sums[row] = (first..number)
                    .map(|at| value(at) * scales.to_group(row, at))
                    .sum();
            }
        }
    }
    sums
}

impl CoxState {
    /// The state of these linear predictors, offsets included; none where they are no numbers or beyond the range of f64.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn of(response: &Arc<SurvivalResponse>, predictors: Vec<f64>) -> Option<Self> {
        if predictors.iter().any(|eta| !eta.is_finite()) {
            return None;
        }
        let (ties, n) = (response.ties, response.n());
        let sorted = response.sorted(&predictors);
        let scales = Scales::of(response, &sorted);
        let hazard = |row: usize| match scales.shifts.get(scales.first[row] as usize) {
            Some(shift) => response.weights[row] * (sorted[row] - shift).exp(),
            None => 0.0,
        };
        let hazards: Vec<f64> = (0..n).map(hazard).collect();
        let mut groups = Vec::with_capacity(response.groups.len());
        let mut half = 0.0;
        let mut afresh = vec![false; response.groups.len()];
        let is_lossy = |number: usize, sum: f64, gone: f64| {
            afresh[number] = sum - gone <= LOSS * sum;
            afresh[number]
        };
        sums_over_groups(
            (response, &scales),
            |row| hazards[row],
            is_lossy,
            |number, group, all, events| {
                let each = group.weight / group.events.len() as f64;
                // By rounding it may be less: the events themselves are at risk.
                let all = all.max(events);
                let mut own = GroupHazard {
                    inverse: 1.0 / all,
                    ..GroupHazard::default()
                };
                for share in group.shares(ties) {
                    let inverse = 1.0 / (all - share * events);
                    own.all += each * inverse;
                    own.events += each * share * inverse;
                    let ratio = all * inverse;
                    for (sum, factor) in own.squares.iter_mut().zip([1.0, share, share * share]) {
                        *sum += each * factor * ratio * ratio;
                    }
                    half += each * (all - share * events).ln();
                }
                let shift = scales.shifts[number];
                let of_event = |row| response.weights[row] * (sorted[row] - shift);
                half -= group.events.clone().map(of_event).sum::<f64>();
                groups.push(own);
            },
        );
        // The hazard that each row has met: at all its groups, less its share at that of its own event.
        let mut diagonal = sums_over_rows((response, &scales), |group| groups[group].all);
        for (number, group) in response.groups.iter().enumerate() {
            for row in group.events.clone() {
                diagonal[row] -= groups[number].events * scales.to_group(row, number);
            }
        }
        let mut scores = vec![0.0; n];
        for row in 0..n {
            // What differences leave of none is rounding.
            diagonal[row] = hazards[row] * diagonal[row].max(0.0);
            scores[row] = -diagonal[row];
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
            scores: response.unsorted(&scores),
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

impl RiskCurvature {
    /// Its product with a vector.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn times(&self, v: &[f64]) -> Vec<f64> {
        let (response, hazards) = (&*self.response, &self.hazards);
        let v = &*response.sorted(v);
        let mut sums = Vec::with_capacity(self.groups.len());
        sums_over_groups(
            (response, &self.scales),
            |row| hazards[row] * v[row],
            |number, _, _| self.afresh[number],
            |number, _, all, events| {
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
                product[row] -= own * self.scales.to_group(row, number);
            }
        }
        for (row, product) in product.iter_mut().enumerate() {
            *product = self.diagonal[row] * v[row] - hazards[row] * *product;
        }
        response.unsorted(&product)
    }

    /// vᵀHv; 0 where that is rounding.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn square(&self, v: &[f64]) -> f64 {
        let (response, hazards) = (&*self.response, &self.hazards);
        let v = &*response.sorted(v);
        let diagonal = self.diagonal.iter().zip(v).map(|(d, v)| d * v * v);
        let whole: f64 = diagonal.sum();
        let mut sum = whole;
        sums_over_groups(
            (response, &self.scales),
            |row| hazards[row] * v[row],
            |number, _, _| self.afresh[number],
            |number, _, all, events| {
                let GroupHazard {
                    inverse, squares, ..
                } = self.groups[number];
                let [first, second, third] = squares;
                let (all, events) = (all * inverse, events * inverse);
                sum -= first * all * all - 2.0 * second * all * events + third * events * events;
            },
        );
        informative(sum, whole)
    }

    /// What each observation adds of itself: the hazard that it has met.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        self.response.unsorted(&self.diagonal)
    }
}
