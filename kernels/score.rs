//! From sums to scores, in integers, and the best candidate.
//!
//! With S the eight sums of a candidate's table of (x, w, y), of `left` of the rows:
//!
//! ```text
//! quantity  = Σᵢ overᵢ·Sᵢ · rows / left, or unit · Σᵢ overᵢ·Sᵢ / Σᵢ underᵢ·Sᵢ   to the nearest
//! step      = Σ weight · quantity, or weight · min(0, quantity), over the terms
//! gathered  = gathered + step | min(gathered, step) | step
//! relevance = quantity of the last term, of the table where w has one level
//! score     = R + gathered | gathered | min(R, gathered) | R, never where gathered < 0
//!             R = relevance · 2³² · (steps, for a mean; else 1); R alone before the first step
//! best      = the largest score, of the lowest number where several have it
//! ```
//!
//! Halves are rounded up; what is divided by 0 is 0; ratios have 64 bits, gathered values and
//! scores 128, and stop at their ends. A candidate's sums are those at hand where neither it nor
//! the anchor misses values, and its `whole` where one does.
//!
//! *Shapes*: of each member of [`ScoreArgs`] and [`ScoreRule`] there; `found` a [`BestCandidate`] for each block of
//! the grid, `picks` a [`Pick`] for each batch, both of no matter before; `arrived` a u32 for
//! each batch.
//!
//! *Launch*: `score`; grid (any, batches ≤ 65,535), block 32 … 1,024 by 32 (256), less than 2 KiB
//! of static shared memory. Three uses:
//!
//! | `begins` | `gathers` | sums at hand | what |
//! | --- | --- | --- | --- |
//! | 1 | 0 | `xwy`: over (x, y); or `whole`, of w with one level | relevance, and the best by it; forgets what was gathered |
//! | 0 | 1 | `xw`, `xwy`; or `whole` | one step more, and the best after it |
//! | 0 | 0 | none | the best again, after candidates were excluded |
//!
//! *Before and after*: `arrived` is 0. `steps` is 0 before the first step: `begins` leaves it as
//! it is. With more than one batch `next` and `steps` are null, for batches do not wait for each
//! other. `redundancy` is of no use where anything misses values: their xw is not at hand.
//!
//! *Exactness*: the same bits as the CPU has, for any grid and block. Combinations stay within
//! 64 bits: that is what the fraction bits of `terms` are chosen for.

#[cfg(test)]
mod tests;

use crate::{Kernel, counting::TableSums};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "score",
    source!("counting.cuh", "score.cuh", "score.cu"),
    &["score", "exclude"],
);

/// Most terms of a step.
pub const TERMS: usize = 8;

/// [`BestCandidate::number`] and [`Pick::number`] where there is no candidate.
pub const NONE: u32 = u32::MAX;

/// A quantity of a table, what its value is multiplied by, and the part of it that counts.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoreTerm {
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
assert_layout!(ScoreTerm: 80; is_ratio: 72);

/// How sums become a score.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoreRule {
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
    /// The terms of a step, then relevance: at [`ScoreRule::terms`].
    pub term: [ScoreTerm; TERMS + 1],
}
assert_layout!(ScoreRule: 760; term: 40);

