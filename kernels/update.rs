//! The fits of the swarm's models, one step on.
//!
//! ```text
//! add x         X_A → [X_A x], unless ‖x − X_A·u‖ < 10⁻⁷: x is collinear, nothing is done
//! drop i        X_A without column i; nothing is done where the model has it not
//! drop cheapest i = arg min β̂ᵢ² / ((X_AᵀX_A)⁻¹)ᵢᵢ, the least rise in RSS; of equals (to
//!               10⁻¹⁰ of it) the lowest variable, never a kept one
//! refactor      the same support anew, in ascending order
//! rebuild       the same, without the columns that those before them explain: their pivot is
//!               below 10⁻⁷
//! ```
//!
//! An addition projects x once, and once more where half of its square or less is left
//! ("twice is enough"); a drop rotates T's columns by Givens. Both are O(nk).
//!
//! *Shapes*: `all` as in [`crate::least_squares`]. `orders`, four u64 each: the model, the
//! kind ([`ADD`], …), the variable, and the address of its
//! column (for an addition, and then any column of n numbers on the device). `answers`, two u64
//! an order: the bits of RSS as f64, and the variable added or dropped, 2³² − 1 for none; of a model that is
//! rebuilt how many columns it has. Both may lie in the host's memory. Orders of terms come one after another:
//! their kind has 256 times the place of the model's next order added, 0 for none.
//!
//! *Launch*: one block of 256 or 512 threads a model, and what [`crate::least_squares`] says of
//! shared memory; `rest` n numbers (and `spare` 3·capacity) a block. A model has one block a launch.
//!
//! | function | orders |
//! | --- | --- |
//! | `update_256`, `_512` | one a model: add, drop, drop cheapest, refactor |
//! | `update_terms_256`, `_512` | several a model: add, drop, rebuild; the first of each are the first of all, in the order of the blocks |
//!
//! Sums have one order, whatever the position of a column and the size of
//! the grid: one model's fit has the same bits on every device of a kind.

use crate::{
    Kernel,
    least_squares::{self, PIVOT, ReferenceFit, pivot},
};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "update",
    source!("least_squares.cuh", "update.cu"),
    &[
        "update_256",
        "update_512",
        "update_terms_256",
        "update_terms_512",
    ],
);

/// Kinds of orders.
pub const ADD: u64 = 0;
/// See [`ADD`].
pub const DROP: u64 = 1;
/// See [`ADD`].
pub const DROP_CHEAPEST: u64 = 2;
/// See [`ADD`].
pub const REFACTOR: u64 = 3;
/// See [`ADD`].
pub const REBUILD: u64 = 4;

/// What is to be done to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Add a column.
    Add(u32),
    /// Drop a variable.
    Drop(u32),
    /// Drop the variable whose loss costs least.
    DropCheapest,
    /// Put the support in ascending order.
    Refactor,
    /// Put it in ascending order, without what the columns before explain.
    Rebuild,
}

