//! All pairs on every device against one shard and one thread of the CPU, to the bit; and these
//! against tables counted by the definition.

use std::sync::atomic::{AtomicUsize, Ordering};

use passel_kernels::wide;

use super::*;
use crate::score::{Combination, PairScore, Quantity};

/// H(x,w,y).
const ENTROPY: Combination = Combination::of([1, 0, 0, 0, 0, 0, 0, -1]);

/// Scores that use classes and that do not, alike on both sides and not, a ratio; one that is
/// never above 0.
fn pair_scores() -> Vec<(&'static str, PairScore)> {
    let plain = |combination| PairScore::Declared(Quantity::plain(combination));
    let ratio = |over, under| {
        let under = Some(under);
        PairScore::Declared(Quantity { over, under })
    };
    let first = Combination::of([1, 0, -1, 0, 0, 0, 0, 0]);
    let redundancy = Combination::of([-1, 1, 1, 0, -1, 0, 0, 0]);
    vec![
        ("mi3", plain(Combination::XW_Y)),
        ("mi2", plain(Combination::X_W)),
        ("given", plain(Combination::X_Y_GIVEN_W)),
        ("synergy", PairScore::SYNERGY),
        ("ratio", ratio(Combination::XW_Y, ENTROPY)),
        ("of the first's entropy", ratio(Combination::X_W, first)),
        ("redundancy", plain(redundancy)),
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

/// All that a place tells, to the bit.
#[derive(Debug, PartialEq)]
struct Answers {
    relevance: Vec<u64>,
    pairs: Vec<Vec<Pair<u64>>>,
    partners: Vec<Option<Pair<u64>>>,
    matrix: Vec<u64>,
}

fn bits(pair: Pair<f64>) -> Pair<u64> {
    Pair {
        score: pair.score.to_bits(),
        synergy: pair.synergy.to_bits(),
        a: pair.a,
        b: pair.b,
    }
}

impl Case {
    /// Of all columns, or of two lists of them.
    fn all_pairs(&self, score: &PairScore, place: &Setup, split: Option<usize>) -> Answers {
        let n = self.response.codes.n();
        let scores = [score.score(), PairScore::SYNERGY.score()];
        let [evaluator, synergy] = ScoreEvaluator::of_same_tables(scores, n);
        let response = evaluator.categorical(&self.response);
        let columns = &self.columns[..];
        let block = PairDomain { columns, split };
        let open = |placement, threads, limit| {
            let limits = (100, limit);
            open_pair_counters(&placement, block, &response, &evaluator, threads, limits).unwrap()
        };
        let mut counters = match place {
            Setup::Cpu(shards, threads) => open(Placement::Cpu(*shards), *threads, None),
            Setup::Cuda(ordinals, limit) => open(Placement::Cuda(ordinals.clone()), 1, *limit),
            Setup::Products(products) => {
                let (limits, products) = ((100, None), Some(*products));
                let card = CudaPairs::new(block, &response, &evaluator, &[0], limits, products);
                match card.unwrap() {
                    Some(card) => PairCounterGroup::new(vec![Box::new(card)], block, &evaluator),
                    None => open(Placement::Cpu(1), 1, None),
                }
            }
            Setup::Waves(_) => unreachable!("pairs put nothing off"),
        };
        let relevance = match split {
            None => counters.relevance().unwrap(),
            Some(_) => Vec::new(),
        };
        let (p, places) = (columns.len(), counters.names().len());
        let mut matrix = vec![0.0; p * p];
        let mut ask = |(most, least), partners, matrix: Option<&mut [f64]>| {
            let mut wanted = TopPairs::new(most, evaluator.score_threshold(least));
            if partners {
                wanted = wanted.with_partners(p, evaluator.score_threshold(None));
            }
            let done = AtomicUsize::new(0);
            let told = |columns: usize| {
                done.fetch_add(columns, Ordering::Relaxed);
            };
            let best = counters.pairs(&synergy, (&wanted, 0..usize::MAX), matrix, &|| false, &told);
            let best = best.unwrap();
            let done = done.into_inner();
            let whole = done.is_multiple_of(p) || (split.is_some() && done < p * places);
            assert!(whole, "{}", self.name);
            let to_nats = |pair: Pair| pair.to_nats(&evaluator, &synergy);
            let partners = best.partners().map(|best| best.map(to_nats).map(bits));
            let partners: Vec<_> = partners.collect();
            let pairs = best.into_sorted().into_iter().map(to_nats);
            let pairs = pairs.filter(|pair| least.is_none_or(|least| pair.score >= least));
            (pairs.map(bits).collect::<Vec<_>>(), partners)
        };
        let (best, none) = ask((25, None), false, None);
        assert!(none.is_empty());
        let middle = best.get(12).map_or(0.0, |pair| f64::from_bits(pair.score));
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
    fn defined(&self, score: &PairScore, a: u32, b: u32) -> f64 {
        const UNIT: f64 = (1u64 << 40) as f64;
        let PairScore::Declared(quantity) = score else {
            unreachable!("no score of these is a function");
        };
        let [w, x] = [a, b].map(|at| &self.columns[at as usize]);
        let missing = |column: &BinnedColumn| column.excluded_code().map(u32::from);
        let term = |count: usize| (count as f64 * (count.max(1) as f64).ln() * UNIT).round() as i64;
        let [x_codes, w_codes, y] = [x, w, &self.response].map(codes);
        let terms: Vec<i64> = (0..=y.len()).map(term).collect();
        let w_missing = missing(w).unwrap_or(u32::MAX);
        let sums = wide::reference((&x_codes, missing(x)), (&w_codes, w_missing), &y, &terms);
        let of = |by: Combination| {
            let parts = by.integers().into_iter().zip(sums.of);
            parts.map(|(by, sum)| i64::from(by) * sum).sum::<i64>() as f64 / UNIT
        };
        match quantity.under.map(of) {
            None => of(quantity.over) / sums.left as f64,
            Some(under) if under.abs() < 1e-9 => 0.0,
            Some(under) => of(quantity.over) / under,
        }
    }

    /// The best pairs and every column's best one are those of this matrix, of equal scores those of
    /// the lowest columns. Of every so many columns the partner's synergy is that of the definition.
    fn assert_ranked(&self, told: &Answers, matrix: &[u64], split: Option<usize>, every: u32) {
        let p = self.columns.len();
        let pairs = match split {
            None => (0..p)
                .flat_map(|a| (a + 1..p).map(move |b| (a, b)))
                .collect(),
            Some(first) => Vec::from_iter((0..first).flat_map(|a| (first..p).map(move |b| (a, b)))),
        };
        let scored = pairs
            .into_iter()
            .map(|(a, b)| (a as u32, b as u32, matrix[a * p + b]));
        let mut scored: Vec<(u32, u32, u64)> = scored.collect();
        // Stable: of equal scores the lowest columns.
        scored.sort_by(|a, b| f64::from_bits(b.2).total_cmp(&f64::from_bits(a.2)));
        let of = |pair: &Pair<u64>| (pair.a, pair.b, pair.score);
        let what = format!("{}, {split:?}", self.name);
        let best: Vec<_> = told.pairs.last().unwrap().iter().map(of).collect();
        assert_eq!(best, scored[..scored.len().min(25)], "{what}");
        assert_eq!(told.partners.len(), p);
        for (x, partner) in (0..).zip(&told.partners) {
            let partner = partner.unwrap();
            let best = scored.iter().find(|pair| pair.0 == x || pair.1 == x);
            assert_eq!(of(&partner), *best.unwrap(), "{what}, {x}");
            if x % every == 0 {
                let defined = self.defined(&PairScore::SYNERGY, partner.a, partner.b);
                let off = f64::from_bits(partner.synergy) - defined;
                assert!(off.abs() < 1e-9, "{what}, {x}");
            }
        }
    }
}

/// By every so many of the scores.
fn same_everywhere(every: usize, places: impl Fn(&Case) -> Vec<Setup>) {
    for case in wanted(sets()) {
        let scores = pair_scores().into_iter().step_by(every);
        for (at, (name, score)) in scores.enumerate() {
            let split = (at % 2 == 0).then_some(Some(case.columns.len() / 3 + 1));
            for split in [None].into_iter().chain(split) {
                let expected = case.all_pairs(&score, &Setup::Cpu(1, 1), split);
                for place in places(&case) {
                    let told = case.all_pairs(&score, &place, split);
                    assert!(
                        told == expected,
                        "{}, {name}, {place:?}, {split:?}\n{told:?}\n{expected:?}",
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
        for (name, score) in pair_scores().into_iter().step_by(4) {
            let all = case.all_pairs(&score, &Setup::Cpu(1, 1), None);
            for first in [1, p / 2, p - 1] {
                let told = case.all_pairs(&score, &Setup::Cpu(1, 1), Some(first));
                let cell = |a: usize, b: usize| match a < first && first <= b {
                    true => all.matrix[a * p + b],
                    false => 0,
                };
                let cells = (0..p).flat_map(|a| (0..p).map(move |b| cell(a, b)));
                assert!(
                    cells.eq(told.matrix.iter().copied()),
                    "{}, {name}, {first}",
                    case.name
                );
                case.assert_ranked(&told, &all.matrix, Some(first), 1);
            }
        }
    }
}

#[test]
fn pairs_are_those_of_the_definition() {
    for case in wanted(sets()) {
        let p = case.columns.len();
        for (name, score) in pair_scores() {
            let told = case.all_pairs(&score, &Setup::Cpu(1, 1), None);
            let all = (0..p as u32).flat_map(|a| (a..p as u32).map(move |b| (a, b)));
            for (a, b) in all.filter(|(a, b)| (a * 7 + b) % 23 == 0) {
                let own = f64::from_bits(told.matrix[a as usize * p + b as usize]);
                let defined = case.defined(&score, a, b);
                let off = (own - defined).abs();
                assert!(
                    off < 1e-9,
                    "{}, {name}: {a} {b}: {own} {defined}",
                    case.name
                );
            }
            case.assert_ranked(&told, &told.matrix, None, 7);
        }
    }
}

#[test]
fn pairs_of_shards_and_threads_are_the_same() {
    same_everywhere(3, |_| vec![Setup::Cpu(3, 2)]);
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
    let expected = case.all_pairs(&PairScore::SYNERGY, &Setup::Cpu(1, 2), None);
    for place in [
        Setup::Cuda(vec![0], None),
        Setup::Products(BitProducts::Words),
    ] {
        let told = case.all_pairs(&PairScore::SYNERGY, &place, None);
        assert!(told == expected, "{place:?}");
    }
}

#[test]
fn cuda_pairs_are_those_of_the_cpu() {
    let Some(gpus) = gpus() else { return };
    same_everywhere(1, |case| {
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
