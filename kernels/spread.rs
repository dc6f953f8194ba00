//! TODO

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "spread",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"spread.cu\"\n",
        include_str!("spread.cu")
    ),
    functions: &[
        "spread_8",
        "scatter_8",
        "tell_8",
        "shuffle_8",
        "spread_16",
        "scatter_16",
        "tell_16",
        "shuffle_16",
    ],
    spills: &[],
};

/// What `spread`, `scatter` and `tell` take, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Spread {
    /// [`crate::counting::Anchor`]: one, whose `unused` is the column's place in `places`.
    pub anchor: u64,
    /// [`crate::counting::Place`]: of each column.
    pub places: u64,
    /// Observations.
    pub rows: i64,
    /// `rows` and those that fill the last sixteen up, whose joint code is 0.
    pub filled: i64,
    /// u16: the response of each of `rows`; null where there is one class.
    pub y: u64,
    /// Levels of the response. Four bytes behind it are free.
    pub classes: u32,
    /// u8 or u16: `filled` joint codes.
    pub joint: u64,
    /// u32: rows of each joint code, `counts` of them; null where nobody asks.
    pub by_joint: u64,
    /// u32: rows of each level, `counts` of them; null where nobody asks.
    pub by_level: u64,
    /// Room of each.
    pub counts: i64,
}

#[cfg(test)]
mod tests {
    use std::mem::{offset_of, size_of};

    use super::*;

    #[test]
    fn structs_lie_as_c_lays_them() {
        assert_eq!(size_of::<Spread>(), 80);
        assert_eq!(
            (offset_of!(Spread, y), offset_of!(Spread, classes)),
            (32, 40)
        );
        assert_eq!(
            (offset_of!(Spread, joint), offset_of!(Spread, counts)),
            (48, 72)
        );
    }
}
