//! Columns whose joining a model of survival times may lower its loss by more than a number: bounds settle the others.
//!
//! A sweep has products with the scores and with H times a model's orthonormal columns, and squares by H: with them and the
//! range of a column the first bound ([`RiskBounds::is_settled`]) settles nearly all. Where the models are the first one and that
//! without one column each, the first one's sweep tells of exchanges too ([`RiskBounds::rises_by`]). Of a column that leaves
//! something open the part beside the model is made, for its exact range, and a few steps are taken towards the optimum of the
//! larger model ([`RiskBounds::settles`]).

use rayon::prelude::*;

use super::{
    products::{CpuProducts, ProductSource},
    risk_models::{Bounded, Products, exchanges},
};
use crate::{
    device::{
        DeviceError, Shard,
        gain::{factor_width, push_orthonormal},
    },
    family::{Likelihood, RiskCurvature, RiskRoom},
    least_squares::FitView,
};

/// Most numbers of a block's products, so that it stays in the cache.
const BLOCK: usize = 1 << 16;

/// What the sweep of a model leaves open of a column: whether it lowers the model's loss, and exchanges for it by their place, with
/// how far they are from the model's optimum.
struct Open {
    number: usize,
    column: u32,
    joins: bool,
    exchanges: Vec<(usize, f64)>,
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
    joining_by(&mut source, shard, likelihood, given, threads, stop)
}

/// The same by products of a source.
pub(in crate::device) fn joining_by(
    source: &mut impl ProductSource,
    shard: Shard,
    likelihood: &Likelihood,
    (anchors, least): (&[FitView], &[f64]),
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Vec<u32>>, DeviceError> {
    let x = shard.x;
    let to_loss = likelihood.loss_scale();
    let models = anchors.iter().zip(least);
    let models = models.map(|(view, least)| Bounded::new(view, to_loss * least));
    let Some(models) = models.collect::<Option<Vec<Bounded>>>() else {
        return Ok(vec![Vec::new(); anchors.len()]);
    };
    let exchanges = exchanges(x, likelihood, &models);
    let swept = match exchanges.is_empty() {
        true => anchors,
        false => &anchors[..1],
    };
    let mut batch = Vec::new();
    for view in swept {
        push_orthonormal(x, view, &mut batch);
    }
    let width = batch.len() / x.n();
    if width == 0 {
        return Ok(Vec::new());
    }
    let curvatures = models[..swept.len()].iter();
    let curvatures: Vec<(&RiskCurvature, f64)> =
        curvatures.map(|own| (own.curvature, own.scale)).collect();
    let gives_squares = source.give_squares(swept)?;
    let each = width + if gives_squares { swept.len() } else { 0 };
    let start = || (Vec::new(), Vec::new(), Vec::new());
    type Room = (Vec<Open>, Vec<[f64; 8]>, Vec<f64>);
    let visit = |(open, room, made): &mut Room, first: usize, products: &mut [f64]| {
        let rows = products.len() / each;
        let mut unpacked = Vec::new();
        let columns = x.block(first..first + rows, &mut unpacked).chunks(x.n());
        let columns: Vec<&[f64]> = columns.collect();
        let (products, given) = products.split_at(rows * width);
        let squares = match gives_squares {
            true => given,
            false => {
                RiskCurvature::squares(&curvatures, &columns, room, made);
                made
            }
        };
        for (row, values) in columns.iter().enumerate() {
            let (low, high) = values
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
                    (if *x < a { *x } else { a }, if *x > b { *x } else { b })
                });
            let mut from = row;
            for (number, model) in models[..swept.len()].iter().enumerate() {
                let (own, _) = factor_width(model.view);
                let told = Products {
                    square: squares[number * rows + row],
                    range: high - low,
                    values: &products[from..],
                    stride: rows,
                };
                from += own * rows;
                let column = (first + row) as u32;
                if model.view.support.contains(&column) {
                    continue;
                }
                let (joins, exchanges) = model.left_open(x, likelihood, told, &exchanges);
                if joins || !exchanges.is_empty() {
                    open.push(Open {
                        number,
                        column,
                        joins,
                        exchanges,
                    });
                }
            }
        }
        !stop()
    };
    let rows = (BLOCK / width).clamp(16, 512);
    let found = source.visit(&batch, rows, start, visit)?;
    let open: Vec<Open> = found.into_iter().flat_map(|own| own.0).collect();
    let bounds = |number: usize| models[number].bounds(x).filter(|_| !stop());
    // Models, by their numbers, that a column may lower.
    let left = |room: &mut RiskRoom, open: &Open| -> Vec<usize> {
        let values = &*x.column_once(open.column);
        let settles = |number: usize, room: &mut RiskRoom| {
            let least = models[number].least;
            bounds(number).is_some_and(|own| own.settles(values, least, room))
        };
        let mut left = Vec::new();
        if open.joins && !settles(open.number, room) {
            left.push(open.number);
        }
        let own = bounds(open.number).filter(|_| !open.exchanges.is_empty());
        let part = own.and_then(|own| Some((own, own.new_part(values, room)?)));
        for (place, distance) in &open.exchanges {
            let exchange = &exchanges[*place];
            let rises =
                part.is_some_and(|(own, part)| own.rises_by(part, *distance, exchange.least));
            if !rises && !settles(exchange.number, room) {
                left.push(exchange.number);
            }
        }
        left
    };
    let left: Vec<Vec<usize>> = match threads > 1 {
        true => open.par_iter().map_init(RiskRoom::default, left).collect(),
        false => {
            let mut room = RiskRoom::default();
            open.iter().map(|own| left(&mut room, own)).collect()
        }
    };
    let mut all = vec![Vec::new(); models.len()];
    for (open, left) in open.iter().zip(left) {
        left.into_iter()
            .for_each(|number| all[number].push(open.column));
    }
    // A column that left makes the first model again.
    let own = shard.first as u32..(shard.first + shard.own.p()) as u32;
    for exchange in exchanges
        .iter()
        .filter(|exchange| own.contains(&exchange.column))
    {
        all[exchange.number].push(exchange.column);
    }
    all.iter_mut().for_each(|own| own.sort_unstable());
    Ok(all)
}
