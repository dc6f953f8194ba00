//! Waves over candidates put off and others, with lists that are long enough and too short; what
//! they list is looked up in random sums. By candidates.

use std::mem::offset_of;

use passel_kernels::{
    counting::{AnchorSums, TableSums, WorkItem},
    deferred::{
        self, BEST, DeferredArgs, EVERYTHING, KERNEL, ONE, STALLED, WINNERS, WaveControl, WorkList,
    },
    score::{self, BestCandidate, NONE, Pick, ScoreArgs, ScoreRule},
};

use super::{
    TestGpu, arguments,
    score::{ROWS, first_table, rule, score_args, sum, sums, table},
};

pub const SIZES: &[usize] = &[1, 255, 256, 257, 2000];

const STEPS: usize = 5;

pub fn check(test: &mut TestGpu, count: usize) {
    for join in [0, 1, 2] {
        for capacity in [STEPS * count, 1 + count / 8] {
            check_lists(test, count, join, capacity);
        }
    }
}

fn check_lists(test: &mut TestGpu, count: usize, join: i32, capacity: usize) {
    let places = count - count / 4;
    // Steps that all candidates have gathered before: one, where relevance bounds nothing.
    let base = usize::from(join != 2);
    // The second has no candidates.
    let mut lists = [0, places / 2, places / 2].map(|first| WorkList {
        first: first as u32,
        offset: 0,
        capacity: capacity as u32,
    });
    (0..3).for_each(|at| lists[at].offset = (at * capacity) as u32);
    let anchors: [AnchorSums; STEPS] = std::array::from_fn(|_| AnchorSums {
        w: sum(test),
        wy: sum(test),
        levels: 2,
        place: 0,
    });
    // xw and xwy, by anchor, then candidate.
    let steps_sums: [[Vec<i64>; 2]; STEPS] =
        std::array::from_fn(|_| [sums(test, count), sums(test, count)]);
    // Scores only fall.
    let rule = ScoreRule {
        mean: 0,
        ..rule(test, 1, join)
    };
    let numbers = test.order(count);
    let [x, xy] = [0, 1].map(|_| sums(test, count));
    let first = |candidate: usize| first_table(&rule, x[candidate], xy[candidate]);
    let last = &rule.term[rule.terms as usize];
    let relevance = |candidate| score::quantity(last, &first(candidate), ROWS, rule.unit);
    let relevance: Vec<i64> = (0..count).map(relevance).collect();
    let table = |candidate: usize, step: usize| {
        let own = [x[candidate], xy[candidate]];
        let with = steps_sums[step].each_ref().map(|sums| sums[candidate]);
        table(&rule, &anchors[step], own, with)
    };
    let before = |candidate: usize| match base {
        0 => i128::MAX,
        _ => score::gathered(&rule, i128::MAX, &table(candidate, 0), ROWS),
    };
    let gathered: Vec<i128> = (0..count).map(before).collect();
    let args = ScoreArgs {
        numbers: test.put(&numbers),
        relevance: test.put(&relevance),
        gathered: test.put(&gathered),
        levels: test.fill(2u32, count),
        ..score_args(test, rule, [&x, &xy])
    };
    let none = [u8::MAX; size_of::<BestCandidate>()];
    let items = 3 * capacity;
    let deferred = DeferredArgs {
        places: places as u32,
        base: base as u32,
        done: test.fill(0u32, count),
        start: test.fill(0u32, count),
        many: test.fill(0u32, count),
        items: test.fill(WorkItem::default(), items),
        lists,
        anchors: test.fill(AnchorSums::default(), STEPS),
        xw: test.fill(0i64, items),
        xwy: test.fill(0i64, items),
        found: test.put(&none.repeat(2 * count.div_ceil(256))),
        control: test.fill(0u8, size_of::<WaveControl>()),
        ..DeferredArgs::default()
    };
    let pick = test.put(&[Pick::default()]);
    let waves = Waves {
        test,
        args,
        deferred,
        pick,
        sums: &steps_sums[base..],
    };
    for step in base + 1..=STEPS {
        let [own_xw, own_xwy] = &steps_sums[step - 1];
        waves.test.set(args.anchors, &anchors[step - 1..step]);
        waves.test.set(args.xw, own_xw);
        waves.test.set(args.xwy, own_xwy);
        for wave in [BEST, ONE, WINNERS] {
            waves.run(wave, step, false);
        }
        while waves.pick().number == STALLED {
            waves.run(WINNERS, step, true);
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
        let found = waves.pick();
        let expected = (numbers[best], best as u32, score);
        let found = (found.number, found.place, found.score);
        assert_eq!(found, expected, "join {join}, step {step}");
    }
    // What all candidates lack at last.
    waves.run(EVERYTHING, STEPS, true);
    while waves.pick().number == STALLED {
        waves.run(EVERYTHING, STEPS, true);
    }
    assert_eq!(waves.pick().number, NONE);
    let test = waves.test;
    let done = test.get::<u32>(deferred.done, places);
    assert!(done.iter().all(|done| *done as usize == STEPS - base));
    let counted = deferred.control + offset_of!(WaveControl, counted) as u64;
    let counted = test.get::<u64>(counted, 1)[0] as usize;
    assert_eq!(counted, places * (STEPS - base));
}

/// What every wave is launched with, and the sums of the steps behind `base`.
struct Waves<'t> {
    test: &'t TestGpu,
    args: ScoreArgs,
    deferred: DeferredArgs,
    pick: u64,
    sums: &'t [[Vec<i64>; 2]],
}

impl Waves<'_> {
    fn pick(&self) -> Pick {
        self.test.get::<Pick>(self.pick, 1)[0]
    }

    /// Selects, looks up what is listed, settles; `resumes` a step that stalled.
    fn run(&self, wave: i32, step: usize, resumes: bool) {
        let test = self.test;
        let gathers = wave == BEST && !resumes;
        let deferred = DeferredArgs {
            wave,
            last: i32::from(resumes || wave == WINNERS),
            resumes: resumes.into(),
            ..self.deferred
        };
        let args = ScoreArgs {
            gathers: gathers.into(),
            steps_known: (step - usize::from(gathers)) as u32,
            ..self.args
        };
        let grid = (args.count.div_ceil(256), 1);
        let given = arguments![args, deferred];
        test.launch(&KERNEL, "select", grid, (256, 0), given);
        let wanted = deferred.control + offset_of!(WaveControl, wanted) as u64;
        let wanted = test.get::<u64>(wanted, 3);
        for (list, wanted) in deferred.lists.iter().zip(wanted) {
            let count = wanted.min(list.capacity.into()) as usize;
            let at = |start: u64, bytes: usize| start + (bytes * list.offset as usize) as u64;
            let items = test.get::<WorkItem>(at(deferred.items, size_of::<WorkItem>()), count);
            for (which, to) in [deferred.xw, deferred.xwy].into_iter().enumerate() {
                let look_up = |item: &WorkItem| {
                    assert!(item.place < deferred.places);
                    self.sums[item.anchor as usize][which][item.place as usize]
                };
                let values: Vec<i64> = items.iter().map(look_up).collect();
                test.set(at(to, 8), &values);
            }
        }
        let args = ScoreArgs {
            gathers: 0,
            steps_known: step as u32,
            ..args
        };
        let given = arguments![args, deferred, self.pick];
        test.launch(&KERNEL, "settle", grid, (256, 0), given);
    }
}
