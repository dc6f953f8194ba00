//! Pairs scored exactly: those that a GPU has found, or all.

use passel_kernels::pairs::PairBounds;
use rayon::prelude::*;

use super::{
    super::super::super::{
        DeviceError,
        counting::{MarginSums, Pair, PairSearch, ScoreEvaluator, TopPairs},
    },
    Known,
    gpu::PairGpu,
    progress::Progress,
};

impl Known<'_> {
    /// The pair of two places, from the sums of their table; of equal places too.
    fn pair(&self, synergy: &ScoreEvaluator, found: &PairBounds, [xw, xwy]: [i64; 2]) -> Pair {
        let places = [found.a, found.b].map(|it| it as usize);
        let [mut w, mut x] = places;
        if self.plan.numbers[w] > self.plan.numbers[x] {
            (w, x) = (x, w);
        }
        let sums = MarginSums {
            observations: self.plan.n as u32,
            n: self.logs.full_term(),
            x: self.margins[x].x,
            w: self.margins[w].x,
            y: self.response_sum,
            xw,
            xy: self.margins[x].xy,
            wy: self.margins[w].xy,
            xwy,
        };
        Pair {
            score: self.evaluator.gather_table(0, &sums, self.logs),
            synergy: synergy.gather_table(0, &sums, self.logs),
            a: self.plan.numbers[w],
            b: self.plan.numbers[x],
        }
    }

    /// Scores the pairs that a GPU has found.
    pub(super) fn drain(
        &self,
        gpu: &PairGpu,
        synergy: &ScoreEvaluator,
        count: u32,
        pairs: TopPairs,
    ) -> Result<TopPairs, DeviceError> {
        if count == 0 {
            return Ok(pairs);
        }
        let exact = gpu.exact(&self.plan, count)?;
        gpu.forget()?;
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

    /// The scores of all pairs, each with itself too, for a matrix: by one GPU, which tells who watches what all would tell.
    pub(super) fn all(
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
        let jobs = self.plan.jobs().into_iter();
        let mut panels: Vec<_> = jobs.map(|it| self.plan.panels_of(it)).collect();
        panels.dedup();
        for panels in panels {
            if (asked.stop)() {
                break;
            }
            gpu.hold(self.block.columns, &self.plan, panels)?;
            let [down, across] = panels.map(|it| self.plan.places(it));
            let places = down.flat_map(|a| (across.start.max(a)..across.end).map(move |b| (a, b)));
            let asked_for =
                places.filter(|(a, b)| self.plan.pairs(self.plan.group(*a), self.plan.group(*b)));
            let found = asked_for.map(|(a, b)| PairBounds {
                a: a as u32,
                b: b as u32,
                ..PairBounds::default()
            });
            let mut found = found.peekable();
            while found.peek().is_some() && !(asked.stop)() {
                let batch: Vec<PairBounds> = found.by_ref().take(gpu.places() as usize).collect();
                gpu.set(&batch)?;
                let exact = gpu.exact(&self.plan, batch.len() as u32)?;
                let scored = exact.par_iter();
                let scored = scored.map(|(found, sums)| self.pair(asked.synergy, found, *sums));
                let scored: Vec<Pair> = scored.collect();
                for pair in scored {
                    let at = pair.a as usize * p + pair.b as usize;
                    matrix[at] = self.evaluator.score_nats(pair.score, 1);
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
