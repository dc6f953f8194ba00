//! All pairs: every column is an anchor once, for the columns behind it.

use rayon::prelude::*;

use super::{CpuCounter, Prepared};
use crate::{
    binning::BinnedColumn,
    device::counting::{Anchor, Pair, Pairs, Sums, Tally},
};

impl CpuCounter<'_> {
    /// The best pairs of any column a and, behind it, one of this device's. `stop` is asked
    /// before each anchor; `done` told after.
    pub(super) fn best_pairs(
        &self,
        columns: &[BinnedColumn],
        synergy: &Tally,
        wanted: &Pairs,
        stop: &(dyn Fn() -> bool + Sync),
        done: &(dyn Fn() + Sync),
    ) -> Pairs {
        let nothing = || wanted.clone();
        // The first have the most behind them: any run of these has as much to do.
        let p = columns.len();
        let anchors = (0..p).into_par_iter().map(|at| match at % 2 {
            0 => at / 2,
            _ => p - 1 - at / 2,
        });
        let pairs = anchors.fold(nothing, |mut pairs, a| {
            if !stop() {
                self.pairs_of(a as u32, &columns[a], synergy, &mut pairs);
                done();
            }
            pairs
        });
        pairs.reduce(nothing, Pairs::with)
    }

    fn pairs_of(&self, a: u32, column: &BinnedColumn, synergy: &Tally, pairs: &mut Pairs) {
        let behind = |it: &&super::Scored| it.unit.columns.last().is_some_and(|last| *last > a);
        let mut units = self.units.iter().filter(behind).peekable();
        if units.peek().is_none() {
            return;
        }
        let anchor = Prepared::new(&Anchor::of(&column.codes), &self.classes, self.logs);
        let fixed = Sums {
            n: self.logs.whole(),
            w: anchor.w,
            y: self.y,
            wy: anchor.wy,
            ..Sums::default()
        };
        let (terms, both) = (self.tally.terms(&fixed), synergy.terms(&fixed));
        let mut counted = Vec::new();
        for scored in units {
            let work = self.work(&anchor, true);
            self.with_scratch(|scratch| scored.unit.sums(work, scratch, &mut counted));
            let own = scored.unit.columns.iter().zip(&scored.candidates);
            for ((&b, candidate), &[xw, xwy]) in own.zip(&counted) {
                let sums = [candidate.x, candidate.xy, xw, xwy];
                let score = self.tally.gather(0, &terms, sums);
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
