//! Devices that report more than the best candidate: a selection that relies on it chooses the same.

use super::fixtures::{coded, columns, joint_information, of_term, resources, score};
use super::*;
use crate::{
    binning::{BinnedColumn, Codes, MissingCode},
    device::{
        CpuCounter, CpuTableScorer,
        counting::{
            CandidateStatistics, Categorical, ConditioningVariable, Counter, CounterGroup,
            FunctionCounter, PairCounter, PairSearch, ScoredColumn, TableScorer, TableValue,
            TopPairs, tests::host_statistics,
        },
    },
    score::{Combination, CountTable, Gather, Join, Measure, Part},
};

/// A device that reports statistics and the winners of permutations, and asserts that a selection
/// keeps to the number of picks it announced.
struct InformedDevice<'a> {
    counter: CpuCounter<'a>,
    columns: &'a [BinnedColumn],
    response: Categorical,
    evaluator: &'a ScoreEvaluator,
    taken: Vec<u32>,
    swept: Vec<Categorical>,
    alone: bool,
    best: Option<u32>,
    picks: usize,
}

fn informed<'a>(
    columns: &'a BinnedColumns,
    response: &Categorical,
    evaluator: &'a ScoreEvaluator,
) -> Box<dyn Counter + 'a> {
    Box::new(InformedDevice {
        counter: CpuCounter::new(columns.columns[..].into(), response, evaluator, 1),
        columns: &columns.columns,
        response: response.clone(),
        evaluator,
        taken: Vec::new(),
        swept: Vec::new(),
        alone: true,
        best: None,
        picks: 1,
    })
}

impl PairCounter for InformedDevice<'_> {
    fn names(&self) -> Vec<String> {
        self.counter.names()
    }

    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError> {
        self.counter.relevance()
    }

    fn pairs(&mut self, search: PairSearch) -> Result<TopPairs, DeviceError> {
        self.counter.pairs(search)
    }
}

impl Counter for InformedDevice<'_> {
    fn sweep(&mut self, step: &ConditioningVariable) -> Result<(), DeviceError> {
        // Only the best comes next, where more than one pick is expected.
        assert!(self.picks == 1 || step.column == self.best);
        self.picks = self.picks.saturating_sub(1).max(1);
        self.alone &= step.column.is_some();
        self.swept.push(step.codes().clone());
        self.counter.sweep(step)
    }

    fn hint_picks(&mut self, picks: usize) {
        assert!(picks > 0);
        self.picks = picks;
    }

    fn reset(&mut self) {
        assert_eq!(self.picks, 1);
        self.swept.clear();
        self.alone = true;
        self.counter.reset();
    }

    fn best(&mut self) -> Result<Option<ScoredColumn>, DeviceError> {
        let best = self.counter.best()?;
        self.best = best.map(|best| best.column.0);
        Ok(best)
    }

    fn statistics(&mut self, column: u32) -> Result<Option<CandidateStatistics>, DeviceError> {
        assert_eq!(Some(column), self.best);
        let own = &self.columns[column as usize];
        let logs = self.evaluator.logs();
        let known = host_statistics(own, &self.response, self.swept.iter(), logs);
        Ok(Some(CandidateStatistics {
            redundancy: known.redundancy.filter(|_| self.alone),
            ..known
        }))
    }

    fn exclude(&mut self, column: u32) {
        assert_eq!(Some(column), self.best);
        self.taken.push(column);
        self.counter.exclude(column);
    }

    fn best_permuted(
        &mut self,
        orders: &[Vec<u32>],
        swept: &[&Categorical],
    ) -> Option<Result<Vec<Option<ScoredColumn>>, DeviceError>> {
        let one = |order: &Vec<u32>| {
            let response = self.response.permuted(order);
            let mut counter = CpuCounter::new(self.columns.into(), &response, self.evaluator, 1);
            self.taken.iter().for_each(|taken| counter.exclude(*taken));
            for anchor in swept {
                counter.sweep(&anchor.permuted(order).into())?;
            }
            counter.best()
        };
        Some(orders.iter().map(one).collect())
    }
}

/// Opens a device for these columns and their response.
type Open =
    for<'a> fn(&'a BinnedColumns, &Categorical, &'a ScoreEvaluator) -> Box<dyn Counter + 'a>;

