//! Opens the counters of a selection: the one place that sees the seam of [`super::counting`] and
//! the devices behind it.

use std::ops::Range;

use super::{
    DeviceError, Placement,
    counting::{
        Categorical, Counter, CounterGroup, FunctionCounter, LocalColumns, PairCounter,
        PairCounterGroup, PairDomain, ScoreEvaluator,
    },
    cpu::{CpuCounter, CpuTableScorer, CpuTermScorer},
    cuda::counting::{CudaCounter, CudaPairs, CudaTableScorer, CudaTermScorer, LazyOptions},
    split_range,
};

/// Opens the counters of these columns for this response ([`ScoreEvaluator::categorical`]).
///
/// A CPU copies its columns into layouts for the response, inside the caller's pool of `threads`
/// threads. GPUs share the columns; `memory_limit` is in bytes, for the columns on each.
///
/// # Errors
/// A GPU that does not exist, cannot be used or has too little memory.
pub(crate) fn open_counters<'a>(
    placement: &Placement,
    columns: LocalColumns<'a>,
    response: &Categorical,
    evaluator: &'a ScoreEvaluator,
    threads: usize,
    memory_limit: Option<u64>,
) -> Result<CounterGroup<'a>, DeviceError> {
    let devices = open(
        placement,
        columns,
        response,
        evaluator,
        threads,
        memory_limit,
    )?;
    Ok(CounterGroup::new(devices, evaluator))
}

/// Writes the terms of a declared score of every column's table with an anchor and the response, one
/// after another of each column; counted on the CPU, by the caller's pool.
///
/// *Shapes:* as many values of each of p columns as the score has terms. *Units:* nats.
pub(crate) fn measure_terms(
    columns: LocalColumns,
    anchor: &Categorical,
    response: &Categorical,
    evaluator: &ScoreEvaluator,
    values: &mut [f64],
) {
    CpuTermScorer::new(columns, evaluator).write(anchor, response, values);
}

/// Opens the counters of all pairs of a domain, of which at most `max_pairs` are wanted; else as
/// [`open_counters`].
///
/// # Errors
/// A GPU that does not exist, cannot be used or has too little memory.
pub(crate) fn open_pair_counters<'a>(
    placement: &Placement,
    domain: PairDomain<'a>,
    response: &Categorical,
    evaluator: &'a ScoreEvaluator,
    threads: usize,
    (max_pairs, memory_limit): (usize, Option<u64>),
) -> Result<PairCounterGroup<'a>, DeviceError> {
    let function = evaluator.score().function();
    let limits = (max_pairs, memory_limit);
    if let (Placement::Cuda(ordinals), None) = (placement, function)
        && let Some(counter) = CudaPairs::new(domain, response, evaluator, ordinals, limits, None)?
    {
        let devices: Vec<Box<dyn PairCounter>> = vec![Box::new(counter)];
        return Ok(PairCounterGroup::new(devices, domain, evaluator));
    }
    let all = LocalColumns::from(domain.columns);
    // A CPU has the candidates: of a function they are a pair's first columns, of a declared score
    // its second ones.
    let own = match (placement, function) {
        (Placement::Cuda(_), _) => all,
        (Placement::Cpu(_), Some(_)) => all.slice(0..domain.first_end()),
        (Placement::Cpu(_), None) => all.slice(domain.second_start()..all.columns.len()),
    };
    let devices = open(placement, own, response, evaluator, threads, memory_limit)?.into_iter();
    let devices = devices.map(|device| device as Box<dyn PairCounter>);
    Ok(PairCounterGroup::new(devices.collect(), domain, evaluator))
}

/// The counters of a placement: one for each shard of the CPU (fewer where there are fewer columns),
/// or one for all GPUs.
fn open<'a>(
    placement: &Placement,
    columns: LocalColumns<'a>,
    response: &Categorical,
    evaluator: &'a ScoreEvaluator,
    threads: usize,
    memory_limit: Option<u64>,
) -> Result<Vec<Box<dyn Counter + 'a>>, DeviceError> {
    let function = evaluator.score().function();
    let shard = |range: Range<usize>| -> Box<dyn Counter + 'a> {
        let shard = columns.slice(range);
        match function {
            Some(function) => {
                let scorer = CpuTableScorer::new(shard, function);
                let numbers = shard.numbers();
                Box::new(FunctionCounter::new(scorer, numbers, response, evaluator))
            }
            None if evaluator.score().is_exact() => {
                Box::new(CpuCounter::new(shard, response, evaluator, threads))
            }
            None => {
                let scorer = CpuTermScorer::new(shard, evaluator);
                let numbers = shard.numbers();
                Box::new(FunctionCounter::new(scorer, numbers, response, evaluator))
            }
        }
    };
    let own = columns.columns;
    Ok(match (placement, function) {
        (Placement::Cpu(shards), _) => split_range(own.len(), *shards).map(shard).collect(),
        (Placement::Cuda(ordinals), Some(function)) => {
            let scorer = CudaTableScorer::new(own, response, function, ordinals, memory_limit)?;
            let numbers = columns.numbers();
            vec![Box::new(FunctionCounter::new(
                scorer, numbers, response, evaluator,
            ))]
        }
        (Placement::Cuda(ordinals), None) if !evaluator.score().is_exact() => {
            let on = (&ordinals[..], memory_limit);
            let scorer = CudaTermScorer::new(columns, response, evaluator, on)?;
            let numbers = columns.numbers();
            vec![Box::new(FunctionCounter::new(
                scorer, numbers, response, evaluator,
            ))]
        }
        (Placement::Cuda(ordinals), None) => {
            let (on, lazy) = ((&ordinals[..], memory_limit), LazyOptions::default());
            vec![Box::new(CudaCounter::new(
                columns, response, evaluator, on, lazy,
            )?)]
        }
    })
}
