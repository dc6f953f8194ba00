//! Deferred evaluation of scores that only fall: which candidates are counted against which anchors.
//!
//! ```text
//! bound(x) = score(x) after some of the steps ≥ score(x) after all   what is gathered is a minimum
//! best     = the best of the candidates that lack no step, if no other's bound is better
//! ```
//!
//! A candidate that cannot be the best is not counted any further. The first `places` candidates are
//! deferred, the others gather every step at once. A step is some waves. Each wave is `select`, which
//! lists what is to be counted; [`crate::dense`], which counts the lists; and `settle`, which gathers
//! what was counted and finds the best:
//!
//! | `wave` | what is listed |
//! | --- | --- |
//! | [`BEST`] | every step that the candidates of the best bounds lack, at most 32 of them |
//! | [`ONE`] | one step of each candidate whose bound is better than the best found |
//! | [`WINNERS`] | every step that these candidates lack |
//! | [`EVERYTHING`] | every step that any candidate lacks |
//!
//! ```text
//!             select, dense, settle of BEST, ONE, WINNERS
//! known best ───────────────────────────────────────────▶ known best        no bound is better
//!      ▲                                            └───▶ stalled           a list was too short
//!      └───────────── a wave with `resumes` ─────────────────┘
//! ```
//!
//! Lists have a capacity. Where the last wave of a step leaves a candidate that could win, the pick is
//! [`STALLED`], and all later launches do nothing until waves that resume have settled it: so steps may
//! be launched ahead of their results. Every wave with work to do does some of it.
//!
//! *Shapes*: of each member of [`DeferredArgs`] there, and of [`crate::score::ScoreArgs`], of one
//! batch without missing values, whose `steps` is null.
//!
//! *Launch*: `select` and `settle`; grid ⌈count / 256⌉, block 256, no dynamic shared memory, less
//! than 12 KiB static. `gathers` is set in `select` of the first wave of a step with a new anchor
//! alone: then candidates not deferred gather the sums at hand, and the anchor is kept. `last` is set
//! in `settle` of the last wave: it writes a pick, which becomes the next anchor where `next` is not
//! null.
//!
//! *Before and after*: `many`, and of [`WaveControl`] all but `best` and `counted`, are 0 before the
//! first launch. `found` need not be set. The rule gathers by minimum. Before the first step is
//! gathered by all, score must fall from relevance on, or `base` is 1 at least.
//!
//! *Exactness*: the best does not depend on capacities; its bits are those of [`crate::score`].

use crate::{
    Kernel,
    counting::TableSums,
    score::{self, BestCandidate, ScoreRule},
};

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "deferred",
    source!("counting.cuh", "score.cuh", "deferred.cu"),
    &["select", "settle"],
);

/// The wave that counts the candidates of the best bounds.
pub const BEST: i32 = 0;
/// The wave that counts one step of each candidate that could win.
pub const ONE: i32 = 1;
/// The wave that counts every step of the candidates that could win.
pub const WINNERS: i32 = 2;
/// The wave that counts every step of all candidates.
pub const EVERYTHING: i32 = 3;

/// [`crate::score::Pick::number`] where a list was too short: the pick is not known yet, or
/// [`EVERYTHING`] needs one more wave.
pub const STALLED: u32 = score::NONE - 1;

/// A list of items of columns whose codes have one width.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct WorkList {
    /// Its first candidate; the next list's where it has none.
    pub first: u32,
    /// Its first item.
    pub offset: u32,
    /// Items there is room for.
    pub capacity: u32,
}
assert_layout!(WorkList: 12; capacity: 8);

/// State that waves leave for later ones; one, in the GPU's memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WaveControl {
    /// The best of the candidates that lack no step.
    pub best: BestCandidate,
    /// Items wanted in each list, those without room included.
    pub wanted: [u64; 3],
    /// 0 before and after.
    pub arrived: u32,
    /// Whether the best is not known yet.
    pub stalled: u32,
    /// Items of all waves so far. Eight bytes behind it are free.
    pub counted: u64,
}
assert_layout!(WaveControl: 80 by 16; counted: 64);

/// Arguments of both functions besides [`crate::score::ScoreArgs`], by value. Behind `lists` four
/// bytes are free.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DeferredArgs {
    /// Deferred candidates: the first ones.
    pub places: u32,
    /// Steps that all of these have gathered.
    pub base: u32,
    /// u32: of each, steps it has gathered behind those.
    pub done: u64,
    /// u32: of each, the first of its items at hand.
    pub start: u64,
    /// u32: how many they are, 0 before and after.
    pub many: u64,
    /// [`crate::counting::WorkItem`]: of all lists.
    pub items: u64,
    /// Of codes of 4, 8 and 16 bits.
    pub lists: [WorkList; 3],
    /// [`crate::counting::AnchorSums`]: of the steps behind `base`.
    pub anchors: u64,
    /// i64: of each item, over (x, w).
    pub xw: u64,
    /// i64: over (x, w, y).
    pub xwy: u64,
    /// [`BestCandidate`]: two of each block.
    pub found: u64,
    /// [`WaveControl`].
    pub control: u64,
    /// [`BEST`] … [`EVERYTHING`].
    pub wave: i32,
    /// Whether a pick is written, 0 or 1.
    pub last: i32,
    /// Whether it continues a step that stalled, 0 or 1.
    pub resumes: i32,
}
assert_layout!(DeferredArgs: 136; lists: 40, anchors: 80, wave: 120);

