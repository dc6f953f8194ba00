//! The error of one model's procedure, with what is known of that error's error.

use super::{
    Measure, Scheme,
    bootstrap::{Estimates, estimates},
    response::{Judged, Response, Row},
};

/// Units of the jackknife at most.
const UNITS: usize = 100;

/// Units of the rows of one part, where no folds are units.
const UNITS_OF_ROWS: usize = 20;

/// A measure of held-out error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Errors {
    pub(crate) measure: Measure,
    /// None where it is undefined.
    pub(crate) value: Option<f64>,
    /// By the jackknife over folds, or over rows where there is one.
    pub(crate) std_error: Option<f64>,
    /// Of a bootstrap what the value is made of.
    pub(crate) bootstrap: Option<Estimates>,
}

/// The measures of the model at a place in each split.
///
/// A value is that of all rows of a repeat together, averaged over repeats; pairs are of rows in one fold. Its standard error is
/// that of the jackknife, which leaves out one fold after another (of equal folds' means it is their deviation over √K), or of
/// one part some of its rows; repeats do not lessen it, for they are of the same rows.
///
/// *Source:* B. Efron and R. Tibshirani, *An Introduction to the Bootstrap* (1993), chapter 11.
pub(crate) fn errors<'a>(
    scheme: Scheme,
    response: &Response,
    judged: &'a [Judged],
    model: usize,
) -> Vec<Errors> {
    let measures = Measure::of(response);
    if let Scheme::Bootstrap { .. } = scheme {
        let Some((apparent, others)) = judged.split_first() else {
            return Vec::new();
        };
        let apparent = rows_of(scheme, response, std::slice::from_ref(apparent), model);
        let held_out = out_of_bag(scheme, response, others, model);
        let without = |rows: &[Row<'a>], left: usize| -> Vec<Row<'a>> {
            let kept = rows.iter().filter(|row| row.unit != left);
            kept.copied().collect()
        };
        let own = measures.iter().map(|measure| {
            let all = estimates(*measure, response, &apparent, &held_out);
            let value = |left: usize| {
                let rows = [&apparent, &held_out].map(|rows| without(rows, left));
                estimates(*measure, response, &rows[0], &rows[1]).value
            };
            Errors {
                measure: *measure,
                value: all.value,
                std_error: jackknife(&units(&apparent), value),
                bootstrap: Some(all),
            }
        });
        return own.collect();
    }
    let rows = rows_of(scheme, response, judged, model);
    let own = measures.iter().map(|measure| {
        let (value, std_error) = of_repeats(*measure, response, &rows, judged);
        Errors {
            measure: *measure,
            value,
            std_error,
            bootstrap: None,
        }
    });
    own.collect()
}

/// The value of a measure and its standard error, over the rows of all repeats.
pub(super) fn of_repeats(
    measure: Measure,
    response: &Response,
    rows: &[Row],
    judged: &[Judged],
) -> (Option<f64>, Option<f64>) {
    let repeat = |row: &Row| judged[row.fold].repeat;
    let repeats = rows.chunk_by(|a, b| repeat(a) == repeat(b));
    let (mut values, mut squares) = (Vec::new(), Vec::new());
    for rows in repeats {
        let (value, error) = of_rows(measure, response, rows);
        values.extend(value);
        squares.extend(error.map(|error| error * error));
    }
    let mean = |all: &[f64]| {
        let is_any = !all.is_empty();
        is_any.then(|| all.iter().sum::<f64>() / all.len() as f64)
    };
    let value = mean(&values);
    (
        value,
        mean(&squares).map(f64::sqrt).filter(|_| value.is_some()),
    )
}

/// The value of a measure over some rows together, and its standard error.
pub(super) fn of_rows(
    measure: Measure,
    response: &Response,
    rows: &[Row],
) -> (Option<f64>, Option<f64>) {
    let without = |left: usize| {
        let kept = rows.iter().filter(|row| row.unit != left);
        measure.value(response, &kept.copied().collect::<Vec<_>>())
    };
    (
        measure.value(response, rows),
        jackknife(&units(rows), without),
    )
}

/// The rows that splits judge by the model at a place.
pub(super) fn rows_of<'a>(
    scheme: Scheme,
    response: &Response,
    judged: &'a [Judged],
    model: usize,
) -> Vec<Row<'a>> {
    let folds = judged.iter().enumerate().flat_map(|(fold, own)| {
        own.rows.iter().enumerate().map(move |(place, at)| Row {
            at: *at,
            fold,
            unit: match scheme.has_folds() {
                true => own.number % UNITS,
                false => at % UNITS_OF_ROWS,
            },
            weight: response.weight(*at),
            center: own.center,
            by: &own.models[model],
            place,
        })
    });
    folds.collect()
}

/// Rows that resamples did not draw: an observation counts as much as any other, however often it was left.
pub(super) fn out_of_bag<'a>(
    scheme: Scheme,
    response: &Response,
    judged: &'a [Judged],
    model: usize,
) -> Vec<Row<'a>> {
    let mut rows = rows_of(scheme, response, judged, model);
    let mut times = vec![0.0; response.n()];
    rows.iter().for_each(|row| times[row.at] += 1.0);
    rows.iter_mut().for_each(|row| row.weight /= times[row.at]);
    rows
}

pub(super) fn units(rows: &[Row]) -> Vec<usize> {
    let mut units: Vec<usize> = rows.iter().map(|row| row.unit).collect();
    units.sort_unstable();
    units.dedup();
    units
}

/// √((u − 1)/u Σ (θ₋ − θ̄)²) over u units, θ₋ the value without one of them; none of fewer than two, or where one is undefined.
pub(super) fn jackknife(units: &[usize], without: impl Fn(usize) -> Option<f64>) -> Option<f64> {
    let values: Option<Vec<f64>> = units.iter().map(|unit| without(*unit)).collect();
    let values = values.filter(|all| all.len() > 1)?;
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let sum: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let error = ((count - 1.0) / count * sum).sqrt();
    // Of equal values it is rounding.
    Some(if error < 1e-14 * mean.abs() {
        0.0
    } else {
        error
    })
}
