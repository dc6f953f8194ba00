//! Delimited text that holds nothing but numbers and missing values, read at speed.
//!
//! A number's parser finds the number's end by itself, so nothing searches for delimiters.
//! Whatever is out of the ordinary (a quote, a text, a ragged row, an infinite number) ends
//! the attempt, and [`csv`](super::csv) reads the file from its start or tells what is wrong.

use std::path::Path;

use csv::ByteRecord;

use super::field::{Field, classify};
use super::format::Input;
use super::head::{self, Head};
use super::rows::RowBuffer;
use super::source::Source;
use super::{Column, TableError, names};

/// Bytes held at a time: text and the block of numbers made of it share the second-level cache.
const WINDOW_BYTES: usize = 1 << 18;
/// A header longer than this is left to the general reader.
const HEADER_BYTES: usize = 1 << 24;

/// Reads the file's head lines and columns, or returns `None` where the general reader has to.
pub(super) fn read(
    input: &Input,
    delimiter: u8,
) -> Result<Option<(Head, Vec<Column>)>, TableError> {
    let (head, source) = head::open(input.path)?;
    let mut window = TextWindow::new(source, delimiter);
    let Some(names) = header(input.path, &head, &mut window)? else {
        return Ok(None);
    };
    let wanted = |(at, name): (usize, &String)| input.partition.reads(at, names.len(), name);
    let wanted: Vec<bool> = names.iter().enumerate().map(wanted).collect();
    let mut rows = RowBuffer::with_wanted(wanted);
    let mut column = 0;
    let mut reserved = false;
    while let Some(text) = window.next()? {
        if memchr::memchr(b'"', text).is_some() {
            return Ok(None);
        }
        match parse(text, delimiter, names.len(), column, &mut rows) {
            Some(next) => column = next,
            None => return Ok(None),
        }
        // The first rows show about how many there will be: columns that need not grow take no
        // more memory than their values do.
        if !reserved && rows.count() > 0 {
            reserved = true;
            if let Some(size) = window.source.size {
                let read = rows.count() as f64 + column as f64 / names.len() as f64;
                let expected = size as f64 / window.taken as f64 * read;
                rows.reserve((expected * 1.02) as usize + 8);
            }
        }
    }
    if column != 0 || rows.count() == 0 {
        return Ok(None);
    }
    Ok(Some((head, rows.into_named(names))))
}

/// Reads the names in the first record below the head lines, and moves the window past it.
fn header(
    path: &Path,
    head: &Head,
    window: &mut TextWindow,
) -> Result<Option<Vec<String>>, TableError> {
    let mut record = ByteRecord::new();
    while window.bytes.len() <= HEADER_BYTES {
        window.fill()?;
        let text = &window.bytes[..window.filled];
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(window.delimiter)
            .has_headers(false)
            .from_reader(text);
        // Reading from memory has no error to tell.
        let Ok(true) = reader.read_byte_record(&mut record) else {
            return Ok(None);
        };
        let end = reader.position().byte() as usize;
        // A record that reaches the window's end may go on beyond it.
        if end < window.filled {
            window.start = end;
            let blank = text.iter().take_while(|byte| matches!(byte, b'\n' | b'\r'));
            let line = head.lines + 1 + blank.filter(|byte| **byte == b'\n').count() as u64;
            return names::of_header(path, line, &record).map(Some);
        }
        if window.ended {
            break;
        }
        window.grow();
    }
    Ok(None)
}

/// Parses text that begins and ends between two fields, the first of them of the given
/// column; returns the column at its end.
fn parse(
    text: &[u8],
    delimiter: u8,
    width: usize,
    mut column: usize,
    rows: &mut RowBuffer,
) -> Option<usize> {
    let mut rest = text;
    while !rest.is_empty() {
        // Blank lines are no rows.
        if column == 0
            && let [b'\n', next @ ..] | [b'\r', b'\n', next @ ..] = rest
        {
            rest = next;
            continue;
        }
        let (value, length) = field(rest, delimiter)?;
        rows.push(value);
        column += 1;
        rest = match &rest[length..] {
            [end, rest @ ..] if *end == delimiter && column < width => rest,
            [b'\n', rest @ ..] | [b'\r', b'\n', rest @ ..] if column == width => {
                column = 0;
                rest
            }
            _ => return None,
        };
    }
    Some(column)
}

/// Value and length of the field at the text's start.
#[inline]
fn field(text: &[u8], delimiter: u8) -> Option<(f64, usize)> {
    // Half of all numbers may have a sign, in no order: the processor cannot guess a jump on
    // it, so the sign is taken off and put back without one.
    let negative = text.first() == Some(&b'-');
    let sign = usize::from(negative);
    let digits = text.get(sign..)?;
    if !matches!(digits, [b'-' | b'+', ..])
        && let Ok((value, length)) = fast_float2::parse_partial::<f64, _>(digits)
        && value.is_finite()
        && let Some(&end) = digits.get(length)
        && (end == delimiter || matches!(end, b'\n' | b'\r'))
    {
        let value = f64::from_bits(value.to_bits() ^ u64::from(negative) << 63);
        return Some((value, length + sign));
    }
    let length = memchr::memchr3(delimiter, b'\n', b'\r', text)?;
    match classify(&text[..length]) {
        Field::Number(value) => Some((value, length)),
        Field::Missing => Some((f64::NAN, length)),
        Field::Infinite | Field::Text => None,
    }
}

/// The part of the file in memory.
struct TextWindow {
    source: Source,
    delimiter: u8,
    bytes: Vec<u8>,
    /// Bytes of the window that hold text.
    filled: usize,
    /// First byte not yet parsed.
    start: usize,
    /// Bytes parsed so far, without the header's.
    taken: u64,
    ended: bool,
}

impl TextWindow {
    fn new(source: Source, delimiter: u8) -> Self {
        Self {
            source,
            delimiter,
            bytes: vec![0; WINDOW_BYTES],
            filled: 0,
            start: 0,
            taken: 0,
            ended: false,
        }
    }

    fn grow(&mut self) {
        self.bytes.resize(self.bytes.len() * 2, 0);
    }

    /// Moves the unread text to the front and fills the rest of the window. The last line gets a
    /// line end.
    fn fill(&mut self) -> Result<(), TableError> {
        self.bytes.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        // One byte stays free for the last line's end.
        let free = self.bytes.len() - 1;
        if !self.ended && self.filled < free {
            let read = self.source.fill(&mut self.bytes[self.filled..free])?;
            self.filled += read;
            if self.filled < free {
                self.ended = true;
                self.bytes[self.filled] = b'\n';
                self.filled += 1;
            }
        }
        Ok(())
    }

    /// The next text, ending with a delimiter or a line; `None` at the file's end.
    ///
    /// Where a field is longer than the window, which no number is, the text holds that
    /// field's beginning alone, and cannot be parsed.
    fn next(&mut self) -> Result<Option<&[u8]>, TableError> {
        self.fill()?;
        if self.filled == 0 {
            return Ok(None);
        }
        let text = &self.bytes[..self.filled];
        let end = memchr::memrchr2(self.delimiter, b'\n', text).map_or(self.filled, |at| at + 1);
        self.start = end;
        self.taken += end as u64;
        Ok(Some(&text[..end]))
    }
}
