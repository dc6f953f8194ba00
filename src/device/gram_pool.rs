//! The Gram matrix of a few hundred columns: XᵀX and Xᵀy in f64, which is all that a tabu search
//! among them needs, however many observations there are.

use std::collections::HashMap;

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use rayon::prelude::*;

use crate::{design::Columns, vector::product};

/// Most columns of a pool: 8 MiB of products.
const CAPACITY: usize = 1024;

/// Observations multiplied at a time.
const BLOCK: usize = 512;

/// New columns that one thread multiplies at a time.
const CHUNK: usize = 64;

/// The Gram matrix of a growing set of columns. A column's *position* is its index in the set.
#[derive(Debug)]
pub(crate) struct GramPool {
    /// Column numbers, by position.
    columns: Vec<u32>,
    positions: HashMap<u32, usize>,
    /// The ends of the batches in which columns were inserted: how a product rounds depends on the
    /// shapes of the matrices multiplied.
    batches: Vec<usize>,
    /// XᵀX by position, `stride` numbers a row, zero past the last position.
    products: Vec<f64>,
    /// Xᵀy by position, zero past the last.
    xty: Vec<f64>,
    stride: usize,
}

impl GramPool {
    /// An empty pool for the columns of a matrix with p of them.
    pub(crate) fn new(p: usize) -> Self {
        // A multiple of every vector width.
        let stride = p.min(CAPACITY).next_multiple_of(8);
        Self {
            columns: Vec::new(),
            positions: HashMap::new(),
            batches: Vec::new(),
            products: vec![0.0; stride * stride],
            xty: vec![0.0; stride],
            stride,
        }
    }

    /// Inserts those of `columns` that are new, as far as there is room, and computes their
    /// products. When `stop` returns true, the rest of the work is skipped: the pool is then of no use.
    ///
    /// *Shapes:* `x` n × p, column-major, and `y` n, on the host.
    pub(crate) fn insert(
        &mut self,
        x: Columns,
        y: &[f64],
        columns: impl Iterator<Item = u32>,
        threads: usize,
        stop: &(dyn Fn() -> bool + Sync),
    ) {
        let first = self.columns.len();
        for column in columns {
            let place = self.columns.len();
            if !self.is_full() && !self.positions.contains_key(&column) {
                self.positions.insert(column, place);
                self.columns.push(column);
                self.xty[place] = product(x.column(column), y);
            }
        }
        let (all, new) = (self.columns.len(), self.columns.len() - first);
        if new == 0 {
            return;
        }
        self.batches.push(all);
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
        for a in first..all {
            for b in 0..first {
                self.products[b * self.stride + a] = self.products[a * self.stride + b];
            }
        }
    }

    /// The columns in the batches they were inserted in: a pool that inserts these batches in turn
    /// has the same bits.
    pub(crate) fn batches(&self) -> Vec<Vec<u32>> {
        let starts = [0].into_iter().chain(self.batches.iter().copied());
        let batches = starts.zip(&self.batches);
        let columns = batches.map(|(start, end)| self.columns[start..*end].to_vec());
        columns.collect()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.columns.len() == self.stride
    }

    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn column(&self, position: usize) -> u32 {
        self.columns[position]
    }

    /// The position of a column, if the pool has it.
    pub(crate) fn position(&self, column: u32) -> Option<usize> {
        self.positions.get(&column).copied()
    }

    /// Products of the column at a position with all columns, by position, padded with zeros to a
    /// multiple of 8.
    pub(crate) fn products(&self, position: usize) -> &[f64] {
        &self.products[position * self.stride..][..self.padded()]
    }

    /// Xᵀy by position, padded with zeros to a multiple of 8.
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
        let rows = (0..pool.len()).map(|place| of(pool.products(place)));
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
        let mut pool = GramPool::new(p);
        for batch in [0..3, 2..130, 40..131, 7..9, 131..260, 299..300] {
            pool.insert(x, &y, batch.rev(), 1, &|| false);
        }
        let batches = pool.batches();
        let sizes: Vec<usize> = batches.iter().map(Vec::len).collect();
        assert_eq!(sizes, [3, 127, 1, 129, 1]);
        let mut again = GramPool::new(p);
        for batch in batches.iter().cloned() {
            again.insert(x, &y, batch.into_iter(), 2, &|| false);
        }
        assert_eq!(again.batches(), batches);
        // Inserted in one batch they would round differently on some CPUs.
        assert_eq!(bits(&again), bits(&pool));
    }
}
