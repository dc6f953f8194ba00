//! Every device against one shard and one thread of the CPU: columns of every form, scores of
//! every kind.

mod draws;
mod functions;
mod pairs;
mod scores;

use passel_kernels::pairs::BitProducts;

pub(crate) use self::draws::{Draws, binned, codes, column, entries_off};
pub(crate) use self::scores::scores;
use super::{
    super::{
        DeviceError, Placement, ScoreFault,
        counters::{open_counters, open_pair_counters},
        cuda::{
            self,
            counting::{CudaCounter, CudaPairs, LazyOptions},
        },
    },
    *,
};
use crate::{
    binning::{BinnedColumn, Codes, MissingCode},
    random::Stream,
    score::{Gather, Score},
};

/// Columns and a response.
struct Case {
    name: &'static str,
    columns: Vec<BinnedColumn>,
    response: BinnedColumn,
}

/// n × p columns: bytes of few levels and of many, words, sparse ones of Zipf's lengths,
/// constant ones and copies. In `missing` of ten some values are missing.
fn case(
    name: &'static str,
    (n, p): (usize, usize),
    classes: usize,
    most: usize,
    missing: usize,
) -> Case {
    let (mut draws, response) = Draws::new((n, p), classes);
    let mut columns: Vec<BinnedColumn> = Vec::new();
    for at in 0..p {
        let told = draws.below(6);
        let (levels, sparse) = match at % 10 {
            0 | 5 => (2 + draws.below(7), false),
            1 => (2 + draws.below(255), false),
            2 => (257 + draws.below(2744), false),
            3 | 6 => (2 + draws.below(4), true),
            4 => (2 + draws.below(400), true),
            7 if at % 20 == 7 => (1, false),
            8 => {
                columns.push(columns[at * 7 % columns.len()].clone());
                continue;
            }
            _ => (2 + at % 31, false),
        };
        let levels = levels.min(most).max(1);
        let mut codes = match sparse {
            true => draws.rare(levels, n / (1 + at)),
            false => draws.codes(levels, told),
        };
        let misses = draws.below(10) < missing;
        if misses {
            for _ in 0..1 + n / (2 + at) {
                let row = draws.below(n);
                codes[row] = levels as u16;
            }
        }
        columns.push(column(codes, levels, sparse, misses));
    }
    Case {
        name,
        columns,
        response,
    }
}

/// Lengths of n on both sides of words of bits, blocks and layouts.
fn cases() -> Vec<Case> {
    // Where two devices share them the columns of one miss none.
    let mut late = case("missing, the last", (701, 46), 4, 300, 3);
    late.columns.sort_by_key(|column| column.missing.is_some());
    vec![
        late,
        case("tiny", (5, 13), 2, 5, 0),
        case("tiny, missing", (9, 24), 3, 9, 5),
        case("one class", (64, 30), 1, 4000, 0),
        case("a word", (65, 41), 2, 256, 0),
        case("few levels", (4097, 33), 3, 8, 0),
        case("missing", (700, 45), 4, 300, 6),
        case("wide", (1000, 52), 20, 4000, 0),
        case("wide, missing", (2111, 40), 5, 4000, 3),
        case("many classes", (2100, 21), 1000, 300, 0),
        case("long", (5000, 41), 2, 4000, 0),
        case("sparse", (20_000, 41), 2, 40, 0),
        case("tiny tables", (33_001, 21), 2, 3, 0),
    ]
}

/// Some of them alone, for tools that take their time: those of `PASSEL_SETS`, part of a name.
fn wanted(mut cases: Vec<Case>) -> Vec<Case> {
    let wanted = std::env::var("PASSEL_SETS").unwrap_or_default();
    cases.retain(|case| case.name.contains(&wanted));
    assert!(!cases.is_empty(), "there is no set {wanted}");
    cases
}

/// Where a case is counted.
#[derive(Debug, Clone)]
enum Setup {
    /// Shards and threads.
    Cpu(usize, usize),
    /// Ordinals, and a limit of memory.
    Cuda(Vec<usize>, Option<u64>),
    /// One GPU, which puts columns off wherever it can; items of a list.
    Waves(Option<usize>),
    /// One GPU, which makes products of bits so.
    Products(BitProducts),
}

