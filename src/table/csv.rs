//! Delimited text: any RFC 4180 file, through the `csv` crate.
//!
//! Files of nothing but unquoted numbers are read by [`csv_fast`](super::csv_fast). This reader
//! gives the same result for those, and reports what is wrong with a file.

use std::io::{self, Read};
use std::path::Path;

use csv::ByteRecord;

use super::error::{ValueFault, lossy};
use super::factor::FactorBuilder;
use super::field::{Field, classify};
use super::format::{Content, Format, estimate_text};
use super::head::{self, Head};
use super::source::{Source, read_failure_of};
use super::{Column, ColumnPartition, ReadOptions, TableError, Values, csv_fast, names};

const READ_BYTES: usize = 1 << 18;

/// Comma-separated values.
pub(super) const COMMAS: Format = delimited(&["csv"], |path, options, partition| {
    read(path, b',', options, partition)
});

/// Tab-separated values.
pub(super) const TABS: Format = delimited(&["tsv"], |path, options, partition| {
    read(path, b'\t', options, partition)
});

const fn delimited(
    extensions: &'static [&'static str],
    read: fn(&Path, &ReadOptions, &ColumnPartition) -> Result<Content, TableError>,
) -> Format {
    Format {
        extensions,
        gzip: true,
        companions: &[],
        read,
        estimate: estimate_text,
    }
}

fn read(
    path: &Path,
    delimiter: u8,
    options: &ReadOptions,
    partition: &ColumnPartition,
) -> Result<Content, TableError> {
    let quick = match options.factors {
        [] => csv_fast::read(path, delimiter, partition)?,
        // Their text is wanted, not their numbers.
        _ => None,
    };
    let (head, columns) = match quick {
        Some(read) => read,
        None => read_any(path, delimiter, options.factors)?,
    };
    Ok(Content {
        truth: head.truth(&path.to_string_lossy(), &columns)?,
        columns,
        response: None,
    })
}

/// Reads the file's head lines and columns; those named in `factors` become factors whatever they hold.
///
/// # Errors
/// Whatever is wrong with the file, at its first place in reading order.
fn read_any(
    path: &Path,
    delimiter: u8,
    factors: &[String],
) -> Result<(Head, Vec<Column>), TableError> {
    let shown = path.to_string_lossy();
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

    if !advance(path, &mut reader, &mut record)? {
        return Err(TableError::Empty {
            path: shown.into_owned(),
        });
    }
    let names = names::of_header(&shown, line_of(path, head.bytes)?, &record)?;
    names::check_factors(&shown, factors, names.iter().map(String::as_str))?;
    let mut columns: Vec<ColumnBuilder> = names
        .iter()
        .map(|name| ColumnBuilder::new(factors.contains(name)))
        .collect();

    let mut rows = 0;
    let mut last_start = head.bytes;
    let mut last_spans_lines = record.as_slice().contains(&b'\n');
    while advance(path, &mut reader, &mut record)? {
        rows += 1;
        last_start = head.bytes + start(&record);
        last_spans_lines = record.as_slice().contains(&b'\n');
        if record.len() != names.len() {
            return Err(TableError::Ragged {
                path: shown.into_owned(),
                line: line_of(path, last_start)?,
                row: rows,
                found: record.len(),
                expected: names.len(),
            });
        }
        for (position, (column, field)) in columns.iter_mut().zip(&record).enumerate() {
            if let Err(fault) = column.push(field) {
                let line = line_of(path, last_start)?;
                let path = shown.into_owned();
                return Err(match fault {
                    Some(fault) => TableError::Value {
                        path,
                        line,
                        row: rows,
                        column: names[position].clone(),
                        text: lossy(field),
                        fault,
                    },
                    None => TableError::NotUtf8 {
                        path,
                        line,
                        column: position + 1,
                    },
                });
            }
        }
    }
    // The parser closes an open quoted field at the end of the file, with all rows in it.
    if reader.get_ref().quotes % 2 == 1 && last_spans_lines {
        return Err(TableError::UnclosedQuote {
            line: line_of(path, last_start)?,
            path: shown.into_owned(),
        });
    }
    if rows == 0 {
        return Err(TableError::NoRows {
            path: shown.into_owned(),
        });
    }
    let columns = names.into_iter().zip(columns);
    let columns = columns.map(|(name, column)| Column {
        name,
        values: column.finish(),
    });
    Ok((head, columns.collect()))
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
    path: &Path,
    reader: &mut csv::Reader<QuoteCount>,
    record: &mut ByteRecord,
) -> Result<bool, TableError> {
    reader.read_byte_record(record).map_err(|error| {
        let error = match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            // Of bytes and of rows of any length the parser has nothing to complain.
            kind => io::Error::new(io::ErrorKind::InvalidData, format!("{kind:?}")),
        };
        read_failure_of(path, error)
    })
}

/// Byte below the head lines at which the search for the record began: line ends before its
/// text are not skipped.
fn start(record: &ByteRecord) -> u64 {
    record.position().map_or(0, csv::Position::byte)
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

/// A column while its rows are read.
enum ColumnBuilder {
    /// Missing values, this many, and no other value yet that decides the kind.
    Undecided(usize),
    Numbers(Vec<f64>),
    Factor(FactorBuilder),
}

impl ColumnBuilder {
    fn new(factor: bool) -> Self {
        match factor {
            true => Self::Factor(FactorBuilder::default()),
            false => Self::Undecided(0),
        }
    }

    /// Appends a field; the error is none where the text is not UTF-8.
    fn push(&mut self, field: &[u8]) -> Result<(), Option<ValueFault>> {
        let meaning = classify(field);
        match (&mut *self, meaning) {
            (Self::Numbers(values), Field::Number(value)) => values.push(value),
            (Self::Numbers(values), Field::Missing) => values.push(f64::NAN),
            (Self::Numbers(_), Field::Text) => {
                str::from_utf8(field).map_err(|_| None)?;
                return Err(Some(ValueFault::Text));
            }
            (Self::Numbers(_) | Self::Undecided(_), Field::Infinite) => {
                return Err(Some(ValueFault::Infinite));
            }
            (Self::Undecided(missing), Field::Missing) => *missing += 1,
            (Self::Undecided(missing), Field::Number(value)) => {
                let mut values = vec![f64::NAN; *missing];
                values.push(value);
                *self = Self::Numbers(values);
            }
            (Self::Undecided(missing), Field::Text) => {
                *self = Self::Factor(FactorBuilder::after_missing(*missing));
                return self.push(field);
            }
            (Self::Factor(factor), Field::Missing) => factor.push(None),
            (Self::Factor(factor), _) => {
                let text = str::from_utf8(field).map_err(|_| None)?;
                // Spaces around a number never matter; those of a text are its own.
                factor.push(Some(match meaning {
                    Field::Text => text,
                    _ => text.trim_ascii(),
                }));
            }
        }
        Ok(())
    }

    fn finish(self) -> Values {
        match self {
            Self::Undecided(missing) => Values::Numbers(vec![f64::NAN; missing]),
            Self::Numbers(mut values) => {
                values.shrink_to_fit();
                Values::Numbers(values)
            }
            Self::Factor(factor) => factor.finish(),
        }
    }
}
