//! Pairs scored exactly: those that a GPU found, or all for a matrix.

use passel_kernels::pairs::PairBounds;
use rayon::prelude::*;

use super::{gpu::PairGpu, layout::BitLayout, progress::Progress, screen::Screen};
use crate::device::{
    DeviceError,
    counting::{MarginSums, Pair, PairDomain, PairSearch, ScoreEvaluator, TopPairs},
};

/// Sums over one column.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnSums {
    /// Σ c·L(c) over its levels.
    pub(super) x: i64,
    /// Σ c·L(c) over its levels and the response.
    pub(super) xy: i64,
}

/// What the host keeps of the columns while GPUs search their pairs.
pub(super) struct PairContext<'a> {
    pub(super) block: PairDomain<'a>,
    pub(super) screen: Screen<'a>,
    pub(super) layout: BitLayout,
    /// Of each place.
    pub(super) sums: Vec<ColumnSums>,
}

impl PairContext<'_> {
    /// Scores the pair of two places, which may be equal, from the sums of its table.
    fn pair(&self, synergy: &ScoreEvaluator, found: &PairBounds, [xw, xwy]: [i64; 2]) -> Pair {
        let (numbers, screen) = (&self.layout.numbers, &self.screen);
        let mut places = [found.a, found.b].map(|place| place as usize);
        places.sort_by_key(|&place| numbers[place]);
        let [w, x] = places;
        let sums = MarginSums {
            observations: self.layout.n as u32,
            n: screen.evaluator.logs().full_term(),
            x: self.sums[x].x,
            w: self.sums[w].x,
            y: screen.y,
            xw,
            xy: self.sums[x].xy,
            wy: self.sums[w].xy,
            xwy,
        };
        Pair {
            score: screen.evaluator.gather_table(0, &sums),
            synergy: synergy.gather_table(0, &sums),
            a: numbers[w],
            b: numbers[x],
        }
    }

    /// Scores the first `count` pairs that a GPU found, clears them there, and adds the best.
    pub(super) fn score_found(
        &self,
        gpu: &PairGpu,
        synergy: &ScoreEvaluator,
        count: u32,
        pairs: TopPairs,
    ) -> Result<TopPairs, DeviceError> {
        if count == 0 {
            return Ok(pairs);
        }
        let exact = gpu.count_exactly(&self.layout, count)?;
        gpu.clear_found()?;
        let nothing = || pairs.cleared();
        let found = exact.par_chunks(1 << 14).map(|exact| {
            let mut own = nothing();
            for (found, sums) in exact {
                let pair = self.pair(synergy, found, *sums);
                if own.wants(pair.score, pair.a, pair.b) {
                    own.push(pair);
                }
            }
            own
        });
        let found = found.reduce(nothing, TopPairs::merge);
        Ok(pairs.merge(found))
    }

    /// Fills the matrix of all pairs' scores, in nats, by one GPU; it reports the progress of `gpus`.
    /// *Shapes:* p × p, row-major; only cells whose row is at most their column are written.
    pub(super) fn score_all(
        &self,
        gpu: &mut PairGpu,
        matrix: &mut [f64],
        asked: &PairSearch,
        gpus: usize,
    ) -> Result<TopPairs, DeviceError> {
        let (p, mut pairs) = (self.block.columns.len(), asked.wanted.clone());
        let (mut progress, mut done) = (Progress::new(p * gpus, asked.progress), 0);
        let all = match self.block.split {
            None => p * (p + 1) / 2,
            Some(first) => first * (p - first),
        };
        let jobs = self.layout.group_pairs().into_iter();
        let mut panels: Vec<_> = jobs.map(|job| self.layout.panels_of(job)).collect();
        panels.dedup();
        for panels in panels {
            if (asked.stop)() {
                break;
            }
            gpu.load_panels(self.block.columns, &self.layout, panels)?;
            let [down, across] = panels.map(|panel| self.layout.places(panel));
            let places = down.flat_map(|a| (across.start.max(a)..across.end).map(move |b| (a, b)));
            let group = |place: usize| self.layout.group(place);
            let paired = places.filter(|(a, b)| self.layout.pairs(group(*a), group(*b)));
            let found = paired.map(|(a, b)| PairBounds {
                a: a as u32,
                b: b as u32,
                ..PairBounds::default()
            });
            let mut found = found.peekable();
            while found.peek().is_some() && !(asked.stop)() {
                let batch: Vec<PairBounds> = found.by_ref().take(gpu.places() as usize).collect();
                gpu.gpu.upload(&batch, gpu.found.address())?;
                let exact = gpu.count_exactly(&self.layout, batch.len() as u32)?;
                let score = |(found, sums): &_| self.pair(asked.synergy, found, *sums);
                let scored: Vec<Pair> = exact.par_iter().map(score).collect();
                for pair in scored {
                    let at = pair.a as usize * p + pair.b as usize;
                    matrix[at] = self.screen.evaluator.score_nats(pair.score, 1);
                    if pair.a != pair.b && pairs.wants(pair.score, pair.a, pair.b) {
                        pairs.push(pair);
                    }
                }
                done += batch.len();
                progress.at(done, all);
            }
        }
        Ok(pairs)
    }
}
