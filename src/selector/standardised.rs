//! The permutation test by standardised scores: the statistic of a candidate is how far its score
//! lies above the mean of its scores over all orders of the observations, in deviations of these.
//!
//! Scores of information grow with the number of levels, by chance alone. The best score of all
//! candidates is then that of the one with most levels, observed and permuted alike, and nothing that
//! another tells can be shown. Standardised, each candidate is compared with its own chance, and the
//! maximum over all of them accounts for the search.
//!
//! The observed order counts as one of the orders in every mean and deviation, so that the statistic
//! treats all n + 1 alike: where response and conditioning variables are exchangeable, the rank of the
//! observed maximum is uniform.
//!
//! *Source:* P. H. Westfall and S. S. Young, *Resampling-Based Multiple Testing* (1993), section 2.6.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::{
    PermutationTest,
    choose::Selection,
    permutation::all_of_ranks,
    tested::{StandardisedCandidate, TestLog, Tested},
};
use crate::{
    device::{
        DeviceError,
        counting::{BestCandidate, ConditioningVariable, LocalColumns},
    },
    selection::ChosenColumn,
};

/// Most scores that are kept at a time: 512 MiB. Of more candidates one block after another is tested.
const SCORES: usize = 1 << 26;

/// Codes that are counted between two notes in the log, about: of a wide table the test goes on from
/// the last block of columns that was done.
const WORK: usize = if cfg!(test) { 1 << 12 } else { 1 << 33 };

/// Fewest columns of a block: what each permutation costs besides them is little beside so many.
const NARROWEST: usize = if cfg!(test) { 5 } else { 64 };

impl StandardisedCandidate {
    /// Itself, or another that is larger.
    fn or_larger(self, other: Option<Self>) -> Self {
        let larger = other.filter(|other| other.standardised > self.standardised);
        larger.unwrap_or(self)
    }
}

/// The best candidate of a rank, and the largest standardised score of each permutation.
type Maxima = (Option<StandardisedCandidate>, Vec<f64>);

impl Selection<'_> {
    /// Tests the candidate with the largest standardised score, of those that may be chosen by their
    /// score; of equal ones the lowest column. It is reached by permutations whose largest standardised
    /// score is no lower. `None` when interrupted, or where no candidate is eligible.
    pub(super) fn standardised(
        &self,
        rule: &PermutationTest,
        chosen: &[ChosenColumn],
        swept: &[Arc<ConditioningVariable>],
        log: &mut TestLog,
    ) -> Result<Option<Tested>, DeviceError> {
        let own = match self.maxima(rule, chosen, swept, log) {
            Ok(own) => Ok(own),
            // All ranks learn of it below.
            Err(DeviceError::UndefinedScore(unscored)) => Err(unscored),
            Err(error) => return Err(error),
        };
        // Each rank has seen its own columns.
        let all = match self.communicator {
            Some(communicator) => communicator.gather(&own)?,
            None => vec![own],
        };
        // One that was interrupted has not seen all.
        let Some(all) = all_of_ranks(all)? else {
            return Ok(None);
        };
        // Columns ascend from rank to rank.
        let found = all.iter().filter_map(|(found, _)| *found);
        let Some(found) = found.reduce(|best, found| best.or_larger(Some(found))) else {
            return Ok(None);
        };
        let reaches = |at: &usize| all.iter().any(|(_, own)| own[*at] >= found.standardised);
        Ok(Some(Tested {
            reached: (0..rule.n).filter(reaches).count(),
            winner: Some(found),
        }))
    }

    /// The best of this rank's candidates, and the maximum of each permutation over all of them;
    /// `None` when interrupted.
    fn maxima(
        &self,
        rule: &PermutationTest,
        chosen: &[ChosenColumn],
        swept: &[Arc<ConditioningVariable>],
        log: &mut TestLog,
    ) -> Result<Option<Maxima>, DeviceError> {
        let floor = self.evaluator.score().floor.unwrap_or(f64::NEG_INFINITY);
        let least = self.stop.threshold.unwrap_or(f64::NEG_INFINITY);
        let eligible = |score: f64| score > floor && score >= least;
        let swept = self.anchors(swept);
        let own = LocalColumns::of_rank(self.columns, self.communicator);
        let worth = WORK / (rule.n + 1) / self.columns.n.max(1);
        let width = (SCORES / (rule.n + 1)).clamp(1, worth.max(NARROWEST));
        // What one rank knows is of its own columns alone.
        let keeps = self.communicator.is_none();
        let (first, mut best, mut maxima) = match keeps {
            true => log.maxima(rule.n),
            false => (0, None, vec![f64::NEG_INFINITY; rule.n]),
        };
        let left = own.columns.len().saturating_sub(first);
        let (before, blocks) = (first.div_ceil(width), left.div_ceil(width));
        log.begin(before * rule.n, (before + blocks) * rule.n);
        for start in (first..own.columns.len()).step_by(width) {
            let block = own.slice(start..own.columns.len().min(start + width));
            let score = |order: &[u32], threads| {
                let mut counters = self.permuted(order, block, (chosen, &swept), threads)?;
                // The CPU knows all scores.
                counters.scores().unwrap_or(Ok(Vec::new()))
            };
            let in_file_order: Vec<u32> = (0..self.columns.n as u32).collect();
            let candidates = score(&in_file_order, rayon::current_num_threads())?;
            // A candidate that must not be chosen has no score.
            let row = |scores: &[BestCandidate]| {
                let mut row = vec![f64::NAN; block.columns.len()];
                for own in scores {
                    row[own.column as usize - block.first] = own.score;
                }
                row
            };
            let each = |at, threads| {
                let order = self.order(rule, chosen.len(), at);
                Ok(row(&score(&order, threads)?))
            };
            let known = (0..rule.n).map(|_| None).collect();
            let shared = Mutex::new(&mut *log);
            let note = |_, _: &Vec<f64>| {
                let mut log = shared.lock().unwrap_or_else(PoisonError::into_inner);
                log.count(1);
            };
            let permuted = self.one_by_one(known, each, note)?;
            let Some(permuted) = permuted else {
                return Ok(None);
            };
            let mut rows = vec![row(&candidates)];
            rows.extend(permuted);
            standardise(&mut rows);
            for own in candidates.iter().filter(|own| eligible(own.score)) {
                let found = StandardisedCandidate {
                    standardised: rows[0][own.column as usize - block.first],
                    column: own.column,
                    score: own.score,
                    relevance: own.relevance,
                };
                best = Some(best.map_or(found, |best| best.or_larger(Some(found))));
            }
            for (maximum, row) in maxima.iter_mut().zip(&rows[1..]) {
                // NaN is no score, and no maximum.
                *maximum = row.iter().copied().fold(*maximum, f64::max);
            }
            if keeps {
                let done = start + block.columns.len();
                log.note_maxima(done, best, &maxima);
            }
        }
        Ok(Some((best, maxima)))
    }
}

