//! passel's plugin contract as C sees it: `passel.h`, with the rules for all at its head, is made from this file.
//! `passel-sdk` is its safe side, for plugins in Rust; the engine's side is `src/plugin`.

#![no_std]
#![allow(non_camel_case_types, missing_docs)] // What a size or a count is needs no word.
#![forbid(unsafe_code)]

mod criterion;
mod family;

use core::ffi::{c_char, c_void};

pub use criterion::{passel_criterion, passel_model};
pub use family::passel_family;

/// The contract's version. It only grows: members are appended, and each time it is one more.
pub const PASSEL_ABI_VERSION: u32 = 1;

/// passel_score.terms: the room for them; never changes.
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
/// passel_score.join: relevance; never, where the gathered is < 0.
pub const PASSEL_JOIN_GUARDED: u32 = 3;

/// passel_score.against: of the chosen variables the last.
pub const PASSEL_AGAINST_LAST: u32 = 0;
/// passel_score.against: all of them, joined.
pub const PASSEL_AGAINST_JOINT: u32 = 1;
/// passel_score.against: each two of them, joined.
pub const PASSEL_AGAINST_PAIRS: u32 = 2;

/// passel_selector.over: levels of candidates and response.
pub const PASSEL_OVER_LEVELS: u32 = 0;
/// passel_selector.over: a linear regression.
pub const PASSEL_OVER_REGRESSION: u32 = 1;

/// passel_engine.log: why the entry is about to return null.
pub const PASSEL_LOG_ERROR: u32 = 0;
/// passel_engine.log: worth a line on standard error.
pub const PASSEL_LOG_WARNING: u32 = 1;

/// What the engine lends a plugin; valid as long as the process lives.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_engine {
    pub size: usize,
    pub abi_version: u32,
    /// The engine's version, as in `0.1.0`.
    pub version: *const c_char,
    /// Tells the user a text, copied before the call returns; level is PASSEL_LOG_…. To be
    /// called with the very pointer that the entry was given, from any thread.
    pub log:
        Option<unsafe extern "C" fn(engine: *const passel_engine, level: u32, text: *const c_char)>,
    pub data: *const c_void,
}

/// A number that a method depends on.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_parameter {
    pub size: usize,
    /// The name in `method:name=number`: a small letter, then small letters, digits, `-`;
    /// neither `name` nor `value`, nor one that begins with `plugin`.
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

/// What a user asks for by its name: a selector, a pair score, a criterion; its title is the name
/// in full. Never grows.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_method {
    /// As a parameter's; no other's of its kind, and no selector is called `pass`.
    pub name: *const c_char,
    pub title: *const c_char,
    /// What it computes, on one line.
    pub formula: *const c_char,
    /// Where it was published.
    pub source: *const c_char,
    /// Its parameters; may be null where there are none. Below, `values` has one number for
    /// each, in this order and in their ranges, lent until the call returns.
    pub parameters: *const *const passel_parameter,
    /// How many; at most 64.
    pub parameter_count: usize,
}

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
}

