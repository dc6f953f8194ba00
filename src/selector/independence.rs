//! The G-test of a variable and the response, pairwise where one misses values.

use crate::{
    device::counting::{Categorical, complete_cases, mutual_information},
    logs::LogTable,
    selection::Independence,
};

/// The test of a column and the response, in levels that occur.
pub(super) fn independence(x: &Categorical, y: &Categorical, logs: &LogTable) -> Independence {
    let both;
    let (x, y) = match x.missing || y.missing {
        false => (x, y),
        true => {
            both = complete_cases(x, y);
            (&both.0, &both.1)
        }
    };
    let n = x.codes.len();
    let own = |codes: &Categorical| codes.log_sum(logs);
    let sum = mutual_information((x, own(x)), (y, own(y)), logs, &mut Vec::new());
    // Its logarithms are those of all observations, of which these may be some.
    let all = logs.full_term() - logs.term(n as u32);
    counted(sum - all, n, [x.levels, y.levels], logs)
}

/// The test by n·I(x;y) in fixed point, the number of observations and the levels that occur.
pub(super) fn counted(sum: i64, n: usize, levels: [usize; 2], logs: &LogTable) -> Independence {
    let nats = sum as f64 / n.max(1) as f64 / f64::from(logs.bits()).exp2();
    Independence::of(n, nats, levels)
}
