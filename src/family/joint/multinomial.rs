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
    shares: Shares,
    diagonal: Vec<f64>,
    /// The lower triangular factor of D, row by row.
    factor: Vec<f64>,
}

/// The probabilities of levels, whose differences from 1 keep all their digits.
#[derive(Debug, Clone)]
struct Shares {
    /// Of each level, the baseline first, and of each observation: below one another.
    p: Vec<f64>,
    /// Of each observation the level of the largest probability, and 1 less that.
    largest: Vec<u32>,
    rest: Vec<f64>,
}

impl Shares {
    fn n(&self) -> usize {
        self.rest.len()
    }

    /// Of each level but the first, as predictors stand.
    fn of_predictors(&self) -> &[f64] {
        &self.p[self.n()..]
    }

    /// 1 − p of a level.
    fn beside(&self, level: usize, row: usize) -> f64 {
        match self.largest[row] as usize == level {
            true => self.rest[row],
            false => 1.0 - self.p[level * self.n() + row],
        }
    }

    /// Takes off values of each level their mean by the probabilities of their row; those of the baseline, which are 0, become
    /// the ones returned.
    fn centre(&self, v: &mut [f64]) -> Vec<f64> {
        let n = self.n();
        // From the value of the most likely level on, so that what is left of it is no difference of near numbers.
        let origin = |(row, level): (usize, &u32)| match level {
            0 => 0.0,
            level => v[(*level as usize - 1) * n + row],
        };
        let origins: Vec<f64> = self.largest.iter().enumerate().map(origin).collect();
        let (baseline, others) = self.p.split_at(n);
        let mut means: Vec<f64> = baseline.iter().zip(&origins).map(|(p, o)| -p * o).collect();
        for (p, v) in others.chunks(n).zip(v.chunks_mut(n)) {
            for (((mean, p), v), origin) in means.iter_mut().zip(p).zip(v).zip(&origins) {
                *v -= origin;
                *mean += p * *v;
            }
        }
        for v in v.chunks_mut(n) {
            v.iter_mut().zip(&means).for_each(|(v, mean)| *v -= mean);
        }
        let origins = origins.iter().zip(&means);
        origins.map(|(origin, mean)| -origin - mean).collect()
    }
}

/// What the likelihood is at some intercepts.
struct AtIntercepts<'a> {
    response: &'a MultinomialResponse,
    /// −ℓ.
    value: f64,
    shares: Shares,
}

