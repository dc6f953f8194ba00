//! Vectors that grow while a file is read, as its size and the job's memory allow.

use crate::memory::{MemoryCharge, MemoryError};

/// Most bytes of a line, of a record that may span lines, and of blank text: the header of ten million
/// columns has less.
pub(super) const LONGEST: usize = 1 << 28;

/// What a column costs beside its values: its name, which is compared with the others', the place of
/// its values while they are gathered, some rows beside them, and in the table.
pub(super) const PER_COLUMN: usize = 272;

/// What that memory is for.
pub(super) const COLUMNS: &str = "its columns' names";

/// The message about a part of a file that is longer than any of a table.
pub(super) fn too_long(what: &str) -> String {
    let most = LONGEST >> 20;
    format!(
        "{what} is longer than {most} MiB, which no table's is: the file is damaged, or its lines do \
         not end; copy or write it again"
    )
}

/// A vector whose growth is charged.
pub(super) trait Growing {
    /// Makes room for more values, which the system may refuse.
    fn grow(
        &mut self,
        more: usize,
        memory: Option<&MemoryCharge>,
        what: &str,
    ) -> Result<(), MemoryError>;
}

impl<T> Growing for Vec<T> {
    fn grow(
        &mut self,
        more: usize,
        memory: Option<&MemoryCharge>,
        what: &str,
    ) -> Result<(), MemoryError> {
        let needed = self.len().saturating_add(more);
        if needed <= self.capacity() {
            return Ok(());
        }
        let capacity = needed.max(self.capacity() + self.capacity() / 2);
        let bytes = |values: usize| values.saturating_mul(size_of::<T>()) as u64;
        if let Some(memory) = memory {
            memory.grow(bytes(capacity - self.capacity()), what)?;
        }
        let reserved = self.try_reserve_exact(capacity - self.len());
        reserved.map_err(|_| MemoryError::refused(bytes(capacity), what))
    }
}
