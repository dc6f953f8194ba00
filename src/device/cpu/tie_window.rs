//! The candidates of one anchor that a sweep cannot tell from the strongest.

/// Columns swept together: their scores, in f32, stay in registers.
pub(crate) const TILE: usize = 64;

/// Keeps, while tiles of scores come by, every candidate within a tolerance of
/// the strongest so far.
#[derive(Debug, Clone)]
pub(crate) struct TieWindow {
    /// Scores that differ by no more may be equal.
    tolerance: f64,
    /// The strongest score so far less the tolerance.
    floor: f64,
    /// (column, score), some of them meanwhile below the floor.
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

    /// Takes in the scores of columns `first …`, the largest of which is `most`;
    /// the support's are passed over, and so are negative ones.
    #[inline(always)]
    pub(crate) fn observe<E: Copy + Into<f64>>(
        &mut self,
        first: usize,
        most: E,
        scores: &[E],
        support: &[u32],
    ) {
        // One comparison a tile; only a tile that may hold a candidate is read.
        if most.into() >= self.floor {
            self.collect(first, scores, support);
        }
    }

    #[cold]
    fn collect<E: Copy + Into<f64>>(&mut self, first: usize, scores: &[E], support: &[u32]) {
        for (column, score) in (first as u32..).zip(scores) {
            let score = (*score).into();
            if score >= self.floor && !support.contains(&column) {
                self.floor = self.floor.max(score - self.tolerance);
                self.candidates.push((column, score));
            }
        }
    }

    /// Takes in what another range of columns left.
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
