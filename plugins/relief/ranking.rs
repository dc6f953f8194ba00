//! From weights to an order.

use std::{cmp::Reverse, collections::BinaryHeap};

use passel_sdk::Levels;

/// Weights that differ by less are equal: they are means of some thousand rounded differences,
/// each at most 1.
const TIE: f64 = 1e-12;

/// Chooses the variables of largest weight, as many as may be.
pub(crate) fn choose(levels: &Levels, weights: &[f64]) -> Result<(), String> {
    let order = order(weights);
    let mut chosen = order.into_iter().take(levels.most());
    chosen.try_for_each(|column| levels.choose(column, weights[column]))
}

/// The largest first, and of those within [`TIE`] of the largest that is left the lowest.
fn order(weights: &[f64]) -> Vec<usize> {
    let mut falling: Vec<usize> = (0..weights.len()).collect();
    falling.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]));
    let mut taken = vec![false; weights.len()];
    let mut tied = BinaryHeap::new();
    let (mut largest, mut next) = (0, 0);
    let mut order = Vec::with_capacity(weights.len());
    while order.len() < weights.len() {
        while taken[falling[largest]] {
            largest += 1;
        }
        let least = weights[falling[largest]] - TIE;
        while next < falling.len() && weights[falling[next]] >= least {
            tied.push(Reverse(falling[next]));
            next += 1;
        }
        let Some(Reverse(column)) = tied.pop() else {
            break;
        };
        taken[column] = true;
        order.push(column);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_comes_first_and_the_lowest_of_equals() {
        let rounding = 1e-15;
        assert_eq!(order(&[0.1, 0.3 - rounding, 0.3, 0.2]), [1, 2, 3, 0]);
        assert_eq!(order(&[0.0, -1.0, rounding, 0.0]), [0, 2, 3, 1]);
        // Each within the tolerance of the next: the largest left is what counts.
        let chain = [0.0, 0.9e-12, 1.8e-12];
        assert_eq!(order(&chain), [1, 2, 0]);
        assert_eq!(order(&[]), [0usize; 0]);
    }
}
