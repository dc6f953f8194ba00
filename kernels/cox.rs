//! Fits of models of survival times by Cox's partial likelihood, by Newton's method.
//!
//! Rows are observations by stratum and falling time, events last among equal times; at risk at the time of a *group* of d events,
//! of weight W together, are the rows of its stratum from the first to the last event. With θ = w·eᵑ, S the sum of θ over who is at
//! risk and S_D that over the events, and S_l = S − (l/d)·S_D by Efron, S by Breslow,
//!
//! ```text
//! −ℓ = Σ over groups (W/d) Σ_l ln S_l − Σ over events wη       scores 1 of events·w − D,  D = θ·(hazards met)
//! XᵀHX = XᵀDX − Σ over groups u²(a − v·e)(a − v·e)ᵀ + t²·e·eᵀ
//! u² = (W/d) Σ 1/S_l²    v = Σ (l/d)/S_l² / Σ 1/S_l²    t² = (W/d) Σ (l/d)²/S_l² − u²v²
//! ```
//!
//! with a and e the sums of θx over who is at risk and over the events. A fit begins at the linear predictors nearest to those of
//! a start by its second derivatives.
//!
//! *Shapes*: of each member of [`CoxArgs`] and [`NewtonJob`](crate::newton::NewtonJob) there. `answers` four numbers a job: −2ℓ + 2·`shift`, or
//! 0, ‖s‖² of the scores as they are told, 0 where the fit is done or 1 where it is left to others, and the steps.
//!
//! *Launch*: `cox`, any number of blocks of 256, each a job at a time, in one dimension; dynamic shared memory as for
//! [`newton`](crate::newton). Models have a column at least. Jobs may lie in the host's memory, and so may `costs` and `answers`.
//!
//! *Before and after*: as for [`newton`](crate::newton). A fit is left where a column is nearly explained by those before it or has less
//! than 10⁻⁸ of its square beside the risk sets' means, linear predictors are further apart than 300 or have no end, a step raises
//! −2ℓ, or 25 steps do not suffice.
//!
//! *Exactness*: sums are added up in a fixed order.

use crate::Kernel;

/// The kernel's text and function.
pub const KERNEL: Kernel = Kernel {
    name: "cox",
    source: source!("newton.cuh", "risk.cuh", "cox.cu"),
    functions: &["cox"],
    // Outside of products: two blocks of a multiprocessor are more.
    spills: &[
        ("sm_75", "cox"),
        ("sm_100", "cox"),
        ("sm_120", "cox"),
        ("sm_120", "climb"),
    ],
};

/// What begins a stratum, in [`RiskRows::order`].
pub const BEGINS: u32 = 1 << 31;

/// The events at one time of a stratum, by row.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct RiskGroup {
    /// The first row of the stratum.
    pub begin: u32,
    /// The first event.
    pub start: u32,
    /// Behind the last event.
    pub end: u32,
    /// Nothing.
    pub spare: u32,
    /// The weight of the events together, W.
    pub weight: f64,
}
assert_layout!(RiskGroup: 24; end: 8, weight: 16);

/// Who is at risk when, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct RiskRows {
    /// Observations.
    pub n: i64,
    /// u32: n, of each row its observation, with [`BEGINS`] of the first of a stratum.
    pub order: u64,
    /// u32: n, of each row the first group at which it is at risk; of an event its own; any number past the last where there is none.
    pub group: u64,
    /// [`RiskGroup`]: by stratum and falling time.
    pub groups: u64,
    /// Groups.
    pub count: i32,
    /// Whether ties are Efron's.
    pub is_efron: i32,
    /// Whether some group has several events whose shares differ.
    pub has_ties: i32,
    /// Nothing.
    pub spare: i32,
}
assert_layout!(RiskRows: 48; groups: 24, has_ties: 40);

/// The response, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct CoxArgs {
    /// Who is at risk when.
    pub rows: RiskRows,
    /// f64: n, the weights of observations.
    pub weights: u64,
    /// f64: n, the offsets.
    pub offset: u64,
    /// What −ℓ is more than half of what is told.
    pub shift: f64,
    /// What rounding may change of −2ℓ, and a part of the tolerance.
    pub least_change: f64,
    /// Scores are told times this.
    pub of_scores: f64,
    /// Costs are told times this.
    pub of_costs: f64,
    /// f64: n, the linear predictors that a fit from nothing begins at.
    pub first: u64,
    /// f64: `room_each` a block of the launch, scratch.
    pub room: u64,
    /// As [`room_each`] says.
    pub room_each: i64,
}
assert_layout!(CoxArgs: 120; shift: 64, room: 104);

