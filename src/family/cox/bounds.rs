//! What a column that joins a model can do at most for its partial likelihood.
//!
//! f = −ℓ is a sum of logarithms of sums of exponentials, over risk sets, less a linear function. Along a direction v of linear
//! predictors D²f[v, v] is a sum of variances of v within risk sets and D³f[u, u, v] of third central moments, so that with
//! ρ(v) the largest range of v among rows at risk
//!
//! ```text
//! |D³f[u, u, v]| ≤ ρ(v)·D²f[u, u]      hence, with H = D²f at β, g = Df and d = ‖v‖_H,
//! H(β + v) ≥ e^{−ρ(v)}·H   and   f(β + v) ≥ f(β) + gᵀv + d²·ψ(ρ(v))      ψ(ρ) = (e^{−ρ} + ρ − 1)/ρ²
//! ```
//!
//! and ψ falls. Let columns z₁ … z_k of the model and z of the column beside it be orthonormal under H, s = |zᵀr| for the
//! scores r, γ the norm of the scores along the model (0 at its optimum), R a number with ρ(v) ≤ R·‖v‖_H for all v. The least
//! over all v of a length, and then over the length, gives
//!
//! ```text
//! the fall in −2ℓ ≤ κ(Rλ)·λ²,   λ² = s² + γ²,   κ(c) = 2[(1 − c) ln(1 − c) + c]/c²,   Rλ < 1
//! ```
//!
//! Of v = d·(cos φ·z + sin φ·(a unit vector of the model)) the range is at most d·(R_z cos φ + R_A sin φ) and gᵀv at least
//! −d·(s cos φ + γ sin φ), so R need not be that of all directions: the largest over φ of κ(c)·s²cos²φ, c = s·cos φ·(R_z cos φ
//! + R_A sin φ), is a bound where γ = 0.
//!
//! Along which a model is left far behind, as where the coefficient of one of its columns becomes 0, −2ℓ rises at least by
//!
//! ```text
//! 2·[(e^{−Rd} + Rd − 1)/R² − λ·d]   at the larger of the distance and −ln(1 − Rλ)/R, from where on it grows with d
//! ```
//!
//! so that the sweep of one model settles most exchanges of its columns.
//!
//! R_A is at most twice the largest norm of a row of z₁ … z_k about any centre. From any other point β + v of the larger model
//! the same holds for what is left, with e^{ρ(v)}·H⁻¹ in place of H⁻¹: a few steps of Newton's method with one H come so near
//! to its optimum that hardly anything is left.
//!
//! *Source:* F. Bach, Self-concordant analysis for logistic regression, Electronic Journal of Statistics 4, 2010,
//! proposition 1.

use std::sync::Arc;

use super::{
    super::kappa,
    response::SurvivalResponse,
    state::{CoxState, RiskCurvature},
};
use crate::vector::{add_scaled, product};

/// Room for the rounding of products.
const ROUNDING: f64 = 1.0 + 1e-6;

/// What rounding may take off −2ℓ, relative to it.
const VALUE_ROUNDING: f64 = 1e-10;

/// How far products of orthonormal columns may be off.
const LEAST_ORTHONORMAL: f64 = 1e-8;

/// What a column must keep beside a model, as a share of its square, for the rest to have digits.
const LEAST_REST: f64 = 1e-8;

/// Steps towards the optimum of a larger model, at most, and the largest range of what they move.
const STEPS: usize = 8;
const FARTHEST: f64 = 4.0;

/// A model of survival times, to bound what columns do that join it. Columns are by row.
pub(crate) struct RiskBounds {
    response: Arc<SurvivalResponse>,
    state: CoxState,
    /// Orthonormal columns of the model, one after another, about a common centre, and H times them.
    units: Vec<f64>,
    images: Vec<f64>,
    /// Of each row at risk its number, and the squared norm of its values there.
    norms: Vec<(usize, f64)>,
    /// R_A, and that of each column.
    range: f64,
    pub(crate) ranges: Vec<f64>,
    /// The norm of the scores along the model.
    slope: f64,
}

/// What is known of a column beside a model: the score |zᵀr|, and at most its range, both of the part z of it that is new, at unit
/// norm; and R of all directions of the model with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewPart {
    pub(crate) score: f64,
    pub(crate) range: f64,
    pub(crate) all: f64,
}

/// Room for one column beside a model.
#[derive(Default)]
pub(crate) struct RiskRoom {
    unit: Vec<f64>,
    moved: Vec<f64>,
}

