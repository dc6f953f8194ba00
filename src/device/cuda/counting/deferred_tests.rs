//! Columns that are counted lazily pick what the CPU picks: where many waves are needed, lists are
//! too short, and anchors have no room.

use std::ops::Range;

use super::{CudaCounter, LazyOptions};
use crate::{
    binning::BinnedColumn,
    device::{
        counting::{
            Categorical, ConditioningVariable, Counter, ScoreEvaluator, ScoredColumn,
            mutual_information,
            tests::{self, column, gpus},
        },
        cpu::CpuCounter,
    },
    random::{Stream, uniform_below},
    score::Gather,
};

/// Columns, a response, and how many picks are made of them.
pub(super) struct Case {
    pub(super) columns: Vec<BinnedColumn>,
    pub(super) response: BinnedColumn,
    picks: usize,
    /// Picks after which the host has codes of its own swept.
    breaks: Vec<usize>,
}

impl Case {
    /// n × p columns, a third of them copies of others, of so many levels.
    pub(super) fn new(
        (n, p): (usize, usize),
        levels: Range<usize>,
        picks: usize,
        breaks: Vec<usize>,
    ) -> Self {
        let mut stream = Stream::new(n as u64, p as u64);
        let mut draw = |bound: usize| uniform_below(stream.next_word(), bound);
        let response: Vec<u16> = (0..n).map(|_| draw(3) as u16).collect();
        let mut columns: Vec<BinnedColumn> = Vec::new();
        for at in 0..p {
            if at % 3 == 2 {
                columns.push(columns[draw(at)].clone());
                continue;
            }
            let (levels, share) = (levels.start + draw(levels.len()), draw(5));
            let code = |row: usize, draw: &mut dyn FnMut(usize) -> usize| match draw(8) < share {
                true => usize::from(response[row]) * 7 % levels,
                false => draw(levels),
            };
            let codes = (0..n).map(|row| code(row, &mut draw) as u16).collect();
            columns.push(column(codes, levels, false, false));
        }
        Self {
            columns,
            response: column(response, 3, false, false),
            picks,
            breaks,
        }
    }

    /// The case by the score of this name.
    pub(super) fn by(&self, name: &str) -> ScoredCase<'_> {
        let n = self.response.codes.n();
        let mut scores = tests::scores().into_iter();
        let (_, score) = scores.find(|(other, _)| *other == name).unwrap();
        let evaluator = ScoreEvaluator::new(score, n);
        ScoredCase {
            response: evaluator.categorical(&self.response),
            case: self,
            evaluator,
        }
    }
}

/// A case and what it is scored by.
pub(super) struct ScoredCase<'c> {
    pub(super) case: &'c Case,
    pub(super) evaluator: ScoreEvaluator,
    response: Categorical,
}

impl ScoredCase<'_> {
    pub(super) fn on_cpu(&self) -> CpuCounter<'_> {
        let columns = self.case.columns[..].into();
        CpuCounter::new(columns, &self.response, &self.evaluator, 1)
    }

    pub(super) fn on_gpus(&self, ordinals: &[usize], lazy: LazyOptions) -> CudaCounter<'_> {
        let on = (ordinals, None);
        let columns = (&self.case.columns[..]).into();
        CudaCounter::new(columns, &self.response, &self.evaluator, on, lazy).unwrap()
    }

    /// What a counter picks; its statistics of each pick are checked.
    pub(super) fn walk(&self, counter: &mut dyn Counter) -> Vec<ScoredColumn> {
        let (case, logs) = (self.case, self.evaluator.logs());
        let mut picked: Vec<ScoredColumn> = Vec::new();
        let mut steps: Vec<ConditioningVariable> = Vec::new();
        let mut plain = true;
        for at in 0..case.picks {
            let next = case.breaks.iter().find(|stop| **stop >= at);
            // At first one alone, so that a step may stall that nobody waits for.
            counter.hint_picks(match at {
                0 => 1,
                _ => next.unwrap_or(&(case.picks - 1)) - at + 1,
            });
            let Some(found) = counter.best().unwrap() else {
                break;
            };
            let column = found.column.0;
            let own = Categorical::compact(&case.columns[column as usize]);
            let statistics = counter.statistics(column).unwrap();
            if plain && let Some(redundancy) = statistics.and_then(|known| known.redundancy) {
                let (own, mut cells) = ((&own, own.log_sum(logs)), Vec::new());
                let each = steps.iter().map(|step| step.codes_and_log_sum(logs));
                let each = each.map(|w| i128::from(mutual_information(own, w, logs, &mut cells)));
                assert_eq!(redundancy, each.sum(), "{column}");
            }
            picked.push(found);
            counter.exclude(column);
            if at + 1 == case.picks {
                break;
            }
            let step = match (case.breaks.contains(&at), steps.last()) {
                (true, Some(last)) => {
                    plain = false;
                    own.joint(last.codes()).into()
                }
                _ => ConditioningVariable::of_column(column, &case.columns, &self.evaluator),
            };
            counter.sweep(&step).unwrap();
            steps.push(step);
        }
        picked
    }
}

/// Compares picks with lists of so many items with those of the CPU, by each of the scores by which
/// columns are counted lazily: by name, how many items were counted, and how many all columns
/// would be.
fn counted_of_all(case: &Case, capacity: Option<usize>) -> Vec<(&'static str, u64, u64)> {
    let mut scores = tests::scores();
    scores.retain(|(_, score)| score.gather == Gather::Minimum);
    let counted = |(name, _)| {
        let scored = case.by(name);
        let expected = scored.walk(&mut scored.on_cpu());
        let mut gpu = scored.on_gpus(&[0], LazyOptions::always(capacity));
        assert!(gpu.shards[0].deferred.is_some());
        let picked = scored.walk(&mut gpu);
        assert_eq!(picked, expected, "{name}, {capacity:?}");
        let all = case.columns.len() * (picked.len() - 1);
        (name, gpu.shards[0].items_counted().unwrap(), all as u64)
    };
    scores.into_iter().map(counted).collect()
}

#[test]
fn lazy_steps_count_less_than_half_of_all_columns() {
    if gpus().is_none() {
        return;
    }
    let case = Case::new((700, 3000), 2..13, 20, Vec::new());
    for (name, counted, all) in counted_of_all(&case, None) {
        assert!(
            counted > 0 && counted < all / 2,
            "{name}: {counted} of {all}"
        );
    }
}

#[test]
fn lists_of_any_length_give_the_same_picks() {
    if gpus().is_none() {
        return;
    }
    for (shape, levels, picks, breaks, capacities) in [
        ((700, 1000), 2..13, 20, vec![], [Some(1), Some(40)]),
        // Wide tables and many rows.
        ((70_000, 60), 2..13, 8, vec![], [None, Some(7)]),
        ((5000, 200), 90..120, 8, vec![], [None, Some(7)]),
        // Of cells of 32 bits, which have room on every GPU.
        ((66_000, 30), 60..80, 5, vec![], [None, Some(7)]),
        // Anchors are kept until the host sweeps its own.
        ((700, 400), 2..31, 170, vec![0, 9, 10, 160], [None, Some(7)]),
    ] {
        let case = Case::new(shape, levels, picks, breaks);
        for capacity in capacities {
            counted_of_all(&case, capacity);
        }
    }
}
