//! Least squares of y on a support, one term added or dropped at a time: a column, or several that go
//! together.
//!
//! With X_A = QR a fit stores T = R⁻¹ but not Q, whose columns are X_A·T, so that X is in memory
//! once for the whole swarm. All that a step needs follows from T:
//!
//! ```text
//! β̂ = T·Tᵀ·X_Aᵀy        (X_AᵀX_A)⁻¹ = T·Tᵀ, its diagonal the row norms of T
//! ```
//!
//! - **add x**: project twice (classical Gram-Schmidt with one correction; `block.rs` says when once is enough), so
//!   z = x − X_A·u is orthogonal to X_A to working precision even where T has
//!   drifted; T gains the column (−u, 1)/‖z‖. O(nk).
//! - **drop i**: Givens rotations of T's columns gather row i into the last
//!   column t; T loses both, and β̂ and r move along t and X_A·t. O(nk).
//!
//! Rounding errors accumulate slowly; [`Fit::refactor`] starts again from the support in ascending
//! order.
//!
//! Where the columns have a [`Likelihood`](crate::family::Likelihood) the fit is one of maximum likelihood. Least squares
//! of the empty model's scores then tell which columns of a term enter, and all else that a fit says is of the
//! likelihood: coefficients, T of the working weights, scores for a residual, the loss for RSS.

mod block;
mod column;
mod drop_costs;
mod reweighted;

use std::ops::Range;

use crate::{
    design::Columns,
    family::{FamilyError, FamilyFit, FitStatus},
    vector::{packed_columns, packed_row_squares, product},
};
use column::{Entered, add, remove};
use reweighted::Reweighted;
pub(crate) use reweighted::Weighted;

/// Least norm ‖x − X_A·u‖ that a support must leave of a unit column: below it the column is
/// collinear with the support and cannot be added. R's `lm` uses the same 10⁻⁷.
pub const PIVOT_TOLERANCE: f64 = 1e-7;

/// A coefficient of a separated fit has no end where it moves by more than this share of the one that moves most.
pub(crate) const ENDLESS: f64 = 1e-4;

/// A fit, borrowed for a sweep.
///
/// *Shapes:* `support` and `coefficients` k, `inverse` k(k+1)/2, `residual` n.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FitView<'a> {
    /// Columns of the model, in the order in which they were added.
    pub(crate) support: &'a [u32],
    /// Terms of the model, in the order in which they were added.
    pub(crate) terms: &'a [u32],
    /// β̂, by position in the support.
    pub(crate) coefficients: &'a [f64],
    /// T = R⁻¹, upper triangular, packed by columns.
    pub(crate) inverse: &'a [f64],
    /// r = y − X_A·β̂, or the scores of a likelihood.
    pub(crate) residual: &'a [f64],
    /// Of a likelihood: T is that of columns about their means under these weights.
    pub(crate) weighted: Option<Weighted<'a>>,
}

/// The least squares fit of y on a support of columns of X.
///
/// *Shapes:* X is n × p, column-major, and y has n entries, on the host; columns and y have unit
/// norm. Vectors *by position* have one entry for each column of the support, in its order.
#[derive(Debug, Clone)]
pub struct Fit {
    /// In the order in which columns were added.
    support: Vec<u32>,
    /// In the order in which terms were added.
    terms: Vec<u32>,
    /// Whether columns of the terms are left out, which the others explain.
    is_partial: bool,
    /// T = R⁻¹, upper triangular, packed by columns: column c at c(c+1)/2.
    inverse: Vec<f64>,
    coefficients: Vec<f64>,
    residual: Vec<f64>,
    rss: f64,
    scratch: Scratch,
    reweighted: Option<Box<Reweighted>>,
}

/// Buffers of one projection, kept so that a step allocates nothing.
#[derive(Debug, Clone, Default)]
struct Scratch {
    /// n: the part of x that X_A does not explain.
    unexplained: Vec<f64>,
    /// k: u, with x − X_A·u orthogonal to X_A.
    explained: Vec<f64>,
    /// k: one pass's share of u.
    pass: Vec<f64>,
    /// k: Qᵀx, then the column of T that a drop removes.
    column: Vec<f64>,
}

/// Error of adding a term that is collinear with the support: the pivots of its columns are below
/// [`PIVOT_TOLERANCE`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collinear {
    /// The largest ‖x − X_A·u‖ of the refused columns, themselves of unit norm.
    pub pivot: f64,
}

impl Fit {
    /// The least squares fit of the empty support: r = y.
    pub fn empty(y: &[f64]) -> Self {
        Self {
            support: Vec::new(),
            terms: Vec::new(),
            is_partial: false,
            inverse: Vec::new(),
            coefficients: Vec::new(),
            residual: y.to_vec(),
            rss: product(y, y),
            scratch: Scratch {
                unexplained: vec![0.0; y.len()],
                ..Scratch::default()
            },
            reweighted: None,
        }
    }

