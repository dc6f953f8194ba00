//! Reports: the result of a job as text, JSON, CSV, Parquet or an HTML page; and the lists of
//! criteria, methods, plugins and devices.

mod by_criterion;
pub mod criteria;
pub mod devices;
mod goodness;
mod html;
mod inference;
pub mod methods;
mod models;
mod numbers;
mod pairs;
#[cfg(feature = "parquet")]
mod parquet;
pub mod plugins;
mod predictions;
mod proof;
mod ranking;
mod regression;
mod responses;
mod sizes;
mod stability;
mod table;
mod terms;
mod validation;
mod variables;
mod variants;

use std::{borrow::Cow, io, path::Path};

use serde::Serialize;

use crate::{
    printable::{printable_json, printable_lines},
    selection::Outcome,
};

pub use crate::prediction::PredictedColumn;
pub use crate::presentation::{Curves, Format, PageExtras};
pub use html::{JobRow, JobsPage};
#[cfg(feature = "parquet")]
pub use parquet::table as parquet_table;
pub use predictions::{ModelPredictions, PredictionReport, columns as predicted_columns};
#[cfg(feature = "program")]
pub(crate) use validation::validation_rows;

/// Renders the result of a job on the file `data`; only pages show the extras. Texts end in a
/// line end.
///
/// # Errors
/// [`io::ErrorKind::Unsupported`] for Parquet of anything but a selection, or where the feature
/// `parquet` is not built; an error of the Parquet writer.
pub fn render(
    outcome: &Outcome,
    data: &Path,
    format: Format,
    extras: &PageExtras,
) -> io::Result<Vec<u8>> {
    let text = match format {
        Format::Text => text(outcome, data),
        Format::Csv => match outcome {
            Outcome::Selection(report) => variables::csv(report),
            Outcome::Responses(report) => responses::csv(report),
            Outcome::Ranking(report) => ranking::csv(report),
            Outcome::Pairs(report) => pairs::csv(report),
            Outcome::Stability(report) => stability::csv(report),
            Outcome::Validation(report) => validation::csv(report),
        },
        Format::Json => json(outcome),
        Format::Html => html::page(outcome, data, extras),
        Format::Parquet => match outcome {
            #[cfg(feature = "parquet")]
            Outcome::Selection(report) => return parquet::render(report),
            #[cfg(feature = "parquet")]
            Outcome::Responses(report) => return parquet::render_responses(report),
            _ => return Err(io::ErrorKind::Unsupported.into()),
        },
    };
    // Cells are escaped where they are made, which keeps line ends of names out of tables; this is for
    // whatever else repeats a name.
    let shown = match format {
        Format::Text => printable_lines(&text),
        Format::Json => printable_json(&text),
        // Pages see to it themselves, and files for programs are exact.
        Format::Html | Format::Csv | Format::Parquet => Cow::Borrowed(&*text),
    };
    Ok(match shown {
        Cow::Owned(shown) => shown.into_bytes(),
        Cow::Borrowed(_) => text.into_bytes(),
    })
}

/// Renders predictions.
///
/// # Errors
/// A format that is not built, or that predictions have none of; an error of the Parquet writer.
pub fn render_predictions(report: &PredictionReport, format: Format) -> io::Result<Vec<u8>> {
    match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::render_predictions(report),
        format => predictions::render(report, format),
    }
}

/// A report as text. By its last line passel knows a file that it wrote.
fn text(outcome: &Outcome, data: &Path) -> String {
    let text = match outcome {
        Outcome::Selection(report) if report.by_other_criteria.is_empty() => {
            regression::text(report, data)
        }
        Outcome::Selection(report) => by_criterion::text(report, data),
        Outcome::Responses(report) => responses::text(report, data),
        Outcome::Ranking(report) => ranking::text(report, data),
        Outcome::Pairs(report) => pairs::text(report, data),
        Outcome::Stability(report) => stability::text(report, data),
        Outcome::Validation(report) => validation::text(report, data),
    };
    text + concat!("passel ", env!("CARGO_PKG_VERSION"), "\n")
}

/// A report as JSON, indented.
fn json(report: &impl Serialize) -> String {
    // Reports have text keys and plain values only, so an error is not reached; if it is, the
    // reader gets JSON that says so.
    let text = serde_json::to_string_pretty(report)
        .unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string());
    text + "\n"
}

#[cfg(test)]
pub(crate) mod example;
