//! Apache Parquet: typed columns, nulls for missing values.

mod pages;

use std::fs::File;
use std::io;
use std::path::Path;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::Type;

use super::factor::FactorBuilder;
use super::format::{Content, Format};
use super::source::open_file;
use super::{Column, ColumnPartition, ReadOptions, TableError, Values};
use crate::panics::catch_panic;
use pages::{Checked, Counted};

/// Errors that only a Parquet file can have.
#[derive(Debug, thiserror::Error)]
enum FileError {
    #[error("not a whole Parquet file that can be read ({0}); copy or write it again")]
    Damaged(io::Error),
    #[error("column `{column}` holds {kind}, neither numbers nor text; {mend}")]
    Type {
        column: String,
        kind: &'static str,
        mend: &'static str,
    },
    #[error("compressed by {codec}; write it with snappy, zstd, gzip, lz4 or none")]
    Codec { codec: String },
    #[error(
        "column `{column}` is the index of a pandas table, no variable; \
         write it with to_parquet(..., index=False)"
    )]
    Index { column: String },
}

/// Values decoded at a time.
const VALUES: usize = 1 << 14;

/// The format of Apache Parquet, which compresses within: some bytes a value.
pub(super) const FORMAT: Format = Format {
    extensions: &["parquet"],
    gzip: false,
    companions: &[],
    read,
    estimate: |_, bytes| Some(bytes / 4),
};

/// Reads the file's columns: numbers and booleans as numbers, text as factors.
///
/// # Errors
/// Columns of other types, infinite numbers, a file that is damaged.
fn read(
    path: &Path,
    options: &ReadOptions,
    partition: &ColumnPartition,
) -> Result<Content, TableError> {
    let (file, _) = open_file(path)?;
    // The crate meets some kinds of damage with a failed assertion.
    let columns = catch_panic(|| read_open(file, path, partition)).unwrap_or_else(|panic| {
        Err(TableError::format(path, FileError::Damaged(damaged(panic))))
    })?;
    Content::new(path, options, columns, None)
}

fn read_open(
    file: File,
    path: &Path,
    partition: &ColumnPartition,
) -> Result<Vec<Column>, TableError> {
    let shown = path.to_string_lossy().into_owned();
    let broken = |source| TableError::format(path, FileError::Damaged(source));
    let from_crate = |error: ParquetError| broken(crate_error(error));
    let reader = SerializedFileReader::new(Counted::new(file)).map_err(from_crate)?;
    let fields = reader.metadata().file_metadata().schema().get_fields();
    if fields.is_empty() {
        return Err(TableError::NoColumns { path: shown });
    }
    let mut columns = Vec::with_capacity(fields.len());
    for (position, field) in fields.iter().enumerate() {
        let name = name_of(path, position, field)?;
        let builder = kind(field).map_err(|(kind, mend)| {
            let column = name.clone();
            TableError::format(path, FileError::Type { column, kind, mend })
        })?;
        let wanted = partition.reads(position, fields.len(), &name);
        columns.push((name, builder, wanted));
    }
    check_codecs(path, &reader)?;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(from_crate)?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let wanted = columns
            .iter_mut()
            .enumerate()
            .filter(|(_, (.., wanted))| *wanted);
        for (position, (_, builder, _)) in wanted {
            // No field is nested, so each is the leaf at its own position.
            let pages = group.get_column_page_reader(position).map_err(from_crate)?;
            let column = group.metadata().column(position).column_descr_ptr();
            let levels = column.max_def_level();
            let checked = Checked {
                pages,
                rows,
                levels,
            };
            let mut reader = get_column_reader(column, Box::new(checked));
            builder.extend(&mut reader, rows).map_err(broken)?;
        }
    }
    let columns = columns.into_iter().map(|(name, builder, wanted)| Column {
        name,
        values: match wanted {
            true => builder.finish(),
            false => Values::Remote,
        },
    });
    let columns: Vec<Column> = columns.collect();
    if columns.iter().any(|column| column.values.len() == Some(0)) {
        return Err(TableError::NoRows { path: shown });
    }
    columns
        .iter()
        .try_for_each(|column| column.check_finite(&shown))?;
    Ok(columns)
}

