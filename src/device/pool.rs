//! A few hundred columns with all their products, XᵀX and Xᵀy in f64: what a
//! walk among them needs, however many observations and columns there are.

use std::collections::HashMap;

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use rayon::prelude::*;

use crate::{design::Columns, vector::product};

/// Columns a pool holds at most: 8 MiB of products.
const CAPACITY: usize = 1024;

/// Observations gathered at a time.
const BLOCK: usize = 512;

/// New columns multiplied by one thread at a time.
const CHUNK: usize = 64;

/// The pool. A column's *place* is its position in it.
#[derive(Debug)]
pub(crate) struct GramPool {
    /// By place.
    columns: Vec<u32>,
    places: HashMap<u32, usize>,
    /// Where each batch of columns taken in together ends: how a product rounds depends on
    /// the shape of the matrices that it is one element of.
    batches: Vec<usize>,
    /// XᵀX by place, `stride` numbers a row, zero past the last place.
    products: Vec<f64>,
    /// Xᵀy by place, zero past the last.
    xty: Vec<f64>,
    stride: usize,
}

impl GramPool {
    /// An empty pool for columns of a matrix of p.
    pub(crate) fn new(p: usize) -> Self {
        // Whole vectors of any instruction set.
        let stride = p.min(CAPACITY).next_multiple_of(8);
        Self {
            columns: Vec::new(),
            places: HashMap::new(),
            batches: Vec::new(),
            products: vec![0.0; stride * stride],
            xty: vec![0.0; stride],
            stride,
        }
    }

    /// Takes in those of `columns` it has not and has room for.
    pub(crate) fn insert(
        &mut self,
        x: Columns,
        y: &[f64],
        columns: impl Iterator<Item = u32>,
        threads: usize,
    ) {
        let first = self.columns.len();
        for column in columns {
            let place = self.columns.len();
            if !self.is_full() && !self.places.contains_key(&column) {
                self.places.insert(column, place);
                self.columns.push(column);
                self.xty[place] = product(x.column(column), y);
            }
        }
        let (all, new) = (self.columns.len(), self.columns.len() - first);
        if new == 0 {
            return;
        }
        self.batches.push(all);
        // The matrix is stored by columns here, which are its rows: it is symmetric. A
        // chunk's products do not depend on who makes them.
        let (held, stride) = (&self.columns, self.stride);
        let chunk = |(at, out): (usize, &mut [f64])| {
            let from = first + at * CHUNK;
            let new = CHUNK.min(all - from);
            let mut rows = vec![0.0; BLOCK.min(x.n()) * all];
            for start in (0..x.n()).step_by(BLOCK) {
                let n = BLOCK.min(x.n() - start);
                for (rows, column) in rows.chunks_mut(n).zip(held) {
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
        for a in first..all {
            for b in 0..first {
                self.products[b * self.stride + a] = self.products[a * self.stride + b];
            }
        }
    }

    /// The columns as they were taken in: a pool that takes these in turn has the same bits.
    pub(crate) fn batches(&self) -> Vec<Vec<u32>> {
        let starts = [0].into_iter().chain(self.batches.iter().copied());
        let batches = starts.zip(&self.batches);
        let columns = batches.map(|(start, end)| self.columns[start..*end].to_vec());
        columns.collect()
    }

    /// Whether there is room for no other column.
    pub(crate) fn is_full(&self) -> bool {
        self.columns.len() == self.stride
    }

    /// Columns it has.
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    /// The column at a place.
    pub(crate) fn column(&self, place: usize) -> u32 {
        self.columns[place]
    }

    /// The place of a column, if it is there.
    pub(crate) fn position(&self, column: u32) -> Option<usize> {
        self.places.get(&column).copied()
    }

    /// Products of the column at a place with all, by place; padded with zeros
    /// to whole vectors.
    pub(crate) fn products(&self, place: usize) -> &[f64] {
        &self.products[place * self.stride..][..self.padded()]
    }

    /// Xᵀy by place, padded with zeros.
    pub(crate) fn xty(&self) -> &[f64] {
        &self.xty[..self.padded()]
    }

    /// Its length in whole vectors.
    fn padded(&self) -> usize {
        self.columns.len().next_multiple_of(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    fn bits(pool: &GramPool) -> Vec<Vec<u64>> {
        let of = |values: &[f64]| values.iter().map(|it| it.to_bits()).collect();
        let rows = (0..pool.len()).map(|place| of(pool.products(place)));
        rows.chain([of(pool.xty())]).collect()
    }

    #[test]
    fn a_pool_that_takes_the_same_batches_has_the_same_bits() {
        // More than a block of observations, chunks that are full and not, one column alone.
        let (n, p) = (700, 300);
        let mut stream = Stream::new(5, 5);
        let mut draw = || (stream.next_word() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        let x: Vec<f64> = (0..n * p).map(|_| draw()).collect();
        let y: Vec<f64> = (0..n).map(|_| draw()).collect();
        let x = Columns::new(&x, n);
        let mut pool = GramPool::new(p);
        for batch in [0..3, 2..130, 40..131, 7..9, 131..260, 299..300] {
            pool.insert(x, &y, batch.rev(), 1);
        }
        let batches = pool.batches();
        let sizes: Vec<usize> = batches.iter().map(Vec::len).collect();
        assert_eq!(sizes, [3, 127, 1, 129, 1]);
        let mut again = GramPool::new(p);
        for batch in batches.iter().cloned() {
            again.insert(x, &y, batch.into_iter(), 2);
        }
        assert_eq!(again.batches(), batches);
        // Taken in at once they would round otherwise, on some CPUs.
        assert_eq!(bits(&again), bits(&pool));
    }
}
