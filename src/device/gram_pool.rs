//! The Gram matrix of a few hundred columns: XᵀX and Xᵀy in f64, which is all that a tabu search
//! among them needs, however many observations there are. Columns of a term of several are replaced by
//! orthonormal ones of the same span.

use std::{collections::HashMap, ops::Range};

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use rayon::prelude::*;

use crate::{
    design::{Columns, Terms},
    vector::product,
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
}

impl GramPool {
    /// An empty pool for the terms of a design.
    pub(crate) fn new(x: Columns) -> Self {
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
        }
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
                self.xty[self.columns.len()] = product(x.column(column), y);
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
        let chunk = |(at, out): (usize, &mut [f64])| {
            let from = first + at * CHUNK;
            let new = CHUNK.min(all - from);
            let mut rows = vec![0.0; BLOCK.min(x.n()) * all];
            for start in (0..x.n()).step_by(BLOCK) {
                if stop() {
                    break;
                }
                let n = BLOCK.min(x.n() - start);
                for (rows, column) in rows.chunks_mut(n).zip(present) {
                    rows.copy_from_slice(&x.column(*column)[start..][..n]);
                }
                let rows = MatRef::from_column_major_slice(&rows[..n * all], n, all);
                matmul(
                    MatMut::from_column_major_slice_with_stride_mut(&mut *out, all, new, stride),
                    Accum::Add,
                    rows.transpose(),
                    rows.get(.., from..from + new),
                    1.0,
                    Par::Seq,
                );
            }
        };
        let out = &mut self.products[first * stride..all * stride];
        if threads > 1 {
            let chunks = out.par_chunks_mut(CHUNK * stride).enumerate();
            chunks.for_each(chunk);
        } else {
            out.chunks_mut(CHUNK * stride).enumerate().for_each(chunk);
        }
        if let Some(terms) = x.terms() {
            self.orthonormalise(terms, first_term);
        }
        for a in first..all {
            for b in 0..first {
                self.products[b * self.stride + a] = self.products[a * self.stride + b];
            }
        }
    }

    /// Turns products of the columns of the terms from `first` on into those of orthonormal ones, as
    /// those of the terms before are.
    fn orthonormalise(&mut self, terms: &Terms, first: usize) {
        let (stride, all) = (self.stride, self.columns.len());
        let start = self.starts[first];
        // The terms before are orthonormal only on their own side yet.
        for row in self.products[start * stride..all * stride].chunks_mut(stride) {
            for (term, ends) in self.terms.iter().zip(self.starts.windows(2)) {
                terms.orthonormalise(*term, &mut row[ends[0]..ends[1]]);
            }
        }
        let mut one = Vec::new();
        for (term, ends) in self.terms.iter().zip(self.starts.windows(2)).skip(first) {
            let places = ends[0]..ends[1];
            terms.orthonormalise(*term, &mut self.xty[places.clone()]);
            for column in 0..all {
                one.clear();
                one.extend(
                    places
                        .clone()
                        .map(|row| self.products[row * stride + column]),
                );
                terms.orthonormalise(*term, &mut one);
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
        let mut pool = GramPool::new(x);
        for batch in [0..3, 2..130, 40..131, 7..9, 131..260, 299..300] {
            pool.insert(x, &y, batch.rev(), 1, &|| false);
        }
        let batches = pool.batches();
        let sizes: Vec<usize> = batches.iter().map(Vec::len).collect();
        assert_eq!(sizes, [3, 127, 1, 129, 1]);
        let mut again = GramPool::new(x);
        for batch in batches.iter().cloned() {
            again.insert(x, &y, batch.into_iter(), 2, &|| false);
        }
        assert_eq!(again.batches(), batches);
        // Inserted in one batch they would round differently on some CPUs.
        assert_eq!(bits(&again), bits(&pool));
    }
}
