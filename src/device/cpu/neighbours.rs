//! The neighbours of models on the CPU: one f64 product of X with r and the k columns of Q of every
//! model of a batch, then O(pk²) work.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use pulp::Simd;

use super::{
    integer_products::{are_of_integers, visit_orthonormal},
    products::{visit_products, weighted_squares},
};
use crate::{
    design::Columns,
    device::{
        Shard,
        gain::{factor_width, push_orthonormal},
        neighbours::{
            ExchangeTerms, MIN_UNEXPLAINED, ModelChange, Neighbours, is_flat, strongest_changes,
            tie_threshold,
        },
    },
    family::Curvature,
    least_squares::FitView,
    vector::vectorised,
};

/// Most numbers of a block's product, so that it stays in the cache.
const BLOCK: usize = 1 << 16;

/// Multiply-adds below which a batch stays on one thread.
const PARALLEL_WORK: usize = 1 << 21;

/// The `count` strongest additions and exchanges of each model among a shard's columns, and those
/// that tie with the last. Variables of `keep` (ascending) are not replaced. When `stop` returns
/// true, the remaining columns are skipped; the caller checks it again.
pub(crate) fn neighbours(
    shard: Shard,
    anchors: &[FitView],
    keep: &[u32],
    count: usize,
    threads: usize,
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Neighbours> {
    let (x, n, p) = (shard.x, shard.x.n(), shard.own.p());
    let models: Vec<ExchangeTerms> = anchors
        .iter()
        .map(|anchor| ExchangeTerms::new(anchor, keep))
        .collect();
    let width: usize = anchors.iter().map(|anchor| factor_width(anchor).0).sum();
    if width == 0 {
        return Vec::new();
    }
    let rows = (BLOCK / width).clamp(16, 512);
    let start = || {
        let strongest = || [(); 2].map(|()| Strongest::new(count));
        let strongest: Vec<_> = anchors.iter().map(|_| strongest()).collect();
        (strongest, Scratch::default())
    };
    let flat: Vec<bool> = anchors.iter().map(is_flat).collect();
    let weighted = || anchors.iter().filter_map(|anchor| anchor.weighted);
    let curvatures: Vec<_> = weighted().filter_map(|own| own.curvature).collect();
    let weights = weighted().filter(|own| own.curvature.is_none());
    let weights: Vec<f64> = weights.flat_map(|own| own.weights).copied().collect();
    let visit = |(strongest, scratch): &mut (Vec<_>, Scratch), first, products: &mut [f64]| {
        let rows = products.len() / width;
        let mut rest = &*products;
        if !weights.is_empty() {
            let Scratch { room, squares, .. } = &mut *scratch;
            weighted_squares(x, (first, rows), &weights, room, squares);
        } else if !curvatures.is_empty() {
            // Those of likelihoods of all observations together are by no weights.
            let mut unpacked = Vec::new();
            let columns = x.block(first..first + rows, &mut unpacked).chunks(n);
            let columns: Vec<&[f64]> = columns.collect();
            let Scratch { rows, squares, .. } = &mut *scratch;
            Curvature::squares(&curvatures, &columns, rows, squares);
        }
        for (at, ((model, anchor), strongest)) in
            models.iter().zip(anchors).zip(strongest).enumerate()
        {
            let (products, after) = rest.split_at(rows * factor_width(anchor).0);
            rest = after;
            if flat[at] {
                continue;
            }
            scratch.evaluate(model, anchor, at, products);
            scratch.offer(x, model, anchor, first, strongest);
        }
        !stop()
    };
    let ranges = match threads > 1 && n * p * width > PARALLEL_WORK {
        true => threads,
        false => 1,
    };
    let found = match are_of_integers(x, anchors) {
        true => visit_orthonormal(shard, anchors, (rows, ranges), start, visit),
        false => {
            let mut batch = Vec::with_capacity(n * width);
            for anchor in anchors {
                push_orthonormal(x, anchor, &mut batch);
            }
            let batch = MatRef::from_column_major_slice(&batch, n, width);
            visit_products(shard, batch, (rows, ranges), start, visit)
        }
    };
    let found = found.into_iter().map(|(strongest, _)| {
        let changes = strongest
            .into_iter()
            .map(|list| list.map(|kind| kind.changes));
        let neighbours = changes.map(|[additions, exchanges]| Neighbours {
            additions,
            exchanges,
            ..Neighbours::default()
        });
        neighbours.collect()
    });
    Neighbours::merge(found, anchors.len(), count)
}

/// For each model by how much RSS, or the quadratic of a loss, falls by each local column that joins it, by threads of the
/// pool; 0 by one that the model explains.
pub(crate) fn falls_by_joining(
    x: Columns,
    models: &[FitView],
    threads: usize,
) -> Vec<Vec<(u32, f64)>> {
    let local = x.local();
    let shard = Shard {
        x,
        first: local.start,
        own: x.range(local.clone()),
    };
    // None is replaced.
    let stay = models.iter().flat_map(|own| own.support).copied();
    let mut stay: Vec<u32> = stay.collect();
    stay.sort_unstable();
    let found = neighbours(shard, models, &stay, local.len().max(1), threads, &|| false);
    let falls = |own: Neighbours| {
        let all = own.additions.into_iter();
        all.map(|change| (change.column, change.fall)).collect()
    };
    found.into_iter().map(falls).collect()
}

/// Numbers of a block, one per column.
#[derive(Default)]
struct Scratch {
    /// e.
    products: Vec<f64>,
    /// s.
    rest: Vec<f64>,
    /// U: rows × k, column-major.
    exchanged: Vec<f64>,
    /// The largest fall by an exchange.
    fall: Vec<f64>,
    /// The position of the variable that this exchange replaces.
    place: Vec<f64>,
    /// xᵀWx under the weights of each model, and room to make them.
    squares: Vec<f64>,
    room: Vec<f64>,
    /// Columns side by side, by row of survival times.
    rows: Vec<[f64; 8]>,
}

impl Scratch {
    /// Computes the changes of a block of columns from its products with r and Q of a model, which has a number.
    ///
    /// *Shapes:* `products` is rows × (k + 1), weighted with an intercept rows × (k + 2), column-major.
    fn evaluate(
        &mut self,
        model: &ExchangeTerms,
        anchor: &FitView,
        number: usize,
        products: &[f64],
    ) {
        let (width, before) = factor_width(anchor);
        let rows = products.len() / width;
        let (e, all) = products.split_at(rows);
        // Without that of the intercept, which is not replaced.
        let w = &products[before * rows..];
        let k = model.k;
        for (list, length, value) in [
            (&mut self.products, 0, 0.0),
            (&mut self.rest, rows, 1.0),
            (&mut self.fall, rows, f64::NEG_INFINITY),
            (&mut self.place, rows, 0.0),
        ] {
            list.clear();
            list.resize(length, value);
        }
        self.products.extend_from_slice(e);
        self.exchanged.resize(rows * k, 0.0);
        if anchor.weighted.is_some() {
            let own = &self.squares[number * rows..][..rows];
            self.rest.copy_from_slice(own);
        }
        for w in all.chunks(rows) {
            square_off(&mut self.rest, w);
        }
        if k > 0 {
            matmul(
                MatMut::from_column_major_slice_mut(&mut self.exchanged, rows, k),
                Accum::Replace,
                MatRef::from_column_major_slice(w, rows, k),
                MatRef::from_column_major_slice(&model.transposed, k, k),
                1.0,
                Par::Seq,
            );
        }
        let products = (&self.products[..], &self.rest[..]);
        let exchanged = self.exchanged.chunks(rows).zip(&model.positions);
        for (i, (u, terms)) in exchanged.enumerate() {
            if let Some(terms) = *terms {
                exchange(
                    u,
                    terms,
                    i as f64,
                    products,
                    &mut self.fall,
                    &mut self.place,
                );
            }
        }
    }

    /// Offers the changes of each column outside the support.
    fn offer(
        &self,
        x: Columns,
        model: &ExchangeTerms,
        anchor: &FitView,
        first: usize,
        strongest: &mut [Strongest; 2],
    ) {
        let [joining, replacing] = strongest;
        for (row, column) in (first as u32..).take(self.rest.len()).enumerate() {
            let (e, s) = (self.products[row], self.rest[row]);
            // This cheap bound discards most columns.
            if s > MIN_UNEXPLAINED && e * e < joining.least * s && self.fall[row] < replacing.least
            {
                continue;
            }
            if anchor.support.contains(&column) {
                continue;
            }
            let mut change = ModelChange {
                column,
                fall: e * e / s,
                replaces: None,
                parameters: 1,
            };
            let mut exchange = ModelChange {
                column,
                fall: self.fall[row],
                replaces: Some(self.place[row] as usize),
                parameters: 0,
            };
            if s <= MIN_UNEXPLAINED {
                (change.fall, exchange) = model.evaluate_collinear(x, anchor, column);
            }
            joining.offer(change);
            replacing.offer(exchange);
        }
    }
}

vectorised! {
    /// rest −= w².
    fn square_off<'a>(rest: &'a mut [f64], w: &'a [f64]) -> () = square_off_body;
}

#[inline(always)]
fn square_off_body<S: Simd>(_: S, rest: &mut [f64], w: &[f64]) {
    for (rest, w) in rest.iter_mut().zip(w) {
        *rest -= w * w;
    }
}

vectorised! {
    /// Records the columns that had better replace position `at` than an earlier one: `place` is
    /// (β̂ᵢ/gᵢ, 1/gᵢ, cᵢ), `products` e and s.
    fn exchange<'a>(
        u: &'a [f64],
        place: [f64; 3],
        at: f64,
        products: (&'a [f64], &'a [f64]),
        falls: &'a mut [f64],
        places: &'a mut [f64],
    ) -> () = exchange_body;
}

