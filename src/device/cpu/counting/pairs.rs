//! All pairs: every column is an anchor once, for the columns behind it.

use std::ops::Range;

use rayon::prelude::*;

use super::{CpuCounter, Scored, with_scratch};
use crate::{
    binning::BinnedColumn,
    device::counting::{Categorical, Pair, PairSearch, ScoreEvaluator, TopPairs},
};

/// Every place of a range, the first and the last by turns: the first have the most behind them,
/// and any run of these has as much to do.
pub(super) fn evenly(places: Range<usize>) -> impl Iterator<Item = usize> {
    (0..places.len()).map(move |at| match at % 2 {
        0 => places.start + at / 2,
        _ => places.end - 1 - at / 2,
    })
}

impl CpuCounter<'_> {
    /// See [`Counter::pairs`](super::Counter::pairs).
    pub(super) fn best_pairs(&self, asked: PairSearch) -> TopPairs {
        let PairSearch {
            block,
            synergy,
            wanted,
            matrix,
            stop,
            progress: done,
            ..
        } = asked;
        let (columns, p) = (block.columns, block.columns.len());
        let mut rows: Vec<Option<&mut [f64]>> = match matrix {
            Some(matrix) => matrix.chunks_mut(p.max(1)).map(Some).collect(),
            None => (0..p).map(|_| None).collect(),
        };
        let anchors = evenly(0..block.first_end()).map(|at| (at, rows[at].take()));
        let anchors: Vec<_> = anchors.collect();
        let nothing = || wanted.clone();
        let pairs = anchors
            .into_par_iter()
            .fold(nothing, |mut pairs, (a, row)| {
                if !stop() {
                    self.pairs_of(a as u32, &columns[a], synergy, &mut pairs, row);
                    done();
                }
                pairs
            });
        pairs.reduce(nothing, TopPairs::merge)
    }

    fn pairs_of(
        &self,
        a: u32,
        column: &BinnedColumn,
        synergy: &ScoreEvaluator,
        pairs: &mut TopPairs,
        mut row: Option<&mut [f64]>,
    ) {
        let behind = |it: &&Scored| it.unit.columns.last().is_some_and(|last| *last >= a);
        let mut units = self.units.iter().filter(behind).peekable();
        if units.peek().is_none() {
            return;
        }
        let laid = self.lay(&Categorical::compact(column));
        let fixed = laid.prepared.as_ref().map(|it| self.fixed(it));
        let terms = fixed.map(|it| (self.evaluator.terms(&it), synergy.terms(&it)));
        let mut told = |b: u32, score: i128, synergy: &dyn Fn() -> i128| {
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
            let Scored {
                unit, candidates, ..
            } = scored;
            match (&laid.prepared, &terms, &laid.whole) {
                (Some(anchor), Some((terms, both)), _) if !unit.is_whole() => {
                    let work = self.work(anchor, true);
                    with_scratch(|scratch| unit.sums(work, scratch, &mut counted));
                    let own = unit.columns.iter().zip(candidates);
                    for ((&b, candidate), &[xw, xwy]) in own.zip(&counted) {
                        let sums = [candidate.x, candidate.xy, xw, xwy];
                        let score = self.evaluator.gather(0, terms, sums);
                        told(b, score, &|| synergy.gather(0, both, sums));
                    }
                }
                (.., Some(whole)) => self.whole(unit, whole, |at, sums| {
                    let score = self.evaluator.gather_table(0, &sums, self.logs);
                    let both = || synergy.gather_table(0, &sums, self.logs);
                    told(unit.columns[at], score, &both);
                }),
                // What is laid out is what its units need.
                (.., None) => {}
            }
        }
    }
}
