//! Vector loops of the CPU, compiled for several instruction sets, of which one is chosen at run
//! time.
//!
//! Sums run over [`LANES`] partial sums that are added up in a fixed tree, and no multiplication is
//! fused with an addition, so a result has the same bits on every CPU, for any vector width, on any
//! thread.

use pulp::Simd;

/// Number of partial sums of a dot product.
const LANES: usize = 32;

/// Declares `name` as `body` compiled for the widest vectors this CPU has.
///
/// `body` takes the instruction set as its first argument. It and the hot functions that it calls
/// must be `#[inline(always)]`, because only inlined code is compiled for that set.
macro_rules! vectorised {
    ($(#[$meta:meta])* $vis:vis fn $name:ident<$life:lifetime>(
        $($argument:ident: $type:ty),* $(,)?
    ) -> $output:ty = $body:path;) => {
        $(#[$meta])*
        $vis fn $name<$life>($($argument: $type),*) -> $output {
            struct Call<$life> { $($argument: $type),* }
            impl<$life> pulp::WithSimd for Call<$life> {
                type Output = $output;
                #[inline(always)]
                fn with_simd<S: pulp::Simd>(self, simd: S) -> $output {
                    $body(simd, $(self.$argument),*)
                }
            }
            pulp::Arch::new().dispatch(Call { $($argument),* })
        }
    };
}
pub(crate) use vectorised;

vectorised! {
    /// aᵀb, outside of vectorised functions; inside them use [`dot`], which has the same bits.
    pub(crate) fn product<'a>(a: &'a [f64], b: &'a [f64]) -> f64 = dot;
}

vectorised! {
    /// Σ wx², summed in the fixed order.
    pub(crate) fn weighted_square<'a>(x: &'a [f64], weights: &'a [f64]) -> f64 = weighted_square_body;
}

#[inline(always)]
fn weighted_square_body<S: Simd>(simd: S, x: &[f64], weights: &[f64]) -> f64 {
    let (x, x_rest) = x.as_chunks::<LANES>();
    let (w, w_rest) = weights.as_chunks::<LANES>();
    let mut sums = [simd.splat_f64s(0.0); LANES];
    let mut add = |x: &[f64; LANES], w: &[f64; LANES]| {
        let ((x, _), (w, _)) = (S::as_simd_f64s(x), S::as_simd_f64s(w));
        for v in 0..LANES / S::F64_LANES {
            let square = simd.mul_f64s(x[v], x[v]);
            sums[v] = simd.add_f64s(sums[v], simd.mul_f64s(w[v], square));
        }
    };
    for (x, w) in x.iter().zip(w) {
        add(x, w);
    }
    if !x_rest.is_empty() {
        let (mut x, mut w) = ([0.0; LANES], [0.0; LANES]);
        x[..x_rest.len()].copy_from_slice(x_rest);
        w[..w_rest.len()].copy_from_slice(w_rest);
        add(&x, &w);
    }
    tree(simd, sums)
}

/// aᵀb, summed in the fixed order, inside a vectorised function.
#[inline(always)]
pub(crate) fn dot<S: Simd>(simd: S, a: &[f64], b: &[f64]) -> f64 {
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    // LANES / F64_LANES of these vectors are used.
    let mut sums = [simd.splat_f64s(0.0); LANES];
    let mut add = |a: &[f64; LANES], b: &[f64; LANES]| {
        let ((a, _), (b, _)) = (S::as_simd_f64s(a), S::as_simd_f64s(b));
        for v in 0..LANES / S::F64_LANES {
            sums[v] = simd.add_f64s(sums[v], simd.mul_f64s(a[v], b[v]));
        }
    };
    for (a, b) in a.iter().zip(b) {
        add(a, b);
    }
    if !a_rest.is_empty() {
        let (mut a, mut b) = ([0.0; LANES], [0.0; LANES]);
        a[..a_rest.len()].copy_from_slice(a_rest);
        b[..b_rest.len()].copy_from_slice(b_rest);
        add(&a, &b);
    }
    tree(simd, sums)
}

/// The sum of the numbers of the first LANES / F64_LANES vectors, in a fixed order.
#[inline(always)]
fn tree<S: Simd>(_simd: S, sums: [S::f64s; LANES]) -> f64 {
    let mut lanes = [0.0; LANES];
    for (lanes, sum) in S::as_mut_simd_f64s(&mut lanes).0.iter_mut().zip(sums) {
        *lanes = sum;
    }
    sum_lanes(lanes)
}

/// The sum of some partial sums, a power of two of them, in a fixed order.
#[inline(always)]
pub(crate) fn sum_lanes<const N: usize>(mut lanes: [f64; N]) -> f64 {
    let mut width = N / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] += lanes[lane + width];
        }
        width /= 2;
    }
    lanes[0]
}

