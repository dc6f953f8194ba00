//! Waves over candidates put off and others, with lists that are long enough and too short; what
//! they list is looked up in random sums. By candidates.

use passel_kernels::{
    Kernel,
    counting::{AnchorSums, TableSums, WorkItem},
    deferred::{
        self, BEST, DeferredArgs, EVERYTHING, ONE, STALLED, WINNERS, WaveControl, WorkList,
    },
    score::{self, BestCandidate, NONE, Pick, ScoreArgs, ScoreRule},
};

use super::{
    super::gpu::arguments,
    DeviceError, KernelCase, TestGpu,
    score::{rule, sum, sums},
};

pub(super) struct Case;

const ROWS: i64 = 5000;
const STEPS: usize = 5;

/// Candidates and their sums against every anchor.
struct Problem {
    count: usize,
    places: usize,
    /// Steps that all candidates have gathered before: one, where relevance bounds nothing.
    base: usize,
    lists: [WorkList; 3],
    anchors: Vec<AnchorSums>,
    /// xw and xwy, by anchor, then candidate.
    sums: Vec<[Vec<i64>; 2]>,
}

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[deferred::KERNEL];
    const SIZES: &'static [usize] = &[1, 255, 256, 257, 2000];

    fn check(test: &mut TestGpu, count: usize) -> Result<(), DeviceError> {
        for join in [0, 1, 2] {
            for capacity in [STEPS * count, 1 + count / 8] {
                check_lists(test, count, join, capacity)?;
            }
        }
        Ok(())
    }
}

fn check_lists(
    test: &mut TestGpu,
    count: usize,
    join: i32,
    capacity: usize,
) -> Result<(), DeviceError> {
    let places = count - count / 4;
    let list = |at: usize| WorkList {
        // The second has no candidates.
        first: [0, places / 2, places / 2][at] as u32,
        offset: (at * capacity) as u32,
        capacity: capacity as u32,
    };
    let anchor = |test: &mut TestGpu| AnchorSums {
        w: sum(test),
        wy: sum(test),
        levels: 2,
        place: 0,
    };
    let problem = Problem {
        count,
        places,
        base: usize::from(join != 2),
        lists: [0, 1, 2].map(list),
        anchors: (0..STEPS).map(|_| anchor(test)).collect(),
        sums: (0..STEPS)
            .map(|_| [sums(test, count), sums(test, count)])
            .collect(),
    };
    // Scores only fall.
    let rule = ScoreRule {
        mean: 0,
        ..rule(test, 1, join)
    };
    let numbers = test.order(count);
    let [x, xy] = [0, 1].map(|_| sums(test, count));
    let first = |candidate: usize| TableSums {
        of: [rule.n, x[candidate], 0, rule.y, 0, xy[candidate], 0, 0],
        left: ROWS,
    };
    let last = &rule.term[rule.terms as usize];
    let relevance = |candidate| score::quantity(last, &first(candidate), ROWS, rule.unit);
    let relevance: Vec<i64> = (0..count).map(relevance).collect();
    let table = |candidate: usize, step: usize| {
        let (anchor, [xw, xwy]) = (problem.anchors[step], &problem.sums[step]);
        let of = [
            rule.n,
            x[candidate],
            anchor.w,
            rule.y,
            xw[candidate],
            xy[candidate],
            anchor.wy,
            xwy[candidate],
        ];
        TableSums { of, left: ROWS }
    };
    let before = |candidate: usize| match problem.base {
        0 => i128::MAX,
        _ => score::gathered(&rule, i128::MAX, &table(candidate, 0), ROWS),
    };
    let gathered: Vec<i128> = (0..count).map(before).collect();
    let (anchor, pick) = (test.put(&problem.anchors[..1])?, test.put(&[Pick::default()])?);
    let (xw, xwy) = (test.put(&vec![0i64; count])?, test.put(&vec![0i64; count])?);
    let args = ScoreArgs {
        rule,
        count: count as u32,
        numbers: test.put(&numbers)?,
        excluded: test.put(&vec![0u8; count])?,
        x: test.put(&x)?,
        xy: test.put(&xy)?,
        xw,
        xwy,
        relevance: test.put(&relevance)?,
        gathered: test.put(&gathered)?,
        anchors: anchor,
        levels: test.put(&vec![2u32; count])?,
        rows: ROWS,
        by_class: 1,
        ..ScoreArgs::default()
    };
    let control = test.put(&vec![0u8; size_of::<WaveControl>()])?;
    let none = [u8::MAX; size_of::<BestCandidate>()];
    let found = test.put(&none.repeat(2 * count.div_ceil(256)))?;
    let items = 3 * capacity;
    let deferred = DeferredArgs {
        places: places as u32,
        base: problem.base as u32,
        done: test.put(&vec![0u32; count])?,
        start: test.put(&vec![0u32; count])?,
        many: test.put(&vec![0u32; count])?,
        items: test.put(&vec![WorkItem::default(); items])?,
        lists: problem.lists,
        anchors: test.put(&[AnchorSums::default(); STEPS])?,
        xw: test.put(&vec![0i64; items])?,
        xwy: test.put(&vec![0i64; items])?,
        found,
        control,
        ..DeferredArgs::default()
    };
    for step in problem.base + 1..=STEPS {
        let [own_xw, own_xwy] = &problem.sums[step - 1];
        test.set(anchor, &problem.anchors[step - 1..step])?;
        test.set(xw, own_xw)?;
        test.set(xwy, own_xwy)?;
        for wave in [BEST, ONE, WINNERS] {
            let args = ScoreArgs {
                gathers: i32::from(wave == BEST),
                steps_known: (step - usize::from(wave == BEST)) as u32,
                ..args
            };
            let deferred = DeferredArgs {
                wave,
                last: i32::from(wave == WINNERS),
                ..deferred
            };
            run_wave(test, &problem, (args, deferred), pick)?;
        }
        while test.get::<Pick>(pick, 1)?[0].number == STALLED {
            resume(test, &problem, (args, deferred), (WINNERS, step), pick)?;
        }
        let candidate = |candidate: usize| {
            let steps = (0..step).map(|at| table(candidate, at));
            (first(candidate), steps.collect())
        };
        let candidates: Vec<(TableSums, Vec<TableSums>)> = (0..count).map(candidate).collect();
        let (best, _) = deferred::reference(&rule, ROWS, &candidates, &numbers);
        let best = best.unwrap();
        let (first, steps) = &candidates[best];
        let score = score::reference(&rule, ROWS, first, steps).unwrap();
        let found = test.get::<Pick>(pick, 1)?[0];
        assert_eq!(
            (found.number, found.place, found.score),
            (numbers[best], best as u32, score),
            "join {join}, step {step}"
        );
    }
    // What all candidates lack at last.
    resume(test, &problem, (args, deferred), (EVERYTHING, STEPS), pick)?;
    while test.get::<Pick>(pick, 1)?[0].number == STALLED {
        resume(test, &problem, (args, deferred), (EVERYTHING, STEPS), pick)?;
    }
    assert_eq!(test.get::<Pick>(pick, 1)?[0].number, NONE);
    let done = test.get::<u32>(deferred.done, places)?;
    assert!(done.iter().all(|done| *done as usize == STEPS - problem.base));
    let counted = control + std::mem::offset_of!(WaveControl, counted) as u64;
    let counted = test.get::<u64>(counted, 1)?[0] as usize;
    assert_eq!(counted, places * (STEPS - problem.base));
    Ok(())
}

