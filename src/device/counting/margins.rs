//! Margin sums of one contingency table, from which every entropy and mutual information follows.

use super::{
    super::ScoreFault,
    LogTable,
    categorical::{Categorical, MAX_ARRAY, complete_cases, complete_rows},
};
use crate::score::Combination;

/// Most cells of one table: 512 MiB for each thread.
pub(super) const MAX_CELLS: usize = 1 << 27;

/// Number of cells of a table with so many levels of x, w and y.
///
/// # Errors
/// [`ScoreFault::TooManyCells`] beyond 2²⁷ cells.
pub(crate) fn table_cells(x: usize, w: usize, y: usize) -> Result<usize, ScoreFault> {
    let cells = x as u128 * w as u128 * y as u128;
    match usize::try_from(cells) {
        Ok(cells) if cells <= MAX_CELLS => Ok(cells),
        _ => Err(ScoreFault::TooManyCells {
            cells,
            most: MAX_CELLS,
        }),
    }
}

/// Σ c·L(c) over the cells of each margin of one table: x is the candidate, w the conditioning
/// variable, y the response.
///
/// *Units:* fixed-point nats times observations, see [`LogTable`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct MarginSums {
    pub(crate) observations: u32,
    pub(crate) n: i64,
    pub(crate) x: i64,
    pub(crate) w: i64,
    pub(crate) y: i64,
    pub(crate) xw: i64,
    pub(crate) xy: i64,
    pub(crate) wy: i64,
    pub(crate) xwy: i64,
}

impl MarginSums {
    /// The scalar product with a combination's integers.
    pub(super) fn combined(&self, combination: &Combination) -> i64 {
        let sums = [
            self.n, self.x, self.w, self.y, self.xw, self.xy, self.wy, self.xwy,
        ];
        let parts = combination.integers().into_iter().zip(sums);
        parts.map(|(factor, sum)| i64::from(factor) * sum).sum()
    }
}

/// The margin sums of the table of two variables and the response, over their complete cases.
pub(crate) fn margin_sums(
    x: &Categorical,
    w: &Categorical,
    response: &Categorical,
    logs: &LogTable,
) -> MarginSums {
    let (both, y) = complete_cases(&x.joint(w), response);
    let (x, w) = complete_cases(x, w);
    let observations = y.codes.len() as u32;
    MarginSums {
        observations,
        n: logs.term(observations),
        x: x.log_sum(logs),
        w: w.log_sum(logs),
        y: y.log_sum(logs),
        xw: both.log_sum(logs),
        xy: x.joint(&y).log_sum(logs),
        wy: w.joint(&y).log_sum(logs),
        xwy: both.joint(&y).log_sum(logs),
    }
}

/// n·I(a;b) of two variables, each with its own Σ c·L(c).
///
/// Of incomplete variables the complete cases are counted, and the value is scaled to all n
/// observations. `cells` is scratch, all zero before and after.
///
/// *Units:* fixed-point nats times observations, see [`LogTable`].
pub(crate) fn mutual_information(
    (a, sum_a): (&Categorical, i64),
    (b, sum_b): (&Categorical, i64),
    logs: &LogTable,
    cells: &mut Vec<u32>,
) -> i64 {
    if !a.missing && !b.missing {
        return joint_sum(a, b, logs, cells) - sum_a - sum_b + logs.full_term();
    }
    let rows = complete_rows(a, b);
    let (a, b) = (a.select_rows(&rows), b.select_rows(&rows));
    let information = joint_sum(&a, &b, logs, cells) - a.log_sum(logs) - b.log_sum(logs);
    let observations = rows.len() as u32;
    logs.scale_to_all(information + logs.term(observations), observations)
}

/// Σ c·L(c) over the joint levels of two variables without missing values.
fn joint_sum(a: &Categorical, b: &Categorical, logs: &LogTable, cells: &mut Vec<u32>) -> i64 {
    let count = a.levels * b.levels;
    if count > MAX_ARRAY as usize {
        return a.joint(b).log_sum(logs);
    }
    if cells.len() < count {
        cells.resize(count, 0);
    }
    let width = b.levels;
    let cell_indices = || {
        let pairs = a.codes.iter().zip(&b.codes);
        pairs.map(|(&a, &b)| a as usize * width + b as usize)
    };
    // The sum is taken over the cells where they are fewer than the observations.
    if count <= a.codes.len() {
        let cells = &mut cells[..count];
        cell_indices().for_each(|cell| cells[cell] += 1);
        let counts = cells.iter_mut().map(std::mem::take);
        return counts.map(|count| logs.term(count)).sum();
    }
    let mut sum = 0;
    for cell in cell_indices() {
        sum += logs.increments()[cells[cell] as usize];
        cells[cell] += 1;
    }
    cell_indices().for_each(|cell| cells[cell] = 0);
    sum
}