/// aᵀb for each of four b, with the bits of [`dot`].
#[inline(always)]
pub(crate) fn dots<S: Simd>(simd: S, a: &[f64], b: [&[f64]; 4]) -> [f64; 4] {
    // With fewer registers the sums of four would not stay there.
    if S::F64_LANES < 8 {
        return [
            dot(simd, a, b[0]),
            dot(simd, a, b[1]),
            dot(simd, a, b[2]),
            dot(simd, a, b[3]),
        ];
    }
    let (a, a_rest) = a.as_chunks::<LANES>();
    let zero = [simd.splat_f64s(0.0); LANES];
    let mut sums = [zero, zero, zero, zero];
    for (at, a) in a.iter().enumerate() {
        let (a, _) = S::as_simd_f64s(a);
        for of in 0..4 {
            let (b, _) = S::as_simd_f64s(&b[of][at * LANES..][..LANES]);
            for v in 0..LANES / S::F64_LANES {
                sums[of][v] = simd.add_f64s(sums[of][v], simd.mul_f64s(a[v], b[v]));
            }
        }
    }
    let mut products = [0.0; 4];
    for of in 0..4 {
        let rest = &b[of][a.len() * LANES..];
        if !rest.is_empty() {
            let (mut a, mut b) = ([0.0; LANES], [0.0; LANES]);
            a[..rest.len()].copy_from_slice(a_rest);
            b[..rest.len()].copy_from_slice(rest);
            let ((a, _), (b, _)) = (S::as_simd_f64s(&a), S::as_simd_f64s(&b));
            for v in 0..LANES / S::F64_LANES {
                sums[of][v] = simd.add_f64s(sums[of][v], simd.mul_f64s(a[v], b[v]));
            }
        }
        products[of] = tree(simd, sums[of]);
    }
    products
}

/// Takes out of a vector its part along orthonormal ones, and makes the rest a unit vector; its norm before.
pub(crate) fn orthonormalise(vector: &mut [f64], units: &[Vec<f64>]) -> f64 {
    // Twice is enough.
    for unit in units.iter().chain(units) {
        add_scaled(vector, -product(unit, vector), unit);
    }
    let norm = product(vector, vector).sqrt();
    vector.iter_mut().for_each(|value| *value /= norm);
    norm
}

/// y ← y + a·x.
#[inline(always)]
pub(crate) fn add_scaled(y: &mut [f64], a: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// The squared norms of the k rows of an upper triangular matrix that is packed by columns.
pub(crate) fn packed_row_squares(packed: &[f64], k: usize) -> Vec<f64> {
    let mut squares = vec![0.0; k];
    for column in packed_columns(packed) {
        for (sum, t) in squares.iter_mut().zip(column) {
            *sum += t * t;
        }
    }
    squares
}

/// The columns of an upper triangular matrix that is packed by columns: 1, 2, 3, … entries.
#[inline(always)]
pub(crate) fn packed_columns(packed: &[f64]) -> impl Iterator<Item = &[f64]> {
    let mut rest = packed;
    (1..).map_while(move |length| {
        let (column, after) = rest.split_at_checked(length)?;
        rest = after;
        Some(column)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dot_is_the_sum_of_products_for_every_length() {
        for n in 0..100 {
            let a: Vec<f64> = (0..n).map(|i| f64::from(i) - 3.5).collect();
            let b: Vec<f64> = (0..n).map(|i| f64::from(i * i % 17)).collect();
            let plain: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            // For small multiples of a half every order of summation is exact.
            assert_eq!(product(&a, &b), plain);
        }
    }
}
