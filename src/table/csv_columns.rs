//! The columns of delimited text while its rows are read: threads share them.

use csv::ByteRecord;

use super::Values;
use super::dialect::with_point;
use super::factor::{ColumnBuilder, FactorBuilder};
use super::field::{Field, classify_with};
use super::names::unguarded;
use super::rounded::is_rounded;
use super::text_options::DecimalMark;
use crate::threads::{helpers, map_each, piece};

/// Fields of rows that are appended at a time, at least.
const FIELDS: usize = piece(1 << 15);

/// Bytes of rows after which they are appended, however few fields they have; and what a row takes beside its text.
const BYTES: usize = 1 << 24;
const PER_ROW: usize = 200;

/// Rows that were read and are not in the columns yet.
#[derive(Default)]
pub(super) struct Batch {
    /// As many as rows, and some more to be used again.
    records: Vec<ByteRecord>,
    /// The number of each row, from 1, and the byte where it begins.
    rows: Vec<(usize, u64)>,
    /// Of the rows.
    bytes: usize,
}

impl Batch {
    /// The record of the next row.
    pub(super) fn next_record(&mut self) -> &mut ByteRecord {
        if self.records.len() == self.rows.len() {
            self.records.push(ByteRecord::new());
        }
        &mut self.records[self.rows.len()]
    }

    /// Takes the next record for a row.
    pub(super) fn keep(&mut self, row: usize, start: u64) {
        let record = &self.records[self.rows.len()];
        self.bytes += record.as_slice().len() + record.len() * size_of::<usize>() + PER_ROW;
        self.rows.push((row, start));
    }

    pub(super) fn is_full(&self) -> bool {
        let width = self.records.first().map_or(1, ByteRecord::len);
        self.rows.len() * width >= FIELDS * helpers() || self.bytes >= BYTES
    }

    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.bytes = 0;
    }

    /// A field of one of the rows.
    pub(super) fn field(&self, row: usize, field: usize) -> &[u8] {
        let at = self.rows.iter().position(|(own, _)| *own == row);
        at.and_then(|at| self.records[at].get(field)).unwrap_or(&[])
    }

    /// Appends the rows to the columns, whose fields stand behind `skipped` others. Of fields that a column cannot hold
    /// the first: its row, where that begins, and its column.
    pub(super) fn append_to(
        &self,
        columns: &mut [GrowingColumn],
        skipped: usize,
        writing: &Writing,
    ) -> Option<(usize, u64, usize)> {
        let each = columns.len().div_ceil(helpers()).max(1);
        let parts = columns.chunks_mut(each).enumerate().collect();
        let wrong = map_each(parts, |(part, columns)| {
            let wrong = columns.iter_mut().enumerate().filter_map(|(at, column)| {
                let at = part * each + at;
                let records = self.records.iter().zip(&self.rows);
                let mut rows = records.map(|(record, (row, start))| {
                    let field = record.get(skipped + at).unwrap_or(&[]);
                    (field, *row, *start)
                });
                let wrong = rows.find(|(field, row, start)| {
                    column.push(field, (*row, *start), writing).is_none()
                });
                wrong.map(|(_, row, start)| (row, start, at))
            });
            wrong.min()
        });
        wrong.into_iter().flatten().min()
    }
}

/// A column, and what is to be told of it.
pub(super) struct GrowingColumn {
    builder: ColumnBuilder,
    /// Once it became a factor, the row and the byte where its first text stands.
    pub(super) first_text: Option<(usize, u64)>,
    /// The row, the byte where it begins, and the text of the first whole number that was rounded.
    pub(super) rounded: Option<(usize, u64, String)>,
}

impl GrowingColumn {
    pub(super) fn new(is_text: bool) -> Self {
        Self {
            builder: match is_text {
                true => ColumnBuilder::Factor(FactorBuilder::default()),
                false => ColumnBuilder::Numbers(Vec::new()),
            },
            first_text: None,
            rounded: None,
        }
    }

    /// Bytes that its values take.
    pub(super) fn bytes(&self) -> usize {
        self.builder.bytes()
    }

    pub(super) fn finish(self) -> Values {
        self.builder.finish()
    }

    fn push(&mut self, field: &[u8], (row, start): (usize, u64), writing: &Writing) -> Option<()> {
        let held_numbers = matches!(self.builder, ColumnBuilder::Numbers(_));
        self.builder.push_field(field, writing)?;
        if held_numbers && matches!(self.builder, ColumnBuilder::Factor(_)) {
            self.first_text = Some((row, start));
        }
        if self.rounded.is_none() {
            let number = self.builder.rounded_last(field, writing);
            self.rounded = number.map(|number| (row, start, number));
        }
        Some(())
    }
}

/// How values are written.
pub(super) struct Writing<'a> {
    pub(super) decimal: DecimalMark,
    /// Words that mean a missing value, besides those that always do.
    pub(super) missing: &'a [String],
}

impl Writing<'_> {
    pub(super) fn classify(&self, field: &[u8]) -> Field {
        match (classify_with(field, self.missing), self.decimal) {
            (Field::Number(_) | Field::Text, DecimalMark::Comma) => {
                classify_with(&with_point(field), self.missing)
            }
            (meaning, _) => meaning,
        }
    }
}

impl ColumnBuilder {
    /// The text of the field that was appended last, if it is a whole number that was rounded.
    fn rounded_last(&self, field: &[u8], writing: &Writing) -> Option<String> {
        let Self::Numbers(values) = self else {
            return None;
        };
        let field = field.trim_ascii();
        let is_missing = || writing.missing.iter().any(|word| word.as_bytes() == field);
        let is_other = is_rounded(field, *values.last()?) && !is_missing();
        is_other.then(|| String::from_utf8_lossy(field).into_owned())
    }

    /// Appends a field, if the column can hold it. The first value that is not missing decides
    /// whether it holds numbers.
    fn push_field(&mut self, field: &[u8], writing: &Writing) -> Option<()> {
        let meaning = writing.classify(field);
        match (&mut *self, meaning) {
            (Self::Numbers(values), Field::Number(value)) => values.push(value),
            (Self::Numbers(values), Field::Missing) => values.push(f64::NAN),
            (Self::Numbers(values), Field::Text) if values.iter().all(|value| value.is_nan()) => {
                *self = Self::Factor(FactorBuilder::after_missing(values.len()));
                return self.push_field(field, writing);
            }
            (Self::Numbers(_), Field::Text | Field::Infinite) => return None,
            (Self::Factor(factor), Field::Missing) => factor.push(None),
            (Self::Factor(factor), _) => {
                let text = str::from_utf8(field).ok()?;
                // Spaces around a number never matter; those of a text are its own.
                factor.push(Some(match meaning {
                    Field::Text => unguarded(text),
                    _ => text.trim_ascii(),
                }));
            }
        }
        Some(())
    }
}
