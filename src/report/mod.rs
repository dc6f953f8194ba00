//! What is printed: one file a form.

pub mod criteria;
mod csv;
mod json;
mod text;

use std::path::Path;

use crate::selection::Selection;

pub(crate) use csv::field;

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
}

/// The report of a selection made from the file `data`, with a line end at its end.
pub fn render(selection: &Selection, data: &Path, format: Format) -> String {
    match format {
        Format::Text => text::render(selection, data),
        Format::Json => json::render(selection),
        Format::Csv => csv::render(selection),
    }
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
        let mut parameters = serde_json::Map::new();
        parameters.insert("particles".into(), 64.into());
        parameters.insert("iterations".into(), 256.into());
        let mut selection = Selection {
            passel: "0.1.0",
            method: Method {
                name: "pass",
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
            rss: 50.0,
            tss: 250.0,
            level: LEVEL,
            intercept: Some(estimate(1.5, 0.25, 9e-9)),
            selected: vec![
                Selected {
                    name: "area".into(),
                    index: 3,
                    estimate: estimate(0.1, 0.003, 0.0),
                },
                Selected {
                    name: "a,\"b\"".into(),
                    index: 17,
                    estimate: estimate(-123_456.789, 5e4, 0.0144),
                },
            ],
            set_aside: vec![SetAside {
                name: "one".into(),
                reason: "constant".into(),
            }],
            truth: None,
            seed: 7,
            devices: vec!["cpu".into()],
            precision: "f64",
            iterations: 256,
            termination: Termination::Iterations,
            elapsed_seconds: Elapsed {
                read: 0.1,
                search: 1.2,
                total: 1.3,
            },
            warnings: vec!["the size bound was reached".into()],
        };
        selection.set_level(LEVEL);
        selection
    }
}
