//! The model of proportional odds, of responses of ordered levels.
//!
//! With thresholds ζ₁ < … < ζ_{K−1}, ζ₀ = −∞, ζ_K = ∞, and F the logistic distribution, the probability of level k is
//!
//! ```text
//! P(Y ≤ k) = F(ζ_k − η)      p = F(b) − F(a),  a = ζ_{k−1} − η,  b = ζ_k − η
//! ln p = −ln(1 + e^{−b}) − ln(1 + e^a) + ln(1 − e^{a−b})
//! ∂ln p/∂η = F(a) + F(b) − 1      −∂²ln p/∂η² = f(a) + f(b)      −∂²ln p/∂η∂b = −f(b)
//! ```
//!
//! Thresholds are maximised out: with C the mixed derivatives and D the second ones of the thresholds, a tridiagonal
//! matrix, the second derivatives that are left are diag(f(a) + f(b)) − C·D⁻¹·Cᵀ. The likelihood is concave in thresholds and
//! predictors together, so this one is concave too; adding a constant to all predictors changes nothing.
//!
//! *Source:* P. McCullagh, Regression models for ordinal data, Journal of the Royal Statistical Society B 42, 1980; signs as
//! R's `MASS::polr` has them.

use std::sync::Arc;

use super::{
    super::{FamilyError, cox::informative},
    Curvature, JointState,
    levels::{Concave, Levels, maximised},
};
use crate::vector::product;

/// A response of ordered levels.
///
/// *Shapes:* n values each.
#[derive(Debug, Clone)]
pub struct OrdinalResponse {
    pub(super) levels: Levels,
    pub(super) offset: Vec<f64>,
}

/// The negative second derivatives of the likelihood at the thresholds that maximise it.
#[derive(Debug, Clone)]
pub(crate) struct OrdinalCurvature {
    response: Arc<OrdinalResponse>,
    thresholds: Vec<f64>,
    /// w·f(a) and w·f(b), and their sums.
    lower: Vec<f64>,
    upper: Vec<f64>,
    diagonal: Vec<f64>,
    of_thresholds: Tridiagonal,
}

/// A tridiagonal matrix that is symmetric and positive definite, as L·diag(d)·Lᵀ.
#[derive(Debug, Clone, Default)]
struct Tridiagonal {
    pivots: Vec<f64>,
    /// Of row k the entry of L before the diagonal; the first is 0.
    multipliers: Vec<f64>,
}

impl Tridiagonal {
    /// The factor of a matrix by its diagonal and the entries beside it; none where it is not positive definite.
    fn of(diagonal: &[f64], beside: &[f64]) -> Option<Self> {
        let mut own = Self::default();
        for (k, d) in diagonal.iter().enumerate() {
            let (multiplier, before) = match k.checked_sub(1) {
                None => (0.0, 0.0),
                Some(above) => (beside[above] / own.pivots[above], beside[above]),
            };
            let pivot = d - multiplier * before;
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            own.pivots.push(pivot);
            own.multipliers.push(multiplier);
        }
        Some(own)
    }

    fn solve(&self, v: &mut [f64]) {
        for k in 1..v.len() {
            v[k] -= self.multipliers[k] * v[k - 1];
        }
        v.iter_mut().zip(&self.pivots).for_each(|(v, d)| *v /= d);
        for k in (1..v.len()).rev() {
            v[k - 1] -= self.multipliers[k] * v[k];
        }
    }
}

/// What the likelihood is at some thresholds.
struct AtThresholds {
    /// −ℓ.
    value: f64,
    gradient: Vec<f64>,
    curvature: Tridiagonal,
}

impl Concave for AtThresholds {
    fn value(&self) -> f64 {
        self.value
    }

    fn step(&self) -> Option<(Vec<f64>, f64)> {
        let mut step = self.gradient.clone();
        self.curvature.solve(&mut step);
        let promised = product(&step, &self.gradient);
        Some((step, promised))
    }
}

/// F(x), 1 − F(x) and ln(1 + eˣ) of the logistic distribution.
#[inline]
fn logistic(x: f64) -> (f64, f64, f64) {
    let e = (-x.abs()).exp();
    let (large, small) = (1.0 / (1.0 + e), e / (1.0 + e));
    let logarithm = e.ln_1p();
    match x > 0.0 {
        true => (large, small, x + logarithm),
        false => (small, large, logarithm),
    }
}

/// F(above) − F(below) of the logistic distribution, with all its digits; none is −∞, or +∞.
pub(crate) fn probability_between(below: Option<f64>, above: Option<f64>) -> f64 {
    match (below, above) {
        (Some(a), Some(b)) => logistic(b).0 * logistic(a).1 * -(a - b).exp_m1(),
        (Some(a), None) => logistic(a).1,
        (None, Some(b)) => logistic(b).0,
        (None, None) => 1.0,
    }
}

