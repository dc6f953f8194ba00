//! The forms that columns may have on a GPU, and what the form of a column depends on.

use crate::binning::{BinnedColumn, Codes};

/// Rows of one load: codes of that many begin at multiples of 16 bytes.
pub(super) const VECTOR: usize = 16;

/// How codes lie in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// A code for every row, of so many bits, column by column.
    Dense { bits: u32 },
    /// A code of 8 bits for every row, row by row.
    #[default]
    Rows,
    /// Entries off the most frequent code, in 2^each places for each column.
    Short { each: u32 },
    /// Entries of more than [`Form::Short`] has, column by column.
    Few,
    /// Entries of more than [`Form::Few`] has, for blocks of so many threads.
    Many { threads: u32 },
}

/// What the form of a column depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnTraits {
    pub(super) levels: usize,
    pub(super) misses: bool,
    /// The code that is most frequent, or stands for it.
    pub(super) most: u16,
    /// Entries off it.
    pub(super) entries: usize,
}

/// A column of the host's, its traits and the form it gets.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlannedColumn<'a> {
    pub(super) column: &'a BinnedColumn,
    pub(super) traits: ColumnTraits,
    pub(super) form: Form,
}

impl ColumnTraits {
    pub(super) fn of(column: &BinnedColumn) -> Self {
        let n = column.codes.n();
        let (most, entries) = match &column.codes {
            Codes::Sparse { mode, rows, .. } => (*mode, rows.len()),
            Codes::Byte(codes) => most_frequent(codes, column.levels),
            Codes::Word(codes) => most_frequent(codes, column.levels),
        };
        Self {
            levels: column.levels,
            misses: column.excluded_code().is_some(),
            most,
            entries: match &column.codes {
                Codes::Sparse { .. } => entries,
                Codes::Byte(_) | Codes::Word(_) => n - entries,
            },
        }
    }
}

/// The most frequent of codes, and how often it comes. Of many rows a sample tells whether any
/// code has half of them; if none has, code 0 stands for it.
fn most_frequent<C: Copy + Into<u16>>(codes: &[C], levels: usize) -> (u16, usize) {
    const SOME: usize = 1 << 12;
    let counted = |codes: &mut dyn Iterator<Item = &C>| {
        let mut counts = vec![0usize; levels + 1];
        codes.for_each(|&code| counts[usize::from(code.into())] += 1);
        let most = counts.iter().enumerate().max_by_key(|(_, count)| **count);
        most.map_or((0, 0), |(code, count)| (code as u16, *count))
    };
    let step = codes.len().div_ceil(SOME).max(1);
    let (_, some) = counted(&mut codes.iter().step_by(step));
    match step > 1 && 2 * some < codes.len().div_ceil(step) {
        // Any code can stand for it.
        true => (0, codes.iter().filter(|&&code| code.into() == 0).count()),
        false => counted(&mut codes.iter()),
    }
}
