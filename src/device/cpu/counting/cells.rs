//! The whole table of (x, w, y) in dense cells, for what margin sums do not tell: one column at
//! a time, in the file's order of observations, whatever form its codes have.

use super::super::super::counting::{Anchor, Logs, Sums};
use crate::{
    binning::{BinnedColumn, Codes},
    device::NoScore,
    score::Cells,
};

/// Most cells of a table: 512 MiB a thread.
pub(super) const MOST: usize = 1 << 27;

/// Cells that a thread keeps for the next table; a larger one is made anew, which the system
/// does without touching what no observation is in.
const KEPT: usize = 1 << 22;

/// Cells per observation up to which clearing all of them costs less than walking the
/// observations again.
const WALKED: usize = 8;

/// What a column is counted beside: an anchor and the response.
#[derive(Debug)]
pub(super) struct Beside {
    w: usize,
    y: usize,
    /// w·ys + y of each observation.
    places: Vec<u32>,
    /// Observations of each place.
    counts: Vec<u32>,
}

impl Beside {
    pub(super) fn new(anchor: &Anchor, response: &Anchor) -> Self {
        let (w, y) = (anchor.levels, response.levels);
        // No column has a table of more cells than there may be.
        let room = cells(1, w, y).is_ok();
        let codes = anchor.codes.iter().zip(&response.codes);
        let places: Vec<u32> = match room {
            true => codes.map(|(w, class)| w * y as u32 + class).collect(),
            false => Vec::new(),
        };
        let mut counts = vec![0; if room { w * y } else { 0 }];
        for &place in &places {
            counts[place as usize] += 1;
        }
        Self {
            w,
            y,
            places,
            counts,
        }
    }
}

/// Cells of a table of so many levels, if it may be made.
pub(super) fn cells(x: usize, w: usize, y: usize) -> Result<usize, NoScore> {
    let cells = x as u128 * w as u128 * y as u128;
    match usize::try_from(cells) {
        Ok(few) if few <= MOST => Ok(few),
        _ => Err(NoScore::Cells { cells, most: MOST }),
    }
}

/// The table of one thread, all zero between two uses.
#[derive(Debug, Default)]
pub(super) struct Table(Vec<u32>);

impl Table {
    /// Counts a column, and lets its table be read.
    pub(super) fn read<T>(
        &mut self,
        column: &BinnedColumn,
        beside: &Beside,
        read: impl FnOnce(&Cells) -> T,
    ) -> Result<T, NoScore> {
        let x = column.levels.max(1);
        let many = cells(x, beside.w, beside.y)?;
        let mut large = Vec::new();
        let counts = match many {
            ..=KEPT => {
                if self.0.len() < many {
                    self.0.resize(many, 0);
                }
                &mut self.0
            }
            _ => {
                large.resize(many, 0);
                &mut large
            }
        };
        count(&column.codes, beside, counts);
        let found = read(&Cells {
            counts: &counts[..many],
            x,
            w: beside.w,
            y: beside.y,
        });
        if large.is_empty() {
            clear(&column.codes, beside, &mut self.0[..many]);
        }
        Ok(found)
    }
}

/// Σ c·L(c) over every margin of a table.
pub(super) fn margins(cells: &Cells, logs: &Logs) -> Sums {
    let Cells { counts, w, y, .. } = *cells;
    let mut sums = Sums::default();
    let mut all = 0;
    let (mut of_wy, mut of_w, mut of_y) = (vec![0; w * y], vec![0; w], vec![0; y]);
    let mut of_xy = vec![0; y];
    for slab in counts.chunks(w * y) {
        of_xy.fill(0);
        for row in slab.chunks(y) {
            for (of_xy, &count) in of_xy.iter_mut().zip(row) {
                *of_xy += count;
            }
            sums.xw += logs.of(row.iter().sum());
            sums.xwy += logs.sum(row);
        }
        for (of_wy, &count) in of_wy.iter_mut().zip(slab) {
            *of_wy += count;
        }
        let of_x = of_xy.iter().sum();
        sums.x += logs.of(of_x);
        sums.xy += logs.sum(&of_xy);
        all += of_x;
    }
    for (of_w, row) in of_w.iter_mut().zip(of_wy.chunks(y)) {
        *of_w = row.iter().sum();
        for (of_y, &count) in of_y.iter_mut().zip(row) {
            *of_y += count;
        }
    }
    sums.n = logs.of(all);
    sums.w = logs.sum(&of_w);
    sums.y = logs.sum(&of_y);
    sums.wy = logs.sum(&of_wy);
    sums
}

fn count(codes: &Codes, beside: &Beside, counts: &mut [u32]) {
    fn dense<C: Copy + Into<usize>>(codes: &[C], beside: &Beside, counts: &mut [u32]) {
        let wide = beside.counts.len();
        for (&code, &place) in codes.iter().zip(&beside.places) {
            counts[code.into() * wide + place as usize] += 1;
        }
    }
    match codes {
        Codes::Byte(codes) => dense(codes, beside, counts),
        Codes::Word(codes) => dense(codes, beside, counts),
        Codes::Sparse {
            most, rows, codes, ..
        } => {
            // All have the most frequent code, until they have another.
            let (most, wide) = (
                usize::from(*most) * beside.counts.len(),
                beside.counts.len(),
            );
            counts[most..][..wide].copy_from_slice(&beside.counts);
            for (&row, &code) in rows.iter().zip(codes) {
                let place = beside.places[row as usize] as usize;
                counts[most + place] -= 1;
                counts[usize::from(code) * wide + place] += 1;
            }
        }
    }
}

/// Makes zero of what [`count`] counted.
fn clear(codes: &Codes, beside: &Beside, counts: &mut [u32]) {
    fn dense<C: Copy + Into<usize>>(codes: &[C], beside: &Beside, counts: &mut [u32]) {
        let wide = beside.counts.len();
        if counts.len() <= WALKED * codes.len() {
            return counts.fill(0);
        }
        for (&code, &place) in codes.iter().zip(&beside.places) {
            counts[code.into() * wide + place as usize] = 0;
        }
    }
    match codes {
        Codes::Byte(codes) => dense(codes, beside, counts),
        Codes::Word(codes) => dense(codes, beside, counts),
        Codes::Sparse {
            most, rows, codes, ..
        } => {
            let wide = beside.counts.len();
            counts[usize::from(*most) * wide..][..wide].fill(0);
            for (&row, &code) in rows.iter().zip(codes) {
                counts[usize::from(code) * wide + beside.places[row as usize] as usize] = 0;
            }
        }
    }
}