/// The place of the best candidate, and how many tables of steps were counted to know it, where the
/// candidate of the best bound is always counted one step further. A candidate is its table with one
/// level of w, and its table of each step.
///
/// ```
/// use passel_kernels::{deferred, score::{ScoreRule, ScoreTerm}, counting::TableSums};
/// // Scores are the least S(xw), of tables that have nothing else.
/// let mut rule = ScoreRule { terms: 1, gather: 1, join: 1, ..ScoreRule::default() };
/// rule.term[0] = ScoreTerm { weight: 1, over: [0, 0, 0, 0, 1, 0, 0, 0], ..ScoreTerm::default() };
/// let table = |xw| TableSums { of: [0, 0, 0, 0, xw, 0, 0, 0], left: 4 };
/// let candidate = |of: [i64; 3]| (table(0), of.map(table).to_vec());
/// let all = [[9, 8, 7], [6, 9, 9], [7, 9, 9]].map(candidate);
/// // Of the second one step is enough: 6 is below 7. Equal scores go to the lowest number.
/// assert_eq!(deferred::reference(&rule, 4, &all, &[0, 1, 2]), (Some(0), 3 + 1 + 1));
/// assert_eq!(deferred::reference(&rule, 4, &all, &[2, 1, 0]), (Some(2), 3 + 1 + 3));
/// ```
pub fn reference(
    rule: &ScoreRule,
    rows: i64,
    candidates: &[(TableSums, Vec<TableSums>)],
    numbers: &[u32],
) -> (Option<usize>, usize) {
    let mut done = vec![1; candidates.len()];
    loop {
        let bounds: Vec<_> = candidates
            .iter()
            .zip(&done)
            .map(|((first, steps), &done)| score::reference(rule, rows, first, &steps[..done]))
            .collect();
        let best = score::best(&bounds, numbers);
        match best {
            Some(at) if done[at] < candidates[at].1.len() => done[at] += 1,
            _ => return (best, done.iter().sum()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        counting::tests::{codes, terms},
        score::ScoreTerm,
        wide,
    };

    /// Tables of candidates against the same anchors.
    fn candidates(count: u64, anchors: u64) -> Vec<(TableSums, Vec<TableSums>)> {
        let (y, terms) = (codes(100, 2, 51), terms(100));
        let candidate = |at| {
            // Some are copies.
            let x = codes(100, 4, 52 + at % 5);
            let of = |w: &[u32]| wide::reference((&x, None), (w, 9), &y, &terms);
            let steps = (0..anchors).map(|anchor| of(&codes(100, 3, 61 + anchor)));
            (of(&[0; 100]), steps.collect())
        };
        (0..count).map(candidate).collect()
    }

    /// The least I(x;y|w): alone, or joined so.
    fn rule(join: i32) -> ScoreRule {
        let mut rule = ScoreRule {
            terms: 1,
            gather: 1,
            join,
            ..ScoreRule::default()
        };
        let over = [0, 0, 1, 0, -1, 0, -1, 1];
        rule.term[0] = ScoreTerm {
            weight: 1 << 32,
            over,
            ..ScoreTerm::default()
        };
        rule.term[1].over = [1, -1, 0, -1, 0, 1, 0, 0];
        rule
    }

    #[test]
    fn what_is_not_counted_would_not_have_won() {
        let all = candidates(9, 6);
        let numbers: Vec<u32> = (0..9).map(|at| at * 4 % 9).collect();
        for join in [1, 2, 3] {
            let rule = rule(join);
            let whole = |(first, steps): &(TableSums, Vec<TableSums>)| {
                score::reference(&rule, 100, first, steps)
            };
            let scores: Vec<_> = all.iter().map(whole).collect();
            let (best, counted) = reference(&rule, 100, &all, &numbers);
            assert_eq!(best, score::best(&scores, &numbers));
            assert!(counted < 9 * 6, "{counted}");
        }
    }

    #[test]
    fn scores_only_fall() {
        for (first, steps) in candidates(5, 8) {
            for join in [1, 2, 3] {
                let after = |count| score::reference(&rule(join), 100, &first, &steps[..count]);
                let from = if join == 1 { 2 } else { 1 };
                assert!((from..=8).all(|count| after(count) <= after(count - 1)));
            }
        }
    }
}