/// Whether the selection of `top` on this device is the one on the CPU.
fn assert_same(
    columns: &BinnedColumns,
    score: &Score,
    (top, permutation): (usize, Option<PermutationTest>),
    open: Open,
) {
    let never = Interrupt::default();
    let stop = &Stop {
        top: Some(top),
        threshold: None,
        permutation,
    };
    let asked = resources((1, 3));
    let expected = rank(columns, score, stop, &asked, &never, &mut |_, _| {}).unwrap();
    let evaluator = &ScoreEvaluator::new(score.clone(), columns.n);
    let response = &evaluator.categorical(&columns.response);
    let selection = Selection {
        columns,
        response,
        evaluator,
        interrupt: &never,
        communicator: None,
        top,
        stop,
    };
    let device = open(columns, response, evaluator);
    let mut unheard = |_| {};
    let log = TestLog::new((None, None), &mut unheard);
    let found = selection.run(CounterGroup::new(vec![device], evaluator), log);
    assert!(!found.chosen.is_empty());
    assert_eq!(found.chosen, expected.chosen);
    assert_eq!(found.refused, expected.refused);
    assert_eq!(found.termination, expected.termination);
}

#[test]
fn a_device_that_reports_statistics_gives_the_same_selection() {
    let mut columns = columns(3, 200, 24, 6);
    for at in [0, 3, 9] {
        let column = &mut columns.columns[at];
        let missing = column.levels as u8;
        if let Codes::Byte(codes) = &mut column.codes {
            codes
                .iter_mut()
                .step_by(5 + at)
                .for_each(|code| *code = missing);
        }
        column.missing = Some(MissingCode::Excluded(missing.into()));
    }
    for against in [Against::Last, Against::Joint, Against::Pairs] {
        for (over, gather, join, permutations) in [
            (Combination::default(), Gather::Sum, Join::Added, 0),
            (Combination::X_W, Gather::Mean, Join::Added, 0),
            (Combination::XW_Y, Gather::Minimum, Join::Alone, 0),
            (Combination::default(), Gather::Sum, Join::Added, 40),
            (Combination::X_W, Gather::Mean, Join::Added, 40),
            (Combination::X_W, Gather::Mean, Join::Added, 41),
            (Combination::XW_Y, Gather::Last, Join::Alone, 68),
            (Combination::XW_Y, Gather::Minimum, Join::Alone, 39),
        ] {
            let measure = match over.is_zero() {
                true => Measure::default(),
                false => of_term(over, -0.5, Part::Whole),
            };
            let score = Score {
                against,
                ..score(measure, gather, join)
            };
            let permutation = (permutations > 0).then_some(PermutationTest {
                n: permutations,
                alpha: 0.6,
                // Devices report statistics of their best candidate, which the raw test chooses.
                standardise: false,
                seed: 5,
            });
            assert_same(&columns, &score, (6, permutation), informed);
        }
    }
}

/// Values that come from one place for permutations too.
struct Permuting<'a>(CpuTableScorer<'a>);

impl TableScorer for Permuting<'_> {
    fn names(&self) -> Vec<String> {
        self.0.names()
    }

    fn values(
        &mut self,
        step: (&ConditioningVariable, usize),
        response: &Categorical,
        wanted: &[bool],
    ) -> Result<Vec<TableValue>, DeviceError> {
        self.0.values(step, response, wanted)
    }

    fn permutes(&self) -> bool {
        true
    }
}

#[test]
fn permutations_of_a_function_are_the_same_on_a_device_that_permutes() {
    let columns = columns(4, 120, 15, 4);
    // Rounded, so that there are ties by tolerance too.
    let rough = |table: &CountTable| (joint_information(table) * 50.0).round() / 50.0;
    let measure = Measure::Function(coded(rough, 0.01));
    let test = PermutationTest {
        n: 59,
        alpha: 0.9,
        standardise: false,
        seed: 7,
    };
    for gather in [Gather::Sum, Gather::Last, Gather::Minimum] {
        let score = score(measure.clone(), gather, Join::Alone);
        assert_same(
            &columns,
            &score,
            (4, Some(test)),
            |columns, response, evaluator| {
                let own = &columns.columns;
                let coded = evaluator.score().function().unwrap();
                let values = Permuting(CpuTableScorer::new(own[..].into(), coded));
                Box::new(FunctionCounter::new(
                    values,
                    0..own.len(),
                    response,
                    evaluator,
                ))
            },
        );
    }
}
