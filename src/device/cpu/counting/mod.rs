//! Counting on the CPU: units of a few columns each, spread over the threads.

mod class_order;
mod dense;
mod entries;
mod many_tables;
mod pairs;
mod planes;
mod rows;
mod scored_unit;
mod table_cells;
mod table_scorer;
mod term_scorer;
#[cfg(test)]
mod tests;
mod two_columns;
mod unit;
mod wide;

use std::{
    cell::Cell,
    mem,
    sync::{Mutex, PoisonError},
};

use rayon::prelude::*;

pub(crate) use table_scorer::CpuTableScorer;
pub(crate) use term_scorer::CpuTermScorer;

use self::{
    class_order::{Classes, SortedVariable},
    dense::Sweep,
    scored_unit::{CandidateState, ScoredUnit, TableSums},
    unit::{Scratch, Unit},
    wide::WideVariable,
};
use super::super::{
    DeviceError,
    counting::{
        Categorical, ConditioningVariable, Counter, LocalColumns, MarginSums, ScoreEvaluator,
        ScoredColumn, any_misses,
    },
};

thread_local! {
    /// This thread's tables: megabytes, which thousands of counters in turn need not allocate anew.
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// A shard of the columns on the CPU.
pub(crate) struct CpuCounter<'a> {
    own: LocalColumns<'a>,
    missing: bool,
    response: Categorical,
    evaluator: &'a ScoreEvaluator,
    classes: Classes,
    /// Σ c·L(c) over the response's classes.
    y: i64,
    units: Vec<ScoredUnit<'a>>,
    /// The conditioning variables that some unit is still to be counted with, earliest first.
    swept: Vec<SweptVariable>,
    /// Number of earlier conditioning variables, which were dropped.
    released: usize,
    threads: usize,
}

fn with_scratch<T>(count: impl FnOnce(&mut Scratch) -> T) -> T {
    // Tables are zero between two uses; after a panic new ones are made.
    let mut scratch = SCRATCH.take().unwrap_or_default();
    let counted = count(&mut scratch);
    SCRATCH.set(Some(scratch));
    counted
}

/// A conditioning variable in the forms that layouts need.
#[derive(Debug)]
struct SweptVariable {
    /// For layouts; none if the variable has missing values.
    sorted: Option<SortedVariable>,
    /// For tables with missing values, if the variable or any column has some.
    wide: Option<WideVariable>,
    /// The margin sums of layouts that do not depend on the candidate.
    fixed: MarginSums,
}

impl<'a> CpuCounter<'a> {
    /// Lays out columns for this response, inside a pool of `threads` threads.
    pub(crate) fn new(
        own: LocalColumns<'a>,
        response: &Categorical,
        evaluator: &'a ScoreEvaluator,
        threads: usize,
    ) -> Self {
        let nothing = Categorical::constant(response.codes.len());
        let logs = evaluator.logs();
        // If no term needs classes, observations stay in the file's order.
        let classes = match evaluator.needs_xwy {
            true => Classes::new(response),
            false => Classes::new(&nothing),
        };
        let mut counter = Self {
            own,
            missing: any_misses(own.columns),
            response: response.clone(),
            evaluator,
            y: response.log_sum(logs),
            units: Vec::new(),
            swept: Vec::new(),
            released: 0,
            threads,
            classes,
        };
        let least = counter.min_units();
        let units = Unit::build(own, &counter.classes, logs, least);
        let mut units: Vec<ScoredUnit> = units.into_iter().map(ScoredUnit::new).collect();
        // With a constant w, (x, w) is x and (x, w, y) is (x, y).
        let nothing = counter.prepare(&nothing);
        let response = SortedVariable::new(response, &counter.classes, logs);
        let count = |unit: &mut ScoredUnit| {
            let (columns, candidates) = (&unit.unit, &mut unit.candidates);
            let mut record = |at: usize, sums: MarginSums| {
                candidates[at] = CandidateState {
                    excluded: false,
                    x: sums.x,
                    xy: sums.xy,
                    relevance: evaluator.relevance(&sums),
                    gathered: evaluator.initial(),
                };
            };
            match (&nothing.sorted, &nothing.wide) {
                (_, Some(wide)) if columns.is_incomplete() => {
                    counter.wide_sums(columns, wide, record);
                }
                (Some(sorted), _) => with_scratch(|scratch| {
                    let sweeps = [sorted, &response]
                        .map(|variable| counter.sweep_of(variable, evaluator.needs_xwy));
                    let mut own = Vec::new();
                    columns.own(sweeps.into(), scratch, &mut own);
                    for (at, [x, xy]) in own.into_iter().enumerate() {
                        let sums = MarginSums {
                            x,
                            xy,
                            ..nothing.fixed
                        };
                        record(at, sums);
                    }
                }),
                // The constant variable misses no value.
                (None, _) => {}
            }
            unit.update_bound(evaluator);
        };
        units.par_iter_mut().with_min_len(least).for_each(count);
        counter.units = units;
        counter
    }

