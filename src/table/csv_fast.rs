//! Delimited text that holds nothing but numbers and missing values, read at speed.
//!
//! A number's parser finds the number's end by itself, so nothing searches for delimiters.
//! Whatever is out of the ordinary (a quote, a text, a ragged row, an infinite number) ends
//! the attempt, and [`csv`](super::csv) reads the file from its start or tells what is wrong.

use super::TableError;
use super::field::{Field, classify_with};
use super::format::Input;
use super::growing::LONGEST;
use super::header::{Opening, Rows};
use super::names::unguarded;
use super::rounded::is_rounded;
use super::rows::RowBuffer;
use super::source::Source;
use super::text_options::DecimalMark;
use super::whole_lines::cut_at_lines;
use crate::threads::{helpers, map_each, piece};

/// Bytes held at a time: text and the block of numbers made of it share the second-level cache.
const WINDOW_BYTES: usize = piece(1 << 18);

/// Bytes held at a time for each thread, where several parse lines of their own.
const THREAD_BYTES: usize = piece(1 << 20);

/// Reads the rows of a file, or returns `None` where the general reader has to.
pub(super) fn read(input: &Input, opening: &mut Opening) -> Result<Option<Rows>, TableError> {
    let delimiter = opening.dialect.separator.byte();
    let has_commas = opening.dialect.decimal == DecimalMark::Comma;
    // Commas become points in place, which labels are not to see.
    let is_mixed = has_commas && (delimiter == b',' || opening.dialect.is_labelled);
    let Some(source) = opening.source.take_if(|_| !is_mixed) else {
        return Ok(None);
    };
    // A label may hold a line's end.
    let threads = if opening.dialect.is_labelled {
        1
    } else {
        helpers()
    };
    let bytes = match threads {
        1 => WINDOW_BYTES,
        threads => threads * THREAD_BYTES,
    };
    let mut window = TextWindow::new(source, delimiter, bytes);
    let names = &opening.names;
    let wanted = |(at, name): (usize, &String)| input.partition.reads(at, names.len(), name);
    let wanted: Vec<bool> = names.iter().enumerate().map(wanted).collect();
    let mut rows = RowBuffer::with_wanted(wanted, input.options.memory);
    let mut row = RowReader {
        delimiter,
        width: names.len(),
        missing: input.options.missing,
        labels: opening.dialect.is_labelled.then(Vec::new),
        in_label: opening.dialect.is_labelled,
        column: 0,
    };
    let (mut reserved, mut barren) = (false, 0);
    // Of what each thread parses at a time.
    let mut buffers = Vec::new();
    while let Some(text) = window.next()? {
        // Threads find them where they parse.
        if threads == 1 && row.labels.is_none() && memchr::memchr(b'"', text).is_some() {
            return Ok(None);
        }
        if has_commas {
            // A point is then no mark of a number, and left to the general reader.
            if memchr::memchr(b'.', text).is_some() {
                return Ok(None);
            }
            let commas = text.iter_mut().filter(|byte| **byte == b',');
            commas.for_each(|byte| *byte = b'.');
        }
        let (length, before) = (text.len(), rows.count());
        let read = match threads > 1 && row.column == 0 && text.ends_with(b"\n") {
            true => row.parse_lines(text, (threads, &mut buffers), &mut rows),
            false => row.parse(text, |value| rows.push(value)),
        };
        if read.is_none() {
            return Ok(None);
        }
        rows.check().map_err(|error| input.refused(error))?;
        // Text without an end of a row is the general reader's to tell of.
        barren = if rows.count() > before {
            0
        } else {
            barren + length
        };
        if barren > LONGEST {
            return Ok(None);
        }
        // The first rows show about how many there will be: columns that need not grow take no
        // more memory than their values do.
        if !reserved && rows.count() > 0 {
            reserved = true;
            if let Some(size) = window.source.size {
                let read = rows.count() as f64 + row.column as f64 / names.len() as f64;
                let expected = size as f64 / window.taken as f64 * read;
                rows.reserve((expected * 1.02) as usize + 8);
                rows.check().map_err(|error| input.refused(error))?;
            }
        }
    }
    if row.column != 0 || rows.count() == 0 {
        return Ok(None);
    }
    let labels = row.labels.unwrap_or_default();
    let columns = rows.into_named(names.clone());
    let columns = columns.map_err(|error| input.refused(error))?;
    Ok(Some((columns, labels)))
}

