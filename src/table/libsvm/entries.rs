//! Entries that are read row by row, as columns of rows and values.

use std::collections::HashSet;
use std::mem::{replace, take};

use super::super::growing::PER_COLUMN;
use super::super::{Column, ReadOptions, TableError, Values};
use crate::memory::MemoryError;
use crate::threads::{helpers, map_each};

/// Parts that columns are shared by: each thread makes the columns of some. The entries of a part are given back once
/// it is done, so that there is no time at which many are held twice.
pub(super) const PARTS: usize = 256;

/// Bytes that an entry takes until it is in its column, and an index of no entry.
pub(super) const PER_ENTRY: usize = size_of::<Entry>();

/// Bytes that a column takes beside its entries: its two vectors are blocks of the allocator.
const PER_INDEX: usize = PER_COLUMN + 96;

/// What their memory is for.
pub(super) const ENTRIES: &str = "its entries";

/// A value that is not 0.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    pub(super) row: u32,
    pub(super) index: u32,
    pub(super) value: f64,
}

/// The part of an index. Parts get about equally many, whichever byte tells them apart.
fn part(index: u32) -> usize {
    let bytes = index.to_le_bytes();
    bytes.into_iter().fold(0, |all, byte| all ^ byte).into()
}

/// Items by the part of their index, in their order.
pub(super) fn by_part<T: Copy>(items: &[T], index: impl Fn(&T) -> u32) -> Vec<Vec<T>> {
    let mut counts = [0; PARTS];
    for item in items {
        counts[part(index(item))] += 1;
    }
    let mut parts: Vec<Vec<T>> = counts.into_iter().map(Vec::with_capacity).collect();
    for item in items {
        parts[part(index(item))].push(*item);
    }
    parts
}

/// The entries so far.
pub(super) struct Entries {
    parts: Vec<Part>,
    /// The number of entries.
    count: usize,
}

/// Those of some indexes.
#[derive(Default)]
struct Part {
    /// Entries in the order of rows, whose numbers count from that of the first.
    blocks: Vec<(u32, Vec<Entry>)>,
    /// Indexes that may have no entry.
    alone: HashSet<u32>,
    /// More of them, maybe known.
    added: Vec<Vec<u32>>,
}

impl Entries {
    pub(super) fn new() -> Self {
        Self {
            parts: (0..PARTS).map(|_| Part::default()).collect(),
            count: 0,
        }
    }

    /// Adds entries of rows that follow, by part; their rows count from `first`.
    pub(super) fn add(&mut self, first: u32, entries: Vec<Vec<Entry>>) {
        for (part, entries) in self.parts.iter_mut().zip(entries) {
            self.count += entries.len();
            if !entries.is_empty() {
                part.blocks.push((first, entries));
            }
        }
    }

    /// Adds indexes, by part, that make a column though they have no entry.
    pub(super) fn add_alone(&mut self, indexes: Vec<Vec<u32>>) {
        for (part, indexes) in self.parts.iter_mut().zip(indexes) {
            if !indexes.is_empty() {
                part.added.push(indexes);
            }
        }
    }

    /// Forgets what was added twice; to be called before much was.
    pub(super) fn settle(&mut self) {
        let parts = self.parts.iter_mut().filter(|part| !part.added.is_empty());
        map_each(parts.collect(), |part| {
            for indexes in take(&mut part.added) {
                part.alone.extend(indexes);
            }
        });
    }

    /// Entries, and indexes that may have none.
    pub(super) fn held(&self) -> usize {
        self.count
            + self
                .parts
                .iter()
                .map(|part| part.alone.len())
                .sum::<usize>()
    }

    /// The indexes that may have no entry, ascending.
    pub(super) fn alone(self) -> Vec<u32> {
        let mut indexes: Vec<u32> = self.parts.into_iter().flat_map(|part| part.alone).collect();
        indexes.sort_unstable();
        indexes
    }

