//! Structs and sums that the counting kernels share.
//!
//! x is a candidate's code in a row, w the code of the *anchor* (the column that all candidates are
//! counted against) and y the class. With c the number of rows that agree in some of these, a sum is
//! Σ c·L(c), where `terms` holds c·L(c) of every c as 64-bit fixed-point integers: additions may come
//! in any order, and every kernel that counts a table gives the same bits. A row's *joint code* is
//! w · classes + y; with one class it is w.
//!
//! A struct that kernels of one file take, by value or in the GPU's memory, is declared beside its
//! kernel; those that several files take are declared here. Fields have the order and types of the
//! `.cu` file; addresses are `u64`, 0 for null. `repr(C)` pads as C does, and a `static_assert` of the
//! size in the `.cu` file keeps both from drifting apart.

use std::collections::BTreeMap;

/// The code of an entry's place that is not filled. Dense codes may have this value, codes of entries
/// may not.
pub const UNFILLED: u16 = 0xffff;

/// An anchor of a batch: its own sums, and where its column is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnchorSums {
    /// Σ c·L(c) over its levels.
    pub w: i64,
    /// Σ c·L(c) over its joint codes with the response.
    pub wy: i64,
    /// Its levels.
    pub levels: u32,
    /// The place of its column among those of all packs, for [`crate::joint_codes`] and
    /// [`crate::entries`]; any valid place where the column is not there.
    pub place: u32,
}
assert_layout!(AnchorSums: 24 by 8; levels: 16);

/// The address and the form of a column's codes in the GPU's memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnCodes {
    /// Of its dense codes, or of the rows of its entries, `length` u32.
    pub address: u64,
    /// Of the codes of its entries, `length` u16; [`UNFILLED`] in a place not filled.
    pub codes: u64,
    /// Entries, places not filled among them; of dense codes 1, or where several columns lie row by
    /// row the bytes from row to row.
    pub length: u32,
    /// Its most frequent code, which no entry has; 0 where codes are dense.
    pub most: u32,
    /// Its levels.
    pub levels: u32,
    /// 4, 8 or 16 bits of a dense code; 0 where it lists entries.
    pub bits: u32,
}
assert_layout!(ColumnCodes: 32 by 8; length: 16, bits: 28);

/// A column and an anchor that are to be counted against one another.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkItem {
    /// The column's place among those of all packs.
    pub place: u32,
    /// The anchor's number in the batch.
    pub anchor: u32,
}
assert_layout!(WorkItem: 8; anchor: 4);

/// All sums of a table of (x, w, y), of the rows that miss none of them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSums {
    /// Σ c·L(c) over the margins n, x, w, y, xw, xy, wy, xwy.
    pub of: [i64; 8],
    /// How many rows they are.
    pub left: i64,
}
assert_layout!(TableSums: 72 by 8; left: 64);

/// How often each key occurs.
///
/// ```
/// let counts = passel_kernels::counting::counts([7, 2, 7]);
/// assert_eq!(counts.into_iter().collect::<Vec<_>>(), [(2, 1), (7, 2)]);
/// ```
pub fn counts<K: Ord>(keys: impl IntoIterator<Item = K>) -> BTreeMap<K, u64> {
    let mut counts = BTreeMap::new();
    for key in keys {
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// Σ c·L(c) over the counts of the keys.
///
/// ```
/// // c·log2 c: two of one key, four of another.
/// let terms = [0, 0, 2, 5, 8];
/// assert_eq!(passel_kernels::counting::sum([1, 3, 1, 3, 3, 3], &terms), 2 + 8);
/// ```
pub fn sum<K: Ord>(keys: impl IntoIterator<Item = K>, terms: &[i64]) -> i64 {
    let counts = counts(keys).into_values();
    counts.map(|count| terms[count as usize]).sum()
}

/// Dense codes of 4, 8 or 16 bits as kernels read them: the lower row in the lower bits, rows filled
/// up with 0 to a multiple of sixteen.
///
/// ```
/// use passel_kernels::counting::packed;
/// assert_eq!(packed(&[1, 2, 3], 4), [0x21, 0x03, 0, 0, 0, 0, 0, 0]);
/// assert_eq!(packed(&[0x1234; 17], 16)[32..36], [0x34, 0x12, 0, 0]);
/// ```
pub fn packed(codes: &[u32], bits: u32) -> Vec<u8> {
    let mut bytes = vec![0; 2 * codes.len().div_ceil(16) * bits as usize];
    for (row, code) in codes.iter().enumerate() {
        for bit in (0..bits).filter(|bit| code >> bit & 1 == 1) {
            let at = row * bits as usize + bit as usize;
            bytes[at / 8] |= 1 << (at % 8);
        }
    }
    bytes
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Codes below `levels`, unevenly often, the same for the same seed.
    pub(crate) fn codes(n: usize, levels: u32, seed: u64) -> Vec<u32> {
        let mut state = seed;
        let mut next = || {
            let product = state.wrapping_mul(6_364_136_223_846_793_005);
            state = product.wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as u32 % levels
        };
        (0..n).map(|_| next().min(next())).collect()
    }

    /// c·ln c with 20 fraction bits.
    pub(crate) fn terms(n: usize) -> Vec<i64> {
        let term = |c: usize| c as f64 * (c.max(1) as f64).ln() * (1 << 20) as f64;
        (0..=n).map(|c| term(c).round() as i64).collect()
    }

    #[test]
    fn a_sum_has_room_for_squares_of_46_341_rows_and_more() {
        let squares: Vec<i64> = (0..=100_000).map(|c| c * c).collect();
        let keys = (0..100_000).map(|row| u8::from(row < 46_341));
        assert_eq!(sum(keys, &squares), 46_341 * 46_341 + 53_659 * 53_659);
        assert_eq!(sum([0; 0], &squares), 0);
    }

    #[test]
    fn codes_lie_as_words_of_their_size() {
        let codes = codes(45, 1 << 16, 3);
        let words = packed(&codes, 16);
        let words = words
            .chunks(2)
            .map(|bytes| u32::from(u16::from_le_bytes([bytes[0], bytes[1]])));
        let mut filled = codes;
        filled.resize(48, 0);
        assert!(words.eq(filled));
    }
}
