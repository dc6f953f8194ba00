//! Delimited text: any RFC 4180 file, through the `csv` crate.
//!
//! Files of nothing but unquoted numbers are read by [`csv_fast`](super::csv_fast). This reader
//! gives the same result for those, and reports what is wrong with a file.

use std::io::{self, Read};
use std::path::Path;

use csv::ByteRecord;

use super::error::{Fault, as_given, shown};
use super::factor::{ColumnBuilder, FactorBuilder};
use super::field::{self, Field, classify};
use super::format::{Format, Input};
use super::head::{self, Head};
use super::source::Source;
use super::{Column, Table, TableError, csv_fast, names};
use crate::nearest::as_option;

const READ_BYTES: usize = 1 << 18;

pub(super) const COMMAS: Format = Format::new(&["csv"], |input| read(input, b','));

pub(super) const TABS: Format = Format::new(&["tsv"], |input| read(input, b'\t'));

fn read(input: &Input, delimiter: u8) -> Result<Table, TableError> {
    let quick = match input.options.factors {
        [] => csv_fast::read(input, delimiter)?,
        // Their text is wanted, not their numbers.
        _ => None,
    };
    let (head, columns) = match quick {
        Some(read) => read,
        None => read_any(input.path, delimiter, input.options.factors)?,
    };
    let truth = head.truth(input.path, &columns)?;
    let table = Table::new(as_given(input.path), columns, None);
    Ok(Table { truth, ..table })
}

/// Reads the file's head lines and columns; those named in `factors` become factors whatever they hold.
fn read_any(
    path: &Path,
    delimiter: u8,
    factors: &[String],
) -> Result<(Head, Vec<Column>), TableError> {
    let (head, source) = head::open(path)?;
    let counted = QuoteCount { source, quotes: 0 };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        // Ragged rows are ours to report.
        .flexible(true)
        .buffer_capacity(READ_BYTES)
        .from_reader(counted);
    let mut record = ByteRecord::new();

    if !advance(&mut reader, &mut record)? {
        return Err(TableError::empty(path));
    }
    let names = names::of_header(path, line_of(path, head.bytes)?, &record)?;
    names::check_factors(path, factors, names.iter().map(String::as_str))?;
    let mut columns: Vec<ColumnBuilder> = names
        .iter()
        .map(|name| match factors.contains(name) {
            true => ColumnBuilder::Factor(FactorBuilder::default()),
            false => ColumnBuilder::Numbers(Vec::new()),
        })
        .collect();

    let mut rows = 0;
    let mut last_start = head.bytes;
    let mut last_spans_lines = record.as_slice().contains(&b'\n');
    while advance(&mut reader, &mut record)? {
        rows += 1;
        // Where the search for the record began: line ends before its text are not skipped.
        last_start = head.bytes + record.position().map_or(0, csv::Position::byte);
        last_spans_lines = record.as_slice().contains(&b'\n');
        let wrong = |fault: Fault| match line_of(path, last_start) {
            Ok(line) => fault.at(path, Some(line)),
            Err(error) => error,
        };
        if record.len() != names.len() {
            return Err(wrong(Fault::ragged(rows, record.len(), names.len())));
        }
        for (position, (column, field)) in columns.iter_mut().zip(&record).enumerate() {
            if column.push_field(field).is_none() {
                let Ok(text) = str::from_utf8(field) else {
                    let line = line_of(path, last_start)?;
                    return Err(TableError::not_utf8(path, line, position + 1));
                };
                return Err(wrong(Fault::in_row(rows, unfit(text, &names[position]))));
            }
        }
    }
    // The parser closes an open quoted field at the end of the file, with all rows in it.
    if reader.get_ref().quotes % 2 == 1 && last_spans_lines {
        let line = line_of(path, last_start)?;
        let message = format!(
            "a quoted field is not closed (last record begins at line {line}); close it, and \
             double a quotation mark that is part of a value"
        );
        return Err(TableError::content(path, message));
    }
    if rows == 0 {
        return Err(TableError::no_rows(path));
    }
    let columns = columns.into_iter().map(ColumnBuilder::finish);
    let columns = names.into_iter().zip(columns).map(Column::from);
    Ok((head, columns.collect()))
}

/// The message about a text that a column of numbers cannot hold.
fn unfit(text: &str, column: &str) -> String {
    match classify(text.as_bytes()) {
        Field::Infinite => field::infinite(text.as_bytes(), column),
        _ => format!(
            "{} in the numeric column `{column}`; mend the value, or read the column as a factor \
             with --factor {}",
            shown(text),
            as_option(column)
        ),
    }
}

/// Counts the quotation marks that pass: in a well-formed file their number is even.
struct QuoteCount {
    source: Source,
    quotes: u64,
}

impl Read for QuoteCount {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(bytes)?;
        self.quotes += memchr::memchr_iter(b'"', &bytes[..count]).count() as u64;
        Ok(count)
    }
}

fn advance(
    reader: &mut csv::Reader<QuoteCount>,
    record: &mut ByteRecord,
) -> Result<bool, TableError> {
    reader.read_byte_record(record).map_err(|error| {
        let error = match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            // Of bytes and of rows of any length the parser has nothing to complain.
            kind => io::Error::new(io::ErrorKind::InvalidData, format!("{kind:?}")),
        };
        reader.get_ref().source.failure(error)
    })
}

/// Line of the first text at or after the byte, counted from 1 with `\n`, `\r\n` or `\r`.
///
/// Only messages want lines, so they are counted when one is written: the parser's own count
/// is of the place where it began to look, blank lines and half line ends before the record.
fn line_of(path: &Path, byte: u64) -> Result<u64, TableError> {
    let mut source = Source::open(path)?;
    let mut bytes = vec![0; READ_BYTES];
    let (mut line, mut offset, mut after_return) = (1, 0, false);
    loop {
        let filled = source.fill(&mut bytes)?;
        for &read in &bytes[..filled] {
            let line_end = matches!(read, b'\n' | b'\r');
            if offset >= byte && !line_end {
                return Ok(line);
            }
            line += u64::from(line_end && !(read == b'\n' && after_return));
            after_return = read == b'\r';
            offset += 1;
        }
        if filled < bytes.len() {
            return Ok(line);
        }
    }
}

impl ColumnBuilder {
    /// Appends a field, if the column can hold it. The first value that is not missing decides
    /// whether it holds numbers.
    fn push_field(&mut self, field: &[u8]) -> Option<()> {
        let meaning = classify(field);
        match (&mut *self, meaning) {
            (Self::Numbers(values), Field::Number(value)) => values.push(value),
            (Self::Numbers(values), Field::Missing) => values.push(f64::NAN),
            (Self::Numbers(values), Field::Text) if values.iter().all(|value| value.is_nan()) => {
                *self = Self::Factor(FactorBuilder::after_missing(values.len()));
                return self.push_field(field);
            }
            (Self::Numbers(_), Field::Text | Field::Infinite) => return None,
            (Self::Factor(factor), Field::Missing) => factor.push(None),
            (Self::Factor(factor), _) => {
                let text = str::from_utf8(field).ok()?;
                // Spaces around a number never matter; those of a text are its own.
                factor.push(Some(match meaning {
                    Field::Text => text,
                    _ => text.trim_ascii(),
                }));
            }
        }
        Some(())
    }
}
