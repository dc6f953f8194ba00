//! Declared scores: what a step measures of contingency tables, and how steps become a score.

use core::ffi::{c_char, c_void};

/// passel_score.terms: the room for them; never changes.
pub const PASSEL_TERMS: usize = 8;

/// passel_term.part: all of the term.
pub const PASSEL_PART_WHOLE: u32 = 0;
/// passel_term.part: min(0, term).
pub const PASSEL_PART_BELOW_ZERO: u32 = 1;

/// passel_score.combine: what a step gives is the sum of its terms.
pub const PASSEL_COMBINE_SUM: u32 = 0;
/// passel_score.combine: their product.
pub const PASSEL_COMBINE_PRODUCT: u32 = 1;
/// passel_score.combine: the least of them.
pub const PASSEL_COMBINE_LEAST: u32 = 2;
/// passel_score.combine: the largest of them.
pub const PASSEL_COMBINE_LARGEST: u32 = 3;
/// passel_score.combine: each is gathered by itself, for `finish`.
pub const PASSEL_COMBINE_APART: u32 = 4;

/// passel_score.gather: the sum of what the steps gave.
pub const PASSEL_GATHER_SUM: u32 = 0;
/// passel_score.gather: their sum, divided by how many they are.
pub const PASSEL_GATHER_MEAN: u32 = 1;
/// passel_score.gather: the least of them.
pub const PASSEL_GATHER_MINIMUM: u32 = 2;
/// passel_score.gather: the last.
pub const PASSEL_GATHER_LAST: u32 = 3;
/// passel_score.gather: the largest of them.
pub const PASSEL_GATHER_MAXIMUM: u32 = 4;
/// passel_score.gather: their product.
pub const PASSEL_GATHER_PRODUCT: u32 = 5;

/// passel_score.join: relevance plus the gathered value.
pub const PASSEL_JOIN_ADDED: u32 = 0;
/// passel_score.join: the gathered value alone.
pub const PASSEL_JOIN_ALONE: u32 = 1;
/// passel_score.join: the lesser of the two.
pub const PASSEL_JOIN_LEAST: u32 = 2;
/// passel_score.join: relevance; never, where the gathered is < 0.
pub const PASSEL_JOIN_GUARDED: u32 = 3;

/// passel_score.against: of the chosen variables the last.
pub const PASSEL_AGAINST_LAST: u32 = 0;
/// passel_score.against: all of them, joined.
pub const PASSEL_AGAINST_JOINT: u32 = 1;
/// passel_score.against: each two of them, joined.
pub const PASSEL_AGAINST_PAIRS: u32 = 2;

/// With c the counts of the cells of one contingency table and S = Σ c·ln c over the cells of a
/// margin, an integer for each S: of the candidate x, the anchor w, the response y, n·ln n for n.
/// The combination is their scalar product, in nats times the number of observations n: n·I(x;y) =
/// S(xy) − S(x) − S(y) + S(n). Its integers sum to 0, those of one sign to 64 at most. Never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct passel_combination {
    pub n: i32,
    pub x: i32,
    pub w: i32,
    pub y: i32,
    pub xw: i32,
    pub xy: i32,
    pub wy: i32,
    pub xwy: i32,
}

/// A combination, or the ratio of two. Never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct passel_quantity {
    /// The combination, or the ratio's numerator.
    pub over: passel_combination,
    /// The ratio's denominator, and the ratio is 0 where this is; all zero for no ratio.
    pub under: passel_combination,
}

/// One summand of what a step gives: a combination is divided by n, a ratio stands. Never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct passel_term {
    /// What the part that counts is multiplied by; −1,048,576 … 1,048,576.
    pub weight: f64,
    pub quantity: passel_quantity,
    /// PASSEL_PART_…
    pub part: u32,
}

/// One contingency table, lent until the call returns.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_table {
    pub size: usize,
    /// x·w·y counts: level i of x, j of w, l of y have counts[(i·w + j)·y + l] observations; of
    /// those that miss none of the three, one at least.
    pub counts: *const u32,
    /// Levels of the candidate x, some maybe without observations; so of w and y.
    pub x: usize,
    /// Of the anchor; 1 where there is none, and of a constant.
    pub w: usize,
    pub y: usize,
    /// 0 for relevance, without an anchor; else the step that the anchor is of, from 1. Of pairs 1.
    pub step: usize,
}

