//! The beginning of delimited text: head lines, how the file is written, and the columns' names.

use std::path::Path;

use csv::ByteRecord;

use super::content;
use super::dialect::{Dialect, Sample};
use super::error::{Fault, shown};
use super::field::{Field, classify_with};
use super::format::Input;
use super::growing::{Growing, LONGEST, PER_COLUMN, too_long};
use super::head::{self, Head};
use super::names;
use super::source::Source;
use super::text_options::{DecimalMark, Separator, TextOptions};
use super::{Column, TableError};

/// Bytes looked at first; more where the header and a row do not fit.
const SAMPLE_BYTES: usize = 1 << 16;

/// Lines looked at, where there are so many: the header and two rows.
const LINES: usize = 3;

/// The columns of a file, and the labels of its rows if it has them.
pub(super) type Rows = (Vec<Column>, Vec<String>);

/// A file of delimited text, read up to its first row.
pub(super) struct Opening {
    pub(super) head: Head,
    pub(super) dialect: Dialect,
    /// The names of the columns, without that of the labels.
    pub(super) names: Vec<String>,
    /// What a user should know about how the file was read.
    pub(super) warnings: Vec<String>,
    /// Bytes between the head lines and the first row.
    pub(super) header_bytes: u64,
    /// The text from the first row on; `None` once a reader took it.
    pub(super) source: Option<Source>,
}

impl Opening {
    /// Reads a file up to its first row; `expected` is the separator that its name promises.
    pub(super) fn of(input: &Input, expected: Option<Separator>) -> Result<Self, TableError> {
        let (path, mut options) = (input.path, input.options.text);
        let (head, mut source) = head::open(path, input.options)?;
        options.separator = options.separator.or(head.separator);
        let first_line = head.lines + 1;
        let wrong = |message: String| Fault::from(message).at(path, Some(first_line));
        let mut start = vec![0; SAMPLE_BYTES];
        let filled = source.fill(&mut start)?;
        start.truncate(filled);
        content::check(path, &start)?;
        source.put_back(start, 0);
        let lines = head.lines;
        let (mut text, mut is_whole) = sample(input, &mut source, SAMPLE_BYTES, lines)?;
        let separators = text.iter().filter(|byte| b",;\t| ".contains(byte)).count();
        // Each separator that occurs makes a reading of the lines.
        input.hold(
            2 * text.len() + 2 * size_of::<usize>() * separators,
            "its header",
        )?;
        let with = |text, is_whole| Sample {
            text,
            is_whole,
            options,
            missing: input.options.missing,
        };
        let found = with(&text, is_whole).dialect(expected);
        let (dialect, seen) = found.map_err(wrong)?;
        if dialect.separator == Separator::Whitespace {
            source.put_back(text, 0);
            source = source.with_one_space();
            (text, is_whole) = sample(input, &mut source, SAMPLE_BYTES, lines)?;
        }
        // Of a header in quotes the end may be far.
        let (first, mut end) = loop {
            match first_record(&text, dialect.separator) {
                None if is_whole => {
                    let expected = "a header line with the columns' names, then the rows";
                    return Err(TableError::empty(path, expected));
                }
                Some((record, end)) if is_whole || end < text.len() => break (record, end),
                _ => {
                    let size = 2 * text.len();
                    source.put_back(text, 0);
                    (text, is_whole) = sample(input, &mut source, size, lines)?;
                }
            }
        };
        let quotes = memchr::memchr_iter(b'"', &text[..end]).count();
        if end == text.len() && quotes % 2 == 1 && text.starts_with(b"\"") {
            return Err(TableError::open_quote(path, head.lines + 1));
        }
        let blank = text.iter().take_while(|byte| matches!(byte, b'\n' | b'\r'));
        let line = head.lines + 1 + blank.filter(|byte| **byte == b'\n').count() as u64;
        let rows = seen.get(1..).unwrap_or_default();
        let mut opening = Self {
            head,
            dialect,
            names: Vec::new(),
            warnings: Vec::new(),
            header_bytes: 0,
            source: None,
        };
        if options.no_header {
            end = 0;
            opening.names = (1..=first.len())
                .map(|column| format!("V{column}"))
                .collect();
        } else {
            refuse_strange_lines(path, line, &first, rows, dialect.separator)?;
            let missing = input.options.missing;
            let of_values = Header {
                path,
                line,
                record: &first,
                rows,
                missing,
            };
            opening.warnings.extend(of_values.check()?);
            let has_label = first.len() > 1
                && first
                    .get(0)
                    .is_some_and(|name| name.trim_ascii().is_empty());
            if has_label && opening.dialect.is_labelled {
                return Err(wrong(names::unnamed(0)));
            }
            opening.names = names::of_header(
                path,
                line,
                first.iter().skip(usize::from(has_label)),
                usize::from(has_label),
            )?;
            if opening.dialect.is_labelled {
                opening.warnings.push(
                    "the header has one name fewer than the rows have fields: the first field of \
                     each row is its label, as R's write.table writes it"
                        .to_owned(),
                );
            } else if has_label {
                opening.warnings.push(
                    "the first column has no name: it labels the observations, as R's write.csv \
                     writes it, and is no variable"
                        .to_owned(),
                );
            }
            opening.dialect.is_labelled |= has_label;
        }
        opening
            .warnings
            .extend(told(&opening.dialect, &options, expected));
        opening.header_bytes = end as u64;
        source.put_back(text.split_off(end), opening.header_bytes);
        opening.source = Some(source);
        opening.charge(input, 0)?;
        Ok(opening)
    }

