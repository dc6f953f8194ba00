//! The table of responses beside the data: its columns, once it is known that its rows are those of the data.

use std::{collections::HashSet, path::Path};

use thiserror::Error;

use super::RunError;
use crate::{
    job::Job,
    table::{self, Column, ReadOptions, Table, Values},
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
        "{responses}: the column `{name}` is in the data, {data}, too: leave it out of one of them, or name responses that \
         are columns of the data by --response"
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
         such column to compare it with: leave it out"
    )]
    Identifier {
        /// The table of responses.
        responses: String,
        /// The column.
        name: String,
        /// The data.
        data: String,
    },
    /// Nothing but identifiers.
    #[error("{responses}: no column of it is a response")]
    NoResponse {
        /// The table of responses.
        responses: String,
    },
}

/// The columns of a table of responses. Columns that identify its rows are compared with those of the data, and are no
/// responses.
///
/// # Errors
/// A table that cannot be read, or that is of other rows.
pub(super) fn read_responses(
    path: &Path,
    job: &Job,
    data: &Table,
) -> Result<Vec<Column>, RunError> {
    let options = ReadOptions {
        missing: &job.na,
        interrupt: Some(&job.interrupt),
        ..ReadOptions::default()
    };
    let table = table::read(path, &options)?;
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