impl OrdinalResponse {
    /// A response of levels that are numbered in their order; those that no observation of a weight above 0 has are left
    /// out. Weights and offset may be empty.
    ///
    /// # Errors
    /// Fewer than two levels; a weight or an offset that is none.
    pub fn new(codes: &[u32], weights: &[f64], offset: &[f64]) -> Result<Self, FamilyError> {
        let levels = Levels::of(codes, weights)?;
        let n = codes.len();
        if !offset.is_empty() && offset.len() != n {
            let (what, found) = ("offset", offset.len());
            return Err(FamilyError::Length { what, found, n });
        }
        if let Some(row) = offset.iter().position(|own| !own.is_finite()) {
            return Err(FamilyError::Number {
                row: row + 1,
                what: "offset",
                value: offset[row],
                wrong: "no number",
            });
        }
        let offset = match offset {
            [] => vec![0.0; n],
            offset => offset.to_vec(),
        };
        Ok(Self { levels, offset })
    }

    /// How many thresholds there are: levels less one.
    pub fn thresholds(&self) -> usize {
        self.levels.count() - 1
    }

    /// −ℓ at thresholds, with its derivatives; none where they are not in order or beyond the range of f64.
    fn at(&self, predictors: &[f64], thresholds: &[f64]) -> Option<AtThresholds> {
        let last = thresholds.len();
        // e^{−Δ}/(1 − e^{−Δ}) and ln(1 − e^{−Δ}) of the distance Δ of two thresholds.
        let mut ratios = vec![0.0; last + 1];
        let mut value = 0.0;
        for k in 1..last {
            let distance = thresholds[k] - thresholds[k - 1];
            if distance.is_nan() || distance <= 0.0 {
                return None;
            }
            let rest = -(-distance).exp_m1();
            ratios[k] = (1.0 - rest) / rest;
            value -= self.levels.totals[k] * rest.ln();
        }
        let mut gradient = vec![0.0; last];
        let (mut diagonal, mut beside) = (vec![0.0; last], vec![0.0; last]);
        for ((k, weight), eta) in self.levels.rows().zip(predictors) {
            if k < last {
                let (q, p, logarithm) = logistic(eta - thresholds[k]);
                value += weight * logarithm;
                gradient[k] += weight * q;
                diagonal[k] += weight * p * q;
            }
            if k > 0 {
                let (p, q, logarithm) = logistic(thresholds[k - 1] - eta);
                value += weight * logarithm;
                gradient[k - 1] -= weight * p;
                diagonal[k - 1] += weight * p * q;
            }
        }
        for k in 1..last {
            let (total, ratio) = (self.levels.totals[k], ratios[k]);
            gradient[k] += total * ratio;
            gradient[k - 1] -= total * ratio;
            let square = total * ratio * (1.0 + ratio);
            diagonal[k] += square;
            diagonal[k - 1] += square;
            beside[k - 1] = -square;
        }
        let curvature = Tridiagonal::of(&diagonal, &beside)?;
        value.is_finite().then_some(AtThresholds {
            value,
            gradient,
            curvature,
        })
    }

    /// Thresholds that a search for the best begins at: those of predictors that are all their mean.
    fn first(&self, predictors: &[f64]) -> Vec<f64> {
        let total: f64 = self.levels.totals.iter().sum();
        let mean = product(predictors, &self.levels.weights) / total;
        let mut below = 0.0;
        let of_level = |own: &f64| {
            below += own;
            mean + (below / (total - below)).ln()
        };
        self.levels.totals[..self.thresholds()]
            .iter()
            .map(of_level)
            .collect()
    }

    /// The state of finite linear predictors, the thresholds looked for from given ones on; none where a number is beyond the
    /// range of f64.
    pub(super) fn state(
        response: &Arc<Self>,
        predictors: Vec<f64>,
        near: Option<&[f64]>,
    ) -> Option<JointState> {
        let (thresholds, own) = maximised(
            near,
            || response.first(&predictors),
            |thresholds| response.at(&predictors, thresholds),
        )?;
        let n = predictors.len();
        let (mut lower, mut upper, mut scores) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let rows = response.levels.rows().zip(&predictors);
        for (row, ((k, weight), eta)) in rows.enumerate() {
            let mut below = (0.0, 0.0);
            if k > 0 {
                let (p, q, _) = logistic(thresholds[k - 1] - eta);
                below = (p, weight * p * q);
            }
            let mut above = (0.0, 0.0);
            if k < thresholds.len() {
                let (p, q, _) = logistic(thresholds[k] - eta);
                above = (q, weight * p * q);
            }
            scores[row] = weight * (below.0 - above.0);
            (lower[row], upper[row]) = (below.1, above.1);
        }
        let diagonal = lower.iter().zip(&upper).map(|(a, b)| a + b).collect();
        Some(JointState {
            predictors,
            minus_two_log_likelihood: 2.0 * own.value,
            scores,
            curvature: Curvature::Ordinal(OrdinalCurvature {
                response: response.clone(),
                thresholds,
                lower,
                upper,
                diagonal,
                of_thresholds: own.curvature,
            }),
        })
    }
}

