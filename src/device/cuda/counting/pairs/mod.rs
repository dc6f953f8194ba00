//! All pairs on GPUs: columns as bits, tiles of them multiplied; what may be among the best by a
//! bound of its score is counted exactly.
//!
//! `plan` says how columns lie, `card` has them and launches the kernels, `screen` is the score as
//! these compute it. Every card has all columns and takes tiles by turns.

mod card;
mod lay;
mod plan;
mod progress;
mod screen;
mod shape;

use passel_kernels::{
    bits::SIDE,
    pairs::{Found, ROWS},
};
use rayon::prelude::*;

use self::{
    card::{PairCard, Wave},
    plan::Plan,
    progress::{Floor, Progress},
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

/// Most levels of a column: a row of bits for each but the last.
const LEVELS: usize = SIDE + 1;

/// A column's own counts.
#[derive(Debug, Clone, Copy, Default)]
struct Margins {
    /// Σ c·L(c) over it, and over it and the response.
    x: i64,
    xy: i64,
}

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
        if missing || most > LEVELS || n >= ROWS {
            return Ok(None);
        }
        let opened = ordinals.par_iter().map(|it| PairCard::open(*it, few));
        let opened: Vec<_> = opened.collect::<Result<_, _>>()?;
        let room = opened.iter().map(|it| it.1).min().unwrap_or(0);
        let (plan, response_sum) = (Plan::of(columns, response, room), response.sum(logs));
        let Some(screen) = Screen::new((logs, tally), (n, response_sum, classes)) else {
            return Ok(None);
        };
        let known = (&plan, &screen);
        let begin = |(card, _)| PairCard::new(card, known, logs, products, few.0);
        let cards = opened.into_par_iter().map(begin);
        let Some(mut cards): Option<Vec<PairCard>> =
            cards.collect::<Result<Vec<_>, _>>()?.into_iter().collect()
        else {
            return Ok(None);
        };
        let mut counts = Vec::new();
        for panel in 0..plan.panel_count() {
            let hold = |it: &mut PairCard| it.hold(columns, &plan, [panel; 2]);
            // One is asked for counts; the others bring what they need when they do.
            let asked = match plan.panel_count() {
                1 => cards.len(),
                _ => 1,
            };
            cards[..asked].par_iter_mut().try_for_each(hold)?;
            if let Some(card) = cards.first() {
                counts.extend(card.counts(&plan, panel)?);
            }
        }
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
                if own.wants(pair.score) {
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
        card: &mut PairCard,
        share: (usize, usize),
        asked: &AllPairs,
        floor: &Floor,
    ) -> Result<Pairs, DeviceError> {
        let mut pairs = asked.wanted.clone();
        let mut progress = Progress::new(self.columns.len(), asked.done);
        let wanted = pairs.most();
        if wanted == 0 {
            return Ok(pairs);
        }
        card.begin(self.screen.floor(pairs.least()))?;
        let (mut kept, mut size) = (0, 1);
        let chunks = self.plan.chunks() * passel_kernels::bits::BITS;
        let most = (WAVE / (SIDE * SIDE * chunks.max(1))).max(1);
        let supers = |it| (it, self.plan.supers(it, share));
        let jobs: Vec<_> = self.plan.jobs().into_iter().map(supers).collect();
        let all: usize = jobs.iter().map(|it| it.1.len() * 128).sum();
        let supers: Vec<u32> = jobs.iter().flat_map(|it| it.1.iter().copied()).collect();
        let on_card = put(&card.card, &supers)?;
        let (mut before, mut held) = (0, [usize::MAX; 2]);
        for (job, supers) in &jobs {
            let tiles = supers.len() * 128;
            let mut first = 0;
            let panels = self.plan.panels_of(*job);
            if panels != held {
                // What was found is counted while its columns are there.
                pairs = self.drain(card, asked.synergy, kept, pairs)?;
                (kept, held) = (0, panels);
                card.hold(self.columns, &self.plan, panels)?;
            }
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

    /// The scores of all pairs, each with itself too.
    fn all(
        &self,
        card: &mut PairCard,
        matrix: &mut [f64],
        asked: &AllPairs,
    ) -> Result<Pairs, DeviceError> {
        let (p, mut pairs) = (self.columns.len(), asked.wanted.clone());
        let (mut progress, mut done) = (Progress::new(p, asked.done), 0);
        let panels = self.plan.panel_count();
        for panels in (0..panels).flat_map(|a| (a..panels).map(move |b| [a, b])) {
            card.hold(self.columns, &self.plan, panels)?;
            let [down, across] = panels.map(|it| self.plan.places(it));
            let places = down.flat_map(|a| (across.start.max(a)..across.end).map(move |b| (a, b)));
            let found = places.map(|(a, b)| Found {
                a: a as u32,
                b: b as u32,
                ..Found::default()
            });
            let mut found = found.peekable();
            while found.peek().is_some() && !(asked.stop)() {
                let batch: Vec<Found> = found.by_ref().take(card.places() as usize).collect();
                card.set(&batch)?;
                let exact = card.exact(&self.plan, batch.len() as u32)?;
                let scored = exact.par_iter();
                let scored = scored.map(|(found, sums)| self.pair(asked.synergy, found, *sums));
                let scored: Vec<Pair> = scored.collect();
                for pair in scored {
                    let at = pair.a as usize * p + pair.b as usize;
                    matrix[at] = self.tally.nats(pair.score, 1);
                    if pair.a != pair.b && pairs.wants(pair.score) {
                        pairs.push(pair);
                    }
                }
                done += batch.len();
                progress.at(done, p * (p + 1) / 2);
            }
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
        if let (Some(matrix), Some(card)) = (asked.matrix.take(), self.cards.first_mut()) {
            return known.all(card, matrix, &asked);
        }
        let (floor, cards) = (Floor::default(), self.cards.len());
        let each = self.cards.par_iter_mut().enumerate();
        let found = each.map(|(at, card)| known.best(card, (at, cards), &asked, &floor));
        let found: Vec<Pairs> = found.collect::<Result<_, _>>()?;
        Ok(found.into_iter().fold(asked.wanted.clone(), Pairs::with))
    }
}