impl RiskBounds {
    /// Those of a model with these linear predictors, offsets included; none where its columns are not orthonormal under its second
    /// derivatives.
    ///
    /// *Shapes:* n predictors and n × k `units`, column-major, in the order of the observations.
    pub(crate) fn of(curvature: &RiskCurvature, predictors: &[f64], units: &[f64]) -> Option<Self> {
        let response = curvature.response.clone();
        let n = response.n();
        let state = CoxState::of(&response, response.sorted(predictors))?;
        let columns: Vec<&[f64]> = units.chunks(n).collect();
        let mut units = response.sorted_columns(&columns);
        let groups = response.groups.len();
        let first = state.curvature.scales.first.iter().zip(&response.weights);
        let is_at_risk = first.map(|(first, weight)| (*first as usize) < groups && *weight > 0.0);
        let at_risk: Vec<usize> = (0..n)
            .zip(is_at_risk)
            .filter(|own| own.1)
            .map(|own| own.0)
            .collect();
        let mut ranges = Vec::with_capacity(columns.len());
        let mut images = Vec::with_capacity(units.len());
        let mut norms: Vec<(usize, f64)> = at_risk.iter().map(|row| (*row, 0.0)).collect();
        for unit in units.chunks_mut(n) {
            let middle = at_risk.iter().map(|row| unit[*row]).sum::<f64>() / at_risk.len() as f64;
            unit.iter_mut().for_each(|z| *z -= middle);
            let (low, high) = extent(at_risk.iter().map(|row| unit[*row]));
            ranges.push(high - low);
            norms
                .iter_mut()
                .for_each(|(row, sum)| *sum += unit[*row] * unit[*row]);
            images.extend(state.curvature.times_rows(unit));
        }
        for (a, unit) in units.chunks(n).enumerate() {
            for (b, image) in images.chunks(n).enumerate() {
                let off = product(unit, image) - f64::from(u8::from(a == b));
                // A column that others explain has no part of its own.
                let is_none = a == b && off == -1.0;
                if off.abs() > LEAST_ORTHONORMAL && !is_none {
                    return None;
                }
            }
        }
        let largest = norms.iter().fold(0.0, |most: f64, own| most.max(own.1));
        let slopes = units.chunks(n).map(|unit| product(unit, &state.scores));
        Some(Self {
            slope: slopes.map(|own| own * own).sum::<f64>().sqrt(),
            range: 2.0 * largest.sqrt(),
            response,
            state,
            units,
            images,
            norms,
            ranges,
        })
    }

    /// −2ℓ of the model.
    pub(crate) fn value(&self) -> f64 {
        self.state.minus_two_log_likelihood
    }

    /// R_A.
    pub(crate) fn range(&self) -> f64 {
        self.range
    }

    /// Whether a column with this part beside the model lowers −2ℓ by less than a number.
    pub(crate) fn is_settled(&self, part: NewPart, least: f64) -> bool {
        self.fall(part)
            .is_some_and(|fall| self.is_below(fall, least))
    }

    fn is_below(&self, fall: f64, least: f64) -> bool {
        let value = self.state.minus_two_log_likelihood;
        fall * ROUNDING + VALUE_ROUNDING * (1.0 + value.abs()) < least
    }

    /// By how much a column with this part beside the model lowers −2ℓ at most; none where the bound is not finite.
    pub(crate) fn fall(&self, part: NewPart) -> Option<f64> {
        let NewPart { score, range, .. } = part;
        let (slope, of_model) = (self.slope, self.range);
        // c ≤ along + across·sin φ, and at most `most`: the largest eigenvalue of a quadratic form in cos φ and sin φ.
        let along = score * range + slope * of_model;
        let across = score * of_model + slope * range;
        let own = score * range;
        let most = (0.5 * (own + own.hypot(across)) + slope * of_model) * ROUNDING;
        // False of a NaN too, as the tests below.
        let is_finite = most < 1.0;
        if !is_finite {
            return None;
        }
        // κ is convex: below a chord in sin φ = y, of which (κ₀ + my)(1 − y²) is largest where its slope is 0.
        let (first, last) = (kappa(along.min(most)), kappa(most));
        let rise = match across > 0.0 && most > along {
            true => (last - first) * across / (most - along),
            false => 0.0,
        };
        let y = (rise / (first + (first * first + 3.0 * rise * rise).sqrt())).min(1.0);
        let largest = (first + rise * y) * (1.0 - y * y);
        Some(score * score * largest + 2.0 * slope * (2.0 * score + slope))
    }

