//! A term of several columns enters a fit: they are projected on the support together, then on one another.

use std::ops::Range;

use pulp::Simd;

use super::{
    Fit, PIVOT_TOLERANCE,
    column::{self, Entered, append},
};
use crate::{
    design::Columns,
    vector::{add_scaled, dot, dots, packed_columns, vectorised},
};

/// Square of what a projection leaves of a unit column above which it need not be repeated.
const ENOUGH: f64 = 0.5;

/// Share of a column's rest that the block must leave; below it the column is projected anew, beside all before.
const KEPT: f64 = 0.01;

/// Columns that are projected at a time.
const FOUR: usize = 4;

/// A column that joins: x − X_A·u, where A has the columns of the block that joined before.
struct Joining {
    rest: Vec<f64>,
    square: f64,
    u: Vec<f64>,
}

vectorised! {
    /// Adds those of some columns that the support and the columns before do not explain.
    pub(super) fn add_block<'a>(fit: &'a mut Fit, x: Columns<'a>, columns: Range<u32>) -> Entered = add_body;
}

#[inline(always)]
fn add_body<S: Simd>(simd: S, fit: &mut Fit, x: Columns, columns: Range<u32>) -> Entered {
    let k = fit.support.len();
    let joining = |j: u32| Joining {
        rest: x.column(j).to_vec(),
        square: 0.0,
        u: vec![0.0; k],
    };
    let mut block: Vec<Joining> = columns.clone().map(joining).collect();
    // "Twice is enough", and once where much is left.
    for _ in 0..if k == 0 { 0 } else { 2 } {
        project(simd, fit, x, &mut block);
    }
    let mut entered = Entered::default();
    // Those that joined: their places in the block.
    let mut before: Vec<usize> = Vec::with_capacity(block.len());
    for (at, j) in columns.enumerate() {
        let (done, rest) = block.split_at_mut(at);
        let own = &mut rest[0];
        own.u.resize(k + before.len(), 0.0);
        let left = if k == 0 { 1.0 } else { own.square };
        for (position, other) in before.iter().chain(&before).enumerate() {
            let other = &done[*other];
            let share = dot(simd, &other.rest, &own.rest) / other.square;
            add_scaled(&mut own.rest, -share, &other.rest);
            add_scaled(&mut own.u, -share, &other.u);
            own.u[k + position % before.len()] += share;
        }
        own.square = dot(simd, &own.rest, &own.rest);
        if own.square <= KEPT * left {
            // What is left would have the rounding errors of what was taken.
            column::project(simd, fit, x, j);
            own.rest.copy_from_slice(&fit.scratch.unexplained);
            own.u.copy_from_slice(&fit.scratch.explained);
            own.square = dot(simd, &own.rest, &own.rest);
        }
        let pivot = own.square.sqrt();
        if entered.note(pivot, PIVOT_TOLERANCE) {
            append(simd, fit, j, pivot, (&own.rest, &own.u));
            before.push(at);
        }
    }
    entered
}

/// Takes out of the columns, as far as it is worth it, what the support explains.
#[inline(always)]
fn project<S: Simd>(simd: S, fit: &mut Fit, x: Columns, block: &mut [Joining]) {
    let k = fit.support.len();
    let support: Vec<&[f64]> = fit.support.iter().map(|a| x.column(*a)).collect();
    let open = block.iter_mut().filter(|joining| joining.square <= ENOUGH);
    let mut open: Vec<&mut Joining> = open.collect();
    // Four at a time, so that each column of the support is read once for them.
    for block in open.chunks_mut(FOUR) {
        let mut shares = vec![0.0; FOUR * k];
        match &mut *block {
            [a, b, c, d] => {
                let rests = [&*a.rest, &*b.rest, &*c.rest, &*d.rest];
                for (i, column) in support.iter().enumerate() {
                    for (own, product) in dots(simd, column, rests).into_iter().enumerate() {
                        shares[own * k + i] = product;
                    }
                }
            }
            few => {
                for (joining, shares) in few.iter().zip(shares.chunks_mut(k)) {
                    for (share, column) in shares.iter_mut().zip(&support) {
                        *share = dot(simd, column, &joining.rest);
                    }
                }
            }
        }
        let pass = &mut fit.scratch.pass;
        for (joining, g) in block.iter_mut().zip(shares.chunks_mut(k)) {
            pass.clear();
            pass.resize(k, 0.0);
            for t in packed_columns(&fit.inverse) {
                let q = dot(simd, t, &g[..t.len()]);
                add_scaled(pass, q, t);
            }
            add_scaled(&mut joining.u, 1.0, pass);
            g.copy_from_slice(pass);
        }
        match &mut *block {
            [a, b, c, d] => {
                let rests: [&mut [f64]; FOUR] =
                    [&mut a.rest, &mut b.rest, &mut c.rest, &mut d.rest];
                subtract(simd, &support, &shares, rests);
            }
            few => {
                for (joining, shares) in few.iter_mut().zip(shares.chunks(k)) {
                    for (share, column) in shares.iter().zip(&support) {
                        add_scaled(&mut joining.rest, -share, column);
                    }
                }
            }
        }
        for joining in block {
            joining.square = dot(simd, &joining.rest, &joining.rest);
        }
    }
}

