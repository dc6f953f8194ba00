//! Columns of tables that have Arrow's stream of record batches (PyCapsule interface): of pandas, Polars, PyArrow, DuckDB.

#![allow(unsafe_code)]

use std::collections::{HashMap, HashSet};

use arrow_array::{
    Array, ArrayRef, BooleanArray, RecordBatchReader, StringArray,
    cast::AsArray,
    ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader},
    types::{
        ArrowDictionaryKeyType, Date32Type, Date64Type, Decimal128Type, Float16Type, Float32Type,
        Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
        TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
        UInt16Type, UInt32Type, UInt64Type,
    },
};
use arrow_schema::{DataType, TimeUnit};
use passel::table::{MISSING, Values};
use pyo3::{prelude::*, types::PyCapsule};

use crate::failure;

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// The columns of a table with an Arrow stream. Categories of the `ordered` ones keep their order.
pub(crate) fn columns(
    py: Python<'_>,
    table: &Bound<'_, PyAny>,
    ordered: &[String],
) -> PyResult<Vec<(String, Values)>> {
    let capsule = table.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name holds such a stream, which `from_raw` takes out of it.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr().cast()) };
    let wrong =
        |error: &dyn std::fmt::Display| failure::of_data(py, &format!("the table: {error}"));
    let reader = RecordBatchStreamReader::try_new(stream).map_err(|error| wrong(&error))?;
    let schema = reader.schema();
    let batches = py.detach(|| reader.collect::<Result<Vec<_>, _>>());
    let batches = batches.map_err(|error| wrong(&error))?;
    let mut columns = Vec::new();
    for (at, field) in schema.fields().iter().enumerate() {
        let chunks: Vec<ArrayRef> = batches.iter().map(|own| own.column(at).clone()).collect();
        let in_order = ordered.contains(field.name());
        let values = py.detach(|| values(field.data_type(), &chunks, in_order));
        let values = values.map_err(|message| {
            failure::of_data(py, &format!("column `{}` {message}", field.name()))
        })?;
        columns.push((field.name().clone(), values));
    }
    Ok(columns)
}

/// The values of all chunks of a column, categories of which may be `in_order`.
fn values(kind: &DataType, chunks: &[ArrayRef], in_order: bool) -> Result<Values, String> {
    macro_rules! numbers {
        ($kind:ty, $number:expr) => {{
            let number: fn(<$kind as arrow_array::ArrowPrimitiveType>::Native) -> f64 = $number;
            let all = chunks.iter().flat_map(|chunk| {
                let chunk = chunk.as_primitive::<$kind>();
                chunk.iter().map(|own| own.map_or(f64::NAN, number))
            });
            Ok(all.collect::<Vec<f64>>().into())
        }};
    }
    macro_rules! whole {
        ($kind:ty) => {{
            let mut numbers = chunks.iter().flat_map(|own| own.as_primitive::<$kind>().iter());
            let rounded = numbers.find_map(|own| own.filter(|own| *own as f64 as i128 != i128::from(*own)));
            if let Some(number) = rounded {
                return Err(format!(
                    "has the number {number}, which 64-bit floating point rounds: leave the column out, or make it a text"
                ));
            }
            numbers!($kind, |own| own as f64)
        }};
    }
    match kind {
        DataType::Null => Ok(vec![f64::NAN; chunks.iter().map(|own| own.len()).sum()].into()),
        DataType::Boolean => {
            let of = |own: &BooleanArray| {
                let numbers = own.iter().map(|own| own.map_or(f64::NAN, |own| own.into()));
                numbers.collect::<Vec<f64>>()
            };
            let all = chunks.iter().flat_map(|own| of(own.as_boolean()));
            Ok(all.collect::<Vec<f64>>().into())
        }
        DataType::Int8 => numbers!(Int8Type, f64::from),
        DataType::Int16 => numbers!(Int16Type, f64::from),
        DataType::Int32 => numbers!(Int32Type, f64::from),
        DataType::Int64 => whole!(Int64Type),
        DataType::UInt8 => numbers!(UInt8Type, f64::from),
        DataType::UInt16 => numbers!(UInt16Type, f64::from),
        DataType::UInt32 => numbers!(UInt32Type, f64::from),
        DataType::UInt64 => whole!(UInt64Type),
        DataType::Float16 => numbers!(Float16Type, f64::from),
        DataType::Float32 => numbers!(Float32Type, f64::from),
        DataType::Float64 => numbers!(Float64Type, |own| own),
        DataType::Decimal128(_, scale) => {
            // The nearest number of the decimal digits.
            let scale = *scale;
            let all = chunks.iter().flat_map(|chunk| {
                let chunk = chunk.as_primitive::<Decimal128Type>();
                chunk.iter().map(move |own| match own {
                    Some(own) => format!("{own}e{}", -i32::from(scale))
                        .parse()
                        .unwrap_or(f64::NAN),
                    None => f64::NAN,
                })
            });
            Ok(all.collect::<Vec<f64>>().into())
        }
        DataType::Date32 => numbers!(Date32Type, f64::from),
        DataType::Date64 => numbers!(Date64Type, |own| own as f64 / (DAY * 1e3)),
        DataType::Timestamp(TimeUnit::Second, _) => {
            numbers!(TimestampSecondType, |own| own as f64 / DAY)
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            numbers!(TimestampMillisecondType, |own| own as f64 / (DAY * 1e3))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            numbers!(TimestampMicrosecondType, |own| own as f64 / (DAY * 1e6))
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            numbers!(TimestampNanosecondType, |own| own as f64 / (DAY * 1e9))
        }
        DataType::Utf8 => Ok(texts(chunks, |own| own.as_string::<i32>().iter())),
        DataType::LargeUtf8 => Ok(texts(chunks, |own| own.as_string::<i64>().iter())),
        DataType::Utf8View => Ok(texts(chunks, |own| own.as_string_view().iter())),
        DataType::Dictionary(key, level) => {
            if !matches!(
                **level,
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
            ) {
                return Err(format!(
                    "has categories of the type {level}, which are no texts"
                ));
            }
            match **key {
                DataType::Int8 => Ok(categories::<Int8Type>(chunks, in_order)),
                DataType::Int16 => Ok(categories::<Int16Type>(chunks, in_order)),
                DataType::Int32 => Ok(categories::<Int32Type>(chunks, in_order)),
                DataType::Int64 => Ok(categories::<Int64Type>(chunks, in_order)),
                DataType::UInt8 => Ok(categories::<UInt8Type>(chunks, in_order)),
                DataType::UInt16 => Ok(categories::<UInt16Type>(chunks, in_order)),
                DataType::UInt32 => Ok(categories::<UInt32Type>(chunks, in_order)),
                _ => Ok(categories::<UInt64Type>(chunks, in_order)),
            }
        }
        other => Err(format!(
            "has values of the type {other}, which are neither numbers nor texts: leave it out, or convert it"
        )),
    }
}

