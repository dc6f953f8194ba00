//! What the form of a column on a GPU follows from.

use crate::binning::{BinnedColumn, Codes};

/// What the form of a column follows from.
#[derive(Debug, Clone, Copy)]
pub(super) struct ColumnTraits {
    pub(super) levels: usize,
    pub(super) misses: bool,
    /// The code that is most frequent, or taken for it.
    pub(super) most: u16,
    /// Entries off it.
    pub(super) entries: usize,
}

impl ColumnTraits {
    pub(super) fn of(column: &BinnedColumn) -> Self {
        let n = column.codes.n();
        let (most, entries) = match &column.codes {
            Codes::Sparse { most, rows, .. } => (*most, rows.len()),
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

/// The most frequent of codes, and how often it comes; of many rows where some of them say
/// that there is one.
fn most_frequent<C: Copy + Into<u16>>(codes: &[C], levels: usize) -> (u16, usize) {
    const SOME: usize = 1 << 12;
    let counted = |codes: &mut dyn Iterator<Item = &C>| {
        let mut counts = vec![0usize; levels + 1];
        codes.for_each(|&code| counts[usize::from(code.into())] += 1);
        let most = counts.iter().enumerate().max_by_key(|it| *it.1);
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
