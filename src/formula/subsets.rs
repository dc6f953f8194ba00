//! The terms of `(a + b + …)^k`: the subsets of variables.

use super::term_set::Factors;

/// How many subsets of 1 to `most` of so many variables there are; the largest number if it is
/// larger.
pub(super) fn count_subsets(variables: usize, most: usize) -> usize {
    let mut of_size: usize = 1;
    let mut all: usize = 0;
    for size in 1..=most {
        // Exact, as the product of `size` neighbours is divisible by `size`!.
        let Some(product) = of_size.checked_mul(variables + 1 - size) else {
            return usize::MAX;
        };
        of_size = product / size;
        all = all.saturating_add(of_size);
    }
    all
}

/// The subsets of 1 to `most` variables, in the order in which R's products of sums have them: by
/// the first variable, then by size, then by the next variables.
pub(super) fn subsets(variables: &[u32], most: usize) -> Vec<Factors> {
    let mut subsets = Vec::with_capacity(count_subsets(variables.len(), most));
    for (first, _) in variables.iter().enumerate() {
        for size in 1..=most.min(variables.len() - first) {
            let mut places: Vec<usize> = (first..first + size).collect();
            loop {
                let mut subset: Vec<u32> = places.iter().map(|place| variables[*place]).collect();
                subset.sort_unstable();
                subsets.push(subset.into());
                if !advance(&mut places, variables.len()) {
                    break;
                }
            }
        }
    }
    subsets
}

/// Moves to the next ascending places with the same first one; false at the last.
fn advance(places: &mut [usize], end: usize) -> bool {
    let size = places.len();
    let movable = (1..size).rev().find(|at| places[*at] < end - (size - at));
    let Some(at) = movable else {
        return false;
    };
    let next = places[at] + 1;
    for (offset, place) in places[at..].iter_mut().enumerate() {
        *place = next + offset;
    }
    true
}
