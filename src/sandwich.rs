//! Covariances of estimated coefficients that do not rest on the variances of the model.

mod parts;

use nalgebra::{DMatrix, DVector};

use parts::{Parts, survival};

use crate::{
    cholesky::explained,
    design::{CovarianceEstimator, Design},
    family::{FamilyFit, FitStatus},
    least_squares::Fit,
    vector::add_scaled,
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
    /// Of each constant of a response of levels, where all variables are at their means, its variance and its covariances with
    /// the coefficients.
    constants: Vec<(f64, DVector<f64>)>,
    /// The estimator that it is by.
    pub(crate) estimator: CovarianceEstimator,
    /// How many clusters there are.
    pub(crate) clusters: Option<usize>,
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
            let (levels, k) = (parts.constants, matrix.nrows() - parts.constants);
            let of_constant = |at: usize| {
                let beside = matrix.view((levels, at), (k, 1));
                (matrix[(at, at)], beside.column(0).into_owned())
            };
            Self {
                constants: (0..levels).map(of_constant).collect(),
                matrix: matrix.view((levels, levels), (k, k)).into_owned(),
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

    /// The variance of a constant of a response of levels and so many times each coefficient.
    pub(crate) fn variance_of_constant(&self, at: usize, shifts: impl Iterator<Item = f64>) -> f64 {
        let shifts = DVector::from_iterator(self.matrix.nrows(), shifts);
        let (variance, beside) = &self.constants[at];
        let own = shifts.dot(&(&self.matrix * &shifts));
        (variance + 2.0 * beside.dot(&shifts) + own).max(0.0)
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