/// What a selector that runs is lent until it returns: functions to be called from any thread,
/// each with this very pointer. They return 0, or another number where an argument is wrong, which
/// ends the selection as an error. Rooms are the plugin's, of the size said, and overlap nothing.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_problem {
    pub size: usize,
    pub n: usize, // Observations.
    /// Candidates, numbered from 0; p stands for the response.
    pub p: usize,
    /// Variables that may be chosen; those that the user keeps may be as well, and do not count.
    pub most: usize,
    /// Takes a variable, the best first, with its score, finite: of a regression, the model's.
    pub choose: Option<
        unsafe extern "C" fn(problem: *const passel_problem, column: usize, score: f64) -> i32,
    >,
    /// Writes the n numbers of a column: of levels, as the file has them, NaN where missing, a
    /// text's level by its number; of a regression, centred, weighted, of norm 1.
    pub numbers: Option<
        unsafe extern "C" fn(
            problem: *const passel_problem,
            column: usize,
            numbers: *mut f64,
        ) -> i32,
    >,
    /// Over levels: writes the n codes of a column, and their number, which stands for none.
    pub codes: Option<
        unsafe extern "C" fn(
            problem: *const passel_problem,
            column: usize,
            codes: *mut u32,
            levels: *mut usize,
        ) -> i32,
    >,
    /// Over a regression: for each of `count` anchors r, n finite numbers each, the `wanted` ≤ p
    /// candidates of largest |xᵀr|, the largest first, of equal ones the lowest: their numbers
    /// and xᵀr, count·wanted of both. On every device at once: many anchors cost little more.
    pub sweep: Option<
        unsafe extern "C" fn(
            problem: *const passel_problem,
            anchors: *const f64,
            count: usize,
            wanted: usize,
            columns: *mut usize,
            products: *mut f64,
        ) -> i32,
    >,
    /// Over a regression: fits the kept variables and these, each once, in this order of entry.
    /// Writes the n residuals and the criterion asked for, each unless null; where a variable is
    /// collinear with those before it, +∞, and the residuals of those.
    pub fit: Option<
        unsafe extern "C" fn(
            problem: *const passel_problem,
            columns: *const usize,
            count: usize,
            residuals: *mut f64,
            criterion: *mut f64,
        ) -> i32,
    >,
    /// Calls `work` with 0 … count − 1, in any order, on the engine's threads; returns when all
    /// are done. No lock that `work` takes is to be held meanwhile.
    pub each: Option<
        unsafe extern "C" fn(
            problem: *const passel_problem,
            count: usize,
            work: Option<unsafe extern "C" fn(at: usize, context: *mut c_void)>,
            context: *mut c_void,
        ),
    >,
    /// Writes `count` random words of a stream, the same for the same seed, from its beginning.
    pub random: Option<
        unsafe extern "C" fn(
            problem: *const passel_problem,
            stream: u32,
            words: *mut u32,
            count: usize,
        ),
    >,
    /// 1 once the user wants the end, else 0: to be asked many times a second. Return 0 then, what
    /// was chosen is reported. Who does not heed it is left behind, and the process ends under it.
    pub interrupted: Option<unsafe extern "C" fn(problem: *const passel_problem) -> i32>,
    /// Shows how far it is.
    pub progress:
        Option<unsafe extern "C" fn(problem: *const passel_problem, done: usize, of: usize)>,
    pub data: *const c_void,
    /// 1 for a column of text, whose numbers are equal or not and no more; else 0.
    pub nominal: Option<unsafe extern "C" fn(problem: *const passel_problem, column: usize) -> i32>,
}

/// What chooses variables: one of `declare` and `run`, the other null.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_selector {
    pub size: usize,
    pub method: passel_method,
    /// Fills in a score, by which the engine chooses variables one by one. Returns 0; or else
    /// another number, with a reason in `error`, the engine's room of `error_size` bytes, the
    /// ending zero included. The same values give the same score. Called from any thread,
    /// from several at once, and once at load with the default values.
    pub declare: Option<
        unsafe extern "C" fn(
            selector: *const passel_selector,
            values: *const f64,
            score: *mut passel_score,
            error: *mut c_char,
            error_size: usize,
        ) -> i32,
    >,
    /// Chooses variables itself. Returns as `declare` does, when all are chosen. Called from any
    /// thread, from several at once for problems of their own, with 2 MiB of stack.
    pub run: Option<
        unsafe extern "C" fn(
            selector: *const passel_selector,
            values: *const f64,
            problem: *const passel_problem,
            error: *mut c_char,
            error_size: usize,
        ) -> i32,
    >,
    /// What `run` is lent: PASSEL_OVER_…
    pub over: u32,
    pub data: *const c_void,
}

/// A score of every pair of variables with the response, larger is better: x and w stand for
/// the two, and exchanging them must not change it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_pair_score {
    pub size: usize,
    pub method: passel_method,
    /// Of the table of both variables and the response.
    pub quantity: passel_quantity,
    /// Null, or what takes its place.
    pub function: *const passel_function,
}

/// What a plugin brings; its entry returns it. Lists may be null where they are empty.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct passel_plugin {
    pub size: usize,
    /// The PASSEL_ABI_VERSION it was compiled with.
    pub abi_version: u32,
    /// The least PASSEL_ABI_VERSION that it works with; 0 for 1. An earlier engine reads no further.
    pub needs: u32,
    /// The NAME of its entry, with `-` for `_`.
    pub name: *const c_char,
    /// Its own version, as it likes.
    pub version: *const c_char,
    /// What it is, on one line.
    pub description: *const c_char,
    pub selectors: *const *const passel_selector,
    /// How many; at most 1024, as of those below.
    pub selector_count: usize,
    /// Its pair scores. May be left out, size and all, and so may what follows.
    pub pair_scores: *const *const passel_pair_score,
    pub pair_score_count: usize,
    pub criteria: *const *const passel_criterion,
    pub criterion_count: usize,
    pub families: *const *const passel_family,
    pub family_count: usize,
}

/// An entry.
pub type passel_entry = unsafe extern "C" fn(engine: *const passel_engine) -> *const passel_plugin;
