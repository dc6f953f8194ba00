//! GPUs that walk together, against the CPU: which GPUs have which columns, and how far they
//! go by themselves, does not show.

use std::{collections::BTreeSet, fmt::Debug, ops::Range};

use super::{
    super::gpu::Gpu,
    LazyOptions,
    deferred_tests::{Case, ScoredCase},
    shard::Shard,
};
use crate::{
    binning::{BinnedColumn, Codes},
    device::counting::{
        ConditioningVariable, Counter, ScoredColumn,
        tests::{column, gpus},
    },
    random::{Stream, uniform_below},
};

/// How many picks follow one another, each with a hint of how many are to come; and whether after
/// the last of them another column than the best is excluded, which no hint announced.
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

impl<'c> ScoredCase<'c> {
    /// The picks of a plan, until no candidate is left.
    fn planned(
        &self,
        counter: &mut dyn Counter,
        excluded: &mut BTreeSet<u32>,
        plan: Plan,
    ) -> Vec<Option<ScoredColumn>> {
        let columns = &self.case.columns;
        let mut picked = Vec::new();
        for &(picks, other) in plan {
            for left in (1..=picks).rev() {
                counter.hint_picks(left);
                let found = counter.best().unwrap();
                picked.push(found);
                let Some(best) = found.map(|found| found.column.0) else {
                    return picked;
                };
                let mut others = (0..columns.len() as u32).filter(|column| *column != best);
                let next = others.find(|column| other && !excluded.contains(column));
                let column = next.unwrap_or(best);
                excluded.insert(column);
                counter.exclude(column);
                let step = ConditioningVariable::of_column(column, columns, &self.evaluator);
                counter.sweep(&step).unwrap();
            }
        }
        picked
    }

    /// All that is held against the CPU: walks, each behind another that was forgotten, whose
    /// columns stay excluded.
    fn walks(&self, counter: &mut dyn Counter) -> impl PartialEq + Debug + use<'c> {
        let mut excluded = BTreeSet::new();
        let plans = [PLAN, &[], PLAN].map(|plan| {
            let picked = self.planned(counter, &mut excluded, plan);
            counter.reset();
            picked
        });
        let whole = self.walk(counter);
        counter.reset();
        (plans, whole, counter.best().unwrap())
    }
}

