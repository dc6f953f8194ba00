//! The table of responses beside the data: its columns, once it is known that its rows are those of the data.

use std::{collections::HashSet, path::Path};

use thiserror::Error;

use super::RunError;
use crate::{
    design::DesignError,
    family::Distribution,
    job::Job,
    nearest::as_option,
    table::{self, Column, ReadOptions, Table, TableError, Values},
};

/// Why there are no such responses.
#[derive(Debug, Error)]
pub enum ResponsesError {
    /// A part of a name, which has a comma.
    #[error(
        "--response names `{part}`, which is no column of {data}, but a part of `{name}`: write a name with a comma in double \
         quotes, '\"{name}\"'"
    )]
    Comma {
        /// What is no name.
        part: String,
        /// The name of the column.
        name: String,
        /// The data.
        data: String,
    },
    /// Other rows than those of the data.
    #[error(
        "{responses}: {found} rows, and the data, {data}, have {rows}: the table of responses needs a row for each, in \
         the same order"
    )]
    Rows {
        /// The table of responses.
        responses: String,
        /// Its rows.
        found: usize,
        /// The data.
        data: String,
        /// Their rows.
        rows: usize,
    },
    /// Another observation than that of the data.
    #[error(
        "{responses}: row {row} is `{found}`, and in the data, {data}, it is `{expected}`: bring the rows of both into the \
         same order"
    )]
    Label {
        /// The table of responses.
        responses: String,
        /// The row, counted from 1.
        row: usize,
        /// What the table of responses calls it.
        found: String,
        /// The data.
        data: String,
        /// What the data call it.
        expected: String,
    },
    /// A column of both tables.
    #[error(
        "{responses}: the column `{name}` is in the data, {data}, too: rename it in one of them, leave it out of both with \
         --drop {}, or name responses that are columns of the data by --response",
        as_option(name)
    )]
    InBoth {
        /// The table of responses.
        responses: String,
        /// The column.
        name: String,
        /// The data.
        data: String,
    },
    /// A column of texts that differ in all rows.
    #[error(
        "{responses}: the column `{name}` has another text in each row, like an identifier, and the data, {data}, have no \
         such column to compare it with: leave it out with --drop {}",
        as_option(name)
    )]
    Identifier {
        /// The table of responses.
        responses: String,
        /// The column.
        name: String,
        /// The data.
        data: String,
    },
    /// A column of text for a family that takes numbers.
    #[error(
        "{responses}: the column `{name}` holds text (`{level}`), where the family {distribution} takes numbers: leave it \
         out with --drop {}, or take a family of levels (binomial, ordinal, multinomial)",
        as_option(name)
    )]
    Text {
        /// The table of responses.
        responses: String,
        /// The column.
        name: String,
        /// A text that it holds.
        level: String,
        /// The family.
        distribution: Distribution,
    },
    /// Nothing but identifiers and columns that are left out.
    #[error("{responses}: no column of it is a response")]
    NoResponse {
        /// The table of responses.
        responses: String,
    },
}

/// A table of responses beside the data.
#[derive(Debug)]
pub(super) struct ResponsesFile {
    /// What it is called.
    source: String,
    /// The number of its columns.
    pub(super) width: usize,
    /// Its columns that --drop names, and that the data lack.
    dropped: Vec<String>,
}

impl ResponsesFile {
    /// Reads the table and its columns that are responses. Columns that identify its rows are compared with those of the
    /// data, and are no responses; neither are those that --drop names.
    ///
    /// # Errors
    /// A table that cannot be read, or that is of other rows.
    pub(super) fn read(
        path: &Path,
        job: &Job,
        data: &Table,
    ) -> Result<(Self, Vec<Column>), RunError> {
        let (mut table, is_dropped) = (read_table(path, job)?, |column: &Column| {
            job.drop.contains(&column.name) && data.position(&column.name).is_none()
        });
        let width = table.columns.len();
        let dropped = table.columns.extract_if(.., |column| is_dropped(column));
        let dropped = dropped.map(|column| column.name).collect();
        let source = table.source.clone();
        let columns = responses_of(table, job, data)?;
        let file = Self {
            source,
            width,
            dropped,
        };
        Ok((file, columns))
    }

    /// A job that leaves out the same columns of the data, and names none of this table.
    pub(super) fn without_its_columns(&self, mut job: Job) -> Job {
        job.drop.retain(|name| !self.dropped.contains(name));
        job
    }

