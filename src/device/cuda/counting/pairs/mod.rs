//! All pairs on GPUs: columns as bits, tiles of them multiplied; what may be among the best by a
//! bound of its score is counted exactly.
//!
//! `plan` says how columns lie, `card` has them and launches the kernels, `screen` is the score as
//! these compute it. Every card has all columns and takes tiles by turns.

mod card;
mod plan;
mod screen;
mod shape;

use std::sync::atomic::{AtomicU64, Ordering};

use passel_kernels::{
    bits::SIDE,
    pairs::{Found, ROWS},
};
use rayon::prelude::*;

use self::{
    card::{Margins, PairCard, Wave},
    plan::Plan,
    screen::Screen,
};
use super::{
    super::super::{
        DeviceError,
        counting::{AllPairs, Anchor, Logs, Pair, PairCounter, Pairs, Sums, Tally},
    },
    packs::put,
};
use crate::binning::BinnedColumn;
pub(crate) use shape::Products;

/// Products of two bits in a wave, at most: some 50 ms, after which an interrupt is seen.
const WAVE: usize = 100_000_000_000_000;

/// A wave has so many times as many tiles as the one before: the floor is near its end before most
/// pairs are met.
const FASTER: usize = 16;

/// Most levels of a column.
const LEVELS: usize = 65;

/// Most cells of a table: what exact counts have room for on any card.
const CELLS: usize = 24_000;

/// Cards that share all pairs.
pub(crate) struct CudaPairs<'a> {
    known: Known<'a>,
    cards: Vec<PairCard>,
}

/// What the host knows of the columns.
struct Known<'a> {
    columns: &'a [BinnedColumn],
    response_sum: i64,
    logs: &'a Logs,
    tally: &'a Tally,
    screen: Screen<'a>,
    plan: Plan,
    /// Of each place.
    margins: Vec<Margins>,
}

impl<'a> CudaPairs<'a> {
    /// The columns on the cards of these ordinals, for this response; at most so many pairs will
    /// be asked for. None where tables of bits have no room.
    ///
    /// # Errors
    /// A card that cannot be used, or has too little memory.
    pub(crate) fn new(
        columns: &'a [BinnedColumn],
        response: &Anchor,
        by: (&'a Logs, &'a Tally),
        ordinals: &[usize],
        few: (usize, Option<u64>),
    ) -> Result<Option<Self>, DeviceError> {
        Self::with(columns, response, by, ordinals, few, None)
    }