/// Reads rows from text, piece by piece.
struct RowReader<'a> {
    delimiter: u8,
    /// Columns of numbers.
    width: usize,
    /// Words that mean a missing value, besides those that always do.
    missing: &'a [String],
    /// The labels of rows, which stand before their numbers; `None` where there are none.
    labels: Option<Vec<String>>,
    /// Whether a label comes next.
    in_label: bool,
    /// The column that comes next.
    column: usize,
}

impl RowReader<'_> {
    /// Parses whole lines, of which each thread takes some into a buffer of its own.
    fn parse_lines(
        &self,
        text: &[u8],
        (threads, buffers): (usize, &mut Vec<Vec<f64>>),
        rows: &mut RowBuffer,
    ) -> Option<()> {
        let pieces = cut_at_lines(text, threads);
        buffers.resize_with(pieces.len(), Vec::new);
        let parts = pieces.into_iter().zip(buffers.iter_mut()).collect();
        let parsed = map_each(parts, |(piece, values): (&[u8], &mut Vec<f64>)| {
            let mut own = RowReader {
                labels: None,
                ..*self
            };
            values.clear();
            own.parse(piece, |value| values.push(value))?;
            (own.column == 0).then_some(())
        });
        parsed.into_iter().collect::<Option<()>>()?;
        rows.extend_rows(buffers);
        Some(())
    }

    /// Parses text that begins and ends between two fields.
    fn parse(&mut self, text: &[u8], mut take: impl FnMut(f64)) -> Option<()> {
        let (delimiter, width) = (self.delimiter, self.width);
        let mut column = self.column;
        let mut rest = text;
        while !rest.is_empty() {
            if column == 0 {
                // Blank lines are no rows.
                if let [b'\n', next @ ..] | [b'\r', b'\n', next @ ..] = rest {
                    rest = next;
                    continue;
                }
                if self.in_label {
                    rest = self.label(rest)?;
                    self.in_label = false;
                    continue;
                }
            }
            let (value, length) = field(rest, delimiter, self.missing)?;
            take(value);
            column += 1;
            rest = match &rest[length..] {
                [end, rest @ ..] if *end == delimiter && column < width => rest,
                [b'\n', rest @ ..] | [b'\r', b'\n', rest @ ..] if column == width => {
                    column = 0;
                    self.in_label = self.labels.is_some();
                    rest
                }
                _ => return None,
            };
        }
        self.column = column;
        Some(())
    }

    /// Takes the label at the text's start, with the delimiter behind it.
    fn label<'t>(&mut self, text: &'t [u8]) -> Option<&'t [u8]> {
        let (label, rest) = match text {
            [b'"', quoted @ ..] => {
                let end = memchr::memchr(b'"', quoted)?;
                (&quoted[..end], &quoted[end + 1..])
            }
            text => text.split_at(memchr::memchr3(self.delimiter, b'\n', b'\r', text)?),
        };
        let label = str::from_utf8(label).ok()?.trim();
        self.labels.as_mut()?.push(unguarded(label).to_owned());
        rest.strip_prefix(&[self.delimiter])
    }
}

/// Value and length of the field at the text's start.
#[inline]
fn field(text: &[u8], delimiter: u8, missing: &[String]) -> Option<(f64, usize)> {
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
        // The general reader says where it is.
        if is_rounded(&digits[..length], value) {
            return None;
        }
        let value = f64::from_bits(value.to_bits() ^ u64::from(negative) << 63);
        return Some((value, length + sign));
    }
    let length = memchr::memchr3(delimiter, b'\n', b'\r', text)?;
    match classify_with(&text[..length], missing) {
        Field::Number(value) if is_rounded(&text[..length], value) => None,
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
    /// Bytes parsed so far.
    taken: u64,
    ended: bool,
}

impl TextWindow {
    fn new(source: Source, delimiter: u8, bytes: usize) -> Self {
        Self {
            source,
            delimiter,
            bytes: vec![0; bytes],
            filled: 0,
            start: 0,
            taken: 0,
            ended: false,
        }
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
            let read = self
                .source
                .fill_at_once(&mut self.bytes[self.filled..free])?;
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
    fn next(&mut self) -> Result<Option<&mut [u8]>, TableError> {
        self.fill()?;
        if self.filled == 0 {
            return Ok(None);
        }
        let text = &self.bytes[..self.filled];
        // Where it holds whole lines threads share it by lines.
        let line = (self.bytes.len() > WINDOW_BYTES)
            .then(|| memchr::memrchr(b'\n', text))
            .flatten();
        let end = line.or_else(|| memchr::memrchr2(self.delimiter, b'\n', text));
        let end = end.map_or(self.filled, |at| at + 1);
        self.start = end;
        self.taken += end as u64;
        Ok(Some(&mut self.bytes[..end]))
    }
}