    /// An error names this table where it is about one of its responses.
    pub(super) fn named_in(&self, error: RunError, is_response: impl Fn(&str) -> bool) -> RunError {
        let RunError::Design(mut error) = error else {
            return error;
        };
        let source = &self.source;
        match &mut error {
            DesignError::Family { table, name, .. }
            | DesignError::Value {
                table,
                name,
                weights: false,
                ..
            } if is_response(name) => table.clone_from(source),
            DesignError::Table(
                TableError::Missing { path, columns, .. }
                | TableError::NoCompleteRow { path, columns, .. },
            ) => {
                let own = columns.iter().filter(|column| is_response(&column.name));
                match own.count() {
                    0 => {}
                    own if own == columns.len() => path.clone_from(source),
                    _ => *path += &format!(" and {source}"),
                }
            }
            _ => {}
        }
        let (name, level, distribution) = match error {
            DesignError::Text {
                name,
                level,
                weights: false,
            } => (name, level, Distribution::Gaussian),
            DesignError::TextOfFamily {
                name,
                level,
                distribution,
            } => (name, level, distribution),
            error => return error.into(),
        };
        let responses = source.clone();
        RunError::Responses(ResponsesError::Text {
            responses,
            name,
            level,
            distribution,
        })
    }
}

fn read_table(path: &Path, job: &Job) -> Result<Table, RunError> {
    let options = ReadOptions {
        missing: &job.na,
        interrupt: Some(&job.interrupt),
        ..ReadOptions::default()
    };
    Ok(table::read(path, &options)?)
}

/// The columns of a table that are responses.
fn responses_of(table: Table, job: &Job, data: &Table) -> Result<Vec<Column>, RunError> {
    let (responses, of_data) = (table.source.clone(), data.source.clone());
    if table.rows != data.rows {
        let (found, rows) = (table.rows, data.rows);
        return Err(ResponsesError::Rows {
            responses,
            found,
            data: of_data,
            rows,
        }
        .into());
    }
    let differ = |own: &[&str], other: &[&str]| {
        let row = own
            .iter()
            .zip(other)
            .position(|(own, other)| own != other)?;
        Some(ResponsesError::Label {
            responses: responses.clone(),
            row: row + 1,
            found: own[row].to_owned(),
            data: of_data.clone(),
            expected: other[row].to_owned(),
        })
    };
    let labels = |table: &Table| !table.labels.is_empty();
    let (own, other) = (texts_of(&table.labels), texts_of(&data.labels));
    if labels(&table)
        && labels(data)
        && let Some(error) = differ(&own, &other)
    {
        return Err(error.into());
    }
    let mut columns = Vec::new();
    for column in table.columns {
        let same = data.columns.iter().find(|own| own.name == column.name);
        let name = column.name.clone();
        let (responses, data) = (responses.clone(), of_data.clone());
        match (identifiers(&column), same.map(identifiers)) {
            (Some(own), Some(Some(other))) => {
                if let Some(error) = differ(&own, &other) {
                    return Err(error.into());
                }
            }
            (_, Some(_)) if job.drop.contains(&name) => {}
            (_, Some(_)) => {
                return Err(ResponsesError::InBoth {
                    responses,
                    name,
                    data,
                }
                .into());
            }
            (Some(own), None) if !other.is_empty() => {
                if let Some(error) = differ(&own, &other) {
                    return Err(error.into());
                }
            }
            (Some(_), None) => {
                return Err(ResponsesError::Identifier {
                    responses,
                    name,
                    data,
                }
                .into());
            }
            (None, None) => columns.push(column),
        }
    }
    match columns.is_empty() {
        true => Err(ResponsesError::NoResponse { responses }.into()),
        false => Ok(columns),
    }
}

fn texts_of(labels: &[String]) -> Vec<&str> {
    labels.iter().map(String::as_str).collect()
}

/// The texts of a column that has another one in each row, of more than two.
fn identifiers(column: &Column) -> Option<Vec<&str>> {
    let Values::Factor { levels, codes } = &column.values else {
        return None;
    };
    let distinct: HashSet<u32> = codes.iter().copied().collect();
    let is_identifier = distinct.len() == codes.len() && codes.len() > 2;
    let text = |code: &u32| levels.get(*code as usize).map_or("", String::as_str);
    is_identifier.then(|| codes.iter().map(text).collect())
}
