use std::{io, sync::Arc};

use parquet::{
    basic::{LogicalType, Repetition, Type as Physical},
    data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type},
    errors::ParquetError,
    file::writer::{SerializedFileWriter, SerializedRowGroupWriter},
    schema::types::Type,
};

use super::rows;
use crate::selection::{Estimate, Selection};

/// A column of numbers that may be absent.
type Of = fn(&Estimate) -> Option<f64>;

/// The table of the CSV report in typed columns.
pub(super) fn render(selection: &Selection) -> io::Result<Vec<u8>> {
    write(selection).map_err(|error| io::Error::other(error.to_string()))
}

fn write(selection: &Selection) -> Result<Vec<u8>, ParquetError> {
    let numbers: [(&str, Of); 6] = [
        ("coefficient", |it| Some(it.coefficient)),
        ("std_error", |it| it.std_error),
        ("t", |it| it.t),
        ("p_value", |it| it.p_value),
        ("lower", |it| it.lower),
        ("upper", |it| it.upper),
    ];
    let field = |name, physical, repetition| {
        Type::primitive_type_builder(name, physical).with_repetition(repetition)
    };
    let mut fields = vec![
        field("name", Physical::BYTE_ARRAY, Repetition::REQUIRED)
            .with_logical_type(Some(LogicalType::String))
            .build()?,
        field("index", Physical::INT64, Repetition::OPTIONAL).build()?,
    ];
    for (name, _) in numbers {
        fields.push(field(name, Physical::DOUBLE, Repetition::OPTIONAL).build()?);
    }
    let schema = Type::group_type_builder("selection")
        .with_fields(fields.into_iter().map(Arc::new).collect())
        .build()?;
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::default())?;
    let mut group = file.next_row_group()?;
    let names: Vec<ByteArray> = rows(selection).map(|row| row.name.into()).collect();
    column::<ByteArrayType>(&mut group, &names, None)?;
    let indices = rows(selection).map(|row| row.index.map(|index| index as i64));
    optional::<Int64Type>(&mut group, indices)?;
    for (_, of) in numbers {
        optional::<DoubleType>(&mut group, rows(selection).map(|row| of(row.estimate)))?;
    }
    group.close()?;
    file.into_inner()
}

/// A table of texts in columns of whole numbers, numbers or texts, whichever all of a column are;
/// an empty text is none. Each row has as many as there are names.
pub(super) fn table(names: &[String], rows: &[Vec<String>]) -> io::Result<Vec<u8>> {
    typed(names, rows).map_err(|error| io::Error::other(error.to_string()))
}

fn typed(names: &[String], rows: &[Vec<String>]) -> Result<Vec<u8>, ParquetError> {
    let present = |at: usize| {
        rows.iter()
            .map(move |row| &*row[at])
            .filter(|it| !it.is_empty())
    };
    let kind = |at: usize| match () {
        () if present(at).all(|it| it.parse::<i64>().is_ok()) => Physical::INT64,
        () if present(at).all(|it| it.parse::<f64>().is_ok()) => Physical::DOUBLE,
        () => Physical::BYTE_ARRAY,
    };
    let kinds: Vec<Physical> = (0..names.len()).map(kind).collect();
    let fields = names.iter().zip(&kinds).map(|(name, &kind)| {
        let text = (kind == Physical::BYTE_ARRAY).then_some(LogicalType::String);
        let field = Type::primitive_type_builder(name, kind).with_logical_type(text);
        field
            .with_repetition(Repetition::OPTIONAL)
            .build()
            .map(Arc::new)
    });
    let schema = Type::group_type_builder("jobs")
        .with_fields(fields.collect::<Result<_, _>>()?)
        .build()?;
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::default())?;
    let mut group = file.next_row_group()?;
    for (at, kind) in kinds.into_iter().enumerate() {
        let texts = rows
            .iter()
            .map(|row| Some(&*row[at]).filter(|it| !it.is_empty()));
        match kind {
            Physical::INT64 => {
                optional::<Int64Type>(&mut group, texts.map(|it| it?.parse().ok()))?;
            }
            Physical::DOUBLE => {
                optional::<DoubleType>(&mut group, texts.map(|it| it?.parse().ok()))?;
            }
            _ => optional::<ByteArrayType>(&mut group, texts.map(|it| it.map(ByteArray::from)))?,
        }
    }
    group.close()?;
    file.into_inner()
}

/// Writes the next column, absent values as nulls.
fn optional<T: DataType>(
    group: &mut SerializedRowGroupWriter<Vec<u8>>,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let (mut present, mut levels) = (Vec::new(), Vec::new());
    for value in values {
        levels.push(i16::from(value.is_some()));
        present.extend(value);
    }
    column::<T>(group, &present, Some(&levels))
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<Vec<u8>>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let column = group.next_column()?;
    let mut column = column.ok_or(ParquetError::EOF("a column too many".to_owned()))?;
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}
