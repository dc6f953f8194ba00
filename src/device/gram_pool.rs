//! The Gram matrix of a few hundred columns: XᵀX and Xᵀy in f64, which is all that a tabu search
//! among them needs, however many observations there are. Columns of a term of several are replaced by
//! orthonormal ones of the same span. Where models have a likelihood the products are those of the quadratic that
//! its loss is near one of them, columns are about their weighted means, and all are orthonormal under the weights.

use std::{borrow::Cow, collections::HashMap, ops::Range};

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use rayon::prelude::*;

use super::weighted_products::{WeightedProducts, inverse_factor};
use crate::{
    design::{Columns, Terms},
    least_squares::Fit,
    vector::{add_scaled, packed_columns, product},
};

/// Most columns of a pool: 8 MiB of products.
const CAPACITY: usize = 1024;

/// Observations multiplied at a time.
const BLOCK: usize = 512;

/// New columns that one thread multiplies at a time.
const CHUNK: usize = 64;

/// The Gram matrix of the columns of a growing set of terms. A term's *position* is its index in the
/// set, a column's *place* its index among the columns: the same, where each column is a term.
#[derive(Debug)]
pub(crate) struct GramPool {
    /// Terms, by position.
    terms: Vec<u32>,
    positions: HashMap<u32, usize>,
    /// Columns, by place.
    columns: Vec<u32>,
    /// Where the columns of each term begin, and the end of the last; empty where each column is a term.
    starts: Vec<usize>,
    /// Whether there was no room for a term.
    is_short: bool,
    /// The ends of the batches in which terms were inserted: how a product rounds depends on the
    /// shapes of the matrices multiplied.
    batches: Vec<usize>,
    /// XᵀX by place, `stride` numbers a row, zero past the last place.
    products: Vec<f64>,
    /// Xᵀy by place, zero past the last.
    xty: Vec<f64>,
    stride: usize,
    weighted: Option<WeightedProducts>,
}

impl GramPool {
    /// An empty pool for the terms of a design, for models near a fit.
    pub(crate) fn new(x: Columns, near: &Fit) -> Self {
        // A multiple of every vector width.
        let stride = x.p().min(CAPACITY).next_multiple_of(8);
        Self {
            terms: Vec::new(),
            positions: HashMap::new(),
            columns: Vec::new(),
            starts: x.terms().map_or_else(Vec::new, |_| vec![0]),
            is_short: false,
            batches: Vec::new(),
            products: vec![0.0; stride * stride],
            xty: vec![0.0; stride],
            stride,
            weighted: WeightedProducts::of(x, near),
        }
    }

    /// RSS of the empty model.
    pub(crate) fn rss(&self) -> f64 {
        self.weighted.as_ref().map_or(1.0, |own| own.rss)
    }

