//! Cards that walk together, against the CPU: which cards have which columns, and how far they
//! go by themselves, does not show.

use std::{collections::BTreeSet, ops::Range};

use super::{CudaCounter, Waves, lazy_tests::Case, shard::Shard};
use crate::{
    binning::{BinnedColumn, Codes},
    device::{
        counting::{
            Best, Counter, Logs, Step, Tally,
            tests::{self, cards, column},
        },
        cpu::CpuCounter,
    },
    random::{Stream, below},
    score::Score,
};

/// Picks that follow one another, each told how many are to come; whether behind the last of
/// them another column than the best is taken, which was not told to be taken then.
type Plan<'p> = &'p [(usize, bool)];

/// One after another, and many at a time; what is chosen is swept by who is asked next.
const PLAN: Plan = &[
    (1, false),
    (4, false),
    (1, true),
    (3, false),
    (1, false),
    (2, false),
    (1, true),
    (1, true),
    (6, false),
];

/// What is told of each pick, where columns are taken until there is none.
fn planned(
    counter: &mut dyn Counter,
    columns: &[BinnedColumn],
    tally: &Tally,
    taken: &mut BTreeSet<u32>,
    plan: Plan,
) -> Vec<Option<Best>> {
    let mut told = Vec::new();
    for &(picks, other) in plan {
        for left in (1..=picks).rev() {
            counter.expect(left);
            let found = counter.best().unwrap();
            told.push(found);
            let Some(best) = found.map(|it| it.column.0) else {
                return told;
            };
            let mut others = (0..columns.len() as u32).filter(|it| *it != best);
            let next = others.find(|it| !taken.contains(it)).filter(|_| other);
            let column = next.unwrap_or(best);
            taken.insert(column);
            counter.take(column);
            counter.sweep(&Step::of(column, columns, tally)).unwrap();
        }
    }
    told
}

/// The cards that columns are shared by.
fn places() -> Vec<Vec<usize>> {
    let count = cards().unwrap_or(0);
    let mut places: Vec<Vec<usize>> = Vec::new();
    if count > 1 {
        places.push(vec![0, 1]);
    }
    if count > 2 {
        places.push((0..count).collect());
        places.push((0..count).rev().collect());
    }
    if places.is_empty() {
        eprintln!("skipped, there are not two GPUs");
    }
    places
}

/// Scores that count steps, or some of them.
fn scores(names: &[&str]) -> Vec<(&'static str, Score)> {
    let mut scores = tests::scores();
    let wanted = |name| names.is_empty() || names.contains(&name);
    scores.retain(|(name, score)| score.has_steps() && wanted(name));
    scores
}

impl Case {
    /// Holds walks of a few scores on several cards against the CPU's: each behind another that
    /// was forgotten, whose columns stay taken.
    fn is_the_same_together(&self, names: &[&str]) {
        for (name, score) in scores(names) {
            let n = self.response.codes.n();
            let logs = Logs::new(n, score.reach());
            let tally = Tally::new(score, &logs, n);
            let response = tally.anchor(&self.response);
            let by = (&logs, &tally);
            let all = |counter: &mut dyn Counter| {
                let mut taken = BTreeSet::new();
                let mut walks = Vec::new();
                for plan in [PLAN, &[], PLAN] {
                    let own = planned(counter, &self.columns, &tally, &mut taken, plan);
                    walks.push(own);
                    counter.forget();
                }
                let whole = self.walk(counter, &tally, &logs);
                counter.forget();
                (walks, whole, counter.best().unwrap())
            };
            let mut cpu = CpuCounter::new(&self.columns, 0, &response, by, 1);
            let expected = all(&mut cpu);
            for place in places() {
                let (on, waves) = ((&place[..], None), Waves::default());
                let columns = &self.columns[..];
                let mut cards = CudaCounter::with(columns, &response, by, on, waves).unwrap();
                let (p, together) = (columns.len(), cards.together.is_some());
                eprintln!("{name}, {n} × {p} on {place:?}, together: {together}");
                let narrow = |it: &Shard| !it.is_wide(cards.levels, false);
                let linked = !cards.lying.is_empty();
                assert_eq!(together, linked && cards.shards.iter().all(narrow));
                assert_eq!(all(&mut cards), expected, "{name}, {n} × {p} on {place:?}");
            }
        }
    }
}

