//! All pairs by a declared score: each column conditions the columns after it once.

use std::ops::Range;

use rayon::prelude::*;

use super::{CpuCounter, ScoredUnit, with_scratch};
use crate::{
    binning::BinnedColumn,
    device::counting::{Categorical, Pair, PairSearch, ScoreEvaluator, TopPairs},
};

/// Visits each conditioning column of a range on some thread, with its row of a p × p matrix, and
/// merges what the threads accumulate.
///
/// Columns come from both ends by turns: the first are paired with the most others, so this gives
/// every run of columns about as much work.
pub(super) fn visit_columns<A: Send>(
    range: Range<usize>,
    (p, matrix): (usize, Option<&mut [f64]>),
    start: impl Fn() -> A + Sync + Send,
    visit: impl Fn(A, usize, Option<&mut [f64]>) -> A + Sync + Send,
    merge: impl Fn(A, A) -> A + Sync + Send,
) -> A {
    let mut rows: Vec<Option<&mut [f64]>> = match matrix {
        Some(matrix) => matrix.chunks_mut(p.max(1)).map(Some).collect(),
        None => (0..p).map(|_| None).collect(),
    };
    let columns = (0..range.len()).map(|at| match at % 2 {
        0 => range.start + at / 2,
        _ => range.end - 1 - at / 2,
    });
    let columns: Vec<_> = columns
        .map(|column| (column, rows[column].take()))
        .collect();
    let visited = columns
        .into_par_iter()
        .fold(&start, |accumulated, (column, row)| {
            visit(accumulated, column, row)
        });
    visited.reduce(&start, merge)
}

impl CpuCounter<'_> {
    /// See [`PairCounter::pairs`](super::PairCounter::pairs).
    pub(super) fn best_pairs(&self, search: PairSearch) -> TopPairs {
        let PairSearch {
            block,
            synergy,
            wanted,
            matrix,
            stop,
            progress,
            ..
        } = search;
        let columns = block.columns;
        visit_columns(
            0..block.first_end(),
            (columns.len(), matrix),
            || wanted.clone(),
            |mut pairs, a, row| {
                if !stop() {
                    self.pairs_of(a as u32, &columns[a], synergy, &mut pairs, row);
                    progress();
                }
                pairs
            },
            TopPairs::merge,
        )
    }

    /// Adds the pairs of column a with the later columns of this shard.
    fn pairs_of(
        &self,
        a: u32,
        column: &BinnedColumn,
        synergy: &ScoreEvaluator,
        pairs: &mut TopPairs,
        mut row: Option<&mut [f64]>,
    ) {
        let later =
            |scored: &&ScoredUnit| scored.unit.columns.last().is_some_and(|last| *last >= a);
        let mut units = self.units.iter().filter(later).peekable();
        if units.peek().is_none() {
            return;
        }
        let variable = self.prepare(&Categorical::compact(column));
        let fixed = variable
            .sorted
            .as_ref()
            .map(|sorted| self.fixed_sums(sorted));
        let terms = fixed.map(|fixed| (self.evaluator.terms(&fixed), synergy.terms(&fixed)));
        let mut record = |b: u32, score: i128, synergy: &dyn Fn() -> i128| {
            if b < a {
                return;
            }
            if let Some(row) = &mut row {
                row[b as usize] = self.evaluator.score_nats(score, 1);
            }
            if b > a && pairs.wants(score, a, b) {
                let synergy = synergy();
                pairs.push(Pair {
                    score,
                    synergy,
                    a,
                    b,
                });
            }
        };
        let mut counted = Vec::new();
        for scored in units {
            let ScoredUnit {
                unit, candidates, ..
            } = scored;
            match (&variable.sorted, &terms, &variable.wide) {
                (Some(anchor), Some((terms, both)), _) if !unit.is_incomplete() => {
                    let sweep = self.sweep_of(anchor, true);
                    with_scratch(|scratch| unit.sums(sweep, scratch, &mut counted));
                    let own = unit.columns.iter().zip(candidates);
                    for ((&b, candidate), &[xw, xwy]) in own.zip(&counted) {
                        let sums = [candidate.x, candidate.xy, xw, xwy];
                        let score = self.evaluator.gather(0, terms, sums);
                        record(b, score, &|| synergy.gather(0, both, sums));
                    }
                }
                (.., Some(whole)) => self.wide_sums(unit, whole, |at, sums| {
                    let score = self.evaluator.gather_table(0, &sums);
                    let both = || synergy.gather_table(0, &sums);
                    record(unit.columns[at], score, &both);
                }),
                // Every form that a unit needs was prepared.
                (.., None) => {}
            }
        }
    }
}
