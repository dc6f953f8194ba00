//! What each column would do for a model by joining it, or by replacing a variable.
//!
//! With Q = X_A·T, W = Qᵀx and U = T·W for a column x outside:
//!
//! ```text
//! joining        RSS falls by e² / s            e = xᵀr, s = 1 − ‖W‖²
//! replacing i    RSS falls by e'² / s' − cᵢ     e' = e + β̂ᵢUᵢ/gᵢ, s' = s + Uᵢ²/gᵢ
//!                gᵢ = ((XᵀX)⁻¹)ᵢᵢ, cᵢ = β̂ᵢ²/gᵢ: what dropping i alone costs
//! ```
//!
//! Of columns under weights Q has that of an intercept before those of the model's columns, and s begins with
//! xᵀWx in place of 1.
//!
//! *Shapes*, of one model and the `rows` columns from `from`: `products` rows × (`vectors` + 1),
//! column-major: e, then Qᵀx, the last k of them W; `squares` rows, xᵀWx, or null where all
//! are 1; `exchanged` rows × k: U; `places` three numbers a position,
//! β̂ᵢ/gᵢ, 1/gᵢ, cᵢ, the first NaN where it may not be replaced; `support` k columns.
//! `joining`, `replacing`, `place`: rows numbers each, the last the position of the best
//! exchange. Members have −∞; columns with s ≤ 10⁻¹⁰ have ∞: they are to be projected by
//! themselves. `groups`: 2 × 1,024 keys, by joining, then by replacing.
//!
//! *Launch*, in this order ([r, Q] from [`crate::gain`], both products by a library):
//!
//! | function | grid | block | what |
//! | --- | --- | --- | --- |
//! | `changes` | any | any (256) | the falls; `groups`, 0 before the first columns, raised to the largest of every 1,024th column |
//! | `threshold` | 2, a kind each | 1,024 | `least`, 2 numbers: the `count`-th largest of the groups, less 10⁻⁹ of it; −∞ where there are fewer |
//! | `collect` | any | any (256) | lists place · 2³² + column, and both falls, of what reaches either; unordered |
//!
//! 1 ≤ `count` ≤ 1,024. `falls` is two numbers an entry. `listed` counts entries, past
//! `capacity` too: then the list is not whole. Where columns come in blocks, `changes` and
//! `collect` run on each block with the groups so far: more is listed than must be. What is
//! listed holds the `count` largest of each kind and their equals, and more. 8 KiB of static
//! shared memory in `threshold`.

use crate::{
    Kernel,
    least_squares::{self, PIVOT, pivot},
};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "neighbours",
    source!("neighbours.cu"),
    &["changes", "threshold", "collect"],
);

/// What one column would do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReferenceChange {
    /// By how much RSS would fall if it joined; 0 where it is collinear.
    pub joining: f64,
    /// By how much with its best exchange, negative where RSS rises, and the position that
    /// it replaces; none where none is open to it.
    pub replacing: Option<(f64, usize)>,
}

/// What every column would do, by fitting every model one step away; none for members. Of
/// equal exchanges the lowest position.
///
/// ```
/// // y = 3·x0 + x1, orthonormal columns; the model has x1.
/// let columns = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
/// let changes = passel_kernels::neighbours::reference(&columns, &[3.0, 1.0, 2.0], &[1], &[]);
/// let change = changes[0].unwrap();
/// assert_eq!(change.joining, 9.0);
/// assert_eq!(change.replacing, Some((8.0, 0)));
/// assert!(changes[1].is_none());
/// ```
pub fn reference(
    columns: &[f64],
    y: &[f64],
    support: &[u32],
    keep: &[u32],
) -> Vec<Option<ReferenceChange>> {
    let n = y.len();
    let rss = |support: &[u32]| least_squares::reference(columns, y, support).rss;
    let before = rss(support);
    let with = |others: &[u32], x: u32| {
        let may = pivot(columns, n, others, x) >= PIVOT;
        may.then(|| before - rss(&[others, &[x]].concat()))
    };
    let change = |x: u32| {
        let mut replacing: Option<(f64, usize)> = None;
        for (i, leaves) in support.iter().enumerate() {
            let others = [&support[..i], &support[i + 1..]].concat();
            let open = !keep.contains(leaves);
            let fall = if open { with(&others, x) } else { None };
            if let Some(fall) = fall
                && replacing.is_none_or(|best| fall > best.0)
            {
                replacing = Some((fall, i));
            }
        }
        let joining = with(support, x).unwrap_or(0.0);
        ReferenceChange { joining, replacing }
    };
    (0..(columns.len() / n) as u32)
        .map(|x| (!support.contains(&x)).then(|| change(x)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        gain,
        least_squares::tests::problem,
        update::{self, Order},
    };

    #[test]
    fn joining_is_the_gain_and_replacing_a_drop_and_a_gain() {
        let (x, y) = problem(35, 14, 41);
        let (support, keep) = ([5, 12, 0, 7], [12]);
        let before = least_squares::reference(&x, &y, &support).rss;
        let gains = gain::reference(&x, &y, &support);
        for (j, change) in reference(&x, &y, &support, &keep).iter().enumerate() {
            let Some(change) = change else {
                assert!(support.contains(&(j as u32)));
                continue;
            };
            assert_eq!(change.joining, gains[j]);
            let mut best = f64::NEG_INFINITY;
            for leaves in support.into_iter().filter(|variable| *variable != 12) {
                let (left, fit) = update::reference(&x, &y, &support, &[], Order::Drop(leaves));
                let fall = gain::reference(&x, &y, &left)[j] - (fit.rss - before);
                best = best.max(fall);
            }
            let (fall, place) = change.replacing.unwrap_or((0.0, 1));
            assert!((fall - best).abs() < 1e-14, "{j}");
            assert_ne!(support[place], 12);
            // What replaces a variable does no more than what joins all.
            assert!(fall <= change.joining + 1e-15);
        }
    }

    #[test]
    fn a_mirror_image_replaces_its_image_at_no_cost() {
        let (mut x, y) = problem(20, 4, 42);
        let mirrored: Vec<f64> = x[20..40].iter().map(|v| -v).collect();
        x.extend(mirrored);
        let change = reference(&x, &y, &[1], &[])[4].unwrap_or(ReferenceChange {
            joining: 1.0,
            replacing: None,
        });
        assert_eq!(change.joining, 0.0);
        assert!(matches!(change.replacing, Some((fall, 0)) if fall.abs() < 1e-15));
        let kept = reference(&x, &y, &[1], &[1])[4];
        assert!(kept.is_some_and(|change| change.replacing.is_none()));
    }
}