/// Numbers of scratch a block, for models of so many columns.
pub const fn room_each(rows: &RiskRows, columns: usize) -> usize {
    let (n, groups) = (rows.n as usize, rows.count as usize);
    let forms = if rows.has_ties != 0 {
        2 * groups
    } else {
        groups
    };
    12 * n + 5 * groups + (columns + 2) * forms + columns
}

/// Survival times, by observation.
#[derive(Debug, Clone, Copy)]
pub struct ReferenceTimes<'a> {
    /// When it ended.
    pub time: &'a [f64],
    /// Whether by an event.
    pub event: &'a [bool],
    /// Observations of different numbers are never at risk together.
    pub stratum: &'a [u32],
    /// How much it counts.
    pub weights: &'a [f64],
    /// What is added to its linear predictor.
    pub offset: &'a [f64],
    /// Whether ties are Efron's, else Breslow's.
    pub is_efron: bool,
}

/// A fit by maximum partial likelihood.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferenceFit {
    /// β̂, in the order of the columns given.
    pub coefficients: Vec<f64>,
    /// −2ℓ.
    pub minus_two_log_likelihood: f64,
    /// ∂ℓ/∂η of each observation.
    pub scores: Vec<f64>,
    /// β̂ᵢ² / ((XᵀHX)⁻¹)ᵢᵢ by column.
    pub costs: Vec<f64>,
}

/// The maximum partial likelihood fit of some columns, by Newton's method from 0 on.
///
/// *Shapes:* `columns` n values each.
///
/// ```
/// // Three in a stratum, events of the first two: of three at risk the first, then of two the second, at one hazard.
/// let times = passel_kernels::cox::ReferenceTimes {
///     time: &[1.0, 2.0, 3.0],
///     event: &[true, true, false],
///     stratum: &[0; 3],
///     weights: &[1.0; 3],
///     offset: &[0.0; 3],
///     is_efron: true,
/// };
/// let fit = passel_kernels::cox::reference(&[], &times);
/// assert!((fit.minus_two_log_likelihood - 2.0 * 6f64.ln()).abs() < 1e-15);
/// assert!((fit.scores[0] - 2.0 / 3.0).abs() < 1e-15);
/// ```
pub fn reference(columns: &[&[f64]], times: &ReferenceTimes) -> ReferenceFit {
    let k = columns.len();
    let mut coefficients = vec![0.0; k];
    for _ in 0..25 {
        let state = state(columns, times, &coefficients);
        let gradient: Vec<f64> = (columns.iter())
            .map(|x| x.iter().zip(&state.scores).map(|(x, s)| x * s).sum())
            .collect();
        let inverse = inverse(&state.information);
        for (b, row) in coefficients.iter_mut().zip(&inverse) {
            *b += row.iter().zip(&gradient).map(|(a, g)| a * g).sum::<f64>();
        }
    }
    let state = state(columns, times, &coefficients);
    let inverse = inverse(&state.information);
    ReferenceFit {
        minus_two_log_likelihood: state.value,
        scores: state.scores,
        costs: (0..k)
            .map(|at| coefficients[at].powi(2) / inverse[at][at])
            .collect(),
        coefficients,
    }
}

struct State {
    value: f64,
    scores: Vec<f64>,
    information: Vec<Vec<f64>>,
}

