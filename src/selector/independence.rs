//! The G-test of a variable and the response, pairwise where it misses values.

use crate::{
    binning::BinnedColumn,
    device::counting::{Anchor, complete, information},
    logs::Logs,
    selection::Independence,
};

/// Of a column and the response's anchor, of levels that occur.
pub(super) fn independence(column: &BinnedColumn, response: &Anchor, logs: &Logs) -> Independence {
    let (x, y) = complete(&Anchor::of(column), response);
    let n = x.codes.len();
    let own = |it: &Anchor| it.sum(logs);
    let sum = information((&x, own(&x)), (&y, own(&y)), logs, &mut Vec::new());
    // Its logarithms are those of all observations, of which these are some.
    let all = logs.whole() - logs.of(n as u32);
    let nats = (sum - all) as f64 / n.max(1) as f64 / f64::from(logs.bits()).exp2();
    Independence::of(n, nats, [x.levels, y.levels])
}
