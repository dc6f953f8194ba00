//! Products of columns of genotypes with one another, which are made of integers: exact but for their last rounding, and
//! much cheaper than those of numbers.

use std::{collections::BTreeSet, ops::Range};

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use rayon::prelude::*;

use super::products::Visit;
use crate::{
    design::{Columns, PackedAnchor},
    device::Shard,
    least_squares::FitView,
    vector::{packed_columns, product},
};

/// Largest Σ|t| of a column of T at which Qᵀx, made of products of columns, keeps the digits that decide.
const MOST_GROWTH: f64 = 1e4;

/// Columns that others are multiplied with.
pub(super) struct Factors<'x> {
    x: Columns<'x>,
    /// Each column, and what it is multiplied by where it is genotypes.
    columns: Vec<(u32, Option<PackedAnchor<'x>>)>,
}

impl<'x> Factors<'x> {
    pub(super) fn new(x: Columns<'x>, columns: impl IntoIterator<Item = u32>) -> Self {
        let columns = columns.into_iter().map(|j| (j, x.anchor(j))).collect();
        Self { x, columns }
    }

    /// The products of neighbouring columns of a shard, which are unpacked into `room` only where some are numbers.
    ///
    /// *Shapes:* `out` is rows × as many as there are factors, column-major.
    pub(super) fn products(
        &self,
        own: Columns,
        columns: Range<usize>,
        room: &mut Vec<f64>,
        out: &mut [f64],
    ) {
        let rows = columns.len();
        let mut unpacked: Option<&[f64]> = None;
        for ((j, anchor), out) in self.columns.iter().zip(out.chunks_mut(rows.max(1))) {
            let is_done = anchor
                .as_ref()
                .is_some_and(|anchor| own.products_of_integers(columns.clone(), anchor, out));
            if is_done {
                continue;
            }
            let values = match unpacked {
                Some(values) => values,
                None => own.block(columns.clone(), room),
            };
            unpacked = Some(values);
            let factor = self.x.column(*j);
            for (out, column) in out.iter_mut().zip(values.chunks(self.x.n())) {
                *out = product(column, factor);
            }
        }
    }
}

/// Whether the products with Q of these models can be made of integers.
pub(super) fn are_of_integers(x: Columns, anchors: &[FitView]) -> bool {
    let grows = |anchor: &FitView| {
        let mut sums =
            packed_columns(anchor.inverse).map(|t| t.iter().map(|t| t.abs()).sum::<f64>());
        anchor.weighted.is_some() || sums.any(|sum| sum > MOST_GROWTH)
    };
    x.has_integers() && !anchors.iter().any(grows)
}

/// As [`visit_products`](super::products::visit_products) of the residual and the k columns of Q of each model, of which
/// the latter are made of products of columns.
pub(super) fn visit_orthonormal<A: Send>(
    shard: Shard,
    anchors: &[FitView],
    (rows, ranges): (usize, usize),
    start: impl Fn() -> A + Sync,
    visit: impl Visit<A>,
) -> Vec<A> {
    let (x, own, n) = (shard.x, shard.own, shard.x.n());
    let support = anchors.iter().flat_map(|anchor| anchor.support).copied();
    let support = Vec::from_iter(BTreeSet::from_iter(support));
    let place = |j: &u32| support.binary_search(j).unwrap_or_default();
    let factors = Factors::new(x, support.iter().copied());
    let m = anchors.len();
    let residuals = anchors.iter().flat_map(|anchor| anchor.residual);
    let residuals: Vec<f64> = residuals.copied().collect();
    let residuals = MatRef::from_column_major_slice(&residuals, n, m);
    let width: usize = anchors.iter().map(|anchor| 1 + anchor.support.len()).sum();
    let each = own.p().div_ceil(ranges).max(1);
    let rows = own.at_once(rows);
    let range = |at: usize| {
        let mut state = start();
        let (mut room, mut with_r, mut gram) = (Vec::new(), Vec::new(), Vec::new());
        let (mut with_factors, mut products) = (Vec::new(), Vec::new());
        let end = own.p().min((at + 1) * each);
        for first in (at * each..end).step_by(rows) {
            let columns = first..end.min(first + rows);
            let rows = columns.len();
            with_factors.resize(rows * support.len(), 0.0);
            factors.products(own, columns.clone(), &mut room, &mut with_factors);
            with_r.resize(rows * m, 0.0);
            matmul(
                MatMut::from_column_major_slice_mut(&mut with_r, rows, m),
                Accum::Replace,
                MatRef::from_column_major_slice(own.block(columns, &mut room), n, rows).transpose(),
                residuals,
                1.0,
                Par::Seq,
            );
            products.clear();
            for (anchor, with_r) in anchors.iter().zip(with_r.chunks(rows)) {
                products.extend_from_slice(with_r);
                gram.clear();
                for j in anchor.support {
                    gram.extend_from_slice(&with_factors[place(j) * rows..][..rows]);
                }
                for t in packed_columns(anchor.inverse) {
                    let from = products.len();
                    products.resize(from + rows, 0.0);
                    for (t, own) in t.iter().zip(gram.chunks(rows)) {
                        for (sum, product) in products[from..].iter_mut().zip(own) {
                            *sum += t * product;
                        }
                    }
                }
            }
            debug_assert_eq!(products.len(), rows * width);
            if !visit(&mut state, shard.first + first, &mut products) {
                break;
            }
        }
        state
    };
    if ranges > 1 {
        let ranges = own.p().div_ceil(each);
        (0..ranges).into_par_iter().map(range).collect()
    } else {
        vec![range(0)]
    }
}
