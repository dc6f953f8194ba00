//! What a plugin's functions are asked: the same again, by several threads, and how long it takes.

use std::{hint::black_box, sync::Barrier, thread, time::Instant};

use super::{check_data::tables, check_step};
use crate::{
    device::{DeviceError, cuda::functions},
    plugin::guarded,
    report::plugins::outcome,
    score::{CountTable, ScoreFunction},
};

/// Threads that ask at once.
pub(super) const THREADS: usize = 4;

/// Calls that are timed.
const CALLS: u32 = 2000;

/// What is found good of something, or its first fault.
pub(super) type Checked = Result<String, String>;

/// The value of something for each of some inputs is the same again, and by several threads at once.
pub(super) fn is_repeatable<T: Sync>(
    inputs: &[T],
    value: impl Fn(&T) -> f64 + Sync,
) -> Result<Vec<f64>, String> {
    let all = || inputs.iter().map(&value).collect::<Vec<f64>>();
    let first = all();
    let differs = |other: &[f64]| {
        let pairs = first.iter().zip(other);
        pairs
            .clone()
            .position(|(a, b)| a.to_bits() != b.to_bits())
            .map(|at| (first[at], other[at]))
    };
    if let Some((a, b)) = differs(&all()) {
        return Err(format!("it is {a}, and {b} when it is asked again"));
    }
    // All at once, and long enough to meet.
    let (barrier, rounds) = (
        Barrier::new(THREADS),
        1 + CALLS as usize / inputs.len().max(1),
    );
    let together = || {
        barrier.wait();
        let mut values = first.clone();
        for _ in 0..rounds {
            values = all();
            if differs(&values).is_some() {
                break;
            }
        }
        values
    };
    let others: Vec<Vec<f64>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(together)).collect();
        threads
            .into_iter()
            .filter_map(|own| own.join().ok())
            .collect()
    });
    match others.iter().find_map(|other| differs(other)) {
        Some((a, b)) => Err(format!(
            "it is {a}, and {b} where {THREADS} threads ask at once"
        )),
        None => Ok(first),
    }
}

/// Nanoseconds of a call.
pub(super) fn speed(call: impl Fn() -> f64) -> String {
    let started = Instant::now();
    for _ in 0..CALLS {
        black_box(call());
    }
    format!(
        "{:.0} ns a call",
        started.elapsed().as_nanos() as f64 / f64::from(CALLS)
    )
}

/// What is said of the twin in CUDA C: compared where there is a GPU.
pub(super) fn twin(
    has_twin: bool,
    check: impl FnOnce() -> Result<Option<functions::Checked>, DeviceError>,
) -> Result<String, String> {
    if !has_twin {
        return Ok(String::new());
    }
    if !functions::is_there() {
        return Ok("; its twin in CUDA C: passel plugins --cuda".to_owned());
    }
    let checked = check().map_err(|error| error.to_string())?;
    let told = checked.as_ref().map(outcome);
    Ok(format!("; its twin in CUDA C {}", told.unwrap_or_default()))
}

/// A function of a table: a number of each or −∞, the same again; of a pair the same where the two are exchanged.
pub(super) fn of_function(of_score: &ScoreFunction, is_of_pair: bool) -> Checked {
    let function = &*of_score.0;
    let of = |(step, [x, w, y], counts): &(usize, [usize; 3], Vec<u32>)| {
        function.value(&CountTable {
            counts,
            x: *x,
            w: *w,
            y: *y,
            step: *step,
        })
    };
    // Relevance, and steps, of which an anchor may be a constant.
    let steps = |w: usize| match (is_of_pair, w) {
        (true, _) => [1, 1],
        (false, 1) => [0, 1],
        (false, _) => [1, 3],
    };
    let tables = tables().into_iter();
    let tables = tables
        .flat_map(|(shape, counts)| steps(shape[1]).map(|step| (step, shape, counts.clone())));
    let tables: Vec<_> = tables.collect();
    check_step::step("tables of counts");
    // What a plugin does with what it is lent beyond that ends this process.
    guarded(|| {
        tables.iter().for_each(|table| {
            black_box(of(table));
        });
    });
    let values = is_repeatable(&tables, of)?;
    for (table, value) in tables.iter().zip(values) {
        let (step, [x, w, y], counts) = table;
        if value.is_nan() || value == f64::INFINITY {
            return Err(format!(
                "it is {value} of the table of {x} × {w} × {y} levels with counts {counts:?}"
            ));
        }
        if !is_of_pair {
            continue;
        }
        let mut turned = vec![0; counts.len()];
        for (at, count) in counts.iter().enumerate() {
            let (i, j, l) = (at / (w * y), at / y % w, at % y);
            turned[(j * x + i) * y + l] = *count;
        }
        let other = of(&(*step, [*w, *x, *y], turned));
        let near = function.tolerance().max(1e-12) * (1.0 + value.abs());
        if value != other
            && (value - other).abs().partial_cmp(&near) != Some(std::cmp::Ordering::Less)
        {
            return Err(format!(
                "it is {value} of the table of {x} × {w} × {y} levels with counts {counts:?}, and {other} where the two variables are exchanged"
            ));
        }
    }
    let example = &tables[tables.len() / 2];
    let twin = twin(function.cuda().is_some(), || {
        functions::check(function.name(), of_score)
    })?;
    Ok(format!(
        "{} tables, {}{twin}",
        tables.len(),
        speed(|| of(example))
    ))
}