/// One wave more of a step that stalled.
fn resume(
    test: &TestGpu,
    problem: &Problem,
    (args, deferred): (ScoreArgs, DeferredArgs),
    (wave, step): (i32, usize),
    pick: u64,
) -> Result<(), DeviceError> {
    let args = ScoreArgs {
        steps_known: step as u32,
        ..args
    };
    let deferred = DeferredArgs {
        wave,
        last: 1,
        resumes: 1,
        ..deferred
    };
    run_wave(test, problem, (args, deferred), pick)
}

/// Selects, looks up what is listed, settles.
fn run_wave(
    test: &TestGpu,
    problem: &Problem,
    (args, deferred): (ScoreArgs, DeferredArgs),
    pick: u64,
) -> Result<(), DeviceError> {
    let grid = (problem.count.div_ceil(256) as u32, 1);
    let given = arguments![args, deferred];
    test.launch(&deferred::KERNEL, "select", grid, (256, 0), given)?;
    let wanted = deferred.control + std::mem::offset_of!(WaveControl, wanted) as u64;
    let wanted = test.get::<u64>(wanted, 3)?;
    for (list, wanted) in problem.lists.iter().zip(wanted) {
        let count = wanted.min(list.capacity.into()) as usize;
        let at = |start: u64, bytes: usize| start + (bytes * list.offset as usize) as u64;
        let items = test.get::<WorkItem>(at(deferred.items, size_of::<WorkItem>()), count)?;
        for (which, to) in [deferred.xw, deferred.xwy].into_iter().enumerate() {
            let look_up = |item: &WorkItem| {
                assert!((item.place as usize) < problem.places);
                problem.sums[problem.base + item.anchor as usize][which][item.place as usize]
            };
            let values: Vec<i64> = items.iter().map(look_up).collect();
            test.set(at(to, 8), &values)?;
        }
    }
    let args = ScoreArgs {
        gathers: 0,
        steps_known: args.steps_known + args.gathers as u32,
        ..args
    };
    let given = arguments![args, deferred, pick];
    test.launch(&deferred::KERNEL, "settle", grid, (256, 0), given)
}
