//! Covariances of estimated coefficients that do not rest on the variances of the model.

use std::borrow::Cow;

use nalgebra::{DMatrix, DVector};

use crate::{
    cholesky::explained,
    design::{CovarianceEstimator, Design},
    family::{FamilyFit, FitStatus, SurvivalResponse},
    least_squares::Fit,
    vector::{add_scaled, packed_columns, product},
};

/// 1 − leverage below which an observation is fitted whatever its response is, as in R's `lm`.
const LEAST_FREE: f64 = 1e-10;

/// Pivot of a matrix of correlations below which it counts as singular.
const LEAST_PIVOT: f64 = 1e-10;

/// A sandwich estimate (XᵀWX)⁻¹·M·(XᵀWX)⁻¹ of the covariance matrix of coefficients, M being the sum of the squared
/// scores of the observations, or of the squared sums of those of each cluster.
///
/// *Units:* the constant is the linear predictor where all variables are at their means; coefficients are on the original
/// scale.
///
/// *Source:* the estimators of [`CovarianceEstimator`]; of clusters K.-Y. Liang, S. Zeger, Longitudinal data analysis using
/// generalized linear models, Biometrika 73, 1986; small-sample factors as A. C. Cameron, D. L. Miller, A practitioner's
/// guide to cluster-robust inference, Journal of Human Resources 50, 2015, and as R's package sandwich has them; of survival
/// times D. Y. Lin, L. J. Wei, The robust inference for the Cox proportional hazards model, Journal of the American Statistical
/// Association 84, 1989, as R's `coxph` has it.
#[derive(Debug, Clone)]
pub(crate) struct Sandwich {
    /// Of the constant, if there is one, then of the coefficients.
    matrix: DMatrix<f64>,
    has_constant: bool,
    /// The estimator that it is by.
    pub(crate) estimator: CovarianceEstimator,
    /// How many clusters there are.
    pub(crate) clusters: Option<usize>,
}

/// What the estimate is made of, for columns of unit norm, the constant's first.
struct Parts<'a> {
    /// The constant's column; none of a model without.
    constant: Option<Vec<f64>>,
    /// Of survival times score residuals: a row of the columns enters the likelihood with all who are at risk beside it.
    columns: Vec<Cow<'a, [f64]>>,
    /// The derivative of the objective with respect to each linear predictor; 1 of score residuals.
    scores: Vec<f64>,
    /// The working weight of each observation; empty where it is one.
    weights: &'a [f64],
    /// (XᵀWX)⁻¹.
    inverse: DMatrix<f64>,
    /// How many coefficients are not explained by others.
    rank: usize,
    /// What makes a coefficient of the original scale of one of these.
    scale: Vec<f64>,
}

impl<'a> Parts<'a> {
    fn of(design: &'a Design, fit: &'a Fit) -> Self {
        let x = design.columns();
        let columns = fit.support().iter().map(|j| x.column(*j));
        let variables = fit.support().iter();
        let variables = variables.map(|j| &design.variables()[*j as usize]);
        let norms = variables.map(|own| own.norm);
        if let Some(own) = fit.family() {
            let fixed = own.intercept().map(|_| 1.0);
            let scale: Vec<f64> = fixed.into_iter().chain(norms.map(f64::recip)).collect();
            let (columns, scores) = match survival(design) {
                Some(survival) => {
                    let columns: Vec<&[f64]> = columns.collect();
                    let residuals = survival.score_residuals(&columns, own.predictors());
                    let residuals = residuals.into_iter().map(Cow::Owned);
                    (residuals.collect(), vec![1.0; design.n()])
                }
                None => (columns.map(Cow::Borrowed).collect(), own.scores().to_vec()),
            };
            return Self {
                constant: own.intercept().map(|_| vec![1.0; design.n()]),
                columns,
                scores,
                weights: own.weights(),
                inverse: inverse(own.inverse(), scale.len(), 0),
                rank: own.rank(),
                scale,
            };
        }
        let unit = design.response().norm;
        let fixed = usize::from(design.intercept());
        let own = design.intercept().then_some(unit).into_iter();
        let scale: Vec<f64> = own.chain(norms.map(|norm| unit / norm)).collect();
        // Columns are centred, so that the constant stands by itself.
        let mut inverse = inverse(fit.inverse(), scale.len(), fixed);
        let n = design.n();
        if fixed == 1 {
            inverse[(0, 0)] = 1.0 / n as f64;
        }
        let roots = design.weight_values().iter().map(|weight| weight.sqrt());
        let roots: Vec<f64> = roots.chain(std::iter::repeat(1.0)).take(n).collect();
        Self {
            constant: design.intercept().then_some(roots),
            columns: columns.map(Cow::Borrowed).collect(),
            scores: fit.residual().to_vec(),
            weights: &[],
            inverse,
            rank: scale.len(),
            scale,
        }
    }

