//! All pairs of variables by a score.

mod rounds;
mod search;

use std::{sync::Mutex, time::Instant};

use self::search::Search;
use super::{
    SelectorError,
    places::{Counting, check_devices, room},
};
use crate::{
    binning::BinnedColumns,
    device::{
        DeviceChoice, Resources,
        counting::{LogTable, Pair, PairRequest, PairScores, Partner, ScoreEvaluator},
    },
    interrupt::Interrupt,
    score::PairScore,
    selection::{ColumnPair, ColumnPartner, PairScan, StopReason},
};

/// Pairs told of where nothing else is asked for.
pub const PAIRS: usize = 100;

/// Which pairs are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PairOptions {
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
pub fn rank_pairs(
    columns: &BinnedColumns,
    score: &PairScore,
    wanted: &PairOptions,
    resources: &Resources,
    interrupt: &Interrupt,
    observe: &mut (dyn FnMut(usize, usize) + Send),
) -> Result<PairScan, SelectorError> {
    if let PairScore::Function(coded) = score {
        room(columns, Some(coded), true)?;
    }
    let (score, p) = (score.score(), columns.columns.len());
    let counting = Counting::of(columns, &score, resources, p / 100)?;
    let pool = counting.pool()?;
    let matrix = zeros(p, wanted.matrix)?;
    pool.install(|| {
        let starting = Instant::now();
        let synergy = PairScore::SYNERGY.score();
        let logs = LogTable::new(columns.n, score.reach().max(synergy.reach()));
        // Synergy needs the classes.
        let evaluator = ScoreEvaluator::new(score, &logs, columns.n).counting_classes();
        let few = PairRequest {
            max_pairs: match (wanted.top, wanted.threshold) {
                (Some(top), _) => top,
                (None, Some(_)) => usize::MAX,
                (None, None) => PAIRS,
            },
            min_score: wanted.threshold,
            partners: wanted.partners,
        };
        let synergy = ScoreEvaluator::new(synergy, &logs, columns.n);
        let by = (&logs, &evaluator, &synergy);
        let mut search = Search::new(
            columns,
            by,
            counting,
            interrupt,
            few.empty_pairs(p, &evaluator),
            matrix,
        );
        search.starting = starting.elapsed().as_secs_f64();
        let fault = search.all(resources.distributed(), &Mutex::new(observe))?;
        let (best, single) = match fault {
            Some(_) => (PairScores::default(), Vec::new()),
            None => (
                few.to_scores(search.best, &evaluator, &synergy),
                search.single,
            ),
        };
        let mut matrix = search.matrix;
        for (a, b) in (0..p * usize::from(wanted.matrix)).flat_map(|a| (0..a).map(move |b| (a, b)))
        {
            matrix[a * p + b] = matrix[b * p + a];
        }
        let pair = |it: Pair<f64>| ColumnPair {
            a: it.a as usize,
            b: it.b as usize,
            score: it.score,
            synergy: it.synergy,
        };
        let partner = |it: Partner<f64>| ColumnPartner {
            column: it.column as usize,
            score: it.score,
            synergy: it.synergy,
        };
        let partners = best.partners.into_iter();
        Ok(PairScan {
            single,
            pairs: best.pairs.into_iter().map(pair).collect(),
            partners: partners.map(|it| it.map(partner)).collect(),
            matrix,
            termination: match (&fault, search.cut) {
                (Some(_), _) => StopReason::Fault,
                (None, true) => StopReason::Interrupted,
                (None, false) => StopReason::Top,
            },
            devices: search.devices,
            notes: search.counting.notes,
            starting: search.starting,
            seconds: search.seconds,
            fault,
        })
    })
}

/// Whether the devices chosen can score pairs so: to be known before a long reading.
///
/// # Errors
/// GPUs that were asked for, and are not there or have no way.
pub(crate) fn check_pair_devices(
    score: &PairScore,
    choice: &DeviceChoice,
) -> Result<(), SelectorError> {
    check_devices(&score.score(), choice)
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
