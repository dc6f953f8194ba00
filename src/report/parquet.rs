//! Reports and the tables of jobs as Apache Parquet.

use std::{io, sync::Arc};

use parquet::{
    basic::{LogicalType, Repetition, Type as Physical},
    data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type},
    errors::ParquetError,
    file::{
        properties::WriterProperties,
        writer::{SerializedFileWriter, SerializedRowGroupWriter},
    },
    schema::types::Type,
};

use super::{
    predictions::{PredictionReport, columns as predicted_columns},
    regression::{reports, rows},
    responses::has_criteria,
};
use crate::prediction::PredictedColumn;
use crate::selection::{Estimate, ResponsesReport, Selection};

type Group<'a> = SerializedRowGroupWriter<'a, Vec<u8>>;

type WriteColumn = Box<dyn FnOnce(&mut Group) -> Result<(), ParquetError>>;

/// A column: its field of the schema, and what writes its values.
struct Column {
    field: Result<Type, ParquetError>,
    write: WriteColumn,
}

/// A column whose absent values are nulls; of a required one none is absent.
fn column<T: DataType>(
    name: &str,
    repetition: Repetition,
    values: impl Iterator<Item = Option<T::T>>,
) -> Column {
    let kind = T::get_physical_type();
    let text = (kind == Physical::BYTE_ARRAY).then_some(LogicalType::String);
    let field = Type::primitive_type_builder(name, kind).with_repetition(repetition);
    let values: Vec<Option<T::T>> = values.collect();
    let write = move |group: &mut Group| {
        let present = values.iter().map(|value| i16::from(value.is_some()));
        let levels: Option<Vec<i16>> =
            (repetition == Repetition::OPTIONAL).then(|| present.collect());
        let values: Vec<T::T> = values.into_iter().flatten().collect();
        let column = group.next_column()?;
        let mut column = column.ok_or(ParquetError::EOF("a column too many".to_owned()))?;
        let levels = levels.as_deref();
        column.typed::<T>().write_batch(&values, levels, None)?;
        column.close()
    };
    Column {
        field: field.with_logical_type(text).build(),
        write: Box::new(write),
    }
}

/// The table of the CSV report in typed columns.
pub(super) fn render(selection: &Selection) -> io::Result<Vec<u8>> {
    let several = !selection.by_other_criteria.is_empty();
    of_reports(&Vec::from_iter(reports(selection)), (false, several))
}

/// The table of the CSV report of several responses.
pub(super) fn render_responses(report: &ResponsesReport) -> io::Result<Vec<u8>> {
    let all: Vec<&Selection> = report.responses.iter().flat_map(reports).collect();
    of_reports(&all, (true, has_criteria(report)))
}

/// One row a variable of each report, which are of several responses or criteria or not.
fn of_reports(
    all: &[&Selection],
    (of_responses, by_criteria): (bool, bool),
) -> io::Result<Vec<u8>> {
    let texts = |text: fn(&Selection) -> String| {
        let all = all.iter().flat_map(move |report| {
            let text = text(report);
            rows(report).map(move |_| Some(text.as_str().into()))
        });
        all.collect::<Vec<Option<ByteArray>>>().into_iter()
    };
    let rows = || all.iter().flat_map(|report| rows(report));
    let names = rows().map(|row| Some(row.0.into()));
    let index = rows().map(|row| row.1.map(|index| index as i64));
    let number = |name: &str, value: fn(&Estimate) -> Option<f64>| {
        let values = rows().map(|row| value(row.2));
        column::<DoubleType>(name, Repetition::OPTIONAL, values)
    };
    let required = Repetition::REQUIRED;
    let text = |name: &str, own| column::<ByteArrayType>(name, required, texts(own));
    let response = of_responses.then(|| text("response", |own| own.response.clone()));
    let criterion = by_criteria.then(|| text("criterion", |own| own.criterion.spec()));
    let columns = [
        column::<ByteArrayType>("name", required, names),
        column::<Int64Type>("index", Repetition::OPTIONAL, index),
        number("coefficient", |own| Some(own.coefficient)),
        number("std_error", |own| own.std_error),
        number("t", |own| own.t),
        number("p_value", |own| own.p_value),
        number("lower", |own| own.lower),
        number("upper", |own| own.upper),
    ];
    let has_family = all.iter().any(|own| own.family.is_some());
    let of_family = has_family.then(|| {
        [
            number("z", |own| own.z),
            number("ratio", |own| own.ratio),
            number("ratio_lower", |own| own.ratio_lower),
            number("ratio_upper", |own| own.ratio_upper),
        ]
    });
    let of_family = of_family.into_iter().flatten();
    let before = response.into_iter().chain(criterion);
    let columns = before.chain(columns).chain(of_family).collect();
    write("selection", columns).map_err(io::Error::other)
}

