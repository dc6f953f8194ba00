//! Lines `label index:value …`, as LIBSVM and its kin write them.

mod entries;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use entries::{ENTRIES, Entries, Entry, PER_ENTRY, by_part, name};

use super::error::{Fault, as_given, shown_bytes};
use super::extent::of_libsvm;
use super::field::{Field, classify};
use super::format::{Format, Input};
use super::growing::{LONGEST, too_long};
use super::lines::NO_TEXT;
use super::names::check_factors;
use super::rounded::{self, EXACT, is_rounded};
use super::whole_lines::{WholeLines, cut_at_lines};
use super::{Column, Table, TableError};
use crate::threads::{helpers, map_each, piece};

pub(super) const FORMAT: Format = Format {
    estimate: |path, bytes, _| of_libsvm(path, bytes),
    ..Format::new(&["libsvm", "svm"], |input| read(input, THREAD_BYTES))
};

/// Text that a thread parses at a time, but for longer lines.
const THREAD_BYTES: usize = piece(1 << 20);
/// Entries that a thread gathers before it parts them.
const GATHERED: usize = piece(1 << 17);
/// Most rows of a table.
const MOST_ROWS: usize = 1 << 32;

/// Reads the label as column `y`, then a sparse column for each index that occurs, ascending,
/// named by it: `f12`. Files that count from 0 and from 1 are read alike.
pub(super) fn read(input: &Input, thread_bytes: usize) -> Result<Table, TableError> {
    let partition = input.partition;
    // Which columns there are is known at the end: a second pass keeps the wanted ones.
    let wanted: Option<HashSet<u32>> = match partition.communicator {
        None => None,
        Some(_) => {
            let (_, entries) = gather(input, thread_bytes, Some(&HashSet::new()))?;
            let indexes = entries.alone();
            let width = indexes.len() + 1;
            let wanted = (1..).zip(indexes);
            let wanted = wanted.filter(|(at, index)| partition.reads(*at, width, &name(*index)));
            Some(wanted.map(|(_, index)| index).collect())
        }
    };
    let (labels, entries) = gather(input, thread_bytes, wanted.as_ref())?;
    let mut columns = vec![Column::from(("y", labels))];
    columns.extend(entries.columns(input.options, |error| TableError::memory(input.path, error))?);
    // Indexes are unlike each other, and so are names made of them.
    let names = columns.iter().map(|column| column.name.as_str());
    check_factors(input.path, input.options, names)?;
    Ok(Table::new(as_given(input.path), columns, Some(0)))
}

/// Reads all lines: the labels, and the entries of the indexes that are wanted, or all.
fn gather(
    input: &Input,
    thread_bytes: usize,
    wanted: Option<&HashSet<u32>>,
) -> Result<(Vec<f64>, Entries), TableError> {
    let mut lines = WholeLines::open(input, helpers() * thread_bytes)?;
    let (mut labels, mut entries) = (Vec::new(), Entries::new());
    // Lines so far, and bytes of blank ones since the last other one.
    let (mut number, mut blank) = (0, 0);
    while let Some(text) = lines.next()? {
        // Each entry has a colon, and each label a line.
        let most = [b':', b'\n'].map(|byte| memchr::memchr_iter(byte, text).count());
        let held = labels.len() + entries.held() + most[0] + most[1] + 1;
        input.hold((most[0] + most[1] + 1) * PER_ENTRY, ENTRIES)?;
        let texts = cut_at_lines(text, helpers());
        let pieces = map_each(texts.clone(), |text| Piece::read(text, (0, 0), wanted));
        for (text, mut piece) in texts.into_iter().zip(pieces) {
            let is_too_much = labels.len() + piece.labels.len() > MOST_ROWS
                || blank + piece.opening.unwrap_or(piece.blank) > LONGEST;
            if is_too_much {
                // Together with what was before; now it tells where.
                piece = Piece::read(text, (labels.len(), blank), wanted);
            }
            number += piece.lines;
            if let Some(message) = piece.fault {
                return Err(Fault::from(message).at(input.path, Some(number)));
            }
            blank = match piece.opening {
                Some(_) => piece.blank,
                None => blank + piece.blank,
            };
            for block in piece.blocks {
                entries.add(labels.len() as u32, block);
            }
            entries.add_alone(piece.alone);
            labels.append(&mut piece.labels);
        }
        entries.settle();
        if let Some(memory) = input.options.memory {
            let surplus = held - labels.len() - entries.held();
            memory.shrink((surplus * PER_ENTRY) as u64);
        }
    }
    labels.shrink_to_fit();
    match (labels.is_empty(), number) {
        (false, _) => Ok((labels, entries)),
        (true, 0) => Err(TableError::empty(
            input.path,
            "a line `LABEL INDEX:VALUE …` for each observation",
        )),
        (true, _) => Err(TableError::no_rows(input.path)),
    }
}

/// What some whole lines hold.
#[derive(Default)]
struct Piece<'a> {
    labels: Vec<f64>,
    /// Entries by part, block after block; rows count from the piece's first.
    blocks: Vec<Vec<Vec<Entry>>>,
    /// Those behind them.
    gathered: Vec<Entry>,
    /// Indexes, by part, that have a column though no entry of theirs is kept.
    alone: Vec<Vec<u32>>,
    /// The indexes whose entries are kept; `None` keeps all.
    wanted: Option<&'a HashSet<u32>>,
    lines: u64,
    /// Bytes of the blank lines at the start and of the line behind them; `None` if there is none.
    opening: Option<usize>,
    /// Bytes of the blank lines at the end.
    blank: usize,
    /// What is wrong with the last line that was read.
    fault: Option<String>,
}

