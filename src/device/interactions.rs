//! Products of two columns, none of which is made: those that explain most of a residual, of all pairs.

use std::ops::Range;

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use rayon::prelude::*;

/// Columns whose products with others are made at once, and how many others, of so few observations that they
/// are at most so many numbers.
const TILE: usize = 64;
const OTHERS: usize = 1024;
const NUMBERS: usize = 1 << 22;

/// Columns of which products are made.
pub(crate) struct PairSweep<'a> {
    /// The columns, n × p, as a design has them: centred and multiplied by the roots of the weights.
    pub(crate) x: &'a [f64],
    /// The residual, in the same rows.
    pub(crate) residual: &'a [f64],
    /// The weights of the rows; empty where all are 1.
    pub(crate) weights: &'a [f64],
    /// Whether models have an intercept, so that products count about their means.
    pub(crate) is_centred: bool,
}

/// Two columns, and what their product would explain of the residual, were it not explained by others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairGain {
    pub(crate) columns: (u32, u32),
    pub(crate) gain: f64,
}

impl PairSweep<'_> {
    /// How many columns of a tile there are, and of others.
    fn tile(&self) -> (usize, usize) {
        let n = self.residual.len();
        let tile = (NUMBERS / n / 2).clamp(4, TILE);
        (tile, (NUMBERS / n).clamp(16, OTHERS))
    }

    /// Bytes that a thread takes.
    pub(crate) fn bytes(&self) -> u64 {
        let (tile, others) = self.tile();
        let numbers = (3 * tile + others) * self.residual.len() + 3 * tile * others;
        (numbers * size_of::<f64>()) as u64
    }

    /// The multiply-adds of [`strongest`](Self::strongest).
    pub(crate) fn work(&self) -> f64 {
        let p = (self.x.len() / self.residual.len()) as f64;
        1.5 * p * self.x.len() as f64
    }

    /// The pairs of the largest gains, at most so many, in falling order; of equal ones the lower columns. Only pairs
    /// that are wanted count. `stop` ends it early with what was found until then.
    ///
    /// Of a product xₐx_b the gain is (Σ r xₐx_b)² / Σ (xₐx_b − mean)²: three products of matrices with
    /// columns that are multiplied by a tile of others.
    pub(crate) fn strongest(
        &self,
        count: usize,
        is_wanted: impl Fn(u32, u32) -> bool + Sync,
        stop: impl Fn() -> bool + Sync,
    ) -> Vec<PairGain> {
        let n = self.residual.len();
        let p = self.x.len() / n;
        let (width, _) = self.tile();
        let tiles = (0..p.div_ceil(width)).into_par_iter();
        let found = tiles.map(|tile| {
            let own = tile * width..((tile + 1) * width).min(p);
            let mut best = Strongest::new(count);
            if !stop() {
                self.visit(own, &is_wanted, &mut best);
            }
            best
        });
        found
            .reduce(|| Strongest::new(count), Strongest::merge)
            .pairs
    }

    /// The gains of a tile's columns with all before them, and with one another.
    fn visit(
        &self,
        tile: Range<usize>,
        is_wanted: &impl Fn(u32, u32) -> bool,
        best: &mut Strongest,
    ) {
        let n = self.residual.len();
        let (width, (_, most)) = (tile.len(), self.tile());
        let own = &self.x[tile.start * n..tile.end * n];
        let weights = match self.weights {
            [] => &vec![1.0; n],
            weights => weights,
        };
        let total: f64 = weights.iter().sum();
        // The columns by the residual, the columns themselves, and their squares.
        let mut factor = Vec::with_capacity(2 * own.len());
        let by_row = self.residual.iter().zip(weights);
        let anchor: Vec<f64> = by_row.map(|(r, weight)| r / weight.sqrt()).collect();
        for column in own.chunks(n) {
            factor.extend(column.iter().zip(&anchor).map(|(x, r)| x * r));
        }
        factor.extend(own);
        let squares = own.iter().zip(weights.iter().cycle());
        let squares: Vec<f64> = squares.map(|(x, weight)| x * x / weight).collect();
        let (mut products, mut norms) = (vec![0.0; most * 2 * width], vec![0.0; most * width]);
        let mut others_squared = Vec::with_capacity(most * n);
        let per_mean = if self.is_centred { 1.0 / total } else { 0.0 };
        for first in (0..tile.end).step_by(most) {
            let others = first..(first + most).min(tile.end);
            let rows = others.len();
            let x = &self.x[others.start * n..others.end * n];
            others_squared.clear();
            others_squared.extend(x.iter().map(|x| x * x));
            multiply(x, &factor, n, &mut products[..rows * 2 * width]);
            multiply(&others_squared, &squares, n, &mut norms[..rows * width]);
            let (with_residual, gram) = products[..rows * 2 * width].split_at(rows * width);
            for at in 0..width {
                let b = tile.start + at;
                let own = at * rows..(at + 1) * rows;
                let columns = with_residual[own.clone()]
                    .iter()
                    .zip(&gram[own.clone()])
                    .zip(&norms[own]);
                for (a, ((e, g), square)) in others.clone().zip(columns).take_while(|(a, _)| *a < b)
                {
                    let norm = square - g * g * per_mean;
                    // Of what is nothing but its mean, rounding is left.
                    if e * e > best.least * norm
                        && norm > 1e-10 * square
                        && is_wanted(a as u32, b as u32)
                    {
                        best.offer(PairGain {
                            columns: (a as u32, b as u32),
                            gain: e * e / norm,
                        });
                    }
                }
            }
        }
    }
}

