//! Bins of about as many observations each.

use super::{Rule, numbers::Numbers};

/// The values at ⌊k·n/b⌋ of the n in ascending order begin a bin, k = 1 … b − 1; one that is
/// the least value, or begins a bin already, begins none.
pub(super) fn rule(numbers: &Numbers, bins: usize) -> Rule {
    let sorted = numbers.sorted();
    let n = sorted.len();
    let mut edges = Vec::new();
    if n > 0 {
        let mut last = sorted.at(0);
        for k in 1..bins {
            let value = sorted.at((k as u128 * n as u128 / bins as u128) as usize);
            if value > last {
                edges.push(value);
                last = value;
            }
        }
    }
    Rule::Edges(edges)
}
