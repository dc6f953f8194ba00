//! A search that is cut and goes on: where it was, with the same bits; on other devices, by
//! the same walk.

use std::collections::BTreeMap;

use passel::{
    Design, Interrupt, device::Resources, search::IterationRecord, selection::Termination,
};

use crate::{
    cases::{self, Case},
    parts,
    places::{Place, cpus, cuda_is_there, cudas, plain},
    same::{Run, compare, run},
};

/// Runs a case that is interrupted once, after so many iterations and waves.
fn in_parts(case: &Case, first: &Resources, then: &Resources, cut: usize) -> Run {
    let (mut kept, mut trace) = (None, BTreeMap::new());
    for (resources, last) in [(first, cut), (then, usize::MAX)] {
        let mut observe = |record: &IterationRecord, interrupt: &Interrupt| {
            // The wave that is cut is not what it would have been.
            if record.number <= last {
                trace.insert(record.number, (record.wave, record.steps.to_vec()));
            }
            if record.number >= last {
                interrupt.request();
            }
        };
        let problem = (&case.design, &*case.criterion, &case.pass);
        let found = parts::go_on(problem, &mut kept, resources, &mut observe);
        let found = found.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        if found.termination != Termination::Interrupted {
            let trace = trace.into_values().collect();
            return Run { found, trace };
        }
    }
    panic!("{} was interrupted twice", case.name);
}

fn goes_on(places: fn(&Design) -> Vec<Place>) {
    let mut parted = Vec::new();
    let cases = [
        cases::ing_lai(),
        cases::mirrored_columns(),
        cases::nearly_collinear(),
        cases::kept_variables(),
        cases::exact_gain(),
    ];
    // A swarm alone and one with a polish.
    for case in cases.iter().flat_map(|group| &group[..2]) {
        let at_home = run(case, &plain());
        for place in places(&case.design) {
            let there = run(case, &place.resources);
            let swarm = 2 * case.pass.iterations / 3;
            for cut in [swarm, case.pass.iterations + 1] {
                let parts = in_parts(case, &place.resources, &place.resources, cut);
                let moved = in_parts(case, &plain(), &place.resources, cut);
                for (how, result) in [
                    ("there", compare(case, &there, &parts, true)),
                    (
                        "from one CPU",
                        compare(case, &at_home, &moved, place.same_bits),
                    ),
                ] {
                    if let Err(what) = result {
                        let name = &place.name;
                        parted.push(format!("{} {how} on {name} at {cut}: {what}", case.name));
                    }
                }
            }
        }
    }
    assert!(parted.is_empty(), "\n{}", parted.join("\n"));
}

#[test]
fn on_the_cpu() {
    goes_on(cpus);
}

#[test]
fn on_gpus() {
    if cuda_is_there() {
        goes_on(cudas);
    }
}
