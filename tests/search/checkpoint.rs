//! A search that was cut anywhere and goes on ends as one that was not.

use std::{collections::BTreeMap, num::NonZeroUsize};

use passel::{
    Design, Interrupt, Pass,
    criteria::{Aic, Bic, Criterion},
    device::{DeviceChoice, Resources},
    search::{Gain, IterationRecord, SearchError, SearchResult, StepRecord},
    selection::{Elapsed, Termination},
};

use crate::{
    bounds::keeping,
    invariance::EBIC,
    parts,
    problems::{ing_lai, small},
};

pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) design: Design,
    pub(super) criterion: Box<dyn Criterion>,
    pub(super) pass: Pass,
}

/// What a search is, in parts or in one: all it found, and each of its iterations.
#[derive(Default)]
pub(super) struct Whole {
    pub(super) kept: Option<String>,
    pub(super) steps: BTreeMap<usize, (u64, Vec<StepRecord>)>,
}

pub(super) fn cpu(threads: usize, shards: usize, memory_limit: Option<u64>) -> Resources {
    Resources {
        devices: DeviceChoice::Cpu(NonZeroUsize::new(shards).unwrap()),
        memory_limit,
        ..Resources::cpu(threads)
    }
}

/// The case's search with a criterion and settings that may be others.
pub(super) fn go_on(
    case: &Case,
    (kept, resources): (&mut Option<String>, &Resources),
    observe: &mut (dyn FnMut(&IterationRecord, &Interrupt) + Send),
) -> Result<SearchResult, SearchError> {
    let problem = (&case.design, &*case.criterion, &case.pass);
    parts::go_on(problem, kept, resources, observe)
}

impl Whole {
    /// Goes on, and is interrupted after so many iterations and waves.
    pub(super) fn part(&mut self, case: &Case, resources: &Resources, most: usize) -> SearchResult {
        let (mut count, steps) = (0, &mut self.steps);
        let mut observe = |record: &IterationRecord, interrupt: &Interrupt| {
            count += 1;
            if count >= most {
                // A wave cut short by this may be told yet.
                interrupt.request();
            }
            if count <= most {
                let told = (record.best_value.to_bits(), record.steps.to_vec());
                let before = steps.insert(record.number, told.clone());
                // What is done twice is the same twice.
                assert!(before.is_none_or(|first| first == told), "{}", case.name);
            }
        };
        go_on(case, (&mut self.kept, resources), &mut observe).unwrap()
    }
}

/// All that a report is made from, in bits, but where it was found.
fn told(case: &Case, found: &SearchResult) -> String {
    let mut found = found.clone();
    (found.devices, found.screen) = (Vec::new(), String::new());
    let mut selection = found.selection(&case.design, &*case.criterion, &case.pass);
    selection.elapsed_seconds = Elapsed::default();
    let json = serde_json::to_string(&selection).unwrap();
    format!("{json} {:?} {:?}", found.models, found.front)
}

pub(super) fn cases() -> Vec<Case> {
    let walk = |iterations: usize, seed: u64| Pass {
        particles: 6,
        iterations,
        polish: false,
        seed,
        ..Pass::default()
    };
    let of = |(x, y): &(_, _)| Design::from_matrices(x, y, &Default::default()).unwrap();
    let case = |name, design, criterion: &dyn Fn() -> Box<dyn Criterion>, pass| Case {
        name,
        design,
        criterion: criterion(),
        pass,
    };
    let bic = || Box::new(Bic) as Box<dyn Criterion>;
    let aic = || Box::new(Aic) as Box<dyn Criterion>;
    let ebic = || Box::new(EBIC) as Box<dyn Criterion>;
    let (x, y) = small(40, 14, 801);
    vec![
        case(
            "the swarm alone",
            of(&small(50, 20, 800)),
            &bic,
            walk(200, 3),
        ),
        case(
            "kept variables and a bound",
            keeping(&x, &y, &["x9", "x4"]),
            &aic,
            Pass {
                max_size: Some(4),
                ..walk(150, 4)
            },
        ),
        case(
            "large starts, the exact gain",
            of(&small(60, 40, 802)),
            &aic,
            Pass {
                start_size: 7,
                gain: Gain::Exact,
                ..walk(200, 5)
            },
        ),
        case(
            "an end by patience, then the polish",
            of(&ing_lai(60, 120, 4, 803)),
            &ebic,
            Pass {
                polish: true,
                patience: Some(40),
                ..walk(400, 6)
            },
        ),
        case(
            "a pool of several batches",
            of(&ing_lai(50, 700, 5, 804)),
            &ebic,
            Pass {
                polish: true,
                ..walk(40, 7)
            },
        ),
    ]
}

