//! What is printed: one file a form.

pub mod criteria;
mod csv;
pub mod devices;
mod goodness;
mod html;
mod json;
pub mod methods;
mod models;
mod pairs;
#[cfg(feature = "parquet")]
mod parquet;
pub mod plugins;
mod ranking;
mod stability;
mod text;

use std::{io, path::Path};

use crate::selection::{Estimate, Outcome, Selection};

pub(crate) use csv::field;
pub use html::{Curves, JobRow, JobsPage, PageExtras};

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Tables for a reader.
    #[default]
    Text,
    /// Every field, for a program: numbers come back bit for bit.
    Json,
    /// One row a variable, for a spreadsheet.
    Csv,
    /// The table of the CSV in typed columns, for a file.
    Parquet,
    /// A page with figures, which needs nothing beside itself.
    Html,
}

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
    let text = match outcome {
        Outcome::Selection(selection) => match format {
            Format::Text => Some(text::render(selection, data)),
            Format::Json => Some(json::render(selection)),
            Format::Csv => Some(csv::render(selection)),
            Format::Html => Some(html::page(json::value(selection), data, extras)),
            #[cfg(feature = "parquet")]
            Format::Parquet => return parquet::render(selection),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => None,
        },
        Outcome::Ranking(ranking) => ranking::rank(ranking, data, format, extras),
        Outcome::Pairs(report) => pairs::pairs(report, data, format, extras),
        Outcome::Stability(report) => stability::stability(report, data, format, extras),
    };
    Ok(text.ok_or(io::ErrorKind::Unsupported)?.into_bytes())
}

/// A table of texts as Parquet, in columns of whole numbers, numbers or texts; an empty text is
/// none. Each row has as many as there are names.
///
/// # Errors
/// What the format cannot hold.
#[cfg(feature = "parquet")]
pub fn parquet_table(names: &[String], rows: &[Vec<String>]) -> io::Result<Vec<u8>> {
    parquet::table(names, rows)
}

/// One row of the table that spreadsheets read.
struct Row<'a> {
    name: &'a str,
    /// None for the intercept.
    index: Option<usize>,
    estimate: &'a Estimate,
}

/// The intercept, where there is one, then the chosen variables.
fn rows(selection: &Selection) -> impl Iterator<Item = Row<'_>> {
    let intercept = selection.intercept.iter().map(|estimate| Row {
        name: "(intercept)",
        index: None,
        estimate,
    });
    intercept.chain(selection.selected.iter().map(|it| Row {
        name: &it.name,
        index: Some(it.index),
        estimate: &it.estimate,
    }))
}

#[cfg(test)]
pub(crate) mod example {
    use crate::selection::*;

    /// A selection of two variables with every part filled in.
    pub(crate) fn selection() -> Selection {
        let estimate = |coefficient, std_error: f64, p_value| Estimate {
            coefficient,
            std_error: Some(std_error),
            t: Some(coefficient / std_error),
            p_value: Some(p_value),
            lower: None,
            upper: None,
        };
        let model = |delta, weight, variables: &[&str]| VisitedModel {
            criterion: delta - 207.171_682_211,
            delta,
            weight,
            variables: variables.iter().map(|it| (*it).to_owned()).collect(),
        };
        let weight = |name: &str, weight| InclusionWeight {
            name: name.to_owned(),
            weight,
        };
        let mut parameters = serde_json::Map::new();
        parameters.insert("particles".into(), 64.into());
        parameters.insert("iterations".into(), 256.into());
        let mut selection = Selection {
            passel: "0.1.0",
            method: Method {
                name: "pass".to_string(),
                parameters,
            },
            criterion: CriterionValue {
                name: "ebic".into(),
                value: -207.171_682_211,
                parameters: vec![("gamma", 1.0)],
            },
            response: "price".into(),
            weights: None,
            n: 200,
            p: 1000,
            p_total: None,
            k: 2,
            kept: Vec::new(),
            rss: 50.0,
            tss: 250.0,
            level: CONFIDENCE_LEVEL,
            intercept: Some(estimate(1.5, 0.25, 9e-9)),
            selected: vec![
                SelectedVariable {
                    name: "area".into(),
                    index: 3,
                    estimate: estimate(0.1, 0.003, 0.0),
                },
                SelectedVariable {
                    name: "a,\"b\"".into(),
                    index: 17,
                    estimate: estimate(-123_456.789, 5e4, 0.0144),
                },
            ],
            set_aside: vec![crate::design::SetAside {
                name: "one".into(),
                reason: "constant".into(),
            }],
            certified: true,
            met: 2,
            models: vec![
                model(0.0, 0.75, &["area", "a,\"b\""]),
                model(2.5, 0.25, &["area", "rooms"]),
            ],
            inclusion: vec![
                weight("area", 1.0),
                weight("a,\"b\"", 0.75),
                weight("rooms", 0.25),
            ],
            front: vec![
                model(40.0, 0.0, &["area"]),
                model(0.0, 0.75, &["area", "a,\"b\""]),
            ],
            truth: None,
            seed: 7,
            devices: vec!["cpu".into()],
            precision: "f64",
            screen: "f32".into(),
            iterations: 256,
            termination: Termination::Iterations,
            rank_summary: None,
            elapsed_seconds: Elapsed {
                read: 0.1,
                devices: 0.0,
                search: 1.2,
                total: 1.3,
            },
            warnings: vec!["the size bound was reached".into()],
        };
        selection.set_level(CONFIDENCE_LEVEL);
        selection
    }
}
