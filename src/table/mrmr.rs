//! The files of fast-mRMR: codes of one byte, row by row.

use std::path::Path;

use super::source::Source;
use super::{Column, TableError, Values, names};

const HEADER_BYTES: u64 = 8;
const READ_BYTES: usize = 1 << 20;

/// What can be wrong with a `.mrmr` file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are the message's facts")]
pub enum MrmrError {
    /// Not even the two sizes.
    #[error("ends at byte {found}, within its header of two sizes; copy or write the file again")]
    Header { found: usize },
    /// Fewer codes than promised.
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
    /// More codes than promised.
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
pub(super) fn read(path: &Path) -> Result<Vec<Column>, TableError> {
    let shown = path.to_string_lossy().into_owned();
    let wrong = |source| TableError::Mrmr {
        path: shown.clone(),
        source,
    };
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
    let mut columns: Vec<Vec<u8>> = vec![Vec::new(); width];
    for column in &mut columns {
        column.reserve_exact(rows as usize);
    }
    // Whole rows at a time, which are turned into pieces of columns.
    let mut bytes = vec![0; width * (READ_BYTES / width).max(1)];
    let mut found = 0;
    loop {
        let filled = source.fill(&mut bytes)?;
        found += filled as u64;
        // The file may have changed since its size was taken.
        if filled == 0 || found > promised || !filled.is_multiple_of(width) {
            break;
        }
        let rows = bytes[..filled].chunks_exact(width);
        for (at, column) in columns.iter_mut().enumerate() {
            column.extend(rows.clone().map(|row| row[at]));
        }
    }
    check(found)?;
    let names = std::iter::once(String::from("y")).chain((0..).map(names::variable));
    let columns = names.zip(columns).map(|(name, values)| Column {
        name,
        values: Values::Bytes(values),
    });
    Ok(columns.collect())
}
