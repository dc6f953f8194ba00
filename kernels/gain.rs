//! The exact gain of candidates: the fall in RSS if a column joined.
//!
//! ```text
//! gain(x) = (zᵀr)² / ‖z‖²     z = x − X_A·(least squares of x on X_A)
//!         = (xᵀr)² / (1 − ‖Qᵀx‖²)
//! ```
//!
//! 0 for a column whose ‖z‖ is below 10⁻⁷. The second form screens by one product with
//! [r, Q], the first decides.
//!
//! *Shapes*: `all` as in [`crate::least_squares`]; `which` the models of a batch; columns
//! column-major, those at hand `from` … `from + rows`. A model's products are rows × (k + 1),
//! column-major: xᵀr, then Qᵀx; under weights Q has a vector more, that of an intercept, and
//! `squares`, rows numbers, are xᵀWx: null where all are 1. `list` entries are the model's place in the batch · 2³² + the
//! column, unordered; `listed` counts them, past `capacity` too: then the list is not whole.
//!
//! *Launch*, in this order:
//!
//! | function | grid | block | what |
//! | --- | --- | --- | --- |
//! | `orthonormal` | (any, any, models ≤ 65,535) | any (256) | [r, Q] of each model to `out + offsets[model]`, n·(k + 1) numbers |
//! | | | | `out`ᵀ · columns by a library |
//! | `bounds` | any | any (256) | of one model, Q of `vectors`: `upper`, rows numbers, −∞ in the support; `most`, 0 before the first columns, raised to the largest lower bound |
//! | `collect_gains` | any | any (256) | of one model: lists `model` and the columns whose upper bound reaches `most` |
//! | `gain` | any, a block an entry at a time | 512 | `scores[at]` of each entry whose column is among the `count` from `from` |
//!
//! `columns` of `gain` begins with column `from`. `bounds` takes `off`, which bounds the error
//! of a product with r (2·n·eps·‖r‖), and `error`, that of 1 − ‖Qᵀx‖² (16·(k + 1)·n·eps).
//! No shared memory but that of [`crate::least_squares`], in `gain`; its `rest` is n numbers
//! (and `spare` 3·capacity) a block. Where columns come in blocks, `collect_gains` may run
//! before the last has raised `most`: it then lists more than it must.

use crate::{
    Kernel,
    least_squares::{self, PIVOT, pivot},
};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "gain",
    source!("least_squares.cuh", "gain.cu"),
    &["orthonormal", "gain", "bounds", "collect_gains"],
);

/// The gain of every column, by fitting the model with it; 0 where it may not join or is
/// there already.
///
/// ```
/// // y = 3·x0 + x1, orthonormal columns.
/// let columns = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
/// let gains = passel_kernels::gain::reference(&columns, &[3.0, 1.0, 2.0], &[1]);
/// assert_eq!(gains, [9.0, 0.0]);
/// ```
pub fn reference(columns: &[f64], y: &[f64], support: &[u32]) -> Vec<f64> {
    let n = y.len();
    let rss = least_squares::reference(columns, y, support).rss;
    let gain = |x: u32| {
        if support.contains(&x) || pivot(columns, n, support, x) < PIVOT {
            return 0.0;
        }
        rss - least_squares::reference(columns, y, &[support, &[x]].concat()).rss
    };
    (0..(columns.len() / n) as u32).map(gain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::least_squares::{dot, square, tests::problem};

    #[test]
    fn a_gain_is_its_formula() {
        let (x, y) = problem(45, 20, 21);
        let support = [3, 17, 8];
        let fit = least_squares::reference(&x, &y, &support);
        for (j, gain) in (0..).zip(reference(&x, &y, &support)) {
            if support.contains(&j) {
                assert_eq!(gain, 0.0);
                continue;
            }
            let column = &x[j as usize * 45..][..45];
            let z = least_squares::reference(&x, column, &support).residual;
            let formula = dot(&z, &fit.residual).powi(2) / square(&z);
            assert!((gain - formula).abs() < 1e-14, "{j}");
            assert!(gain >= -1e-15 && gain <= fit.rss);
        }
    }

    #[test]
    fn a_mirror_image_gains_the_same_and_nothing_beside_its_image() {
        let (mut x, y) = problem(30, 5, 22);
        let mirrored: Vec<f64> = x.iter().map(|v| -v).collect();
        x.extend(mirrored);
        let gains = reference(&x, &y, &[2]);
        for j in [0, 1, 3, 4] {
            assert!((gains[j] - gains[j + 5]).abs() < 1e-15);
        }
        assert_eq!(gains[7], 0.0);
    }
}
