//! What must be the same on every device.

use std::thread;

use passel::{
    Interrupt,
    device::{DeviceChoice, Partition},
    ranks::{Communicator, thread_transports},
    search::{SearchResult, StepRecord, search},
};

use crate::{
    cases::Case,
    places::{Place, plain},
};
use passel::{Design, device::Resources};

/// Criterion values of one model from two devices: their fits differ by rounding, some
/// k·eps of TSS, which n·ln RSS enlarges by n·TSS/RSS: below 10⁻¹⁰ in every case here.
const VALUE: f64 = 1e-9;

/// A search and what its particles did.
pub struct Run {
    pub found: SearchResult,
    /// Of each iteration, the wave if it was one, and the steps.
    pub trace: Vec<(Option<usize>, Vec<StepRecord>)>,
}

/// Runs a case.
pub fn run(case: &Case, resources: &Resources) -> Run {
    let mut trace = Vec::new();
    let found = search(
        &case.design,
        &*case.criterion,
        &case.pass,
        resources,
        &Interrupt::default(),
        None,
        &mut |iteration| trace.push((iteration.wave, iteration.steps.to_vec())),
    );
    Run {
        found: found.unwrap_or_else(|error| panic!("{}: {error}", case.name)),
        trace,
    }
}

/// Runs every case everywhere; all that parts is told at once.
pub fn same_everywhere(cases: &[Case], places: fn(&Design) -> Vec<Place>) {
    let mut parted = Vec::new();
    for case in cases {
        let plain = run(case, &plain());
        for place in places(&case.design) {
            let there = run(case, &place.resources);
            if let Err(what) = compare(case, &plain, &there, place.same_bits) {
                parted.push(format!("{} on {}: {what}", case.name, place.name));
            }
        }
    }
    assert!(parted.is_empty(), "\n{}", parted.join("\n"));
}

/// Runs every case over two to four processes that share its columns, its sweeps or its particles, by turns, each with such devices.
pub fn same_over_ranks(cases: &[Case], devices: &DeviceChoice) {
    let mut parted = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let size = 2 + at % 3;
        // Terms of several columns stay together.
        let over = match case.design.columns().terms() {
            Some(_) => Partition::Particles,
            None => [Partition::Columns, Partition::Sweeps, Partition::Particles][at / 3 % 3],
        };
        let of_rank = |rank| {
            let communicator = Communicator::new(rank, &Interrupt::default()).unwrap();
            let resources = Resources {
                communicator: Some(communicator),
                partition: Some(over),
                devices: devices.clone(),
                ..Resources::cpu(1)
            };
            run(case, &resources)
        };
        let ranks: Vec<Run> = thread::scope(|scope| {
            let ranks = thread_transports(size).into_iter();
            let started = ranks.map(|rank| scope.spawn(move || of_rank(rank)));
            let started: Vec<_> = started.collect();
            started
                .into_iter()
                .map(|rank| rank.join().unwrap())
                .collect()
        });
        let plain = run(case, &plain());
        for (rank, there) in ranks.iter().enumerate() {
            if let Err(what) = compare(case, &plain, there, false) {
                parted.push(format!(
                    "{}, {over:?}, rank {rank} of {size}: {what}",
                    case.name
                ));
            }
        }
    }
    assert!(parted.is_empty(), "\n{}", parted.join("\n"));
}

/// What parts two runs of a case, the first thing first.
pub fn compare(case: &Case, a: &Run, b: &Run, same_bits: bool) -> Result<(), String> {
    if let Some(fault) = &b.found.fault {
        return Err(fault.to_string());
    }
    // Where the residual is rounding, another rounding walks elsewhere.
    if same_bits || !case.rounding_decides {
        walks(a, b, same_bits)?;
        equal("iterations", a.found.iterations, b.found.iterations)?;
        equal("termination", a.found.termination, b.found.termination)?;
    }
    equal("certified", a.found.certified, b.found.certified)?;
    equal("exact", a.found.exact, b.found.exact)?;
    equal("the selection", members(&a.found), members(&b.found))?;
    if near(a.found.value, b.found.value) {
        Ok(())
    } else {
        equal("φ", a.found.value, b.found.value)
    }
}

/// MoveKind by move.
fn walks(a: &Run, b: &Run, same_bits: bool) -> Result<(), String> {
    for (at, ((wave, steps), (other, others))) in a.trace.iter().zip(&b.trace).enumerate() {
        equal("waves", wave, other)?;
        equal("steps", steps.len(), others.len())?;
        for (particle, (a, b)) in steps.iter().zip(others).enumerate() {
            let moves = (a.kind, a.variable, a.size) == (b.kind, b.variable, b.size);
            // The polish takes products from sweeps, whose last digits are anybody's.
            let values = match same_bits && wave.is_none() {
                true => a.value.to_bits() == b.value.to_bits(),
                false => near(a.value, b.value),
            };
            if !(moves && values) {
                return Err(format!(
                    "particle {particle} parts in iteration {}: {a:?}, {b:?}",
                    at + 1
                ));
            }
        }
    }
    equal("the trace's length", a.trace.len(), b.trace.len())
}

fn members(found: &SearchResult) -> Vec<u32> {
    let mut members = found.fit.support().to_vec();
    members.sort_unstable();
    members
}

fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= VALUE * a.abs().max(1.0)
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, a: T, b: T) -> Result<(), String> {
    match a == b {
        true => Ok(()),
        false => Err(format!("{what}: {a:?} is {b:?} there")),
    }
}