    /// The values of an observation.
    fn row(&self, i: usize, row: &mut Vec<f64>) {
        row.clear();
        row.extend(self.constant.iter().map(|own| own[i]));
        row.extend(self.columns.iter().map(|column| column[i]));
    }

    /// ∂ŷ/∂y of an observation of these values.
    fn leverage(&self, i: usize, row: &[f64]) -> f64 {
        let columns = self.inverse.column_iter().zip(row);
        let form = columns.map(|(column, x)| product(column.as_slice(), row) * x);
        form.sum::<f64>() * self.weights.get(i).copied().unwrap_or(1.0)
    }
}

fn survival(design: &Design) -> Option<&SurvivalResponse> {
    let own = design.likelihood()?.response().survival()?;
    Some(own)
}

/// T·Tᵀ of a packed upper triangle, behind so many rows and columns of zeros.
fn inverse(packed: &[f64], size: usize, before: usize) -> DMatrix<f64> {
    let mut all = DMatrix::zeros(size, size);
    for column in packed_columns(packed) {
        for (b, other) in column.iter().enumerate() {
            let mut own = all.column_mut(before + b);
            add_scaled(
                &mut own.as_mut_slice()[before..][..column.len()],
                *other,
                column,
            );
        }
    }
    all
}

impl Sandwich {
    /// The covariance matrix of a fit by the estimator of its design, where that is not the model; of an `exact` fit the
    /// residuals are rounding.
    ///
    /// *Shapes:* k variables, in the order of the fit's support, and the constant before them.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn of(
        design: &Design,
        fit: &Fit,
        exact: bool,
    ) -> Option<Result<Self, &'static str>> {
        let clusters = design.clusters();
        let estimator = match (design.covariance(), clusters) {
            (CovarianceEstimator::Model, None) => return None,
            // As R's vcovCL and Stata have it.
            (CovarianceEstimator::Model, Some(_)) if fit.family().is_some() => {
                CovarianceEstimator::Hc0
            }
            (CovarianceEstimator::Model, Some(_)) => CovarianceEstimator::Hc1,
            (estimator, _) => estimator,
        };
        let status = fit.family().map(FamilyFit::status);
        if exact {
            return Some(Err("the fit is exact"));
        }
        if status == Some(FitStatus::Separated) {
            return Some(Err("some coefficients have no end"));
        }
        let parts = Parts::of(design, fit);
        let n = design.n() as f64;
        let free = n - parts.rank as f64;
        if free <= 0.0 {
            return Some(Err("no degrees of freedom are left"));
        }
        let factor = match (estimator, clusters) {
            (_, Some(own)) if own.count < 2 => {
                return Some(Err("all observations are of one cluster"));
            }
            (CovarianceEstimator::Hc1, None) => n / free,
            (CovarianceEstimator::Hc1, Some(_)) => (n - 1.0) / free,
            _ => 1.0,
        };
        let count = clusters.map(|own| own.count);
        // Of survival times there is no factor in R's coxph.
        let of_clusters = count.filter(|_| survival(design).is_none());
        let of_clusters = of_clusters.map_or(1.0, |count| count as f64 / (count as f64 - 1.0));
        let meat = meat(&parts, estimator, clusters.map(|own| (&*own.of, own.count)));
        Some(meat.map(|meat| {
            let mut matrix = &parts.inverse * meat * &parts.inverse * (factor * of_clusters);
            for (a, one) in parts.scale.iter().enumerate() {
                matrix.row_mut(a).scale_mut(*one);
                matrix.column_mut(a).scale_mut(*one);
            }
            Self {
                matrix,
                has_constant: parts.constant.is_some(),
                estimator,
                clusters: count,
            }
        }))
    }

    /// The variance of constant + Σ β·(x − mean) + offset, at x − mean, by variable.
    pub(crate) fn variance(&self, x: &[f64]) -> f64 {
        let v = self.with_constant(x);
        v.dot(&(&self.matrix * &v)).max(0.0)
    }

    /// The covariance matrix with the linear predictor at x − mean in the place of the constant, row by row.
    pub(crate) fn intercept_and_coefficients(&self, x: &[f64]) -> Vec<Vec<f64>> {
        let size = self.matrix.nrows();
        let mut turn = DMatrix::identity(size, size);
        if self.has_constant {
            turn.set_row(0, &self.with_constant(x).transpose());
        }
        let all = &turn * &self.matrix * turn.transpose();
        let rows = all.row_iter();
        rows.map(|row| row.iter().copied().collect()).collect()
    }

    /// x − mean of all variables with the 1 of the constant, if there is one, before it.
    fn with_constant(&self, x: &[f64]) -> DVector<f64> {
        let constant = self.has_constant.then_some(1.0).into_iter();
        let values = constant.chain(x.iter().copied());
        DVector::from_iterator(self.matrix.nrows(), values)
    }

    /// The variance of a coefficient, by its place in the support.
    pub(crate) fn variance_of(&self, at: usize) -> f64 {
        let at = at + usize::from(self.has_constant);
        self.matrix[(at, at)]
    }

    /// The lower triangle, row by row.
    pub(crate) fn lower(&self) -> Vec<Vec<f64>> {
        let rows = 0..self.matrix.nrows();
        rows.map(|a| (0..=a).map(|b| self.matrix[(a, b)]).collect())
            .collect()
    }

    /// Wald's statistic βᵀV⁻¹β of the coefficients at these places; none where their covariances are singular.
    pub(crate) fn wald(&self, coefficients: &[f64], places: &[usize]) -> Option<f64> {
        let before = usize::from(self.has_constant);
        let rows: Vec<usize> = places.iter().map(|at| at + before).collect();
        // Of correlations, so that units do not matter.
        let errors = rows.iter().map(|at| self.matrix[(*at, *at)].sqrt());
        let errors: Vec<f64> = errors.collect();
        let scaled = |a: usize, b: usize| self.matrix[(rows[a], rows[b])] / (errors[a] * errors[b]);
        let size = rows.len();
        let mut own: Vec<f64> = (0..size * size)
            .map(|at| scaled(at / size, at % size))
            .collect();
        let beta = places.iter().zip(&errors);
        let mut beta: Vec<f64> = beta.map(|(at, error)| coefficients[*at] / error).collect();
        let (value, rank) = explained(&mut own, &mut beta, LEAST_PIVOT);
        (value.is_finite() && rank == size).then_some(value)
    }

    /// The degrees of freedom of t and F: those left, or one fewer than there are clusters.
    pub(crate) fn freedom(&self, left: usize) -> usize {
        self.clusters.map_or(left, |count| count - 1)
    }
}