/// Predictions in typed columns.
pub(super) fn render_predictions(report: &PredictionReport) -> io::Result<Vec<u8>> {
    let null = Repetition::OPTIONAL;
    let rows = (1..=report.rows as i64).map(Some);
    let labels = report.labels.iter();
    let labels = labels.map(|own| Some(own.as_str().into()));
    let before = [
        Some(column::<Int64Type>(
            "predicted_row",
            Repetition::REQUIRED,
            rows,
        )),
        (!report.labels.is_empty()).then(|| column::<ByteArrayType>("label", null, labels)),
    ];
    let predicted = predicted_columns(report).into_iter();
    let predicted = predicted.map(|(name, values)| match values {
        PredictedColumn::Numbers(numbers) => {
            let numbers = numbers
                .into_iter()
                .map(|own| Some(own).filter(|own| !own.is_nan()));
            column::<DoubleType>(&name, null, numbers)
        }
        PredictedColumn::Texts(texts) => {
            let texts = texts.iter().map(|own| own.as_deref().map(ByteArray::from));
            column::<ByteArrayType>(&name, null, texts)
        }
    });
    let columns = before.into_iter().flatten().chain(predicted);
    write("predictions", columns.collect()).map_err(io::Error::other)
}

/// A table of texts as Parquet, in columns of whole numbers, numbers or texts, whichever all
/// fields of a column are; an empty text is null.
///
/// *Shapes:* each row has as many fields as there are names.
///
/// # Errors
/// What the format cannot hold.
pub fn table(names: &[String], rows: &[Vec<String>]) -> io::Result<Vec<u8>> {
    let columns = names.iter().enumerate().map(|(at, name)| {
        let fields = rows.iter().map(move |row| &*row[at]);
        let fields = fields.map(|text| Some(text).filter(|text| !text.is_empty()));
        let all = |is: fn(&str) -> bool| fields.clone().flatten().all(is);
        let null = Repetition::OPTIONAL;
        if all(|text| text.parse::<i64>().is_ok()) {
            column::<Int64Type>(name, null, fields.map(|text| text?.parse().ok()))
        } else if all(|text| text.parse::<f64>().is_ok()) {
            column::<DoubleType>(name, null, fields.map(|text| text?.parse().ok()))
        } else {
            column::<ByteArrayType>(name, null, fields.map(|text| text.map(ByteArray::from)))
        }
    });
    write("jobs", columns.collect()).map_err(io::Error::other)
}

fn write(table: &str, columns: Vec<Column>) -> Result<Vec<u8>, ParquetError> {
    let columns = columns
        .into_iter()
        .map(|own| Ok((own.field?.into(), own.write)));
    let columns: Vec<(Arc<Type>, _)> = columns.collect::<Result<_, ParquetError>>()?;
    let (fields, writes): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let schema = Type::group_type_builder(table)
        .with_fields(fields)
        .build()?;
    // By its maker's name passel knows a file that it wrote.
    let properties = WriterProperties::builder();
    let properties =
        properties.set_created_by(concat!("passel ", env!("CARGO_PKG_VERSION")).into());
    let properties = Arc::new(properties.build());
    let mut file = SerializedFileWriter::new(Vec::new(), Arc::new(schema), properties)?;
    let mut group = file.next_row_group()?;
    for write in writes {
        write(&mut group)?;
    }
    group.close()?;
    file.into_inner()
}
