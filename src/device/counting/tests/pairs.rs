//! All pairs on every device against one shard and one thread of the CPU, to the bit; and these
//! against tables counted by the definition.

use super::*;
use crate::score::{Combination, Join, Measure, Quantity};

/// I((x,w);y) − I(x;y) − I(w;y).
const SYNERGY: Combination = Combination::of([-1, 1, 1, 1, -1, -1, -1, 1]);
/// H(x,w,y).
const ENTROPY: Combination = Combination::of([1, 0, 0, 0, 0, 0, 0, -1]);

fn score_of(quantity: Quantity) -> Score {
    Score {
        measure: Measure::Declared {
            relevance: Quantity::plain(Combination::X_Y),
            terms: vec![quantity.weighing(1.0)],
        },
        gather: Gather::Last,
        join: Join::Alone,
        ..Score::default()
    }
}

/// Scores that use classes and that do not, alike on both sides and not, a ratio; one that is
/// never above 0.
fn pair_scores() -> Vec<(&'static str, Quantity)> {
    let ratio = Quantity {
        over: Combination::XW_Y,
        under: Some(ENTROPY),
    };
    let own = Quantity {
        over: Combination::X_W,
        under: Some(Combination::of([1, 0, -1, 0, 0, 0, 0, 0])),
    };
    vec![
        ("mi3", Quantity::plain(Combination::XW_Y)),
        ("mi2", Quantity::plain(Combination::X_W)),
        ("given", Quantity::plain(Combination::X_Y_GIVEN_W)),
        ("synergy", Quantity::plain(SYNERGY)),
        ("ratio", ratio),
        ("of the first's entropy", own),
        (
            "redundancy",
            Quantity::plain(Combination::of([-1, 1, 1, 0, -1, 0, 0, 0])),
        ),
    ]
}

/// n × p columns of 1 … `max_pairs` levels, constant ones and copies among them.
fn set(name: &'static str, (n, p): (usize, usize), classes: usize, most: usize) -> Case {
    let (mut draws, response) = Draws::new((n, p), classes);
    let mut columns: Vec<BinnedColumn> = Vec::new();
    for at in 0..p {
        let told = draws.below(5);
        let levels = match at % 9 {
            4 => 1,
            5 => 2 + draws.below(most - 1),
            7 if at > 9 => {
                columns.push(columns[at * 5 % columns.len()].clone());
                continue;
            }
            _ => most,
        };
        let codes = match at % 11 {
            3 => draws.rare(levels, n / 20),
            _ => draws.codes(levels, told),
        };
        columns.push(column(codes, levels, at % 11 == 3, false));
    }
    Case {
        name,
        columns,
        response,
    }
}

fn sets() -> Vec<Case> {
    let mut missing = set("pairs, missing", (301, 12), 3, 4);
    for row in 0..40 {
        if let Codes::Byte(codes) = &mut missing.columns[1].codes {
            codes[7 * row] = 4;
        }
    }
    missing.columns[1].missing = Some(MissingCode::Excluded(4));
    vec![
        set("pairs, binary", (1000, 300), 2, 2),
        set("pairs, binary, short", (7, 140), 2, 2),
        set("pairs, binary, one class", (515, 30), 1, 2),
        set("pairs, ternary", (2111, 150), 2, 3),
        set("pairs, ternary, three classes", (600, 80), 3, 3),
        set("pairs, four", (1300, 90), 2, 4),
        set("pairs, ten", (1030, 60), 2, 10),
        set("pairs, ten classes", (1500, 50), 10, 10),
        set("pairs, 40 classes", (3000, 30), 40, 2),
        set("pairs, 64", (2500, 24), 3, 64),
        set("pairs, 129", (3001, 24), 2, 129),
        set("pairs, 130", (901, 12), 2, 130),
        set("pairs, long", (70_001, 20), 2, 2),
        set("pairs, long, four", (66_000, 12), 2, 4),
        missing,
    ]
}

/// A pair, to the bit; of a partner its variable first.
type PairRecord = (u32, u32, u64, u64);

