//! All pairs of columns on GPUs.
//!
//! Columns become rows of bits, a *plane* for each level but the last; columns of as many planes are
//! a *group*, which lies in *tiles* of 128 planes. A kernel multiplies two tiles, so that it has the
//! tables of all pairs of their columns, and keeps those whose score, bounded in f32, may reach the
//! *floor*: what the wanted-th best pair found so far scores at least. Pairs that are kept are counted
//! again exactly. Every GPU has all columns and takes tiles by turns, 16 × 16 (a *super-tile*) at a
//! time. Where its memory is too small for all groups, they are split into *panels* of half of it, of
//! which two at a time lie there.
//!
//! | file | what |
//! | --- | --- |
//! | `layout` | groups, tiles and panels, the order of observations |
//! | `load` | columns uploaded, bits made of them |
//! | `screen` | a score as kernels compute it, and by how much it may be off |
//! | `launch` | which kernel bounds the pairs of two groups |
//! | `gpu` | one GPU: its buffers, and the launches |
//! | `exact` | what the host keeps; pairs scored exactly |
//! | `progress` | what GPUs share |

mod exact;
mod gpu;
mod launch;
mod layout;
mod load;
mod progress;
mod screen;

use passel_kernels::{
    bits::{BITS, SIDE},
    pairs::{BitProducts, ROWS, TILE_MULTIPLE},
};
use rayon::prelude::*;

use self::{
    exact::{ColumnSums, PairContext},
    gpu::PairGpu,
    layout::BitLayout,
    progress::{Progress, SharedFloor},
    screen::Screen,
};
use crate::device::{
    DeviceError,
    counting::{
        Categorical, MarginSums, PairCounter, PairDomain, PairSearch, ScoreEvaluator, TopPairs,
        any_misses,
    },
};

/// Products of two bits in a wave (a launch over some tiles), at most: some 50 ms, after which an
/// interrupt is seen.
const WAVE: usize = 100_000_000_000_000;

/// Pairs of a wave, at most: its counter of pairs found has 32 bits.
const PAIRS: usize = 1 << 31;

/// A wave has so many times as many tiles as the one before, so that the floor is near its last
/// value before most pairs are screened.
const GROWTH: usize = 16;

/// Most levels of a column: a row of bits for each but the last.
const LEVELS: usize = SIDE + 1;

/// GPUs that share all pairs.
pub(crate) struct CudaPairs<'a> {
    context: PairContext<'a>,
    gpus: Vec<PairGpu>,
}

impl<'a> CudaPairs<'a> {
    /// Loads columns on the GPUs of these ordinals. `wanted` is how many pairs will be asked for, at
    /// most, and a limit of bytes a GPU. Products are of one kind, or of the GPU's fastest. None where
    /// these kernels cannot serve: values are missing, columns have more than 129 levels, or tables
    /// have no room.
    pub(crate) fn new(
        block: PairDomain<'a>,
        response: &Categorical,
        evaluator: &'a ScoreEvaluator,
        ordinals: &[usize],
        wanted: (usize, Option<u64>),
        products: Option<BitProducts>,
    ) -> Result<Option<Self>, DeviceError> {
        let (columns, n) = (block.columns, response.codes.len());
        let levels = columns.iter().map(|column| column.levels);
        if any_misses(columns) || levels.max() > Some(LEVELS) || n >= ROWS {
            return Ok(None);
        }
        let open = |ordinal: &usize| PairGpu::open(*ordinal, wanted);
        let opened: Vec<_> = ordinals.par_iter().map(open).collect::<Result<_, _>>()?;
        let room = opened.iter().map(|(_, room)| *room).min().unwrap_or(0);
        let layout = BitLayout::of(block, response, room);
        let response_sum = response.log_sum(evaluator.logs());
        let Some(screen) = Screen::new(evaluator, (n, response_sum, &layout.sizes)) else {
            return Ok(None);
        };
        // Classes are filled up: of very many most bits would be none.
        if layout.chunks() > 16 * n.div_ceil(BITS) {
            return Ok(None);
        }
        let context = (&layout, &screen);
        let begin = |(gpu, _)| PairGpu::new(gpu, context, products, wanted.0);
        let gpus: Vec<_> = opened
            .into_par_iter()
            .map(begin)
            .collect::<Result<_, _>>()?;
        let Some(mut gpus) = gpus.into_iter().collect::<Option<Vec<PairGpu>>>() else {
            return Ok(None);
        };
        let mut counts = Vec::new();
        for panel in 0..layout.panel_count() {
            let load = |gpu: &mut PairGpu| gpu.load_panels(columns, &layout, [panel; 2]);
            // One is asked for counts; the others bring what they need when they do.
            let asked = match layout.panel_count() {
                1 => gpus.len(),
                _ => 1,
            };
            gpus[..asked].par_iter_mut().try_for_each(load)?;
            if let Some(gpu) = gpus.first() {
                counts.extend(gpu.margin_counts(&layout, panel)?);
            }
        }
        let facts = |(place, own): (usize, &Vec<u32>)| {
            facts(&layout, &screen, layout.group(place).levels(), own)
        };
        let (sums, facts): (_, Vec<_>) = counts.par_iter().enumerate().map(facts).unzip();
        gpus.par_iter_mut()
            .try_for_each(|gpu| gpu.upload_facts(&layout, &facts))?;
        let context = PairContext {
            block,
            screen,
            layout,
            sums,
        };
        Ok(Some(Self { context, gpus }))
    }
}