    /// Inserts those of `terms` that are new, as far as there is room, and computes their
    /// products. When `stop` returns true, the rest of the work is skipped: the pool is then of no use.
    ///
    /// *Shapes:* `x` n × p, column-major, and `y` n, on the host.
    pub(crate) fn insert(
        &mut self,
        x: Columns,
        y: &[f64],
        terms: impl Iterator<Item = u32>,
        threads: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) {
        let (first, first_term) = (self.columns.len(), self.terms.len());
        for term in terms {
            let columns = x.columns_of(term);
            if self.positions.contains_key(&term) {
                continue;
            }
            if self.columns.len() + columns.len() > self.stride {
                self.is_short = true;
                continue;
            }
            self.positions.insert(term, self.terms.len());
            self.terms.push(term);
            for column in columns {
                let values = &*x.column_once(column);
                self.xty[self.columns.len()] = match &mut self.weighted {
                    None => product(values, y),
                    Some(own) => {
                        let mean = product(values, &own.weights);
                        own.means.push(mean);
                        let shift = own.sums.map_or(0.0, |[total, sum]| mean * sum / total);
                        product(values, &own.target) - shift
                    }
                };
                self.columns.push(column);
            }
            if x.terms().is_some() {
                self.starts.push(self.columns.len());
            }
        }
        let (all, new) = (self.columns.len(), self.columns.len() - first);
        if new == 0 {
            return;
        }
        self.batches.push(self.terms.len());
        // XᵀX is symmetric, so its columns are written as rows. A chunk has the same bits on any
        // thread.
        let (present, stride) = (&self.columns, self.stride);
        let weighted = self.weighted.as_ref();
        let of_integers = x.has_integers() && weighted.is_none() && x.terms().is_none();
        let chunk = |(at, out): (usize, &mut [f64])| {
            let from = first + at * CHUNK;
            let new = CHUNK.min(all - from);
            if of_integers {
                for (own, out) in present[from..from + new].iter().zip(out.chunks_mut(stride)) {
                    if stop() {
                        break;
                    }
                    x.products_with(*own, present, out);
                }
                return;
            }
            let mut rows = vec![0.0; BLOCK.min(x.n()) * all];
            // What no weights are: products with second derivatives.
            let images: Vec<Vec<f64>> = match weighted.and_then(|own| own.curvature.as_ref()) {
                None => Vec::new(),
                Some((curvature, scale)) => {
                    let columns = present[from..from + new].iter();
                    let image = |j: &u32| {
                        let own = curvature.times(x.column(*j));
                        own.into_iter().map(|own| scale * own).collect()
                    };
                    columns.map(image).collect()
                }
            };
            for start in (0..x.n()).step_by(BLOCK) {
                if stop() {
                    break;
                }
                let n = BLOCK.min(x.n() - start);
                for (rows, column) in rows.chunks_mut(n).zip(present) {
                    rows.copy_from_slice(&x.column(*column)[start..][..n]);
                }
                let rows = &rows[..n * all];
                let own = &rows[from * n..(from + new) * n];
                let own = match weighted {
                    None => Cow::Borrowed(own),
                    Some(_) if !images.is_empty() => {
                        let own = images.iter().flat_map(|own| &own[start..][..n]);
                        Cow::Owned(own.copied().collect())
                    }
                    Some(weighted) => {
                        let weights = &weighted.weights[start..][..n];
                        let columns = own.chunks(n).flat_map(|own| own.iter().zip(weights));
                        Cow::Owned(columns.map(|(x, w)| x * w).collect::<Vec<f64>>())
                    }
                };
                matmul(
                    MatMut::from_column_major_slice_with_stride_mut(&mut *out, all, new, stride),
                    Accum::Add,
                    MatRef::from_column_major_slice(rows, n, all).transpose(),
                    MatRef::from_column_major_slice(&own, n, new),
                    1.0,
                    Par::Seq,
                );
            }
            if let Some((own, [total, _])) = weighted.and_then(|own| Some((own, own.sums?))) {
                for (out, mean) in out.chunks_mut(stride).zip(&own.means[from..]) {
                    add_scaled(&mut out[..all], -mean / total, &own.means);
                }
            }
        };
        let out = &mut self.products[first * stride..all * stride];
        if threads > 1 {
            let chunks = out.par_chunks_mut(CHUNK * stride).enumerate();
            chunks.for_each(chunk);
        } else {
            out.chunks_mut(CHUNK * stride).enumerate().for_each(chunk);
        }
        if self.weighted.is_some() || x.terms().is_some() {
            self.orthonormalise(x.terms(), first_term);
        }
        for a in first..all {
            for b in 0..first {
                self.products[b * self.stride + a] = self.products[a * self.stride + b];
            }
        }
    }

    /// Turns products of the columns of the terms from `first` on into those of orthonormal ones, as
    /// those of the terms before are.
    fn orthonormalise(&mut self, terms: Option<&Terms>, first: usize) {
        let (stride, all) = (self.stride, self.columns.len());
        let ranges: Vec<Range<usize>> = (0..self.terms.len()).map(|at| self.places(at)).collect();
        if let Some(own) = &mut self.weighted {
            for places in &ranges[first..] {
                let products = &self.products;
                let row = |a: usize| &products[a * stride + places.start..][..=a - places.start];
                own.factors
                    .push(inverse_factor(places.clone().map(row).collect()));
            }
        }
        let factors = self.weighted.as_ref().map(|own| &own.factors);
        let turn = |at: usize, values: &mut [f64]| match (factors, terms) {
            (Some(factors), _) => {
                let turned = packed_columns(&factors[at]).map(|t| {
                    t.iter()
                        .zip(&*values)
                        .map(|(t, value)| t * value)
                        .sum::<f64>()
                });
                let turned: Vec<f64> = turned.collect();
                values.copy_from_slice(&turned);
            }
            (None, Some(terms)) => terms.orthonormalise(self.terms[at], values),
            (None, None) => {}
        };
        let start = ranges[first].start;
        // The terms before are orthonormal only on their own side yet.
        for row in self.products[start * stride..all * stride].chunks_mut(stride) {
            for (at, places) in ranges.iter().enumerate() {
                turn(at, &mut row[places.clone()]);
            }
        }
        let mut one = Vec::new();
        for (at, places) in ranges.iter().enumerate().skip(first) {
            turn(at, &mut self.xty[places.clone()]);
            for column in 0..all {
                one.clear();
                one.extend(
                    places
                        .clone()
                        .map(|row| self.products[row * stride + column]),
                );
                turn(at, &mut one);
                for (row, value) in places.clone().zip(&one) {
                    self.products[row * stride + column] = *value;
                }
            }
        }
    }