impl<'a> Piece<'a> {
    /// Reads lines until one is wrong. Before them are so many rows, and bytes of blank lines.
    fn read(text: &[u8], (rows, blank): (usize, usize), wanted: Option<&'a HashSet<u32>>) -> Self {
        let mut piece = Self {
            wanted,
            blank,
            ..Self::default()
        };
        let mut alone = Vec::new();
        let damage = memchr::memchr(0, text).unwrap_or(text.len());
        let has_comments = memchr::memchr(b'#', text).is_some();
        let mut end = 0;
        while end < text.len() && piece.fault.is_none() {
            let start = end;
            end = memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |at| start + at + 1);
            let line = &text[start..end];
            piece.lines += 1;
            if damage < end {
                piece.fault = Some(NO_TEXT.to_owned());
                break;
            }
            if piece.blank + line.len() > LONGEST {
                piece.fault = Some(match piece.blank {
                    0 => too_long("the line"),
                    _ => too_long("a stretch of blank lines"),
                });
                break;
            }
            if line.trim_ascii().is_empty() {
                piece.blank += line.len();
                continue;
            }
            piece.opening.get_or_insert(piece.blank + line.len());
            piece.blank = 0;
            let comment = memchr::memchr(b'#', line).filter(|_| has_comments);
            let line = &line[..comment.unwrap_or(line.len())];
            piece.fault = piece.line(line, rows, &mut alone).err();
        }
        piece.part();
        piece.alone = by_part(&alone, |index| *index);
        piece
    }

    /// Reads a line without its comment.
    fn line(&mut self, text: &[u8], before: usize, alone: &mut Vec<u32>) -> Result<(), String> {
        let text = text.trim_ascii_start();
        let (label, mut rest) = text.split_at(field_length(text));
        if label.is_empty() {
            return Ok(());
        }
        if before + self.labels.len() >= MOST_ROWS {
            return Err("more than 4294967295 observations; split the file".to_owned());
        }
        let row = self.labels.len() as u32;
        self.labels.push(label_value(label)?);
        let mut last = None;
        loop {
            rest = rest.trim_ascii_start();
            if rest.is_empty() {
                return Ok(());
            }
            let (index, value, length) = match plain_entry(rest) {
                Some(found) => found,
                None => {
                    let length = field_length(rest);
                    let (index, value) = entry(&rest[..length])?;
                    (index, value, length)
                }
            };
            rest = &rest[length..];
            if let Some(before) = last.filter(|before| *before >= index) {
                return Err(format!(
                    "index {index} comes after {before}: the indexes of a line ascend, each once"
                ));
            }
            last = Some(index);
            // A zero that is written out makes a column and no entry.
            if value != 0.0 && self.wanted.is_none_or(|wanted| wanted.contains(&index)) {
                self.gathered.push(Entry { row, index, value });
                if self.gathered.len() == GATHERED {
                    self.part();
                }
            } else {
                alone.push(index);
            }
        }
    }

    /// Parts the entries that were gathered.
    fn part(&mut self) {
        self.blocks
            .push(by_part(&self.gathered, |entry| entry.index));
        self.gathered.clear();
    }
}

/// The length of the field at the start of a text.
fn field_length(text: &[u8]) -> usize {
    let end = text.iter().position(u8::is_ascii_whitespace);
    end.unwrap_or(text.len())
}

fn label_value(label: &[u8]) -> Result<f64, String> {
    match classify(label) {
        Field::Number(value) if is_rounded(label, value) => Err(rounded::refusal(label)),
        Field::Number(value) => Ok(value),
        Field::Missing => Ok(f64::NAN),
        Field::Infinite => Err(infinite(label)),
        Field::Text => {
            let text = shown_bytes(label);
            let expected = "the label, a number, before the first `INDEX:VALUE`";
            Err(format!("{text} should be {expected}"))
        }
    }
}

/// The entry at the start of a text, and its length; `None` where [`entry`] has to look closer.
#[inline]
fn plain_entry(text: &[u8]) -> Option<(u32, f64, usize)> {
    let (mut index, mut digits) = (0, 0);
    while let Some(digit @ b'0'..=b'9') = text.get(digits) {
        // One more might be too many.
        if digits == 9 {
            return None;
        }
        index = index * 10 + u32::from(digit - b'0');
        digits += 1;
    }
    if digits == 0 || text.get(digits) != Some(&b':') {
        return None;
    }
    let number = &text[digits + 1..];
    let (value, length) = fast_float2::parse_partial::<f64, _>(number).ok()?;
    let is_whole = number.get(length).is_none_or(u8::is_ascii_whitespace);
    let is_plain = is_whole && value.abs() < EXACT;
    is_plain.then_some((index, value, digits + 1 + length))
}

fn entry(field: &[u8]) -> Result<(u32, f64), String> {
    let wrong = || {
        let expected = "a whole number of at most 4294967295 and a number";
        format!("{} should be `INDEX:VALUE`, {expected}", shown_bytes(field))
    };
    let colon = memchr::memchr(b':', field).ok_or_else(wrong)?;
    let (index, value) = (&field[..colon], &field[colon + 1..]);
    // `parse` would take a sign.
    let digits = index.iter().all(u8::is_ascii_digit);
    let index = str::from_utf8(index).ok().filter(|_| digits);
    let index = index.and_then(|index| index.parse().ok());
    let index = index.ok_or_else(wrong)?;
    match classify(value) {
        Field::Number(number) if is_rounded(value, number) => Err(rounded::refusal(value)),
        Field::Number(value) => Ok((index, value)),
        Field::Missing if !value.is_empty() => Ok((index, f64::NAN)),
        Field::Infinite => Err(infinite(field)),
        _ => Err(wrong()),
    }
}

fn infinite(field: &[u8]) -> String {
    let mend = "mend the value, or write nan for a missing one";
    format!("{} is infinite; {mend}", shown_bytes(field))
}
