//! Scores from random sums over some steps, by every way to gather and to join. By candidates.

use passel_kernels::{
    Kernel,
    counting::{AnchorSums, TableSums},
    score::{self, BestCandidate, NONE, Pick, ScoreArgs, ScoreRule, ScoreTerm},
};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestGpu};

pub(super) struct Case;

/// Observations that all sums are of.
const ROWS: i64 = 5000;

/// A random rule.
pub(super) fn rule(test: &mut TestGpu, gather: i32, join: i32) -> ScoreRule {
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
pub(super) fn sum(test: &mut TestGpu) -> i64 {
    test.below(1 << 45) as i64
}

/// Random sums of each candidate.
pub(super) fn sums(test: &mut TestGpu, count: usize) -> Vec<i64> {
    (0..count).map(|_| sum(test)).collect()
}

/// Random tables of some rows.
fn tables(test: &mut TestGpu, count: usize) -> Vec<TableSums> {
    let mut table = || TableSums {
        of: std::array::from_fn(|_| sum(test)),
        left: test.below(ROWS as usize) as i64,
    };
    (0..count).map(|_| table()).collect()
}

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[score::KERNEL];
    const SIZES: &'static [usize] = &[1, 255, 256, 257, 3000];

    fn check(test: &mut TestGpu, count: usize) -> Result<(), DeviceError> {
        for (gather, join) in (0..3).flat_map(|gather| (0..4).map(move |join| (gather, join))) {
            for misses in [false, true] {
                check_rule(test, count, (gather, join), misses)?;
            }
        }
        Ok(())
    }
}

/// Relevance, then three steps; each pick is excluded and becomes the anchor of the next.
fn check_rule(
    test: &mut TestGpu,
    count: usize,
    (gather, join): (i32, i32),
    misses: bool,
) -> Result<(), DeviceError> {
    let rule = rule(test, gather, join);
    let (x, numbers) = (sums(test, count), test.order(count));
    let levels: Vec<u32> = (0..count).map(|_| 2 + test.below(9) as u32).collect();
    let missing: Vec<u8> = (0..count)
        .map(|_| u8::from(misses && test.below(3) == 0))
        .collect();
    let blocks = 3;
    let found = test.put(&vec![0u8; size_of::<BestCandidate>() * blocks])?;
    let (arrived, picks) = (test.put(&[0u32])?, test.put(&[Pick::default()])?);
    let empty = vec![0i64; count];
    let wide = vec![0i128; count];
    let excluded = test.put(&vec![0u8; count])?;
    let anchor = test.put(&[AnchorSums::default()])?;
    let (xw, xwy) = (test.put(&empty)?, test.put(&empty)?);
    let whole = test.put(&vec![TableSums::default(); count])?;
    let args = ScoreArgs {
        rule,
        count: count as u32,
        numbers: test.put(&numbers)?,
        excluded,
        x: test.put(&x)?,
        xy: test.put(&empty)?,
        xw,
        xwy,
        relevance: test.put(&empty)?,
        gathered: test.put(&wide)?,
        redundancy: if misses { 0 } else { test.put(&wide)? },
        anchors: anchor,
        next: anchor,
        levels: test.put(&levels)?,
        steps: test.put(&[0u32])?,
        whole,
        misses: if misses { test.put(&missing)? } else { 0 },
        rows: ROWS,
        begins: 1,
        by_class: 1,
        ..ScoreArgs::default()
    };
    let mut left = vec![true; count];
    let mut firsts = Vec::new();
    let mut steps: Vec<Vec<TableSums>> = vec![Vec::new(); count];
    let mut redundancy = vec![0i128; count];
    let mut next = AnchorSums::default();
    for step in 0..4 {
        let (own_xw, own_xwy) = (sums(test, count), sums(test, count));
        let tables = tables(test, count);
        test.set(xw, &own_xw)?;
        test.set(xwy, &own_xwy)?;
        test.set(whole, &tables)?;
        for at in 0..count {
            let is_whole = missing[at] != 0;
            if step == 0 {
                let of = [rule.n, x[at], 0, rule.y, 0, own_xwy[at], 0, 0];
                let own = TableSums { of, left: ROWS };
                firsts.push(if is_whole { tables[at] } else { own });
                continue;
            }
            let (w, wy, xy) = (next.w, next.wy, firsts[at].of[5]);
            let of = [rule.n, x[at], w, rule.y, own_xw[at], xy, wy, own_xwy[at]];
            let own = TableSums { of, left: ROWS };
            steps[at].push(if is_whole { tables[at] } else { own });
            redundancy[at] += i128::from(own_xw[at]);
        }
        let args = ScoreArgs {
            begins: i32::from(step == 0),
            gathers: i32::from(step > 0),
            ..args
        };
        let given = arguments![args, found, arrived, picks];
        test.launch(&score::KERNEL, "score", (blocks as u32, 1), (256, 0), given)?;
        let pick = test.get::<Pick>(picks, 1)?[0];
        let scores = (0..count).map(|at| {
            let own = || score::reference(&rule, ROWS, &firsts[at], &steps[at]);
            left[at].then(own).flatten()
        });
        let scores: Vec<Option<i128>> = scores.collect();
        let Some(best) = score::best(&scores, &numbers) else {
            assert_eq!((pick.number, pick.place), (NONE, NONE));
            return Ok(());
        };
        let relevance = score::quantity(
            &rule.term[rule.terms as usize],
            &firsts[best],
            ROWS,
            rule.unit,
        );
        let expected = Pick {
            score: scores[best].unwrap_or(0),
            redundancy: if misses { 0 } else { redundancy[best] },
            relevance,
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
        assert_eq!(test.get::<AnchorSums>(anchor, 1)?, [next]);
    }
    // One more is excluded by the host.
    if let Some(at) = left.iter().position(|left| *left) {
        let place = at as u32;
        test.launch(&score::KERNEL, "exclude", (1, 1), (1, 0), arguments![excluded, place])?;
        left[at] = false;
    }
    let excluded = test.get::<u8>(excluded, count)?;
    assert!(excluded.iter().map(|excluded| *excluded == 0).eq(left));
    Ok(())
}
