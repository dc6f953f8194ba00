//! All pairs of variables by a score: the best pairs, the best partner of each, or all scores.

mod rounds;
mod search;

use std::{sync::Mutex, time::Instant};

use self::search::{Scan, ScanState};
use serde_json::json;

use super::{
    SelectorError,
    identity::identity,
    places::{CountingDevices, check_tables},
};
use crate::{
    binning::BinnedColumns,
    device::{
        DeviceError, Resources,
        counting::{Pair, ScoreEvaluator, TopPairs},
    },
    interrupt::Interrupt,
    score::PairScore,
    search::{CheckpointWriter, Checkpointing},
    selection::{ColumnPair, ColumnPartner, PairScan, StopReason},
    threads,
};

/// The number of pairs reported by default.
pub const PAIRS: usize = 100;

/// The pairs that are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PairOptions {
    /// The number of best pairs.
    pub top: Option<usize>,
    /// The lowest score of a pair. *Units:* nats, unless the score is a ratio or a function.
    pub threshold: Option<f64>,
    /// Whether the best partner of every column is wanted too, whatever its score.
    pub partners: bool,
    /// Whether the scores of all pairs are wanted too, as a p × p matrix.
    pub matrix: bool,
}

/// A p × p matrix of zeros, if it is wanted; else an empty one.
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

/// Scores every pair of columns, and every column alone by I(x;y). `observe` is called with the
/// numbers of columns done and of all.
///
/// *Shapes:* `columns` are n codes each, of p candidates and the response; the matrix, if wanted, is
/// p × p and symmetric. *Units:* nats, unless the score is a ratio or a function.
///
/// # Errors
/// Devices that are absent or cannot start; a matrix too large for memory; tables larger than are
/// counted. A device that fails later ends the scan: [`PairScan::fault`].
pub fn rank_pairs(
    columns: &BinnedColumns,
    score: &PairScore,
    wanted: &PairOptions,
    resources: &Resources,
    interrupt: &Interrupt,
    observe: &mut (dyn FnMut(usize, usize) + Send),
) -> Result<PairScan, SelectorError> {
    rank_pairs_from(columns, score, wanted, resources, interrupt, None, observe)
}

