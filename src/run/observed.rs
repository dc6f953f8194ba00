//! What was observed of the rows of a job, and the column by which they are split.

use super::{RunError, prepared::response};
use crate::{
    design::Design,
    family::Distribution,
    job::Job,
    table::{MISSING, Table, Values},
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
/// A column that is not there, lacks values of these rows, or marks rows by text.
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
            let mut distinct: Vec<f64> = numbers.iter().map(|own| own + 0.0).collect();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            let place = |own: &f64| distinct.partition_point(|other| other < own) as u32;
            Ok(numbers.iter().map(place).collect())
        }
    }
}
