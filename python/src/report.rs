//! A report of the engine, which can be rendered, and made again of its JSON.

use std::path::Path;

use passel::{
    job::Format,
    report::{PageExtras, render},
    run::{Outcome, Report as RunReport},
    selection::ObservationResidual,
};
use pyo3::{
    prelude::*,
    types::{PyBytes, PyDict},
};

use crate::failure;

/// What a run has found.
#[derive(Debug)]
enum Source {
    /// The run's own report, whose pages show the course of the search.
    Run(Box<RunReport>),
    /// One that was stored.
    Stored {
        outcome: Box<Outcome>,
        /// What it calls the data.
        data: String,
    },
}

/// A report; see `passel.results`.
#[pyclass(frozen, module = "passel._engine")]
#[derive(Debug)]
pub(crate) struct Report(Source);

impl Report {
    pub(crate) fn new(report: RunReport) -> Self {
        Self(Source::Run(Box::new(report)))
    }

    fn outcome(&self) -> &Outcome {
        match &self.0 {
            Source::Run(report) => &report.outcome,
            Source::Stored { outcome, .. } => outcome,
        }
    }
}

#[pymethods]
impl Report {
    /// A report of JSON that passel wrote, of this version or an older one.
    #[staticmethod]
    fn of_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let no_report = |error: &dyn std::fmt::Display| {
            failure::of_data(py, &format!("no report as JSON of passel: {error}"))
        };
        let json: serde_json::Value =
            serde_json::from_str(text).map_err(|error| no_report(&error))?;
        // Results of runs have what made them beside the report.
        let json = json.get("result").unwrap_or(&json);
        if json.get("passel").is_none() {
            return Err(no_report(&"it has no field `passel`"));
        }
        let outcome = Outcome::read(json).map_err(|error| no_report(&error))?;
        let data = json.get("data").and_then(|own| own.as_str());
        Ok(Self(Source::Stored {
            outcome: Box::new(outcome),
            data: data.unwrap_or("the data").to_owned(),
        }))
    }

    /// The kind of result: the name of its class in `passel.results`.
    fn kind(&self) -> &'static str {
        match self.outcome() {
            Outcome::Selection(_) => "Selection",
            Outcome::Responses(_) => "Responses",
            Outcome::Ranking(_) => "Ranking",
            Outcome::Pairs(_) => "Pairs",
            Outcome::Stability(_) => "Stability",
            Outcome::Validation(_) => "Validation",
        }
    }

    /// What a user should know of the result first.
    fn warnings(&self) -> Vec<&str> {
        let own = self.outcome().warnings();
        own.iter().map(String::as_str).collect()
    }

    /// The devices that did the work.
    fn devices(&self) -> Vec<&str> {
        let own = self.outcome().devices();
        own.iter().map(String::as_str).collect()
    }

    /// The report as `text`, `json`, `csv`, `html` or `parquet`.
    fn render<'py>(&self, py: Python<'py>, format: &str) -> PyResult<Bound<'py, PyBytes>> {
        let format = match format {
            "text" => Format::Text,
            "json" => Format::Json,
            "csv" => Format::Csv,
            "html" => Format::Html,
            "parquet" => Format::Parquet,
            _ => {
                let message = format!(
                    "format = {format:?} must be \"text\", \"json\", \"csv\", \"html\" or \"parquet\""
                );
                return Err(failure::of_result(py, &message));
            }
        };
        let rendered = py.detach(|| match &self.0 {
            Source::Run(report) => report.render_as(format).map_err(|error| error.to_string()),
            Source::Stored { outcome, data } => {
                render(outcome, Path::new(data), format, &PageExtras::default())
                    .map_err(|error| error.to_string())
            }
        });
        match rendered {
            Ok(bytes) => Ok(PyBytes::new(py, &bytes)),
            Err(message) => Err(failure::of_result(py, &message)),
        }
    }
    /// The diagnostics of a selection's observations as columns, whose numbers are the bytes of 64-bit floats with NaN for
    /// none; nothing of a stored report, nor of a model that has none.
    fn residuals<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Source::Run(report) = &self.0 else {
            return Ok(None);
        };
        let Some(residuals) = report.residuals() else {
            return Ok(None);
        };
        let rows = &residuals.observed;
        let columns = PyDict::new(py);
        if rows.iter().any(|own| own.label.is_some()) {
            let labels: Vec<_> = rows.iter().map(|own| own.label.as_deref()).collect();
            columns.set_item("label", labels)?;
        }
        for (name, of) in RESIDUALS {
            let numbers = rows.iter().flat_map(|own| of(own).to_ne_bytes());
            columns.set_item(name, PyBytes::new(py, &numbers.collect::<Vec<u8>>()))?;
        }
        Ok(Some(columns))
    }

    /// The standard deviations of a selection's variables, in the order of the report; empty where they are not known.
    fn deviations(&self) -> Vec<f64> {
        match &self.0 {
            Source::Run(report) => report.deviations().to_vec(),
            Source::Stored { .. } => Vec::new(),
        }
    }
}

/// A column of residuals: its name, and what it is of an observation.
type ResidualColumn = (&'static str, fn(&ObservationResidual) -> f64);

/// The columns of numbers of residuals.
const RESIDUALS: [ResidualColumn; 10] = [
    ("row", |own| own.row as f64),
    ("observed", |own| own.observed),
    ("fitted", |own| own.fitted),
    ("predictor", |own| own.predictor),
    ("residual", |own| own.residual),
    ("leverage", |own| own.leverage),
    ("standardised", |own| own.standardised.unwrap_or(f64::NAN)),
    ("cooks_distance", |own| {
        own.cooks_distance.unwrap_or(f64::NAN)
    }),
    ("quantile_residual", |own| {
        own.quantile_residual.unwrap_or(f64::NAN)
    }),
    ("quantile", |own| own.quantile),
];
