//! passel's plugin contract as C sees it: `passel.h`, with the rules for all at its head, is made from this file and those beside it.
//! `passel-sdk` is its safe side, for plugins in Rust; the engine's side is `src/plugin`.

#![no_std]
#![allow(non_camel_case_types, missing_docs)] // What a size or a count is needs no word.
#![forbid(unsafe_code)]

mod criterion;
mod family;

use core::ffi::{c_char, c_void};

mod plugin;
mod score;

pub use criterion::{passel_criterion, passel_model};
pub use family::passel_family;
pub use plugin::{passel_entry, passel_plugin};
pub use score::*;

/// The contract's version. It only grows: members are appended, and each time it is one more.
pub const PASSEL_ABI_VERSION: u32 = 1;

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
    /// Writes the path of the file that a parameter's value stands for, as the system spells it. Returns 0, or
    /// another number where there is none (0) or `path_size`, the ending zero included, is too small.
    pub path: Option<
        unsafe extern "C" fn(
            engine: *const passel_engine,
            value: f64,
            path: *mut c_char,
            path_size: usize,
        ) -> i32,
    >,
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
    /// Null, or names that a user writes for 0, 1, …: `least` is 0, `most` their number less one.
    pub choices: *const *const c_char,
    /// How many; at most 64.
    pub choice_count: usize,
    /// 1 where only whole numbers are allowed, else 0.
    pub whole: usize,
    /// 1 where a file is named (selectors and pair scores), else 0. Its value is 0 where none is given, as
    /// are `default_value`, `least` and `most`, or what passel_engine.path takes; another once the file has
    /// changed. A method that has one is not tried with its default values at load.
    pub file: usize,
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
    /// 1 for a column that the user keeps, and every model holds; else 0.
    pub kept: Option<unsafe extern "C" fn(problem: *const passel_problem, column: usize) -> i32>,
    /// Writes the name of a column, cut to `name_size` bytes, the ending zero included.
    pub name: Option<
        unsafe extern "C" fn(
            problem: *const passel_problem,
            column: usize,
            name: *mut c_char,
            name_size: usize,
        ) -> i32,
    >,
    /// Over levels: writes for each candidate x, of all p, the quantity of its table with an anchor w
    /// and the response, in nats. The anchor is n codes below `levels`, which itself stands for none;
    /// null for no anchor. Costs what a step of a declared score does.
    pub measure: Option<
        unsafe extern "C" fn(
            problem: *const passel_problem,
            quantity: *const passel_quantity,
            anchor: *const u32,
            levels: usize,
            values: *mut f64,
        ) -> i32,
    >,
    /// Puts a finite number into the report, under a name as parameters have; the last of a name stays.
    pub tell: Option<
        unsafe extern "C" fn(
            problem: *const passel_problem,
            name: *const c_char,
            value: f64,
        ) -> i32,
    >,
    /// The number of a column's term, from 0. Columns of a factor or of another term of several
    /// columns follow one another and are one: who chooses or fits a column does so with its term's
    /// others, and `most` counts terms. All others are terms of their own.
    pub term: Option<unsafe extern "C" fn(problem: *const passel_problem, column: usize) -> usize>,
    /// As --family names it: "gaussian" of a linear regression, and where there is none.
    pub family: *const c_char,
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
    /// Null, or refuses values that do not go together for `run`, before data are read. Returns as
    /// `declare` does.
    pub check: Option<
        unsafe extern "C" fn(
            selector: *const passel_selector,
            values: *const f64,
            error: *mut c_char,
            error_size: usize,
        ) -> i32,
    >,
    /// 1 where `run` chooses models of every family but multinomial: `fit` then maximises the likelihood, and its
    /// residuals, as the numbers of the response, are scores, the derivatives of it by the linear
    /// predictors, all times one number. 0 for linear regressions alone; another --family is refused.
    pub likelihoods: usize,
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
