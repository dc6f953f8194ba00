//! Counting on the CPU: units of columns over the threads.

mod cells;
mod coded;
mod joined;
mod pairs;
mod planes;
mod prepared;
mod rows;
mod sparse;
mod table;
#[cfg(test)]
mod tests;
mod unit;
mod whole;

use std::{
    cell::Cell,
    cmp::Reverse,
    sync::{Mutex, PoisonError},
};

use rayon::prelude::*;

pub(crate) use coded::CpuTableScorer;

use self::{
    prepared::{Classes, Prepared},
    table::Work,
    unit::{Scratch, Unit},
    whole::Whole,
};
use super::super::{
    DeviceError,
    counting::{
        Categorical, ConditioningVariable, Counter, EXCLUDED_SCORE, LogTable, MarginSums,
        PairCounter, PairSearch, ScoreEvaluator, ScoredColumn, TopPairs,
    },
};
use crate::binning::BinnedColumn;

thread_local! {
    /// What this thread counts with: megabytes, which thousands of counters, one after the
    /// other, need not clear anew.
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// A shard of the columns on the CPU.
pub(crate) struct CpuCounter<'a> {
    columns: &'a [BinnedColumn],
    /// The number of the first.
    first: usize,
    /// Whether any of them misses values.
    missing: bool,
    response: Categorical,
    logs: &'a LogTable,
    evaluator: &'a ScoreEvaluator,
    classes: Classes,
    /// Σ c·L(c) over the response's classes.
    y: i64,
    units: Vec<Scored<'a>>,
    /// What every candidate was or is to be counted against, the earliest first.
    anchors: Vec<Laid>,
    /// Anchors that every unit has been counted against and that went.
    gone: usize,
    threads: usize,
}

fn with_scratch<T>(count: impl FnOnce(&mut Scratch) -> T) -> T {
    // Tables are zero between two uses; a panic takes them along.
    let mut scratch = SCRATCH.take().unwrap_or_default();
    let counted = count(&mut scratch);
    SCRATCH.set(Some(scratch));
    counted
}

/// What candidates are counted against, laid out.
#[derive(Debug)]
struct Laid {
    /// For the layouts; none where the anchor misses values.
    prepared: Option<Prepared>,
    /// For whole tables: where the anchor misses values, or a column does.
    whole: Option<Whole>,
}

/// A unit and what its candidates' scores have gathered.
#[derive(Debug)]
struct Scored<'a> {
    unit: Unit<'a>,
    candidates: Vec<Candidate>,
    /// Anchors it has been counted against.
    steps: usize,
    /// No score of its candidates is above it.
    bound: Option<ScoredColumn>,
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    taken: bool,
    /// Σ c·L(c) over x, and over (x, y).
    x: i64,
    xy: i64,
    relevance: i64,
    gathered: i128,
}

impl<'a> CpuCounter<'a> {
    /// Columns numbered from `first` on, for this response; inside a pool of so many threads.
    pub(crate) fn new(
        columns: &'a [BinnedColumn],
        first: usize,
        response: &Categorical,
        (logs, evaluator): (&'a LogTable, &'a ScoreEvaluator),
        threads: usize,
    ) -> Self {
        let nothing = Categorical::constant(response.codes.len());
        // Where no term asks for classes, observations lie in the file's order.
        let classes = match evaluator.needs_xwy() {
            true => Classes::new(response),
            false => Classes::new(&nothing),
        };
        let mut counter = Self {
            columns,
            first,
            missing: columns.iter().any(|it| it.excluded_code().is_some()),
            response: response.clone(),
            logs,
            evaluator,
            y: response.log_sum(logs),
            units: Vec::new(),
            anchors: Vec::new(),
            gone: 0,
            threads,
            classes,
        };
        let least = counter.least();
        let units = Unit::lay(columns, first, &counter.classes, logs, least);
        let mut units: Vec<Scored> = units.into_iter().map(Scored::new).collect();
        // Against an anchor of one level, (x, w) is x, and (x, w, y) is (x, y).
        let whole = counter.missing.then(|| Whole::new(&nothing, response));
        let nothing = Prepared::new(&nothing, &counter.classes, logs);
        let response = Prepared::new(response, &counter.classes, logs);
        let own = |unit: &mut Scored| {
            let mut sums = Vec::new();
            match whole.as_ref().filter(|_| unit.unit.is_whole()) {
                Some(whole) => counter.whole(&unit.unit, whole, |_, table| sums.push(table)),
                None => {
                    let by_class = evaluator.needs_xwy();
                    let work = [&nothing, &response].map(|it| counter.work(it, by_class));
                    let mut own = Vec::new();
                    with_scratch(|scratch| unit.unit.own(work.into(), scratch, &mut own));
                    sums.extend(own.into_iter().map(|[x, xy]| MarginSums {
                        observations: counter.response.codes.len() as u32,
                        n: logs.full_term(),
                        x,
                        y: counter.y,
                        xy,
                        ..MarginSums::default()
                    }));
                }
            }
            for (candidate, sums) in unit.candidates.iter_mut().zip(&sums) {
                *candidate = Candidate {
                    taken: false,
                    x: sums.x,
                    xy: sums.xy,
                    relevance: evaluator.relevance(sums, logs),
                    gathered: evaluator.initial(),
                };
            }
            unit.judge(evaluator);
        };
        units.par_iter_mut().with_min_len(least).for_each(own);
        counter.units = units;
        counter
    }

