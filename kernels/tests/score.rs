//! Scores from random sums over some steps, by every way to gather and to join. By candidates.

use passel_kernels::{
    counting::{AnchorSums, TableSums},
    score::{self, BestCandidate, KERNEL, NONE, Pick, ScoreArgs, ScoreRule, ScoreTerm},
};

use super::{TestGpu, arguments};

pub const SIZES: &[usize] = &[1, 255, 256, 257, 3000];

/// Observations that all sums are of.
pub const ROWS: i64 = 5000;

/// A random rule.
pub fn rule(test: &mut TestGpu, gather: i32, join: i32) -> ScoreRule {
    let mut rule = ScoreRule {
        terms: 1 + test.below(3) as i32,
        gather,
        join,
        mean: test.below(2) as i32,
        n: sum(test),
        y: sum(test),
        unit: ROWS << 20,
        ..ScoreRule::default()
    };
    for at in 0..=rule.terms as usize {
        rule.term[at] = ScoreTerm {
            weight: (test.below(5) as i64 - 2) << 31,
            over: std::array::from_fn(|_| test.below(5) as i32 - 2),
            under: std::array::from_fn(|_| test.below(5) as i32 - 2),
            is_ratio: test.below(2) as i32,
            below_zero: test.below(2) as i32,
        };
    }
    rule
}

/// A random sum.
pub fn sum(test: &mut TestGpu) -> i64 {
    test.below(1 << 45) as i64
}

/// Random sums of each candidate.
pub fn sums(test: &mut TestGpu, count: usize) -> Vec<i64> {
    (0..count).map(|_| sum(test)).collect()
}

/// The table of a candidate with one level of w: of the sums x and xy, and those of the rule.
pub fn first_table(rule: &ScoreRule, x: i64, xy: i64) -> TableSums {
    let of = [rule.n, x, 0, rule.y, 0, xy, 0, 0];
    TableSums { of, left: ROWS }
}

/// The same against an anchor, with the sums xw and xwy.
pub fn table(
    rule: &ScoreRule,
    anchor: &AnchorSums,
    [x, xy]: [i64; 2],
    [xw, xwy]: [i64; 2],
) -> TableSums {
    let of = [rule.n, x, anchor.w, rule.y, xw, xy, anchor.wy, xwy];
    TableSums { of, left: ROWS }
}

/// Arguments of so many candidates with these sums x and xy, none of them excluded.
pub fn score_args(test: &mut TestGpu, rule: ScoreRule, [x, xy]: [&[i64]; 2]) -> ScoreArgs {
    let count = x.len();
    ScoreArgs {
        rule,
        count: count as u32,
        excluded: test.fill(0u8, count),
        x: test.put(x),
        xy: test.put(xy),
        xw: test.fill(0i64, count),
        xwy: test.fill(0i64, count),
        anchors: test.put(&[AnchorSums::default()]),
        rows: ROWS,
        by_class: 1,
        ..ScoreArgs::default()
    }
}

/// Random tables of some rows.
fn tables(test: &mut TestGpu, count: usize) -> Vec<TableSums> {
    let mut table = || TableSums {
        of: std::array::from_fn(|_| sum(test)),
        left: test.below(ROWS as usize) as i64,
    };
    (0..count).map(|_| table()).collect()
}

pub fn check(test: &mut TestGpu, count: usize) {
    for (gather, join) in (0..3).flat_map(|gather| (0..4).map(move |join| (gather, join))) {
        for misses in [false, true] {
            check_rule(test, count, (gather, join), misses);
        }
    }
}

/// Relevance, then three steps; each pick is excluded and becomes the anchor of the next.
fn check_rule(test: &mut TestGpu, count: usize, (gather, join): (i32, i32), misses: bool) {
    let rule = rule(test, gather, join);
    let (x, numbers) = (sums(test, count), test.order(count));
    let levels: Vec<u32> = (0..count).map(|_| 2 + test.below(9) as u32).collect();
    let missing: Vec<u8> = (0..count)
        .map(|_| u8::from(misses && test.below(3) == 0))
        .collect();
    let blocks = 3;
    let found = test.fill(0u8, size_of::<BestCandidate>() * blocks);
    let (arrived, picks) = (test.put(&[0u32]), test.put(&[Pick::default()]));
    let args = score_args(test, rule, [&x, &vec![0; count]]);
    let args = ScoreArgs {
        numbers: test.put(&numbers),
        relevance: test.fill(0i64, count),
        gathered: test.fill(0i128, count),
        redundancy: if misses { 0 } else { test.fill(0i128, count) },
        next: args.anchors,
        levels: test.put(&levels),
        steps: test.put(&[0u32]),
        whole: test.fill(TableSums::default(), count),
        misses: if misses { test.put(&missing) } else { 0 },
        ..args
    };
    let mut left = vec![true; count];
    let mut firsts = Vec::new();
    let mut steps: Vec<Vec<TableSums>> = vec![Vec::new(); count];
    let mut redundancy = vec![0i128; count];
    let mut next = AnchorSums::default();
    for step in 0..4 {
        let (xw, xwy) = (sums(test, count), sums(test, count));
        let tables = tables(test, count);
        test.set(args.xw, &xw);
        test.set(args.xwy, &xwy);
        test.set(args.whole, &tables);
        for at in 0..count {
            let whole = |own| if missing[at] != 0 { tables[at] } else { own };
            if step == 0 {
                firsts.push(whole(first_table(&rule, x[at], xwy[at])));
                continue;
            }
            let own = [x[at], firsts[at].of[5]];
            steps[at].push(whole(table(&rule, &next, own, [xw[at], xwy[at]])));
            redundancy[at] += i128::from(xw[at]);
        }
        let args = ScoreArgs {
            begins: i32::from(step == 0),
            gathers: i32::from(step > 0),
            ..args
        };
        let grid = (blocks as u32, 1);
        let given = arguments![args, found, arrived, picks];
        test.launch(&KERNEL, "score", grid, (256, 0), given);
        let pick = test.get::<Pick>(picks, 1)[0];
        let scores = (0..count).map(|at| {
            let own = || score::reference(&rule, ROWS, &firsts[at], &steps[at]);
            left[at].then(own).flatten()
        });
        let scores: Vec<Option<i128>> = scores.collect();
        let Some(best) = score::best(&scores, &numbers) else {
            assert_eq!((pick.number, pick.place), (NONE, NONE));
            return;
        };
        let last = &rule.term[rule.terms as usize];
        let expected = Pick {
            score: scores[best].unwrap(),
            redundancy: if misses { 0 } else { redundancy[best] },
            relevance: score::quantity(last, &firsts[best], ROWS, rule.unit),
            x: x[best],
            xy: firsts[best].of[5],
            place: best as u32,
            number: numbers[best],
        };
        assert_eq!(pick, expected, "gather {gather}, join {join}, step {step}");
        left[best] = false;
        next = AnchorSums {
            w: x[best],
            wy: pick.xy,
            levels: levels[best],
            place: best as u32,
        };
        assert_eq!(test.get::<AnchorSums>(args.anchors, 1), [next]);
    }
    // One more is excluded by the host.
    if let Some(at) = left.iter().position(|left| *left) {
        let place = at as u32;
        let given = arguments![args.excluded, place];
        test.launch(&KERNEL, "exclude", (1, 1), (1, 0), given);
        left[at] = false;
    }
    let excluded = test.get::<u8>(args.excluded, count);
    assert!(excluded.iter().map(|excluded| *excluded == 0).eq(left));
}