/// All that a place tells.
#[derive(Debug, PartialEq)]
struct Answers {
    relevance: Vec<u64>,
    pairs: Vec<Vec<PairRecord>>,
    partners: Vec<Option<PairRecord>>,
    matrix: Vec<u64>,
}

impl Case {
    /// Of all columns, or of two lists of them.
    fn all_pairs(&self, quantity: Quantity, place: &Setup, apart: Option<usize>) -> Answers {
        let n = self.response.codes.n();
        let scores = [quantity, Quantity::plain(SYNERGY)].map(score_of);
        let [evaluator, synergy] = ScoreEvaluator::of_same_tables(scores, n);
        let evaluator = evaluator.counting_classes();
        let response = evaluator.categorical(&self.response);
        let block = PairDomain {
            columns: &self.columns,
            split: apart,
        };
        let open = |placement: &Placement, threads, limit| {
            open_pair_counters(
                placement,
                block,
                &response,
                &evaluator,
                threads,
                (100, limit),
            )
            .unwrap()
        };
        let mut counters = match place {
            Setup::Cpu(shards, threads) => open(&Placement::Cpu(*shards), *threads, None),
            Setup::Cuda(ordinals, limit) => open(&Placement::Cuda(ordinals.clone()), 1, *limit),
            Setup::Products(products) => {
                let products = Some(*products);
                match CudaPairs::new(block, &response, &evaluator, &[0], (100, None), products)
                    .unwrap()
                {
                    Some(card) => PairCounterGroup::new(vec![Box::new(card)], block, &evaluator),
                    None => open(&Placement::Cpu(1), 1, None),
                }
            }
            Setup::Waves(_) => unreachable!("pairs put nothing off"),
        };
        let relevance = match apart {
            None => counters.relevance().unwrap(),
            Some(_) => Vec::new(),
        };
        let (p, places) = (self.columns.len(), counters.names().len());
        let mut matrix = vec![0.0; p * p];
        let stop = || false;
        let mut ask = |(most, least), partners, matrix: Option<&mut [f64]>| {
            let few = PairRequest {
                max_pairs: most,
                min_score: least,
                partners,
            };
            let done = std::sync::atomic::AtomicUsize::new(0);
            let told = || {
                done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            };
            let wanted = few.empty_pairs(p, &evaluator);
            let best = counters.pairs(&synergy, &wanted, matrix, &stop, &told);
            let found = few.to_scores(best.unwrap(), &evaluator, &synergy);
            let all = found.pairs.into_iter();
            let all: Vec<PairRecord> = all
                .map(|it| (it.a, it.b, it.score.to_bits(), it.synergy.to_bits()))
                .collect();
            let done = done.into_inner();
            let whole = done.is_multiple_of(p) || (apart.is_some() && done < p * places);
            assert!(whole, "{}", self.name);
            let own = |(of, it): (u32, Option<Pair<f64>>)| {
                it.map(|it| {
                    (
                        of,
                        it.a + it.b - of,
                        it.score.to_bits(),
                        it.synergy.to_bits(),
                    )
                })
            };
            let own: Vec<Option<PairRecord>> = (0..).zip(found.partners).map(own).collect();
            (all, own)
        };
        let (best, none) = ask((25, None), false, None);
        assert!(none.is_empty());
        let middle = best.get(12).map_or(0.0, |it| f64::from_bits(it.2));
        let (three, beside) = ask((3, None), true, Some(&mut matrix));
        let pairs = vec![
            ask((1, None), false, None).0,
            ask((100, Some(middle)), false, None).0,
            ask((usize::MAX, Some(middle * 0.99)), false, None).0,
            ask((0, None), false, None).0,
            three,
            best,
        ];
        // Whatever is asked for besides.
        let (few, partners) = ask((1, None), true, None);
        assert_eq!((&few, &partners), (&pairs[0], &beside), "{}", self.name);
        Answers {
            relevance: relevance.into_iter().map(f64::to_bits).collect(),
            pairs,
            partners,
            matrix: matrix.into_iter().map(f64::to_bits).collect(),
        }
    }

