//! Which kernel counts a pack: docs/performance.md says what the rule follows from.

use passel_kernels::tiny::TinyShape;

use super::layout::{Form, VECTOR};

/// Threads of a multiprocessor.
pub(super) const THREADS: usize = 2048;

/// Bytes of shared memory that kernels have of their own, and that a block takes besides.
pub(super) const OWN: usize = 2048;

/// Rows from which cells have 32 bits.
const HALF: usize = 1 << 16;

/// Fewest rows of a part of a column.
const PART: usize = 1 << 16;

/// Cells from which some entries are passed over twice instead.
const WALKED: usize = 1 << 11;

/// How a pack is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KernelChoice {
    Half {
        threads: usize,
    },
    Dense {
        two: bool,
        copies: u32,
        threads: usize,
        parts: usize,
    },
    Tiny(TinyChoice),
    Rows,
    Short,
    /// Cells of so many bytes.
    Few {
        threads: usize,
        cell: usize,
    },
    Many {
        threads: usize,
    },
    Whole,
}

/// A kernel for columns as bits, and the blocks that share columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TinyChoice {
    pub(super) shape: TinyShape,
    pub(super) parts: usize,
}

/// Shared memory of a block of a kernel, and blocks that a multiprocessor holds of it.
pub(super) fn held(shared: usize, threads: usize, bytes: usize) -> usize {
    ((shared + 1024) / (bytes + OWN))
        .min(THREADS / threads)
        .max(1)
}

impl KernelChoice {
    /// A pack of `count` columns of `n` rows beside an anchor, on a GPU of so many bytes of
    /// shared memory a block and multiprocessors.
    pub(super) fn of(
        (form, skewed): (Form, bool),
        (count, x): (usize, usize),
        n: usize,
        (w, classes): (usize, usize),
        (shared, processors): (usize, usize),
    ) -> Self {
        let room = shared - OWN;
        let wide = w.saturating_mul(classes);
        let cells = wide.saturating_mul(x);
        let fits = |bytes: usize| bytes <= room;
        // Joint codes have at most 16 bits.
        if wide > 1 << 16 || cells > 1 << 24 {
            return Self::Whole;
        }
        match form {
            Form::Dense { .. } => match TinyChoice::of((count, x), n, wide, processors) {
                Some(how) if form == Form::Dense { bits: 4 } => Self::Tiny(how),
                _ => Self::dense(skewed, (count, cells), n, (shared, processors)),
            },
            Form::Rows => Self::Rows,
            Form::Short { .. } => Self::Short,
            Form::Few => {
                let bytes = few_cells(x, w, classes);
                match fits(bytes) {
                    // A warp a column, where there are columns for all.
                    true if count >= 32 * processors * held(shared, 32, bytes).min(16) => {
                        Self::Few {
                            threads: 32,
                            cell: 1,
                        }
                    }
                    true => Self::Few {
                        threads: 64,
                        cell: 1,
                    },
                    false if fits(4 * cells) => Self::Many { threads: 128 },
                    false => Self::Whole,
                }
            }
            // Two passes over some entries are less than one over many cells.
            Form::Many {
                threads: threads @ 128,
            } if cells >= WALKED && fits(2 * few_cells(x, w, classes)) => Self::Few {
                threads: threads as usize,
                cell: 2,
            },
            // Few columns leave processors idle: more threads to each.
            Form::Many { threads } if fits(4 * cells) => Self::Many {
                threads: match count < 8 * processors {
                    true => 512.max(threads as usize),
                    false => threads as usize,
                },
            },
            Form::Many { .. } => Self::Whole,
        }
    }

    /// A pack of codes for every row, of tables of so many cells.
    pub(super) fn dense(
        skewed: bool,
        (count, cells): (usize, usize),
        n: usize,
        (shared, processors): (usize, usize),
    ) -> Self {
        let room = shared - OWN;
        let filled = n.next_multiple_of(VECTOR);
        let fits = |bytes: usize| bytes <= room;
        if !skewed && filled < HALF && fits(2 * cells + VECTOR) {
            return Self::Half {
                threads: (filled / VECTOR).next_power_of_two().clamp(64, 256),
            };
        }
        let most = |columns: usize, most: u32| {
            (0..=most).rev().find(|copies| {
                fits(columns * ((4 * cells) << copies) + VECTOR)
                    && (*copies == 0 || cells << copies <= n / 2)
            })
        };
        let (two, copies) = match (most(2, 4), most(1, 5)) {
            (Some(copies @ 1..), _) if count > 1 => (true, copies),
            (_, Some(copies)) => (false, copies),
            (_, None) if filled < HALF && fits(2 * cells + VECTOR) => {
                return Self::Half { threads: 256 };
            }
            (_, None) => return Self::Whole,
        };
        let bytes = (1 + usize::from(two)) * ((4 * cells) << copies);
        let threads = match bytes {
            0x1_C001.. => 1024,
            0xE001.. => 512,
            _ => 256,
        };
        let wave = processors * held(shared, threads, bytes);
        let groups = count.div_ceil(1 + usize::from(two));
        let parts = (8 * wave)
            .div_ceil(groups.max(1))
            .clamp(1, (n / PART).max(1));
        Self::Dense {
            two,
            copies,
            threads,
            parts,
        }
    }
}

/// Cells that `few` has in shared memory.
pub(super) fn few_cells(x: usize, w: usize, classes: usize) -> usize {
    let own = if classes > 2 { w } else { 0 };
    (1 + x) * (w * classes + own)
}
