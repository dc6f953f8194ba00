//! The whole table (x, w, y) of one column in dense cells, for functions of tables and for columns
//! with missing values. Codes may have any form and stay in the file's order; observations that
//! miss x or w are in no cell.

use crate::device::counting::{Categorical, table_cells};
use crate::{
    binning::{BinnedColumn, Codes},
    device::ScoreFault,
    score::CountTable,
};

/// Most cells of a table that a thread keeps for the next column. Larger ones are allocated zeroed,
/// so that the system provides only the pages that observations touch.
const MAX_KEPT: usize = 1 << 22;

/// Most cells per observation for which clearing all cells costs less than a pass over the
/// observations.
const MAX_CELLS_EACH: usize = 8;

/// The code of an observation that misses w.
const MISSING: u32 = u32::MAX;

/// The joint codes of a conditioning variable and the response.
#[derive(Debug)]
pub(super) struct TableCodes {
    w: usize,
    y: usize,
    /// w·ys + y of each observation, with ys the number of classes, or [`MISSING`].
    codes: Vec<u32>,
    /// Observations of each joint code.
    counts: Vec<u32>,
    missing: bool,
}

impl TableCodes {
    pub(super) fn new(anchor: &Categorical, response: &Categorical) -> Self {
        let (w, y) = (anchor.levels, response.levels);
        // If they are too many for any table, no observation has a code.
        let wide = table_cells(1, w, y).unwrap_or(0);
        let place = |(&w, &class): (&u32, &u32)| match w as usize == anchor.levels {
            true => MISSING,
            false => w * y as u32 + class,
        };
        let codes = anchor.codes.iter().zip(&response.codes);
        let codes: Vec<u32> = match wide {
            0 => vec![MISSING; anchor.codes.len()],
            _ => codes.map(place).collect(),
        };
        let mut counts = vec![0; wide];
        for &place in codes.iter().filter(|place| **place != MISSING) {
            counts[place as usize] += 1;
        }
        Self {
            w,
            y,
            codes,
            counts,
            missing: anchor.missing,
        }
    }

    /// Number of cells of a column's table.
    ///
    /// # Errors
    /// [`ScoreFault::TooManyCells`].
    pub(super) fn cells(&self, column: &BinnedColumn) -> Result<usize, ScoreFault> {
        table_cells(column.levels, self.w, self.y)
    }
}

/// The table of one thread, zero between two uses.
#[derive(Debug, Default)]
pub(super) struct DenseTable(Vec<u32>);

impl DenseTable {
    /// Counts a column and calls `read` with its table; none if the table has no observation.
    ///
    /// # Errors
    /// [`ScoreFault::TooManyCells`].
    pub(super) fn read<T>(
        &mut self,
        column: &BinnedColumn,
        joint: &TableCodes,
        read: impl FnOnce(&CountTable) -> T,
    ) -> Result<Option<T>, ScoreFault> {
        let count = joint.cells(column)?;
        let mut large = Vec::new();
        let counts = match count {
            ..=MAX_KEPT => {
                if self.0.len() < count {
                    self.0.resize(count, 0);
                }
                &mut self.0[..count]
            }
            _ => {
                large.resize(count, 0);
                &mut large[..]
            }
        };
        joint.count(column, counts);
        let incomplete = joint.missing || column.excluded_code().is_some();
        let found = match incomplete && counts.iter().all(|count| *count == 0) {
            true => None,
            false => Some(read(&CountTable {
                counts,
                x: column.levels,
                w: joint.w,
                y: joint.y,
                step: 0,
            })),
        };
        if large.is_empty() {
            joint.clear(column, &mut self.0[..count]);
        }
        Ok(found)
    }
}

impl TableCodes {
    /// Counts the cells that the observations of a column are in.
    fn count(&self, column: &BinnedColumn, counts: &mut [u32]) {
        let wide = self.counts.len();
        let left_out = column.excluded_code();
        match &column.codes {
            Codes::Byte(codes) => self.each(column, codes, |at| counts[at] += 1),
            Codes::Word(codes) => self.each(column, codes, |at| counts[at] += 1),
            Codes::Sparse {
                mode, rows, codes, ..
            } => {
                // Count all observations at the most frequent code, then move the entries.
                let of_mode = (left_out != Some(*mode)).then_some(usize::from(*mode) * wide);
                if let Some(mode) = of_mode {
                    counts[mode..][..wide].copy_from_slice(&self.counts);
                }
                for (&row, &code) in rows.iter().zip(codes) {
                    let place = self.codes[row as usize];
                    if place == MISSING {
                        continue;
                    }
                    if let Some(mode) = of_mode {
                        counts[mode + place as usize] -= 1;
                    }
                    if left_out != Some(code) {
                        counts[usize::from(code) * wide + place as usize] += 1;
                    }
                }
            }
        }
    }

    fn clear(&self, column: &BinnedColumn, counts: &mut [u32]) {
        let wide = self.counts.len();
        if counts.len() <= MAX_CELLS_EACH * column.codes.n() {
            return counts.fill(0);
        }
        match &column.codes {
            Codes::Byte(codes) => self.each(column, codes, |at| counts[at] = 0),
            Codes::Word(codes) => self.each(column, codes, |at| counts[at] = 0),
            Codes::Sparse {
                mode, rows, codes, ..
            } => {
                let left_out = column.excluded_code();
                if left_out != Some(*mode) {
                    counts[usize::from(*mode) * wide..][..wide].fill(0);
                }
                for (&row, &code) in rows.iter().zip(codes) {
                    let place = self.codes[row as usize];
                    if place != MISSING && left_out != Some(code) {
                        counts[usize::from(code) * wide + place as usize] = 0;
                    }
                }
            }
        }
    }

    /// Visits the cell of every observation that is in one.
    fn each<C: Copy + Into<u16>>(
        &self,
        column: &BinnedColumn,
        codes: &[C],
        mut visit: impl FnMut(usize),
    ) {
        let wide = self.counts.len();
        let places = codes.iter().zip(&self.codes);
        let cell = |code: u16, place: u32| usize::from(code) * wide + place as usize;
        match (column.excluded_code(), self.missing) {
            (None, false) => {
                for (&code, &place) in places {
                    visit(cell(code.into(), place));
                }
            }
            (left_out, _) => {
                for (&code, &place) in places {
                    if place != MISSING && left_out != Some(code.into()) {
                        visit(cell(code.into(), place));
                    }
                }
            }
        }
    }
}