    /// The same, with these products, whichever are the fastest.
    pub(crate) fn with(
        columns: &'a [BinnedColumn],
        response: &Anchor,
        (logs, tally): (&'a Logs, &'a Tally),
        ordinals: &[usize],
        few: (usize, Option<u64>),
        products: Option<Products>,
    ) -> Result<Option<Self>, DeviceError> {
        let (n, classes) = (response.codes.len(), response.levels);
        let most = columns.iter().map(|it| it.levels).max().unwrap_or(1);
        let missing = columns.iter().any(|it| it.left_out().is_some());
        if missing || most > LEVELS || n >= ROWS || most * most * classes > CELLS {
            return Ok(None);
        }
        let (plan, response_sum) = (Plan::of(columns, response), response.sum(logs));
        let Some(screen) = Screen::new((logs, tally), (n, response_sum, classes)) else {
            return Ok(None);
        };
        let known = (&plan, &screen);
        let open = |&ordinal: &usize| PairCard::new(ordinal, columns, known, logs, products, few);
        let cards = ordinals.par_iter().map(open);
        let Some(mut cards): Option<Vec<PairCard>> =
            cards.collect::<Result<Vec<_>, _>>()?.into_iter().collect()
        else {
            return Ok(None);
        };
        let counts = match cards.first() {
            Some(card) => card.counts(&plan)?,
            None => Vec::new(),
        };
        let margins = |(place, own): (usize, &Vec<u32>)| {
            let levels = plan.group(place).levels();
            let both = |level: usize| own.iter().skip(level).step_by(levels).sum::<u32>();
            Margins {
                x: (0..levels).map(|it| logs.of(both(it))).sum(),
                xy: own.iter().map(|it| logs.of(*it)).sum(),
            }
        };
        let margins: Vec<Margins> = counts.par_iter().enumerate().map(margins).collect();
        let facts = |place: usize| facts(&plan, &screen, &counts[place], (place, margins[place]));
        cards
            .par_iter_mut()
            .try_for_each(|it| it.tell(&plan, facts))?;
        let known = Known {
            columns,
            response_sum,
            logs,
            tally,
            screen,
            plan,
            margins,
        };
        Ok(Some(Self { known, cards }))
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
    /// The pair of two places, from the sums of their table; of equal places too.
    fn pair(&self, synergy: &Tally, found: &Found, [xw, xwy]: [i64; 2]) -> Pair {
        let places = [found.a, found.b].map(|it| it as usize);
        let [mut w, mut x] = places;
        if self.plan.numbers[w] > self.plan.numbers[x] {
            (w, x) = (x, w);
        }
        let sums = Sums {
            left: self.plan.n as u32,
            n: self.logs.whole(),
            x: self.margins[x].x,
            w: self.margins[w].x,
            y: self.response_sum,
            xw,
            xy: self.margins[x].xy,
            wy: self.margins[w].xy,
            xwy,
        };
        Pair {
            score: self.tally.gather_whole(0, &sums, self.logs),
            synergy: synergy.gather_whole(0, &sums, self.logs),
            a: self.plan.numbers[w],
            b: self.plan.numbers[x],
        }
    }

    /// Scores the pairs that a card has found.
    fn drain(
        &self,
        card: &PairCard,
        synergy: &Tally,
        count: u32,
        pairs: Pairs,
    ) -> Result<Pairs, DeviceError> {
        if count == 0 {
            return Ok(pairs);
        }
        let exact = card.exact(&self.plan, count)?;
        card.forget()?;
        let nothing = || pairs.empty();
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
        let found = found.reduce(nothing, Pairs::with);
        Ok(pairs.with(found))
    }

    /// The best pairs of a card's tiles.
    fn best(
        &self,
        card: &PairCard,
        share: (usize, usize),
        asked: &AllPairs,
        floor: &Floor,
    ) -> Result<Pairs, DeviceError> {
        let mut pairs = asked.wanted.clone();
        let mut progress = Progress::new(self.columns.len(), asked.done);
        let wanted = pairs.most();
        card.begin(self.screen.floor(pairs.least()))?;
        let (mut kept, mut size) = (0, 1);
        let chunks = self.plan.chunks() * passel_kernels::bits::BITS;
        let most = (WAVE / (SIDE * SIDE * chunks.max(1))).max(1);
        let supers = |it| (it, self.plan.supers(it, share));
        let jobs: Vec<_> = self.plan.jobs().map(supers).collect();
        let all: usize = jobs.iter().map(|it| it.1.len() * 128).sum();
        let supers: Vec<u32> = jobs.iter().flat_map(|it| it.1.iter().copied()).collect();
        let on_card = put(&card.card, &supers)?;
        let mut before = 0;
        for (job, supers) in &jobs {
            let tiles = supers.len() * 128;
            let mut first = 0;
            while first < tiles && !(asked.stop)() {
                let count = size.min(tiles - first).min(most);
                if let Some(floor) = floor.above(card.reached()) {
                    card.lift(floor)?;
                }
                let wave = card.wave(
                    (&self.plan, &self.screen),
                    *job,
                    on_card.at(before / 128),
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
                        size = (count / 2).max(1);
                        // What is kept has not grown.
                        kept = card.kept();
                        true
                    }
                };
                floor.raise(card.reached());
                // A tile has room beside half of the places.
                if kept > card.places() / 2 || (lost && count == 1) {
                    pairs = self.drain(card, asked.synergy, kept, pairs)?;
                    kept = 0;
                    let reached = self.screen.floor(pairs.least());
                    if reached > card.reached() {
                        card.lift(reached)?;
                    }
                }
            }
            before += tiles;
        }
        self.drain(card, asked.synergy, kept, pairs)
    }

