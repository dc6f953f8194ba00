//! Contrasts: how the levels of a factor become columns.

use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::polynomial::{evaluate_polynomials, fit_polynomials};

/// The most levels of polynomial contrasts, as in R: beyond them they are too inaccurate.
const MAX_POLYNOMIAL_LEVELS: usize = 96;

/// A kind of contrasts; k levels have k − 1 columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Contrast {
    /// Each level against a reference level, the first unless another one is named: `contr.treatment`.
    Treatment {
        /// The reference level.
        reference: Option<String>,
    },
    /// Each level but the last against the mean of all levels: `contr.sum`.
    Sum,
    /// Each level but the first against the mean of those before it: `contr.helmert`.
    Helmert,
    /// Orthogonal polynomials of the scores of the levels, 1 to k unless others are given:
    /// `contr.poly`.
    Polynomial {
        /// The scores, one a level.
        scores: Option<Vec<f64>>,
    },
    /// Each level against the last: `contr.SAS`.
    Sas,
}

/// Contrasts, and how many of their columns are taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ContrastChoice {
    pub(super) contrast: Contrast,
    /// All if none.
    pub(super) count: Option<usize>,
}

impl From<Contrast> for ContrastChoice {
    fn from(contrast: Contrast) -> Self {
        Self {
            contrast,
            count: None,
        }
    }
}

/// The columns of a factor's contrasts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ContrastMatrix {
    /// What the name of each column has behind the variable's label.
    pub(super) suffixes: Vec<String>,
    /// k − 1 columns of k values, one a level.
    pub(super) columns: Vec<Vec<f64>>,
}

impl ContrastChoice {
    /// The contrasts of the levels of the factor `expression`.
    ///
    /// # Errors
    /// A reference that is no level, scores that are not one a level, too many levels for
    /// polynomials.
    pub(super) fn matrix(
        &self,
        expression: &str,
        levels: &[String],
    ) -> Result<ContrastMatrix, Fault> {
        let count = levels.len();
        let numbered = || (1..count).map(|number| number.to_string()).collect();
        let mut matrix = match &self.contrast {
            Contrast::Treatment { reference } => {
                let base = match reference {
                    Some(reference) => position(expression, levels, reference)?,
                    None => 0,
                };
                against(levels, base)
            }
            Contrast::Sas => against(levels, count.saturating_sub(1)),
            Contrast::Sum => ContrastMatrix {
                suffixes: numbered(),
                columns: sum_columns(count),
            },
            Contrast::Helmert => ContrastMatrix {
                suffixes: numbered(),
                columns: columns(count, |level, column| match level {
                    _ if level <= column => -1.0,
                    _ if level == column + 1 => level as f64,
                    _ => 0.0,
                }),
            },
            Contrast::Polynomial { scores } => {
                let scores = scores.clone();
                let scores = scores.unwrap_or_else(|| (1..=count).map(|k| k as f64).collect());
                polynomial(expression, count, &scores)?
            }
        };
        if let Some(taken) = self.count {
            matrix.suffixes.truncate(taken);
            matrix.columns.truncate(taken);
        }
        Ok(matrix)
    }

    /// Sum contrasts in place of those whose columns do not sum to 0, named by the levels as in `a[S.low]`.
    pub(super) fn centered(&self, levels: &[String]) -> Option<ContrastMatrix> {
        let is_centered = !matches!(self.contrast, Contrast::Treatment { .. } | Contrast::Sas);
        if is_centered || self.count.is_some() || levels.len() < 2 {
            return None;
        }
        let names = levels[..levels.len() - 1].iter();
        Some(ContrastMatrix {
            suffixes: names.map(|level| format!("[S.{level}]")).collect(),
            columns: sum_columns(levels.len()),
        })
    }
}

fn sum_columns(count: usize) -> Vec<Vec<f64>> {
    columns(count, |level, column| match level {
        _ if level == column => 1.0,
        _ if level == count - 1 => -1.0,
        _ => 0.0,
    })
}

