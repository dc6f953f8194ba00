//! A number as an integer that orders as it does, so that coded scores travel as fixed-point
//! ones do.

/// Of a number, NaN excepted; 0 and −0 are one.
pub(crate) fn to_ordered(value: f64) -> i64 {
    flipped((value + 0.0).to_bits() as i64)
}

/// The number that [`to_ordered`] was made of.
pub(crate) fn from_ordered(ordered: i64) -> f64 {
    f64::from_bits(flipped(ordered) as u64)
}

/// Below zero, larger bits are of a smaller number.
fn flipped(bits: i64) -> i64 {
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_order_as_the_numbers_they_stand_for() {
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
        assert_eq!(ascending.map(|it| from_ordered(to_ordered(it))), ascending);
        assert_eq!((to_ordered(-0.0), to_ordered(0.0)), (0, 0));
    }
}