    /// The fit of some terms, factored in ascending order of columns, and the smallest pivot (1 for
    /// none).
    pub fn of(x: Columns, y: &[f64], terms: &[u32]) -> (Self, f64) {
        let mut fit = Self::empty(y);
        fit.terms.extend_from_slice(terms);
        let pivot = fit.refactor(x, y);
        (fit, pivot)
    }

    /// The fit of some terms as [`Fit::of`] makes it, but for a likelihood, which is fitted from that of a similar model.
    pub(crate) fn of_near(x: Columns, y: &[f64], terms: &[u32], near: &Self) -> Self {
        let (mut fit, _) = Self::of(x.with_likelihood(None), y, terms);
        fit.reweighted.clone_from(&near.reweighted);
        fit.reweight(x, true);
        fit
    }

    /// The columns, in the order in which they were added.
    pub fn support(&self) -> &[u32] {
        &self.support
    }

    /// The terms, in the order in which they were added: the columns, where each is a term.
    pub fn terms(&self) -> &[u32] {
        &self.terms
    }

    /// The terms, ascending.
    pub(crate) fn members(&self) -> Vec<u32> {
        let mut members = self.terms.clone();
        members.sort_unstable();
        members
    }

    /// Whether columns of the terms are left out, which the others explain.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// β̂, by position.
    pub fn coefficients(&self) -> &[f64] {
        match &self.reweighted {
            Some(own) => &own.coefficients,
            None => &self.coefficients,
        }
    }

    /// T = R⁻¹, upper triangular, packed by columns: column c has rows 0 … c.
    pub fn inverse(&self) -> &[f64] {
        match &self.reweighted {
            Some(own) => &own.inverse,
            None => &self.inverse,
        }
    }

    /// r = y − X_A·β̂, or the scores.
    pub fn residual(&self) -> &[f64] {
        match &self.reweighted {
            Some(own) => &own.residual,
            None => &self.residual,
        }
    }

    /// ‖r‖², or the loss.
    pub fn rss(&self) -> f64 {
        match &self.reweighted {
            Some(own) => own.rss,
            None => self.rss,
        }
    }

    /// ‖r‖²: RSS, unless there is a likelihood.
    pub(crate) fn square(&self) -> f64 {
        match &self.reweighted {
            Some(own) => own.square,
            None => self.rss,
        }
    }

    /// The fit of the likelihood, if the columns have one.
    pub fn family(&self) -> Option<&FamilyFit> {
        self.reweighted.as_ref().map(|own| &own.fit)
    }

    /// Whether it is a fit of the largest likelihood, or of its supremum.
    pub(crate) fn has_converged(&self) -> bool {
        let status = self.family().map(FamilyFit::status);
        status.is_some_and(|status| status != FitStatus::NotConverged)
    }

    /// The least squares beside a likelihood.
    pub(crate) fn without_likelihood(&self) -> Self {
        Self {
            reweighted: None,
            ..self.clone()
        }
    }

    /// Fits the likelihood of the columns, if they have one, on the support as it is.
    fn reweight(&mut self, x: Columns, is_warm: bool) {
        let Some(likelihood) = x.likelihood() else {
            return;
        };
        let start = self.family().filter(|_| is_warm);
        let found = Reweighted::of(x, likelihood, &self.support, start);
        self.reweighted = Some(Box::new(found));
    }

    /// The fit with the estimates of [`FamilyFit::firth`] in place of those of the largest likelihood; as it is where it has no
    /// likelihood, or none that Firth's penalty is of.
    pub(crate) fn by_firth(&self, x: Columns) -> Self {
        let mut own = self.clone();
        if let Some(likelihood) = x.likelihood() {
            let columns: Vec<&[f64]> = self.support.iter().map(|j| x.column(*j)).collect();
            let has_intercept = likelihood.empty().intercept().is_some();
            let fit = FamilyFit::firth(&columns, likelihood.response(), has_intercept);
            let k = self.support.len();
            let fit = match fit {
                Err(FamilyError::Firth { .. }) => return own,
                fit => fit.unwrap_or_else(|_| FamilyFit::none(likelihood.empty(), k)),
            };
            own.reweighted = Some(Box::new(Reweighted::with(likelihood, fit, k)));
        }
        own
    }

    /// What the support explains of the column last added, or refused: its coefficients, by position in
    /// the support before it.
    pub(crate) fn explained(&self) -> &[f64] {
        &self.scratch.explained
    }

