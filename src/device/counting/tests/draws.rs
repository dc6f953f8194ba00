//! What columns are made of.

use super::column;
use crate::{
    binning::BinnedColumn,
    random::{Stream, uniform_below},
};

/// What columns are made of.
pub(super) struct Draws {
    pub(super) stream: Stream,
    n: usize,
    classes: Vec<u16>,
}

impl Draws {
    /// Those of n observations, and a response of so many classes.
    pub(super) fn new((n, p): (usize, usize), classes: usize) -> (Self, BinnedColumn) {
        let mut draws = Self {
            stream: Stream::new(n as u64, p as u64),
            n,
            classes: vec![0; n],
        };
        draws.classes = draws.codes(classes, 0);
        let response = column(draws.classes.clone(), classes, false, false);
        (draws, response)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        uniform_below(self.stream.next_word(), bound)
    }

    /// Codes of so many levels, which tell the more of the response the less is drawn.
    pub(super) fn codes(&mut self, levels: usize, told: usize) -> Vec<u16> {
        let n = self.n;
        let code = |row: usize| match self.below(8) < told {
            true => usize::from(self.classes[row]) * 7 % levels,
            false => self.below(levels),
        };
        (0..n).map(code).map(|it| it as u16).collect()
    }

    /// Codes of one level but for a few observations.
    pub(super) fn rare(&mut self, levels: usize, entries: usize) -> Vec<u16> {
        let mut codes = vec![(levels / 2) as u16; self.n];
        for _ in 0..entries {
            let (row, code) = (self.below(self.n), self.below(levels));
            codes[row] = code as u16;
        }
        codes
    }
}