    /// A score in nats, from counts of the definition.
    fn defined(&self, quantity: Quantity, a: u32, b: u32) -> f64 {
        let [w, x, y] = [
            &self.columns[a as usize],
            &self.columns[b as usize],
            &self.response,
        ]
        .map(|it| it.codes.dense());
        let missing = [a, b].map(|it| self.columns[it as usize].excluded_code());
        let rows = (0..y.len()).filter(|&row| missing != [Some(w[row]), Some(x[row])]);
        let rows: Vec<usize> = rows
            .filter(|&row| missing[0] != Some(w[row]) && missing[1] != Some(x[row]))
            .collect();
        let sum = |key: &dyn Fn(usize) -> (u16, u16, u16)| {
            let counts = passel_kernels::counting::counts(rows.iter().map(|&row| key(row)));
            let term = |count: u64| count as f64 * (count as f64).ln();
            counts.into_values().map(term).sum::<f64>()
        };
        let sums = [
            sum(&|_| (0, 0, 0)),
            sum(&|row| (x[row], 0, 0)),
            sum(&|row| (0, w[row], 0)),
            sum(&|row| (0, 0, y[row])),
            sum(&|row| (x[row], w[row], 0)),
            sum(&|row| (x[row], 0, y[row])),
            sum(&|row| (0, w[row], y[row])),
            sum(&|row| (x[row], w[row], y[row])),
        ];
        let of = |by: Combination| {
            let parts = by.integers().into_iter().zip(sums);
            parts.map(|(by, sum)| f64::from(by) * sum).sum::<f64>()
        };
        match quantity.under.map(of) {
            None => of(quantity.over) / rows.len() as f64,
            Some(under) if under.abs() < 1e-9 => 0.0,
            Some(under) => of(quantity.over) / under,
        }
    }

    /// Every column has the best of its row of the matrix, of equal scores the lowest column.
    fn assert_partners(&self, told: &Answers, name: &str) {
        let p = self.columns.len() as u32;
        let score = |a: u32, b: u32| told.matrix[(a.min(b) * p + a.max(b)) as usize];
        assert_eq!(told.partners.len(), p as usize);
        for (x, partner) in (0..p).zip(&told.partners) {
            let number = |it: &u32| f64::from_bits(score(x, *it));
            let others = (0..p).rev().filter(|it| *it != x);
            // Of equal ones the last is the maximum.
            let best = others.max_by(|a, b| number(a).total_cmp(&number(b)));
            let best = best.unwrap();
            let (own, other, scored, synergy) = partner.unwrap();
            let what = format!("{}, {name}, {x}", self.name);
            assert_eq!((own, other, scored), (x, best, score(x, best)), "{what}");
            if x % 7 == 0 {
                let defined = self.defined(Quantity::plain(SYNERGY), x.min(best), x.max(best));
                assert!((f64::from_bits(synergy) - defined).abs() < 1e-9, "{what}");
            }
        }
    }
}

fn same_everywhere(places: impl Fn(&Case) -> Vec<Setup>) {
    for case in wanted(sets()) {
        for (at, (name, quantity)) in pair_scores().into_iter().enumerate() {
            let apart = (at % 2 == 0).then_some(Some(case.columns.len() / 3 + 1));
            for apart in [None].into_iter().chain(apart) {
                let expected = case.all_pairs(quantity, &Setup::Cpu(1, 1), apart);
                for place in places(&case) {
                    let told = case.all_pairs(quantity, &place, apart);
                    assert!(
                        told == expected,
                        "{}, {name}, {place:?}, {apart:?}\n{told:?}\n{expected:?}",
                        case.name
                    );
                }
            }
        }
    }
}

