//! The whole table of (x, w, y) in dense cells, for what the other layouts do not tell: one
//! column at a time, in the file's order of observations, whatever form its codes have.
//! Observations that miss x or w are in no cell.

use super::super::super::counting::{Categorical, table_cells};
use crate::{
    binning::{BinnedColumn, Codes},
    device::ScoreFault,
    score::CountTable,
};

/// Cells that a thread keeps for the next table; a larger one is made anew, which the system
/// does without touching what no observation is in.
const KEPT: usize = 1 << 22;

/// Cells per observation up to which clearing all of them costs less than walking the
/// observations again.
const WALKED: usize = 8;

/// The place of an observation that misses w.
const NONE: u32 = u32::MAX;

/// What a column is counted beside: an anchor and the response.
#[derive(Debug)]
pub(super) struct Beside {
    w: usize,
    y: usize,
    /// w·ys + y of each observation, or [`NONE`].
    places: Vec<u32>,
    /// Observations of each place.
    counts: Vec<u32>,
    missing: bool,
}

impl Beside {
    pub(super) fn new(anchor: &Categorical, response: &Categorical) -> Self {
        let (w, y) = (anchor.levels, response.levels);
        // Without room no column has a table.
        let wide = table_cells(1, w, y).unwrap_or(0);
        let place = |(&w, &class): (&u32, &u32)| match w as usize == anchor.levels {
            true => NONE,
            false => w * y as u32 + class,
        };
        let codes = anchor.codes.iter().zip(&response.codes);
        let places: Vec<u32> = match wide {
            0 => vec![NONE; anchor.codes.len()],
            _ => codes.map(place).collect(),
        };
        let mut counts = vec![0; wide];
        for &place in places.iter().filter(|place| **place != NONE) {
            counts[place as usize] += 1;
        }
        Self {
            w,
            y,
            places,
            counts,
            missing: anchor.missing,
        }
    }

    /// Cells of a column's table, if it may be made.
    pub(super) fn cells(&self, column: &BinnedColumn) -> Result<usize, ScoreFault> {
        table_cells(column.levels, self.w, self.y)
    }
}

/// The table of one thread, all zero between two uses.
#[derive(Debug, Default)]
pub(super) struct Table(Vec<u32>);

impl Table {
    /// Counts a column, and lets its table be read; none where no observation is left.
    pub(super) fn read<T>(
        &mut self,
        column: &BinnedColumn,
        beside: &Beside,
        read: impl FnOnce(&CountTable) -> T,
    ) -> Result<Option<T>, ScoreFault> {
        let many = beside.cells(column)?;
        let mut large = Vec::new();
        let counts = match many {
            ..=KEPT => {
                if self.0.len() < many {
                    self.0.resize(many, 0);
                }
                &mut self.0[..many]
            }
            _ => {
                large.resize(many, 0);
                &mut large[..]
            }
        };
        let visits = Visits { column, beside };
        visits.count(counts);
        let incomplete = beside.missing || column.excluded_code().is_some();
        let found = match incomplete && counts.iter().all(|count| *count == 0) {
            true => None,
            false => Some(read(&CountTable {
                counts,
                x: column.levels,
                w: beside.w,
                y: beside.y,
            })),
        };
        if large.is_empty() {
            visits.clear(&mut self.0[..many]);
        }
        Ok(found)
    }
}

/// The observations of a column that are in cells.
struct Visits<'a> {
    column: &'a BinnedColumn,
    beside: &'a Beside,
}

impl Visits<'_> {
    fn count(&self, counts: &mut [u32]) {
        let wide = self.beside.counts.len();
        let left_out = self.column.excluded_code();
        match &self.column.codes {
            Codes::Byte(codes) => self.each(codes, |at| counts[at] += 1),
            Codes::Word(codes) => self.each(codes, |at| counts[at] += 1),
            Codes::Sparse {
                most, rows, codes, ..
            } => {
                // All have the most frequent code, until they have another.
                let of_most = (left_out != Some(*most)).then_some(usize::from(*most) * wide);
                if let Some(most) = of_most {
                    counts[most..][..wide].copy_from_slice(&self.beside.counts);
                }
                for (&row, &code) in rows.iter().zip(codes) {
                    let place = self.beside.places[row as usize];
                    if place == NONE {
                        continue;
                    }
                    if let Some(most) = of_most {
                        counts[most + place as usize] -= 1;
                    }
                    if left_out != Some(code) {
                        counts[usize::from(code) * wide + place as usize] += 1;
                    }
                }
            }
        }
    }

    /// Makes zero of what was counted.
    fn clear(&self, counts: &mut [u32]) {
        let wide = self.beside.counts.len();
        if counts.len() <= WALKED * self.column.codes.n() {
            return counts.fill(0);
        }
        match &self.column.codes {
            Codes::Byte(codes) => self.each(codes, |at| counts[at] = 0),
            Codes::Word(codes) => self.each(codes, |at| counts[at] = 0),
            Codes::Sparse {
                most, rows, codes, ..
            } => {
                let left_out = self.column.excluded_code();
                if left_out != Some(*most) {
                    counts[usize::from(*most) * wide..][..wide].fill(0);
                }
                for (&row, &code) in rows.iter().zip(codes) {
                    let place = self.beside.places[row as usize];
                    if place != NONE && left_out != Some(code) {
                        counts[usize::from(code) * wide + place as usize] = 0;
                    }
                }
            }
        }
    }

    /// The cell of every observation that is in one.
    fn each<C: Copy + Into<u16>>(&self, codes: &[C], mut visit: impl FnMut(usize)) {
        let wide = self.beside.counts.len();
        let places = codes.iter().zip(&self.beside.places);
        let cell = |code: u16, place: u32| usize::from(code) * wide + place as usize;
        match (self.column.excluded_code(), self.beside.missing) {
            (None, false) => {
                for (&code, &place) in places {
                    visit(cell(code.into(), place));
                }
            }
            (left_out, _) => {
                for (&code, &place) in places {
                    if place != NONE && left_out != Some(code.into()) {
                        visit(cell(code.into(), place));
                    }
                }
            }
        }
    }
}
