//! Opens the counters of a selection: the one place that sees the seam of [`super::counting`] and
//! the devices behind it.

use std::ops::Range;

use super::{
    DeviceError, Placement,
    counting::{
        Categorical, Counter, CounterGroup, FunctionCounter, LocalColumns, PairCounter,
        PairCounterGroup, PairDomain, ScoreEvaluator,
    },
    cpu::{CpuCounter, CpuTableScorer},
    cuda::counting::{CudaCounter, CudaPairSweep, CudaPairs, CudaTableScorer, LazyOptions},
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
    let own = columns.columns;
    let devices: Vec<Box<dyn Counter>> = match (placement, evaluator.score().function()) {
        (Placement::Cpu(shards), _) => cpu_shards(columns, response, evaluator, *shards, threads)
            .map(|shard| shard as Box<dyn Counter>)
            .collect(),
        (Placement::Cuda(ordinals), Some(function)) => {
            let scorer = CudaTableScorer::new(own, response, function, ordinals, memory_limit)?;
            let counter = FunctionCounter::new(scorer, columns.numbers(), response, evaluator);
            vec![Box::new(counter)]
        }
        (Placement::Cuda(ordinals), None) => {
            let (on, lazy) = ((&ordinals[..], memory_limit), LazyOptions::default());
            let counter = CudaCounter::new(columns, response, evaluator, on, lazy)?;
            vec![Box::new(counter)]
        }
    };
    Ok(CounterGroup::new(devices, evaluator))
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
    let all = domain.columns;
    let devices: Vec<Box<dyn PairCounter>> = match (placement, evaluator.score().function()) {
        (Placement::Cpu(shards), function) => {
            let all = LocalColumns::from(all);
            // A CPU has the candidates: of a function they are a pair's first columns, of a
            // declared score its second ones.
            let own = match function {
                Some(_) => all.slice(0..domain.first_end()),
                None => all.slice(domain.second_start()..all.columns.len()),
            };
            cpu_shards(own, response, evaluator, *shards, threads)
                .map(|shard| shard as Box<dyn PairCounter>)
                .collect()
        }
        (Placement::Cuda(ordinals), Some(function)) => {
            let scorer = CudaTableScorer::new(all, response, function, ordinals, memory_limit)?;
            let counter = FunctionCounter::new(scorer, 0..all.len(), response, evaluator);
            vec![Box::new(counter)]
        }
        (Placement::Cuda(ordinals), None) => {
            let limits = (max_pairs, memory_limit);
            vec![
                match CudaPairs::new(domain, response, evaluator, ordinals, limits)? {
                    Some(counter) => Box::new(counter),
                    None => {
                        let on = (&ordinals[..], memory_limit);
                        Box::new(CudaPairSweep::new(all, response, evaluator, on)?)
                    }
                },
            ]
        }
    };
    Ok(PairCounterGroup::new(devices, domain, evaluator))
}

/// A part of the columns on the CPU, which counts candidates as well as pairs.
trait CpuShard: Counter + PairCounter {}

impl<T: Counter + PairCounter> CpuShard for T {}

/// The columns on the CPU in `count` shards, fewer where there are fewer columns.
fn cpu_shards<'a>(
    columns: LocalColumns<'a>,
    response: &Categorical,
    evaluator: &'a ScoreEvaluator,
    count: usize,
    threads: usize,
) -> impl Iterator<Item = Box<dyn CpuShard + 'a>> {
    let shard = move |range: Range<usize>| -> Box<dyn CpuShard + 'a> {
        let shard = columns.slice(range);
        let LocalColumns { columns, first } = shard;
        match evaluator.score().function() {
            Some(function) => {
                let scorer = CpuTableScorer::new(columns, first, function.clone(), threads);
                let numbers = shard.numbers();
                Box::new(FunctionCounter::new(scorer, numbers, response, evaluator))
            }
            None => Box::new(CpuCounter::new(
                columns, first, response, evaluator, threads,
            )),
        }
    };
    split_range(columns.columns.len(), count).map(shard)
}
