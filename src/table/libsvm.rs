//! Lines `label index:value …`, as LIBSVM and its kin write them.

use std::collections::{HashMap, HashSet};
use std::mem::take;

use super::error::shown_bytes;
use super::extent::of_libsvm;
use super::field::{Field, classify};
use super::format::{Format, Input};
use super::growing::PER_COLUMN;
use super::lines::Lines;
use super::rounded::{self, is_rounded};
use super::{Column, Table, TableError, Values};
use crate::memory::{MemoryCharge, MemoryError};

pub(super) const FORMAT: Format = Format {
    estimate: |path, bytes, _| of_libsvm(path, bytes),
    ..Format::new(&["libsvm", "svm"], read)
};

/// Reads the label as column `y`, then a sparse column for each index that occurs, ascending,
/// named by it: `f12`. Files that count from 0 and from 1 are read alike.
fn read(input: &Input) -> Result<Table, TableError> {
    let partition = input.partition;
    // Which columns there are is known at the end: a second pass keeps the wanted ones.
    let wanted = match partition.communicator {
        None => None,
        Some(_) => {
            let indexes = entries(input, Some(HashSet::new()))?.indexes();
            let width = indexes.len() + 1;
            let wanted = (1..).zip(indexes);
            let wanted = wanted.filter(|(at, index)| partition.reads(*at, width, &name(*index)));
            Some(wanted.map(|(_, index)| index).collect())
        }
    };
    input.table(entries(input, wanted)?.columns(), Some(0))
}

fn name(index: u32) -> String {
    format!("f{index}")
}

/// Reads all lines, keeping the entries of the indexes that are wanted, or all.
fn entries<'a>(input: &Input<'a>, wanted: Option<HashSet<u32>>) -> Result<Entries<'a>, TableError> {
    let mut lines = Lines::open(input.path, input.options)?;
    let mut read = Entries {
        wanted,
        memory: input.options.memory,
        ..Entries::default()
    };
    while lines.advance()? {
        let line = read.line(&lines.text);
        line.map_err(|message| lines.error(message))?;
        read.charge(true).map_err(|error| input.refused(error))?;
    }
    match read.labels.is_empty() {
        true => Err(lines.no_rows("a line `LABEL INDEX:VALUE …` for each observation")),
        false => Ok(read),
    }
}

/// The entries of the lines so far.
#[derive(Default)]
struct Entries<'a> {
    labels: Vec<f64>,
    /// The position in `columns` of each index.
    places: HashMap<u32, usize>,
    /// Rows and values of each index, by order of appearance.
    columns: Vec<(Vec<u32>, Vec<f64>)>,
    /// The indexes whose entries are kept; `None` keeps all.
    wanted: Option<HashSet<u32>>,
    /// The number of entries that are kept.
    kept: usize,
    memory: Option<&'a MemoryCharge>,
    /// Bytes charged to it.
    charged: usize,
    /// Why no more entries are taken.
    refused: Option<MemoryError>,
}

/// Bytes that a column takes before its fourth entry, and that an entry takes while its column grows.
const PER_INDEX: usize = PER_COLUMN + 96;
const PER_ENTRY: usize = 18;
/// Columns and entries after which their memory is charged within a line.
const UNCHARGED: usize = 1 << 16;

impl Entries<'_> {
    /// Charges what was taken since the last time, unless that is little and more is to come.
    fn charge(&mut self, now: bool) -> Result<(), MemoryError> {
        if let Some(error) = self.refused.take() {
            return Err(error);
        }
        let held = self.columns.len() * PER_INDEX + self.kept * PER_ENTRY + self.labels.len() * 16;
        let more = held - self.charged;
        if let Some(memory) = self.memory
            && (now || more > UNCHARGED * PER_ENTRY)
        {
            memory.grow(more as u64, "its entries")?;
            self.charged = held;
        }
        Ok(())
    }

    fn line(&mut self, text: &[u8]) -> Result<(), String> {
        let text = match memchr::memchr(b'#', text) {
            Some(comment) => &text[..comment],
            None => text,
        };
        let fields = text.split(u8::is_ascii_whitespace);
        let mut fields = fields.filter(|field| !field.is_empty());
        let Some(label) = fields.next() else {
            return Ok(());
        };
        let row = u32::try_from(self.labels.len());
        let row = row.map_err(|_| "more than 4294967295 observations; split the file")?;
        self.labels.push(match classify(label) {
            Field::Number(value) if is_rounded(label, value) => {
                return Err(rounded::refusal(label));
            }
            Field::Number(value) => value,
            Field::Missing => f64::NAN,
            Field::Infinite => return Err(infinite(label)),
            Field::Text => {
                let text = shown_bytes(label);
                let expected = "the label, a number, before the first `INDEX:VALUE`";
                return Err(format!("{text} should be {expected}"));
            }
        });
        let mut last = None;
        for field in fields {
            let (index, value) = entry(field)?;
            if let Some(before) = last.filter(|before| *before >= index) {
                return Err(format!(
                    "index {index} comes after {before}: the indexes of a line ascend, each once"
                ));
            }
            last = Some(index);
            let next = self.columns.len();
            let place = *self.places.entry(index).or_insert(next);
            if place == next {
                self.columns.push((Vec::new(), Vec::new()));
            }
            // A zero that is written out makes a column and no entry.
            if value != 0.0 && self.wants(index) {
                let (rows, values) = &mut self.columns[place];
                rows.push(row);
                values.push(value);
                self.kept += 1;
            }
            if let Err(error) = self.charge(false) {
                // The caller looks for it.
                self.refused = Some(error);
                return Ok(());
            }
        }
        Ok(())
    }

    fn wants(&self, index: u32) -> bool {
        let wanted = self.wanted.as_ref();
        wanted.is_none_or(|wanted| wanted.contains(&index))
    }

    /// The indexes that occur, ascending.
    fn indexes(self) -> Vec<u32> {
        let mut indexes: Vec<u32> = self.places.into_keys().collect();
        indexes.sort_unstable();
        indexes
    }

    fn columns(mut self) -> Vec<Column> {
        let mut places: Vec<(u32, usize)> = take(&mut self.places).into_iter().collect();
        places.sort_unstable();
        self.labels.shrink_to_fit();
        let mut columns = Vec::with_capacity(places.len() + 1);
        columns.push(Column::from(("y", take(&mut self.labels))));
        columns.extend(places.into_iter().map(|(index, place)| {
            let (mut rows, mut values) = take(&mut self.columns[place]);
            rows.shrink_to_fit();
            values.shrink_to_fit();
            Column::from((name(index), Values::Sparse { rows, values }))
        }));
        columns
    }
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
