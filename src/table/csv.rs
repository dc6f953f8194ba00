//! Delimited text: any RFC 4180 file, through the `csv` crate.
//!
//! Files of nothing but unquoted numbers are read by [`csv_fast`](super::csv_fast). This reader
//! gives the same result for those, and reports what is wrong with a file.

use std::io::{self, Read};

use csv::ByteRecord;

use super::csv_extent::of_text;
use super::dialect::with_point;
use super::error::{Fault, as_given};
use super::factor::{ColumnBuilder, FactorBuilder};
use super::field::{self, Field, classify_with};
use super::format::{Format, Input};
use super::growing::{LONGEST, too_long};
use super::header::{Opening, Rows};
use super::names::unguarded;
use super::rounded::{RoundedColumn, RoundedColumns, is_rounded};
use super::source::Source;
use super::suspicions::{mostly_numbers, refuse_almost_numbers, unfit};
use super::text_options::{DecimalMark, Separator};
use super::{Column, Table, TableError, csv_fast, names};
use crate::memory::{MemoryCharge, MemoryError};

const READ_BYTES: usize = 1 << 18;
/// Values read between two looks at the memory of all columns.
const UNCHARGED: usize = 1 << 17;
/// What the label of a row takes beside its text.
const PER_LABEL: usize = 40;

pub(super) const COMMAS: Format = Format {
    names_response: false,
    header: |input| header(input, Some(Separator::COMMA)),
    estimate: |path, bytes, text| of_text(path, bytes, (Some(Separator::COMMA), text)),
    ..Format::new(&["csv"], |input| read(input, Some(Separator::COMMA)))
};

pub(super) const TABS: Format = Format {
    names_response: false,
    header: |input| header(input, Some(Separator::TAB)),
    estimate: |path, bytes, text| of_text(path, bytes, (Some(Separator::TAB), text)),
    ..Format::new(&["tsv"], |input| read(input, Some(Separator::TAB)))
};

/// Text whose first lines show what separates its columns.
pub(super) const ANY: Format = Format {
    names_response: false,
    header: |input| header(input, None),
    estimate: |path, bytes, text| of_text(path, bytes, (None, text)),
    ..Format::new(&["txt"], |input| read(input, None))
};

fn header(input: &Input, expected: Option<Separator>) -> Result<Option<Table>, TableError> {
    let opening = Opening::of(input, expected)?;
    input.named(opening.names.len(), opening.names.into_iter(), None)
}

fn read(input: &Input, expected: Option<Separator>) -> Result<Table, TableError> {
    let mut opening = Opening::of(input, expected)?;
    let names = opening.names.iter().map(String::as_str);
    names::check_factors(input.path, input.options, names)?;
    let quick = match (input.options.factors, input.options.dates) {
        ([], []) => csv_fast::read(input, &mut opening)?,
        // Their text is wanted, not their numbers.
        _ => None,
    };
    let ((columns, labels), rounded) = match quick {
        Some(read) => (read, Vec::new()),
        None => read_any(input, &mut opening)?,
    };
    let truth = opening.head.truth(input.path, &columns)?;
    let table = Table::new(as_given(input.path), columns, None);
    Ok(Table {
        truth,
        labels,
        rounded,
        warnings: opening.warnings,
        ..table
    })
}