    /// Holds memory for the columns' names, and these bytes of what was read.
    pub(super) fn charge(&self, input: &Input, read: usize) -> Result<(), TableError> {
        let bytes = self.names.len() * PER_COLUMN + read;
        let memory = input.options.memory;
        let held = memory.map_or(Ok(()), |memory| memory.set(bytes as u64, "its values"));
        held.map_err(|error| input.refused(error))
    }

    /// Fields of a row: the columns, and the label before them.
    pub(super) fn width(&self) -> usize {
        self.names.len() + usize::from(self.dialect.is_labelled)
    }

    /// Opens the file anew at its header.
    pub(super) fn reopen(&self, input: &Input) -> Result<Source, TableError> {
        let mut source = Source::open_text(input.path, input.options)?;
        source.skip(self.head.bytes)?;
        Ok(match self.dialect.separator {
            Separator::Whitespace => source.with_one_space(),
            Separator::Character(_) => source,
        })
    }
}

/// Reads the beginning of a text below `above` lines, with two lines at least where there are two;
/// whether it is all.
fn sample(
    input: &Input,
    source: &mut Source,
    mut size: usize,
    above: u64,
) -> Result<(Vec<u8>, bool), TableError> {
    let mut text = Vec::new();
    loop {
        let held = text.len();
        if held >= LONGEST || size > 2 * LONGEST {
            let line = above + 1 + memchr::memchr_iter(b'\n', &text).count() as u64;
            let wrong = Fault::from(too_long("a line"));
            return Err(wrong.at(input.path, Some(line)));
        }
        let grown = text.grow(size - held, input.options.memory, "its header");
        grown.map_err(|error| input.refused(error))?;
        text.resize(size, 0);
        let read = source.fill(&mut text[held..])?;
        text.truncate(held + read);
        let is_whole = text.len() < size;
        let ends = |end| memchr::memchr_iter(end, &text).take(LINES).count() == LINES;
        if is_whole || ends(b'\n') || ends(b'\r') {
            return Ok((text, is_whole));
        }
        size *= 2;
    }
}

/// The first record of a text, and where it ends.
fn first_record(text: &[u8], separator: Separator) -> Option<(ByteRecord, usize)> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator.byte())
        .has_headers(false)
        .from_reader(text);
    let mut record = ByteRecord::new();
    // Reading from memory has no error to tell.
    let found = reader.read_byte_record(&mut record).unwrap_or(false);
    found.then(|| (record, reader.position().byte() as usize))
}