/// The crate's message, without its type.
fn crate_error(error: ParquetError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}

fn name_of(path: &Path, position: usize, field: &Type) -> Result<String, TableError> {
    let name = field.name();
    if name.trim().is_empty() {
        return Err(TableError::UnnamedColumn {
            path: path.to_string_lossy().into_owned(),
            column: position + 1,
        });
    }
    let column = name.to_owned();
    match name.starts_with("__index_level_") {
        true => Err(TableError::format(path, FileError::Index { column })),
        false => Ok(column),
    }
}

/// Refuses a codec that is not built in before any page is read.
fn check_codecs(path: &Path, reader: &SerializedFileReader<Counted>) -> Result<(), TableError> {
    let groups = reader.metadata().row_groups().iter();
    let mut codecs = groups
        .flat_map(|group| group.columns())
        .map(|chunk| chunk.compression());
    let unknown = |codec: &Compression| matches!(codec, Compression::BROTLI(_) | Compression::LZO);
    match codecs.find(unknown) {
        None => Ok(()),
        Some(codec) => {
            let codec = codec.to_string();
            Err(TableError::format(path, FileError::Codec { codec }))
        }
    }
}

/// A column while its row groups arrive.
enum ColumnBuilder {
    Numbers {
        values: Vec<f64>,
        /// Whether integers lie there without a sign.
        unsigned: bool,
    },
    Factor(FactorBuilder),
}

/// The builder for a field's values.
///
/// # Errors
/// For a field of neither numbers nor text: what it holds, and the mend.
fn kind(field: &Type) -> Result<ColumnBuilder, (&'static str, &'static str)> {
    const NUMBER: &str = "cast it to float64";
    const TIME: &str = "cast it to a number, of days say, or write the file without it";
    const OTHER: &str = "write the file without it, or cast it";
    let info = field.get_basic_info();
    if !field.is_primitive() || info.repetition() == Repetition::REPEATED {
        return Err(("nested values", "write each of them as a column of its own"));
    }
    let numbers = |unsigned| {
        Ok(ColumnBuilder::Numbers {
            values: Vec::new(),
            unsigned,
        })
    };
    // Older writers give the converted type alone, and the crate fills it in from the
    // newer logical type.
    match (info.converted_type(), info.logical_type_ref()) {
        (ConvertedType::DECIMAL, _) => Err(("decimal numbers", NUMBER)),
        (ConvertedType::DATE, _) => Err(("dates", TIME)),
        (_, Some(LogicalType::Timestamp(_))) => Err(("times", TIME)),
        (_, Some(LogicalType::Time(_))) => Err(("times", TIME)),
        (ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS, _) => {
            Err(("times", TIME))
        }
        (ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS, _) => Err(("times", TIME)),
        (ConvertedType::INTERVAL, _) => Err(("lengths of time", TIME)),
        (converted, logical) => match (field.get_physical_type(), converted) {
            (Physical::INT96, _) => Err(("times", TIME)),
            (
                Physical::INT32 | Physical::INT64,
                ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64,
            ) => numbers(true),
            (Physical::BOOLEAN | Physical::INT32 | Physical::INT64, _) => numbers(false),
            (Physical::FLOAT | Physical::DOUBLE, _) => numbers(false),
            (Physical::FIXED_LEN_BYTE_ARRAY, _) if logical == Some(&LogicalType::Float16) => {
                numbers(false)
            }
            (Physical::BYTE_ARRAY, ConvertedType::UTF8 | ConvertedType::ENUM) => {
                Ok(ColumnBuilder::Factor(FactorBuilder::default()))
            }
            (Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY, _) => Err(("bytes", OTHER)),
        },
    }
}

