//! TODO

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "score",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"score.cu\"\n",
        include_str!("score.cu")
    ),
    functions: &["score", "take"],
    spills: &[],
};

/// Most terms of a step.
pub const TERMS: usize = 8;

/// [`Best::number`] and [`Pick::number`] where there is no candidate.
pub const NONE: u32 = u32::MAX;

/// A quantity of a table, what its value is multiplied by, and the part of it that counts.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Term {
    /// In multiples of 2⁻³²; of no matter for relevance.
    pub weight: i64,
    /// An integer for each of the sums n, x, w, y, xw, xy, wy, xwy.
    pub over: [i32; 8],
    /// The same of a ratio's denominator.
    pub under: [i32; 8],
    /// Whether it is `over` / `under`, 0 or 1.
    pub is_ratio: i32,
    /// Whether its part below 0 alone counts, 0 or 1.
    pub below_zero: i32,
}

/// How sums become a score; one, in memory of the card.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Rule {
    /// Terms of a step, at most [`TERMS`].
    pub terms: i32,
    /// How steps become one: sum or mean, minimum, last: 0, 1, 2.
    pub gather: i32,
    /// What that makes with relevance: added, alone, least, guarded: 0 … 3.
    pub join: i32,
    /// Whether relevance counts as often as there were steps, 0 or 1.
    pub mean: i32,
    /// n·L(n).
    pub n: i64,
    /// Σ c·L(c) over the classes.
    pub y: i64,
    /// What a ratio of 1 is: n · 2^bits.
    pub unit: i64,
    /// The terms of a step, then relevance: at [`Rule::terms`].
    pub term: [Term; TERMS + 1],
}

/// What the function takes, by value.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct State {
    /// [`Rule`].
    pub rule: u64,
    /// Candidates, taken ones among them; arrays "of each batch" have so many, one batch behind
    /// the other. Four bytes behind it are free.
    pub count: u32,
    /// u32: of each candidate its number among the columns of all devices.
    pub numbers: u64,
    /// u8: of each candidate, not 0 where it is none any more.
    pub taken: u64,
    /// i64: of each candidate, Σ c·L(c) over its levels.
    pub x: u64,
    /// i64 of each batch: over (x, y); written where `begins`.
    pub xy: u64,
    /// i64 of each batch: over (x, w).
    pub xw: u64,
    /// i64 of each batch: over (x, w, y); where `begins`, over (x, y).
    pub xwy: u64,
    /// i64 of each batch; written where `begins`.
    pub relevance: u64,
    /// i128 of each batch; begun where `begins`, and raised where `gathers`.
    pub gathered: u64,
    /// i128 of each batch: Σ of xw over the steps; null where nobody asks.
    pub redundancy: u64,
    /// [`crate::counting::Anchor`]: of each batch one.
    pub anchors: u64,
    /// [`crate::counting::Anchor`]: one, becomes the best, which is taken; null where it is not
    /// to be, and with more than one batch.
    pub next: u64,
    /// u32: of each candidate.
    pub levels: u64,
    /// u32: one, steps gathered so far, raised where `gathers`; null where the host counts, and
    /// with more than one batch.
    pub steps: u64,
    /// Steps gathered so far, where `steps` is null. Four bytes behind it are free.
    pub steps_known: u32,
    /// [`crate::counting::Whole`] of each batch, for those that miss values.
    pub whole: u64,
    /// u8: of each candidate, not 0 where it misses values; null where no column does.
    pub misses: u64,
    /// Whether the anchor misses values, 0 or 1. Four bytes behind it are free.
    pub anchor_misses: i32,
    /// Observations.
    pub rows: i64,
    /// Whether there are sums of a step to gather, 0 or 1.
    pub gathers: i32,
    /// Whether there are sums of (x, y), of which relevance is made, 0 or 1.
    pub begins: i32,
    /// Whether nothing is gathered yet.
    pub forgets: i32,
}

/// The best of some candidates.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Best {
    /// Larger is better.
    pub score: i128,
    /// Among the columns of all devices; [`NONE`] where there is none.
    pub number: u32,
    /// Among the candidates. Eight bytes behind it are free.
    pub place: u32,
}

/// What the host reads of the best.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pick {
    /// Its score.
    pub score: i128,
    /// Σ of xw over the steps; 0 where nobody asks.
    pub redundancy: i128,
    /// Its relevance.
    pub relevance: i64,
    /// Σ c·L(c) over its levels.
    pub x: i64,
    /// Over (x, y).
    pub xy: i64,
    /// Among the candidates.
    pub place: u32,
    /// Among the columns of all devices; [`NONE`] where there is none, all else is 0 then.
    pub number: u32,
}

#[cfg(test)]
mod tests {
    use std::mem::{align_of, offset_of, size_of};

    use super::*;

    #[test]
    fn structs_lie_as_c_lays_them() {
        assert_eq!((size_of::<Term>(), offset_of!(Term, is_ratio)), (80, 72));
        assert_eq!((size_of::<Rule>(), offset_of!(Rule, term)), (760, 40));
        assert_eq!((size_of::<State>(), offset_of!(State, numbers)), (176, 16));
        assert_eq!(
            (offset_of!(State, steps_known), offset_of!(State, whole)),
            (120, 128)
        );
        assert_eq!(
            (offset_of!(State, anchor_misses), offset_of!(State, rows)),
            (144, 152)
        );
        assert_eq!((size_of::<Best>(), align_of::<Best>()), (32, 16));
        assert_eq!((size_of::<Pick>(), align_of::<Pick>()), (64, 16));
        assert_eq!(
            (offset_of!(Pick, relevance), offset_of!(Pick, number)),
            (32, 60)
        );
    }
}
