//! Reports and the tables of jobs as Apache Parquet.

use std::{io, sync::Arc};

use parquet::{
    basic::{LogicalType, Repetition, Type as Physical},
    data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type},
    errors::ParquetError,
    file::writer::{SerializedFileWriter, SerializedRowGroupWriter},
    schema::types::Type,
};

use super::regression::rows;
use crate::selection::{Estimate, Selection};

/// The values of a column; absent ones are nulls.
enum Values {
    /// Texts of which none is absent.
    Names(Vec<ByteArray>),
    Texts(Vec<Option<ByteArray>>),
    Integers(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
}

/// The table of the CSV report in typed columns.
pub(super) fn render(selection: &Selection) -> io::Result<Vec<u8>> {
    let names = rows(selection).map(|row| row.0.into()).collect();
    let index = rows(selection).map(|row| row.1.map(|index| index as i64));
    let number = |value: fn(&Estimate) -> Option<f64>| {
        Values::Numbers(rows(selection).map(|row| value(row.2)).collect())
    };
    write(
        "selection",
        vec![
            ("name", Values::Names(names)),
            ("index", Values::Integers(index.collect())),
            ("coefficient", number(|own| Some(own.coefficient))),
            ("std_error", number(|own| own.std_error)),
            ("t", number(|own| own.t)),
            ("p_value", number(|own| own.p_value)),
            ("lower", number(|own| own.lower)),
            ("upper", number(|own| own.upper)),
        ],
    )
}

/// A table of texts in columns of whole numbers, numbers or texts, whichever all fields of a column
/// are; an empty text is null. Each row has as many fields as there are names.
pub(super) fn table(names: &[String], rows: &[Vec<String>]) -> io::Result<Vec<u8>> {
    let values = |at: usize| {
        let fields = rows.iter().map(move |row| &*row[at]);
        let fields = || {
            fields
                .clone()
                .map(|text| Some(text).filter(|text| !text.is_empty()))
        };
        let all = |is: fn(&str) -> bool| fields().flatten().all(is);
        match () {
            () if all(|text| text.parse::<i64>().is_ok()) => {
                Values::Integers(fields().map(|text| text?.parse().ok()).collect())
            }
            () if all(|text| text.parse::<f64>().is_ok()) => {
                Values::Numbers(fields().map(|text| text?.parse().ok()).collect())
            }
            () => Values::Texts(fields().map(|text| text.map(ByteArray::from)).collect()),
        }
    };
    let columns = names.iter().enumerate();
    write(
        "jobs",
        columns.map(|(at, name)| (&**name, values(at))).collect(),
    )
}

fn write(table: &str, columns: Vec<(&str, Values)>) -> io::Result<Vec<u8>> {
    write_group(table, columns).map_err(|error| io::Error::other(error.to_string()))
}

fn write_group(table: &str, columns: Vec<(&str, Values)>) -> Result<Vec<u8>, ParquetError> {
    let fields = columns.iter().map(|(name, values)| {
        let (kind, repetition) = match values {
            Values::Names(_) => (Physical::BYTE_ARRAY, Repetition::REQUIRED),
            Values::Texts(_) => (Physical::BYTE_ARRAY, Repetition::OPTIONAL),
            Values::Integers(_) => (Physical::INT64, Repetition::OPTIONAL),
            Values::Numbers(_) => (Physical::DOUBLE, Repetition::OPTIONAL),
        };
        let text = (kind == Physical::BYTE_ARRAY).then_some(LogicalType::String);
        let field = Type::primitive_type_builder(name, kind).with_repetition(repetition);
        field.with_logical_type(text).build().map(Arc::new)
    });
    let schema = Type::group_type_builder(table)
        .with_fields(fields.collect::<Result<_, _>>()?)
        .build()?;
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::default())?;
    let mut group = file.next_row_group()?;
    for (_, values) in columns {
        match values {
            Values::Names(values) => column::<ByteArrayType>(&mut group, &values, None)?,
            Values::Texts(values) => optional::<ByteArrayType>(&mut group, values)?,
            Values::Integers(values) => optional::<Int64Type>(&mut group, values)?,
            Values::Numbers(values) => optional::<DoubleType>(&mut group, values)?,
        }
    }
    group.close()?;
    file.into_inner()
}

/// Writes the next column, absent values as nulls.
fn optional<T: DataType>(
    group: &mut SerializedRowGroupWriter<Vec<u8>>,
    values: Vec<Option<T::T>>,
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = values
        .iter()
        .map(|value| i16::from(value.is_some()))
        .collect();
    let present: Vec<T::T> = values.into_iter().flatten().collect();
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
