//! The multinomial logit model, of responses of levels without order.
//!
//! Of K levels the first is the baseline; each other one, k, has linear predictors η_k of its own, which stand below one
//! another: of n observations there are n·(K − 1) of them. With intercepts α_k,
//!
//! ```text
//! p_k = exp(α_k + η_k) / (1 + Σ_l exp(α_l + η_l))      ∂ℓ/∂η_k = w(1 of level k − p_k)
//! −∂²ℓ/∂η_k∂η_l = w·p_k(1 of k = l − p_l)
//! ```
//!
//! Intercepts are maximised out: with W these second derivatives, E the columns of ones of each level and D = EᵀWE, what is
//! left of them is W − WE·D⁻¹·EᵀW. Adding a constant to the predictors of a level changes nothing.
//!
//! *Source:* A. Agresti, Categorical Data Analysis, 2002, section 7.1; baseline and signs as R's `nnet::multinom` has them.

use std::sync::Arc;

use super::{
    super::{FamilyError, cox::informative},
    Curvature, JointState,
    levels::{Concave, Levels, maximised},
};
use crate::{cholesky, vector::product};

/// A response of levels without order.
#[derive(Debug, Clone)]
pub struct MultinomialResponse {
    pub(super) levels: Levels,
    /// Of each observation and each level but the first: below one another, as predictors are.
    pub(super) offset: Vec<f64>,
}

/// The negative second derivatives of the likelihood at the intercepts that maximise it.
#[derive(Debug, Clone)]
pub(crate) struct MultinomialCurvature {
    response: Arc<MultinomialResponse>,
    intercepts: Vec<f64>,
    /// p and w·p, as predictors stand.
    probabilities: Vec<f64>,
    weighted: Vec<f64>,
    diagonal: Vec<f64>,
    /// The lower triangular factor of D, row by row.
    factor: Vec<f64>,
}

/// What the likelihood is at some intercepts.
struct AtIntercepts<'a> {
    response: &'a MultinomialResponse,
    /// −ℓ.
    value: f64,
    probabilities: Vec<f64>,
}

impl Concave for AtIntercepts<'_> {
    fn value(&self) -> f64 {
        self.value
    }

    fn step(&self) -> Option<(Vec<f64>, f64)> {
        let n = self.response.levels.codes.len();
        let scores = self.response.scores(&self.probabilities);
        let gradient: Vec<f64> = scores.chunks(n).map(|block| block.iter().sum()).collect();
        let mut step = gradient.clone();
        solve(&self.response.factor(&self.probabilities)?, &mut step);
        let promised = product(&step, &gradient);
        Some((step, promised))
    }
}

impl MultinomialResponse {
    /// A response of levels that are numbered; those that no observation of a weight above 0 has are left out. Weights may be
    /// empty.
    ///
    /// # Errors
    /// Fewer than two levels; a weight that is none.
    pub fn new(codes: &[u32], weights: &[f64]) -> Result<Self, FamilyError> {
        let levels = Levels::of(codes, weights)?;
        let offset = vec![0.0; codes.len() * (levels.count() - 1)];
        Ok(Self { levels, offset })
    }

    /// Levels less one: how many blocks of predictors there are.
    pub fn blocks(&self) -> usize {
        self.levels.count() - 1
    }

