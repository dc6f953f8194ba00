//! The seam of counting: every column's contingency table with an anchor and the response,
//! reduced to margin sums, these to scores, and these to the best candidate.
//!
//! Counts are integers and sums are fixed-point, so no order of additions shows: any number
//! of threads, devices or machines, any layout of the columns gives the same bits. A coded score
//! is a function of one table at a time, so that it has the same bits as well.

mod anchor;
mod counters;
mod ordered;
mod pairs;
mod tally;

pub(crate) use anchor::{Anchor, complete, information};
pub(crate) use counters::{Counters, Found, FoundPair};
pub(crate) use ordered::{number, ordered};
pub(crate) use pairs::{Pair, Pairs};
pub(crate) use tally::{Best, NEVER, Sums, Tally};

use super::{DeviceError, NoScore};
use crate::binning::BinnedColumn;
pub(crate) use crate::logs::Logs;

/// Most cells of a whole table: 512 MiB a thread.
const CELLS: usize = 1 << 27;

/// Cells of the whole table of so many levels of x, w and y, if it may be made.
pub(crate) fn cells(x: usize, w: usize, y: usize) -> Result<usize, NoScore> {
    let cells = x as u128 * w as u128 * y as u128;
    match usize::try_from(cells) {
        Ok(few) if few <= CELLS => Ok(few),
        _ => Err(NoScore::Cells { cells, most: CELLS }),
    }
}

/// One device: its columns, and what their scores have gathered.
pub(crate) trait Counter: Send {
    /// Its name in reports.
    fn name(&self) -> String;

    /// Counts every candidate against one more anchor. It may be put off until
    /// [`Counter::best`] needs it.
    fn sweep(&mut self, anchor: &Anchor) -> Result<(), DeviceError>;

    /// Forgets all anchors: the score is relevance again.
    fn forget(&mut self);

    /// The best candidate of its columns; none where all are taken.
    fn best(&mut self) -> Result<Option<Best>, DeviceError>;

    /// The first of its candidates whose score is at least this one, which may be below the
    /// best of all: asked where scores are floats. Exact scores are equal or they are not.
    fn first(&mut self, least: i128) -> Result<Option<Best>, DeviceError> {
        Ok(self.best()?.filter(|it| it.score >= least))
    }

    /// A column, of all devices', that is no candidate any more.
    fn take(&mut self, column: u32);

    /// Relevance of its columns, in their order.
    fn relevance(&mut self) -> Result<Vec<i64>, DeviceError>;

    /// The best pairs of any column with one behind it that is this device's, as far as
    /// `wanted`; one step's score for each, and its synergy. Where there is a matrix, p × p,
    /// the scores of a and b, in nats, go to its row a, for this device's b from a on. `stop`
    /// is asked before every anchor, `done` told behind it.
    fn pairs(
        &mut self,
        anchors: &[BinnedColumn],
        synergy: &Tally,
        wanted: &Pairs,
        matrix: Option<&mut [f64]>,
        stop: &(dyn Fn() -> bool + Sync),
        done: &(dyn Fn() + Sync),
    ) -> Result<Pairs, DeviceError>;
}