/// The coefficients of a fit on the original scale.
pub(crate) fn original_coefficients(design: &Design, fit: &Fit) -> Vec<f64> {
    let norms = fit.support().iter();
    let norms = norms.map(|j| design.variables()[*j as usize].norm);
    match fit.family() {
        Some(own) => own
            .coefficients()
            .iter()
            .zip(norms)
            .map(|(b, norm)| b / norm)
            .collect(),
        None => {
            let unit = design.response().norm;
            let own = fit.coefficients().iter().zip(norms);
            own.map(|(b, norm)| b * unit / norm).collect()
        }
    }
}

/// The sum of the squared scores.
fn meat(
    parts: &Parts,
    estimator: CovarianceEstimator,
    clusters: Option<(&[u32], usize)>,
) -> Result<DMatrix<f64>, &'static str> {
    let size = parts.scale.len();
    let mut meat = DMatrix::zeros(size, size);
    let mut sums = clusters.map(|(_, count)| DMatrix::<f64>::zeros(size, count));
    let mut row = Vec::with_capacity(size);
    for (i, score) in parts.scores.iter().enumerate() {
        parts.row(i, &mut row);
        let power = match estimator {
            CovarianceEstimator::Hc2 => 0.5,
            CovarianceEstimator::Hc3 => 1.0,
            _ => 0.0,
        };
        let mut score = *score;
        if power > 0.0 {
            let free = 1.0 - parts.leverage(i, &row);
            if free <= LEAST_FREE {
                return Err("an observation has leverage 1");
            }
            score /= free.powf(power);
        }
        row.iter_mut().for_each(|x| *x *= score);
        match (&mut sums, clusters) {
            (Some(sums), Some((of, _))) => {
                let mut own = sums.column_mut(of[i] as usize);
                add_scaled(own.as_mut_slice(), 1.0, &row);
            }
            _ => add_square(&mut meat, &row),
        }
    }
    for sum in sums.iter().flat_map(|sums| sums.column_iter()) {
        add_square(&mut meat, sum.as_slice());
    }
    Ok(meat)
}

fn add_square(to: &mut DMatrix<f64>, row: &[f64]) {
    for (mut column, x) in to.column_iter_mut().zip(row) {
        add_scaled(column.as_mut_slice(), *x, row);
    }
}