/// GPUs that columns are shared by, and a score.
type Trial = (On, &'static str);

#[derive(Debug, Clone, Copy, PartialEq)]
enum On {
    Two,
    All,
    Reversed,
}

/// The GPUs, which stay open meanwhile: what takes longest is to open the first on one. None
/// where there are not two.
fn opened() -> Option<Vec<Gpu>> {
    let count = gpus().filter(|count| *count > 1);
    if count.is_none() {
        eprintln!("skipped, there are not two GPUs");
    }
    let open = |ordinal| Gpu::open(ordinal, &[]).unwrap();
    count.map(|count| (0..count).map(open).collect())
}

impl Case {
    /// Holds walks on several GPUs against the CPU's.
    fn picks_as_the_cpu_does(&self, opened: &[Gpu], runs: &[Trial]) {
        for of_score in runs.chunk_by(|a, b| a.1 == b.1) {
            let name = of_score[0].1;
            let scored = self.by(name);
            let expected = scored.walks(&mut scored.on_cpu());
            for &(on, _) in of_score {
                let place: Vec<usize> = match on {
                    On::Two => vec![0, 1],
                    On::All => (0..opened.len()).collect(),
                    On::Reversed => (0..opened.len()).rev().collect(),
                };
                let mut gpus = scored.on_gpus(&place, LazyOptions::default());
                let together = gpus.peers.is_some();
                let narrow = |shard: &Shard| !shard.needs_wide_codes(gpus.levels, false);
                let linked = !gpus.peer_columns.is_empty();
                let walks = linked && !scored.evaluator.may_readmit_excluded();
                assert_eq!(together, walks && gpus.shards.iter().all(narrow));
                let (n, p) = (self.response.codes.n(), self.columns.len());
                let run = format!("{name}, {n} × {p} on {place:?}, together: {together}");
                assert_eq!(scored.walks(&mut gpus), expected, "{run}");
            }
        }
    }
}

/// Columns most of whose observations have one code, by how many others each has.
fn sparse(n: usize, p: usize, others: Range<usize>, levels: usize) -> Case {
    let mut case = Case::new((n, 1), 2..3, 12, vec![5]);
    let mut stream = Stream::new(n as u64, 7);
    let mut draw = |bound: usize| uniform_below(stream.next_word(), bound);
    case.columns.clear();
    for at in 0..p {
        let mut codes = vec![0u16; n];
        for _ in 0..others.start + draw(others.len()) / (1 + at % 5) {
            let row = draw(n);
            let class = case.response.codes.dense()[row];
            codes[row] = match draw(3) {
                0 => 1 + u16::from(class % 2 == 1),
                _ => 1 + draw(levels - 1) as u16,
            };
        }
        case.columns.push(column(codes, levels, true, false));
    }
    case
}

/// In one test, for GPUs are opened once: kinds of columns, ways to gather, ties, one column and
/// more than there are GPUs, until none is left, long columns, hundreds of picks at a time.
#[test]
fn cuda_gpus_pick_together() {
    let Some(opened) = opened() else {
        return;
    };
    let holds = |case: Case, runs: &[Trial]| case.picks_as_the_cpu_does(&opened, runs);
    use On::{All, Reversed, Two};
    holds(
        Case::new((700, 120), 2..13, 20, vec![9]),
        &[(All, "mrmr"), (Reversed, "cmim"), (Two, "last")],
    );
    holds(
        Case::new((5000, 90), 2..31, 12, Vec::new()),
        &[(All, "jmi"), (Two, "guarded mean")],
    );
    holds(Case::new((33_001, 60), 2..5, 10, vec![4]), &[(All, "jmim")]);
    // Of 16 bits; where there are classes they go by the host.
    holds(
        Case::new((1999, 60), 257..301, 6, Vec::new()),
        &[(All, "mrmr"), (Two, "jmi")],
    );
    holds(sparse(20_000, 90, 1..60, 4), &[(All, "jmi")]);
    holds(sparse(20_000, 60, 30..1500, 30), &[(Two, "cmim")]);
    holds(sparse(60_000, 50, 1000..5000, 3), &[(All, "mrmr")]);
    holds(Case::new((900, 1), 2..9, 20, Vec::new()), &[(Two, "mrmr")]);
    holds(Case::new((5000, 3), 2..9, 20, Vec::new()), &[(All, "jmi")]);
    holds(Case::new((900, 17), 2..9, 20, Vec::new()), &[(All, "mrmr")]);
    // 8 bytes behind a multiple of 16 every other column of 4 bits, and columns of 8 bits.
    let long = Case::new(((1 << 21) + 5, 12), 8..25, 4, vec![2]);
    holds(long, &[(All, "mrmr"), (Two, "jmi")]);
    // Several times as many picks as there are letters.
    let far = Case::new((300, 1000), 2..6, 500, vec![450]);
    holds(far, &[(All, "mrmr")]);
}

/// Where no candidate may be chosen, the last step is not gathered twice: by the next one might.
#[test]
fn cuda_guarded_scores_end_where_the_cpu_has_no_more() {
    if gpus().is_none() {
        return;
    }
    for (seed, name) in (0..40).flat_map(|seed| [(seed, "guarded sum"), (seed, "guarded mean")]) {
        let case = Case::new((40 + seed, 14), 2..4, 14, Vec::new());
        let scored = case.by(name);
        let expected = scored.walk(&mut scored.on_cpu());
        let mut gpu = scored.on_gpus(&[0], LazyOptions::default());
        assert_eq!(scored.walk(&mut gpu), expected, "{name}, {seed}");
    }
}

#[test]
fn columns_have_the_forms_that_are_meant() {
    let case = sparse(20_000, 90, 1..60, 4);
    let few = |column: &BinnedColumn| matches!(&column.codes, Codes::Sparse { rows, .. } if rows.len() < 60);
    assert!(case.columns.iter().all(few));
    let long = Case::new(((1 << 21) + 5, 12), 8..25, 1, Vec::new());
    let wide = |column: &&BinnedColumn| column.levels > 16;
    let count = long.columns.iter().filter(wide).count();
    assert!((3..=9).contains(&count), "{count}");
}
