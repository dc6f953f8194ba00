//! The candidates of one model that a screen cannot tell from the strongest.

/// Columns that are screened together: their scores in f32 stay in registers.
pub(crate) const TILE: usize = 64;

/// Collects, tile after tile, every candidate within a tolerance of the strongest so far.
#[derive(Debug, Clone)]
pub(crate) struct TieWindow {
    /// Scores that differ by no more than this may be equal.
    tolerance: f64,
    /// The strongest score so far, less the tolerance.
    floor: f64,
    /// (column, score); some have fallen below the floor since.
    candidates: Vec<(u32, f64)>,
}

impl TieWindow {
    pub(crate) fn new(tolerance: f64) -> Self {
        Self {
            tolerance,
            floor: 0.0,
            candidates: Vec::new(),
        }
    }

    /// Adds the scores of the columns from `first` on, the largest of which is `most`. Variables of
    /// the support and negative scores are skipped.
    #[inline(always)]
    pub(crate) fn observe<E: Copy + Into<f64>>(
        &mut self,
        first: usize,
        most: E,
        scores: &[E],
        support: &[u32],
    ) {
        // One comparison per tile: only tiles that may hold a candidate are read.
        if most.into() >= self.floor {
            self.collect(first, scores, support);
        }
    }

    #[cold]
    fn collect<E: Copy + Into<f64>>(&mut self, first: usize, scores: &[E], support: &[u32]) {
        for (column, score) in (first as u32..).zip(scores) {
            let score = (*score).into();
            if score >= self.floor && !support.contains(&column) {
                self.offer(column, score, score - self.tolerance);
            }
        }
    }

    /// Adds a candidate, unless it is below the floor, which is raised to `floor` first.
    pub(crate) fn offer(&mut self, column: u32, score: f64, floor: f64) {
        self.floor = self.floor.max(floor);
        if score >= self.floor {
            self.candidates.push((column, score));
        }
    }

    /// Whether a candidate of this score would be within the tolerance of the strongest so far.
    pub(crate) fn may_take(&self, score: f64) -> bool {
        score >= self.floor
    }

    /// Adds a candidate by its score, unless that is below the floor.
    pub(crate) fn offer_near(&mut self, column: u32, score: f64) {
        self.offer(column, score, score - self.tolerance);
    }

    /// Adds the window of another range of columns.
    pub(crate) fn merge(&mut self, other: Self) {
        self.floor = self.floor.max(other.floor);
        self.candidates.extend(other.candidates);
    }

    /// The candidates within the tolerance of the strongest.
    pub(crate) fn finish(mut self) -> Vec<(u32, f64)> {
        self.candidates.retain(|(_, score)| *score >= self.floor);
        self.candidates
    }
}