#[test]
fn pairs_of_two_lists_are_those_of_all_that_have_one_of_each() {
    for case in wanted(sets()) {
        let p = case.columns.len();
        for (name, quantity) in pair_scores().into_iter().step_by(2) {
            let all = case.all_pairs(quantity, &Setup::Cpu(1, 1), None);
            for first in [1, p / 2, p - 1] {
                let what = format!("{}, {name}, {first}", case.name);
                let told = case.all_pairs(quantity, &Setup::Cpu(1, 1), Some(first));
                let score = |a: usize, b: usize| match a < first && first <= b {
                    true => all.matrix[a * p + b],
                    false => 0,
                };
                let cells = (0..p).flat_map(|a| (0..p).map(move |b| score(a, b)));
                assert_eq!(told.matrix, cells.collect::<Vec<_>>(), "{what}");
                let pairs = (0..first).flat_map(|a| (first..p).map(move |b| (a as u32, b as u32)));
                let scored = pairs.map(|(a, b)| (a, b, score(a as usize, b as usize)));
                let mut scored: Vec<(u32, u32, u64)> = scored.collect();
                // Stable: of equal scores the lowest columns.
                scored.sort_by(|a, b| f64::from_bits(b.2).total_cmp(&f64::from_bits(a.2)));
                let best = told.pairs.last().unwrap();
                assert_eq!(best.len(), scored.len().min(25));
                for (pair, expected) in best.iter().zip(&scored) {
                    assert_eq!((pair.0, pair.1, pair.2), *expected, "{what}");
                }
                for (of, partner) in (0..).zip(&told.partners) {
                    let mut own = scored.iter().filter(|it| it.0 == of || it.1 == of);
                    let (a, b, score) = own.next().unwrap();
                    let (own, other, scored, synergy) = partner.unwrap();
                    assert_eq!((own, other, scored), (of, a + b - of, *score), "{what}");
                    let defined = case.defined(Quantity::plain(SYNERGY), *a, *b);
                    assert!((f64::from_bits(synergy) - defined).abs() < 1e-9, "{what}");
                }
            }
        }
    }
}

#[test]
fn pairs_are_those_of_the_definition() {
    for case in wanted(sets()) {
        let p = case.columns.len();
        for (name, quantity) in pair_scores() {
            let told = case.all_pairs(quantity, &Setup::Cpu(1, 1), None);
            let all = (0..p as u32).flat_map(|a| (a..p as u32).map(move |b| (a, b)));
            for (a, b) in all.filter(|(a, b)| (a * 7 + b) % 23 == 0) {
                let own = f64::from_bits(told.matrix[a as usize * p + b as usize]);
                let defined = case.defined(quantity, a, b);
                let off = (own - defined).abs();
                assert!(
                    off < 1e-9,
                    "{}, {name}: {a} {b}: {own} {defined}",
                    case.name
                );
            }
            case.assert_partners(&told, name);
            let best = told.pairs.last().unwrap();
            assert_eq!(best.len(), 25.min(p * (p - 1) / 2));
            let order = |it: &PairRecord| (f64::from_bits(it.2), std::cmp::Reverse((it.0, it.1)));
            assert!(best.windows(2).all(|it| order(&it[0]) > order(&it[1])));
        }
    }
}

#[test]
fn pairs_of_shards_and_threads_are_the_same() {
    same_everywhere(|_| vec![Setup::Cpu(3, 2)]);
}

/// More pairs of one score than a card has places for: waves are lost, taken back and halved.
#[test]
fn cuda_pairs_that_are_all_alike_are_those_of_the_cpu() {
    if gpus().is_none() {
        return;
    }
    let mut case = set("alike", (64, 12), 2, 2);
    let one = case.columns[5].clone();
    case.columns = vec![one; 1600];
    let expected = case.all_pairs(Quantity::plain(SYNERGY), &Setup::Cpu(1, 2), None);
    for place in [
        Setup::Cuda(vec![0], None),
        Setup::Products(BitProducts::Words),
    ] {
        let told = case.all_pairs(Quantity::plain(SYNERGY), &place, None);
        assert!(told == expected, "{place:?}");
    }
}

#[test]
fn cuda_pairs_are_those_of_the_cpu() {
    let Some(gpus) = gpus() else { return };
    same_everywhere(|case| {
        let mut places = vec![
            Setup::Cuda(vec![0], None),
            Setup::Cuda(vec![0], Some((case.bytes() / 4).min(20_000))),
            Setup::Products(BitProducts::Bits),
            Setup::Products(BitProducts::Bytes),
            Setup::Products(BitProducts::Words),
        ];
        if gpus > 1 {
            places.push(Setup::Cuda((0..gpus).collect(), None));
        }
        places
    });
}
