//! XᵀA for a block of columns: faer's product, or dots side by side where few
//! anchors would not pay for its packing.

use faer::{Accum, MatMut, MatRef, Par, linalg::matmul::matmul};
use pulp::{Simd, WithSimd};

use super::Columns;

/// Anchors from which faer is faster: it copies X into its own order first,
/// which costs as much as some twenty anchors. Measured, docs/performance.md.
const MANY: usize = 32;

/// Observations taken at a time, so that columns and anchors stay in the cache.
const DEPTH: usize = 1024;

/// Columns and anchors whose products are summed in registers together.
const WIDE: usize = 4;
const DEEP: usize = 3;

/// out (rows × m, column-major) ← the products of columns `first …` of X with
/// m anchors (n × m, column-major). Screens only: how it rounds is its own.
pub(crate) fn products(x: Columns, first: usize, anchors: &[f64], out: &mut [f64]) {
    let n = x.n();
    let m = anchors.len() / n;
    let rows = out.len() / m;
    let columns = &x.values()[first * n..][..rows * n];
    if m < MANY {
        pulp::Arch::new().dispatch(Dots {
            n,
            columns,
            anchors,
            out,
        });
    } else {
        matmul(
            MatMut::from_column_major_slice_mut(out, rows, m),
            Accum::Replace,
            MatRef::from_column_major_slice(columns, n, rows).transpose(),
            MatRef::from_column_major_slice(anchors, n, m),
            1.0,
            Par::Seq,
        );
    }
}

/// Every column with every anchor, WIDE × DEEP dots at a time.
struct Dots<'a> {
    n: usize,
    columns: &'a [f64],
    anchors: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Dots<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let n = self.n;
        let (rows, m) = (self.columns.len() / n, self.anchors.len() / n);
        self.out.fill(0.0);
        for start in (0..n).step_by(DEPTH) {
            let depth = DEPTH.min(n - start);
            let part = |values: &'_ [f64], j: usize| -> std::ops::Range<usize> {
                let at = j.min(values.len() / n - 1) * n + start;
                at..at + depth
            };
            for j in (0..rows).step_by(WIDE) {
                // Past the last column the last is taken again, and its
                // products are thrown away: one kernel serves every size.
                let x: [&[f64]; WIDE] =
                    std::array::from_fn(|i| &self.columns[part(self.columns, j + i)]);
                for a in (0..m).step_by(DEEP) {
                    let r: [&[f64]; DEEP] =
                        std::array::from_fn(|i| &self.anchors[part(self.anchors, a + i)]);
                    let sums = dots(simd, x, r);
                    for (i, sums) in sums.iter().enumerate().take(rows - j) {
                        for (l, sum) in sums.iter().enumerate().take(m - a) {
                            self.out[(a + l) * rows + j + i] += sum;
                        }
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn dots<S: Simd>(simd: S, x: [&[f64]; WIDE], r: [&[f64]; DEEP]) -> [[f64; DEEP]; WIDE] {
    let mut sums = [[simd.splat_f64s(0.0); DEEP]; WIDE];
    let (x, x_rest) = split::<S, WIDE>(x);
    let (r, r_rest) = split::<S, DEEP>(r);
    // Iterators instead of indices: no bounds checks between the sums.
    let [x0, x1, x2, x3] = x;
    let [r0, r1, r2] = r;
    let x = x0.iter().zip(x1).zip(x2.iter().zip(x3));
    for (((x0, x1), (x2, x3)), ((r0, r1), r2)) in x.zip(r0.iter().zip(r1).zip(r2)) {
        let (x, r) = ([*x0, *x1, *x2, *x3], [*r0, *r1, *r2]);
        for i in 0..WIDE {
            for l in 0..DEEP {
                sums[i][l] = simd.mul_add_e_f64s(x[i], r[l], sums[i][l]);
            }
        }
    }
    let mut out = [[0.0; DEEP]; WIDE];
    for i in 0..WIDE {
        for l in 0..DEEP {
            out[i][l] = simd.reduce_sum_f64s(sums[i][l]);
            for (x, r) in x_rest[i].iter().zip(r_rest[l]) {
                out[i][l] += x * r;
            }
        }
    }
    out
}

/// Vectors and leftover of some slices, all cut to the first's length.
#[inline(always)]
fn split<S: Simd, const N: usize>(slices: [&[f64]; N]) -> ([&[S::f64s]; N], [&[f64]; N]) {
    let length = slices[0].len() / S::F64_LANES;
    let both = slices.map(|slice| {
        let (vectors, rest) = S::as_simd_f64s(slice);
        (&vectors[..length], rest)
    });
    (both.map(|(vectors, _)| vectors), both.map(|(_, rest)| rest))
}
