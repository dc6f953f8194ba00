//! Weights of the observations: checked and scaled to mean one.

use super::DesignError;
use crate::table::{Table, Values};

/// Refuses a column that holds no weights, while rows still count as in the file. Missing weights
/// are left to the policy of missing values.
pub(super) fn check(table: &Table, at: usize) -> Result<(), DesignError> {
    let column = &table.columns[at];
    if let Values::Factor { levels, .. } = &column.values {
        return Err(DesignError::Text {
            name: column.name.clone(),
            level: levels.first().cloned().unwrap_or_default(),
            weights: true,
        });
    }
    let values = column.values.numbers(table.rows).unwrap_or_default();
    let wrong = |w: &f64| *w < 0.0 || w.is_infinite();
    match values.iter().position(wrong) {
        None => Ok(()),
        Some(at) => Err(DesignError::Value {
            table: table.source.clone(),
            name: column.name.clone(),
            row: at + 1,
            value: values[at],
            weights: true,
        }),
    }
}

/// Leaves out the observations of weight zero, as R's `lm` does. Returns how many these are, the
/// weights of the others, scaled to mean one, and their mean before.
///
/// With mean one the weights sum to n, so that RSS, and with it n·ln(RSS/n),
/// does not depend on their unit. No weight is missing here.
pub(super) fn at_mean_one(
    table: &mut Table,
    name: &str,
) -> Result<(usize, Vec<f64>, f64), DesignError> {
    let column = table.columns.iter().find(|column| column.name == name);
    let weights = column.and_then(|column| column.values.numbers(table.rows));
    let weights = weights.unwrap_or_default().into_owned();
    let positive: Vec<bool> = weights.iter().map(|w| *w > 0.0).collect();
    let weights: Vec<f64> = weights.into_iter().filter(|w| *w > 0.0).collect();
    if weights.is_empty() {
        let (table, name) = (table.source.clone(), name.to_owned());
        return Err(DesignError::NoWeight { table, name });
    }
    let left_out = positive.len() - weights.len();
    if left_out > 0 {
        table.keep_rows(&positive);
    }
    // In units of the largest: the sum of weights near the end of f64's range
    // would leave it.
    let largest = weights.iter().fold(0.0, |a: f64, &w| a.max(w));
    let sum: f64 = weights.iter().map(|w| w / largest).sum();
    let n = weights.len() as f64;
    let scaled = weights.iter().map(|w| w / largest * (n / sum));
    Ok((left_out, scaled.collect(), largest * (sum / n)))
}
