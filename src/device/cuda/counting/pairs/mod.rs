//! All pairs on GPUs: columns as bits, tiles of them multiplied; what may be among the best by a
//! bound of its score is counted exactly.
//!
//! `plan` says how columns lie, `lay` brings them, `gpu` launches the kernels, `screen` is the score
//! as these compute it, `shape` which of them; `exact` counts what was found. Every GPU has all columns and takes tiles by turns.

mod exact;
mod gpu;
mod lay;
mod plan;
mod progress;
mod screen;
mod shape;

use passel_kernels::{
    bits::{BITS, SIDE},
    pairs::{BitProducts, ROWS, TILE_MULTIPLE},
};
use rayon::prelude::*;

use self::{
    gpu::{PairGpu, Wave},
    plan::Plan,
    progress::{Floor, Progress},
    screen::Screen,
};
use super::super::super::{
    DeviceError,
    counting::{
        Categorical, LogTable, MarginSums, PairCounter, PairDomain, PairSearch, ScoreEvaluator,
        TopPairs,
    },
};

/// Products of two bits in a wave, at most: some 50 ms, after which an interrupt is seen.
const WAVE: usize = 100_000_000_000_000;

/// Pairs of a wave, at most: those told in it are fewer than their counter counts.
const PAIRS: usize = 1 << 31;

/// A wave has so many times as many tiles as the one before: the floor is near its end before most
/// pairs are met.
const FASTER: usize = 16;

/// Most levels of a column: a row of bits for each but the last.
const LEVELS: usize = SIDE + 1;

/// A column's own counts.
#[derive(Debug, Clone, Copy, Default)]
struct Margins {
    /// Σ c·L(c) over it, and over it and the response.
    x: i64,
    xy: i64,
}

/// GPUs that share all pairs.
pub(crate) struct CudaPairs<'a> {
    known: Known<'a>,
    gpus: Vec<PairGpu>,
}

/// What the host knows of the columns.
struct Known<'a> {
    block: PairDomain<'a>,
    response_sum: i64,
    logs: &'a LogTable,
    evaluator: &'a ScoreEvaluator,
    screen: Screen<'a>,
    plan: Plan,
    /// Of each place.
    margins: Vec<Margins>,
}

impl<'a> CudaPairs<'a> {
    /// The columns on the GPUs of these ordinals, for this response; at most so many pairs will
    /// be asked for. None where tables of bits have no room.
    ///
    /// # Errors
    /// A GPU that cannot be used, or has too little memory.
    pub(crate) fn new(
        block: PairDomain<'a>,
        response: &Categorical,
        by: (&'a LogTable, &'a ScoreEvaluator),
        ordinals: &[usize],
        few: (usize, Option<u64>),
    ) -> Result<Option<Self>, DeviceError> {
        Self::with(block, response, by, ordinals, few, None)
    }

