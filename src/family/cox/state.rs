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

use std::{ops::Range, sync::Arc};

use super::response::{Group, SurvivalResponse};

/// What a group of events says of sums over its risk set, at some linear predictors.
#[derive(Debug, Clone, Copy, Default)]
struct GroupHazard {
    /// (W/d) Σ 1/S_l, and Σ (l/d)/S_l.
    all: f64,
    events: f64,
    /// (W/d) Σ 1/S_l², Σ (l/d)/S_l², Σ (l/d)²/S_l².
    squares: [f64; 3],
}

/// The negative second derivatives of a partial likelihood with respect to linear predictors: an n × n matrix of which no more is
/// held than its parts.
#[derive(Debug, Clone)]
pub struct RiskCurvature {
    response: Arc<SurvivalResponse>,
    /// θ, and θ∘C.
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
    /// The largest linear predictor of each stratum.
    pub(crate) shifts: Vec<f64>,
}

/// Of a difference of sums that is a smaller share of them nothing is left but rounding.
const LOSS: f64 = 1e-8;

/// Sums over the risk set and over the events of each group, in the order of the groups. Of groups that are to be made
/// `afresh`, told their number and the sums of those who began and of those of them who enter late, the sum is no
/// difference of these.
fn sums_over_groups(
    response: &SurvivalResponse,
    value: impl Fn(usize) -> f64,
    mut afresh: impl FnMut(usize, f64, f64) -> bool,
    mut visit: impl FnMut(usize, &Group, f64, f64),
) {
    let (mut at, mut late, mut start) = (0, 0, usize::MAX);
    let (mut sum, mut gone) = (0.0, 0.0);
    for (number, group) in response.groups.iter().enumerate() {
        if group.rows.start != start {
            start = group.rows.start;
            (at, late, sum, gone) = (start, start, 0.0, 0.0);
        }
        while at < group.rows.end {
            sum += value(at);
            at += 1;
        }
        while late < group.late.end {
            gone += value(response.entries[late] as usize);
            late += 1;
        }
        let events: f64 = group.events.clone().map(&value).sum();
        let all = match !group.late.is_empty() && afresh(number, sum, gone) {
            false => sum - gone,
            true => {
                let at_risk = |row: &usize| !response.is_late(*row, group);
                group.rows.clone().filter(at_risk).map(&value).sum()
            }
        };
        visit(number, group, all, events);
    }
}

/// Of each row the sum of a value over the groups at which it is at risk.
fn sums_over_rows(response: &SurvivalResponse, value: impl Fn(usize) -> f64, sums: &mut [f64]) {
    sums.fill(0.0);
    let groups = &response.groups;
    // From a stratum's last group, whose time is first, on: rows that end later are at risk there too.
    let mut from = 0;
    while from < groups.len() {
        let start = groups[from].rows.start;
        let own = groups[from..]
            .iter()
            .take_while(|group| group.rows.start == start);
        let to = from + own.count();
        let (mut sum, mut row) = (0.0, groups[to - 1].rows.end);
        let mut at = to;
        while row > start {
            row -= 1;
            while at > from && groups[at - 1].rows.end > row {
                at -= 1;
                sum += value(at);
            }
            sums[row] = sum;
        }
        // Those who entered at a group's time or later were not at risk there.
        if !response.entries.is_empty() {
            let mut late = 0.0;
            let mut place = groups[to - 1].late.end;
            for at in (from..to).rev() {
                let end = match at > from {
                    true => groups[at - 1].late.end,
                    false => start,
                };
                late += value(at);
                while place > end {
                    place -= 1;
                    let row = response.entries[place] as usize;
                    sums[row] -= late;
                    if sums[row].abs() <= LOSS * late.abs() {
                        let is_there = |at: &usize| {
                            let group = &groups[*at];
                            group.rows.contains(&row) && !response.is_late(row, group)
                        };
                        sums[row] = (from..to).filter(is_there).map(&value).sum();
                    }
                }
            }
        }
        from = to;
    }
}

