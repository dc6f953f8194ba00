//! The few vector loops of the CPU, compiled for every instruction set and
//! chosen once at run time.
//!
//! Sums run over [`LANES`] partial sums that are added up in a fixed tree, and
//! no multiplication is fused with an addition, so a result has the same bits
//! on every CPU, with any vector width, on any thread.

/// Partial sums of a dot product.
const LANES: usize = 16;

/// Runs `f` compiled for the widest vectors this CPU has. Everything `f` calls
/// must be `#[inline(always)]` to be compiled with it.
#[inline(always)]
pub(crate) fn vectorised<R>(f: impl FnOnce() -> R) -> R {
    /// A closure, as the trait pulp wants.
    struct Call<F>(F);
    impl<R, F: FnOnce() -> R> pulp::NullaryFnOnce for Call<F> {
        type Output = R;
        #[inline(always)]
        fn call(self) -> R {
            (self.0)()
        }
    }
    pulp::Arch::new().dispatch(Call(f))
}

/// aᵀb in the fixed order.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    for (lane, (a, b)) in a_rest.iter().zip(b_rest).enumerate() {
        sums[lane] += a * b;
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

/// y ← y + a·x.
#[inline(always)]
pub(crate) fn add_scaled(y: &mut [f64], a: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// The columns of a packed upper triangle: 1, 2, 3, … entries.
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
            // Small multiples of a half: every order of summation is exact.
            assert_eq!(vectorised(|| dot(&a, &b)), plain);
        }
    }
}
