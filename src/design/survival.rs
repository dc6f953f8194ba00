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

/// Whether observations ended by an event.
pub(super) struct Events {
    /// 1 for an event, 0 for none.
    pub(super) values: Vec<f64>,
    /// The level that says so, where it is not 1.
    pub(super) level: Option<String>,
    /// What is said of several other levels.
    pub(super) caution: Option<String>,
}

/// Whether observations ended by an event, by the column that says so.
pub(super) fn events(
    column: Column,
    n: usize,
    kind: &ResponseOptions,
) -> Result<Events, DesignError> {
    let name = column.name.clone();
    let of = |level: &str, values: Vec<f64>, others: Vec<(String, usize)>| {
        Ok(Events {
            values,
            level: Some(level.to_owned()),
            caution: several_censored(&name, level, &others),
        })
    };
    // A level that is named is the event, however many there are.
    if let (Some(wanted), Values::Factor { levels, codes }) = (kind.success, &column.values)
        && let Some(own) = levels.iter().position(|level| level == wanted)
    {
        let is_event = |code: &u32| f64::from(u8::from(*code as usize == own));
        let mut counts = vec![0; levels.len()];
        codes.iter().for_each(|code| counts[*code as usize] += 1);
        let all = levels.iter().cloned().zip(counts).enumerate();
        let others = all.filter(|(at, (_, count))| *at != own && *count > 0);
        let counts = others.map(|(_, own)| own).collect();
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
        Ok((values, level)) => Ok(Events {
            values,
            level,
            caution: None,
        }),
        Err(DesignError::Levels { name, levels }) => Err(DesignError::EventLevels { name, levels }),
        Err(other) => Err(other),
    }
}

/// The warning of values beside the event, with the numbers of their rows, that all count as censored; one alone is
/// what censored ones have.
fn several_censored(name: &str, event: &str, others: &[(String, usize)]) -> Option<String> {
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

/// The numbers of the strata or clusters of a column, and their levels: those that occur, or distinct numbers.
pub(super) fn groups(column: Column, n: usize) -> (Vec<u32>, Vec<String>) {
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