    pub(crate) fn view(&self) -> FitView<'_> {
        FitView {
            support: &self.support,
            terms: &self.terms,
            coefficients: self.coefficients(),
            inverse: self.inverse(),
            residual: self.residual(),
            weighted: self.reweighted.as_ref().map(|own| Weighted {
                weights: &own.weights,
                curvature: own
                    .fit
                    .curvature()
                    .map(|curvature| (&**curvature, own.of_weights)),
                predictors: own.fit.predictors(),
                intercept: &own.intercept,
            }),
        }
    }

    /// Diagonal of (X_AᵀX_A)⁻¹, by position: the row norms of T, squared.
    pub fn inverse_gram_diagonal(&self) -> Vec<f64> {
        packed_row_squares(self.inverse(), self.support.len())
    }

    /// (X_AᵀX_A)⁻¹ = T·Tᵀ, by position, row by row.
    pub(crate) fn inverse_gram(&self) -> Vec<f64> {
        let k = self.support.len();
        let mut inverse = vec![0.0; k * k];
        for column in packed_columns(self.inverse()) {
            for (a, own) in column.iter().enumerate() {
                for (b, other) in column.iter().enumerate() {
                    inverse[a * k + b] += own * other;
                }
            }
        }
        inverse
    }

    /// ‖Tᵀv‖² = vᵀ(X_AᵀX_A)⁻¹v for v by position.
    pub fn inverse_gram_form(&self, v: &[f64]) -> f64 {
        packed_columns(self.inverse())
            .map(|column| product(column, &v[..column.len()]).powi(2))
            .sum()
    }

    /// The rise in RSS if a column were dropped, β̂ᵢ² / ((X_AᵀX_A)⁻¹)ᵢᵢ, by position.
    pub fn drop_costs(&self) -> impl Iterator<Item = f64> {
        let diagonal = self.inverse_gram_diagonal();
        let endless = self.family().and_then(FamilyFit::direction);
        let costs = std::iter::zip(self.coefficients(), diagonal).enumerate();
        costs.map(move |(at, (b, d))| match endless {
            // Wald's test says nothing of a coefficient that has no end.
            Some(direction) if direction[at].abs() > ENDLESS => 1.0,
            _ if d > 0.0 => b * b / d,
            _ => 0.0,
        })
    }

    /// Adds the columns of a term that the support does not explain.
    ///
    /// # Errors
    /// [`Collinear`] if the support already explains them all; the fit is then unchanged.
    pub fn add(&mut self, x: Columns, term: u32) -> Result<(), Collinear> {
        let (columns, before) = (x.columns_of(term), self.support.len());
        let width = columns.len();
        let pivot = self.add_columns(x, columns, PIVOT_TOLERANCE).largest;
        match self.support.len() - before {
            0 => return Err(Collinear { pivot }),
            entered => self.is_partial |= entered < width,
        }
        self.terms.push(term);
        self.reweight(x, true);
        Ok(())
    }

    /// Drops the term at a position among the terms. Columns of the others that it alone explained
    /// enter.
    pub fn drop(&mut self, x: Columns, position: usize) {
        let term = self.terms.remove(position);
        if x.terms().is_none() {
            remove(self, x, position);
            return self.reweight(x, true);
        }
        for at in self.view().positions(x, term).into_iter().rev() {
            remove(self, x, at);
        }
        if std::mem::take(&mut self.is_partial) {
            for at in 0..self.terms.len() {
                for j in x.columns_of(self.terms[at]) {
                    self.is_partial |= !self.support.contains(&j)
                        && add(self, x, j, PIVOT_TOLERANCE) < PIVOT_TOLERANCE;
                }
            }
        }
        self.reweight(x, true);
    }

    /// Replaces the terms. The caller must call [`Fit::refactor`] before it uses the fit.
    pub(crate) fn set_terms(&mut self, terms: &[u32]) {
        self.terms.clear();
        self.terms.extend_from_slice(terms);
    }

    /// Factors the terms again, in ascending order of columns, so that the fit depends on nothing
    /// but the terms; returns the smallest pivot.
    pub fn refactor(&mut self, x: Columns, y: &[f64]) -> f64 {
        self.terms.sort_unstable();
        self.support.clear();
        self.inverse.clear();
        self.coefficients.clear();
        self.residual.copy_from_slice(y);
        self.rss = product(&self.residual, &self.residual);
        self.is_partial = false;
        // Where each column is a term, it passed the pivot test when it was added; in another order a
        // pivot may be smaller, but it stays a number.
        let least = x.terms().map_or(0.0, |_| PIVOT_TOLERANCE);
        let mut smallest = 1.0;
        for at in 0..self.terms.len() {
            let (columns, before) = (x.columns_of(self.terms[at]), self.support.len());
            let all = before + columns.len();
            let entered = self.add_columns(x, columns, least);
            smallest = f64::min(smallest, entered.smallest);
            self.is_partial |= self.support.len() < all;
        }
        self.reweight(x, false);
        f64::max(smallest, f64::EPSILON)
    }

    /// Adds those columns of a term whose pivots are not below the least, one alone or several together.
    fn add_columns(&mut self, x: Columns, columns: Range<u32>, least: f64) -> Entered {
        if columns.len() > 1 {
            return block::add_block(self, x, columns);
        }
        let mut entered = Entered::default();
        for j in columns {
            entered.note(add(self, x, j, least), least);
        }
        entered
    }
}