/// Refuses what stands above the names, and ends of lines that only the rows have.
fn refuse_strange_lines(
    path: &Path,
    line: u64,
    header: &ByteRecord,
    rows: &[ByteRecord],
    separator: Separator,
) -> Result<(), TableError> {
    let Some(width) = rows.first().map(ByteRecord::len) else {
        return Ok(());
    };
    let first = shown(&String::from_utf8_lossy(header.get(0).unwrap_or_default()));
    let is_even = |rows: &[ByteRecord]| rows.iter().all(|row| row.len() == width);
    if header.len() == 1 && width > 2 && is_even(rows) {
        let message = format!(
            "{first} is one field, the lines below have {width}: delete what stands above the \
             columns' names"
        );
        return Err(Fault::from(message).at(path, Some(line)));
    }
    let ends_empty = |row: &ByteRecord| row.iter().next_back() == Some(b"");
    if width == header.len() + 1 && is_even(rows) && rows.iter().all(ends_empty) {
        let message = format!(
            "each row ends with {separator}, which the header does not: delete it there, or give \
             the last column a name"
        );
        return Err(Fault::from(message).at(path, Some(line)));
    }
    Ok(())
}

/// A first line that may hold values instead of names.
struct Header<'a> {
    path: &'a Path,
    line: u64,
    record: &'a ByteRecord,
    rows: &'a [ByteRecord],
    missing: &'a [String],
}

impl Header<'_> {
    /// Refuses a first line that must be an observation; a warning where it may be one.
    fn check(&self) -> Result<Option<String>, TableError> {
        let number = |cell: &[u8]| match classify_with(cell, self.missing) {
            Field::Number(number) => Some(number),
            Field::Missing | Field::Infinite | Field::Text => None,
        };
        let numbers: Vec<f64> = self.record.iter().filter_map(number).collect();
        let cells = self.record.iter().enumerate();
        let is_value = |(column, cell): (usize, &[u8])| {
            let mut below = self.rows.iter().map(|row| row.get(column));
            number(cell).is_some() || !cell.is_empty() && below.any(|below| below == Some(cell))
        };
        if numbers.is_empty() || !cells.into_iter().all(is_value) {
            return Ok(None);
        }
        let mut sorted = numbers.clone();
        sorted.sort_by(f64::total_cmp);
        let repeats = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        let are_years = numbers
            .iter()
            .all(|number| number.fract() == 0.0 && *number >= 0.0);
        let mend = "read it with --no-header (the columns are then V1, V2, …)";
        if numbers.len() < self.record.len() || repeats || !are_years {
            let message =
                format!("the first line holds values, not names: if there is no header, {mend}");
            return Err(Fault::from(message).at(self.path, Some(self.line)));
        }
        // As pandas names columns without names.
        let counts = |from: usize| {
            (from..)
                .zip(&numbers)
                .all(|(count, number)| count as f64 == *number)
        };
        let counted = numbers.len() > 1 && (counts(0) || counts(1));
        Ok((!counted).then(|| {
            format!("the first line holds numbers alone and was read as the columns' names: if the file has no header, {mend}")
        }))
    }
}

/// What is told of a dialect that neither an option nor the file's name said.
fn told(dialect: &Dialect, options: &TextOptions, expected: Option<Separator>) -> Option<String> {
    let found = options.separator.is_none() && expected.is_some_and(|own| own != dialect.separator);
    let separator = found.then(|| format!("{} between columns", dialect.separator));
    let comma = dialect.found_comma && dialect.decimal == DecimalMark::Comma;
    let decimal = comma.then(|| "`,` before decimals".to_owned());
    let all: Vec<String> = separator.into_iter().chain(decimal).collect();
    (!all.is_empty()).then(|| {
        let (all, options) = (all.join(" and "), "--separator and --decimal");
        format!("the file was read with {all}, as its first lines show; {options} say otherwise")
    })
}
