//! The policies for missing values.

use std::{cmp::Reverse, collections::HashSet};

use super::{
    Column, MISSING, MISSING_BYTE, MissingColumn, Table, TableError, Values, factor::factor_of_part,
};
use crate::{ranks::Communicator, threads::map_each};

/// The policy for missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// [`Mean`](Self::Mean) for a regression on genotypes, otherwise [`Refuse`](Self::Refuse).
    #[default]
    Auto,
    /// A missing value is an error.
    Refuse,
    /// A missing value of a candidate is the mean of the column's others; observations that miss the response, a kept
    /// variable or what else is no candidate are left out. For regressions only.
    Mean,
    /// Observations with a missing value in any column are left out.
    DropRows,
    /// Missing values become a level of their own. For binned columns only.
    Level,
    /// Each table of counts leaves out the observations that miss one of its variables;
    /// observations without a response are left out of all. For binned columns only.
    Pairwise,
}

impl Table {
    /// Applies the policy to all columns; returns the number of rows dropped.
    ///
    /// Levels that no remaining observation has are dropped with their rows, for they would
    /// be constant variables.
    ///
    /// # Errors
    /// [`TableError::Missing`] where the policy refuses, [`TableError::NoCompleteRow`] where
    /// dropping would leave no row; the table is then as it was.
    pub fn handle_missing(&mut self, policy: Missing) -> Result<usize, TableError> {
        let dropped = self.handle_missing_partitioned(policy, None)?;
        Ok(dropped.count)
    }

    /// Applies the policy to a table whose columns the ranks of a communicator partition.
    ///
    /// # Errors
    /// As [`handle_missing`](Self::handle_missing), on all ranks alike; a rank that failed or is
    /// gone.
    pub(crate) fn handle_missing_partitioned(
        &mut self,
        policy: Missing,
        communicator: Option<&Communicator>,
    ) -> Result<DroppedRows, TableError> {
        match policy {
            Missing::Level | Missing::Pairwise => Ok(DroppedRows::default()),
            Missing::Mean => {
                self.fill_with_means(communicator)?;
                Ok(DroppedRows::default())
            }
            _ => self.handle_missing_of(policy, communicator, |_| true),
        }
    }

    /// Applies the policy to some of the columns.
    ///
    /// # Errors
    /// As [`handle_missing`](Self::handle_missing).
    pub(crate) fn handle_missing_of(
        &mut self,
        policy: Missing,
        communicator: Option<&Communicator>,
        of: impl Fn(&Column) -> bool,
    ) -> Result<DroppedRows, TableError> {
        let mut complete = vec![true; self.rows];
        // Nearly always none has any: all threads look first.
        let own: Vec<&Column> = self.columns.iter().filter(|column| of(column)).collect();
        let has_missing = map_each(own.clone(), Column::has_missing);
        let with_missing = own.into_iter().zip(has_missing).filter(|own| own.1);
        let missing = |(column, _): (&Column, bool)| missing_of(column, &mut complete);
        let mut columns: Vec<MissingColumn> = with_missing.filter_map(missing).collect();
        if let Some(communicator) = communicator {
            let rows = (0..).zip(&complete);
            let rows: Vec<u32> = rows
                .filter_map(|(row, complete)| (!complete).then_some(row))
                .collect();
            let all = communicator.gather(&(columns, rows));
            let all = all.map_err(TableError::Ranks)?;
            let mut seen = HashSet::new();
            columns = Vec::new();
            for (theirs, rows) in all {
                // Replicated columns come from every rank.
                columns.extend(
                    theirs
                        .into_iter()
                        .filter(|column| seen.insert(column.name.clone())),
                );
                for row in rows {
                    complete[row as usize] = false;
                }
            }
        }
        if matches!(policy, Missing::Refuse | Missing::Auto) && !columns.is_empty() {
            return Err(TableError::Missing {
                path: self.source.clone(),
                total: columns.iter().map(|column| column.count).sum(),
                width: self.columns.len(),
                columns,
            });
        }
        self.keep_complete(&complete, columns)
    }

