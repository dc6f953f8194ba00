//! Columns that are counted lazily pick what the CPU picks: where many waves are needed, lists are
//! too short, and anchors have no room.

use std::ops::Range;

use super::{CudaCounter, LazyOptions};
use crate::{
    binning::BinnedColumn,
    device::{
        counting::{
            Categorical, ConditioningVariable, Counter, LogTable, ScoreEvaluator, ScoredColumn,
            mutual_information,
            tests::{self, column, gpus},
        },
        cpu::CpuCounter,
    },
    random::{Stream, uniform_below},
    score::{Gather, Score},
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

    /// What a counter picks by a score; its statistics of each pick are checked.
    pub(super) fn walk(
        &self,
        counter: &mut dyn Counter,
        evaluator: &ScoreEvaluator,
        logs: &LogTable,
    ) -> Vec<ScoredColumn> {
        let mut picked: Vec<ScoredColumn> = Vec::new();
        let mut steps: Vec<ConditioningVariable> = Vec::new();
        let mut plain = true;
        for at in 0..self.picks {
            let next = self.breaks.iter().find(|stop| **stop >= at);
            // At first one alone, so that a step may stall that nobody waits for.
            counter.hint_picks(match at {
                0 => 1,
                _ => next.unwrap_or(&(self.picks - 1)) - at + 1,
            });
            let Some(found) = counter.best().unwrap() else {
                break;
            };
            let own = Categorical::compact(&self.columns[found.column.0 as usize]);
            let statistics = counter.statistics(found.column.0).unwrap();
            if let Some(redundancy) = statistics
                .and_then(|known| known.redundancy)
                .filter(|_| plain)
            {
                let (own, mut cells) = ((&own, own.log_sum(logs)), Vec::new());
                let each = steps.iter().map(|step| step.codes_and_log_sum(logs));
                let each = each.map(|w| i128::from(mutual_information(own, w, logs, &mut cells)));
                assert_eq!(redundancy, each.sum(), "{}", found.column.0);
            }
            picked.push(found);
            counter.exclude(found.column.0);
            if at + 1 == self.picks {
                break;
            }
            let step = match (self.breaks.contains(&at), steps.last()) {
                (true, Some(last)) => {
                    plain = false;
                    own.joint(last.codes()).into()
                }
                _ => ConditioningVariable::of_column(found.column.0, &self.columns, evaluator),
            };
            counter.sweep(&step).unwrap();
            steps.push(step);
        }
        picked
    }

    /// Compares picks with lists of so many items with those of the CPU; how many items were
    /// counted, and how many all columns would be.
    fn holds(&self, name: &str, score: &Score, capacity: Option<usize>) -> (u64, u64) {
        let n = self.response.codes.n();
        let logs = LogTable::new(n, score.reach());
        let evaluator = ScoreEvaluator::new(score.clone(), &logs, n);
        let response = evaluator.categorical(&self.response);
        let by = (&logs, &evaluator);
        let mut cpu = CpuCounter::new(&self.columns, 0, &response, by, 1);
        let expected = self.walk(&mut cpu, &evaluator, &logs);
        let waves = LazyOptions::always(capacity);
        let on = (&[0][..], None);
        let mut gpu =
            CudaCounter::new((&self.columns[..]).into(), &response, by, on, waves).unwrap();
        assert!(gpu.shards[0].deferred.is_some());
        let picked = self.walk(&mut gpu, &evaluator, &logs);
        assert_eq!(picked, expected, "{name}, {capacity:?}");
        let all = self.columns.len() * (picked.len() - 1);
        (gpu.shards[0].items_counted().unwrap(), all as u64)
    }
}

/// The scores by which columns are counted lazily.
fn scores() -> impl Iterator<Item = (&'static str, Score)> {
    let all = tests::scores().into_iter();
    all.filter(|(_, score)| score.gather == Gather::Minimum)
}

#[test]
fn lazy_steps_count_less_than_half_of_all_columns() {
    if gpus().is_none() {
        return;
    }
    let case = Case::new((700, 3000), 2..13, 20, Vec::new());
    for (name, score) in scores() {
        let (counted, all) = case.holds(name, &score, None);
        eprintln!("{name}: {counted} of {all}");
        assert!(
            counted > 0 && counted < all / 2,
            "{name}: {counted} of {all}"
        );
    }
}

#[test]
fn short_lists_give_the_same_picks() {
    if gpus().is_none() {
        return;
    }
    let case = Case::new((700, 1000), 2..13, 20, Vec::new());
    for (name, score) in scores() {
        for capacity in [1, 40] {
            case.holds(name, &score, Some(capacity));
        }
    }
}

#[test]
fn wide_tables_and_many_rows_are_counted_by_lists() {
    if gpus().is_none() {
        return;
    }
    for case in [
        Case::new((70_000, 60), 2..13, 8, Vec::new()),
        Case::new((5000, 200), 90..120, 8, Vec::new()),
        // Of cells of 32 bits, which have room on every GPU.
        Case::new((66_000, 30), 60..80, 5, Vec::new()),
    ] {
        for (name, score) in scores() {
            case.holds(name, &score, None);
            case.holds(name, &score, Some(7));
        }
    }
}

#[test]
fn anchors_are_kept_until_the_host_sweeps_its_own() {
    if gpus().is_none() {
        return;
    }
    let case = Case::new((700, 400), 2..31, 170, vec![0, 9, 10, 160]);
    for (name, score) in scores() {
        case.holds(name, &score, None);
        case.holds(name, &score, Some(7));
    }
}
