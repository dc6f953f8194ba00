//! What the kernels of counting share, as it lies in a card's memory.
//!
//! A struct that a kernel takes by value, or that lies in memory of a card, stands in the file
//! of its kernel, those of several here. Fields and their order are those of the `.cu` file,
//! addresses are `u64`, 0 for null; what C leaves free between fields `repr(C)` leaves free as
//! well. Sizes stand in the `.cu` file too: what drifts does not compile.

/// What columns are counted against, of each anchor of a batch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Anchor {
    /// Σ c·L(c) over its levels.
    pub w: i64,
    /// Σ c·L(c) over its joint codes with the response.
    pub wy: i64,
    /// Its levels.
    pub levels: u32,
    /// The place among [`crate::spread::Spread::places`] of the column it is of; of no matter
    /// to who counts.
    pub unused: u32,
}

/// Where a column's codes lie.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Of dense codes, or of the rows of its entries, `length` u32.
    pub address: u64,
    /// Of the codes of its entries, `length` u16; 0xffff in a place not filled.
    pub codes: u64,
    /// Entries, places not filled among them.
    pub length: u32,
    /// Its most frequent code, which no entry has; 0 where codes are dense.
    pub most: u32,
    /// Its levels.
    pub levels: u32,
    /// 4, 8 or 16 bits of a dense code; 0 where it lists entries.
    pub bits: u32,
}

/// All sums of a table of some rows.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Whole {
    /// Σ c·L(c) over the margins n, x, w, y, xw, xy, wy, xwy.
    pub of: [i64; 8],
    /// How many rows they are.
    pub left: i64,
}

#[cfg(test)]
mod tests {
    use std::mem::{align_of, offset_of, size_of};

    use super::*;

    #[test]
    fn structs_lie_as_c_lays_them() {
        assert_eq!((size_of::<Anchor>(), align_of::<Anchor>()), (24, 8));
        assert_eq!(offset_of!(Anchor, levels), 16);
        assert_eq!((size_of::<Place>(), align_of::<Place>()), (32, 8));
        assert_eq!(
            (offset_of!(Place, length), offset_of!(Place, bits)),
            (16, 28)
        );
        assert_eq!((size_of::<Whole>(), align_of::<Whole>()), (72, 8));
        assert_eq!(offset_of!(Whole, left), 64);
    }
}