fn texts<'a, I: Iterator<Item = Option<&'a str>>>(
    chunks: &'a [ArrayRef],
    of: impl Fn(&'a ArrayRef) -> I,
) -> Values {
    chunks.iter().flat_map(of).collect()
}

/// Categories, each chunk of which may have a dictionary of its own; `in_order` they are levels as they stand there.
fn categories<K: ArrowDictionaryKeyType>(chunks: &[ArrayRef], in_order: bool) -> Values {
    let (mut codes, mut known) = (Vec::new(), HashMap::new());
    // Codes of levels from the first to the last.
    let mut order = Vec::new();
    let mut last: Option<(&ArrayRef, Vec<u32>)> = None;
    for chunk in chunks {
        let chunk = chunk.as_dictionary::<K>();
        let before = last.take().filter(|(before, _)| *before == chunk.values());
        let own = before.map(|(_, own)| own).unwrap_or_else(|| {
            let code = |level: Option<String>| {
                let next = known.len() as u32;
                level.map_or(MISSING, |level| *known.entry(level).or_insert(next))
            };
            let own: Vec<u32> = level_texts(chunk.values()).into_iter().map(code).collect();
            join_orders(&mut order, &own);
            own
        });
        codes.extend((0..chunk.len()).map(|row| chunk.key(row).map_or(MISSING, |key| own[key])));
        last = Some((chunk.values(), own));
    }
    let mut levels = vec![String::new(); known.len()];
    for (level, code) in known {
        levels[code as usize] = level;
    }
    if !in_order {
        let text = |code: &u32| levels.get(*code as usize).map(String::as_str);
        return codes.iter().map(text).collect();
    }
    let mut places = vec![MISSING; levels.len()];
    for (place, code) in (0..).zip(&order) {
        places[*code as usize] = place;
    }
    let place = |code: &u32| places.get(*code as usize).copied().unwrap_or(MISSING);
    let codes = codes.iter().map(place).collect();
    let in_order = order.iter().map(|code| levels[*code as usize].clone());
    Values::factor(in_order.collect(), codes)
}

/// Puts the levels of another dictionary among those in order: its own order holds if it has all of them in theirs, as where
/// a later one lists more; else what is new comes last.
fn join_orders(order: &mut Vec<u32>, own: &[u32]) {
    let own = own.iter().copied().filter(|code| *code != MISSING);
    let mut rest = order.iter().peekable();
    for code in own.clone() {
        rest.next_if_eq(&&code);
    }
    if rest.peek().is_none() {
        *order = own.collect();
        return;
    }
    let there: HashSet<u32> = order.iter().copied().collect();
    order.extend(own.filter(|code| !there.contains(code)));
}

fn level_texts(levels: &ArrayRef) -> Vec<Option<String>> {
    let own = |text: Option<&str>| text.map(str::to_owned);
    match levels.data_type() {
        DataType::LargeUtf8 => levels.as_string::<i64>().iter().map(own).collect(),
        DataType::Utf8View => levels.as_string_view().iter().map(own).collect(),
        _ => {
            let levels: &StringArray = levels.as_string();
            levels.iter().map(own).collect()
        }
    }
}