impl Setup {
    fn counters<'a>(
        &self,
        columns: &'a [BinnedColumn],
        response: &Categorical,
        evaluator: &'a ScoreEvaluator,
    ) -> CounterGroup<'a> {
        match self {
            Self::Cpu(shards, threads) => {
                let cpu = Placement::Cpu(*shards);
                open_counters(&cpu, columns.into(), response, evaluator, *threads, None).unwrap()
            }
            Self::Cuda(ordinals, limit) => {
                let gpus = Placement::Cuda(ordinals.clone());
                open_counters(&gpus, columns.into(), response, evaluator, 1, *limit).unwrap()
            }
            Self::Waves(capacity) => {
                let (waves, on) = (LazyOptions::always(*capacity), (&[0][..], None));
                let card =
                    CudaCounter::new(columns.into(), response, evaluator, on, waves).unwrap();
                CounterGroup::new(vec![Box::new(card)], evaluator)
            }
            Self::Products(_) => unreachable!("steps make none"),
        }
    }
}

/// All results of a walk, to the bit.
#[derive(Debug, PartialEq)]
struct Trace {
    /// The best columns.
    columns: Vec<Option<u32>>,
    /// The relevance of all columns; the score and relevance of each best one.
    numbers: Vec<u64>,
}

impl Trace {
    fn record(&mut self, found: Option<BestCandidate>) {
        self.columns.push(found.map(|best| best.column));
        let numbers = found
            .into_iter()
            .flat_map(|best| [best.score, best.relevance]);
        self.numbers.extend(numbers.map(f64::to_bits));
    }
}

/// Picks of a walk.
const PICKS: usize = 5;

impl Case {
    /// Picks a few, then begins anew with two of them joined, then permutes.
    fn walk(&self, score: &Score, place: &Setup) -> Trace {
        let n = self.response.codes.n();
        let evaluator = ScoreEvaluator::new(score.clone(), n);
        let response = evaluator.categorical(&self.response);
        let mut counters = place.counters(&self.columns, &response, &evaluator);
        let devices = counters.devices.iter_mut();
        let relevance = devices.flat_map(|device| device.relevance().unwrap());
        let relevance = relevance.map(|own| evaluator.relevance_nats(own).to_bits());
        let mut trace = Trace {
            columns: Vec::new(),
            numbers: relevance.collect(),
        };
        let mut steps: Vec<ConditioningVariable> = Vec::new();
        for left in (1..=PICKS.min(self.columns.len())).rev() {
            counters.hint_picks(if score.has_steps() { left } else { 1 });
            let found = counters.best().unwrap();
            trace.record(found);
            let Some(found) = found else { break };
            if let Some(told) = found.statistics {
                let own = &self.columns[found.column as usize];
                let swept = steps.iter().filter(|_| score.has_steps());
                let swept = swept.map(ConditioningVariable::codes);
                let host = host_statistics(own, &response, swept, evaluator.logs());
                let of = |statistics: CandidateStatistics| {
                    (statistics.mutual_information, statistics.levels)
                };
                let what = format!("{}: column {}", self.name, found.column);
                assert!(
                    told.redundancy
                        .is_none_or(|_| told.redundancy == host.redundancy),
                    "{what}"
                );
                // The G-test of what misses values is of the observations left.
                assert!(
                    own.excluded_code().is_some() || of(told) == of(host),
                    "{what}"
                );
            }
            counters.exclude(found.column);
            let step = ConditioningVariable::of_column(found.column, &self.columns, &evaluator);
            if score.has_steps() && left > 1 {
                counters.sweep(&step).unwrap();
            }
            steps.push(step);
        }
        counters.hint_picks(1);
        counters.reset();
        trace.record(counters.best().unwrap());
        let mut swept: Vec<&Categorical> = Vec::new();
        let joined: ConditioningVariable;
        if let (true, [a, b, ..]) = (score.has_steps(), &steps[..]) {
            joined = a.codes().joint(b.codes()).into();
            for step in [&joined, a] {
                counters.sweep(step).unwrap();
                counters.hint_picks(1);
                trace.record(counters.best().unwrap());
                swept.push(step.codes());
            }
        }
        let order = |at| {
            let mut order: Vec<u32> = (0..n as u32).collect();
            Stream::new(1, at).shuffle(&mut order);
            order
        };
        let orders: Vec<_> = (0..3).map(order).collect();
        let permuted = counters.best_permuted(&orders, &swept);
        let permuted = permuted.map(|found| found.unwrap()).unwrap_or_else(|| {
            let one = |order: &Vec<u32>| {
                let mut counters =
                    Setup::Cpu(1, 1).counters(&self.columns, &response.permuted(order), &evaluator);
                steps
                    .iter()
                    .for_each(|step| counters.exclude(step.column.unwrap()));
                for anchor in &swept {
                    counters.sweep(&anchor.permuted(order).into()).unwrap();
                }
                counters.best().unwrap()
            };
            orders.iter().map(one).collect()
        });
        permuted.into_iter().for_each(|found| trace.record(found));
        // What was permuted is as it was before.
        trace.record(counters.best().unwrap());
        trace
    }