impl ColumnBuilder {
    /// Appends a row group's values.
    fn extend(&mut self, reader: &mut ColumnReader, rows: usize) -> io::Result<()> {
        use ColumnReader as R;
        match self {
            Self::Numbers { values, unsigned } => {
                let mut push = |value: Option<f64>| {
                    values.push(value.unwrap_or(f64::NAN));
                    Ok(())
                };
                let unsigned = *unsigned;
                match reader {
                    R::BoolColumnReader(column) => {
                        each(column, rows, |v| push(v.map(|v| f64::from(u8::from(*v)))))
                    }
                    R::Int32ColumnReader(column) if unsigned => {
                        each(column, rows, |v| push(v.map(|v| f64::from(*v as u32))))
                    }
                    R::Int32ColumnReader(column) => {
                        each(column, rows, |v| push(v.map(|v| f64::from(*v))))
                    }
                    // Beyond 2⁵³ the nearest number of 64-bit floating point.
                    R::Int64ColumnReader(column) if unsigned => {
                        each(column, rows, |v| push(v.map(|v| *v as u64 as f64)))
                    }
                    R::Int64ColumnReader(column) => {
                        each(column, rows, |v| push(v.map(|v| *v as f64)))
                    }
                    R::FloatColumnReader(column) => {
                        each(column, rows, |v| push(v.map(|v| f64::from(*v))))
                    }
                    R::DoubleColumnReader(column) => each(column, rows, |v| push(v.copied())),
                    R::FixedLenByteArrayColumnReader(column) => {
                        each(column, rows, |v| push(v.map(half).transpose()?))
                    }
                    R::Int96ColumnReader(_) | R::ByteArrayColumnReader(_) => Err(unexpected()),
                }
            }
            Self::Factor(factor) => match reader {
                R::ByteArrayColumnReader(column) => {
                    each(column, rows, |value: Option<&ByteArray>| {
                        let level = value.map(|value| str::from_utf8(value.data())).transpose();
                        let row = factor.len() + 1;
                        let not_utf8 = |_| damaged(format!("text in row {row} is not UTF-8"));
                        factor.push(level.map_err(not_utf8)?);
                        Ok(())
                    })
                }
                _ => Err(unexpected()),
            },
        }
    }

    fn finish(self) -> Values {
        match self {
            Self::Numbers { mut values, .. } => {
                values.shrink_to_fit();
                Values::Numbers(values)
            }
            Self::Factor(factor) => factor.finish(),
        }
    }
}

fn unexpected() -> io::Error {
    damaged("values of another type than promised".to_owned())
}

fn damaged(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Hands over so many values of a column that is not nested, nulls as none.
fn each<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    mut take: impl FnMut(Option<&T::T>) -> io::Result<()>,
) -> io::Result<()> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut left = rows;
    while left > 0 {
        values.clear();
        levels.clear();
        let wanted = left.min(VALUES);
        let read = reader.read_records(wanted, Some(&mut levels), None, &mut values);
        let (records, ..) = read.map_err(crate_error)?;
        if records == 0 {
            return Err(damaged(format!("{left} of {rows} values are missing")));
        }
        let mut present = values.iter();
        for row in 0..records {
            // Without levels no value is null.
            let null = levels.get(row).is_some_and(|level| *level == 0);
            match null {
                true => take(None)?,
                false => take(Some(present.next().ok_or_else(unexpected)?))?,
            }
        }
        left -= records;
    }
    Ok(())
}

/// IEEE 754's number of 16 bits, little-endian.
fn half(value: &FixedLenByteArray) -> io::Result<f64> {
    let bytes = value.data().try_into().map_err(|_| unexpected())?;
    let bits = u16::from_le_bytes(bytes);
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    Ok(if bits >> 15 == 1 { -size } else { size })
}
