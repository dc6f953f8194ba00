//! Scores and second derivatives of a fit, of which a sandwich is made.

use std::borrow::Cow;

use nalgebra::DMatrix;

use crate::{
    design::Design,
    family::{Curvature, FamilyFit, SurvivalResponse},
    least_squares::Fit,
    vector::{add_scaled, packed_columns, product},
};

/// What the estimate is made of, for columns of unit norm, the constant's first.
pub(super) struct Parts<'a> {
    /// The constant's column; none of a model without.
    pub(super) constant: Option<Vec<f64>>,
    /// How many constants of a response of levels the columns begin with.
    pub(super) constants: usize,
    /// Of survival times score residuals: a row of the columns enters the likelihood with all who are at risk beside it. Of
    /// levels the scores of observations, too, whose linear predictors are several or have thresholds beside them.
    columns: Vec<Cow<'a, [f64]>>,
    /// The derivative of the objective with respect to each linear predictor; 1 of score residuals.
    pub(super) scores: Vec<f64>,
    /// The working weight of each observation; empty where it is one.
    weights: &'a [f64],
    /// (XᵀWX)⁻¹.
    pub(super) inverse: DMatrix<f64>,
    /// How many coefficients are not explained by others.
    pub(super) rank: usize,
    /// What makes a coefficient of the original scale of one of these.
    pub(super) scale: Vec<f64>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(design: &'a Design, fit: &'a Fit) -> Self {
        let x = design.columns();
        let columns = fit.support().iter().map(|j| x.column(*j));
        let variables = fit.support().iter();
        let variables = variables.map(|j| &design.variables()[*j as usize]);
        let norms = variables.map(|own| own.norm);
        if let Some(own) = fit.family() {
            let curvature = own.curvature();
            if let Some(curvature) = curvature.filter(|own| !own.constants().is_empty()) {
                let columns: Vec<&[f64]> = columns.collect();
                return Self::of_levels(design.n(), &columns, norms.collect(), (own, curvature));
            }
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
                constants: 0,
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
            constants: 0,
            columns: columns.map(Cow::Borrowed).collect(),
            scores: fit.residual().to_vec(),
            weights: &[],
            inverse,
            rank: scale.len(),
            scale,
        }
    }

    /// Those of a response of levels, its constants before the coefficients.
    ///
    /// The constants that maximise the likelihood move by M where coefficients move: with B the inverse of what is left of the
    /// second derivatives of these, and D those of the constants alone, the inverse of all is
    ///
    /// ```text
    /// D⁻¹ + MBMᵀ   MB
    /// BMᵀ          B
    /// ```
    fn of_levels(
        n: usize,
        columns: &[&[f64]],
        norms: Vec<f64>,
        (own, curvature): (&FamilyFit, &Curvature),
    ) -> Self {
        let count = curvature.constants().len();
        // A column of several blocks of predictors stands in one of them, and is 0 in the others.
        let of_column = |column: &&[f64]| {
            let mut all = vec![0.0; n];
            for (x, scores) in column.chunks(n).zip(own.scores().chunks(n)) {
                let rows = all.iter_mut().zip(x.iter().zip(scores));
                rows.for_each(|(own, (x, score))| *own += x * score);
            }
            Cow::Owned(all)
        };
        let of_constants = curvature.constant_scores(own.predictors()).into_iter();
        let of_columns = columns.iter().map(of_column);
        let size = count + columns.len();
        let given = curvature.constant_covariances();
        let given = DMatrix::from_fn(count, count, |a, b| given[a][b]);
        let moves = columns.iter().map(|own| curvature.constant_moves(own));
        let moves: Vec<f64> = moves.flatten().collect();
        let moves = DMatrix::from_vec(count, columns.len(), moves);
        let of_coefficients = inverse(own.inverse(), columns.len(), 0);
        let mixed = &moves * &of_coefficients;
        let mut all = DMatrix::zeros(size, size);
        let of_both = (count, columns.len());
        all.view_mut((0, 0), (count, count))
            .copy_from(&(given + &mixed * moves.transpose()));
        all.view_mut((0, count), of_both).copy_from(&mixed);
        all.view_mut((count, 0), (of_both.1, of_both.0))
            .copy_from(&mixed.transpose());
        all.view_mut((count, count), (of_both.1, of_both.1))
            .copy_from(&of_coefficients);
        let ones = std::iter::repeat_n(1.0, count);
        Self {
            constant: None,
            constants: count,
            columns: of_constants.map(Cow::Owned).chain(of_columns).collect(),
            scores: vec![1.0; n],
            weights: &[],
            inverse: all,
            rank: count + own.rank(),
            scale: ones.chain(norms.into_iter().map(f64::recip)).collect(),
        }
    }

    /// The values of an observation.
    pub(super) fn row(&self, i: usize, row: &mut Vec<f64>) {
        row.clear();
        row.extend(self.constant.iter().map(|own| own[i]));
        row.extend(self.columns.iter().map(|column| column[i]));
    }

    /// ∂ŷ/∂y of an observation of these values.
    pub(super) fn leverage(&self, i: usize, row: &[f64]) -> f64 {
        let columns = self.inverse.column_iter().zip(row);
        let form = columns.map(|(column, x)| product(column.as_slice(), row) * x);
        form.sum::<f64>() * self.weights.get(i).copied().unwrap_or(1.0)
    }
}

pub(super) fn survival(design: &Design) -> Option<&SurvivalResponse> {
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
