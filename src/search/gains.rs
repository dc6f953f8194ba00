//! The fall of RSS for each column of a pool: the hot loops of the tabu search.

use pulp::Simd;

use crate::vector::vectorised;

/// Least sⱼ by which a gain is judged; below it products have few digits left.
pub(super) const LEAST: f64 = 1e-8;

vectorised! {
    /// e²/s of every place, 0 where it is not open; the largest.
    pub(super) fn additions<'a>(
        e: &'a [f64],
        s: &'a [f64],
        open: &'a [f64],
        gains: &'a mut [f64],
    ) -> f64 = additions_body;
}

#[inline(always)]
fn additions_body<S: Simd>(simd: S, e: &[f64], s: &[f64], open: &[f64], gains: &mut [f64]) -> f64 {
    let ((e, _), (s, _)) = (S::as_simd_f64s(e), S::as_simd_f64s(s));
    let ((open, _), (gains, _)) = (S::as_simd_f64s(open), S::as_mut_simd_f64s(gains));
    let (least, closed) = (simd.splat_f64s(LEAST), simd.splat_f64s(0.0));
    let mut most = simd.splat_f64s(0.0);
    for (((&e, &s), &open), gain) in e.iter().zip(s).zip(open).zip(gains) {
        let ratio = simd.div_f64s(simd.mul_f64s(e, e), simd.max_f64s(s, least));
        // What the model explains is closed.
        let open = simd.select_f64s(simd.greater_than_f64s(s, least), open, closed);
        *gain = simd.mul_f64s(open, ratio);
        most = simd.max_f64s(most, *gain);
    }
    simd.reduce_max_f64s(most)
}

vectorised! {
    /// e'²/s' of every place once a position has left, whose row of U is `u`;
    /// 0 where it is not open; the largest. `leaving` is (β̂/g, 1/g).
    pub(super) fn exchanges<'a>(
        e: &'a [f64],
        s: &'a [f64],
        open: &'a [f64],
        u: &'a [f64],
        leaving: [f64; 2],
        gains: &'a mut [f64],
    ) -> f64 = exchanges_body;
}

#[inline(always)]
fn exchanges_body<S: Simd>(
    simd: S,
    e: &[f64],
    s: &[f64],
    open: &[f64],
    u: &[f64],
    [step, inverse]: [f64; 2],
    gains: &mut [f64],
) -> f64 {
    let ((e, _), (s, _)) = (S::as_simd_f64s(e), S::as_simd_f64s(s));
    let ((open, _), (u, _)) = (S::as_simd_f64s(open), S::as_simd_f64s(u));
    let (gains, _) = S::as_mut_simd_f64s(gains);
    let (step, inverse) = (simd.splat_f64s(step), simd.splat_f64s(inverse));
    let (least, closed) = (simd.splat_f64s(LEAST), simd.splat_f64s(0.0));
    let mut most = simd.splat_f64s(0.0);
    let columns = e.iter().zip(s).zip(open.iter().zip(u)).zip(gains);
    for (((&e, &s), (&open, &u)), gain) in columns {
        let e = simd.add_f64s(e, simd.mul_f64s(step, u));
        let s = simd.add_f64s(s, simd.mul_f64s(inverse, simd.mul_f64s(u, u)));
        let ratio = simd.div_f64s(simd.mul_f64s(e, e), simd.max_f64s(s, least));
        // What the model explains is closed.
        let open = simd.select_f64s(simd.greater_than_f64s(s, least), open, closed);
        *gain = simd.mul_f64s(open, ratio);
        most = simd.max_f64s(most, *gain);
    }
    simd.reduce_max_f64s(most)
}
