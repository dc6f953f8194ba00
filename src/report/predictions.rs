//! Predictions as CSV, JSON, text and Parquet.

use std::{borrow::Cow, io};

use serde_json::{Map, Value, json};

use super::table::{Cell, Table, exact, number, text, warnings};
use crate::{
    prediction::{PredictedColumn, Predictions},
    presentation::Format,
    printable::{printable_json, printable_lines},
};

/// Significant digits that a reader sees.
const DIGITS: usize = 6;

/// What the models of a report predict of data.
#[derive(Debug, Clone)]
pub struct PredictionReport {
    /// The report as it was given.
    pub report: String,
    /// The data as they were given.
    pub data: String,
    /// What the data call their rows; none without names.
    pub labels: Vec<String>,
    /// Rows.
    pub rows: usize,
    /// What each model says.
    pub models: Vec<ModelPredictions>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

/// What one model predicts.
#[derive(Debug, Clone)]
pub struct ModelPredictions {
    /// The response.
    pub response: String,
    /// The criterion that chose the model.
    pub criterion: String,
    /// The predictions.
    pub predictions: Predictions,
}

/// Renders predictions, but as Parquet.
///
/// # Errors
/// A format that predictions have none of.
pub(super) fn render(report: &PredictionReport, format: Format) -> io::Result<Vec<u8>> {
    let rendered = match format {
        Format::Json => Cow::into_owned(printable_json(&as_json(report))),
        Format::Text => {
            let whole = table(report, true);
            let left = if report.labels.is_empty() {
                vec![]
            } else {
                vec![1]
            };
            let text = whole.aligned(&left) + "\n" + &warnings(&report.warnings);
            let text = text.trim_end().to_owned()
                + concat!("\n\npassel ", env!("CARGO_PKG_VERSION"), "\n");
            Cow::into_owned(printable_lines(&text))
        }
        Format::Csv => table(report, false).csv(),
        _ => return Err(io::ErrorKind::Unsupported.into()),
    };
    Ok(rendered.into_bytes())
}

/// All columns, those of several models named by their responses and criteria, too.
pub fn columns(report: &PredictionReport) -> Vec<(String, PredictedColumn)> {
    let differ = |of: fn(&ModelPredictions) -> &str| {
        let mut all = report.models.iter().map(of);
        let first = all.next();
        all.any(|other| Some(other) != first)
    };
    let by_response = differ(|own| &own.response);
    let by_criterion = differ(|own| &own.criterion);
    let of_model = |own: &ModelPredictions| {
        let response = by_response.then(|| format!("{}:", own.response));
        let criterion = by_criterion.then(|| format!("{}:", own.criterion));
        let before = response.unwrap_or_default() + &criterion.unwrap_or_default();
        let columns = own.predictions.columns().into_iter();
        columns.map(move |(name, values)| (format!("{before}{name}"), values))
    };
    report.models.iter().flat_map(of_model).collect()
}

fn table(report: &PredictionReport, is_read: bool) -> Table<'_, usize> {
    let mut table = Table::of(0..report.rows)
        .column("predicted_row", |row| text((row + 1).to_string()))
        .column_if(!report.labels.is_empty(), "label", |row| {
            text(report.labels.get(*row).map_or("", String::as_str))
        });
    for (name, values) in columns(report) {
        table = table.column(name, move |row| -> Cell<'_> {
            match &values {
                PredictedColumn::Numbers(numbers) => {
                    let own = numbers.get(*row).copied().filter(|own| !own.is_nan());
                    match is_read {
                        true => number(own, DIGITS),
                        false => exact(own),
                    }
                }
                PredictedColumn::Texts(texts) => {
                    text(texts.get(*row).cloned().flatten().unwrap_or_default())
                }
            }
        });
    }
    table
}

fn as_json(report: &PredictionReport) -> String {
    let of_model = |own: &ModelPredictions| {
        let mut object = Map::new();
        object.insert("response".to_owned(), json!(own.response));
        object.insert("criterion".to_owned(), json!(own.criterion));
        for (name, values) in own.predictions.columns() {
            // What is no number is null.
            let values: Value = match values {
                PredictedColumn::Numbers(numbers) => json!(numbers),
                PredictedColumn::Texts(texts) => json!(texts),
            };
            object.insert(name, values);
        }
        Value::Object(object)
    };
    let mut object = Map::new();
    object.insert(
        "passel_predictions".to_owned(),
        json!(env!("CARGO_PKG_VERSION")),
    );
    object.insert("report".to_owned(), json!(report.report));
    object.insert("data".to_owned(), json!(report.data));
    object.insert("rows".to_owned(), json!(report.rows));
    if !report.labels.is_empty() {
        object.insert("labels".to_owned(), json!(report.labels));
    }
    let models: Vec<Value> = report.models.iter().map(of_model).collect();
    object.insert("predictions".to_owned(), Value::from(models));
    object.insert("warnings".to_owned(), json!(report.warnings));
    Value::Object(object).to_string() + "\n"
}