/// The sums of a column, counted by class and level, and its [`passel_kernels::pairs::ColumnGroup::facts`].
fn facts(
    layout: &BitLayout,
    screen: &Screen,
    levels: usize,
    own: &[u32],
) -> (ColumnSums, Vec<f32>) {
    let both = |level: usize| own.iter().skip(level).step_by(levels).sum();
    let both: Vec<u32> = (0..levels).map(both).collect();
    let logs = screen.evaluator.logs();
    let (x, xy) = (logs.sum(&both), logs.sum(own));
    let inverse = |count: &u32| match count {
        0 => 0.0,
        count => (layout.n as f64 / f64::from(*count)) as f32,
    };
    let by_class = if screen.classes() == 1 { &both } else { own };
    let by_class = by_class.iter().map(|count| *count as f32);
    let facts = both.iter().map(inverse).chain(by_class);
    (
        ColumnSums { x, xy },
        facts.chain(screen.own(x, xy)).collect(),
    )
}

impl PairContext<'_> {
    /// The best pairs of a GPU's tiles.
    fn search(
        &self,
        gpu: &mut PairGpu,
        share: (usize, usize),
        asked: &PairSearch,
        floor: &SharedFloor,
    ) -> Result<TopPairs, DeviceError> {
        let mut pairs = asked.wanted.clone();
        let mut progress = Progress::new(self.block.columns.len(), asked.progress);
        let (wanted, partners) = (pairs.capacity, pairs.partner_threshold);
        if wanted == 0 && partners.is_none() {
            return Ok(pairs);
        }
        let mut own = match wanted {
            0 => f32::INFINITY,
            _ => self.screen.floor(pairs.threshold),
        };
        gpu.start_search(own, partners.map(|score| self.screen.floor(score)))?;
        let (mut kept, mut size) = (0, TILE_MULTIPLE);
        let chunks = self.layout.chunks() * BITS;
        let wave = WAVE / (SIDE * SIDE * chunks.max(1));
        let jobs = self.layout.group_pairs();
        let tiles = |groups: &(usize, usize)| 256 * self.layout.super_tiles(*groups, share).count();
        let all: usize = jobs.iter().map(tiles).sum();
        let (mut before, mut held) = (0, [usize::MAX; 2]);
        for job in jobs {
            if (asked.stop)() {
                break;
            }
            let panels = self.layout.panels_of(job);
            if panels != held {
                // What was found is counted while its columns are there.
                pairs = self.score_found(gpu, asked.synergy, kept, pairs)?;
                (kept, held) = (0, panels);
                gpu.load_panels(self.block.columns, &self.layout, panels)?;
            }
            let supers: Vec<u32> = self.layout.super_tiles(job, share).flatten().collect();
            let on_gpu = gpu.upload_super_tiles(&supers)?;
            let tiles = supers.len() * 128;
            let [a, b] = [job.0, job.1].map(|at| self.layout.groups[at].each);
            let most = wave.min(PAIRS / (a * b)).max(TILE_MULTIPLE) / TILE_MULTIPLE * TILE_MULTIPLE;
            let mut first = 0;
            while first < tiles && !(asked.stop)() {
                // No wave of its own for the few that are left.
                let left = tiles - first;
                let count = if left < size + size / 4 { left } else { size }.min(most);
                if let Some(higher) = floor.above(own) {
                    gpu.set_floor(higher)?;
                }
                let wave = gpu.screen_tiles(
                    (&self.layout, &self.screen),
                    job,
                    on_gpu,
                    (first, count),
                    (kept, wanted),
                )?;
                // Where there was no room for all, what is kept has not grown.
                (kept, own) = (wave.kept, wave.floor);
                match wave.overflow {
                    true => size = (count / 2).next_multiple_of(TILE_MULTIPLE),
                    false => {
                        (first, size) = (first + count, GROWTH * count);
                        progress.at(before + first, all);
                    }
                }
                floor.raise(own);
                // Four tiles have room beside half of the places.
                if kept > gpu.places() / 2 || (wave.overflow && count == TILE_MULTIPLE) {
                    pairs = self.score_found(gpu, asked.synergy, kept, pairs)?;
                    kept = 0;
                    let reached = self.screen.floor(pairs.threshold);
                    if reached > own {
                        gpu.set_floor(reached)?;
                        own = reached;
                    }
                }
            }
            before += tiles;
        }
        self.score_found(gpu, asked.synergy, kept, pairs)
    }
}

impl PairCounter for CudaPairs<'_> {
    fn names(&self) -> Vec<String> {
        self.gpus.iter().map(|own| own.gpu.name.clone()).collect()
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        let (context, screen) = (&self.context, &self.context.screen);
        let mut all = vec![0; context.block.columns.len()];
        for (&number, own) in context.layout.numbers.iter().zip(&context.sums) {
            let sums = MarginSums {
                observations: context.layout.n as u32,
                n: screen.evaluator.logs().full_term(),
                x: own.x,
                y: screen.y,
                xy: own.xy,
                ..MarginSums::default()
            };
            all[number as usize] = screen.evaluator.relevance(&sums);
        }
        Ok(all)
    }

    fn pairs(&mut self, mut asked: PairSearch) -> Result<TopPairs, DeviceError> {
        let context = &self.context;
        let gpus = self.gpus.len();
        if let (Some(matrix), Some(gpu)) = (asked.matrix.take(), self.gpus.first_mut()) {
            return context.score_all(gpu, matrix, &asked, gpus);
        }
        let floor = SharedFloor::default();
        let each = self.gpus.par_iter_mut().enumerate();
        let found = each.map(|(at, gpu)| context.search(gpu, (at, gpus), &asked, &floor));
        let found: Vec<TopPairs> = found.collect::<Result<_, _>>()?;
        Ok(found
            .into_iter()
            .fold(asked.wanted.clone(), TopPairs::merge))
    }
}