/// Arguments, by value. Behind `count`, `steps_known` and `anchor_misses` four
/// bytes are free.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ScoreArgs {
    /// What a score is made of.
    pub rule: ScoreRule,
    /// Candidates, excluded ones among them; arrays "of each batch" have so many, batch by batch.
    pub count: u32,
    /// u32: of each candidate its number among the columns of all devices.
    pub numbers: u64,
    /// u8: of each candidate, not 0 where it is none any more.
    pub excluded: u64,
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
    /// i128 of each batch: Σ of xw over the steps; null where it is not wanted.
    pub redundancy: u64,
    /// [`crate::counting::AnchorSums`]: of each batch one.
    pub anchors: u64,
    /// [`crate::counting::AnchorSums`]: one, becomes the best, which is excluded; null where it is not
    /// to be, and with more than one batch.
    pub next: u64,
    /// u32: of each candidate.
    pub levels: u64,
    /// u32: one, steps gathered so far, raised where `gathers`; null where the host counts, and
    /// with more than one batch.
    pub steps: u64,
    /// Steps gathered so far, where `steps` is null.
    pub steps_known: u32,
    /// [`crate::counting::TableSums`] of each batch, for those that miss values.
    pub whole: u64,
    /// u8: of each candidate, not 0 where it misses values; null where none does.
    pub misses: u64,
    /// Whether the anchor misses values, 0 or 1: all candidates have their `whole` then.
    pub anchor_misses: i32,
    /// Observations.
    pub rows: i64,
    /// Whether there are sums of a step to gather, 0 or 1.
    pub gathers: i32,
    /// Whether there are sums of (x, y), of which relevance is made, 0 or 1.
    pub begins: i32,
    /// Whether nothing is gathered yet.
    pub forgets: i32,
    /// Whether there are sums of (x, w, y); else those of (x, w) stand for them.
    pub by_class: i32,
}
assert_layout!(ScoreArgs: 928; rows: 904);

/// The best of some candidates.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BestCandidate {
    /// Larger is better.
    pub score: i128,
    /// Among the columns of all devices; [`NONE`] where there is none.
    pub number: u32,
    /// Among the candidates. Eight bytes behind it are free.
    pub place: u32,
}
assert_layout!(BestCandidate: 32 by 16);

/// What the host reads of the best.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pick {
    /// Its score.
    pub score: i128,
    /// Σ of xw over the steps; 0 where it is not wanted.
    pub redundancy: i128,
    /// Its relevance.
    pub relevance: i64,
    /// Σ c·L(c) over its levels.
    pub x: i64,
    /// Over (x, y).
    pub xy: i64,
    /// Among the candidates.
    pub place: u32,
    /// Among the columns of all devices; [`NONE`], as its place, where there is none: all else
    /// is 0 then.
    pub number: u32,
}
assert_layout!(Pick: 64 by 16);

/// To the nearest integer, halves up; of a divisor above 0.
fn nearest(over: i128, under: i128) -> i128 {
    over.div_euclid(under) + i128::from(2 * over.rem_euclid(under) >= under)
}

