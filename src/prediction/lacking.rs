//! Which rows have no prediction, and why.

use crate::nearest::plural;

/// Why a row has no prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lack {
    /// It misses a value.
    Value,
    /// It has a level that no observation of the fit had.
    Level,
    /// A formula makes nothing of its values.
    Formula,
}

/// The rows of one reason.
#[derive(Debug, Clone)]
struct Rows {
    lack: Lack,
    count: usize,
    /// The first of them, from 0.
    first: usize,
    /// What that row lacks.
    what: String,
}

/// The rows without a prediction, each by the first reason that was found.
#[derive(Debug, Clone, Default)]
pub(super) struct Lacking(Vec<Rows>);

impl Lacking {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes a row that lacked nothing before.
    pub(super) fn note(&mut self, lack: Lack, row: usize, what: impl FnOnce() -> String) {
        match self.0.iter_mut().find(|own| own.lack == lack) {
            Some(own) => {
                own.count += 1;
                if row < own.first {
                    (own.first, own.what) = (row, what());
                }
            }
            None => self.0.push(Rows {
                lack,
                count: 1,
                first: row,
                what: what(),
            }),
        }
    }

    /// A sentence for each reason.
    pub(super) fn sentences(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|own| {
            let (count, what) = (own.count, &own.what);
            let (row, s) = (own.first + 1, plural(count));
            let (rows, have, they) = match count {
                1 => (format!("row {row}"), "has", "it"),
                _ => (format!("{count} row{s}"), "have", "they"),
            };
            let first = match count {
                1 => String::new(),
                _ => format!(": the first is row {row}"),
            };
            let joined = |word: &str| match count {
                1 => ": ".to_owned(),
                _ => format!("{first}{word}"),
            };
            match own.lack {
                Lack::Value => {
                    let misses = if count == 1 { "misses" } else { "miss" };
                    format!(
                        "{rows} {have} no prediction, as {they} {misses} a value that the model needs{first}, in column {what}"
                    )
                }
                Lack::Level => format!(
                    "{rows} {have} no prediction, as {they} {have} a level that no observation of the fit had{}{what}",
                    joined(", with ")
                ),
                Lack::Formula => {
                    let its = if count == 1 { "its" } else { "their" };
                    format!(
                        "{rows} {have} no prediction, as the model's formula makes no number of {its} values{}{what}",
                        joined(", where ")
                    )
                }
            }
        })
    }
}