/// What no combination says of a table.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_function {
    pub size: usize,
    /// Its value, larger is better: finite, or −∞ for never. `values` are those of the method,
    /// `count` in number. Called from any thread, from several at once.
    pub value: Option<
        unsafe extern "C" fn(
            function: *const passel_function,
            values: *const f64,
            count: usize,
            table: *const passel_table,
        ) -> f64,
    >,
    /// The same in CUDA C for GPUs, or null: a text with `__device__ double passel_value(const
    /// double *values, const unsigned *counts, unsigned x, unsigned w, unsigned y, unsigned step)`.
    /// C++17 without headers; other names are static and begin with the plugin's.
    pub cuda: *const c_char,
    /// Scores that differ by this share are equal, and the two above agree to it; 0 … 0.01.
    pub tolerance: f64,
    pub data: *const c_void,
}

/// What a candidate has before its score, lent until the call returns. In nats; ratios and functions
/// in their own unit.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_gathered {
    pub size: usize,
    pub relevance: f64,
    /// Steps so far; before the first all values are 0.
    pub steps: usize,
    /// What they gathered: one value, or of PASSEL_COMBINE_APART one a term.
    pub values: *const f64,
    pub value_count: usize,
    /// Variables chosen before, the sum of their relevance, and of the values each had when chosen.
    pub chosen: usize,
    pub chosen_relevance: f64,
    pub chosen_values: *const f64,
}

/// The last word on a score, for quotients and what depends on all that were chosen.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_finish {
    pub size: usize,
    /// The score: finite, or −∞ for never. `values` are those of the method, `count` in number. Called
    /// from any thread, from several at once; on GPUs too by the host.
    pub score: Option<
        unsafe extern "C" fn(
            finish: *const passel_finish,
            values: *const f64,
            count: usize,
            gathered: *const passel_gathered,
        ) -> f64,
    >,
    /// Scores that differ by this share are equal; 0 … 0.01.
    pub tolerance: f64,
    pub data: *const c_void,
}

/// A selector's score of a candidate; larger is better. The engine makes it, all zero beside
/// size and terms, and a plugin fills it in: zero is relevance of nothing, no terms, their sum,
/// PASSEL_GATHER_SUM, PASSEL_JOIN_ADDED, PASSEL_AGAINST_LAST. What is made of sums of terms by
/// PASSEL_GATHER_SUM … LAST is counted in integers, so that equal scores tie exactly; the rest in floats.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_score {
    /// As the engine was compiled: what lies behind it is not to be written.
    pub size: usize,
    /// Of candidate and response alone; the score of the first step.
    pub relevance: passel_quantity,
    /// Room for PASSEL_TERMS terms, all zero: the engine's, lent until the call returns.
    pub terms: *mut passel_term,
    /// How many were filled in; what a step gives is made of them by `combine`.
    pub term_count: usize,
    /// How the values of the steps become one: PASSEL_GATHER_…
    pub gather: u32,
    /// What the gathered value makes with relevance: PASSEL_JOIN_…
    pub join: u32,
    /// The anchors of a step: PASSEL_AGAINST_…; variables joined have a level for each
    /// combination of theirs. While one is chosen, that one is the anchor of PAIRS too, for its
    /// only step; then come the last with each before it.
    pub against: u32,
    /// 1 for a selection that ends where no candidate's score is above `floor`, else 0.
    pub ends: u32,
    /// In nats where scores are.
    pub floor: f64,
    /// Null, or what takes the place of relevance and of terms: relevance is its value of the
    /// table of candidate and response, a step gives that of the whole table. The plugin's.
    pub function: *const passel_function,
    /// Null, or what takes the place of the join. The plugin's.
    pub finish: *const passel_finish,
    /// What the terms of a step make: PASSEL_COMBINE_…; of a function SUM.
    pub combine: u32,
    pub reserved: u32, // 0.
}
