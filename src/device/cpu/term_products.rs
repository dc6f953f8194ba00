//! The sweep of terms by products in f64, and the scores that decide among them.

use faer::MatRef;

use super::{
    products::{ranges, visit_products},
    terms::{ROWS, Stop, orthonormalise, within},
    tie_window::TieWindow,
};
use crate::{
    design::{Columns, Terms},
    device::{Shard, TermChange, gain::tie_width},
    least_squares::FitView,
    vector::product,
};

/// For each model and each width the terms of a shard, outside the model, with the largest ‖X_tᵀr‖ up to
/// rounding, columns orthonormal within terms.
pub(super) fn strongest(
    (shard, terms): (Shard, &Terms),
    anchors: &[FitView],
    threads: usize,
    stop: Stop,
) -> Vec<Vec<TermChange>> {
    let (x, n, m) = (shard.x, shard.x.n(), anchors.len());
    if m == 0 {
        return Vec::new();
    }
    let residuals = anchors.iter().flat_map(|anchor| anchor.residual);
    let residuals: Vec<f64> = residuals.copied().collect();
    let width = |anchor: &FitView| tie(n, terms, anchor.residual);
    let widths: Vec<f64> = anchors.iter().map(width).collect();
    // Of each model, by the width of terms.
    type Windows = Vec<Vec<(usize, TieWindow)>>;
    let visit = |windows: &mut Windows, first: usize, products: &mut [f64]| {
        let rows = products.len() / m;
        let own = orthonormalise(terms, first, rows, products);
        let models = products.chunks(rows).zip(anchors).zip(windows).zip(&widths);
        for (((e, anchor), windows), tie) in models {
            for term in own.clone() {
                let e = &e[within(terms, term, first)];
                let score = norm(e);
                let at = windows.iter().position(|(width, _)| *width == e.len());
                let at = at.unwrap_or_else(|| {
                    windows.push((e.len(), TieWindow::new(2.0 * tie)));
                    windows.len() - 1
                });
                if !anchor.terms.contains(&term) && terms.admits(term, anchor.terms, None) {
                    windows[at].1.offer(term, score, score - 2.0 * tie);
                }
            }
        }
        !stop()
    };
    let factor = MatRef::from_column_major_slice(&residuals, n, m);
    let ranges = ranges(threads, n * shard.own.p() * m);
    let found = visit_products(shard, factor, (ROWS, ranges), || vec![Vec::new(); m], visit);
    let mut all: Windows = vec![Vec::new(); m];
    for windows in found {
        for (all, own) in all.iter_mut().zip(windows) {
            for (width, window) in own {
                match all.iter_mut().find(|(other, _)| *other == width) {
                    Some((_, all)) => all.merge(window),
                    None => all.push((width, window)),
                }
            }
        }
    }
    let models = all.into_iter().zip(anchors);
    models
        .map(|(windows, anchor)| scored(x, terms, anchor.residual, windows))
        .collect()
}

/// The terms of windows, each for a width, with their scores by dot products in a fixed order.
pub(super) fn scored(
    x: Columns,
    terms: &Terms,
    residual: &[f64],
    windows: Vec<(usize, TieWindow)>,
) -> Vec<TermChange> {
    let near = windows.into_iter().flat_map(|(width, window)| {
        let near = window.finish().into_iter();
        near.map(move |(term, _)| (term, width))
    });
    let near = near.map(|(term, parameters)| TermChange {
        term,
        parameters,
        rss: score(x, terms, term, residual).powi(2),
    });
    near.collect()
}

/// Scores of terms that differ by no more than this count as equal.
pub(super) fn tie(n: usize, terms: &Terms, residual: &[f64]) -> f64 {
    tie_width(n, product(residual, residual).sqrt()) * terms.growth()
}

fn norm(e: &[f64]) -> f64 {
    e.iter().map(|e| e * e).sum::<f64>().sqrt()
}

/// ‖X_tᵀr‖ by dot products in a fixed order.
fn score(x: Columns, terms: &Terms, term: u32, residual: &[f64]) -> f64 {
    let products = terms.columns(term).map(|j| product(x.column(j), residual));
    let mut products: Vec<f64> = products.collect();
    terms.orthonormalise(term, &mut products);
    norm(&products)
}
