//! Apache Parquet: typed columns, nulls for missing values.

mod pages;

use std::fmt::Display;
use std::fs::File;
use std::path::Path;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescriptor, Type};

use super::extent::Extent;
use super::factor::{ColumnBuilder, FactorBuilder};
use super::format::{self, Format, Input};
use super::rounded::{RoundedColumn, RoundedColumns, rounded};
use super::source::open_file;
use super::{Column, Table, TableError, Values, names};
use crate::panics::catch_panic;
use crate::threads::map_each;
use pages::{Checked, Counted};

/// Values decoded at a time.
const VALUES: usize = 1 << 14;

/// The format of Apache Parquet, which compresses within: some bytes a value.
pub(super) const FORMAT: Format = Format {
    read,
    header,
    estimate: |path, bytes, _| estimate(path, bytes),
    ..format::PARQUET_UNBUILT
};

/// The rows and columns of the footer, which the file need not hold.
fn estimate(path: &Path, bytes: u64) -> Option<Extent> {
    let file = File::open(path).ok()?;
    let footer = catch_panic(|| SerializedFileReader::new(Counted::new(file)).ok());
    let footer = footer.ok()??;
    let schema = footer.metadata().file_metadata();
    let rows = u64::try_from(schema.num_rows()).ok()?;
    let columns = schema.schema().get_fields().len() as u64;
    let is_possible = rows.saturating_mul(columns) <= bytes.saturating_mul(1 << 12);
    is_possible.then(|| Extent::dense(rows, columns, 8))
}

/// The names of the schema.
fn header(input: &Input) -> Result<Option<Table>, TableError> {
    let (file, metadata) = open_file(input.path)?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let names = catch_panic(|| {
        let broken = |error: ParquetError| damaged(input, error);
        let reader = SerializedFileReader::new(Counted::new(file)).map_err(broken)?;
        let fields = reader.metadata().file_metadata().schema().get_fields();
        let names = fields.iter().map(|field| field.name().to_owned());
        Ok(names.collect::<Vec<String>>())
    });
    let names = names.unwrap_or_else(|panic| Err(damaged(input, panic)))?;
    input.named(names.len(), names.into_iter(), None)
}

/// Reads the file's columns: numbers and booleans as numbers, text as factors.
fn read(input: &Input) -> Result<Table, TableError> {
    let (file, metadata) = open_file(input.path)?;
    if !metadata.is_file() {
        return Err(
            input.error("a pipe or a device, and Parquet is read from its end: copy it to a file")
        );
    }
    // The crate meets some kinds of damage with a failed assertion.
    let columns = catch_panic(|| read_open(file, input));
    let read = columns.unwrap_or_else(|panic| Err(damaged(input, panic)));
    // The crate tells of an interrupt as of a damaged page.
    input.options.heed_interrupt()?;
    let (columns, rounded) = read?;
    let table = input.table(columns, None)?;
    Ok(Table { rounded, ..table })
}

fn damaged(input: &Input, what: impl Display) -> TableError {
    input.error(format!(
        "not a whole Parquet file that can be read ({what}); copy or write it again"
    ))
}

fn read_open(file: File, input: &Input) -> Result<(Vec<Column>, Vec<RoundedColumn>), TableError> {
    let broken = |error: ParquetError| damaged(input, error);
    let reader = SerializedFileReader::new(Counted::new(file)).map_err(broken)?;
    let fields = reader.metadata().file_metadata().schema().get_fields();
    if fields.is_empty() {
        return Err(TableError::no_columns(input.path));
    }
    let mut columns = Vec::with_capacity(fields.len());
    for (position, field) in fields.iter().enumerate() {
        let name = name_of(field, position).map_err(|message| input.error(message))?;
        let builder = kind(field).map_err(|(kind, mend)| {
            input.error(format!(
                "column `{name}` holds {kind}, neither numbers nor text; {mend}"
            ))
        })?;
        let wanted = input.partition.reads(position, fields.len(), &name);
        columns.push((name, builder, wanted));
    }
    check_codecs(input, &reader)?;
    let groups = (0..reader.num_row_groups()).map(|group| reader.get_row_group(group));
    let groups: Vec<Box<dyn RowGroupReader + '_>> =
        groups.collect::<Result<_, _>>().map_err(broken)?;
    let all = columns.into_iter().enumerate().collect();
    let read_one = |(position, (name, builder, wanted)): (usize, (String, _, bool))| match wanted {
        true => {
            // On a thread of its own a failed assertion would be shown.
            let read = catch_panic(|| read_column(&groups, position, builder, input));
            let (values, rounded) = read.unwrap_or_else(|panic| Err(damaged(input, panic)))?;
            Ok((Column { name, values }, rounded))
        }
        false => Ok((Column::from((name, Values::Remote)), None)),
    };
    let read: Vec<Result<(Column, FirstRounded), TableError>> = map_each(all, read_one);
    let mut rounded = RoundedColumns::default();
    let columns = read.into_iter().enumerate().map(|(position, read)| {
        let (column, found) = read?;
        if let Some((row, number)) = found {
            rounded.add(position, None, row, number);
        }
        Ok(column)
    });
    let columns: Vec<Column> = columns.collect::<Result<_, TableError>>()?;
    if columns.iter().any(|column| column.values.len() == Some(0)) {
        return Err(TableError::no_rows(input.path));
    }
    columns
        .iter()
        .try_for_each(|column| column.check_finite(input.path))?;
    Ok((columns, rounded.0))
}