    /// Marks the rows in which no column that `of` accepts has a missing value.
    pub(crate) fn complete_rows(&self, of: impl Fn(&Column) -> bool) -> Vec<bool> {
        let mut complete = vec![true; self.rows];
        for column in self.columns.iter().filter(|column| of(column)) {
            missing_of(column, &mut complete);
        }
        complete
    }

    /// Leaves out the observations whose value of one column is missing.
    ///
    /// # Errors
    /// [`TableError::NoCompleteRow`]; the table is then as it was.
    pub(crate) fn drop_rows_missing(&mut self, column: usize) -> Result<DroppedRows, TableError> {
        let mut complete = vec![true; self.rows];
        let column = missing_of(&self.columns[column], &mut complete);
        self.keep_complete(&complete, column.into_iter().collect())
    }

    /// Leaves out the observations that are not complete; `columns` are those with missing values.
    fn keep_complete(
        &mut self,
        complete: &[bool],
        mut columns: Vec<MissingColumn>,
    ) -> Result<DroppedRows, TableError> {
        if columns.is_empty() {
            return Ok(DroppedRows::default());
        }
        let kept = complete.iter().filter(|kept| **kept).count();
        columns.sort_by_key(|column| Reverse(column.count));
        if kept == 0 {
            return Err(TableError::NoCompleteRow {
                path: self.source.clone(),
                rows: self.rows,
                columns,
            });
        }
        let (rows, count) = (self.rows, self.rows - kept);
        self.keep_rows(complete);
        Ok(DroppedRows {
            count,
            rows,
            columns,
        })
    }
}

/// The rows that a policy for missing values left out.
#[derive(Debug, Clone, Default)]
pub(crate) struct DroppedRows {
    pub(crate) count: usize,
    /// The rows before.
    rows: usize,
    /// The columns that miss values, those with the most first.
    columns: Vec<MissingColumn>,
}

impl DroppedRows {
    /// Says of another column what was said of one that misses values in the same rows.
    pub(crate) fn rename(&mut self, column: &str, other: &str) {
        let mut columns = self.columns.iter_mut();
        if let Some(own) = columns.find(|own| own.name == column) {
            own.name = other.to_owned();
        }
    }

    /// The warning of the rows, with the columns that cost the most; none where none was left out.
    pub(crate) fn warning(&self) -> Option<String> {
        const COLUMNS_NAMED: usize = 3;
        let Self {
            count,
            rows,
            columns,
        } = self;
        let mut worst: Vec<&MissingColumn> = columns.iter().collect();
        // Ties by name: where a column stands in the file must not show.
        worst.sort_by_key(|column| (Reverse(column.count), &column.name));
        let named = worst.into_iter().take(COLUMNS_NAMED).enumerate();
        let named = named.map(|(at, column)| {
            let misses = if at == 0 { " misses" } else { "" };
            format!("{}{misses} {}", column.name, column.count)
        });
        let mut named: Vec<String> = named.collect();
        if let more @ 1.. = columns.len().saturating_sub(COLUMNS_NAMED) {
            named.push(format!("… {more} more"));
        }
        (*count > 0).then(|| {
            let named = named.join(", ");
            let were = if *count == 1 { "was" } else { "were" };
            format!("{count} of {rows} rows {were} dropped for missing values: {named}")
        })
    }
}

impl Column {
    pub(super) fn has_missing(&self) -> bool {
        // To the end, so that many values are looked at at once.
        let any = |values: &[f64]| values.iter().fold(false, |any, value| any | value.is_nan());
        match &self.values {
            Values::Numbers(values) => any(values),
            Values::Sparse { values, .. } => any(values),
            Values::Bytes(_) | Values::Remote => false,
            Values::Gapped(values) => memchr::memchr(MISSING_BYTE, values).is_some(),
            Values::Genotypes(genotypes) => genotypes.missing() > 0,
            Values::Factor { codes, .. } => codes.contains(&MISSING),
        }
    }