    /// The scores of all pairs, each with itself too, for a matrix if there is one.
    fn all(
        &self,
        card: &PairCard,
        mut matrix: Option<&mut [f64]>,
        asked: &AllPairs,
    ) -> Result<Pairs, DeviceError> {
        let (p, mut pairs) = (self.columns.len(), asked.wanted.clone());
        let mut progress = Progress::new(p, asked.done);
        let mut names = (0..p).flat_map(|a| (a..p).map(move |b| (a, b)));
        let mut place = vec![0; p];
        for (at, &number) in (0..).zip(&self.plan.numbers) {
            place[number as usize] = at;
        }
        let mut done = 0;
        while done < p * (p + 1) / 2 && !(asked.stop)() {
            let batch: Vec<Found> = names
                .by_ref()
                .take(card.places() as usize)
                .map(|(a, b)| Found {
                    a: place[a],
                    b: place[b],
                    ..Found::default()
                })
                .collect();
            card.set(&batch)?;
            let exact = card.exact(&self.plan, batch.len() as u32)?;
            let scored = exact.par_iter();
            let scored: Vec<Pair> = scored
                .map(|(found, sums)| self.pair(asked.synergy, found, *sums))
                .collect();
            for pair in scored {
                let at = pair.a as usize * p + pair.b as usize;
                if let Some(matrix) = &mut matrix {
                    matrix[at] = self.tally.nats(pair.score, 1);
                }
                if pair.a != pair.b && pairs.wants(pair.score, pair.a, pair.b) {
                    pairs.push(pair);
                }
            }
            done += batch.len();
            progress.at(done, p * (p + 1) / 2);
        }
        Ok(pairs)
    }
}

impl PairCounter for CudaPairs<'_> {
    fn names(&self) -> Vec<String> {
        self.cards.iter().map(|it| it.card.name.clone()).collect()
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        let known = &self.known;
        let mut all = vec![0; known.columns.len()];
        for (&number, own) in known.plan.numbers.iter().zip(&known.margins) {
            let sums = Sums {
                left: known.plan.n as u32,
                n: known.logs.whole(),
                x: own.x,
                y: known.response_sum,
                xy: own.xy,
                ..Sums::default()
            };
            all[number as usize] = known.tally.relevance(&sums, known.logs);
        }
        Ok(all)
    }

    fn pairs(&mut self, mut asked: AllPairs) -> Result<Pairs, DeviceError> {
        let known = &self.known;
        let matrix = asked.matrix.take();
        // A bound of the best of all says nothing of a column's own best.
        let every = matrix.is_some() || asked.wanted.wants_partners();
        if let (true, Some(card)) = (every, self.cards.first()) {
            return known.all(card, matrix, &asked);
        }
        let (floor, cards) = (Floor::default(), self.cards.len());
        let each = self.cards.par_iter_mut().enumerate();
        let found = each.map(|(at, card)| known.best(card, (at, cards), &asked, &floor));
        let found: Vec<Pairs> = found.collect::<Result<_, _>>()?;
        Ok(found.into_iter().fold(asked.wanted.clone(), Pairs::with))
    }
}

/// The highest floor of all cards: as many pairs as are wanted reach it.
#[derive(Default)]
struct Floor(AtomicU64);

impl Floor {
    /// In the order of integers; 0 is below all.
    fn key(floor: f32) -> u64 {
        let bits = floor.to_bits();
        1 + u64::from(if bits >> 31 == 1 {
            !bits
        } else {
            bits | 1 << 31
        })
    }

    fn raise(&self, floor: f32) {
        self.0.fetch_max(Self::key(floor), Ordering::Relaxed);
    }

    /// The highest, if it is above this one.
    fn above(&self, floor: f32) -> Option<f32> {
        let key = self.0.load(Ordering::Relaxed);
        let bits = (key > Self::key(floor)).then(|| (key - 1) as u32)?;
        Some(f32::from_bits(if bits >> 31 == 1 {
            bits & !(1 << 31)
        } else {
            !bits
        }))
    }
}

/// Tells who watches that columns are done, by the share of the work.
struct Progress<'d> {
    columns: usize,
    told: usize,
    done: &'d (dyn Fn() + Sync),
}

impl<'d> Progress<'d> {
    fn new(columns: usize, done: &'d (dyn Fn() + Sync)) -> Self {
        Self {
            columns,
            told: 0,
            done,
        }
    }

    /// So much of all is done.
    fn at(&mut self, part: usize, all: usize) {
        let now = (part as u128 * self.columns as u128 / all.max(1) as u128) as usize;
        while self.told < now {
            (self.done)();
            self.told += 1;
        }
    }
}
