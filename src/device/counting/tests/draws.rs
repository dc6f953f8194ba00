//! Columns for tests, and the random codes that they have.

use crate::{
    binning::{BinnedColumn, Codes, MissingCode, Rule},
    random::{Stream, uniform_below},
};

/// A column of these codes, with the code of missing values if some are excluded.
pub(crate) fn binned(codes: Codes, levels: usize, missing: Option<u16>) -> BinnedColumn {
    BinnedColumn {
        name: String::new(),
        index: 0,
        levels,
        codes,
        rule: Rule::Edges(Vec::new()),
        missing: missing.map(MissingCode::Excluded),
    }
}

/// The code of each observation.
pub(crate) fn codes(column: &BinnedColumn) -> Vec<u32> {
    column.codes.dense().into_iter().map(u32::from).collect()
}

/// Codes as the entries off one of them.
pub(crate) fn entries_off(codes: &[u16], mode: u16) -> Codes {
    let entries = || codes.iter().zip(0..).filter(|(code, _)| **code != mode);
    Codes::Sparse {
        n: codes.len(),
        mode,
        rows: entries().map(|(_, row)| row).collect(),
        codes: entries().map(|(code, _)| *code).collect(),
    }
}

/// A column of these codes in the smallest form; if `missing`, the code `levels` is excluded.
pub(crate) fn column(codes: Vec<u16>, levels: usize, sparse: bool, missing: bool) -> BinnedColumn {
    let form = match (sparse, levels + usize::from(missing)) {
        (true, _) => {
            let mut counts = vec![0; levels + 1];
            codes
                .iter()
                .for_each(|code| counts[usize::from(*code)] += 1);
            let most = (0..=levels).max_by_key(|level| counts[*level]);
            entries_off(&codes, most.unwrap_or(0) as u16)
        }
        (false, ..=256) => Codes::Byte(codes.into_iter().map(|code| code as u8).collect()),
        _ => Codes::Word(codes),
    };
    binned(form, levels, missing.then_some(levels as u16))
}

/// Random codes, which depend on the class of each observation.
pub(crate) struct Draws {
    stream: Stream,
    n: usize,
    classes: Vec<u16>,
}

impl Draws {
    /// Those of n observations, and a response of so many classes.
    pub(crate) fn new((n, p): (usize, usize), classes: usize) -> (Self, BinnedColumn) {
        let mut draws = Self {
            stream: Stream::new(n as u64, p as u64),
            n,
            classes: vec![0; n],
        };
        draws.classes = draws.codes(classes, 0);
        let response = column(draws.classes.clone(), classes, false, false);
        (draws, response)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        uniform_below(self.stream.next_word(), bound)
    }

    /// Codes of so many levels, which tell the more of the response the less is drawn.
    pub(crate) fn codes(&mut self, levels: usize, told: usize) -> Vec<u16> {
        let n = self.n;
        let code = |row: usize| match self.below(8) < told {
            true => usize::from(self.classes[row]) * 7 % levels,
            false => self.below(levels),
        };
        (0..n).map(code).map(|code| code as u16).collect()
    }

    /// Codes of one level but for a few observations.
    pub(crate) fn rare(&mut self, levels: usize, entries: usize) -> Vec<u16> {
        let mut codes = vec![(levels / 2) as u16; self.n];
        for _ in 0..entries {
            let (row, code) = (self.below(self.n), self.below(levels));
            codes[row] = code as u16;
        }
        codes
    }
}