impl CoxState {
    /// The state of these linear predictors, offsets included; none where they are no numbers or beyond the range of f64.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn of(response: &Arc<SurvivalResponse>, predictors: Vec<f64>) -> Option<Self> {
        let (ties, n) = (response.ties, response.n());
        let mut hazards = vec![0.0; n];
        let told = predictors;
        let predictors = response.sorted(&told);
        // Less the largest of each stratum, which changes nothing.
        let most = |rows: &Range<usize>| {
            let own = predictors[rows.clone()].iter();
            own.fold(f64::NEG_INFINITY, |most: f64, eta| most.max(*eta))
        };
        let most: Vec<f64> = response.strata.iter().map(most).collect();
        if predictors.iter().any(|eta| !eta.is_finite()) {
            return None;
        }
        for (rows, most) in response.strata.iter().zip(&most) {
            for row in rows.clone() {
                hazards[row] = response.weights[row] * (predictors[row] - most).exp();
            }
        }
        let mut groups = Vec::with_capacity(response.groups.len());
        let mut half = 0.0;
        let mut afresh = vec![false; response.groups.len()];
        let is_lossy = |number: usize, sum: f64, gone: f64| {
            afresh[number] = sum - gone <= LOSS * sum;
            afresh[number]
        };
        sums_over_groups(
            response,
            |row| hazards[row],
            is_lossy,
            |_, group, all, events| {
                let each = group.weight / group.events.len() as f64;
                let mut own = GroupHazard::default();
                // By rounding it may be less: the events themselves are at risk.
                let all = all.max(events);
                for share in group.shares(ties) {
                    let inverse = 1.0 / (all - share * events);
                    own.all += each * inverse;
                    own.events += each * share * inverse;
                    for (sum, factor) in own.squares.iter_mut().zip([1.0, share, share * share]) {
                        *sum += each * factor * inverse * inverse;
                    }
                    half += each * (all - share * events).ln();
                }
                let of_event =
                    |row| response.weights[row] * (predictors[row] - most[group.stratum]);
                half -= group.events.clone().map(of_event).sum::<f64>();
                groups.push(own);
            },
        );
        // The hazard that each row has met: at all its groups, less its share at that of its own event.
        let mut diagonal = vec![0.0; n];
        sums_over_rows(response, |group| groups[group].all, &mut diagonal);
        for (group, own) in response.groups.iter().zip(&groups) {
            group
                .events
                .clone()
                .for_each(|row| diagonal[row] -= own.events);
        }
        let mut scores = vec![0.0; n];
        for row in 0..n {
            // What differences leave of none is rounding.
            diagonal[row] = hazards[row] * diagonal[row].max(0.0);
            scores[row] = -diagonal[row];
        }
        for row in response
            .groups
            .iter()
            .flat_map(|group| group.events.clone())
        {
            scores[row] += response.weights[row];
        }
        let is_valid = half.is_finite() && diagonal.iter().all(|own| own.is_finite());
        is_valid.then(|| Self {
            predictors: told,
            shifts: most,
            minus_two_log_likelihood: 2.0 * half,
            scores: response.unsorted(&scores),
            curvature: RiskCurvature {
                response: response.clone(),
                hazards,
                diagonal,
                groups,
                afresh,
            },
        })
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
            response,
            |row| hazards[row] * v[row],
            |number, _, _| self.afresh[number],
            |_, _, all, events| {
                sums.push((all, events));
            },
        );
        let of_all = |group: usize| {
            let ([first, second, _], (all, events)) = (self.groups[group].squares, sums[group]);
            first * all - second * events
        };
        let mut product = vec![0.0; v.len()];
        sums_over_rows(response, of_all, &mut product);
        for (number, group) in response.groups.iter().enumerate() {
            let ([_, second, third], (all, events)) = (self.groups[number].squares, sums[number]);
            let own = second * all - third * events;
            group.events.clone().for_each(|row| product[row] -= own);
        }
        for (row, product) in product.iter_mut().enumerate() {
            *product = self.diagonal[row] * v[row] - hazards[row] * *product;
        }
        response.unsorted(&product)
    }

    /// vᵀHv.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn square(&self, v: &[f64]) -> f64 {
        let (response, hazards) = (&*self.response, &self.hazards);
        let v = &*response.sorted(v);
        let diagonal = self.diagonal.iter().zip(v).map(|(d, v)| d * v * v);
        let mut sum: f64 = diagonal.sum();
        sums_over_groups(
            response,
            |row| hazards[row] * v[row],
            |number, _, _| self.afresh[number],
            |number, _, all, events| {
                let [first, second, third] = self.groups[number].squares;
                sum -= first * all * all - 2.0 * second * all * events + third * events * events;
            },
        );
        sum.max(0.0)
    }

    /// What each observation adds of itself: its hazard so far times its share of it.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        self.response.unsorted(&self.diagonal)
    }

    /// The hazard at each group of events of an observation whose linear predictor is the largest of its stratum.
    pub(crate) fn hazards_of_groups(&self) -> impl Iterator<Item = f64> {
        self.groups.iter().map(|group| group.all)
    }
}