    /// The rows that miss a value, of so many.
    pub(crate) fn missing_rows(&self, rows: usize) -> Vec<usize> {
        let mut complete = vec![true; rows];
        missing_of(self, &mut complete);
        (0..rows).filter(|row| !complete[*row]).collect()
    }
}

impl Values {
    /// Makes missing what is one of these words, or a number that one of them writes.
    pub(super) fn mark_missing(&mut self, words: &[String]) {
        if words.is_empty() {
            return;
        }
        let numbers: Vec<f64> = words.iter().filter_map(|word| word.parse().ok()).collect();
        let is_marked = |value: &f64| numbers.contains(value);
        let mark = |values: &mut [f64]| {
            let marked = values.iter_mut().filter(|value| is_marked(value));
            marked.for_each(|value| *value = f64::NAN);
        };
        match self {
            Self::Numbers(values) => {
                if values.iter().any(is_marked) {
                    mark(values.to_mut());
                }
            }
            Self::Sparse { values, .. } => mark(values),
            Self::Genotypes(genotypes) => {
                if [0.0, 1.0, 2.0].iter().any(is_marked) {
                    let rows = genotypes.len();
                    let mut values = self.numbers(rows).unwrap_or_default().into_owned();
                    mark(&mut values);
                    *self = values.into();
                }
            }
            Self::Bytes(bytes) | Self::Gapped(bytes) => {
                if bytes.iter().any(|byte| is_marked(&f64::from(*byte))) {
                    let rows = bytes.len();
                    let mut values = self.numbers(rows).unwrap_or_default().into_owned();
                    mark(&mut values);
                    *self = values.into();
                }
            }
            Self::Factor { levels, codes } => {
                let is_word = |level: &String| {
                    let number = level.trim().parse().ok();
                    words.contains(level) || number.is_some_and(|number| is_marked(&number))
                };
                let marked: Vec<bool> = levels.iter().map(is_word).collect();
                if marked.contains(&true) {
                    let codes = codes.iter().map(|code| match marked.get(*code as usize) {
                        Some(true) => MISSING,
                        _ => *code,
                    });
                    *self = factor_of_part(levels, codes.collect());
                }
            }
            Self::Remote => {}
        }
    }
}

/// Counts a column's missing values, if it has any, and marks their observations as not complete.
fn missing_of(column: &Column, complete: &mut [bool]) -> Option<MissingColumn> {
    let mut missing = MissingColumn {
        name: String::new(),
        count: 0,
        first_row: 0,
    };
    let mut mark = |row: usize| {
        if missing.count == 0 {
            missing.first_row = row + 1;
        }
        missing.count += 1;
        complete[row] = false;
    };
    match &column.values {
        Values::Numbers(values) => {
            rows_where(values, |value| value.is_nan()).for_each(&mut mark);
        }
        Values::Sparse { rows, values } => {
            let entries = rows_where(values, |value| value.is_nan());
            entries.map(|at| rows[at] as usize).for_each(&mut mark);
        }
        Values::Bytes(_) | Values::Remote => {}
        Values::Gapped(values) => memchr::memchr_iter(MISSING_BYTE, values).for_each(&mut mark),
        Values::Genotypes(genotypes) => genotypes.missing_rows().for_each(&mut mark),
        Values::Factor { codes, .. } => {
            rows_where(codes, |code| *code == MISSING).for_each(&mut mark);
        }
    }
    let name = column.name.clone();
    (missing.count > 0).then_some(MissingColumn { name, ..missing })
}

fn rows_where<T>(values: &[T], missing: impl Fn(&T) -> bool) -> impl Iterator<Item = usize> {
    let rows = values.iter().enumerate();
    rows.filter(move |(_, value)| missing(value))
        .map(|(row, _)| row)
}