/// What the kernel gives: the support after the order, and its fit, made anew. The cheapest
/// variable is found by trying every drop.
///
/// ```
/// use passel_kernels::update::{Order, reference};
/// // y = 3·x0 + x1, orthonormal columns.
/// let (columns, y) = ([1.0, 0.0, 0.0, 0.0, 1.0, 0.0], [3.0, 1.0, 0.0]);
/// let (support, fit) = reference(&columns, &y, &[1, 0], &[], Order::DropCheapest);
/// assert_eq!(support, [0]);
/// assert_eq!(fit.rss, 1.0);
/// let (support, _) = reference(&columns, &y, &[1, 0], &[1], Order::DropCheapest);
/// assert_eq!(support, [1]);
/// ```
///
/// # Panics
/// If a column is not there.
pub fn reference(
    columns: &[f64],
    y: &[f64],
    support: &[u32],
    keep: &[u32],
    order: Order,
) -> (Vec<u32>, ReferenceFit) {
    let without = |leaves: u32| -> Vec<u32> {
        let stay = support.iter().copied();
        stay.filter(|variable| *variable != leaves).collect()
    };
    let after = match order {
        Order::Add(x) if pivot(columns, y.len(), support, x) < PIVOT => support.to_vec(),
        Order::Add(x) => [support, &[x]].concat(),
        Order::Drop(x) => without(x),
        Order::DropCheapest => {
            let rss = least_squares::reference(columns, y, support).rss;
            let cost = |x| least_squares::reference(columns, y, &without(x)).rss - rss;
            let free = support.iter().filter(|variable| !keep.contains(variable));
            let costs: Vec<(u32, f64)> = free.map(|&x| (x, cost(x))).collect();
            let least = costs
                .iter()
                .fold(f64::INFINITY, |least, cost| least.min(cost.1));
            // What refitting may be off by, beside the tie.
            let tie = 1e-10 * least + 16.0 * y.len() as f64 * f64::EPSILON * rss;
            let cheapest = costs.iter().filter(|cost| cost.1 <= least + tie);
            match cheapest.map(|cost| cost.0).min() {
                Some(x) => without(x),
                None => support.to_vec(),
            }
        }
        Order::Refactor => {
            let mut ascending = support.to_vec();
            ascending.sort_unstable();
            ascending
        }
        Order::Rebuild => {
            let mut ascending = support.to_vec();
            ascending.sort_unstable();
            let independent = |mut before: Vec<u32>, x: u32| {
                if pivot(columns, y.len(), &before, x) >= PIVOT {
                    before.push(x);
                }
                before
            };
            ascending.into_iter().fold(Vec::new(), independent)
        }
    };
    let fit = least_squares::reference(columns, y, &after);
    (after, fit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{gain, least_squares::tests::problem};

    #[test]
    fn what_is_added_and_dropped_leaves_the_fit_as_it_was() {
        let (x, y) = problem(50, 12, 11);
        let support = [7, 2, 9];
        let (with, fit) = reference(&x, &y, &support, &[], Order::Add(4));
        assert_eq!(with, [7, 2, 9, 4]);
        let before = least_squares::reference(&x, &y, &support);
        assert!(fit.rss < before.rss);
        let (back, again) = reference(&x, &y, &with, &[], Order::Drop(4));
        assert_eq!((back.as_slice(), again), (&support[..], before));
    }

    #[test]
    fn the_cheapest_drop_has_the_least_rss_of_all() {
        let (x, y) = problem(60, 10, 12);
        let support = [9, 1, 4, 3, 8];
        let keep = [4];
        let (left, fit) = reference(&x, &y, &support, &keep, Order::DropCheapest);
        assert!(left.len() == 4 && left.contains(&4));
        for leaves in support.into_iter().filter(|variable| *variable != 4) {
            let (_, other) = reference(&x, &y, &support, &keep, Order::Drop(leaves));
            assert!(fit.rss <= other.rss);
        }
        // Its cost is the gain of taking it back.
        let dropped = support
            .into_iter()
            .find(|variable| !left.contains(variable))
            .unwrap_or(0);
        let all = least_squares::reference(&x, &y, &support);
        let gain = gain::reference(&x, &y, &left)[dropped as usize];
        assert!((fit.rss - all.rss - gain).abs() < 1e-14);
    }

    #[test]
    fn equal_costs_drop_the_lowest_and_kept_ones_stay() {
        // Orthonormal columns, equal parts.
        let columns = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let y = [0.5, 0.5, 0.5];
        let cheapest = |keep: &[u32]| {
            let (left, _) = reference(&columns, &y, &[2, 0, 1], keep, Order::DropCheapest);
            left
        };
        assert_eq!(cheapest(&[]), [2, 1]);
        assert_eq!(cheapest(&[0]), [2, 0]);
        assert_eq!(cheapest(&[0, 1, 2]), [2, 0, 1]);
    }

    #[test]
    fn rebuilding_leaves_out_what_columns_before_explain() {
        let (mut x, y) = problem(20, 4, 14);
        x.extend_from_within(20..40);
        let (support, fit) = reference(&x, &y, &[4, 2, 1], &[], Order::Rebuild);
        assert_eq!(support, [1, 2]);
        assert_eq!(fit, reference(&x, &y, &[2, 1], &[], Order::Refactor).1);
    }

    #[test]
    fn collinear_columns_are_refused() {
        let (mut x, y) = problem(20, 4, 13);
        let sum: Vec<f64> = (0..20).map(|t| (x[t] + x[20 + t]) / 2.0).collect();
        x.extend(sum);
        let (support, _) = reference(&x, &y, &[0, 1], &[], Order::Add(4));
        assert_eq!(support, [0, 1]);
        let (support, _) = reference(&x, &y, &[0, 2], &[], Order::Add(4));
        assert_eq!(support, [0, 2, 4]);
    }
}
