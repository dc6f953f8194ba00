//! The files of fast-mRMR: codes of one byte, row by row.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;

use super::extent::Extent;
use super::format::{Format, Input};
use super::growing::{COLUMNS, Growing, PER_COLUMN};
use super::source::{DENSEST, GAP, Source, runs};
use super::{Column, ReadOptions, Table, TableError, names};
use crate::threads::{helpers, map_each, piece};

const HEADER_BYTES: u64 = 8;
/// Bytes read at a time for each thread, and bytes of rows that are copied to a column at a time: parts of them stay
/// in the first cache.
const READ_BYTES: usize = piece(1 << 20);

pub(super) const FORMAT: Format = Format {
    header,
    estimate: |path, bytes, _| estimate(path, bytes),
    ..Format::new(&["mrmr"], read)
};

/// The sizes of the header, which the file need not hold.
fn estimate(path: &Path, bytes: u64) -> Option<Extent> {
    let mut source = Source::open(path, &ReadOptions::default()).ok()?;
    let mut header = [0; HEADER_BYTES as usize];
    source.fill(&mut header).ok()?;
    let [a, b, c, d, e, f, g, h] = header;
    let sizes = [[a, b, c, d], [e, f, g, h]].map(u32::from_le_bytes);
    let [rows, columns] = sizes.map(u64::from);
    (rows.saturating_mul(columns) <= DENSEST * bytes).then(|| Extent::dense(rows, columns, 1))
}

fn header(input: &Input) -> Result<Option<Table>, TableError> {
    let mut bytes = [0; HEADER_BYTES as usize];
    let found = Source::open(input.path, input.options)?.fill(&mut bytes)?;
    let [.., a, b, c, d] = bytes;
    match u32::from_le_bytes([a, b, c, d]) {
        columns @ 1.. if found == bytes.len() => {
            let names = names::numbered(columns as usize - 1);
            input.named(columns as usize, names, Some(0))
        }
        _ => Ok(None),
    }
}

/// Reads the codes as columns of numbers `y`, `x0`, `x1`, ….
fn read(input: &Input) -> Result<Table, TableError> {
    let mut source = Source::open(input.path, input.options)?;
    let mut header = [0; HEADER_BYTES as usize];
    let found = source.fill(&mut header)?;
    if found < header.len() {
        return Err(input.error(format!(
            "ends at byte {found}, within its header of two sizes; copy or write the file again"
        )));
    }
    let [a, b, c, d, e, f, g, h] = header;
    let (rows, columns) = (
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
    );
    if rows == 0 {
        return Err(TableError::no_rows(input.path));
    }
    if columns == 0 {
        return Err(TableError::no_columns(input.path));
    }
    let promised = u64::from(rows) * u64::from(columns);
    let check = |found: u64| {
        let codes = format!("the header promises {rows} rows of {columns} codes");
        let (row, end) = (found / u64::from(columns) + 1, HEADER_BYTES + promised);
        Err(input.error(match found.cmp(&promised) {
            Ordering::Equal => return Ok(()),
            Ordering::Less => format!(
                "cut off in row {row}: {codes}, {promised} bytes behind it, {found} are there; \
                 copy or write the file again"
            ),
            Ordering::Greater => format!(
                "goes on at byte {end}: {codes}, which end there; copy or write the file again"
            ),
        }))
    };
    // Before memory is taken for what the header promises, the file has to hold it.
    let size = source.measure(HEADER_BYTES + promised + 1)?;
    check(size.saturating_sub(HEADER_BYTES))?;

    let width = columns as usize;
    input.hold(width * PER_COLUMN, COLUMNS)?;
    let names: Vec<String> = names::numbered(width - 1).collect();
    let wanted = |at: usize| at == 0 || input.partition.reads(at, width, &names[at]);
    let wanted: Vec<bool> = (0..width).map(wanted).collect();
    let mut columns: Vec<Vec<u8>> = vec![Vec::new(); width];
    for at in (0..width).filter(|at| wanted[*at]) {
        let grown = columns[at].grow(rows as usize, input.options.memory, "its codes");
        grown.map_err(|error| input.refused(error))?;
    }
    // Several rows are read at a time and copied to the columns; long parts of a row that other
    // ranks read are skipped.
    let runs = runs(width, GAP, |at| wanted[at]);
    let read: Vec<usize> = runs.iter().cloned().flatten().collect();
    let at_once = (READ_BYTES / read.len()).max(1);
    let mut bytes = vec![0; read.len() * at_once * helpers()];
    let (mut found, mut left) = (0, rows as usize);
    // Once more than there are rows: the file may have changed since its size was taken.
    loop {
        let filled = match read.len() == width {
            true => source.fill_at_once(&mut bytes)?,
            false => {
                let rows = bytes.chunks_exact_mut(read.len()).take(left);
                left -= rows.len();
                pieces(&mut source, rows, &runs, width)?
            }
        };
        found += (filled / read.len() * width + filled % read.len()) as u64;
        if filled == 0 || found > promised || !filled.is_multiple_of(read.len()) {
            break;
        }
        let blocks = bytes[..filled].chunks(read.len() * at_once);
        let mut own = columns
            .iter_mut()
            .zip(&wanted)
            .filter(|(_, wanted)| **wanted);
        let places = read.iter().enumerate().filter(|(_, at)| wanted[**at]);
        let mut own: Vec<(usize, &mut Vec<u8>)> = places
            .filter_map(|(place, _)| Some((place, own.next()?.0)))
            .collect();
        // Columns side by side share the lines of the cache that they are read from.
        let each = own.len().div_ceil(helpers()).next_multiple_of(64);
        map_each(own.chunks_mut(each.max(1)).collect(), |columns| {
            for block in blocks.clone() {
                let rows = block.chunks_exact(read.len());
                for (place, column) in &mut *columns {
                    column.extend(rows.clone().map(|row| row[*place]));
                }
            }
        });
    }
    check(found)?;
    let columns = names.into_iter().zip(columns).map(Column::from);
    input.table(columns.collect(), Some(0))
}

/// Fills rows with some ranges of the file's rows; returns the number of bytes read.
fn pieces<'a>(
    source: &mut Source,
    rows: impl Iterator<Item = &'a mut [u8]>,
    runs: &[Range<usize>],
    width: usize,
) -> Result<usize, TableError> {
    let mut all = 0;
    for row in rows {
        let (mut place, mut position) = (0, 0);
        for run in runs {
            source.skip((run.start - position) as u64)?;
            let filled = source.fill(&mut row[place..place + run.len()])?;
            all += filled;
            if filled < run.len() {
                return Ok(all);
            }
            (place, position) = (place + run.len(), run.end);
        }
        source.skip((width - position) as u64)?;
    }
    Ok(all)
}