/// Columns most of whose observations have one code, by how many others each has.
fn sparse(n: usize, p: usize, others: Range<usize>, levels: usize) -> Case {
    let mut case = Case::new((n, 1), 2..3, 12, vec![5]);
    let mut stream = Stream::new(n as u64, 7);
    let mut draw = |bound: usize| below(stream.word(), bound);
    case.columns.clear();
    for at in 0..p {
        let mut codes = vec![0u16; n];
        for _ in 0..others.start + draw(others.len()) / (1 + at % 5) {
            let row = draw(n);
            let told = case.response.codes.dense()[row];
            codes[row] = match draw(3) {
                0 => 1 + u16::from(told % 2 == 1),
                _ => 1 + draw(levels - 1) as u16,
            };
        }
        case.columns.push(column(codes, levels, true, false));
    }
    case
}

#[test]
fn cuda_cards_walk_together_over_dense_columns() {
    if places().is_empty() {
        return;
    }
    Case::new((700, 120), 2..13, 20, vec![9]).is_the_same_together(&[]);
    Case::new((5000, 90), 2..31, 12, Vec::new()).is_the_same_together(&[]);
    Case::new((33_001, 60), 2..5, 10, vec![4]).is_the_same_together(&[]);
    // Of 16 bits; where there are classes they go by the host.
    Case::new((1999, 60), 257..301, 6, Vec::new()).is_the_same_together(&["mrmr", "jmi", "cmim"]);
}

#[test]
fn cuda_cards_walk_together_over_entries() {
    if places().is_empty() {
        return;
    }
    for case in [
        sparse(20_000, 90, 1..60, 4),
        sparse(20_000, 60, 30..1500, 30),
        sparse(60_000, 50, 1000..5000, 3),
    ] {
        case.is_the_same_together(&["mrmr", "jmi", "cmim", "guarded mean"]);
    }
}

#[test]
fn cuda_cards_walk_together_until_there_is_no_column() {
    if places().is_empty() {
        return;
    }
    for p in [1, 2, 3, 5, 9, 17] {
        Case::new((900, p), 2..9, 20, Vec::new()).is_the_same_together(&["mrmr", "jmi", "jmim"]);
        Case::new((5000, p), 2..9, 20, Vec::new()).is_the_same_together(&["mrmr", "last"]);
    }
}

#[test]
fn cuda_cards_bring_long_columns_to_one_another() {
    if places().is_empty() {
        return;
    }
    // 8 bytes behind a multiple of 16 every other column of 4 bits.
    let n = (1 << 21) + 5;
    for (levels, picks) in [(3..41, 7), (2..5, 7), (17..20, 4)] {
        let case = Case::new((n, 22), levels, picks, vec![2]);
        case.is_the_same_together(&["mrmr", "jmi"]);
    }
}

#[test]
fn cuda_cards_walk_far() {
    if places().is_empty() {
        return;
    }
    // Hundreds of picks at a time, several times as many as there are letters.
    let case = Case::new((300, 1500), 2..6, 700, vec![650]);
    case.is_the_same_together(&["mrmr", "jmi"]);
}

#[test]
fn columns_have_the_forms_that_are_meant() {
    let case = sparse(20_000, 90, 1..60, 4);
    let few =
        |it: &BinnedColumn| matches!(&it.codes, Codes::Sparse { rows, .. } if rows.len() < 60);
    assert!(case.columns.iter().all(few));
    let long = Case::new((50, 22), 3..41, 1, Vec::new());
    let wide = |it: &&BinnedColumn| it.levels > 16;
    let count = long.columns.iter().filter(wide).count();
    assert!((2..20).contains(&count), "{count}");
}