fn state(columns: &[&[f64]], times: &ReferenceTimes, coefficients: &[f64]) -> State {
    let (n, k) = (times.time.len(), columns.len());
    let eta = |row: usize| {
        let own = columns.iter().zip(coefficients).map(|(x, b)| b * x[row]);
        times.offset[row] + own.sum::<f64>()
    };
    let eta: Vec<f64> = (0..n).map(eta).collect();
    let mut state = State {
        value: 0.0,
        scores: vec![0.0; n],
        information: vec![vec![0.0; k]; k],
    };
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| {
        let strata = times.stratum[*a].cmp(&times.stratum[*b]);
        strata.then(times.time[*b].total_cmp(&times.time[*a]))
    });
    let mut begin = 0;
    for at in 0..n {
        let is_same = |a: usize, b: usize| times.stratum[a] == times.stratum[b];
        if at > 0 && !is_same(order[at - 1], order[at]) {
            begin = at;
        }
        let time = times.time[order[at]];
        let ends =
            at + 1 == n || !is_same(order[at], order[at + 1]) || times.time[order[at + 1]] != time;
        let at_risk = &order[begin..=at];
        let is_event = |row: &usize| {
            times.time[*row] == time && times.event[*row] && times.weights[*row] > 0.0
        };
        let events: Vec<usize> = at_risk.iter().copied().filter(is_event).collect();
        if !ends || events.is_empty() {
            continue;
        }
        let d = events.len() as f64;
        let each = events.iter().map(|row| times.weights[*row]).sum::<f64>() / d;
        for l in 0..events.len() {
            let share = if times.is_efron { l as f64 / d } else { 0.0 };
            let theta = |row: &usize| {
                let left = if is_event(row) { 1.0 - share } else { 1.0 };
                left * times.weights[*row] * eta[*row].exp()
            };
            let sum: f64 = at_risk.iter().map(theta).sum();
            state.value += 2.0 * each * sum.ln();
            let mut means = vec![0.0; k];
            for row in at_risk {
                let p = theta(row) / sum;
                state.scores[*row] -= each * p;
                for (a, x) in columns.iter().enumerate() {
                    means[a] += p * x[*row];
                }
            }
            for row in at_risk {
                let p = each * theta(row) / sum;
                for a in 0..k {
                    let off = p * (columns[a][*row] - means[a]);
                    for b in 0..=a {
                        state.information[a][b] += off * (columns[b][*row] - means[b]);
                    }
                }
            }
        }
        for row in events {
            state.value -= 2.0 * times.weights[row] * eta[row];
            state.scores[row] += times.weights[row];
        }
    }
    for a in 0..k {
        for b in 0..a {
            state.information[b][a] = state.information[a][b];
        }
    }
    state
}

/// The inverse of a positive definite matrix, by Gauss and Jordan.
fn inverse(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let k = matrix.len();
    let mut left = matrix.to_vec();
    let unit = |a: usize| (0..k).map(|b| f64::from(u8::from(a == b))).collect();
    let mut right: Vec<Vec<f64>> = (0..k).map(unit).collect();
    for at in 0..k {
        let pivot = left[at][at];
        left[at].iter_mut().for_each(|x| *x /= pivot);
        right[at].iter_mut().for_each(|x| *x /= pivot);
        let (own, inverse) = (left[at].clone(), right[at].clone());
        for other in (0..k).filter(|other| *other != at) {
            let factor = left[other][at];
            let pairs = left[other].iter_mut().zip(&own);
            pairs.for_each(|(x, own)| *x -= factor * own);
            let pairs = right[other].iter_mut().zip(&inverse);
            pairs.for_each(|(x, own)| *x -= factor * own);
        }
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::least_squares::tests::problem;

    #[test]
    fn scores_are_orthogonal_to_columns_and_no_step_is_better() {
        let (x, noise) = problem(60, 3, 5);
        let time: Vec<f64> = noise.iter().map(|e| (40.0 * e.abs()).ceil()).collect();
        let event: Vec<bool> = (0..60).map(|row| row % 3 != 0).collect();
        let stratum: Vec<u32> = (0..60).map(|row| row % 2).collect();
        for is_efron in [true, false] {
            let times = ReferenceTimes {
                time: &time,
                event: &event,
                stratum: &stratum,
                weights: &[1.0; 60],
                offset: &[0.1; 60],
                is_efron,
            };
            let columns = [&x[..60], &x[60..120], &x[120..180]];
            let fit = reference(&columns, &times);
            for column in columns {
                let product: f64 = column.iter().zip(&fit.scores).map(|(x, s)| x * s).sum();
                assert!(product.abs() < 1e-10);
            }
            for at in 0..3 {
                let mut moved = fit.coefficients.clone();
                moved[at] += 0.01;
                let other = state(&columns, &times, &moved);
                assert!(other.value > fit.minus_two_log_likelihood);
            }
        }
    }
}
