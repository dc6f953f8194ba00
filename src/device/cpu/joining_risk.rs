//! Columns whose joining a model of survival times may lower its loss by more than a number: bounds settle the others.
//!
//! A sweep has products with the scores and with H times the model's orthonormal columns, and squares by H: with them and the
//! range of a column the first bound ([`RiskBounds::is_settled`]) settles nearly all. For those that are left the part beside
//! the model is made, and a few steps towards the optimum of the larger model ([`RiskBounds::settles`]).

use rayon::prelude::*;

use super::products::{CpuProducts, ProductSource};
use crate::{
    device::{
        DeviceError, Shard,
        gain::{factor_width, push_orthonormal, push_units},
    },
    family::{Curvature, Likelihood, NewPart, RiskBounds, RiskCurvature, RiskRoom},
    least_squares::FitView,
};

/// Most numbers of a block's products, so that it stays in the cache.
const BLOCK: usize = 1 << 16;

/// What a column must keep beside a model, as a share of its square, for products to have digits.
const LEAST_REST: f64 = 1e-8;

/// A model as the bounds see it; none where it has none.
struct Bounded<'a> {
    view: &'a FitView<'a>,
    bounds: Option<RiskBounds>,
    /// The least fall of the loss that matters.
    least: f64,
}

/// For each model the columns of the shard outside of it that no bound settles.
pub(in crate::device) fn joining(
    shard: Shard,
    likelihood: &Likelihood,
    given: (&[FitView], &[f64]),
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Vec<u32>>, DeviceError> {
    let mut source = CpuProducts { shard, threads };
    joining_by(
        (&mut source, false),
        shard,
        likelihood,
        given,
        threads,
        stop,
    )
}

/// The same by products of a source, which may give the squares of each model behind them.
pub(in crate::device) fn joining_by(
    (source, gives_squares): (&mut impl ProductSource, bool),
    shard: Shard,
    likelihood: &Likelihood,
    (anchors, least): (&[FitView], &[f64]),
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Vec<u32>>, DeviceError> {
    let x = shard.x;
    let mut batch = Vec::new();
    let mut curvatures: Vec<(&RiskCurvature, f64)> = Vec::with_capacity(anchors.len());
    let mut models = Vec::with_capacity(anchors.len());
    for (view, least) in anchors.iter().zip(least) {
        push_orthonormal(x, view, &mut batch);
        let own = view.weighted.and_then(|own| Some((own, own.curvature?)));
        let Some((weighted, (Curvature::Risk(curvature), scale))) = own else {
            return Ok(vec![Vec::new(); anchors.len()]);
        };
        curvatures.push((curvature, scale));
        let mut units = Vec::new();
        push_units(x, view, &mut units);
        // On the scale of the likelihood itself.
        units.iter_mut().for_each(|z| *z *= scale.sqrt());
        models.push(Bounded {
            view,
            bounds: RiskBounds::of(curvature, weighted.predictors, &units),
            least: *least,
        });
    }
    let width = batch.len() / x.n();
    if width == 0 {
        return Ok(Vec::new());
    }
    let start = || (Vec::new(), Vec::new(), Vec::new());
    type Room = (Vec<(usize, u32)>, Vec<[f64; 8]>, Vec<f64>);
    let each = width + if gives_squares { anchors.len() } else { 0 };
    let visit = |(open, room, own): &mut Room, first: usize, products: &mut [f64]| {
        let rows = products.len() / each;
        let columns = (first as u32..).take(rows).map(|column| x.column(column));
        let columns: Vec<&[f64]> = columns.collect();
        let (products, squares) = products.split_at(rows * width);
        let squares = match gives_squares {
            true => squares,
            false => {
                RiskCurvature::squares(&curvatures, &columns, room, own);
                own
            }
        };
        for (row, values) in columns.iter().enumerate() {
            let column = (first + row) as u32;
            let (low, high) = values
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
                    (if *x < a { *x } else { a }, if *x > b { *x } else { b })
                });
            let mut from = row;
            for (number, model) in models.iter().enumerate() {
                let (own, _) = factor_width(model.view);
                let product = |vector: usize| products[from + vector * rows];
                if model.least < f64::INFINITY && !model.view.support.contains(&column) {
                    let square = squares[number * rows + row];
                    if !model.is_settled(likelihood, (square, high - low), own - 1, product) {
                        open.push((number, column));
                    }
                }
                from += own * rows;
            }
        }
        !stop()
    };
    let rows = (BLOCK / width).clamp(16, 512);
    let found = source.visit(&batch, rows, start, visit)?;
    let open: Vec<(usize, u32)> = found.into_iter().flat_map(|own| own.0).collect();
    let is_open = |room: &mut RiskRoom, (number, column): &(usize, u32)| {
        let model: &Bounded = &models[*number];
        let least = model.least * likelihood.loss_scale();
        let bounds = model.bounds.as_ref().filter(|_| !stop());
        !bounds.is_some_and(|own| own.settles(x.column(*column), least, room))
    };
    let left: Vec<bool> = match threads > 1 {
        true => open
            .par_iter()
            .map_init(RiskRoom::default, is_open)
            .collect(),
        false => {
            let mut room = RiskRoom::default();
            open.iter().map(|own| is_open(&mut room, own)).collect()
        }
    };
    let mut all = vec![Vec::new(); models.len()];
    for ((number, column), _) in open.into_iter().zip(left).filter(|own| own.1) {
        all[number].push(column);
    }
    Ok(all)
}

impl Bounded<'_> {
    /// Whether products settle a column of this square and range: those with the scores and then with `k` columns of the model.
    fn is_settled(
        &self,
        likelihood: &Likelihood,
        (square, range): (f64, f64),
        k: usize,
        product: impl Fn(usize) -> f64,
    ) -> bool {
        let Some(bounds) = &self.bounds else {
            return false;
        };
        let explained: f64 = (1..=k).map(|at| product(at).powi(2)).sum();
        let rest = square - explained;
        let is_new = rest > LEAST_REST * square;
        if !is_new {
            return false;
        }
        let to_loss = likelihood.loss_scale();
        let score = product(0).abs() / rest.sqrt() * to_loss.sqrt();
        let least = self.least * to_loss;
        if score * score >= least {
            return false;
        }
        // The column less what the model explains of it, at unit norm by the likelihood's own second derivatives: the range of
        // the sum is at most the sum of the ranges.
        let ranges = (1..=k).zip(&bounds.ranges);
        let apart: f64 = ranges.map(|(at, range)| product(at).abs() * range).sum();
        let together = explained.sqrt() * bounds.range();
        let (_, of_weights) = likelihood.scales();
        let range = range * of_weights.sqrt() + apart.min(together);
        bounds.is_settled(
            NewPart {
                score,
                range: range / rest.sqrt(),
            },
            least,
        )
    }
}
