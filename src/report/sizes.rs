//! The held-out errors of models of each size, for a reader.

use super::table::{self, Table, count, number};
use crate::nearest::plural;
use crate::selection::{Selection, SizeChoice, SizeError, ValidationReport};

/// What a reader calls a measure.
pub(super) fn title(name: &str) -> &str {
    match name {
        "rmse" => "RMSE",
        "mae" => "mean absolute error",
        "r_squared" => "R²",
        "log_loss" => "log loss",
        "auc" => "AUC",
        "brier" => "Brier score",
        "calibration_slope" => "calibration slope",
        "calibration_intercept" => "calibration intercept",
        "concordance" => "concordance",
        other => other,
    }
}

/// The errors of sizes, and which of these are of interest.
pub(super) struct Sizes<'a> {
    pub(super) all: &'a [SizeError],
    /// What a size is the number of.
    pub(super) unit: &'static str,
    pub(super) measure: &'a str,
    pub(super) best: Option<usize>,
    pub(super) within: Option<usize>,
    pub(super) chosen: Option<usize>,
}

impl<'a> Sizes<'a> {
    /// Those of a validation.
    pub(super) fn of(report: &'a ValidationReport) -> Self {
        Self {
            all: &report.by_size,
            unit: "terms",
            measure: title(&report.size_measure),
            best: report.best_size,
            within: report.size_within_one_std_error,
            chosen: None,
        }
    }

    /// Those among which cross-validation chose one.
    pub(super) fn of_choice(choice: &'a SizeChoice) -> Self {
        Self {
            all: &choice.by_size,
            unit: "coefficients",
            measure: title(&choice.measure),
            best: Some(choice.best_size),
            within: Some(choice.size_within_one_std_error),
            chosen: Some(choice.size),
        }
    }

    /// A row for each of the first sizes.
    pub(super) fn table(&self, shown: usize) -> Table<'a, &'a SizeError> {
        let (best, within, chosen) = (self.best, self.within, self.chosen);
        Table::of(&self.all[..shown])
            .column(self.unit, |own| count(own.size))
            .column(self.measure, |own| number(own.value, 4))
            .column("std. error", |own| number(own.std_error, 2))
            .column("", move |own| {
                let is = |size: Option<usize>| size == Some(own.size);
                let kind = match (is(best), is(within)) {
                    (true, _) => "least",
                    (_, true) => "within one std. error of the least",
                    _ => "",
                };
                table::text(match (kind, is(chosen)) {
                    (kind, false) => kind.to_owned(),
                    ("", true) => "chosen".to_owned(),
                    (kind, true) => format!("{kind}, chosen"),
                })
            })
    }
}

/// How cross-validation chose the size of a model.
pub(super) fn text(selection: &Selection) -> String {
    let Some(choice) = &selection.cross_validation else {
        return String::new();
    };
    let sizes = Sizes::of_choice(choice);
    format!(
        "{}\n\n{}\n",
        about(choice),
        sizes.table(choice.by_size.len()).aligned(&[3])
    )
}

/// The choice in a sentence.
pub(super) fn about(choice: &SizeChoice) -> String {
    format!(
        "Size by cross-validation: models of each size, selected without a fold of the rows, predict it; {} fold{}.",
        choice.folds,
        plural(choice.folds)
    )
}