#[test]
fn cut_anywhere_a_search_ends_as_if_it_were_not() {
    for case in cases() {
        let mut whole = Whole::default();
        let found = whole.part(&case, &cpu(1, 1, None), usize::MAX);
        let expected = told(&case, &found);
        let plain = crate::reference::run(&case.design, &*case.criterion, &case.pass, 2, |_| {});
        assert_eq!(told(&case, &plain), expected, "{}", case.name);
        let last = *whole.steps.keys().last().unwrap();
        let (mut goes_on, stride) = (0, 1 + last / 60);
        for cut in (1..last).step_by(stride) {
            let mut parts = Whole::default();
            let first = parts.part(&case, &cpu(1 + cut % 2, 1, None), cut);
            assert_eq!(first.termination, Termination::Interrupted, "{}", case.name);
            goes_on += usize::from(parts.kept.is_some());
            let last = parts.part(&case, &cpu(2 - cut % 2, 1, None), usize::MAX);
            assert_eq!(told(&case, &last), expected, "{} at {cut}", case.name);
            assert!(parts.steps == whole.steps, "{} at {cut}", case.name);
        }
        // Some are cut before there is a point to go on from.
        assert!(goes_on > last / stride / 2, "{}: {goes_on}", case.name);
    }
}

#[test]
fn cut_again_and_again_wherever_it_runs() {
    for case in cases() {
        let mut whole = Whole::default();
        let expected = told(&case, &whole.part(&case, &cpu(1, 1, None), usize::MAX));
        for rest in [1, 20] {
            let (mut parts, mut count) = (Whole::default(), 0);
            let found = loop {
                let limit = (count % 3 == 2).then_some(1000);
                let resources = cpu(1 + count % 2, 1 + count % 4, limit);
                // In a part the next point to go on from must be reached.
                let far = parts
                    .steps
                    .keys()
                    .last()
                    .map_or(8, |last| last.min(&80) + 60);
                let found = parts.part(&case, &resources, far + rest + 7 * (count % 3));
                count += 1;
                if found.termination != Termination::Interrupted {
                    break found;
                }
                assert!(count < 200, "{} does not end", case.name);
            };
            assert!(count > 1, "{}: {count} parts", case.name);
            assert_eq!(told(&case, &found), expected, "{}", case.name);
            assert!(parts.steps == whole.steps, "{}", case.name);
        }
    }
}

#[test]
fn wave_by_wave_the_polish_goes_on() {
    for case in cases().into_iter().filter(|case| case.pass.polish) {
        let mut whole = Whole::default();
        let expected = told(&case, &whole.part(&case, &cpu(1, 1, None), usize::MAX));
        let mut parts = Whole::default();
        // Into the polish; then one wave a part, and the one that is cut.
        let swarm = whole.steps.len() - waves(&case);
        parts.part(&case, &cpu(2, 1, None), swarm + 1);
        let mut count = 1;
        while parts
            .part(&case, &cpu(1 + count % 2, 1, None), 2)
            .termination
            == Termination::Interrupted
        {
            count += 1;
            assert!(count < 500, "{} does not end", case.name);
        }
        assert!(count > 3, "{}: {count} parts", case.name);
        let last = parts.part(&case, &cpu(1, 1, None), usize::MAX);
        assert_eq!(told(&case, &last), expected, "{}", case.name);
        assert!(parts.steps == whole.steps, "{}", case.name);
    }
}

/// Waves of the case's polish.
fn waves(case: &Case) -> usize {
    let mut waves = 0;
    crate::reference::run(&case.design, &*case.criterion, &case.pass, 1, |record| {
        waves = record.wave.unwrap_or(0);
    });
    waves
}
