//! Columns of survival times: the times, their events and strata.

use super::{
    DesignError, ResponseOptions,
    family::{numbers, response},
};
use crate::{
    family::{Distribution, Family},
    nearest::list,
    table::{Column, Values},
};

/// The survival times of a response column.
pub(super) fn times(column: Option<Column>, n: usize) -> Result<Vec<f64>, DesignError> {
    column.map_or(Ok(Vec::new()), |column| numbers(column, n, "times"))
}

/// Whether observations ended by an event, with the level that says so, and what is said of several others.
pub(super) fn events(
    column: Column,
    n: usize,
    kind: &ResponseOptions,
) -> Result<(Vec<f64>, Option<String>, Option<String>), DesignError> {
    let name = column.name.clone();
    let of = |level: &str, events: Vec<f64>, all: Vec<(String, usize)>| {
        let caution = several_censored(&name, level, all);
        Ok((events, Some(level.to_owned()), caution))
    };
    // A level that is named is the event, however many there are.
    if let (Some(wanted), Values::Factor { levels, codes }) = (kind.success, &column.values)
        && let Some(own) = levels.iter().position(|level| level == wanted)
    {
        let is_event = |code: &u32| f64::from(u8::from(*code as usize == own));
        let others = (0..).zip(levels).filter(|(code, _)| *code as usize != own);
        let counts = others.map(|(code, level)| {
            let count = codes.iter().filter(|other| **other == code).count();
            (level.clone(), count)
        });
        let counts = counts.filter(|(_, count)| *count > 0).collect();
        return of(wanted, codes.iter().map(is_event).collect(), counts);
    }
    if let (Some(Ok(wanted)), Some(numbers)) = (
        kind.success.map(|level| level.trim().parse::<f64>()),
        column.values.numbers(n),
    ) && numbers.contains(&wanted)
    {
        let events = numbers
            .iter()
            .map(|own| f64::from(u8::from(*own == wanted)));
        let mut others: Vec<f64> = numbers.iter().copied().collect();
        others.retain(|own| *own != wanted);
        others.sort_by(f64::total_cmp);
        let counts = others.chunk_by(|a, b| a == b);
        let counts = counts.map(|own| (own[0].to_string(), own.len())).collect();
        return of(kind.success.unwrap_or_default(), events.collect(), counts);
    }
    let kind = ResponseOptions {
        family: Family::new(Distribution::Binomial, None).unwrap_or_default(),
        success: kind.success,
        ..ResponseOptions::default()
    };
    match response(Some(column), n, &kind) {
        Ok((events, level)) => Ok((events, level, None)),
        Err(DesignError::Levels { name, levels }) => Err(DesignError::EventLevels { name, levels }),
        Err(other) => Err(other),
    }
}

/// The warning of values beside the event, with the numbers of their rows, that all count as censored; one alone is
/// what censored ones have.
fn several_censored(name: &str, event: &str, others: Vec<(String, usize)>) -> Option<String> {
    let shown = others.iter().map(|(level, count)| match count {
        1 => format!("{level} in 1 row"),
        count => format!("{level} in {count} rows"),
    });
    let shown: Vec<String> = shown.collect();
    (others.len() > 1).then(|| {
        format!(
            "beside the event {event} {name} has {}, which all count as censored: where some of them ended by another \
             event, the hazard is that of {event} alone (cause-specific), and where it is the same event, give it one value",
            list(shown.iter().map(String::as_str))
        )
    })
}

/// The numbers of the strata of a column, and their levels: those that occur, or distinct numbers.
pub(super) fn strata(column: Column, n: usize) -> (Vec<u32>, Vec<String>) {
    match column.values {
        Values::Factor { levels, codes } => {
            let mut used: Vec<u32> = codes.clone();
            used.sort_unstable();
            used.dedup();
            let place = |code: &u32| used.partition_point(|own| own < code) as u32;
            let names = used.iter().map(|code| levels[*code as usize].clone());
            (codes.iter().map(place).collect(), names.collect())
        }
        values => {
            let numbers = values.numbers(n).unwrap_or_default().into_owned();
            let mut distinct = numbers.clone();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            let place = |value: &f64| distinct.partition_point(|own| own.total_cmp(value).is_lt());
            let places = numbers.iter().map(|value| place(value) as u32).collect();
            (places, distinct.iter().map(f64::to_string).collect())
        }
    }
}