#[inline(always)]
fn exchange_body<S: Simd>(
    _: S,
    u: &[f64],
    [step, inverse, cost]: [f64; 3],
    at: f64,
    (e, s): (&[f64], &[f64]),
    falls: &mut [f64],
    places: &mut [f64],
) {
    let columns = u.iter().zip(e).zip(s).zip(falls.iter_mut().zip(places));
    for (((u, e), s), (most, place)) in columns {
        let e = e + step * u;
        let s = s + u * u * inverse;
        let fall = e * e / s - cost;
        let wins = (s > MIN_UNEXPLAINED) & (fall > *most);
        *most = if wins { fall } else { *most };
        *place = if wins { at } else { *place };
    }
}

/// The strongest changes so far, and some weaker ones that are dropped from time to time.
pub(super) struct Strongest {
    count: usize,
    /// Weaker changes are not among the strongest.
    least: f64,
    pub(super) changes: Vec<ModelChange>,
    /// The number of changes at which the weaker ones are dropped next.
    full: usize,
}

impl Strongest {
    pub(super) fn new(count: usize) -> Self {
        Self {
            count,
            least: f64::NEG_INFINITY,
            changes: Vec::new(),
            full: 4 * count + 64,
        }
    }

    pub(super) fn offer(&mut self, change: ModelChange) {
        // A column without any possible exchange falls by −∞.
        if change.fall >= self.least && change.fall > f64::NEG_INFINITY {
            self.changes.push(change);
            if self.changes.len() >= self.full {
                self.changes = strongest_changes(std::mem::take(&mut self.changes), self.count);
                if let Some(last) = self.changes.get(self.count - 1) {
                    self.least = tie_threshold(last.fall);
                }
                // All may tie: where nothing is dropped, the next sort waits for twice as many.
                self.full = (2 * self.changes.len()).max(4 * self.count + 64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_all_tie_are_sorted_a_few_times_and_all_kept() {
        let mut strongest = Strongest::new(4);
        let (mut sorts, mut full) = (0, strongest.full);
        for column in 0..100_000 {
            strongest.offer(ModelChange {
                column,
                fall: if column % 2 == 0 { 0.5 } else { 0.25 },
                replaces: None,
                parameters: 1,
            });
            sorts += usize::from(strongest.full != full);
            full = strongest.full;
        }
        assert!(sorts < 20, "{sorts}");
        let kept = strongest_changes(strongest.changes, 4);
        let columns: Vec<u32> = kept.iter().map(|change| change.column).collect();
        assert_eq!(columns, (0..100_000).step_by(2).collect::<Vec<_>>());
    }
}
