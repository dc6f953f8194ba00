//! What was observed of the rows of a job, and the column by which they are split.

use std::path::Path;

use super::{RunError, prepared::response};
use crate::{
    design::Design,
    family::Distribution,
    job::Job,
    table::{MISSING, Table, Values, are_dates},
    validation::{Observed, Response, Scheme, SchemeError},
};

/// The responses of the observations of a job's design, `rows` of its table.
///
/// # Errors
/// A response that a formula transforms, where there is an offset.
pub(super) fn observed(
    job: &Job,
    table: &Table,
    design: &Design,
    rows: &[usize],
) -> Result<Response, RunError> {
    let n = rows.len();
    let numbers = |at: usize| {
        let values = table.columns[at].values.numbers(table.rows);
        values.map(|own| rows.iter().map(|row| own[*row]).collect::<Vec<f64>>())
    };
    if let Some(times) = design
        .likelihood()
        .and_then(|own| own.response().survival())
    {
        let times = times.rows();
        return Ok(Response {
            weights: times.weights.clone(),
            observed: Observed::Survival(times),
        });
    }
    let Some(likelihood) = design.likelihood() else {
        let name = &design.response().name;
        let at = response(job, table).filter(|at| table.columns[*at].name == *name);
        let y = match at.and_then(numbers) {
            Some(y) => y,
            None if design.offset().is_some() => {
                return Err(SchemeError::Transformed { name: name.clone() }.into());
            }
            None => original_response(design),
        };
        let weights = job.weights.as_deref().and_then(|name| table.position(name));
        let weights = weights.and_then(numbers);
        return Ok(Response {
            observed: Observed::Numbers(Distribution::Gaussian, y),
            weights: weights.unwrap_or_else(|| vec![1.0; n]),
        });
    };
    let own = likelihood.response();
    let distribution = own.family().distribution();
    let weights = own.weights()[..n].to_vec();
    let levels = || design.response_levels().to_vec();
    Ok(match distribution {
        Distribution::Binomial => Response {
            weights: weights
                .iter()
                .zip(own.trials())
                .map(|(w, trials)| w / trials)
                .collect(),
            observed: Observed::Events {
                shares: own.y().to_vec(),
                trials: own.trials().to_vec(),
            },
        },
        Distribution::Ordinal => Response {
            observed: Observed::Levels {
                levels: levels(),
                codes: own.y().iter().map(|code| *code as u32).collect(),
            },
            weights,
        },
        Distribution::Multinomial => Response {
            observed: Observed::Levels {
                levels: levels(),
                codes: {
                    // The baseline has no block.
                    let blocks = || own.y().chunks(n);
                    let code = |at: usize| blocks().position(|block| block[at] == 1.0);
                    (0..n)
                        .map(|at| code(at).map_or(0, |block| block as u32 + 1))
                        .collect()
                },
            },
            weights,
        },
        distribution => Response {
            observed: Observed::Numbers(distribution, own.y().to_vec()),
            weights,
        },
    })
}

/// The response of least squares on its own scale, where no column has it.
fn original_response(design: &Design) -> Vec<f64> {
    let own = design.response();
    let weights = design.weight_values();
    let values = design.y().iter().enumerate().map(|(at, y)| {
        let root = weights.get(at).map_or(1.0, |weight| weight.sqrt());
        y / root * own.norm + own.mean
    });
    values.collect()
}

/// The numbers of some rows' values in the column that a scheme splits by: places of times, groups, or marks.
///
/// # Errors
/// A column that is not there, lacks values of these rows, or marks rows by text; text that is no time.
pub(super) fn split_numbers(
    (name, scheme): (&str, Scheme),
    table: &Table,
    rows: &[usize],
) -> Result<Vec<u32>, RunError> {
    let at = table.require("--by", name)?;
    let lacks = |place: usize| {
        Err(RunError::from(SchemeError::Missing {
            column: name.to_owned(),
            row: rows[place] + 1,
        }))
    };
    match &table.columns[at].values {
        Values::Factor { levels, codes } => {
            let codes: Vec<u32> = rows.iter().map(|row| codes[*row]).collect();
            if let Some(place) = codes.iter().position(|code| *code == MISSING) {
                return lacks(place);
            }
            match scheme {
                Scheme::Marked => Err(SchemeError::TextMarks {
                    column: name.to_owned(),
                    level: levels.first().cloned().unwrap_or_default(),
                }
                .into()),
                Scheme::Time { .. } => of_times(name, table, (levels, codes), rows),
                _ => Ok(codes),
            }
        }
        values => {
            let numbers = values.numbers(table.rows).unwrap_or_default();
            let numbers: Vec<f64> = rows.iter().map(|row| numbers[*row]).collect();
            if let Some(place) = numbers.iter().position(|own| own.is_nan()) {
                return lacks(place);
            }
            if scheme == Scheme::Marked {
                return Ok(numbers.iter().map(|own| u32::from(*own != 0.0)).collect());
            }
            Ok(places(&numbers))
        }
    }
}