    /// The same, with these products, whichever are the fastest.
    pub(crate) fn with(
        block: PairDomain<'a>,
        response: &Categorical,
        (logs, evaluator): (&'a LogTable, &'a ScoreEvaluator),
        ordinals: &[usize],
        few: (usize, Option<u64>),
        products: Option<BitProducts>,
    ) -> Result<Option<Self>, DeviceError> {
        let (columns, n) = (block.columns, response.codes.len());
        let most = columns.iter().map(|it| it.levels).max().unwrap_or(1);
        let missing = columns.iter().any(|it| it.excluded_code().is_some());
        if missing || most > LEVELS || n >= ROWS {
            return Ok(None);
        }
        let opened = ordinals.par_iter().map(|it| PairGpu::open(*it, few));
        let opened: Vec<_> = opened.collect::<Result<_, _>>()?;
        let room = opened.iter().map(|it| it.1).min().unwrap_or(0);
        let (plan, response_sum) = (Plan::of(block, response, room), response.log_sum(logs));
        let Some(screen) = Screen::new((logs, evaluator), (n, response_sum, &plan.sizes)) else {
            return Ok(None);
        };
        // Classes are filled up: of very many most bits would be none.
        if plan.chunks() > 16 * n.div_ceil(BITS) {
            return Ok(None);
        }
        let known = (&plan, &screen);
        let begin = |(gpu, _)| PairGpu::new(gpu, known, logs, products, few.0);
        let gpus = opened.into_par_iter().map(begin);
        let Some(mut gpus): Option<Vec<PairGpu>> =
            gpus.collect::<Result<Vec<_>, _>>()?.into_iter().collect()
        else {
            return Ok(None);
        };
        let mut counts = Vec::new();
        for panel in 0..plan.panel_count() {
            let hold = |it: &mut PairGpu| it.hold(columns, &plan, [panel; 2]);
            // One is asked for counts; the others bring what they need when they do.
            let asked = match plan.panel_count() {
                1 => gpus.len(),
                _ => 1,
            };
            gpus[..asked].par_iter_mut().try_for_each(hold)?;
            if let Some(gpu) = gpus.first() {
                counts.extend(gpu.counts(&plan, panel)?);
            }
        }
        let margins = |(place, own): (usize, &Vec<u32>)| {
            let levels = plan.group(place).levels();
            let both = |level: usize| own.iter().skip(level).step_by(levels).sum::<u32>();
            Margins {
                x: (0..levels).map(|it| logs.term(both(it))).sum(),
                xy: own.iter().map(|it| logs.term(*it)).sum(),
            }
        };
        let margins: Vec<Margins> = counts.par_iter().enumerate().map(margins).collect();
        let facts = |place: usize| facts(&plan, &screen, &counts[place], (place, margins[place]));
        gpus.par_iter_mut()
            .try_for_each(|it| it.tell(&plan, facts))?;
        let known = Known {
            block,
            response_sum,
            logs,
            evaluator,
            screen,
            plan,
            margins,
        };
        Ok(Some(Self { known, gpus }))
    }
}

/// What the kernels need of a column: see [`passel_kernels::pairs::Group`].
fn facts(
    plan: &Plan,
    screen: &Screen,
    own: &[u32],
    (place, Margins { x, xy }): (usize, Margins),
) -> Vec<f32> {
    let (levels, n) = (plan.group(place).levels(), plan.n as f64);
    let both = |level: usize| own.iter().skip(level).step_by(levels).sum::<u32>();
    let inverse = |level: usize| match both(level) {
        0 => 0.0,
        count => (n / f64::from(count)) as f32,
    };
    let by_class: Vec<f32> = match screen.classes() {
        1 => (0..levels).map(|it| both(it) as f32).collect(),
        _ => own.iter().map(|it| *it as f32).collect(),
    };
    let facts = (0..levels).map(inverse).chain(by_class);
    facts.chain(screen.own(x, xy)).collect()
}