    /// The terms in the batches they were inserted in: a pool that inserts these batches in turn
    /// has the same bits.
    pub(crate) fn batches(&self) -> Vec<Vec<u32>> {
        let starts = [0].into_iter().chain(self.batches.iter().copied());
        let batches = starts.zip(&self.batches);
        let terms = batches.map(|(start, end)| self.terms[start..*end].to_vec());
        terms.collect()
    }

    /// Whether there is no room for another column, or was none for a term.
    pub(crate) fn is_full(&self) -> bool {
        self.columns.len() == self.stride || self.is_short
    }

    /// The number of terms.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The number of columns.
    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn term(&self, position: usize) -> u32 {
        self.terms[position]
    }

    /// The position of a term, if the pool has it.
    pub(crate) fn position(&self, term: u32) -> Option<usize> {
        self.positions.get(&term).copied()
    }

    /// Whether each column is a term.
    pub(crate) fn is_plain(&self) -> bool {
        self.starts.is_empty()
    }

    /// The places of the columns of the term at a position.
    pub(crate) fn places(&self, position: usize) -> Range<usize> {
        match self.is_plain() {
            true => position..position + 1,
            false => self.starts[position]..self.starts[position + 1],
        }
    }

    /// Products of the column at a place with all columns, by place, padded with zeros to a
    /// multiple of 8.
    pub(crate) fn products(&self, place: usize) -> &[f64] {
        &self.products[place * self.stride..][..self.padded()]
    }

    /// Xᵀy by place, padded with zeros to a multiple of 8.
    pub(crate) fn xty(&self) -> &[f64] {
        &self.xty[..self.padded()]
    }

    /// The number of columns, rounded up to a multiple of 8.
    fn padded(&self) -> usize {
        self.columns.len().next_multiple_of(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn bits(pool: &GramPool) -> Vec<Vec<u64>> {
        let of = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect();
        let rows = (0..pool.width()).map(|place| of(pool.products(place)));
        rows.chain([of(pool.xty())]).collect()
    }

    #[test]
    fn a_pool_that_takes_the_same_batches_has_the_same_bits() {
        // More than one block of observations; full chunks, partial ones, and a single column.
        let (n, p) = (700, 300);
        let mut stream = Stream::new(5, 5);
        let mut draw = || (stream.next_word() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        let x: Vec<f64> = (0..n * p).map(|_| draw()).collect();
        let y: Vec<f64> = (0..n).map(|_| draw()).collect();
        let x = Columns::new(&x, n);
        let mut pool = GramPool::new(x, &Fit::empty(&y));
        for batch in [0..3, 2..130, 40..131, 7..9, 131..260, 299..300] {
            pool.insert(x, &y, batch.rev(), 1, &|| false);
        }
        let batches = pool.batches();
        let sizes: Vec<usize> = batches.iter().map(Vec::len).collect();
        assert_eq!(sizes, [3, 127, 1, 129, 1]);
        let mut again = GramPool::new(x, &Fit::empty(&y));
        for batch in batches.iter().cloned() {
            again.insert(x, &y, batch.into_iter(), 2, &|| false);
        }
        assert_eq!(again.batches(), batches);
        // Inserted in one batch they would round differently on some CPUs.
        assert_eq!(bits(&again), bits(&pool));
    }
}
