//! About how much a file holds, by its header or its beginning, before it is read.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::ReadOptions;
use super::growing::PER_COLUMN;
use super::source::{Source, is_gzip};

/// About how much a file holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// Observations.
    pub rows: u64,
    /// Columns, the response among them.
    pub columns: u64,
    /// Columns of its design matrix: a factor makes one for each level.
    pub design_columns: u64,
    /// Bytes of its table in memory.
    pub bytes: u64,
    /// The values that are not 0 where columns stay sparse; else none.
    pub entries: Option<u64>,
    /// Whether its columns are genotypes, which a regression keeps at two bits.
    pub genotypes: bool,
}

impl Extent {
    /// The extent of a table with so many bytes a value.
    pub(super) fn dense(rows: u64, columns: u64, bytes: u64) -> Self {
        let values = rows.saturating_mul(columns).saturating_mul(bytes);
        Self {
            rows,
            columns,
            design_columns: columns,
            bytes: values.saturating_add(columns.saturating_mul(PER_COLUMN as u64)),
            entries: None,
            genotypes: false,
        }
    }

    /// That of a table with the columns of another one too, of the same observations.
    pub fn with_columns_of(self, other: Self) -> Self {
        Self {
            rows: self.rows.max(other.rows),
            columns: self.columns.saturating_add(other.columns),
            design_columns: self.design_columns.saturating_add(other.design_columns),
            bytes: self.bytes.saturating_add(other.bytes),
            entries: self
                .entries
                .zip(other.entries)
                .map(|(own, other)| own + other),
            genotypes: self.genotypes && other.genotypes,
        }
    }

    /// Its values, zeros that the format leaves out among them.
    pub fn values(&self) -> u64 {
        self.rows.saturating_mul(self.columns)
    }
}

/// Bytes looked at first, at most, and of a format whose columns are counted.
const SAMPLE: usize = 1 << 18;
const LARGEST_SAMPLE: usize = 1 << 25;
const COUNTED_SAMPLE: usize = 1 << 22;

/// The beginning of a text until there is `enough`, and the bytes of the whole text.
pub(super) fn beginning(
    path: &Path,
    bytes: u64,
    enough: impl Fn(&[u8]) -> bool,
) -> Option<(Vec<u8>, u64)> {
    let mut source = Source::open(path, &ReadOptions::default()).ok()?;
    let (mut text, mut size) = (Vec::new(), SAMPLE);
    loop {
        let held = text.len();
        text.resize(size, 0);
        let filled = source.fill(&mut text[held..]).ok()?;
        text.truncate(held + filled);
        if text.len() < size {
            let whole = text.len() as u64;
            return Some((text, whole));
        }
        if size >= LARGEST_SAMPLE || enough(&text) {
            break;
        }
        size *= 2;
    }
    let whole = match is_gzip(path) {
        true => unpacked(path, bytes),
        false => bytes,
    };
    let least = text.len() as u64;
    Some((text, whole.max(least)))
}

/// About the unpacked bytes of a gzip file: as its last four bytes have them, unless it has several
/// members.
fn unpacked(path: &Path, bytes: u64) -> u64 {
    let last = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::End(-4))?;
        let mut last = [0; 4];
        file.read_exact(&mut last)?;
        std::io::Result::Ok(u32::from_le_bytes(last))
    };
    match last() {
        Ok(size) if u64::from(size) > bytes => size.into(),
        // The usual ratio of numbers.
        _ => 4 * bytes,
    }
}

pub(super) fn line_count(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

/// Rows like these lines in so many bytes.
fn rows_in(lines: &[&[u8]], bytes: u64) -> u64 {
    let length: usize = lines.iter().map(|line| line.len() + 1).sum();
    match length {
        0 => 0,
        length => (bytes as f64 / length as f64 * lines.len() as f64).round() as u64,
    }
}

fn lines_are_cut(text: &[u8], whole: u64) -> bool {
    (text.len() as u64) < whole && line_count(text) > 0
}

/// ARFF: an attribute a line, and rows below `@data`.
pub(super) fn of_arff(path: &Path, bytes: u64) -> Option<Extent> {
    let data = |text: &[u8]| {
        let lines = text.split(|byte| *byte == b'\n');
        let mut end = 0;
        for line in lines {
            end += line.len() + 1;
            if line.trim_ascii().eq_ignore_ascii_case(b"@data") {
                return Some(end.min(text.len()));
            }
        }
        None
    };
    let enough = |text: &[u8]| data(text).is_some_and(|end| line_count(&text[end..]) > 1);
    let (text, whole) = beginning(path, bytes, enough)?;
    let end = data(&text)?;
    let (head, rows) = text.split_at(end);
    let declares = |line: &&[u8]| {
        let start = line.trim_ascii_start().get(..10);
        start.is_some_and(|word| word.eq_ignore_ascii_case(b"@attribute"))
    };
    let attributes = head.split(|byte| *byte == b'\n').filter(declares);
    // Of an attribute with listed values each is a level.
    let widths = attributes.map(|line| match memchr::memchr(b'{', line) {
        Some(at) => 1 + memchr::memchr_iter(b',', &line[at..]).count() as u64,
        None => 1,
    });
    let (columns, design_columns) =
        widths.fold((0, 0), |(count, all), width| (count + 1, all + width));
    let mut lines: Vec<&[u8]> = rows.split(|byte| *byte == b'\n').collect();
    lines.pop_if(|_| lines_are_cut(rows, whole - end as u64));
    lines.retain(|line| !line.trim_ascii().is_empty());
    let rows = rows_in(&lines, whole - end as u64);
    Some(Extent {
        design_columns,
        ..Extent::dense(rows, columns, 8)
    })
}

/// Libsvm: the indexes that occur are counted; how many more there are behind the beginning follows
/// from how their number grows within it.
pub(super) fn of_libsvm(path: &Path, bytes: u64) -> Option<Extent> {
    let (text, whole) = beginning(path, bytes, |text| text.len() >= COUNTED_SAMPLE)?;
    let (mut seen, mut half) = (HashSet::new(), None);
    let (mut rows, mut entries, mut taken) = (0_u64, 0_u64, 0);
    for line in text.split(|byte| *byte == b'\n') {
        let fields = line.split(u8::is_ascii_whitespace);
        let mut fields = fields.filter(|field| !field.is_empty());
        rows += u64::from(fields.next().is_some());
        for field in fields {
            let index = field.split(|byte| *byte == b':').next().unwrap_or_default();
            seen.insert(str::from_utf8(index).ok()?.parse::<u32>().unwrap_or(0));
            entries += 1;
        }
        taken += line.len() + 1;
        if half.is_none() && 2 * taken >= text.len() {
            half = Some(seen.len().max(1));
        }
    }
    let share = whole as f64 / text.len().max(1) as f64;
    let growth = (seen.len().max(1) as f64 / half? as f64).log2();
    let columns = (seen.len() as f64 * share.powf(growth)) as u64 + 1;
    let of_whole = |count: u64| (count as f64 * share) as u64;
    let (rows, entries) = (of_whole(rows), of_whole(entries));
    let held = entries * 12 + rows * 8 + columns * PER_COLUMN as u64;
    Some(Extent {
        rows,
        columns,
        design_columns: columns,
        bytes: held,
        entries: Some(entries),
        genotypes: false,
    })
}