/// The value of a term of a table of some of `rows`, without its weight.
///
/// ```
/// use passel_kernels::{counting::TableSums, score::{ScoreTerm, quantity}};
/// let over = [1, -1, 0, 0, 0, 0, 0, 0];
/// let table = TableSums { of: [10, 3, 0, 0, 0, 0, 0, 2], left: 4 };
/// let term = ScoreTerm { over, ..ScoreTerm::default() };
/// // 7 of four rows are 8.75 of five.
/// assert_eq!(quantity(&term, &table, 5, 0), 9);
/// let under = [0, 0, 0, 0, 0, 0, 0, -1];
/// let ratio = ScoreTerm { under, is_ratio: 1, ..term };
/// // −3.5 · 3 = −10.5
/// assert_eq!(quantity(&ratio, &table, 5, 3), -10);
/// ```
pub fn quantity(term: &ScoreTerm, table: &TableSums, rows: i64, unit: i64) -> i64 {
    let combined = |by: &[i32; 8]| -> i128 {
        let product = |(&by, sum)| i128::from(by) * i128::from(sum);
        by.iter().zip(table.of).map(product).sum()
    };
    let over = combined(&term.over);
    let (over, under) = match term.is_ratio {
        0 => (over * i128::from(rows), i128::from(table.left)),
        _ => (over * i128::from(unit), combined(&term.under)),
    };
    if under == 0 {
        return 0;
    }
    let value = nearest(over * under.signum(), under.abs());
    value.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

/// What a candidate has gathered after one step more, against an anchor whose table this is.
pub fn gathered(rule: &ScoreRule, before: i128, table: &TableSums, rows: i64) -> i128 {
    let value = |term: &ScoreTerm| {
        let value = quantity(term, table, rows, rule.unit);
        let most = if term.below_zero != 0 { 0 } else { value };
        i128::from(term.weight) * i128::from(value.min(most))
    };
    let step: i128 = rule.term[..rule.terms as usize].iter().map(value).sum();
    match rule.gather {
        0 => before.saturating_add(step),
        1 => before.min(step),
        _ => step,
    }
}

/// A candidate's score after so many steps; none where it is never to be chosen.
///
/// ```
/// use passel_kernels::score::{ScoreRule, total};
/// // Guarded: relevance, where what was gathered is not below 0.
/// let rule = ScoreRule { join: 3, ..ScoreRule::default() };
/// assert_eq!(total(&rule, 5, 0, 2), Some(5 << 32));
/// assert_eq!(total(&rule, 5, -1, 2), None);
/// ```
pub fn total(rule: &ScoreRule, relevance: i64, gathered: i128, steps: u32) -> Option<i128> {
    let factor = if rule.mean != 0 { steps.max(1) } else { 1 };
    let relevance = i128::from(relevance) * i128::from(factor) * (1 << 32);
    let score = match rule.join {
        _ if steps == 0 => relevance,
        0 => relevance.saturating_add(gathered),
        1 => gathered,
        2 => relevance.min(gathered),
        _ if gathered < 0 => return None,
        _ => relevance,
    };
    Some(score).filter(|score| *score != i128::MIN)
}

/// A candidate's score, from its table with one level of w, and its table of each step.
///
/// ```
/// use passel_kernels::{score::{self, ScoreRule, ScoreTerm}, wide};
/// // mRMR: I(x;y) less the mean of I(x;w). c·log2 c, so that informations are in bits times n.
/// let terms = [0, 0, 2, 5, 8];
/// let over = |over| ScoreTerm { weight: -1 << 32, over, ..ScoreTerm::default() };
/// let mut rule = ScoreRule { terms: 1, mean: 1, ..ScoreRule::default() };
/// rule.term[0] = over([1, -1, -1, 0, 1, 0, 0, 0]);
/// rule.term[1] = over([1, -1, 0, -1, 0, 1, 0, 0]);
/// // x says all of y, of the first w nothing, of the second all.
/// let (x, y) = ([0, 0, 1, 1], [0, 0, 1, 1]);
/// let table = |w: [u32; 4]| wide::reference((&x, None), (&w, 3), &y, &terms);
/// let steps = [table([0, 1, 0, 1]), table([0, 0, 1, 1])];
/// let score = |steps| score::reference(&rule, 4, &table([0; 4]), steps);
/// let all = [score(&[]), score(&steps[..1]), score(&steps)];
/// assert_eq!(all, [4, 4, 2 * 4 - 4].map(|it: i128| Some(it << 32)));
/// ```
pub fn reference(
    rule: &ScoreRule,
    rows: i64,
    first: &TableSums,
    steps: &[TableSums],
) -> Option<i128> {
    let relevance = quantity(&rule.term[rule.terms as usize], first, rows, rule.unit);
    let start = if rule.gather == 1 { i128::MAX } else { 0 };
    let step = |before, table| gathered(rule, before, table, rows);
    let gathered = steps.iter().fold(start, step);
    total(rule, relevance, gathered, steps.len() as u32)
}

/// The place of the best; none where none is to be chosen.
///
/// ```
/// let best = passel_kernels::score::best;
/// assert_eq!(best(&[Some(3), Some(8), None, Some(8)], &[0, 7, 1, 2]), Some(3));
/// assert_eq!(best(&[None, None], &[0, 1]), None);
/// ```
pub fn best(scores: &[Option<i128>], numbers: &[u32]) -> Option<usize> {
    let most = scores.iter().flatten().max()?;
    let equal = (0..scores.len()).filter(|&at| scores[at] == Some(*most));
    equal.min_by_key(|&at| numbers[at])
}