    fn sweep_of<'w>(&'w self, anchor: &'w SortedVariable, by_class: bool) -> Sweep<'w> {
        Sweep {
            anchor,
            classes: &self.classes,
            by_class,
            logs: self.evaluator.logs(),
        }
    }

    /// Fewest units that a thread takes at a time. A counter of one thread stays on it whatever the
    /// pool has, because other counters use the other threads.
    fn min_units(&self) -> usize {
        match self.threads {
            0 | 1 => usize::MAX,
            _ => 1,
        }
    }

    fn prepare(&self, anchor: &Categorical) -> SweptVariable {
        let logs = self.evaluator.logs();
        let sorted = || SortedVariable::new(anchor, &self.classes, logs);
        let wide = || WideVariable::new(anchor, &self.response);
        let sorted = (!anchor.missing).then(sorted);
        let fixed = sorted.as_ref().map(|anchor| MarginSums {
            observations: self.response.codes.len() as u32,
            n: logs.full_term(),
            w: anchor.w,
            y: self.y,
            wy: anchor.wy,
            ..MarginSums::default()
        });
        SweptVariable {
            sorted,
            wide: (anchor.missing || self.missing).then(wide),
            fixed: fixed.unwrap_or_default(),
        }
    }

    /// Passes each column's position in its unit and all margin sums of its table to `take`.
    fn wide_sums(&self, unit: &Unit, wide: &WideVariable, mut take: impl FnMut(usize, MarginSums)) {
        for (at, column) in unit.columns.iter().enumerate() {
            let column = &self.own.columns[*column as usize - self.own.first];
            let (response, logs) = (&self.response, self.evaluator.logs());
            let sums = with_scratch(|scratch| wide.sums(column, response, &mut scratch.wide, logs));
            take(at, sums);
        }
    }

    /// Passes each column's position in a unit and the sums of its table with a variable to `take`.
    fn count(
        &self,
        unit: &Unit,
        variable: &SweptVariable,
        by_class: bool,
        mut take: impl FnMut(usize, &TableSums),
    ) {
        match (&variable.sorted, &variable.wide) {
            (Some(anchor), _) if !unit.is_incomplete() => with_scratch(|scratch| {
                let mut counted = mem::take(&mut scratch.counted);
                unit.sums(self.sweep_of(anchor, by_class), scratch, &mut counted);
                for (at, sums) in counted.iter().enumerate() {
                    take(at, &TableSums::Joint(*sums));
                }
                scratch.counted = counted;
            }),
            (_, Some(wide)) => {
                self.wide_sums(unit, wide, |at, sums| take(at, &TableSums::Complete(sums)));
            }
            // Every form that a unit needs was prepared.
            (_, None) => {}
        }
    }

    fn steps(&self) -> usize {
        self.released + self.swept.len()
    }

