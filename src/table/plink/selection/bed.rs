//! A `.bed` of which each thread reads variants and unpacks them while they are in its cache.

use std::cell::RefCell;
use std::io;
use std::ops::Range;
use std::slice;

use super::super::records::{GenotypeFile, Kind, Record};
use super::{Outcome, Piece, Selection};
use crate::table::source::read_exact_at;
use crate::table::{Genotypes, TableError};
use crate::threads::{map_each, piece};

/// Bytes that a thread reads before it unpacks them, or those of a variant: they and their words stay in its second-level
/// cache.
const AT_ONCE: usize = piece(1 << 19);

thread_local! {
    /// What a thread has read.
    static READ: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Variants that a thread reads at once: the number of the first, their records, and room for their words.
type Part<'a> = ((usize, &'a [Record]), &'a mut [u64]);

impl Selection<'_> {
    /// Reads variants of a `.bed` that lie one behind another, all of them wanted, into words; `None` of another file, and of
    /// one that threads cannot read side by side.
    pub(super) fn read_bed(
        &self,
        file: &GenotypeFile,
        (run, own): (Range<usize>, &[bool]),
        words: &mut [u64],
    ) -> Result<Option<Vec<Outcome>>, TableError> {
        let records = &file.records[run.clone()];
        let (Kind::Bed, Some(shared)) = (records[0].kind, file.at_any_place()?) else {
            return Ok(None);
        };
        let (length, stride) = (records[0].length as usize, Genotypes::stride(self.n));
        let each = (AT_ONCE / length.max(8 * stride)).max(1);
        let numbered = run.step_by(each).zip(records.chunks(each));
        let parts = numbered.zip(words.chunks_mut(each * stride));
        let read = map_each(parts.collect(), |((first, records), words): Part| {
            READ.with_borrow_mut(|bytes| {
                bytes.resize(records.len() * length, 0);
                read_exact_at(shared, bytes, records[0].start)?;
                let all = bytes.chunks(length.max(1)).zip(words.chunks_mut(stride));
                let outcomes = all.zip(first..).map(|((bytes, words), variant)| {
                    let mut piece = Piece::new(variant, Kind::Bed, bytes, Some(words));
                    self.unpack(slice::from_mut(&mut piece), own);
                    (variant, true, piece.outcome)
                });
                Ok(outcomes.collect())
            })
        });
        let read: io::Result<Vec<Vec<Outcome>>> = read.into_iter().collect();
        let read = read.map_err(|error| file.failure(error))?;
        Ok(Some(read.into_iter().flatten().collect()))
    }
}