    /// The columns, by index ascending.
    pub(super) fn columns(
        self,
        options: &ReadOptions,
        refused: impl Fn(MemoryError) -> TableError + Sync,
    ) -> Result<Vec<Column>, TableError> {
        let hold = |bytes: usize| {
            let held = options
                .memory
                .map(|memory| memory.grow(bytes as u64, ENTRIES));
            held.unwrap_or(Ok(())).map_err(&refused)
        };
        // What is sorted is held beside what it is sorted from.
        let mut sizes: Vec<usize> = self.parts.iter().map(Part::count).collect();
        sizes.sort_unstable();
        let largest = sizes.iter().rev().take(helpers());
        hold(largest.sum::<usize>() * PER_ENTRY)?;
        let made = map_each(self.parts, |part| {
            options.heed_interrupt()?;
            part.columns(|count| hold(count * PER_INDEX))
        });
        let made: Vec<Vec<(u32, Column)>> = made.into_iter().collect::<Result<_, _>>()?;
        let mut indexes: Vec<u32> = made.iter().flatten().map(|(index, _)| *index).collect();
        indexes.sort_unstable();
        let mut made: Vec<_> = made.into_iter().map(Vec::into_iter).collect();
        let columns = indexes.into_iter();
        let columns = columns.filter_map(|index| made[part(index)].next());
        Ok(columns.map(|(_, column)| column).collect())
    }
}

impl Part {
    fn count(&self) -> usize {
        self.blocks.iter().map(|(_, entries)| entries.len()).sum()
    }

    /// The columns by index, ascending, once there is room for so many.
    fn columns(
        self,
        room: impl Fn(usize) -> Result<(), TableError>,
    ) -> Result<Vec<(u32, Column)>, TableError> {
        let Self {
            blocks, mut alone, ..
        } = self;
        let entries = sorted(blocks);
        let of_columns: Vec<&[Entry]> = entries.chunk_by(|a, b| a.index == b.index).collect();
        if !alone.is_empty() {
            for entries in &of_columns {
                alone.remove(&entries[0].index);
            }
        }
        room(alone.len() + of_columns.len())?;
        let column = |index: u32, entries: &[Entry]| {
            let rows = entries.iter().map(|entry| entry.row).collect();
            let values = entries.iter().map(|entry| entry.value).collect();
            (
                index,
                Column::from((name(index), Values::Sparse { rows, values })),
            )
        };
        let filled = of_columns
            .iter()
            .map(|entries| column(entries[0].index, entries));
        let empty = alone.iter().map(|index| column(*index, &[]));
        let mut columns: Vec<(u32, Column)> = filled.chain(empty).collect();
        columns.sort_unstable_by_key(|(index, _)| *index);
        Ok(columns)
    }
}

/// The name of the column of an index.
pub(super) fn name(index: u32) -> String {
    format!("f{index}")
}

/// Bits of an index that are sorted by at a time.
const DIGIT: u32 = 12;

/// The entries of a part by index, those of an index by row.
fn sorted(blocks: Vec<(u32, Vec<Entry>)>) -> Vec<Entry> {
    let all = blocks.iter().flat_map(|(first, entries)| {
        entries.iter().map(move |entry| Entry {
            row: first + entry.row,
            ..*entry
        })
    });
    // The lowest byte follows from the part and from the others.
    let low = sorted_by_digit(all, 8);
    drop(blocks);
    match low.iter().any(|entry| entry.index >> (8 + DIGIT) > 0) {
        true => sorted_by_digit(low.iter().copied(), 8 + DIGIT),
        false => low,
    }
}

/// Sorts by some bits of the index: counted first, each entry then has its place. Equal ones stay in their order.
fn sorted_by_digit(entries: impl Iterator<Item = Entry> + Clone, shift: u32) -> Vec<Entry> {
    let digit = |entry: &Entry| (entry.index >> shift) as usize % (1 << DIGIT);
    let mut places = vec![0; 1 << DIGIT];
    for entry in entries.clone() {
        places[digit(&entry)] += 1;
    }
    let mut count = 0;
    for place in &mut places {
        count += replace(place, count);
    }
    let mut sorted = vec![Entry::default(); count];
    for entry in entries {
        let place = &mut places[digit(&entry)];
        sorted[*place] = entry;
        *place += 1;
    }
    sorted
}
