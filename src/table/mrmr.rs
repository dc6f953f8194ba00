//! The files of fast-mRMR: codes of one byte, row by row.

use std::ops::Range;
use std::path::Path;

use super::format::{Content, Format};
use super::source::{GAP, Source, runs};
use super::{Column, ColumnPartition, ReadOptions, TableError, Values, names};

const HEADER_BYTES: u64 = 8;
const READ_BYTES: usize = 1 << 20;

/// The format of fast-mRMR.
pub(super) const FORMAT: Format = Format {
    extensions: &["mrmr"],
    gzip: true,
    companions: &[],
    read,
    estimate: |_, bytes| Some(bytes),
};

/// Errors of a `.mrmr` file.
#[derive(Debug, thiserror::Error)]
enum MrmrError {
    #[error("ends at byte {found}, within its header of two sizes; copy or write the file again")]
    Header { found: usize },
    #[error(
        "cut off in row {row}: the header promises {rows} rows of {columns} codes, {promised} \
         bytes behind it, {found} are there; copy or write the file again"
    )]
    Short {
        row: u64,
        rows: u32,
        columns: u32,
        promised: u64,
        found: u64,
    },
    #[error(
        "goes on at byte {at}: the header promises {rows} rows of {columns} codes, which end \
         there; copy or write the file again"
    )]
    Long { at: u64, rows: u32, columns: u32 },
}

/// Reads the codes as columns of numbers `y`, `x0`, `x1`, ….
///
/// # Errors
/// More or fewer codes than the header promises, or none.
fn read(
    path: &Path,
    options: &ReadOptions,
    partition: &ColumnPartition,
) -> Result<Content, TableError> {
    let shown = path.to_string_lossy().into_owned();
    let wrong = |source: MrmrError| TableError::format(path, source);
    let mut source = Source::open(path)?;
    let mut header = [0; HEADER_BYTES as usize];
    let found = source.fill(&mut header)?;
    if found < header.len() {
        return Err(wrong(MrmrError::Header { found }));
    }
    let [a, b, c, d, e, f, g, h] = header;
    let (rows, columns) = (
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
    );
    if rows == 0 {
        return Err(TableError::NoRows { path: shown });
    }
    if columns == 0 {
        return Err(TableError::NoColumns { path: shown });
    }
    let promised = u64::from(rows) * u64::from(columns);
    let check = |found: u64| match found {
        _ if found < promised => Err(wrong(MrmrError::Short {
            row: found / u64::from(columns) + 1,
            rows,
            columns,
            promised,
            found,
        })),
        _ if found > promised => Err(wrong(MrmrError::Long {
            at: HEADER_BYTES + promised,
            rows,
            columns,
        })),
        _ => Ok(()),
    };
    // Before memory is taken for what the header promises, the file has to hold it.
    let size = match source.size {
        Some(size) => size,
        None => Source::open(path)?.measure(HEADER_BYTES + promised + 1)?,
    };
    check(size.saturating_sub(HEADER_BYTES))?;

    let width = columns as usize;
    let names = || std::iter::once(String::from("y")).chain((0..).map(names::variable));
    let wanted = |(at, name): (usize, String)| at == 0 || partition.reads(at, width, &name);
    let wanted: Vec<bool> = names().take(width).enumerate().map(wanted).collect();
    let mut columns: Vec<Vec<u8>> = vec![Vec::new(); width];
    for at in (0..width).filter(|at| wanted[*at]) {
        columns[at].reserve_exact(rows as usize);
    }
    // Several rows are read at a time and copied to the columns; long parts of a row that other
    // ranks read are skipped.
    let runs = runs(width, GAP, |at| wanted[at]);
    let read: Vec<usize> = runs.iter().cloned().flatten().collect();
    let at_once = (READ_BYTES / read.len()).max(1);
    let mut bytes = vec![0; read.len() * at_once];
    let (mut found, mut left) = (0, rows as usize);
    // Once more than there are rows: the file may have changed since its size was taken.
    loop {
        let filled = match read.len() == width {
            true => source.fill(&mut bytes)?,
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
        let rows = bytes[..filled].chunks_exact(read.len());
        for (place, at) in read.iter().enumerate().filter(|(_, at)| wanted[**at]) {
            columns[*at].extend(rows.clone().map(|row| row[place]));
        }
    }
    check(found)?;
    let columns = names().zip(columns).map(|(name, values)| Column {
        name,
        values: Values::Bytes(values),
    });
    Content::new(path, options, columns.collect(), Some(0))
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
