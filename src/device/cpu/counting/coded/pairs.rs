//! All pairs by a coded score: x the column that comes first, w the other.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::{
    super::{
        super::super::{
            DeviceError, ScoreFault, UndefinedScore,
            counting::{
                Categorical, Pair, PairSearch, ScoreEvaluator, TopPairs, check_value, to_ordered,
            },
        },
        cells::Beside,
        pairs::evenly,
        whole::margins,
    },
    CpuTableScorer,
};
use crate::binning::BinnedColumn;

/// A pair that has no score, by its two numbers, the first before the other.
type Fault = (u64, ScoreFault);

impl CpuTableScorer<'_> {
    /// See [`Values::pairs`](super::Values::pairs); of the pairs whose first column is this
    /// device's.
    pub(super) fn best_pairs(
        &self,
        response: &Categorical,
        asked: PairSearch,
    ) -> Result<TopPairs, DeviceError> {
        let PairSearch {
            block,
            synergy,
            wanted,
            mut matrix,
            stop,
            progress: done,
            ..
        } = asked;
        let (columns, p) = (block.columns, block.columns.len());
        let mut rows: Vec<Option<&mut [f64]>> = match &mut matrix {
            Some(matrix) => matrix.chunks_mut(p.max(1)).map(Some).collect(),
            None => (0..p).map(|_| None).collect(),
        };
        let anchors: Vec<_> = evenly(block.second_start()..p)
            .map(|at| (at, rows[at].take()))
            .collect();
        // Pairs behind one that has no score need none.
        let end = AtomicU64::new(u64::MAX);
        let nothing = || (wanted.clone(), None);
        let (pairs, fault) = anchors
            .into_par_iter()
            .fold(nothing, |(mut pairs, fault), (w, row)| {
                let mut found = None;
                if !stop() {
                    found = self
                        .pairs_of((w, response), columns, synergy, &mut pairs, row, &end)
                        .err();
                    done();
                }
                (pairs, first(fault, found))
            })
            .reduce(nothing, |a, b| (a.0.merge(b.0), first(a.1, b.1)));
        if let Some((numbers, reason)) = fault {
            let (column, other) = ((numbers >> 32) as u32, numbers as u32);
            return Err(DeviceError::UndefinedScore(UndefinedScore {
                column,
                other: Some(other),
                reason,
            }));
        }
        // A thread has the row of its w.
        if let Some(matrix) = matrix {
            for x in self.first..self.first + self.columns.len() {
                for w in x + 1..p {
                    matrix[x * p + w] = matrix[w * p + x];
                }
            }
        }
        Ok(pairs)
    }

    /// Those of w with what comes before it; where there is a matrix, with itself too.
    fn pairs_of(
        &self,
        (w, response): (usize, &Categorical),
        columns: &[BinnedColumn],
        synergy: &ScoreEvaluator,
        pairs: &mut TopPairs,
        mut row: Option<&mut [f64]>,
        end: &AtomicU64,
    ) -> Result<(), Fault> {
        let last = w + usize::from(row.is_some());
        let own = self.columns.iter().zip(self.first..last);
        if own.len() == 0 {
            return Ok(());
        }
        let beside = Beside::new(&Categorical::verbatim(&columns[w]), response);
        for (column, x) in own {
            let numbers = (x as u64) << 32 | w as u64;
            if numbers > end.load(Ordering::Relaxed) {
                break;
            }
            let read = self.read(column, &beside, |cells| {
                Ok((
                    check_value(self.value(cells)?)?,
                    Some(margins(cells, self.logs)),
                ))
            });
            // What has no observation tells nothing.
            match read.and_then(|it| it.unwrap_or(Ok((0.0, None)))) {
                Ok((value, sums)) => {
                    let (score, a, b) = (i128::from(to_ordered(value)), x as u32, w as u32);
                    if x < w && pairs.wants(score, a, b) {
                        let synergy = sums.map_or(0, |it| synergy.gather_table(0, &it, self.logs));
                        pairs.push(Pair {
                            score,
                            synergy,
                            a,
                            b,
                        });
                    }
                    if let Some(row) = &mut row {
                        row[x] = value;
                    }
                }
                Err(reason) => {
                    end.fetch_min(numbers, Ordering::Relaxed);
                    return Err((numbers, reason));
                }
            }
        }
        Ok(())
    }
}

/// The fault of the lower numbers.
fn first(a: Option<Fault>, b: Option<Fault>) -> Option<Fault> {
    a.into_iter().chain(b).min_by_key(|it| it.0)
}
