//! Bins of about equally many observations: empirical quantiles as edges.

use super::{Rule, numbers::Numbers};

/// The edges of `bins` bins. Of the n values in ascending order, counted from 0, those at ⌊k·n/b⌋
/// for k = 1 … b − 1 begin a bin; the least value, or one that begins a bin already, does not.
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