/// The row, counted from 1, and the text of an integer that 64-bit floating point rounds.
type FirstRounded = Option<(usize, String)>;

/// The values of a column from all row groups, and the first that was rounded.
fn read_column(
    groups: &[Box<dyn RowGroupReader + '_>],
    position: usize,
    mut builder: ColumnBuilder,
    input: &Input,
) -> Result<(Values, FirstRounded), TableError> {
    let broken = |error: ParquetError| damaged(input, error);
    let mut found = None;
    for group in groups {
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        // No field is nested, so each is the leaf at its own position.
        let pages = group.get_column_page_reader(position).map_err(broken)?;
        let column = group.metadata().column(position).column_descr_ptr();
        let (levels, unsigned) = (column.max_def_level(), is_unsigned(&column));
        let checked = Checked {
            pages,
            interrupt: input.options.interrupt.cloned().unwrap_or_default(),
            rows,
            levels,
        };
        let mut reader = get_column_reader(column, Box::new(checked));
        let read = builder.extend(&mut reader, rows, unsigned, &mut found);
        read.map_err(|error| damaged(input, error))?;
    }
    Ok((builder.finish(), found))
}

fn name_of(field: &Type, position: usize) -> Result<String, String> {
    let name = field.name();
    match name.trim().is_empty() {
        true => Err(names::unnamed(position)),
        false if name.starts_with("__index_level_") => Err(format!(
            "column `{name}` is the index of a pandas table, no variable; write it with \
             to_parquet(..., index=False)"
        )),
        false => Ok(name.to_owned()),
    }
}

/// Refuses a codec that is not built in before any page is read.
fn check_codecs(input: &Input, reader: &SerializedFileReader<Counted>) -> Result<(), TableError> {
    let groups = reader.metadata().row_groups().iter();
    let mut codecs = groups
        .flat_map(|group| group.columns())
        .map(|chunk| chunk.compression());
    let unknown = |codec: &Compression| matches!(codec, Compression::BROTLI(_) | Compression::LZO);
    match codecs.find(unknown) {
        None => Ok(()),
        Some(codec) => Err(input.error(format!(
            "compressed by {codec}; write it with snappy, zstd, gzip, lz4 or none"
        ))),
    }
}

/// The builder for a field's values; else what it holds, and the mend.
fn kind(field: &Type) -> Result<ColumnBuilder, (&'static str, &'static str)> {
    const NUMBER: &str = "cast it to float64";
    const TIME: &str = "cast it to a number, of days say, or write the file without it";
    const OTHER: &str = "write the file without it, or cast it";
    let info = field.get_basic_info();
    if !field.is_primitive() || info.repetition() == Repetition::REPEATED {
        return Err(("nested values", "write each of them as a column of its own"));
    }
    let numbers = Ok(ColumnBuilder::Numbers(Vec::new()));
    // Older writers give the converted type alone, and the crate fills it in from the
    // newer logical type.
    match (info.converted_type(), info.logical_type_ref()) {
        (ConvertedType::DECIMAL, _) => Err(("decimal numbers", NUMBER)),
        (ConvertedType::DATE, _) => Err(("dates", TIME)),
        (_, Some(LogicalType::Timestamp(_) | LogicalType::Time(_))) => Err(("times", TIME)),
        (
            ConvertedType::TIMESTAMP_MILLIS
            | ConvertedType::TIMESTAMP_MICROS
            | ConvertedType::TIME_MILLIS
            | ConvertedType::TIME_MICROS,
            _,
        ) => Err(("times", TIME)),
        (ConvertedType::INTERVAL, _) => Err(("lengths of time", TIME)),
        (converted, logical) => match (field.get_physical_type(), converted) {
            (Physical::INT96, _) => Err(("times", TIME)),
            (Physical::BOOLEAN | Physical::INT32 | Physical::INT64, _) => numbers,
            (Physical::FLOAT | Physical::DOUBLE, _) => numbers,
            (Physical::FIXED_LEN_BYTE_ARRAY, _) if logical == Some(&LogicalType::Float16) => {
                numbers
            }
            (Physical::BYTE_ARRAY, ConvertedType::UTF8 | ConvertedType::ENUM) => {
                Ok(ColumnBuilder::Factor(FactorBuilder::default()))
            }
            (Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY, _) => Err(("bytes", OTHER)),
        },
    }
}

/// Whether integers lie there without a sign.
fn is_unsigned(column: &ColumnDescriptor) -> bool {
    matches!(
        column.converted_type(),
        ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64
    )
}

impl ColumnBuilder {
    /// Appends values; `found` is the row, counted from 1, and the text of the first integer that
    /// 64-bit floating point rounds.
    fn extend(
        &mut self,
        reader: &mut ColumnReader,
        rows: usize,
        unsigned: bool,
        found: &mut Option<(usize, String)>,
    ) -> Result<(), String> {
        use ColumnReader as R;
        let (values, reader) = match (self, reader) {
            (Self::Numbers(values), reader) => (values, reader),
            (Self::Factor(factor), R::ByteArrayColumnReader(column)) => {
                return each(column, rows, |value: Option<&ByteArray>| {
                    let level = value.map(|value| str::from_utf8(value.data())).transpose();
                    let row = factor.len() + 1;
                    let not_utf8 = |_| format!("text in row {row} is not UTF-8");
                    factor.push(level.map_err(not_utf8)?);
                    Ok(())
                });
            }
            (Self::Factor(_), _) => return Err(unexpected()),
        };
        if let R::Int64ColumnReader(column) = reader {
            return each(column, rows, |v| {
                let integer = v.map(|v| match unsigned {
                    true => i128::from(*v as u64),
                    false => i128::from(*v),
                });
                values.push(integer.map_or(f64::NAN, |integer| integer as f64));
                if found.is_none() {
                    let number = integer.and_then(rounded);
                    *found = number.map(|number| (values.len(), number));
                }
                Ok(())
            });
        }
        let mut push = |value: Option<f64>| {
            values.push(value.unwrap_or(f64::NAN));
            Ok(())
        };
        match reader {
            R::BoolColumnReader(column) => {
                each(column, rows, |v| push(v.map(|v| f64::from(u8::from(*v)))))
            }
            R::Int32ColumnReader(column) if unsigned => {
                each(column, rows, |v| push(v.map(|v| f64::from(*v as u32))))
            }
            R::Int32ColumnReader(column) => each(column, rows, |v| push(v.map(|v| f64::from(*v)))),
            R::FloatColumnReader(column) => each(column, rows, |v| push(v.map(|v| f64::from(*v)))),
            R::DoubleColumnReader(column) => each(column, rows, |v| push(v.copied())),
            R::FixedLenByteArrayColumnReader(column) => {
                each(column, rows, |v| push(v.map(half).transpose()?))
            }
            R::Int64ColumnReader(_) | R::Int96ColumnReader(_) | R::ByteArrayColumnReader(_) => {
                Err(unexpected())
            }
        }
    }
}

fn unexpected() -> String {
    "values of another type than promised".to_owned()
}

/// Hands over so many values of a column that is not nested, nulls as none.
fn each<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    mut take: impl FnMut(Option<&T::T>) -> Result<(), String>,
) -> Result<(), String> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    let mut left = rows;
    while left > 0 {
        values.clear();
        levels.clear();
        let wanted = left.min(VALUES);
        let read = reader.read_records(wanted, Some(&mut levels), None, &mut values);
        let (records, ..) = read.map_err(|error| error.to_string())?;
        if records == 0 {
            return Err(format!("{left} of {rows} values are missing"));
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
fn half(value: &FixedLenByteArray) -> Result<f64, String> {
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
