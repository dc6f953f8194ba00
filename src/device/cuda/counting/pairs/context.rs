//! What the host keeps of the columns while GPUs search their pairs.

use super::{layout::BitLayout, screen::Screen};
use crate::device::counting::{PairDomain, ScoreEvaluator};

/// Sums over one column.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ColumnSums {
    /// Σ c·L(c) over its levels.
    pub(super) x: i64,
    /// Σ c·L(c) over its levels and the response.
    pub(super) xy: i64,
}

/// The columns, the response and the score of a search.
pub(super) struct PairContext<'a> {
    pub(super) block: PairDomain<'a>,
    /// Σ c·L(c) over the classes.
    pub(super) response_sum: i64,
    pub(super) evaluator: &'a ScoreEvaluator,
    pub(super) screen: Screen<'a>,
    pub(super) layout: BitLayout,
    /// Of each place.
    pub(super) sums: Vec<ColumnSums>,
}
