//! Bins of equal width.
//!
//! The code of x is min(b − 1, ⌊(x − min)·b / (max − min)⌋), b the number of bins. It is computed
//! by counting inner edges, so that new data are coded as the old were, to the last bit. An edge
//! is the least number with a code at least that high; every operation of the formula rounds
//! monotonically, so bisection finds it.

use super::{Rule, numbers::Numbers};

/// The edges of `bins` bins of equal width between the least and the largest number.
pub(super) fn rule(numbers: &Numbers, bins: usize) -> Rule {
    let edges = match numbers.extent() {
        Some((least, most)) if least < most => edges(least, most, bins),
        _ => Vec::new(),
    };
    Rule::Edges(edges)
}

fn edges(least: f64, most: f64, bins: usize) -> Vec<f64> {
    let mut from = least;
    let edges = (1..bins).map(|code| {
        from = first_with(from, most, |value| {
            formula(value, least, most, bins) >= code
        });
        from
    });
    edges.collect()
}

/// min(b − 1, ⌊(x − min)·b / (max − min)⌋).
fn formula(value: f64, least: f64, most: f64, bins: usize) -> usize {
    let b = bins as f64;
    // Near the ends of f64's range differences and products leave it; a power of two takes
    // nothing else off.
    let scale = match ((most - least) * b).is_finite() {
        true => 1.0,
        false => 1.0 / (1 << 18) as f64,
    };
    let (value, least, most) = (value * scale, least * scale, most * scale);
    (((value - least) * b / (most - least)) as usize).min(bins - 1)
}

/// The least number of `from` … `to` that passes a test which larger ones pass too, as `to`
/// does.
fn first_with(from: f64, to: f64, passes: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (place(from), place(to));
    while low < high {
        // Rounded down, so that it ends.
        let middle = low.midpoint(high);
        match passes(number(middle)) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    number(high)
}

/// The place of a number in the order of all f64.
fn place(number: f64) -> u64 {
    let bits = number.to_bits();
    match number.is_sign_negative() {
        true => !bits,
        false => bits | SIGN,
    }
}

/// The number at a place.
fn number(place: u64) -> f64 {
    f64::from_bits(match place & SIGN {
        0 => !place,
        _ => place & !SIGN,
    })
}

const SIGN: u64 = 1 << 63;
