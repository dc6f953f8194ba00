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
    let mut most = simd.splat_f64s(0.0);
    for (((&e, &s), &open), out) in e.iter().zip(s).zip(open).zip(gains) {
        *out = gain(simd, e, s, open);
        most = simd.max_f64s(most, *out);
    }
    simd.reduce_max_f64s(most)
}

/// e²/s, 0 where the place is closed or the model explains it.
#[inline(always)]
fn gain<S: Simd>(simd: S, e: S::f64s, s: S::f64s, open: S::f64s) -> S::f64s {
    let (least, closed) = (simd.splat_f64s(LEAST), simd.splat_f64s(0.0));
    let ratio = simd.div_f64s(simd.mul_f64s(e, e), simd.max_f64s(s, least));
    let open = simd.select_f64s(simd.greater_than_f64s(s, least), open, closed);
    simd.mul_f64s(open, ratio)
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
    leaving: [f64; 2],
    gains: &mut [f64],
) -> f64 {
    let ((e, _), (s, _)) = (S::as_simd_f64s(e), S::as_simd_f64s(s));
    let ((open, _), (u, _)) = (S::as_simd_f64s(open), S::as_simd_f64s(u));
    let (gains, _) = S::as_mut_simd_f64s(gains);
    let [step, inverse] = leaving.map(|number| simd.splat_f64s(number));
    let mut most = simd.splat_f64s(0.0);
    let columns = e.iter().zip(s).zip(open.iter().zip(u)).zip(gains);
    for (((&e, &s), (&open, &u)), out) in columns {
        let e = simd.add_f64s(e, simd.mul_f64s(step, u));
        let s = simd.add_f64s(s, simd.mul_f64s(inverse, simd.mul_f64s(u, u)));
        *out = gain(simd, e, s, open);
        most = simd.max_f64s(most, *out);
    }
    simd.reduce_max_f64s(most)
}