impl OrdinalCurvature {
    /// −Cᵀv and D⁻¹ of it: by how much the thresholds move where linear predictors move by v.
    fn moves(&self, v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let last = self.thresholds.len();
        let mut mixed = vec![0.0; last];
        for (row, ((k, _), v)) in self.response.levels.rows().zip(v).enumerate() {
            if k < last {
                mixed[k] += self.upper[row] * v;
            }
            if k > 0 {
                mixed[k - 1] += self.lower[row] * v;
            }
        }
        let mut moves = mixed.clone();
        self.of_thresholds.solve(&mut moves);
        (mixed, moves)
    }

    /// Whether it is of this response.
    pub(super) fn is_of(&self, response: &Arc<OrdinalResponse>) -> bool {
        Arc::ptr_eq(&self.response, response)
    }

    pub(super) fn times(&self, v: &[f64]) -> Vec<f64> {
        let (_, moves) = self.moves(v);
        // What thresholds move with is taken off first: of columns that hardly differ otherwise no digits are lost.
        let of_row = |(row, ((k, _), v)): (usize, ((usize, f64), &f64))| {
            let above = moves
                .get(k)
                .map_or(0.0, |above| self.upper[row] * (v - above));
            match k {
                0 => above,
                k => above + self.lower[row] * (v - moves[k - 1]),
            }
        };
        let rows = self.response.levels.rows().zip(v);
        rows.enumerate().map(of_row).collect()
    }

    pub(super) fn square(&self, v: &[f64]) -> f64 {
        let (mixed, moves) = self.moves(v);
        let whole: f64 = self.diagonal.iter().zip(v).map(|(d, v)| d * v * v).sum();
        informative(whole - product(&mixed, &moves), whole)
    }

    /// The probability of the level of each observation at linear predictors.
    pub(super) fn probabilities(&self, predictors: &[f64]) -> Vec<f64> {
        let last = self.thresholds.len();
        let of_row = |((k, _), eta): ((usize, f64), &f64)| {
            let below = k.checked_sub(1).map(|below| self.thresholds[below] - eta);
            let above = (k < last).then(|| self.thresholds[k] - eta);
            probability_between(below, above)
        };
        let rows = self.response.levels.rows().zip(predictors);
        rows.map(of_row).collect()
    }

    pub(super) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// The thresholds.
    pub(crate) fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// The derivative of each threshold along a column.
    pub(crate) fn threshold_moves(&self, column: &[f64]) -> Vec<f64> {
        self.moves(column).1
    }

    /// The covariances of the thresholds where the linear predictors are given.
    pub(super) fn threshold_covariances(&self) -> Vec<Vec<f64>> {
        let count = self.thresholds.len();
        let of_threshold = |k: usize| {
            let mut unit = vec![0.0; count];
            unit[k] = 1.0;
            self.of_thresholds.solve(&mut unit);
            unit
        };
        (0..count).map(of_threshold).collect()
    }

    /// ∂ln p/∂b = 1 − F(b) + e^{−Δ}/(1 − e^{−Δ}) of the threshold above each observation, ∂ln p/∂a of the one below it, Δ being
    /// their distance.
    pub(super) fn threshold_scores(&self, predictors: &[f64]) -> Vec<Vec<f64>> {
        let last = self.thresholds.len();
        let ratio = |k: usize| match k {
            0 => 0.0,
            k if k == last => 0.0,
            k => 1.0 / (self.thresholds[k] - self.thresholds[k - 1]).exp_m1(),
        };
        let ratios: Vec<f64> = (0..=last).map(ratio).collect();
        let mut scores = vec![vec![0.0; predictors.len()]; last];
        let rows = self.response.levels.rows().zip(predictors);
        for (row, ((k, weight), eta)) in rows.enumerate() {
            if k < last {
                let (q, _, _) = logistic(eta - self.thresholds[k]);
                scores[k][row] = weight * (q + ratios[k]);
            }
            if k > 0 {
                let (p, _, _) = logistic(self.thresholds[k - 1] - eta);
                scores[k - 1][row] = -weight * (p + ratios[k]);
            }
        }
        scores
    }
}
