//! passel's plugin contract as C sees it: the mirror of `passel.h`, which is made from this
//! file. `passel-sdk` is its safe side, for plugins in Rust; the engine's side is
//! `src/plugin`. The rules that hold for all of it stand at the head of `passel.h`.
//!
//! Names are those of C, so that one search finds both.

#![no_std]
#![allow(non_camel_case_types)]
#![forbid(unsafe_code)]

use core::ffi::{c_char, c_void};

/// The contract's version. Version 0 may break; from 1 on it only grows.
pub const PASSEL_ABI_VERSION: u32 = 0;

/// The room for terms in a passel_score, in terms.
pub const PASSEL_TERMS: usize = 8;

/// passel_term.part: all of the term.
pub const PASSEL_PART_WHOLE: u32 = 0;
/// passel_term.part: min(0, term).
pub const PASSEL_PART_BELOW_ZERO: u32 = 1;

/// passel_score.gather: the sum of what the steps gave.
pub const PASSEL_GATHER_SUM: u32 = 0;
/// passel_score.gather: their sum, divided by how many they are.
pub const PASSEL_GATHER_MEAN: u32 = 1;
/// passel_score.gather: the least of them.
pub const PASSEL_GATHER_MINIMUM: u32 = 2;
/// passel_score.gather: the last.
pub const PASSEL_GATHER_LAST: u32 = 3;

/// passel_score.join: relevance plus the gathered value.
pub const PASSEL_JOIN_ADDED: u32 = 0;
/// passel_score.join: the gathered value alone.
pub const PASSEL_JOIN_ALONE: u32 = 1;
/// passel_score.join: the lesser of the two.
pub const PASSEL_JOIN_LEAST: u32 = 2;

/// passel_score.against: the anchor is the variable chosen last.
pub const PASSEL_AGAINST_LAST: u32 = 0;
/// passel_score.against: the anchor is all chosen variables joined, a level for each
/// combination of theirs.
pub const PASSEL_AGAINST_JOINT: u32 = 1;

/// passel_engine.log: why the entry is about to return null.
pub const PASSEL_LOG_ERROR: u32 = 0;
/// passel_engine.log: worth a line on standard error.
pub const PASSEL_LOG_WARNING: u32 = 1;

/// With c the counts of the cells of one contingency table and S = Σ c·ln c over the cells of
/// a margin, an integer for each S: of the candidate x, the anchor w, the response y. The
/// combination is their scalar product, in nats times the number of observations. So
/// n·I(x;y) = S(xy) − S(x) − S(y) + S(n). The integers of one sign sum to 64 at most. Never
/// grows.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct passel_combination {
    /// Of n·ln n, the table with one cell.
    pub n: i32,
    /// Of the candidate's margin.
    pub x: i32,
    /// Of the anchor's margin.
    pub w: i32,
    /// Of the response's margin.
    pub y: i32,
    /// Of the table of candidate and anchor.
    pub xw: i32,
    /// Of the table of candidate and response.
    pub xy: i32,
    /// Of the table of anchor and response.
    pub wy: i32,
    /// Of the whole table.
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

/// One summand of what a step gives. Never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct passel_term {
    /// What the part that counts is multiplied by; −1,048,576 … 1,048,576.
    pub weight: f64,
    /// Of the table of candidate, anchor and response.
    pub quantity: passel_quantity,
    /// PASSEL_PART_…
    pub part: u32,
}

/// A selector's score of a candidate; larger is better. The engine makes it, all zero beside
/// size and terms, and a plugin fills it in: zero is relevance of nothing, no terms,
/// PASSEL_GATHER_SUM, PASSEL_JOIN_ADDED, PASSEL_AGAINST_LAST.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_score {
    /// As the engine was compiled: what lies behind it is not to be written.
    pub size: usize,
    /// Of candidate and response alone; the score of the first step.
    pub relevance: passel_quantity,
    /// Room for PASSEL_TERMS terms, all zero: the engine's, lent until the call returns.
    pub terms: *mut passel_term,
    /// How many were filled in; what a step gives is their sum.
    pub term_count: usize,
    /// How the values of the steps become one: PASSEL_GATHER_…
    pub gather: u32,
    /// What the gathered value makes with relevance: PASSEL_JOIN_…
    pub join: u32,
    /// The anchor of a step: PASSEL_AGAINST_…
    pub against: u32,
    /// 1 for a selection that ends where no candidate's score is above 0, else 0.
    pub ends_at_zero: u32,
}

