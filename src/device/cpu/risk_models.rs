//! Models of survival times as bounds see them, and exchanges that the sweep of one of them tells of.

use std::sync::OnceLock;

use crate::{
    design::Columns,
    device::gain::{factor_width, push_units},
    family::{Curvature, Likelihood, NewPart, RiskBounds, RiskCurvature},
    least_squares::FitView,
    vector::packed_columns,
};

/// What a column must keep beside a model, as a share of its square, for products to have digits.
const LEAST_REST: f64 = 1e-8;

/// A model.
pub(super) struct Bounded<'a> {
    pub(super) view: &'a FitView<'a>,
    pub(super) curvature: &'a RiskCurvature,
    /// What multiplies second derivatives.
    pub(super) scale: f64,
    predictors: &'a [f64],
    /// The least fall of −2ℓ that matters.
    pub(super) least: f64,
    bounds: OnceLock<Option<RiskBounds>>,
}

/// Of a column what a sweep tells: its square, its range, and products with the scores and then with the columns of the model.
#[derive(Clone, Copy)]
pub(super) struct Products<'a> {
    pub(super) square: f64,
    pub(super) range: f64,
    pub(super) values: &'a [f64],
    pub(super) stride: usize,
}

impl Products<'_> {
    fn score(&self) -> f64 {
        self.values[0]
    }

    /// With the column of the model at a position.
    fn of(&self, position: usize) -> f64 {
        self.values[(position + 1) * self.stride]
    }
}

/// A column of the first model for another one.
pub(super) struct Exchange {
    /// The number of the model without the column.
    pub(super) number: usize,
    pub(super) column: u32,
    /// The least rise of −2ℓ from the first model on with which an exchange is no better than it must be.
    pub(super) least: f64,
    /// Its position in the first model, b² and (H⁻¹)ⱼⱼ there.
    position: usize,
    square: f64,
    inverse: f64,
    /// T of its row.
    row: Vec<f64>,
}

impl<'a> Bounded<'a> {
    /// None of another likelihood.
    pub(super) fn new(view: &'a FitView<'a>, least: f64) -> Option<Self> {
        let weighted = view.weighted?;
        let Some((Curvature::Risk(curvature), scale)) = weighted.curvature else {
            return None;
        };
        Some(Self {
            view,
            curvature,
            scale,
            predictors: weighted.predictors,
            least,
            bounds: OnceLock::new(),
        })
    }

    /// None where it has none.
    pub(super) fn bounds(&self, x: Columns) -> Option<&RiskBounds> {
        let make = || {
            let mut units = Vec::new();
            push_units(x, self.view, &mut units);
            // On the scale of the likelihood itself.
            let root = self.scale.sqrt();
            units.iter_mut().for_each(|z| *z *= root);
            RiskBounds::of(self.curvature, self.predictors, &units)
        };
        self.bounds.get_or_init(make).as_ref()
    }

    /// Whether a column may lower −2ℓ of the model by more than it must, and the exchanges for it that may do so, by their place,
    /// with how far they are from the model's optimum.
    pub(super) fn left_open(
        &self,
        x: Columns,
        likelihood: &Likelihood,
        told: Products,
        exchanges: &[Exchange],
    ) -> (bool, Vec<(usize, f64)>) {
        let k = factor_width(self.view).0 - 1;
        let explained: f64 = (0..k).map(|at| told.of(at).powi(2)).sum();
        let rest = told.square - explained;
        let is_new = rest > LEAST_REST * told.square;
        let known = self.bounds(x).filter(|_| is_new).map(|bounds| {
            let score = told.score().abs() / rest.sqrt() * likelihood.loss_scale().sqrt();
            // The column less what the model explains of it, at unit norm by the likelihood's own second derivatives: the
            // range of the sum is at most the sum of the ranges.
            let ranges = (0..k).zip(&bounds.ranges);
            let apart: f64 = ranges.map(|(at, range)| told.of(at).abs() * range).sum();
            let together = explained.sqrt() * bounds.range();
            let (_, of_weights) = likelihood.scales();
            let range = told.range * of_weights.sqrt() + apart.min(together);
            let range = range / rest.sqrt();
            let all = bounds.range().hypot(range);
            (bounds, NewPart { score, range, all })
        });
        let is_settled = |(own, part): (&RiskBounds, NewPart)| {
            part.score * part.score < self.least && own.is_settled(part, self.least)
        };
        let joins = self.least < f64::INFINITY && !known.is_some_and(is_settled);
        let numbered = exchanges.iter().enumerate();
        let away = numbered.map(|(place, own)| (place, own.distance(told, rest.max(0.0))));
        let is_open = |(place, distance): &(usize, f64)| {
            let least = exchanges[*place].least;
            !known.is_some_and(|(own, part)| own.rises_by(part, *distance, least))
        };
        (joins, away.filter(is_open).collect())
    }
}

impl Exchange {
    /// How far the optimum of the first model is from where the column's coefficient is 0, with another one that keeps `rest` of
    /// its square beside the model: by second derivatives there, √(b²/(H⁻¹)ⱼⱼ) of the model with it.
    fn distance(&self, told: Products, rest: f64) -> f64 {
        let row = self.row.iter().zip(self.position..);
        let u: f64 = row.map(|(t, at)| t * told.of(at)).sum();
        match rest > 0.0 {
            true => (self.square / (self.inverse + u * u / rest)).sqrt(),
            false => 0.0,
        }
    }
}

/// The exchanges of a first model that the others are, each without one of its columns; none where they are something else.
pub(super) fn exchanges(x: Columns, likelihood: &Likelihood, models: &[Bounded]) -> Vec<Exchange> {
    let Some((first, others)) = models.split_first() else {
        return Vec::new();
    };
    let exchange = |(number, other): (usize, &Bounded)| {
        let mut left = first.view.support.iter().enumerate();
        let mut left = left
            .by_ref()
            .filter(|(_, column)| !other.view.support.contains(column));
        let (position, column) = left.next()?;
        let is_one =
            left.next().is_none() && other.view.support.len() + 1 == first.view.support.len();
        let value = first.bounds(x)?.value();
        let other_value = first.curvature.value(other.predictors)?;
        let columns = packed_columns(first.view.inverse).skip(position);
        let row: Vec<f64> = columns.map(|t| t[position]).collect();
        let inverse: f64 = row.iter().map(|t| t * t).sum();
        let b = first.view.coefficients[position];
        is_one.then_some(Exchange {
            number,
            column: *column,
            least: other_value - other.least - value,
            position,
            square: likelihood.loss_scale() * b * b,
            inverse,
            row,
        })
    };
    let all = (1..).zip(others).map(exchange);
    let mut all = all.collect::<Option<Vec<_>>>().unwrap_or_default();
    // Those of a model that nothing makes good enough are not asked for.
    all.retain(|own| models[own.number].least < f64::INFINITY);
    all
}
