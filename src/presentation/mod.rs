//! The form in which a result is presented, and what only the run that made it can show.

mod curves;

pub use curves::Curves;

use crate::search::VariantScan;
use crate::selection::{Residuals, SurvivalPlots};

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
    /// A page with figures, which needs no other file.
    Html,
}

/// What a page shows beyond the report.
#[derive(Debug, Default)]
pub struct PageExtras {
    /// The course of the search.
    pub curves: Option<Curves>,
    /// Diagnostics of the chosen model.
    pub residuals: Option<Residuals>,
    /// Of survival times the survival of groups, and coefficients over time.
    pub survival: Option<SurvivalPlots>,
    /// Of variants the test of each, one at a time.
    pub scan: Option<VariantScan>,
    /// The standard deviation of each chosen variable, in the order of the report.
    pub deviations: Vec<f64>,
    /// The command that makes the report again.
    pub command: Option<String>,
}