/// A number that a selector's score depends on.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_parameter {
    /// sizeof(passel_parameter).
    pub size: usize,
    /// The name in `selector:name=number`: a small letter, then small letters, digits, `-`;
    /// neither `name` nor `plugin`.
    pub name: *const c_char,
    /// What it does, on one line.
    pub help: *const c_char,
    /// The value where none is given.
    pub default_value: f64,
    /// The smallest value allowed; finite.
    pub least: f64,
    /// The largest value allowed; finite.
    pub most: f64,
}

/// A method that chooses variables one by one, by a declared score.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_selector {
    /// sizeof(passel_selector).
    pub size: usize,
    /// The name it is asked for by: a small letter, then small letters, digits, `-`. No other
    /// selector's, nor `pass`.
    pub name: *const c_char,
    /// What it is called in full.
    pub title: *const c_char,
    /// Its score, on one line.
    pub formula: *const c_char,
    /// Where it was published.
    pub source: *const c_char,
    /// Its parameters; may be null where there are none.
    pub parameters: *const *const passel_parameter,
    /// How many; at most 64.
    pub parameter_count: usize,
    /// Fills in the score for these values of the parameters, one each, in their order and
    /// range, lent until the call returns. Returns 0; or else another number, with a reason in
    /// `error`, the engine's room of `error_size` bytes, the ending zero included. The same
    /// values give the same score. Called from any thread, from several at once, and once at
    /// load with the default values.
    pub declare: Option<
        unsafe extern "C" fn(
            selector: *const passel_selector,
            values: *const f64,
            score: *mut passel_score,
            error: *mut c_char,
            error_size: usize,
        ) -> i32,
    >,
    /// The plugin's own: the engine does not look at it. May be left out, size and all.
    pub data: *const c_void,
}

/// A score of every pair of variables with the response, larger is better: x and w stand for
/// the two, and exchanging them must not change it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_pair_score {
    /// sizeof(passel_pair_score).
    pub size: usize,
    /// The name it is asked for by, as a selector's; no other pair score's.
    pub name: *const c_char,
    /// What it is called in full.
    pub title: *const c_char,
    /// The score, on one line.
    pub formula: *const c_char,
    /// Where it was published.
    pub source: *const c_char,
    /// Of the table of both variables and the response.
    pub quantity: passel_quantity,
}

/// What the engine lends a plugin; valid as long as the process lives.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_engine {
    /// As the engine was compiled.
    pub size: usize,
    /// The engine's PASSEL_ABI_VERSION.
    pub abi_version: u32,
    /// The engine's version, as in `0.1.0`.
    pub version: *const c_char,
    /// Tells the user a text, copied before the call returns; level is PASSEL_LOG_…. To be
    /// called with the very pointer that the entry was given, from any thread.
    pub log:
        Option<unsafe extern "C" fn(engine: *const passel_engine, level: u32, text: *const c_char)>,
    /// The engine's own.
    pub data: *const c_void,
}

/// What a plugin brings; its entry returns it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_plugin {
    /// sizeof(passel_plugin).
    pub size: usize,
    /// The PASSEL_ABI_VERSION it was compiled with; the engine takes its own only.
    pub abi_version: u32,
    /// The NAME of its entry, with `-` for `_`.
    pub name: *const c_char,
    /// Its own version, as it likes.
    pub version: *const c_char,
    /// What it is, on one line.
    pub description: *const c_char,
    /// Its selectors; may be null where there are none.
    pub selectors: *const *const passel_selector,
    /// How many; at most 1024.
    pub selector_count: usize,
    /// Its pair scores; may be null where there are none. May be left out, size and all.
    pub pair_scores: *const *const passel_pair_score,
    /// How many; at most 1024.
    pub pair_score_count: usize,
}
