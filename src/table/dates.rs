//! Dates as numbers: days since 1970-01-01.

use std::path::Path;

use super::error::{Fault, shown};
use super::{MISSING, TableError, Values};

/// The forms that are read, for messages.
const FORMS: &str = "1973-05-31, 1973/05/31, 19730531, 31.05.1973, 31/05/1973, 05/31/1973, 31-May-1973 or 31MAY1973, \
     with a time behind it or without";

/// Levels looked at before a factor is called one of dates.
const LEVELS_SEEN: usize = 50;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// The days before each month of a year that is no leap year.
const DAYS_BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/// One date as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Written {
    year: i64,
    /// Month and day; of a date with slashes the first number and the second.
    parts: (i64, i64),
    /// Whether it is open which part is the month.
    is_open: bool,
    /// The time of day, in days.
    time: f64,
}

impl Written {
    fn days(&self, day_first: bool) -> Option<f64> {
        let (month, day) = match self.is_open && day_first {
            true => (self.parts.1, self.parts.0),
            false => self.parts,
        };
        Some(days_since_1970(self.year, month, day)? as f64 + self.time)
    }
}

/// Days from 1970-01-01 to a day of the Gregorian calendar; `None` where there is no such day.
fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    let index = usize::try_from(month - 1).ok()?;
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let leap_day = i64::from(is_leap(year));
    let before = DAYS_BEFORE.get(index)? + if month > 2 { leap_day } else { 0 };
    let next = DAYS_BEFORE.get(index + 1).map_or(365, |next| *next);
    let length = next - DAYS_BEFORE[index] + if month == 2 { leap_day } else { 0 };
    // Leap days before the year's first day.
    let past = year - 1;
    let leap_days = |year: i64| year / 4 - year / 100 + year / 400;
    let years = 365 * (year - 1970) + leap_days(past) - leap_days(1969);
    (1..=length)
        .contains(&day)
        .then(|| years + before + day - 1)
}

/// Reads a date in one of the known forms.
fn read(text: &str) -> Option<Written> {
    let text = text.trim();
    let end = text.find(['T', ' ']).filter(|at| {
        text[*at + 1..].starts_with(|c: char| c.is_ascii_digit()) && text[*at..].contains(':')
    });
    let (date, time) = text.split_at(end.unwrap_or(text.len()));
    let time = match time.is_empty() {
        true => 0.0,
        false => read_time(&time[1..])?,
    };
    let is_separator = |c: char| "-/. ".contains(c);
    let mut tokens: Vec<&str> = Vec::with_capacity(3);
    for part in date.split(is_separator) {
        // `31MAY1973` has no separators.
        let mut rest = part;
        while let Some(first) = rest.chars().next() {
            let is_digits = first.is_ascii_digit();
            let end = rest.find(|c: char| c.is_ascii_digit() != is_digits);
            let (token, after) = rest.split_at(end.unwrap_or(rest.len()));
            tokens.push(token);
            rest = after;
        }
    }
    let separators = date.chars().filter(|c| is_separator(*c)).count();
    let number = |text: &str| -> Option<i64> {
        let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        (is_digits && text.len() <= 4).then(|| text.parse().ok())?
    };
    let year = |text: &str| (text.len() == 4).then(|| number(text))?;
    let written = |year, parts, is_open| {
        Some(Written {
            year,
            parts,
            is_open,
            time,
        })
    };
    match tokens[..] {
        [all] if all.len() == 8 && separators == 0 => written(
            number(&all[..4])?,
            (number(&all[4..6])?, number(&all[6..])?),
            false,
        ),
        [first, second, third] if first.len() == 4 && separators == 2 => {
            written(year(first)?, (number(second)?, number(third)?), false)
        }
        [day, month, last] if month.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            let name = month.get(..3)?.to_ascii_lowercase();
            let month = MONTHS.iter().position(|known| *known == name)? as i64 + 1;
            written(year(last)?, (month, number(day)?), false)
        }
        [first, second, last] if separators == 2 => match date.contains('.') {
            true => written(year(last)?, (number(second)?, number(first)?), false),
            false => written(year(last)?, (number(first)?, number(second)?), true),
        },
        _ => None,
    }
}

/// The part of a day: `14:30`, `14:30:00.5`, and a `Z` behind it.
fn read_time(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('Z');
    let mut seconds = 0.0;
    let mut parts = text.split(':');
    for (unit, least_above) in [(3600.0, 24.0), (60.0, 60.0), (1.0, 61.0)] {
        let Some(part) = parts.next() else { break };
        let is_plain = part
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        let value: f64 = part.parse().ok().filter(|_| is_plain)?;
        seconds += unit * Some(value).filter(|value| *value < least_above)?;
    }
    parts.next().is_none().then_some(seconds / 86_400.0)
}

/// Whether the levels of a factor are dates, as far as the first of them show.
pub(crate) fn are_dates(levels: &[String]) -> bool {
    let seen = &levels[..levels.len().min(LEVELS_SEEN)];
    // Eight digits are more often a number.
    let is_date = |level: &String| level.len() > 8 && read(level).is_some();
    !levels.is_empty() && seen.iter().all(is_date)
}

