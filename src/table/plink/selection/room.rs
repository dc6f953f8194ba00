//! Room for genotypes, in memory or in a file.

use super::Selection;
use crate::memory::{Bytes, MemoryError, Words};
use crate::table::TableError;

/// What most memory is for, with what makes it less: memory holds all that are used.
const GENOTYPES: &str = "its genotypes (none with --scratch; fewer by --keep-people, --chromosome, --range or --extract)";

impl Selection<'_> {
    /// Zeros for so many words of genotypes; so many numbers beside them take memory, too.
    pub(super) fn room(&self, words: usize, numbers: usize) -> Result<Words, TableError> {
        let cohort = self.input.options.cohort;
        let scratch = cohort.and_then(|own| own.scratch.as_ref());
        let in_memory = if scratch.is_some() { 0 } else { words };
        let bytes = in_memory.saturating_add(numbers).saturating_mul(8);
        self.input.hold(bytes, GENOTYPES)?;
        let bytes = 8 * words as u64;
        let Some(folder) = scratch else {
            let refused =
                || TableError::memory(self.input.path, MemoryError::refused(bytes, GENOTYPES));
            return Words::zeros(words).ok_or_else(refused);
        };
        Words::in_file(folder, words).map_err(|source| {
            let message = format!(
                "{} of genotypes cannot be held in a file of this folder: {source}; let --scratch name one on a disk with room for them",
                Bytes(bytes)
            );
            TableError::content(folder, message)
        })
    }
}
