//! Class order: observations sorted by the response's class, those of a class in the file's order,
//! so that each class is a contiguous run.

use std::{borrow::Cow, ops::Range, sync::OnceLock};

use crate::device::counting::{Categorical, LogTable};

/// An observation in the order of [`SortedVariable::groups`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct GroupMember {
    /// Its position in class order.
    pub(super) row: u32,
    /// Where the group of its level begins.
    pub(super) level: u32,
    /// Where the group of its level and class begins.
    pub(super) class: u32,
}

#[derive(Debug)]
pub(super) struct Classes {
    /// The observations of the file, in class order.
    order: Vec<u32>,
    /// The class of each observation, in class order.
    pub(super) of: Vec<u32>,
    /// The start of each class, and the end of the last.
    starts: Vec<usize>,
    places: OnceLock<Vec<u32>>,
}

impl Classes {
    pub(super) fn new(response: &Categorical) -> Self {
        let mut starts = vec![0; response.levels + 1];
        for &class in &response.codes {
            starts[class as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut order = vec![0; response.codes.len()];
        for (row, &class) in response.codes.iter().enumerate() {
            order[next[class as usize]] = row as u32;
            next[class as usize] += 1;
        }
        let of = order.iter().map(|&row| response.codes[row as usize]);
        Self {
            of: of.collect(),
            order,
            starts,
            places: OnceLock::new(),
        }
    }

    pub(super) fn n(&self) -> usize {
        self.order.len()
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The positions of each class.
    pub(super) fn runs(&self) -> impl ExactSizeIterator<Item = Range<usize>> {
        self.starts.windows(2).map(|ends| ends[0]..ends[1])
    }

    /// Brings values from the file's order into class order.
    pub(super) fn sorted<'a, T: Copy>(&self, values: &'a [T]) -> Cow<'a, [T]> {
        if self.count() == 1 {
            return values.into();
        }
        self.order.iter().map(|&row| values[row as usize]).collect()
    }

    /// The position in class order of each observation of the file.
    pub(super) fn places(&self) -> &[u32] {
        self.places.get_or_init(|| {
            let mut places = vec![0; self.order.len()];
            for (place, &row) in (0..).zip(&self.order) {
                places[row as usize] = place;
            }
            places
        })
    }
}

/// A conditioning variable in class order, with what layouts derive from it on demand.
#[derive(Debug)]
pub(super) struct SortedVariable {
    /// In class order.
    pub(super) codes: Vec<u32>,
    pub(super) levels: usize,
    /// Number of low bits of a cell's index that are the class.
    pub(super) class_bits: u32,
    /// Observations of each level and class, at `level << class_bits | class`.
    pub(super) by_cell: Vec<u32>,
    /// Observations of each level.
    pub(super) counts: Vec<u32>,
    /// Observations of the most frequent level.
    pub(super) largest: u32,
    /// Number of pairs of observations that share a level, about: half the sum of squared counts.
    pub(super) pairs: u64,
    /// Σ c·L(c) over the levels.
    pub(super) w: i64,
    /// Σ c·L(c) over levels and classes.
    pub(super) wy: i64,
    groups: OnceLock<Vec<GroupMember>>,
    /// `code << shift`, by shift.
    offsets: [OnceLock<Vec<u32>>; 17],
    short_offsets: [OnceLock<Vec<u16>>; 17],
    planes: OnceLock<Vec<u64>>,
    cells: OnceLock<Vec<u32>>,
    off_mode: OnceLock<(usize, Vec<u64>)>,
}

impl SortedVariable {
    pub(super) fn new(anchor: &Categorical, classes: &Classes, logs: &LogTable) -> Self {
        let codes = classes.sorted(&anchor.codes).into_owned();
        let width = classes.count().next_power_of_two();
        let mut by_cell = vec![0; anchor.levels * width];
        for (&code, &class) in codes.iter().zip(&classes.of) {
            by_cell[code as usize * width + class as usize] += 1;
        }
        let class_bits = width.trailing_zeros();
        let levels = by_cell.chunks(width);
        let counts: Vec<u32> = levels.map(|cells| cells.iter().sum()).collect();
        let squares = counts.iter().map(|&count| u64::from(count).pow(2));
        Self {
            codes,
            levels: anchor.levels,
            class_bits,
            largest: counts.iter().copied().max().unwrap_or(0),
            pairs: squares.sum::<u64>() / 2,
            w: logs.sum(&counts),
            wy: logs.sum(&by_cell),
            by_cell,
            counts,
            groups: OnceLock::new(),
            offsets: Default::default(),
            short_offsets: Default::default(),
            planes: OnceLock::new(),
            cells: OnceLock::new(),
            off_mode: OnceLock::new(),
        }
    }

    /// The observations grouped by level, those of a level by class.
    pub(super) fn groups(&self, classes: &Classes) -> &[GroupMember] {
        self.groups.get_or_init(|| {
            let mut starts = Vec::with_capacity(self.levels);
            let mut next = 0;
            for &count in &self.counts {
                starts.push(next);
                next += count;
            }
            let mut ends = starts.clone();
            let mut members = vec![GroupMember::default(); self.codes.len()];
            for (row, &code) in self.codes.iter().enumerate() {
                let (level, place) = (starts[code as usize], ends[code as usize]);
                ends[code as usize] += 1;
                let before = place.checked_sub(1).filter(|before| *before >= level);
                let same = before
                    .map(|before| members[before as usize])
                    .filter(|member| classes.of[member.row as usize] == classes.of[row]);
                members[place as usize] = GroupMember {
                    row: row as u32,
                    level,
                    class: same.map_or(place, |member| member.class),
                };
            }
            members
        })
    }

    /// Where the cells of each observation's level begin in a table with 2^shift cells per level.
    pub(super) fn offsets(&self, shift: u32) -> &[u32] {
        let offsets = &self.offsets[shift as usize];
        offsets.get_or_init(|| self.codes.iter().map(|code| code << shift).collect())
    }

    /// [`SortedVariable::offsets`] in 16 bits, for tables of at most 2¹⁶ cells.
    pub(super) fn short_offsets(&self, shift: u32) -> &[u16] {
        let offsets = &self.short_offsets[shift as usize];
        let codes = self.codes.iter();
        offsets.get_or_init(|| codes.map(|code| (code << shift) as u16).collect())
    }

    /// The cell of each observation's level and class, as in `by_cell`.
    pub(super) fn cells(&self, classes: &Classes) -> &[u32] {
        self.cells.get_or_init(|| {
            let cells = self.codes.iter().zip(&classes.of);
            let cells = cells.map(|(code, class)| code << self.class_bits | class);
            cells.collect()
        })
    }

    /// The most frequent level, and a bit for each observation, set where its level is another.
    pub(super) fn off_mode(&self) -> (usize, &[u64]) {
        let (level, off) = self.off_mode.get_or_init(|| {
            let level = self.counts.iter().position(|count| *count == self.largest);
            let level = level.unwrap_or(0);
            let word = |codes: &[u32]| {
                let bits = codes.iter().zip(0..);
                bits.fold(0, |word, (&code, bit)| {
                    word | u64::from(code as usize != level) << bit
                })
            };
            (level, self.codes.chunks(64).map(word).collect())
        });
        (*level, off)
    }

    /// The bit planes of all levels but the last, as `planes.rs` makes them.
    pub(super) fn planes(&self, make: impl FnOnce(&[u32], usize) -> Vec<u64>) -> &[u64] {
        self.planes.get_or_init(|| make(&self.codes, self.levels))
    }
}
