//! All pairs of variables by a score.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use rayon::prelude::*;

use super::{
    SelectorError, independence,
    places::{Counting, check, room},
};
use crate::{
    binning::{BinnedColumn, BinnedColumns},
    device::{
        Choice, Resources,
        counting::{Anchor, Few, FoundPair, FoundPairs, FoundPartner, Logs, Tally},
    },
    score::PairScore,
    search::Interrupt,
    selection::{Ending, Independence, Pair, Paired, Partner},
};

/// Pairs told of where nothing else is asked for.
pub const PAIRS: usize = 100;

/// Which pairs are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wanted {
    /// So many of the best.
    pub top: Option<usize>,
    /// None whose score is below it, in nats.
    pub threshold: Option<f64>,
    /// Of every column the best partner besides, whatever the score.
    pub partners: bool,
    /// The scores of all of them besides, as a matrix.
    pub matrix: bool,
}

/// Zeros for a matrix of p × p, if it is wanted.
fn zeros(p: usize, wanted: bool) -> Result<Vec<f64>, SelectorError> {
    let mut matrix = Vec::new();
    if wanted {
        let cells = p.checked_mul(p).ok_or(SelectorError::Matrix { p })?;
        let reserved = matrix.try_reserve_exact(cells);
        reserved.map_err(|_| SelectorError::Matrix { p })?;
        matrix.resize(cells, 0.0);
    }
    Ok(matrix)
}

/// Scores every pair of columns, and every column alone by I(x;y). `observe` is told how many
/// columns are done, and of how many.
///
/// # Errors
/// Devices that do not count; a matrix that memory does not hold.
pub fn pairs(
    columns: &BinnedColumns,
    score: &PairScore,
    wanted: &Wanted,
    resources: &Resources,
    interrupt: &Interrupt,
    observe: &mut (dyn FnMut(usize, usize) + Send),
) -> Result<Paired, SelectorError> {
    if let PairScore::Coded(coded) = score {
        room(columns, Some(coded), true)?;
    }
    let (score, p) = (score.score(), columns.columns.len());
    let mut counting = Counting::of(columns, &score, resources, p / 100)?;
    let pool = counting.pool()?;
    let mut matrix = zeros(p, wanted.matrix)?;
    let observe = Mutex::new(observe);
    pool.install(|| {
        let starting = Instant::now();
        let synergy = PairScore::SYNERGY.score();
        let logs = Logs::new(columns.n, score.reach().max(synergy.reach()));
        // Synergy needs the classes.
        let tally = Tally::new(score, &logs, columns.n).by_class();
        let synergy = Tally::new(synergy, &logs, columns.n);
        let own = &columns.columns;
        let most = match (wanted.top, wanted.threshold) {
            (Some(top), _) => top,
            (None, Some(_)) => usize::MAX,
            (None, None) => PAIRS,
        };
        let mut counters = |tally| {
            let response = Tally::anchor(tally, &columns.response);
            counting.pair_counters(own, &response, (&logs, tally), most)
        };
        // Relevance is I(x;y), whatever a pair's score is.
        let alone = match tally.score().coded() {
            Some(_) => Some(counters(&synergy)?.relevance()),
            None => None,
        };
        let mut counters = counters(&tally)?;
        let starting = starting.elapsed().as_secs_f64();
        let started = Instant::now();
        let (finished, all) = (AtomicUsize::new(0), p * counters.names().len());
        let done = || {
            let finished = 1 + finished.fetch_add(1, Ordering::Relaxed);
            let mut observe = observe.lock().unwrap_or_else(PoisonError::into_inner);
            observe(finished, all);
        };
        // Of ranks each ends by itself: they meet when all have.
        let stop = || interrupt.wished();
        let alone = alone.unwrap_or_else(|| counters.relevance());
        let found = alone.and_then(|single| {
            let rows = wanted.matrix.then_some(&mut matrix[..]);
            let few = Few {
                most,
                least: wanted.threshold,
                partners: wanted.partners,
            };
            let pairs = counters.pairs(columns, &synergy, few, rows, &stop, &done)?;
            Ok((single, pairs))
        });
        let (single, found, fault) = match found {
            Ok((single, found)) => (single, found, None),
            Err(fault) => (Vec::new(), FoundPairs::default(), Some(fault)),
        };
        for (a, b) in (0..p * usize::from(wanted.matrix)).flat_map(|a| (0..a).map(move |b| (a, b)))
        {
            matrix[a * p + b] = matrix[b * p + a];
        }
        let pair = |it: FoundPair| Pair {
            a: it.a as usize,
            b: it.b as usize,
            score: it.score,
            synergy: it.synergy,
        };
        let partner = |it: FoundPartner| Partner {
            column: it.column as usize,
            score: it.score,
            synergy: it.synergy,
        };
        let partners = found.partners.into_iter();
        let response = Anchor::of(&columns.response);
        let alone = |(information, column): (f64, &BinnedColumn)| {
            let test = match column.left_out() {
                Some(_) => independence(&Anchor::of(column), &response, &logs),
                None => {
                    let levels = [column.codes.occurring(column.levels), response.levels];
                    Independence::of(columns.n, information, levels)
                }
            };
            (information, test.p_value)
        };
        let own = &columns.columns;
        Ok(Paired {
            single: single.into_par_iter().zip(own).map(alone).collect(),
            pairs: found.pairs.into_iter().map(pair).collect(),
            partners: partners.map(|it| it.map(partner)).collect(),
            matrix,
            termination: match (&fault, found.cut) {
                (Some(_), _) => Ending::Fault,
                (None, true) => Ending::Interrupted,
                (None, false) => Ending::Top,
            },
            devices: counters.names(),
            notes: counting.notes,
            starting,
            seconds: started.elapsed().as_secs_f64(),
            fault,
        })
    })
}

/// Whether the devices chosen can score pairs so: to be known before a long reading.
///
/// # Errors
/// GPUs that were asked for, and are not there or have no way.
pub(crate) fn check_pairs(score: &PairScore, choice: &Choice) -> Result<(), SelectorError> {
    check(&score.score(), choice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_that_memory_does_not_hold_is_an_error() {
        assert_eq!(zeros(3, true).map(|it| it.len()).ok(), Some(9));
        assert_eq!(zeros(1 << 40, false).map(|it| it.len()).ok(), Some(0));
        for p in [1 << 30, 1 << 40] {
            assert!(matches!(zeros(p, true), Err(SelectorError::Matrix { .. })));
        }
    }
}
