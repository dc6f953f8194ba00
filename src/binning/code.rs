//! Values to codes, by a rule.

use std::collections::HashMap;

use super::{Codes, Rule};
use crate::table::{MISSING, MISSING_BYTE, Values};

/// The largest number of edges or levels that are compared one by one, without branches that the
/// processor would have to predict.
const COMPARED: usize = 32;

pub(super) struct Unseen {
    /// Observation, from 0.
    pub(super) row: usize,
    /// The value as text; `None` where it is missing.
    pub(super) value: Option<String>,
}

pub(super) fn misses(values: &Values) -> bool {
    match values {
        Values::Numbers(values) => values.iter().any(|value| value.is_nan()),
        Values::Sparse { values, .. } => values.iter().any(|value| value.is_nan()),
        Values::Bytes(_) | Values::Remote => false,
        Values::Gapped(values) => values.contains(&MISSING_BYTE),
        Values::Genotypes(genotypes) => genotypes.missing() > 0,
        Values::Factor { codes, .. } => codes.contains(&MISSING),
    }
}

impl Rule {
    /// The number of levels, without the one that missing values may have.
    pub fn levels(&self) -> usize {
        match self {
            Self::Numbers(levels) => levels.len(),
            Self::Texts(levels) => levels.len(),
            Self::Edges(edges) => edges.len() + 1,
        }
    }

    /// The code of a number; none where it is no level.
    fn code(&self, value: f64) -> Option<u16> {
        match self {
            Self::Edges(edges) => Some(count(edges, |edge| edge <= value) as u16),
            Self::Numbers(levels) => {
                let at = count(levels, |level| level < value);
                (levels.get(at) == Some(&value)).then_some(at as u16)
            }
            Self::Texts(_) => None,
        }
    }
}

/// How many of the numbers are below a value, as `below` decides. The numbers ascend.
fn count(numbers: &[f64], below: impl Fn(f64) -> bool) -> usize {
    match numbers.len() {
        ..=COMPARED => numbers.iter().filter(|number| below(**number)).count(),
        _ => numbers.partition_point(|number| below(*number)),
    }
}

/// Codes a column's n values by a rule; `missing` is the code of missing values, if they have one.
pub(super) fn codes(
    values: Values,
    n: usize,
    rule: &Rule,
    missing: Option<u16>,
) -> Result<Codes, Unseen> {
    let levels = rule.levels() + usize::from(missing.is_some());
    let known = |value: f64| match value.is_nan() {
        true => missing,
        false => rule.code(value),
    };
    let of = |row: usize, value: f64| {
        known(value).ok_or_else(|| Unseen {
            row,
            value: (!value.is_nan()).then(|| value.to_string()),
        })
    };
    let number = values.byte_to_number();
    match values {
        Values::Numbers(values) => {
            let values = values.iter().enumerate();
            let codes = values.map(|(row, value)| of(row, *value));
            Ok(dense(levels, codes.collect::<Result<_, _>>()?))
        }
        Values::Sparse { rows, values } => {
            let entries = rows.iter().zip(values);
            let codes = entries.map(|(row, value)| of(*row as usize, value));
            let codes: Vec<u16> = codes.collect::<Result<_, _>>()?;
            if codes.len() == n {
                return Ok(dense(levels, codes));
            }
            let mut entries = rows.iter().enumerate();
            let first = entries.find(|(at, row)| *at != **row as usize);
            let first = first.map_or(rows.len(), |(at, _)| at);
            Ok(sparse(n, of(first, 0.0)?, rows, codes, levels))
        }
        Values::Remote => Ok(Codes::Byte(Vec::new())),
        Values::Genotypes(_) => codes(values.unpacked(), n, rule, missing),
        Values::Bytes(values) | Values::Gapped(values) => {
            // Building an error for each byte that does not occur would take longer than most columns.
            let known: Vec<_> = (0..=u8::MAX).map(|byte| known(number(byte))).collect();
            let unseen = |byte: &u8| known[usize::from(*byte)].is_none();
            if let Some(row) = values.iter().position(unseen) {
                // This returns the error.
                of(row, number(values[row]))?;
            }
            let code = |byte: u8| known[usize::from(byte)].unwrap_or(0);
            let codes = values.into_iter();
            Ok(match levels {
                ..=256 => Codes::Byte(codes.map(|byte| code(byte) as u8).collect()),
                _ => Codes::Word(codes.map(code).collect()),
            })
        }
        Values::Factor { levels: own, codes } => {
            let places: HashMap<&str, u16> = match rule {
                Rule::Texts(texts) => {
                    let codes = (0..texts.len()).map(|code| code as u16);
                    texts.iter().map(String::as_str).zip(codes).collect()
                }
                Rule::Numbers(_) | Rule::Edges(_) => HashMap::new(),
            };
            let places: Vec<Option<u16>> = own
                .iter()
                .map(|level| places.get(&**level).copied())
                .collect();
            let codes = codes.into_iter().enumerate();
            let codes = codes.map(|(row, code)| match code {
                MISSING => missing.ok_or(Unseen { row, value: None }),
                code => places[code as usize].ok_or_else(|| Unseen {
                    row,
                    value: Some(own[code as usize].clone()),
                }),
            });
            Ok(dense(levels, codes.collect::<Result<_, _>>()?))
        }
    }
}

/// Codes in the narrowest type that holds the levels.
fn dense(levels: usize, codes: Vec<u16>) -> Codes {
    match levels {
        ..=256 => Codes::Byte(codes.into_iter().map(|code| code as u8).collect()),
        _ => Codes::Word(codes),
    }
}

/// The codes of a sparse column, whose zeros all have the code `zero`. The observations without
/// the most frequent code become the entries; where they are more than half, the codes are dense.
fn sparse(n: usize, zero: u16, rows: Vec<u32>, codes: Vec<u16>, levels: usize) -> Codes {
    let mut counts = vec![0_usize; levels];
    for code in &codes {
        counts[usize::from(*code)] += 1;
    }
    counts[usize::from(zero)] += n - codes.len();
    // Ties go to the code of the zeros, then to the lowest code.
    let mut mode = zero;
    for (code, count) in counts.iter().enumerate() {
        if *count > counts[usize::from(mode)] {
            mode = code as u16;
        }
    }
    let off = n - counts[usize::from(mode)];
    let all = |codes: &[u16]| {
        let mut all = vec![zero; n];
        for (row, code) in rows.iter().zip(codes) {
            all[*row as usize] = *code;
        }
        all
    };
    if off > n / 2 {
        return dense(levels, all(&codes));
    }
    let entries: (Vec<u32>, Vec<u16>) = match mode == zero {
        true => {
            let entries = rows.into_iter().zip(codes);
            entries.filter(|(_, code)| *code != mode).unzip()
        }
        false => {
            let all = all(&codes).into_iter().enumerate();
            let all = all.map(|(row, code)| (row as u32, code));
            all.filter(|(_, code)| *code != mode).unzip()
        }
    };
    let (mut rows, mut codes) = entries;
    rows.shrink_to_fit();
    codes.shrink_to_fit();
    Codes::Sparse {
        n,
        mode,
        rows,
        codes,
    }
}