impl Values {
    /// Makes numbers of a factor of dates: days since 1970-01-01, with the time of day as a fraction.
    pub(crate) fn make_days(&mut self, path: &Path, column: &str) -> Result<(), TableError> {
        let Self::Factor { levels, codes } = &*self else {
            return Ok(());
        };
        // The first row of each level: what is wrong is told of the first row that has it.
        let mut first = vec![usize::MAX; levels.len()];
        for (row, code) in codes.iter().enumerate() {
            if let Some(first) = first.get_mut(*code as usize) {
                *first = row.min(*first);
            }
        }
        let wrong = |level: usize, message: String| {
            let message = format!("column `{column}`: {} {message}", shown(&levels[level]));
            let row = first[level].saturating_add(1);
            Err(Fault::from(format!("row {row}, {message}")).at(path, None))
        };
        let earliest = |levels: &mut dyn Iterator<Item = usize>| levels.min_by_key(|at| first[*at]);
        let read: Vec<Option<Written>> = levels.iter().map(|level| read(level)).collect();
        let mut unread = (0..levels.len()).filter(|at| read[*at].is_none());
        if let Some(at) = earliest(&mut unread) {
            let days = match levels[at].trim().parse::<f64>() {
                Ok(_) => "; days since 1970-01-01 that are numbers in all rows need no --date",
                Err(_) => "",
            };
            return wrong(at, format!("is no date that is known: write {FORMS}{days}"));
        }
        let written: Vec<Written> = read.into_iter().flatten().collect();
        let all = |day_first: bool| -> Result<Vec<f64>, usize> {
            let days: Vec<Option<f64>> = written.iter().map(|date| date.days(day_first)).collect();
            match earliest(&mut (0..days.len()).filter(|at| days[*at].is_none())) {
                Some(at) => Err(at),
                None => Ok(days.into_iter().flatten().collect()),
            }
        };
        let days = match (all(true), all(false)) {
            (Ok(by_day), Ok(by_month)) if by_day != by_month => {
                let open =
                    earliest(&mut (0..levels.len()).filter(|at| by_day[*at] != by_month[*at]));
                let message = "may begin with the day or with the month, and so may every date of \
                               the column: write them as 1973-05-31";
                return wrong(open.unwrap_or_default(), message.to_owned());
            }
            (Ok(days), _) | (_, Ok(days)) => days,
            (Err(at), Err(other)) => {
                // Before that row one of both forms may be that of all.
                let last = [at, other].into_iter().max_by_key(|at| first[*at]);
                return wrong(
                    last.unwrap_or(at),
                    "is no day of the calendar, or dates of the column \
                                             differ in form: write them as 1973-05-31"
                        .to_owned(),
                );
            }
        };
        let day = |code: &u32| match *code {
            MISSING => f64::NAN,
            code => days[code as usize],
        };
        *self = Self::Numbers(codes.iter().map(day).collect());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        for ((year, month, day), days) in [
            ((1970, 1, 1), Some(0)),
            ((1969, 12, 31), Some(-1)),
            ((2000, 2, 29), Some(11_016)),
            ((1900, 2, 29), None),
            ((1900, 3, 1), Some(-25_508)),
            ((2024, 12, 31), Some(20_088)),
            ((1973, 5, 31), Some(1_246)),
            ((2023, 13, 1), None),
            ((2023, 0, 1), None),
            ((2023, 4, 31), None),
        ] {
            assert_eq!(
                days_since_1970(year, month, day),
                days,
                "{year}-{month}-{day}"
            );
        }
    }

    #[test]
    fn the_first_row_that_is_no_date_is_told() {
        let told = |texts: &[&str]| {
            let mut values: Values = texts.iter().map(|text| Some(*text)).collect();
            values
                .make_days(Path::new("d"), "t")
                .unwrap_err()
                .to_string()
        };
        let error = told(&["2020-01-02", "later", "2020-01-01", "early", "19000"]);
        assert!(
            error.contains("row 2") && !error.contains("need no --date"),
            "{error}"
        );
        let error = told(&["19000", "2020-01-02", "early"]);
        assert!(
            error.contains("row 1") && error.contains("need no --date"),
            "{error}"
        );
        let error = told(&["01/02/2020", "13/01/2020", "01/31/2020", "01/15/2020"]);
        assert!(error.contains("row 3"), "{error}");
    }

    #[test]
    fn every_form_is_the_same_day() {
        for text in [
            "1973-05-31",
            "1973/05/31",
            "19730531",
            "31.05.1973",
            "31.5.1973",
            "31-May-1973",
            "31 May 1973",
            "31MAY1973",
            "05/31/1973",
            "5-31-1973",
            "1973-05-31T00:00:00Z",
        ] {
            let date = read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(date.days(false), Some(1246.0), "{text}");
        }
        assert_eq!(read("31/05/1973").unwrap().days(true), Some(1246.0));
        assert_eq!(read("1973-05-31 18:00").unwrap().days(true), Some(1246.75));
        for text in [
            "",
            "May",
            "31.5.73",
            "1973-05",
            "12:30",
            "1.2.3.4",
            "1973-05-31 25:00",
            "red",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
