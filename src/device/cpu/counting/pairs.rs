//! All pairs by a declared score: each column conditions the columns after it once.

use std::ops::Range;

use rayon::prelude::*;

use super::{CpuCounter, ScoredUnit};
use crate::device::{
    DeviceError,
    counting::{Categorical, PairCounter, PairSearch, TopPairs},
};

/// Visits each conditioning column of a range on some thread, with its row of the search's matrix,
/// and merges what the threads accumulate.
///
/// Columns come from both ends by turns: the first are paired with the most others, so this gives
/// every run of columns about as much work.
pub(super) fn visit_columns<A: Send>(
    search: &mut PairSearch,
    range: Range<usize>,
    start: impl Fn() -> A + Sync + Send,
    visit: impl Fn(&mut A, usize, Option<&mut [f64]>) + Sync + Send,
    merge: impl Fn(A, A) -> A + Sync + Send,
) -> A {
    let (p, stop, progress) = (search.block.columns.len(), search.stop, search.progress);
    let mut rows: Vec<Option<&mut [f64]>> = match &mut search.matrix {
        Some(matrix) => matrix.chunks_mut(p.max(1)).map(Some).collect(),
        None => (0..p).map(|_| None).collect(),
    };
    let columns = (0..range.len()).map(|at| match at % 2 {
        0 => range.start + at / 2,
        _ => range.end - 1 - at / 2,
    });
    let places = search.places.clone();
    let columns = columns.skip(places.start).take(places.len());
    let columns: Vec<_> = columns
        .map(|column| (column, rows[column].take()))
        .collect();
    let visited = columns
        .into_par_iter()
        .fold(&start, |mut accumulated, (column, row)| {
            if !stop() {
                visit(&mut accumulated, column, row);
                progress(1);
            }
            accumulated
        });
    visited.reduce(&start, merge)
}

impl PairCounter for CpuCounter<'_> {
    fn names(&self) -> Vec<String> {
        vec!["cpu".to_owned()]
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        let all = self.units.iter().flat_map(|scored| {
            let relevance = scored.candidates.iter().map(|state| state.relevance);
            scored.unit.columns.iter().copied().zip(relevance)
        });
        let mut all: Vec<(u32, i64)> = all.collect();
        all.sort_unstable();
        Ok(all.into_iter().map(|(_, relevance)| relevance).collect())
    }

    fn works_in_parts(&self) -> bool {
        true
    }

    fn pairs(&mut self, mut search: PairSearch) -> Result<TopPairs, DeviceError> {
        let own = &*self;
        let PairSearch {
            block,
            synergy,
            wanted,
            ..
        } = search;
        // Adds the pairs of column a with the later columns of this shard.
        let pairs_of = |pairs: &mut TopPairs, a: usize, mut row: Option<&mut [f64]>| {
            let (column, a) = (&block.columns[a], a as u32);
            let later =
                |scored: &&ScoredUnit| scored.unit.columns.last().is_some_and(|last| *last >= a);
            let mut units = own.units.iter().filter(later).peekable();
            if units.peek().is_none() {
                return;
            }
            let variable = own.prepare(&Categorical::compact(column));
            let [terms, synergy_terms] =
                [own.evaluator, synergy].map(|evaluator| evaluator.terms(&variable.fixed));
            for ScoredUnit {
                unit, candidates, ..
            } in units
            {
                own.count(unit, &variable, true, |at, sums| {
                    let (b, candidate) = (unit.columns[at], &candidates[at]);
                    if b < a {
                        return;
                    }
                    let score = candidate.gather(0, sums, own.evaluator, &terms);
                    if let Some(row) = &mut row {
                        row[b as usize] = own.evaluator.score_nats(score, 1);
                    }
                    if b > a {
                        let synergy = || candidate.gather(0, sums, synergy, &synergy_terms);
                        pairs.offer(score, a, b, synergy);
                    }
                });
            }
        };
        let columns = 0..block.first_end();
        let start = || wanted.clone();
        Ok(visit_columns(
            &mut search,
            columns,
            start,
            pairs_of,
            TopPairs::merge,
        ))
    }
}
