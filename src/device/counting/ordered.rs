//! Floats as integers of the same order, so that scores of functions travel as fixed-point ones do.

/// The integer that orders as this number does; 0 and −0 map to 0. NaN is not allowed.
pub(crate) fn to_ordered(value: f64) -> i64 {
    flipped((value + 0.0).to_bits() as i64)
}

/// The number that [`to_ordered`] maps to this integer.
pub(crate) fn from_ordered(ordered: i64) -> f64 {
    f64::from_bits(flipped(ordered) as u64)
}

/// Reverses the order of negative numbers, whose bits ascend as the numbers descend.
fn flipped(bits: i64) -> i64 {
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_order_as_their_floats() {
        let ascending = [
            f64::NEG_INFINITY,
            f64::MIN,
            -1.5,
            -1.0,
            -f64::MIN_POSITIVE,
            -5e-324,
            0.0,
            5e-324,
            1e-9,
            1.0,
            f64::MAX,
            f64::INFINITY,
        ];
        assert!(ascending.map(to_ordered).is_sorted_by(|a, b| a < b));
        assert_eq!(
            ascending.map(|number| from_ordered(to_ordered(number))),
            ascending
        );
        assert_eq!((to_ordered(-0.0), to_ordered(0.0)), (0, 0));
    }
}