/// Scores every pair as [`rank_pairs`] does, and keeps the best pairs of the columns that are done: a
/// scan resumed from these finds the same, bit for bit, as one that was never interrupted. The name
/// with the checkpoints tells this score from others. A single process keeps them on the CPU, for
/// a declared score and without a matrix; else nothing is kept, and the scan begins anew.
///
/// # Errors
/// As [`rank_pairs`], and a checkpoint of another scan.
pub fn rank_pairs_from(
    columns: &BinnedColumns,
    score: &PairScore,
    wanted: &PairOptions,
    resources: &Resources,
    interrupt: &Interrupt,
    checkpointing: Option<(&str, Checkpointing)>,
    observe: &mut (dyn FnMut(usize, usize) + Send),
) -> Result<PairScan, SelectorError> {
    if let PairScore::Function(coded) = score {
        check_tables(columns, Some(coded), true)?;
    }
    let (score, p) = (score.score(), columns.columns.len());
    let counting = CountingDevices::of(columns, &score, resources, p / 100)?;
    let pool = threads::pool(counting.threads)?;
    let cells = (p as u64).saturating_mul(p as u64 * u64::from(wanted.matrix));
    let bytes = cells.saturating_mul(size_of::<f64>() as u64);
    let held = resources.memory.take(bytes, "the matrix of all pairs");
    let _held = held.map_err(DeviceError::from)?;
    let matrix = zeros(p, wanted.matrix)?;
    pool.install(|| {
        let starting = Instant::now();
        let scores = [score, PairScore::SYNERGY.score()];
        let [evaluator, synergy] = ScoreEvaluator::of_same_tables(scores, columns.n);
        let top = match (wanted.top, wanted.threshold) {
            (Some(top), _) => top,
            (None, Some(_)) => usize::MAX,
            (None, None) => PAIRS,
        };
        let mut best = TopPairs::new(top, evaluator.score_threshold(wanted.threshold));
        if wanted.partners {
            best = best.with_partners(p, evaluator.score_threshold(None));
        }
        let communicator = resources.distributed();
        let checkpointing = checkpointing.filter(|_| communicator.is_none() && !wanted.matrix);
        let kept = checkpointing.map(|(name, checkpointing)| {
            let settings = [
                ("score", json!(name)),
                ("top", json!(wanted.top)),
                ("threshold", json!(wanted.threshold)),
                ("partners", json!(wanted.partners)),
            ];
            let identity = identity(columns, None, settings).map_err(SelectorError::Device)?;
            let is_sound = |state: &ScanState| state.is_sound(&best, p);
            let kept = CheckpointWriter::open(checkpointing, identity, is_sound);
            kept.map_err(SelectorError::Checkpoint)
        });
        let (keeper, state) = kept.transpose()?.unzip();
        let ScanState { visited, best } = state.flatten().unwrap_or(ScanState { visited: 0, best });
        let mut scan = Scan {
            keeper,
            visited,
            columns,
            evaluator: &evaluator,
            synergy: &synergy,
            counting,
            interrupt,
            best,
            held: resources.memory.charge(),
            unscored: None,
            cut: false,
            scored: (0, 0),
            found: PairScan {
                matrix,
                starting: starting.elapsed().as_secs_f64(),
                ..PairScan::default()
            },
        };
        let (started, starting) = (Instant::now(), scan.found.starting);
        let fault = scan.all(communicator, &Mutex::new(observe))?;
        if let (true, Some(keeper)) = (scan.cut || fault.is_some(), scan.keeper.take()) {
            scan.counting.notes.extend(keeper.end());
        }
        let mut found = scan.found;
        found.seconds = started.elapsed().as_secs_f64() - (found.starting - starting);
        let best = match fault {
            Some(_) => {
                found.single.clear();
                TopPairs::default()
            }
            None => scan.best,
        };
        for a in 0..p * usize::from(wanted.matrix) {
            for b in 0..a {
                found.matrix[a * p + b] = found.matrix[b * p + a];
            }
        }
        let pair = |pair: Pair<f64>| ColumnPair {
            a: pair.a as usize,
            b: pair.b as usize,
            score: pair.score,
            synergy: pair.synergy,
        };
        let to_nats = |pair: Pair| pair.to_nats(&evaluator, &synergy);
        let partner = |(of, best): (u32, Option<Pair>)| {
            best.map(to_nats).map(|pair| ColumnPartner {
                column: (pair.a + pair.b - of) as usize,
                score: pair.score,
                synergy: pair.synergy,
            })
        };
        let partners = (0..).zip(best.partners()).map(partner).collect();
        // The fixed-point threshold lies a little below the one in nats.
        let least = wanted.threshold.unwrap_or(f64::NEG_INFINITY);
        let pairs = best.into_sorted().into_iter().map(to_nats);
        let pairs = pairs.filter(|pair| pair.score >= least);
        Ok(PairScan {
            pairs: pairs.map(pair).collect(),
            partners,
            termination: match (&fault, scan.cut) {
                (Some(_), _) => StopReason::Fault,
                (None, true) => StopReason::of_cut(interrupt),
                (None, false) => StopReason::Top,
            },
            scored: match scan.cut {
                true => scan.scored.0 as f64 / scan.scored.1.max(1) as f64,
                false => 1.0,
            },
            notes: scan.counting.notes,
            fault,
            ..found
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_that_memory_does_not_hold_is_an_error() {
        assert_eq!(zeros(3, true).map(|matrix| matrix.len()).ok(), Some(9));
        assert_eq!(
            zeros(1 << 40, false).map(|matrix| matrix.len()).ok(),
            Some(0)
        );
        for p in [1 << 30, 1 << 40] {
            assert!(matches!(zeros(p, true), Err(SelectorError::Matrix { .. })));
        }
    }
}