    fn work<'w>(&'w self, anchor: &'w Prepared, by_class: bool) -> Work<'w> {
        Work {
            anchor,
            classes: &self.classes,
            by_class,
            logs: self.logs,
        }
    }

    /// Fewest units of a piece that a thread may take: one that counts on one thread stays
    /// there, whatever the pool, for others of its kind have the other threads.
    fn least(&self) -> usize {
        match self.threads {
            0 | 1 => usize::MAX,
            _ => 1,
        }
    }

    /// An anchor, for all that may be counted against it.
    fn lay(&self, anchor: &Categorical) -> Laid {
        let prepared = || Prepared::new(anchor, &self.classes, self.logs);
        let whole = || Whole::new(anchor, &self.response);
        Laid {
            prepared: (!anchor.missing).then(prepared),
            whole: (anchor.missing || self.missing).then(whole),
        }
    }

    /// The sums of the whole table of each of a unit's columns.
    fn whole(&self, unit: &Unit, whole: &Whole, mut take: impl FnMut(usize, MarginSums)) {
        for (at, column) in unit.columns.iter().enumerate() {
            let column = &self.columns[*column as usize - self.first];
            let (response, logs) = (&self.response, self.logs);
            let sums = with_scratch(|it| whole.sums(column, response, &mut it.whole, logs));
            take(at, sums);
        }
    }

    /// The sums that are the same for every candidate against an anchor.
    fn fixed(&self, anchor: &Prepared) -> MarginSums {
        MarginSums {
            n: self.logs.full_term(),
            w: anchor.w,
            y: self.y,
            wy: anchor.wy,
            ..MarginSums::default()
        }
    }

    /// Anchors so far.
    fn steps(&self) -> usize {
        self.gone + self.anchors.len()
    }

    /// Counts a unit against the anchors it has not seen yet, for as long as its bound is
    /// not below `least`.
    fn catch_up(&self, unit: &mut Scored, least: impl Fn() -> Option<ScoredColumn>) {
        let evaluator = self.evaluator;
        let mut counted = Vec::new();
        while unit.steps < self.steps() {
            // What only falls is lost for good; what may rise again is only where all are taken.
            let lost = match evaluator.is_nonincreasing() {
                true => unit.bound.is_none() || unit.bound < least(),
                false => unit.candidates.iter().all(|it| it.taken),
            };
            if lost {
                return;
            }
            let laid = &self.anchors[unit.steps - self.gone];
            match (&laid.prepared, &laid.whole) {
                (Some(anchor), _) if !unit.unit.is_whole() => {
                    let work = self.work(anchor, evaluator.needs_xwy());
                    with_scratch(|scratch| unit.unit.sums(work, scratch, &mut counted));
                    let terms = evaluator.terms(&self.fixed(anchor));
                    for (candidate, &[xw, xwy]) in unit.candidates.iter_mut().zip(&counted) {
                        let sums = [candidate.x, candidate.xy, xw, xwy];
                        candidate.gathered = evaluator.gather(candidate.gathered, &terms, sums);
                    }
                }
                (_, Some(whole)) => self.whole(&unit.unit, whole, |at, sums| {
                    let candidate = &mut unit.candidates[at];
                    candidate.gathered =
                        evaluator.gather_table(candidate.gathered, &sums, self.logs);
                }),
                // What is laid out is what its units need.
                (_, None) => {}
            }
            unit.steps += 1;
            unit.judge(evaluator);
        }
    }
}

