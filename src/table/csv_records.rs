//! The records of delimited text, one after another, each a row or an error that says where it is.

use std::io::{self, Read};

use csv::ByteRecord;

use super::TableError;
use super::csv_columns::Batch;
use super::error::Fault;
use super::field;
use super::format::Input;
use super::growing::{LONGEST, too_long};
use super::header::Opening;
use super::names::unguarded;
use super::source::Source;
use crate::memory::{MemoryCharge, MemoryError};

const READ_BYTES: usize = 1 << 18;
/// What the label of a row takes beside its text.
const PER_LABEL: usize = 40;

/// Reads the records of a file whose beginning is known.
pub(super) struct Records<'a> {
    reader: csv::Reader<CountedText<'a>>,
    input: &'a Input<'a>,
    opening: &'a Opening,
    /// Rows read.
    pub(super) rows: usize,
    /// The labels of rows, which stand before their fields; none where there are none.
    pub(super) labels: Vec<String>,
    /// Bytes that the labels take.
    pub(super) label_bytes: usize,
    last_start: u64,
    last_end: u64,
    last_spans_lines: bool,
}

impl<'a> Records<'a> {
    /// Those of a source that stands behind the names; a record that grows is charged to `memory`.
    pub(super) fn new(
        source: Source,
        input: &'a Input<'a>,
        opening: &'a Opening,
        memory: Option<&'a MemoryCharge>,
    ) -> Self {
        let delimiter = opening.dialect.separator.byte();
        let counted = CountedText {
            source,
            quotes: 0,
            delimiter,
            length: 0,
            text: 0,
            fields: 0,
            memory,
            refused: None,
        };
        let reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            // Ragged rows are ours to report.
            .flexible(true)
            .buffer_capacity(READ_BYTES)
            .from_reader(counted);
        Self {
            reader,
            input,
            opening,
            rows: 0,
            labels: Vec::new(),
            label_bytes: 0,
            last_start: opening.header_bytes,
            last_end: opening.header_bytes,
            last_spans_lines: false,
        }
    }

    /// Fields of a row before those of the columns.
    pub(super) fn skipped(&self) -> usize {
        usize::from(self.opening.dialect.is_labelled)
    }

    /// Adds the next row to a batch; returns false at the end.
    pub(super) fn next(&mut self, batch: &mut Batch) -> Result<bool, TableError> {
        let record = batch.next_record();
        match advance(&mut self.reader, record) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(_) if self.reader.get_ref().length > LONGEST => {
                let what = "the record that begins here, or the blank lines before one,";
                return Err(self.fault(too_long(what).into(), self.last_end));
            }
            Err(error) => return Err(error),
        }
        let before = self.opening.header_bytes;
        self.last_end = before + self.reader.position().byte();
        self.rows += 1;
        // Where the search for the record began: line ends before its text are not skipped.
        self.last_start = before + record.position().map_or(0, csv::Position::byte);
        self.last_spans_lines = record.as_slice().contains(&b'\n');
        let width = self.opening.width();
        if record.len() != width {
            let ragged = self.fault(
                Fault::ragged(self.rows, record.len(), width),
                self.last_start,
            );
            let is_last = self.last_spans_lines && !advance(&mut self.reader, record)?;
            return match is_last && self.has_open_quote() {
                true => Ok(false),
                false => Err(ragged),
            };
        }
        for label in record.iter().take(self.skipped()) {
            let Ok(label) = str::from_utf8(label) else {
                return Err(self.fault(field::not_utf8(self.rows, 1), self.last_start));
            };
            self.label_bytes += PER_LABEL + label.len();
            self.labels.push(unguarded(label.trim()).to_owned());
        }
        batch.keep(self.rows, self.last_start);
        Ok(true)
    }

    /// The parser closes an open quoted field at the end of the file, with all rows in it.
    ///
    /// # Errors
    /// There is such a field.
    pub(super) fn check_end(&self) -> Result<(), TableError> {
        if self.last_spans_lines && self.has_open_quote() {
            let line = line_of(self.input, self.opening, self.last_start)?;
            return Err(TableError::open_quote(self.input.path, line));
        }
        Ok(())
    }

    /// The error about what begins at a byte.
    pub(super) fn fault(&self, fault: Fault, start: u64) -> TableError {
        match line_of(self.input, self.opening, start) {
            Ok(line) => fault.at(self.input.path, Some(line)),
            Err(error) => error,
        }
    }

    /// Whether the quotation marks that were read do not come in pairs.
    fn has_open_quote(&self) -> bool {
        self.reader.get_ref().quotes % 2 == 1
    }
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
pub(super) fn line_of(input: &Input, opening: &Opening, byte: u64) -> Result<u64, TableError> {
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