    /// Whether −2ℓ of the model with a column of this part is above that of the model by more than a number, wherever that is so
    /// far from its optimum.
    pub(crate) fn rises_by(&self, part: NewPart, distance: f64, least: f64) -> bool {
        let range = part.all * ROUNDING;
        let slope = part.score.hypot(self.slope) * ROUNDING;
        // False of a NaN too, as below.
        let is_finite = range * slope < 1.0;
        if !is_finite {
            return false;
        }
        let d = f64::max(distance / ROUNDING, -(-range * slope).ln_1p() / range);
        let x = range * d;
        let curved = match x < 1e-3 {
            // Of its alternating series the first two.
            true => d * d * (0.5 - x / 6.0),
            false => ((-x).exp_m1() + x) / (range * range),
        };
        let value = self.state.minus_two_log_likelihood;
        let rounding = VALUE_ROUNDING * (1.0 + value.abs()) + (ROUNDING - 1.0) * 2.0 * curved;
        2.0 * (curved - slope * d) - rounding > least
    }

    /// What a column adds to the model, whose values at unit norm come into the room; none where it adds nothing but rounding.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn new_part(&self, column: &[f64], room: &mut RiskRoom) -> Option<NewPart> {
        let (response, n) = (&*self.response, self.response.n());
        let unit = &mut room.unit;
        unit.clear();
        unit.extend(response.order().iter().map(|row| column[*row]));
        let curvature = &self.state.curvature;
        let whole = curvature.square_rows(unit);
        // Twice: the second pass removes what rounding left in the first.
        for _ in 0..2 {
            for (own, image) in self.units.chunks(n).zip(self.images.chunks(n)) {
                let share = product(image, unit);
                add_scaled(unit, -share, own);
            }
        }
        let square = curvature.square_rows(unit);
        let is_new = square > LEAST_REST * whole;
        if !is_new {
            return None;
        }
        let scale = 1.0 / square.sqrt();
        unit.iter_mut().for_each(|z| *z *= scale);
        let (low, high) = self.extent(unit);
        let middle = 0.5 * (low + high);
        let largest = self.norms.iter().fold(0.0, |most: f64, (row, norm)| {
            most.max(norm + (unit[*row] - middle) * (unit[*row] - middle))
        });
        Some(NewPart {
            score: product(unit, &self.state.scores).abs(),
            range: high - low,
            all: (2.0 * largest.sqrt()).min(self.range.hypot(high - low)),
        })
    }

    /// Whether a column lowers −2ℓ by less than a number, by its exact range or by a few steps towards the optimum of the larger
    /// model.
    ///
    /// *Shapes:* n values, in the order of the observations.
    pub(crate) fn settles(&self, column: &[f64], least: f64, room: &mut RiskRoom) -> bool {
        let Some(part) = self.new_part(column, room) else {
            return false;
        };
        if self.is_settled(part, least) {
            return true;
        }
        let (RiskRoom { unit, moved }, n) = (room, self.response.n());
        moved.clear();
        moved.resize(n, 0.0);
        let mut slopes = self.slopes(unit, &self.state.scores);
        let mut before = f64::INFINITY;
        for _ in 0..STEPS {
            for (slope, own) in slopes.iter().zip(self.units.chunks(n).chain([&unit[..]])) {
                add_scaled(moved, *slope, own);
            }
            let (low, high) = self.extent(moved);
            let is_near = high - low < FARTHEST;
            if !is_near {
                return false;
            }
            let growth = (high - low).exp();
            let predictors = self.state.predictors.iter().zip(&*moved);
            let predictors = predictors.map(|(eta, moved)| eta + moved).collect();
            let Some(next) = CoxState::of(&self.response, predictors) else {
                return false;
            };
            let fall = self.state.minus_two_log_likelihood - next.minus_two_log_likelihood;
            if !self.is_below(fall.max(0.0), least) {
                return false;
            }
            slopes = self.slopes(unit, &next.scores);
            let left: f64 = slopes.iter().map(|own| own * own).sum();
            let c = part.all * growth * left.sqrt() * ROUNDING;
            if c < 1.0 && self.is_below(fall + kappa(c) * growth * left, least) {
                return true;
            }
            let is_nearer = left < 0.5 * before;
            if !is_nearer {
                return false;
            }
            before = left;
        }
        false
    }

    /// The least and the largest value among the rows at risk.
    fn extent(&self, values: &[f64]) -> (f64, f64) {
        extent(self.norms.iter().map(|(row, _)| values[*row]))
    }

    /// Products with the columns of the model and the new one.
    fn slopes(&self, unit: &[f64], scores: &[f64]) -> Vec<f64> {
        let all = self.units.chunks(unit.len()).chain([unit]);
        all.map(|own| product(own, scores)).collect()
    }
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), own| {
        (low.min(own), high.max(own))
    })
}