impl Counter for CpuCounter<'_> {
    fn names(&self) -> Vec<String> {
        vec!["cpu".to_owned()]
    }

    fn sweep(&mut self, step: &ConditioningVariable) -> Result<(), DeviceError> {
        let laid = self.lay(step.codes());
        self.anchors.push(laid);
        // Before the first anchor the score is relevance, which bounds what comes behind it
        // only where the score is the lesser of the two.
        let bounded = self.steps() > 1 || self.evaluator.is_bounded_by_relevance();
        if self.evaluator.is_nonincreasing() && bounded {
            return Ok(());
        }
        let mut units = std::mem::take(&mut self.units);
        let all = |unit: &mut Scored| self.catch_up(unit, || None);
        let split = units.par_iter_mut().with_min_len(self.least());
        split.for_each(all);
        self.units = units;
        self.gone += self.anchors.len();
        self.anchors.clear();
        Ok(())
    }

    fn reset(&mut self) {
        let evaluator = self.evaluator;
        (self.gone, self.anchors) = (0, Vec::new());
        self.units.par_iter_mut().for_each(|unit| {
            unit.steps = 0;
            for candidate in &mut unit.candidates {
                candidate.gathered = evaluator.initial();
            }
            unit.judge(evaluator);
        });
    }

    fn best(&mut self) -> Result<Option<ScoredColumn>, DeviceError> {
        if self.evaluator.is_nonincreasing() {
            // What is gathered can only fall: units whose score so far is below that of a
            // candidate counted to the end need not be counted any further. The one that
            // looks best goes first.
            let mut units = std::mem::take(&mut self.units);
            if let Some(first) = units.iter_mut().max_by_key(|it| it.bound) {
                self.catch_up(first, || None);
                let end = self.steps();
                let best = Mutex::new(first.bound);
                let least = || *best.lock().unwrap_or_else(PoisonError::into_inner);
                let split = units.par_iter_mut().with_min_len(self.least());
                split.for_each(|unit| {
                    self.catch_up(unit, least);
                    if unit.steps == end {
                        let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
                        *best = (*best).max(unit.bound);
                    }
                });
                self.units = units;
                let counted = self.units.iter().filter(|it| it.steps == end);
                return Ok(counted.filter_map(|it| it.bound).max());
            }
            self.units = units;
        }
        Ok(self.units.iter().filter_map(|it| it.bound).max())
    }

    fn exclude(&mut self, column: u32) {
        for unit in &mut self.units {
            if let Ok(at) = unit.unit.columns.binary_search(&column) {
                unit.candidates[at].taken = true;
                unit.judge(self.evaluator);
            }
        }
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        let all = self.units.iter().flat_map(|it| {
            let relevance = it.candidates.iter().map(|it| it.relevance);
            it.unit.columns.iter().copied().zip(relevance)
        });
        let mut all: Vec<(u32, i64)> = all.collect();
        all.sort_unstable();
        Ok(all.into_iter().map(|it| it.1).collect())
    }
}

impl PairCounter for CpuCounter<'_> {
    fn names(&self) -> Vec<String> {
        Counter::names(self)
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        Counter::relevance(self)
    }

    fn pairs(&mut self, asked: PairSearch) -> Result<TopPairs, DeviceError> {
        Ok(self.best_pairs(asked))
    }
}

impl<'a> Scored<'a> {
    fn new(unit: Unit<'a>) -> Self {
        let candidate = Candidate {
            taken: false,
            x: 0,
            xy: 0,
            relevance: 0,
            gathered: 0,
        };
        Self {
            candidates: vec![candidate; unit.columns.len()],
            unit,
            steps: 0,
            bound: None,
        }
    }

    /// Finds the best of its candidates anew.
    fn judge(&mut self, evaluator: &ScoreEvaluator) {
        let mut best = None;
        for (at, it) in self.candidates.iter().enumerate() {
            if it.taken {
                continue;
            }
            let score = evaluator.candidate_score(it.relevance, it.gathered, self.steps);
            if score == EXCLUDED_SCORE {
                continue;
            }
            // Columns ascend: of equal scores the first stays.
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, at));
            }
        }
        self.bound = best.map(|(score, at)| ScoredColumn {
            score,
            column: Reverse(self.unit.columns[at]),
            relevance: self.candidates[at].relevance,
        });
    }
}
