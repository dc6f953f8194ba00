//! All pairs: every column is an anchor once, for the columns behind it.

use rayon::prelude::*;

use super::{CpuCounter, Prepared, with_scratch};
use crate::{
    binning::BinnedColumn,
    device::counting::{Anchor, Pair, Pairs, Tally},
};

impl CpuCounter<'_> {
    /// See [`Counter::pairs`](super::Counter::pairs).
    #[allow(clippy::too_many_arguments)]
    pub(super) fn best_pairs(
        &self,
        columns: &[BinnedColumn],
        synergy: &Tally,
        wanted: &Pairs,
        matrix: Option<&mut [f64]>,
        stop: &(dyn Fn() -> bool + Sync),
        done: &(dyn Fn() + Sync),
    ) -> Pairs {
        let p = columns.len();
        let mut rows: Vec<Option<&mut [f64]>> = match matrix {
            Some(matrix) => matrix.chunks_mut(p.max(1)).map(Some).collect(),
            None => (0..p).map(|_| None).collect(),
        };
        // The first have the most behind them: any run of these has as much to do.
        let place = |at: usize| match at % 2 {
            0 => at / 2,
            _ => p - 1 - at / 2,
        };
        let anchors = (0..p).map(|at| (place(at), rows[place(at)].take()));
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
        pairs.reduce(nothing, Pairs::with)
    }

    fn pairs_of(
        &self,
        a: u32,
        column: &BinnedColumn,
        synergy: &Tally,
        pairs: &mut Pairs,
        mut row: Option<&mut [f64]>,
    ) {
        let behind = |it: &&super::Scored| it.unit.columns.last().is_some_and(|last| *last >= a);
        let mut units = self.units.iter().filter(behind).peekable();
        if units.peek().is_none() {
            return;
        }
        let anchor = Prepared::new(&Anchor::of(&column.codes), &self.classes, self.logs);
        let fixed = self.fixed(&anchor);
        let (terms, both) = (self.tally.terms(&fixed), synergy.terms(&fixed));
        let mut counted = Vec::new();
        for scored in units {
            let work = self.work(&anchor, true);
            with_scratch(|scratch| scored.unit.sums(work, scratch, &mut counted));
            let own = scored.unit.columns.iter().zip(&scored.candidates);
            for ((&b, candidate), &[xw, xwy]) in own.zip(&counted).filter(|it| *it.0.0 >= a) {
                let sums = [candidate.x, candidate.xy, xw, xwy];
                let score = self.tally.gather(0, &terms, sums);
                if let Some(row) = &mut row {
                    row[b as usize] = self.tally.nats(score, 1);
                }
                if b > a && pairs.wants(score) {
                    let synergy = synergy.gather(0, &both, sums);
                    pairs.push(Pair {
                        score,
                        synergy,
                        a,
                        b,
                    });
                }
            }
        }
    }
}