/// Standardises each candidate's scores by their mean and deviation over all orders; those of a
/// candidate that scores the same in every order become 0. NaN stays: there is no score.
///
/// *Shapes:* a row for each order, a number for each candidate.
fn standardise(rows: &mut [Vec<f64>]) {
    let width = rows.first().map_or(0, Vec::len);
    // Relative to one of them, equal scores have exactly no deviation.
    let mut origin = vec![f64::NAN; width];
    for row in &*rows {
        for (origin, score) in origin.iter_mut().zip(row) {
            if origin.is_nan() {
                *origin = *score;
            }
        }
    }
    let mean = |rows: &[Vec<f64>], centre: &[f64], power: i32| -> Vec<f64> {
        let (mut sums, mut counts) = (vec![0.0; width], vec![0.0; width]);
        // In the order of the permutations, so that threads do not show.
        for row in rows {
            for (at, score) in row.iter().enumerate().filter(|(_, score)| !score.is_nan()) {
                sums[at] += (score - centre[at]).powi(power);
                counts[at] += 1.0;
            }
        }
        let means = sums.iter().zip(&counts);
        means
            .map(|(sum, count)| sum / f64::max(*count, 1.0))
            .collect()
    };
    let offset = mean(rows, &origin, 1);
    let centre: Vec<f64> = origin.iter().zip(&offset).map(|(a, b)| a + b).collect();
    let variance = mean(rows, &centre, 2);
    rows.par_iter_mut().for_each(|row| {
        for (at, score) in row
            .iter_mut()
            .enumerate()
            .filter(|(_, score)| !score.is_nan())
        {
            *score = match offset[at] == 0.0 && variance[at] == 0.0 {
                true => 0.0,
                false => (*score - centre[at]) / variance[at].sqrt(),
            };
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_in_deviations_of_all_orders() {
        let none = f64::NAN;
        let mut rows = vec![
            vec![5.0, 0.1, none, 2.0],
            vec![1.0, 0.1, 4.0, none],
            vec![3.0, 0.1, 2.0, none],
            vec![3.0, 0.1, none, none],
        ];
        standardise(&mut rows);
        // The mean is 3, the variance (4 + 4 + 0 + 0) / 4.
        let first: Vec<f64> = rows.iter().map(|row| row[0]).collect();
        let two = 2.0 / 2f64.sqrt();
        assert_eq!(first, [two, -two, 0.0, 0.0]);
        // 0.1 has no exact sum of four, but no deviation either.
        assert!(rows.iter().all(|row| row[1] == 0.0));
        assert!(rows[0][2].is_nan() && rows[3][2].is_nan());
        assert_eq!((rows[1][2], rows[2][2]), (1.0, -1.0));
        assert_eq!(rows[0][3], 0.0);
    }
}