fn position(expression: &str, levels: &[String], level: &str) -> Result<usize, Fault> {
    let position = levels.iter().position(|known| known == level);
    position.ok_or_else(|| Fault::UnknownLevel {
        expression: expression.to_owned(),
        level: level.to_owned(),
        levels: levels.to_vec(),
    })
}

/// One column less than levels, from the value of each level in each column.
fn columns(levels: usize, value: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    let columns = 0..levels.saturating_sub(1);
    columns
        .map(|column| (0..levels).map(|level| value(level, column)).collect())
        .collect()
}

/// A column a level but the base.
fn against(levels: &[String], base: usize) -> ContrastMatrix {
    let others = levels
        .iter()
        .enumerate()
        .filter(|(level, _)| *level != base);
    ContrastMatrix {
        suffixes: others.map(|(_, level)| level.clone()).collect(),
        columns: columns(levels.len(), |level, column| {
            let own = if column < base { column } else { column + 1 };
            f64::from(u8::from(level == own))
        }),
    }
}

fn polynomial(expression: &str, count: usize, scores: &[f64]) -> Result<ContrastMatrix, Fault> {
    if count > MAX_POLYNOMIAL_LEVELS {
        return Err(Fault::TooManyLevels {
            expression: expression.to_owned(),
            found: count,
            limit: MAX_POLYNOMIAL_LEVELS,
        });
    }
    let mut different = scores.to_vec();
    different.sort_by(f64::total_cmp);
    different.dedup();
    let is_finite = scores.iter().all(|score| score.is_finite());
    if scores.len() != count || different.len() != count || !is_finite {
        return Err(Fault::ArgumentValue {
            function: "contr.poly".to_owned(),
            argument: "scores",
            expected: "as many different numbers as the factor has levels",
        });
    }
    let degree = count.saturating_sub(1);
    let (centers, squared_norms) = fit_polynomials(scores, degree);
    let suffixes = (1..=degree).map(|degree| match degree {
        1 => ".L".to_owned(),
        2 => ".Q".to_owned(),
        3 => ".C".to_owned(),
        _ => format!("^{degree}"),
    });
    Ok(ContrastMatrix {
        suffixes: suffixes.collect(),
        columns: evaluate_polynomials(scores, &centers, &squared_norms),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_contrasts(contrast: Contrast, expected: &[(&str, &[f64])]) {
        let levels = ["a", "b", "c"].map(str::to_owned);
        let choice = ContrastChoice::from(contrast);
        let Ok(matrix) = choice.matrix("f", &levels) else {
            panic!("no contrasts");
        };
        let names: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
        assert_eq!(matrix.suffixes, names);
        for ((_, expected), column) in expected.iter().zip(&matrix.columns) {
            for (expected, value) in expected.iter().zip(column) {
                assert!((expected - value).abs() < 1e-14, "{:?}", matrix.columns);
            }
        }
    }

    #[test]
    fn contrasts_of_three_levels() {
        let reference = Some("b".to_owned());
        assert_contrasts(
            Contrast::Treatment { reference },
            &[("a", &[1., 0., 0.]), ("c", &[0., 0., 1.])],
        );
        assert_contrasts(Contrast::Sas, &[("a", &[1., 0., 0.]), ("b", &[0., 1., 0.])]);
        assert_contrasts(
            Contrast::Sum,
            &[("1", &[1., 0., -1.]), ("2", &[0., 1., -1.])],
        );
        assert_contrasts(
            Contrast::Helmert,
            &[("1", &[-1., 1., 0.]), ("2", &[-1., -1., 2.])],
        );
        let (half, sixth) = (0.5_f64.sqrt(), (1. / 6_f64).sqrt());
        assert_contrasts(
            Contrast::Polynomial { scores: None },
            &[
                (".L", &[-half, 0., half]),
                (".Q", &[sixth, -2. * sixth, sixth]),
            ],
        );
    }
}