/// Reads the rows of a file; columns that options name as factors or dates become factors whatever
/// they hold.
fn read_any(
    input: &Input,
    opening: &mut Opening,
) -> Result<(Rows, Vec<RoundedColumn>), TableError> {
    let path = input.path;
    let source = match opening.source.take() {
        Some(source) => source,
        None => {
            let mut source = opening.reopen(input)?;
            source.skip(opening.header_bytes)?;
            source
        }
    };
    // The quick reader may have taken memory before it gave up.
    opening.charge(input, 0)?;
    let delimiter = opening.dialect.separator.byte();
    let record_memory = input.options.memory.map(MemoryCharge::beside);
    let counted = CountedText {
        source,
        quotes: 0,
        delimiter,
        length: 0,
        text: 0,
        fields: 0,
        memory: record_memory.as_ref(),
        refused: None,
    };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        // Ragged rows are ours to report.
        .flexible(true)
        .buffer_capacity(READ_BYTES)
        .from_reader(counted);
    let mut record = ByteRecord::new();
    let names = &opening.names;
    let as_text = |name: &String| input.options.reads_text(name);
    let mut columns: Vec<ColumnBuilder> = names
        .iter()
        .map(|name| match as_text(name) {
            true => ColumnBuilder::Factor(FactorBuilder::default()),
            false => ColumnBuilder::Numbers(Vec::new()),
        })
        .collect();
    let writing = Writing {
        decimal: opening.dialect.decimal,
        missing: input.options.missing,
    };
    let (skipped, mut labels) = (usize::from(opening.dialect.is_labelled), Vec::new());

    let mut rounded = RoundedColumns::default();
    // Of each column that became a factor: the row and the byte where its first text stands.
    let mut first_texts: Vec<Option<(usize, u64)>> = vec![None; columns.len()];
    let (mut rows, mut charged, mut label_bytes) = (0, 0, 0);
    let (mut last_start, mut last_end) = (opening.header_bytes, opening.header_bytes);
    let mut last_spans_lines = false;
    loop {
        match advance(&mut reader, &mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(_) if reader.get_ref().length > LONGEST => {
                let line = line_of(input, opening, last_end)?;
                let what = "the record that begins here, or the blank lines before one,";
                return Err(Fault::from(too_long(what)).at(path, Some(line)));
            }
            Err(error) => return Err(error),
        }
        last_end = opening.header_bytes + reader.position().byte();
        rows += 1;
        let cells = rows * opening.width();
        if cells >= charged + UNCHARGED {
            charged = cells;
            opening.charge(input, bytes_of(&columns) + label_bytes)?;
        }
        // Where the search for the record began: line ends before its text are not skipped.
        let position = record.position().map_or(0, csv::Position::byte);
        last_start = opening.header_bytes + position;
        last_spans_lines = record.as_slice().contains(&b'\n');
        let wrong = |fault: Fault| match line_of(input, opening, last_start) {
            Ok(line) => fault.at(path, Some(line)),
            Err(error) => error,
        };
        if record.len() != opening.width() {
            let ragged = wrong(Fault::ragged(rows, record.len(), opening.width()));
            let is_last = last_spans_lines && !advance(&mut reader, &mut record)?;
            if !(is_last && has_open_quote(&reader)) {
                return Err(ragged);
            }
            break;
        }
        let mut fields = record.iter();
        for label in fields.by_ref().take(skipped) {
            let label = str::from_utf8(label).map_err(|_| wrong(field::not_utf8(rows, 1)))?;
            label_bytes += PER_LABEL + label.len();
            labels.push(unguarded(label.trim()).to_owned());
        }
        for (position, (column, field)) in columns.iter_mut().zip(fields).enumerate() {
            let held_numbers = matches!(column, ColumnBuilder::Numbers(_));
            if column.push_field(field, &writing).is_none() {
                return Err(wrong(match str::from_utf8(field) {
                    Ok(text) => Fault::in_row(rows, unfit(text, &names[position], "")),
                    Err(_) => field::not_utf8(rows, skipped + position + 1),
                }));
            }
            if held_numbers && matches!(column, ColumnBuilder::Factor(_)) {
                first_texts[position] = Some((rows, last_start));
            }
            if let Some(number) = column.rounded_last(field, &writing)
                && rounded.is_new(position)
            {
                let line = line_of(input, opening, last_start)?;
                rounded.add(position, Some(line), rows, number);
            }
        }
    }
    // The parser closes an open quoted field at the end of the file, with all rows in it.
    if last_spans_lines && has_open_quote(&reader) {
        let line = line_of(input, opening, last_start)?;
        return Err(TableError::open_quote(path, line));
    }
    if rows == 0 {
        return Err(TableError::no_rows(path));
    }
    opening.charge(input, bytes_of(&columns) + label_bytes)?;
    let columns = columns.into_iter().map(ColumnBuilder::finish);
    let columns: Vec<Column> = names
        .iter()
        .cloned()
        .zip(columns)
        .map(Column::from)
        .collect();
    let guessed = columns.iter().filter(|column| !as_text(&column.name));
    refuse_almost_numbers(path, guessed)?;
    let is_number = |level: &str| matches!(writing.classify(level.as_bytes()), Field::Number(_));
    for (column, first) in columns.iter().zip(first_texts) {
        if let Some((row, start)) = first
            && let Some(message) = mostly_numbers(column, row, is_number)
        {
            let line = line_of(input, opening, start)?;
            return Err(Fault::in_row(row, message).at(path, Some(line)));
        }
    }
    Ok(((columns, labels), rounded.0))
}