/// Of each number its place among those that differ.
fn places(numbers: &[f64]) -> Vec<u32> {
    let mut distinct: Vec<f64> = numbers.iter().map(|own| own + 0.0).collect();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    let place = |own: &f64| distinct.partition_point(|other| other < own) as u32;
    numbers.iter().map(place).collect()
}

/// The places of times that are text: those of dates by their days, and of texts as ISO 8601 has them by the order of text. Any other
/// order of text is none of time, and the future would choose.
fn of_times(
    name: &str,
    table: &Table,
    (levels, codes): (&[String], Vec<u32>),
    rows: &[usize],
) -> Result<Vec<u32>, RunError> {
    // Levels that no row has are none of the data.
    let mut used: Vec<u32> = codes.clone();
    used.sort_unstable();
    used.dedup();
    let own: Vec<String> = used
        .iter()
        .map(|code| levels[*code as usize].clone())
        .collect();
    let place = |code: &u32| used.binary_search(code).unwrap_or_default();
    if are_dates(&own) {
        let path = Path::new(&table.source);
        let mut days = Values::Factor {
            codes: codes.iter().map(|code| place(code) as u32).collect(),
            levels: own,
        };
        days.make_days(path, name)?;
        return Ok(places(&days.numbers(rows.len()).unwrap_or_default()));
    }
    let unlike = |level: &&String| !is_iso(level) || level.len() != own[0].len();
    if let Some(level) = own.iter().find(unlike) {
        let column = name.to_owned();
        let level = level.clone();
        return Err(SchemeError::TextTimes { column, level }.into());
    }
    // Of one length their order as text is that of time.
    let mut sorted: Vec<&String> = own.iter().collect();
    sorted.sort_unstable();
    let order: Vec<u32> = own
        .iter()
        .map(|level| sorted.partition_point(|other| *other < level) as u32)
        .collect();
    Ok(codes.iter().map(|code| order[place(code)]).collect())
}

/// Whether a text is a time whose parts stand from the year down, as ISO 8601 writes them: `1973-05`, `1973-W22`, `1973Q2`.
fn is_iso(text: &str) -> bool {
    let (year, rest) = text.split_at_checked(4).unwrap_or_default();
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    // An offset from UTC would make the order another one.
    let is_part = |c: char| c.is_ascii_digit() || "-:.TWQZ ".contains(c);
    !year.is_empty() && is_digits(year) && rest.chars().all(is_part) && !rest.contains("--")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_the_order_of_time_or_refused() {
        let of = |texts: &[&str]| {
            let times: Values = texts.iter().map(|text| Some(*text)).collect();
            let table = Table::from_columns([("t", times)]).unwrap();
            let rows: Vec<usize> = (0..texts.len()).collect();
            let places = split_numbers(("t", Scheme::Time { blocks: 2 }), &table, &rows);
            places.map_err(|error| error.to_string())
        };
        let ordered = Ok(vec![1, 0, 2, 1]);
        for texts in [
            ["02.01.2021", "31.12.2020", "01.02.2021", "02.01.2021"],
            ["01/15/2021", "12/31/2020", "02/01/2021", "01/15/2021"],
            ["05-Jan-2021", "20-Dec-2020", "04-Feb-2021", "05-Jan-2021"],
            ["2021-01-02", "2020-12-31", "2021-02-01", "2021-01-02"],
            ["2021-01", "2020-12", "2021-02", "2021-01"],
            ["2021-Q1", "2020-Q4", "2021-Q2", "2021-Q1"],
            ["2021-W01", "2020-W53", "2021-W02", "2021-W01"],
        ] {
            assert_eq!(of(&texts), ordered, "{texts:?}");
        }
        for texts in [
            ["run1", "run10", "run2", "run3"],
            ["May 21", "June 21", "July 21", "Aug 21"],
            ["2021-1", "2021-10", "2021-2", "2021-3"],
            [
                "2021-01-01T00:00+02:00",
                "2021-01-01T00:00-02:00",
                "2021-01-01T00:00+01:00",
                "2021-01-01T00:00+00:00",
            ],
        ] {
            let error = of(&texts).unwrap_err();
            assert!(
                error.contains("--by t") && error.contains("--date"),
                "{error}"
            );
        }
        // Of the day or of the month first nobody can tell.
        let error = of(&["01/02/2021", "03/04/2021", "05/06/2021", "07/08/2021"]).unwrap_err();
        assert!(error.contains("may begin with the day"), "{error}");
    }
}
