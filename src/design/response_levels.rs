//! Responses of levels: their order, and the number of each observation's.

use super::{DesignError, ResponseOptions};
use crate::{
    family::Distribution,
    table::{Column, Table, Values},
};

/// The levels of a response, in their order, of those that observations have; the baseline is the first.
pub(super) struct ResponseLevels {
    /// Of each observation the place of its level.
    pub(super) codes: Vec<f64>,
    pub(super) levels: Vec<String>,
}

/// Those of the levels that options name which a response has in the rows of a table: those of a resample may lack some.
pub(crate) fn levels_there(table: &Table, response: usize, named: &[String]) -> Vec<String> {
    let is_there = |level: &&String| match &table.columns[response].values {
        Values::Factor { levels, codes } => {
            let place = levels.iter().position(|own| own == *level);
            place.is_some_and(|place| codes.contains(&(place as u32)))
        }
        values => {
            let numbers = values.numbers(table.rows).unwrap_or_default();
            numbers.iter().any(|own| (own + 0.0).to_string() == **level)
        }
    };
    named.iter().filter(is_there).cloned().collect()
}

impl ResponseLevels {
    /// Those of a column of n observations: numbers ascend, unless the options order them.
    ///
    /// # Errors
    /// Text without an order where the family needs one; levels that the options leave out or that no observation has.
    pub(super) fn of(
        column: Column,
        n: usize,
        kind: &ResponseOptions,
    ) -> Result<Self, DesignError> {
        let Column { name, values } = column;
        let (codes, found, is_text) = match values {
            Values::Factor { levels, codes } => {
                let codes: Vec<usize> = codes.iter().map(|code| *code as usize).collect();
                (codes, levels, true)
            }
            values => {
                let numbers = values.numbers(n).unwrap_or_default();
                if numbers.iter().any(|own| !own.is_finite()) {
                    // The design refuses it as it does such a value of any response.
                    let (codes, levels) = (numbers.into_owned(), Vec::new());
                    return Ok(Self { codes, levels });
                }
                // Of 0 and −0 one is the other.
                let numbers: Vec<f64> = numbers.iter().map(|own| own + 0.0).collect();
                let mut distinct = numbers.clone();
                distinct.sort_by(f64::total_cmp);
                distinct.dedup();
                let place = |own: &f64| distinct.partition_point(|other| other < own);
                let codes = numbers.iter().map(place).collect();
                (codes, distinct.iter().map(f64::to_string).collect(), false)
            }
        };
        let mut is_used = vec![false; found.len()];
        codes.iter().for_each(|code| is_used[*code] = true);
        let used: Vec<usize> = (0..found.len()).filter(|at| is_used[*at]).collect();
        let names = || used.iter().map(|at| found[*at].clone()).collect::<Vec<_>>();
        // Texts that are numbers have an order.
        let is_number = |level: &String| level.trim().parse::<f64>().is_ok_and(f64::is_finite);
        let is_text = is_text && !found.iter().all(is_number);
        let order: Vec<usize> = match kind.levels {
            [] if is_text && kind.family.distribution() == Distribution::Ordinal => {
                let levels = names();
                return Err(DesignError::Unordered { name, levels });
            }
            [] if kind.family.distribution() == Distribution::Ordinal => {
                let number = |at: &usize| found[*at].trim().parse::<f64>().unwrap_or_default();
                let mut order = used.clone();
                order.sort_by(|one, other| number(one).total_cmp(&number(other)));
                order
            }
            [] => used.clone(),
            given => {
                let places = given.iter().map(|level| {
                    let place = used.iter().copied().find(|at| found[*at] == *level);
                    place.ok_or(level)
                });
                let places: Result<Vec<usize>, &String> = places.collect();
                let places = places.map_err(|level| DesignError::LevelUnknown {
                    name: name.clone(),
                    level: level.clone(),
                    levels: names(),
                })?;
                for (at, place) in places.iter().enumerate() {
                    if places[..at].contains(place) {
                        let level = found[*place].clone();
                        return Err(DesignError::LevelTwice { level });
                    }
                }
                if let Some(lacking) = used.iter().find(|at| !places.contains(at)) {
                    let level = found[*lacking].clone();
                    return Err(DesignError::LevelLacking { name, level });
                }
                places
            }
        };
        if let [] | [_] = order[..] {
            let level = order.first().map(|at| found[*at].clone());
            let level = level.unwrap_or_default();
            return Err(DesignError::OneLevel { name, level });
        }
        if 2 * order.len() > n {
            let levels = order.len();
            return Err(DesignError::ManyLevels { name, levels, n });
        }
        let mut places = vec![0.0; found.len()];
        for (place, at) in order.iter().enumerate() {
            places[*at] = place as f64;
        }
        Ok(Self {
            codes: codes.iter().map(|code| places[*code]).collect(),
            levels: order.iter().map(|at| found[*at].clone()).collect(),
        })
    }
}