fn bytes_of(columns: &[ColumnBuilder]) -> usize {
    columns.iter().map(ColumnBuilder::bytes).sum()
}

/// Whether the quotation marks that were read do not come in pairs.
fn has_open_quote(reader: &csv::Reader<CountedText>) -> bool {
    reader.get_ref().quotes % 2 == 1
}

/// Counts the quotation marks that pass, which in a well-formed file are even in number, and ends a
/// record that is longer than any.
struct CountedText<'a> {
    source: Source,
    quotes: u64,
    delimiter: u8,
    /// Bytes, those that end no line, and delimiters since the last record was complete.
    length: usize,
    text: usize,
    fields: usize,
    /// Of the record that grows.
    memory: Option<&'a MemoryCharge>,
    refused: Option<MemoryError>,
}

impl Read for CountedText<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(bytes)?;
        let text = &bytes[..count];
        self.quotes += memchr::memchr_iter(b'"', text).count() as u64;
        self.length += count;
        self.text += count - memchr::memchr2_iter(b'\n', b'\r', text).count();
        self.fields += memchr::memchr_iter(self.delimiter, text).count();
        if self.length > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if let Some(memory) = self.memory.filter(|_| self.length > READ_BYTES) {
            // Text and the ends of fields, each in a vector that grows by doubling.
            let bytes = 2 * self.text + 2 * size_of::<usize>() * self.fields;
            if let Err(error) = memory.set(bytes as u64, "a record") {
                self.refused = Some(error);
                return Err(io::ErrorKind::OutOfMemory.into());
            }
        }
        Ok(count)
    }
}

fn advance(
    reader: &mut csv::Reader<CountedText>,
    record: &mut ByteRecord,
) -> Result<bool, TableError> {
    let found = reader.read_byte_record(record);
    let counted = reader.get_mut();
    if let Some(error) = counted.refused.take() {
        return Err(counted.source.refused(error));
    }
    let found = found.map_err(|error| {
        let error = match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            // Of bytes and of rows of any length the parser has nothing to complain.
            kind => io::Error::new(io::ErrorKind::InvalidData, format!("{kind:?}")),
        };
        counted.source.failure(error)
    })?;
    (counted.length, counted.text, counted.fields) = (0, 0, 0);
    Ok(found)
}

/// Line of the first text at or after a byte below the head lines, counted from 1 with `\n`, `\r\n`
/// or `\r`.
///
/// Only messages want lines, so they are counted when one is written: the parser's own count
/// is of the place where it began to look, blank lines and half line ends before the record.
fn line_of(input: &Input, opening: &Opening, byte: u64) -> Result<u64, TableError> {
    let mut source = opening.reopen(input)?;
    let mut bytes = vec![0; READ_BYTES];
    let (mut line, mut offset, mut after_return) = (opening.head.lines + 1, 0, false);
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

/// How values are written.
struct Writing<'a> {
    decimal: DecimalMark,
    /// Words that mean a missing value, besides those that always do.
    missing: &'a [String],
}

impl Writing<'_> {
    fn classify(&self, field: &[u8]) -> Field {
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