/// Columns of n values, each with each of others: a column of products for each of these.
fn multiply(columns: &[f64], others: &[f64], n: usize, products: &mut [f64]) {
    let (p, m) = (columns.len() / n, others.len() / n);
    matmul(
        MatMut::from_column_major_slice_mut(products, p, m),
        Accum::Replace,
        MatRef::from_column_major_slice(columns, n, p).transpose(),
        MatRef::from_column_major_slice(others, n, m),
        1.0,
        Par::Seq,
    );
}

/// The strongest pairs so far.
struct Strongest {
    count: usize,
    pairs: Vec<PairGain>,
    /// What a pair must exceed.
    least: f64,
}

impl Strongest {
    fn new(count: usize) -> Self {
        Self {
            count,
            pairs: Vec::with_capacity(count + 1),
            least: 0.0,
        }
    }

    fn offer(&mut self, pair: PairGain) {
        let is_before = |other: &PairGain| {
            let order = other.gain.total_cmp(&pair.gain).reverse();
            order.then(other.columns.cmp(&pair.columns)).is_lt()
        };
        let at = self.pairs.partition_point(is_before);
        self.pairs.insert(at, pair);
        if self.pairs.len() > self.count {
            self.pairs.pop();
            self.least = self.pairs.last().map_or(0.0, |last| last.gain);
        }
    }

    fn merge(mut self, other: Self) -> Self {
        other.pairs.into_iter().for_each(|pair| self.offer(pair));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn the_strongest_products_are_those_of_the_definition() {
        let (n, p) = (37, 200);
        for is_weighted in [false, true] {
            let mut stream = Stream::new(9, u64::from(is_weighted));
            let mut draw = || (stream.next_word() >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
            let weights: Vec<f64> = match is_weighted {
                true => (0..n).map(|_| 1.0 + draw()).collect(),
                false => Vec::new(),
            };
            let weight = |row: usize| weights.get(row).copied().unwrap_or(1.0);
            let total: f64 = (0..n).map(weight).sum();
            let centred = |values: Vec<f64>| -> Vec<f64> {
                let rows = values.iter().enumerate();
                let mean = rows.map(|(row, x)| weight(row) * x).sum::<f64>() / total;
                let rows = values.iter().enumerate();
                rows.map(|(row, x)| weight(row).sqrt() * (x - mean))
                    .collect()
            };
            let raw: Vec<Vec<f64>> = (0..p).map(|_| (0..n).map(|_| draw()).collect()).collect();
            let x: Vec<f64> = raw.iter().flat_map(|own| centred(own.clone())).collect();
            let residual = centred(
                (0..n)
                    .map(|row| raw[3][row] * raw[150][row] + 0.3 * draw())
                    .collect(),
            );
            let sweep = PairSweep {
                x: &x,
                residual: &residual,
                weights: &weights,
                is_centred: true,
            };
            let wanted = |a: u32, b: u32| (a, b) != (3, 7) && a % 11 != 5;
            let found = sweep.strongest(40, wanted, || false);
            let mut expected = Vec::new();
            for b in 0..p as u32 {
                for a in (0..b).filter(|a| wanted(*a, b)) {
                    let unscaled =
                        |j: u32, row: usize| x[j as usize * n + row] / weight(row).sqrt();
                    let product = (0..n).map(|row| unscaled(a, row) * unscaled(b, row));
                    let product = centred(product.collect());
                    let e: f64 = product.iter().zip(&residual).map(|(x, r)| x * r).sum();
                    let norm: f64 = product.iter().map(|x| x * x).sum();
                    expected.push(PairGain {
                        columns: (a, b),
                        gain: e * e / norm,
                    });
                }
            }
            expected.sort_by(|a, b| b.gain.total_cmp(&a.gain));
            assert_eq!(found.len(), 40);
            assert_eq!(found[0].columns, (3, 150));
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.columns, expected.columns);
                assert!((found.gain / expected.gain - 1.0).abs() < 1e-9);
            }
            assert!(sweep.strongest(40, wanted, || true).is_empty());
        }
    }
}