impl Concave for AtIntercepts<'_> {
    fn value(&self) -> f64 {
        self.value
    }

    fn step(&self) -> Option<(Vec<f64>, f64)> {
        let n = self.response.levels.codes.len();
        let scores = self.response.scores(&self.shares);
        let gradient: Vec<f64> = scores.chunks(n).map(|block| block.iter().sum()).collect();
        let mut step = gradient.clone();
        solve(&self.response.factor(&self.shares)?, &mut step);
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
        let mut shares = Shares {
            p: vec![0.0; predictors.len() + n],
            largest: Vec::with_capacity(n),
            rest: Vec::with_capacity(n),
        };
        let mut value = 0.0;
        // The baseline's is 0.
        let mut own = vec![0.0; intercepts.len() + 1];
        for (row, (level, weight)) in self.levels.rows().enumerate() {
            own[0] = 0.0;
            let mut largest = 0;
            for (block, alpha) in intercepts.iter().enumerate() {
                own[block + 1] = alpha + predictors[block * n + row];
                if own[block + 1] > own[largest] {
                    largest = block + 1;
                }
            }
            let most = own[largest];
            let below = most - own[level];
            let mut rest = 0.0;
            for (at, own) in own.iter_mut().enumerate() {
                *own = (*own - most).exp();
                rest += if at == largest { 0.0 } else { *own };
            }
            value += weight * (rest.ln_1p() + below);
            let sum = 1.0 + rest;
            for (at, own) in own.iter().enumerate() {
                shares.p[at * n + row] = own / sum;
            }
            shares.largest.push(largest as u32);
            shares.rest.push(rest / sum);
        }
        value.is_finite().then_some(AtIntercepts {
            response: self,
            value,
            shares,
        })
    }

    /// ∂ℓ/∂η.
    fn scores(&self, shares: &Shares) -> Vec<f64> {
        let n = self.levels.codes.len();
        let of = |(at, p): (usize, &f64)| {
            let (level, row) = (at / n + 1, at % n);
            let weight = self.levels.weights[row];
            match self.levels.codes[row] as usize == level {
                true => weight * shares.beside(level, row),
                false => -weight * p,
            }
        };
        shares.of_predictors().iter().enumerate().map(of).collect()
    }

    /// The diagonal of W.
    fn diagonal(&self, shares: &Shares) -> Vec<f64> {
        let n = self.levels.codes.len();
        let of = |(at, p): (usize, &f64)| {
            let (level, row) = (at / n + 1, at % n);
            self.levels.weights[row] * p * shares.beside(level, row)
        };
        shares.of_predictors().iter().enumerate().map(of).collect()
    }

    /// The lower triangular factor of EᵀWE; none where a probability has vanished.
    fn factor(&self, shares: &Shares) -> Option<Vec<f64>> {
        let (n, blocks) = (self.levels.codes.len(), self.blocks());
        let mut matrix = vec![0.0; blocks * blocks];
        let diagonal = self.diagonal(shares);
        let p = shares.of_predictors();
        for (a, own) in p.chunks(n).enumerate() {
            for (b, other) in p.chunks(n).enumerate().take(a) {
                let rows = own.iter().zip(other).zip(&self.levels.weights);
                matrix[a * blocks + b] = -rows.map(|((p, q), w)| w * p * q).sum::<f64>();
            }
            matrix[a * blocks + a] = diagonal[a * n..][..n].iter().sum();
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
        Some(JointState {
            predictors,
            minus_two_log_likelihood: 2.0 * own.value,
            scores: response.scores(&own.shares),
            curvature: Curvature::Multinomial(MultinomialCurvature {
                response: response.clone(),
                intercepts,
                diagonal: response.diagonal(&own.shares),
                factor: response.factor(&own.shares)?,
                shares: own.shares,
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
    /// D⁻¹EᵀWv, by how much less the intercepts are where linear predictors are more by v; v less that, and less its means by
    /// the probabilities of a row, and what then is the baseline's.
    fn moves(&self, v: &[f64]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let n = self.shares.n();
        let mut own = v.to_vec();
        self.shares.centre(&mut own);
        let p = self.shares.of_predictors().chunks(n);
        let sums = own.chunks(n).zip(p).map(|(own, p)| {
            let rows = own.iter().zip(p).zip(&self.response.levels.weights);
            rows.map(|((v, p), w)| w * p * v).sum()
        });
        let mut moves: Vec<f64> = sums.collect();
        solve(&self.factor, &mut moves);
        for ((own, v), by) in own.chunks_mut(n).zip(v.chunks(n)).zip(&moves) {
            own.iter_mut().zip(v).for_each(|(own, v)| *own = v - by);
        }
        let baseline = self.shares.centre(&mut own);
        (moves, own, baseline)
    }

    /// Whether it is of this response.
    pub(super) fn is_of(&self, response: &Arc<MultinomialResponse>) -> bool {
        Arc::ptr_eq(&self.response, response)
    }

    pub(super) fn times(&self, v: &[f64]) -> Vec<f64> {
        let (_, mut own, _) = self.moves(v);
        let weights = self.response.levels.weights.iter().cycle();
        let rows = own.iter_mut().zip(self.shares.of_predictors());
        rows.zip(weights).for_each(|((v, p), w)| *v *= w * p);
        own
    }

    /// A sum of squares, so that it has all its digits where levels are nearly told apart.
    pub(super) fn square(&self, v: &[f64]) -> f64 {
        let (_, own, baseline) = self.moves(v);
        let weights = self.response.levels.weights.iter().cycle();
        let levels = baseline.iter().chain(&own).zip(&self.shares.p);
        let square = levels.zip(weights).map(|((v, p), w)| w * p * v * v).sum();
        let whole: f64 = self.diagonal.iter().zip(v).map(|(d, v)| d * v * v).sum();
        informative(square, whole)
    }

    pub(super) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// The probability of each level but the first, as predictors stand.
    pub(super) fn probabilities(&self) -> &[f64] {
        self.shares.of_predictors()
    }

    /// The intercepts.
    pub(crate) fn intercepts(&self) -> &[f64] {
        &self.intercepts
    }

    /// The derivative of each intercept along a column.
    pub(crate) fn intercept_moves(&self, column: &[f64]) -> Vec<f64> {
        self.moves(column).0.into_iter().map(|own| -own).collect()
    }

    /// The covariances of the intercepts where the linear predictors are given.
    pub(super) fn intercept_covariances(&self) -> Vec<Vec<f64>> {
        let count = self.intercepts.len();
        let of_intercept = |at: usize| {
            let mut unit = vec![0.0; count];
            unit[at] = 1.0;
            solve(&self.factor, &mut unit);
            unit
        };
        (0..count).map(of_intercept).collect()
    }

    /// ∂ℓ/∂α of each observation, which is that of its linear predictors.
    pub(super) fn intercept_scores(&self) -> Vec<Vec<f64>> {
        let scores = self.response.scores(&self.shares);
        scores
            .chunks(self.shares.n())
            .map(<[f64]>::to_vec)
            .collect()
    }
}