    /// Bytes of the codes, for limits that stream.
    fn bytes(&self) -> u64 {
        let bytes = |column: &BinnedColumn| match &column.codes {
            Codes::Byte(codes) => codes.len(),
            Codes::Word(codes) => 2 * codes.len(),
            Codes::Sparse { rows, .. } => 6 * rows.len(),
        };
        self.columns.iter().map(bytes).sum::<usize>() as u64
    }
}

/// The statistics of a candidate after these conditioning variables, counted on the host.
pub(crate) fn host_statistics<'c>(
    own: &BinnedColumn,
    response: &Categorical,
    swept: impl Iterator<Item = &'c Categorical>,
    logs: &LogTable,
) -> CandidateStatistics {
    let own = Categorical::compact(own);
    let shared = |other: &Categorical| {
        let [a, b] = [&own, other].map(|codes| (codes, codes.log_sum(logs)));
        mutual_information(a, b, logs, &mut Vec::new())
    };
    CandidateStatistics {
        redundancy: Some(swept.map(|anchor| i128::from(shared(anchor))).sum()),
        mutual_information: shared(response),
        log_sum: own.log_sum(logs),
        levels: own.levels,
    }
}

/// Walks every case with every score at some places.
fn assert_same_everywhere(places: impl Fn(&Case) -> Vec<Setup>) {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap()
    };
    let pools = [on(1), on(2)];
    for case in &wanted(cases()) {
        for (name, score) in scores() {
            let plain = Setup::Cpu(1, 1);
            let expected = pools[0].install(|| case.walk(&score, &plain));
            for place in places(case) {
                // Others are not put off.
                if matches!(place, Setup::Waves(_)) && score.gather != Gather::Minimum {
                    continue;
                }
                eprintln!("{} by {name} on {place:?}", case.name);
                let told = pools[1].install(|| case.walk(&score, &place));
                assert_eq!(told, expected, "{} by {name} on {place:?}", case.name);
            }
        }
    }
}

#[test]
fn cpu_shards_and_threads_give_the_same_bits() {
    assert_same_everywhere(|_| vec![Setup::Cpu(3, 2)]);
}

/// How many GPUs there are; none is no fault unless one is required.
pub(crate) fn gpus() -> Option<usize> {
    let required = std::env::var_os("PASSEL_REQUIRE_CUDA").is_some();
    if let Some(obstacle) = cuda::facts::cuda().obstacle {
        assert!(!required, "{obstacle}");
        return None;
    }
    Some(cuda::count().unwrap())
}

/// Where this many GPUs count a case.
fn on_gpus(case: &Case, count: usize) -> Vec<Setup> {
    let n = case.response.codes.n() as u64;
    // A third of the columns, and hardly any of them.
    let limits = [case.bytes() / 3, 24 * n];
    let mut places = vec![Setup::Cuda(vec![0], None)];
    places.extend([None, Some(3)].map(Setup::Waves));
    places.extend(limits.map(|limit| Setup::Cuda(vec![0], Some(limit.max(24 * n)))));
    if count > 1 {
        places.push(Setup::Cuda(vec![0, 1], None));
        let limit = (case.bytes() / 6).max(24 * n);
        places.push(Setup::Cuda(vec![1, 0], Some(limit)));
    }
    places
}

/// A walk of two levels, three or four beside so many classes, for each way that bits are counted.
#[test]
fn cuda_counts_bits_as_the_cpu_does() {
    if gpus().is_none() {
        return;
    }
    let classes = [2, 3, 4, 5, 6, 8, 12];
    for (levels, classes) in (2..5).flat_map(|levels| classes.map(|classes| (levels, classes))) {
        let case = case("bits", (33_001, 41), classes, levels, 0);
        for (name, score) in scores()
            .into_iter()
            .filter(|(name, _)| ["mrmr", "jmi"].contains(name))
        {
            let [cpu, card] = [Setup::Cpu(1, 1), Setup::Cuda(vec![0], None)];
            let expected = case.walk(&score, &cpu);
            assert_eq!(
                case.walk(&score, &card),
                expected,
                "{name}, {levels} × {classes}"
            );
        }
    }
}

#[test]
fn cuda_counts_as_the_cpu_does() {
    if let Some(count) = gpus() {
        assert_same_everywhere(|case| on_gpus(case, count));
    }
}
