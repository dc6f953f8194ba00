//! The candidates that a product cannot tell from the strongest.
//!
//! ```text
//! strongest = the lowest i outside the support with |xᵢᵀr| ≥ maxⱼ |xⱼᵀr| − 2·n·eps·‖r‖
//! ```
//!
//! *Shapes*: e = XᵀR of `rows` columns from `from` and the batch's m models, rows × m,
//! column-major, f64 or f32. Of the batch: `residuals` n × m, `rss` m, `members` the
//! variables of one model after another (u32), those of model i from `offsets[i]` (u64,
//! m + 1 of them) on. Entries of lists are the model's place in the batch · 2³² + the column,
//! unordered; `listed` counts them, past `places` too: then the list is not whole.
//! `counters`, three u64 that are 0 before the first columns, begin with `listed`; `answers`,
//! which may lie in the host's memory, is 2 + 2·`answer_places` u64: how many were listed, how
//! many are near still, then entry and score of each.
//!
//! *Launch*, in this order, `_f64` or `_f32` by the type of e:
//!
//! | function | grid | block | what |
//! | --- | --- | --- | --- |
//! | `narrow` | any | any (256) | X or R to f32, `count` numbers |
//! | | | | e = XᵀR by a library |
//! | `near` | (⌈rows/4096⌉, m ≤ 65,535) | 256 | raises `most`, m u64, 0 before the first columns, to the bits of the largest abs(e) outside each support; lists what is within `off`·‖r‖ of it so far |
//! | `score` | any, a block an entry at a time | 512 | of each entry that is near the largest still, and whose column is among the `count` from `from`: abs(xᵀr) in a fixed order, to `answers` |
//!
//! `off` is twice what an entry of e may be wrong by, plus the tie, over ‖r‖: 4·n·eps for
//! f64; for f32 twice (n + 3)·2⁻²⁴ and the tie; for tf32, whose factors are cut to 11 bits
//! and whose sums may be cut too, twice 2⁻⁹ + (n + 3)·2⁻²³ and the tie.
//! `score_genotypes` is `score` of genotypes at two bits ([`crate::genotypes`]). `columns` of `score` begins with column `from`. A block of `near` may run before another
//! has raised `most`, and columns may come in blocks: both lists then hold more than they
//! must. Where every e is 0 all are listed. No dynamic shared memory; sums do not depend on the grid.

use crate::{
    Kernel,
    least_squares::{dot, square},
};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "strongest",
    source!("strongest.cu"),
    &["near_f64", "near_f32", "score", "score_genotypes", "narrow"],
);

/// The strongest column outside a support; none where no column is left.
///
/// ```
/// // Columns 1 and 2 are mirror images: the lower wins.
/// let columns = [1.0, 0.0, 0.6, 0.8, -0.6, -0.8];
/// let strongest = passel_kernels::strongest::reference;
/// assert_eq!(strongest(&columns, &[0.0, 1.0], &[]), Some(1));
/// assert_eq!(strongest(&columns, &[0.0, 1.0], &[1, 2]), Some(0));
/// ```
pub fn reference(columns: &[f64], residual: &[f64], support: &[u32]) -> Option<u32> {
    let n = residual.len();
    let outside = (0..).zip(columns.chunks(n));
    let outside = outside.filter(|(j, _)| !support.contains(j));
    let scores: Vec<(u32, f64)> = outside.map(|(j, x)| (j, dot(x, residual).abs())).collect();
    let most = scores
        .iter()
        .fold(0.0, |most: f64, score| most.max(score.1));
    let tie = 2.0 * n as f64 * f64::EPSILON * square(residual).sqrt();
    let equal = scores.iter().find(|score| score.1 >= most - tie);
    equal.map(|score| score.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        gain,
        least_squares::{self, tests::problem},
    };

    #[test]
    fn beside_nothing_the_strongest_gains_most() {
        for seed in 31..36 {
            let (x, y) = problem(40, 25, seed);
            // Unit columns: the gain of the first variable is (xᵀy)².
            let gains = gain::reference(&x, &y, &[]);
            let most = (0..25).max_by(|a, b| gains[*a].total_cmp(&gains[*b]));
            assert_eq!(reference(&x, &y, &[]), most.map(|column| column as u32));
        }
    }

    #[test]
    fn members_are_never_the_strongest() {
        let (x, y) = problem(30, 8, 36);
        let mut support = Vec::new();
        for _ in 0..8 {
            let fit = least_squares::reference(&x, &y, &support);
            let next = reference(&x, &fit.residual, &support);
            let next = next.into_iter().find(|column| !support.contains(column));
            support.extend(next);
        }
        assert_eq!(support.len(), 8);
        assert_eq!(reference(&x, &y, &support), None);
    }
}