impl Known<'_> {
    /// The best pairs of a GPU's tiles.
    fn best(
        &self,
        gpu: &mut PairGpu,
        share: (usize, usize),
        asked: &PairSearch,
        floor: &Floor,
    ) -> Result<TopPairs, DeviceError> {
        let mut pairs = asked.wanted.clone();
        let mut progress = Progress::new(self.block.columns.len(), asked.progress);
        let (wanted, partners) = (pairs.capacity(), pairs.partner_threshold());
        if wanted == 0 && partners.is_none() {
            return Ok(pairs);
        }
        let mut own = match wanted {
            0 => f32::INFINITY,
            _ => self.screen.floor(pairs.threshold()),
        };
        gpu.begin(own, partners.map(|it| self.screen.floor(it)))?;
        let (mut kept, mut size) = (0, TILE_MULTIPLE);
        let chunks = self.plan.chunks() * BITS;
        let wave = WAVE / (SIDE * SIDE * chunks.max(1));
        let jobs = self.plan.jobs();
        let tiles = |it: &(usize, usize)| 256 * self.plan.supers(*it, share).count();
        let all: usize = jobs.iter().map(tiles).sum();
        let (mut before, mut held) = (0, [usize::MAX; 2]);
        for job in jobs {
            if (asked.stop)() {
                break;
            }
            let panels = self.plan.panels_of(job);
            if panels != held {
                // What was found is counted while its columns are there.
                pairs = self.drain(gpu, asked.synergy, kept, pairs)?;
                (kept, held) = (0, panels);
                gpu.hold(self.block.columns, &self.plan, panels)?;
            }
            let supers: Vec<u32> = self.plan.supers(job, share).flatten().collect();
            let on_gpu = gpu.bring(&supers)?;
            let tiles = supers.len() * 128;
            let [a, b] = [job.0, job.1].map(|it| self.plan.groups[it].each);
            let most = wave.min(PAIRS / (a * b)).max(TILE_MULTIPLE) / TILE_MULTIPLE * TILE_MULTIPLE;
            let mut first = 0;
            while first < tiles && !(asked.stop)() {
                // No wave of its own for the few that are left.
                let left = tiles - first;
                let count = if left < size + size / 4 { left } else { size }.min(most);
                if let Some(higher) = floor.above(own) {
                    gpu.lift(higher)?;
                }
                let wave = gpu.wave(
                    (&self.plan, &self.screen),
                    job,
                    on_gpu,
                    (first, count),
                    (kept, wanted),
                )?;
                let lost = match wave {
                    Wave::Kept(now) => {
                        (kept, first, size) = (now, first + count, FASTER * count);
                        progress.at(before + first, all);
                        false
                    }
                    Wave::Lost => {
                        size = (count / 2).next_multiple_of(TILE_MULTIPLE);
                        // What is kept has not grown.
                        kept = gpu.kept();
                        true
                    }
                };
                own = gpu.reached();
                floor.raise(own);
                // Four tiles have room beside half of the places.
                if kept > gpu.places() / 2 || (lost && count == TILE_MULTIPLE) {
                    pairs = self.drain(gpu, asked.synergy, kept, pairs)?;
                    kept = 0;
                    let reached = self.screen.floor(pairs.threshold());
                    if reached > own {
                        gpu.lift(reached)?;
                        own = reached;
                    }
                }
            }
            before += tiles;
        }
        self.drain(gpu, asked.synergy, kept, pairs)
    }
}

impl PairCounter for CudaPairs<'_> {
    fn names(&self) -> Vec<String> {
        self.gpus.iter().map(|it| it.gpu.name.clone()).collect()
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        let known = &self.known;
        let mut all = vec![0; known.block.columns.len()];
        for (&number, own) in known.plan.numbers.iter().zip(&known.margins) {
            let sums = MarginSums {
                observations: known.plan.n as u32,
                n: known.logs.full_term(),
                x: own.x,
                y: known.response_sum,
                xy: own.xy,
                ..MarginSums::default()
            };
            all[number as usize] = known.evaluator.relevance(&sums, known.logs);
        }
        Ok(all)
    }

    fn pairs(&mut self, mut asked: PairSearch) -> Result<TopPairs, DeviceError> {
        let known = &self.known;
        let gpus = self.gpus.len();
        if let (Some(matrix), Some(gpu)) = (asked.matrix.take(), self.gpus.first_mut()) {
            return known.all(gpu, matrix, &asked, gpus);
        }
        let floor = Floor::default();
        let each = self.gpus.par_iter_mut().enumerate();
        let found = each.map(|(at, gpu)| known.best(gpu, (at, gpus), &asked, &floor));
        let found: Vec<TopPairs> = found.collect::<Result<_, _>>()?;
        Ok(found
            .into_iter()
            .fold(asked.wanted.clone(), TopPairs::merge))
    }
}