/// Takes from each of four vectors its combination of columns, whose shares lie vector after vector.
#[inline(always)]
fn subtract<S: Simd>(simd: S, columns: &[&[f64]], shares: &[f64], rests: [&mut [f64]; FOUR]) {
    let (k, n) = (columns.len(), rests[0].len());
    let whole = n / S::F64_LANES;
    let [a, b, c, d] = rests;
    let ((a, a_tail), (b, b_tail)) = (S::as_mut_simd_f64s(a), S::as_mut_simd_f64s(b));
    let ((c, c_tail), (d, d_tail)) = (S::as_mut_simd_f64s(c), S::as_mut_simd_f64s(d));
    // Two vectors of each stay in registers while all columns pass.
    for first in (0..whole).step_by(2) {
        let last = (first + 1).min(whole - 1);
        let mut own = [
            [a[first], a[last]],
            [b[first], b[last]],
            [c[first], c[last]],
            [d[first], d[last]],
        ];
        for (i, column) in columns.iter().enumerate() {
            let column = S::as_simd_f64s(column).0;
            let x = [column[first], column[last]];
            for of in 0..FOUR {
                let share = simd.splat_f64s(shares[of * k + i]);
                for v in 0..2 {
                    own[of][v] = simd.sub_f64s(own[of][v], simd.mul_f64s(share, x[v]));
                }
            }
        }
        [a[first], a[last]] = own[0];
        [b[first], b[last]] = own[1];
        [c[first], c[last]] = own[2];
        [d[first], d[last]] = own[3];
    }
    for (of, tail) in [a_tail, b_tail, c_tail, d_tail].into_iter().enumerate() {
        for (i, column) in columns.iter().enumerate() {
            add_scaled(tail, -shares[of * k + i], S::as_simd_f64s(column).1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{design::Terms, random::Stream, vector::product};

    /// Powers of numbers far from 0 nearly explain one another; each further term has the errors of those before.
    #[test]
    fn columns_that_nearly_explain_one_another_leave_an_orthonormal_factor() {
        let (n, powers, variables) = (300, 3, 4);
        let mut stream = Stream::new(12, 0);
        let mut draw = || (stream.next_word() >> 11) as f64 / (1u64 << 53) as f64;
        let unit = |mut column: Vec<f64>| {
            let mean = column.iter().sum::<f64>() / n as f64;
            column.iter_mut().for_each(|x| *x -= mean);
            let norm = product(&column, &column).sqrt();
            column.into_iter().map(move |x| x / norm)
        };
        for (width, pivot, error) in [(1.0, 1e-3, 1e-10), (0.06, 1e-6, 1e-8)] {
            let mut x = Vec::new();
            for _ in 0..variables {
                let own: Vec<f64> = (0..n).map(|_| 10.0 + width * draw()).collect();
                for power in 1..=powers {
                    x.extend(unit(own.iter().map(|x| x.powi(power)).collect()));
                }
            }
            let y: Vec<f64> = unit((0..n).map(|_| draw()).collect()).collect();
            let terms = Terms::of_widths(&x, n, &[powers as usize; 4]).unwrap();
            let x = Columns::new(&x, n).with_terms(Some(&terms));
            let (fit, smallest) = Fit::of(x, &y, &[0, 1, 2, 3]);
            assert!(!fit.is_partial() && smallest < pivot, "{smallest}");
            let q: Vec<Vec<f64>> = packed_columns(fit.inverse())
                .map(|t| {
                    let mut q = vec![0.0; n];
                    for (t, column) in t.iter().zip(fit.support()) {
                        add_scaled(&mut q, *t, x.column(*column));
                    }
                    q
                })
                .collect();
            for (a, one) in q.iter().enumerate() {
                for (b, other) in q.iter().enumerate().take(a + 1) {
                    let off = product(one, other) - f64::from(a == b);
                    assert!(off.abs() < error, "{width}: {a} {b} {off}");
                }
            }
        }
    }
}