    /// Counts a unit against the conditioning variables it has not seen yet, for as long as its
    /// bound is not below `min_units`.
    fn catch_up(&self, unit: &mut ScoredUnit, least: impl Fn() -> Option<ScoredColumn>) {
        let evaluator = self.evaluator;
        while unit.steps < self.steps() {
            // A score that only falls is out for good; others only once all columns are excluded.
            let is_out = match evaluator.is_nonincreasing() {
                true => unit.bound.is_none() || unit.bound < least(),
                false => unit.candidates.iter().all(|state| state.excluded),
            };
            if is_out {
                return;
            }
            let variable = &self.swept[unit.steps - self.released];
            let terms = evaluator.terms(&variable.fixed);
            self.count(&unit.unit, variable, evaluator.needs_xwy, |at, sums| {
                let candidate = &mut unit.candidates[at];
                candidate.gathered = candidate.gather(candidate.gathered, sums, evaluator, &terms);
            });
            unit.steps += 1;
            unit.update_bound(evaluator);
        }
    }
}

impl Counter for CpuCounter<'_> {
    fn sweep(&mut self, conditioning: &ConditioningVariable) -> Result<(), DeviceError> {
        let variable = self.prepare(conditioning.codes());
        self.swept.push(variable);
        // Before the first step the score is relevance, which bounds later scores only if they are
        // the lesser of the two.
        let bounded = self.steps() > 1 || self.evaluator.is_bounded_by_relevance();
        if self.evaluator.is_nonincreasing() && bounded {
            return Ok(());
        }
        let mut units = std::mem::take(&mut self.units);
        let split = units.par_iter_mut().with_min_len(self.min_units());
        split.for_each(|unit| self.catch_up(unit, || None));
        self.units = units;
        self.released += self.swept.len();
        self.swept.clear();
        Ok(())
    }

    fn reset(&mut self) {
        let evaluator = self.evaluator;
        (self.released, self.swept) = (0, Vec::new());
        self.units.par_iter_mut().for_each(|unit| {
            unit.steps = 0;
            for candidate in &mut unit.candidates {
                candidate.gathered = evaluator.initial();
            }
            unit.update_bound(evaluator);
        });
    }

    fn best(&mut self) -> Result<Option<ScoredColumn>, DeviceError> {
        if self.evaluator.is_nonincreasing() {
            // Scores can only fall, so a unit whose bound is below the score of a candidate that
            // was counted to the end needs no more counting. The most promising unit goes first.
            let mut units = std::mem::take(&mut self.units);
            if let Some(first) = units.iter_mut().max_by_key(|unit| unit.bound) {
                self.catch_up(first, || None);
                let end = self.steps();
                let best = Mutex::new(first.bound);
                let least = || *best.lock().unwrap_or_else(PoisonError::into_inner);
                let split = units.par_iter_mut().with_min_len(self.min_units());
                split.for_each(|unit| {
                    self.catch_up(unit, least);
                    if unit.steps == end {
                        let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
                        *best = (*best).max(unit.bound);
                    }
                });
                self.units = units;
                let counted = self.units.iter().filter(|unit| unit.steps == end);
                return Ok(counted.filter_map(|unit| unit.bound).max());
            }
            self.units = units;
        }
        Ok(self.units.iter().filter_map(|unit| unit.bound).max())
    }

    fn scores(&mut self) -> Option<Result<Vec<ScoredColumn>, DeviceError>> {
        let mut units = std::mem::take(&mut self.units);
        let split = units.par_iter_mut().with_min_len(self.min_units());
        split.for_each(|unit| self.catch_up(unit, || None));
        self.units = units;
        let end = self.steps();
        // A unit that was not counted to the end has no candidate left.
        let counted = self.units.iter().filter(|unit| unit.steps == end);
        let scored = counted.flat_map(|unit| unit.scored(self.evaluator));
        let mut all: Vec<ScoredColumn> = scored.collect();
        all.sort_unstable_by_key(|own| own.column.0);
        Some(Ok(all))
    }

    fn exclude(&mut self, column: u32) {
        for unit in &mut self.units {
            if let Ok(at) = unit.unit.columns.binary_search(&column) {
                unit.candidates[at].excluded = true;
                unit.update_bound(self.evaluator);
            }
        }
    }
}