    fn at(&self, predictors: &[f64], intercepts: &[f64]) -> Option<AtIntercepts<'_>> {
        let n = self.levels.codes.len();
        let mut probabilities = vec![0.0; predictors.len()];
        let mut value = 0.0;
        let mut own = vec![0.0; intercepts.len()];
        for (row, (level, weight)) in self.levels.rows().enumerate() {
            // The baseline's is 0.
            let mut most: f64 = 0.0;
            for (block, alpha) in intercepts.iter().enumerate() {
                own[block] = alpha + predictors[block * n + row];
                most = most.max(own[block]);
            }
            let of_level = match level {
                0 => 0.0,
                level => own[level - 1],
            };
            let mut sum = (-most).exp();
            own.iter_mut().for_each(|own| {
                *own = (*own - most).exp();
                sum += *own;
            });
            value += weight * (sum.ln() + most - of_level);
            for (block, own) in own.iter().enumerate() {
                probabilities[block * n + row] = own / sum;
            }
        }
        value.is_finite().then_some(AtIntercepts {
            response: self,
            value,
            probabilities,
        })
    }

    /// ∂ℓ/∂η.
    fn scores(&self, probabilities: &[f64]) -> Vec<f64> {
        let n = self.levels.codes.len();
        let of = |(at, p): (usize, &f64)| {
            let (block, row) = (at / n, at % n);
            let is_own = self.levels.codes[row] as usize == block + 1;
            self.levels.weights[row] * (f64::from(u8::from(is_own)) - p)
        };
        probabilities.iter().enumerate().map(of).collect()
    }

    /// The lower triangular factor of EᵀWE; none where a probability has vanished.
    fn factor(&self, probabilities: &[f64]) -> Option<Vec<f64>> {
        let (n, blocks) = (self.levels.codes.len(), self.blocks());
        let mut matrix = vec![0.0; blocks * blocks];
        for (a, own) in probabilities.chunks(n).enumerate() {
            for (b, other) in probabilities.chunks(n).enumerate().take(a + 1) {
                let rows = own.iter().zip(other).zip(&self.levels.weights);
                let is_same = f64::from(u8::from(a == b));
                let sum = rows.map(|((p, q), w)| w * p * (is_same - q));
                matrix[a * blocks + b] = sum.sum();
            }
        }
        cholesky::factor(&mut matrix, blocks, 0.0);
        let pivots = (0..blocks).map(|at| matrix[at * blocks + at]);
        let is_whole = pivots
            .into_iter()
            .all(|pivot| pivot > 0.0 && pivot.is_finite());
        is_whole.then_some(matrix)
    }

    /// The state of finite linear predictors, the intercepts looked for from given ones on; none where a number is beyond the range
    /// of f64.
    pub(super) fn state(
        response: &Arc<Self>,
        predictors: Vec<f64>,
        near: Option<&[f64]>,
    ) -> Option<JointState> {
        let (intercepts, own) = maximised(
            near,
            || response.first(&predictors),
            |intercepts| response.at(&predictors, intercepts),
        )?;
        let factor = response.factor(&own.probabilities)?;
        let scores = response.scores(&own.probabilities);
        let weights = response.levels.weights.iter().cycle();
        let weighted: Vec<f64> = own
            .probabilities
            .iter()
            .zip(weights)
            .map(|(p, w)| w * p)
            .collect();
        let diagonal = weighted
            .iter()
            .zip(&own.probabilities)
            .map(|(w, p)| w * (1.0 - p))
            .collect();
        Some(JointState {
            predictors,
            minus_two_log_likelihood: 2.0 * own.value,
            scores,
            curvature: Curvature::Multinomial(MultinomialCurvature {
                response: response.clone(),
                intercepts,
                probabilities: own.probabilities,
                weighted,
                diagonal,
                factor,
            }),
        })
    }

    /// Intercepts that a search for the best begins at: those of predictors that are all their mean.
    fn first(&self, predictors: &[f64]) -> Vec<f64> {
        let totals = &self.levels.totals;
        let all: f64 = totals.iter().sum();
        let blocks = predictors.chunks(self.levels.codes.len()).zip(&totals[1..]);
        let of_block = |(own, total): (&[f64], &f64)| {
            (total / totals[0]).ln() - product(own, &self.levels.weights) / all
        };
        blocks.map(of_block).collect()
    }
}

fn solve(factor: &[f64], v: &mut [f64]) {
    cholesky::solve(factor, v);
    cholesky::solve_transposed(factor, v);
}

impl MultinomialCurvature {
    /// Wv, the sum of each level's part, and D⁻¹ of these sums: by how much less the intercepts are where linear predictors are
    /// more by v.
    fn moves(&self, v: &[f64]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let n = self.response.levels.codes.len();
        let mut means = vec![0.0; n];
        for (p, v) in self.probabilities.chunks(n).zip(v.chunks(n)) {
            means
                .iter_mut()
                .zip(p.iter().zip(v))
                .for_each(|(m, (p, v))| *m += p * v);
        }
        let parts = self.weighted.iter().zip(v).zip(means.iter().cycle());
        let product: Vec<f64> = parts.map(|((w, v), mean)| w * (v - mean)).collect();
        let sums: Vec<f64> = product.chunks(n).map(|block| block.iter().sum()).collect();
        let mut moves = sums.clone();
        solve(&self.factor, &mut moves);
        (product, sums, moves)
    }

    /// Whether it is of this response.
    pub(super) fn is_of(&self, response: &Arc<MultinomialResponse>) -> bool {
        Arc::ptr_eq(&self.response, response)
    }

    pub(super) fn times(&self, v: &[f64]) -> Vec<f64> {
        let n = self.response.levels.codes.len();
        let (mut product, _, moves) = self.moves(v);
        let mut means = vec![0.0; n];
        for (p, own) in self.probabilities.chunks(n).zip(&moves) {
            means.iter_mut().zip(p).for_each(|(m, p)| *m += p * own);
        }
        let blocks = product
            .chunks_mut(n)
            .zip(self.weighted.chunks(n))
            .zip(&moves);
        for ((product, weighted), own) in blocks {
            let rows = product.iter_mut().zip(weighted).zip(&means);
            rows.for_each(|((product, w), mean)| *product -= w * (own - mean));
        }
        product
    }

    pub(super) fn square(&self, v: &[f64]) -> f64 {
        let (image, sums, moves) = self.moves(v);
        let whole: f64 = self.diagonal.iter().zip(v).map(|(d, v)| d * v * v).sum();
        informative(product(&image, v) - product(&sums, &moves), whole)
    }

    pub(super) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// The probability of each level but the first, as predictors stand.
    pub(super) fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The intercepts.
    pub(crate) fn intercepts(&self) -> &[f64] {
        &self.intercepts
    }

    /// The derivative of each intercept along a column.
    pub(crate) fn intercept_moves(&self, column: &[f64]) -> Vec<f64> {
        self.moves(column).2.into_iter().map(|own| -own).collect()
    }

    /// The variance of each intercept where the linear predictors are given.
    pub(crate) fn intercept_variances(&self) -> Vec<f64> {
        let count = self.intercepts.len();
        let of_intercept = |at: usize| {
            let mut unit = vec![0.0; count];
            unit[at] = 1.0;
            solve(&self.factor, &mut unit);
            unit[at]
        };
        (0..count).map(of_intercept).collect()
    }
}
