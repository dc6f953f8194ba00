//! What to do about missing values.

use super::{Column, MISSING, MissingColumn, Table, TableError, Values, sparse};

/// The policy for missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// A missing value is an error.
    #[default]
    Refuse,
    /// Observations with a missing value in any column are left out.
    DropRows,
    /// Missing values stay, to become a level of their own: of binned columns alone.
    Level,
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
        if policy == Missing::Level {
            return Ok(0);
        }
        let mut complete = vec![true; self.rows];
        let mut columns = Vec::new();
        for column in &self.columns {
            let mut count = 0;
            let mut first_row = 0;
            let mut mark = |row: usize| {
                if count == 0 {
                    first_row = row + 1;
                }
                count += 1;
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
                Values::Bytes(_) => {}
                Values::Factor { codes, .. } => {
                    rows_where(codes, |code| *code == MISSING).for_each(&mut mark);
                }
            }
            if count > 0 {
                columns.push(MissingColumn {
                    name: column.name.clone(),
                    count,
                    first_row,
                });
            }
        }
        if columns.is_empty() {
            return Ok(0);
        }
        if policy == Missing::Refuse {
            return Err(TableError::Missing {
                path: self.source.clone(),
                total: columns.iter().map(|column| column.count).sum(),
                width: self.columns.len(),
                columns,
            });
        }
        let kept = complete.iter().filter(|kept| **kept).count();
        if kept == 0 {
            columns.sort_by_key(|column| std::cmp::Reverse(column.count));
            return Err(TableError::NoCompleteRow {
                path: self.source.clone(),
                rows: self.rows,
                columns,
            });
        }
        let dropped = self.rows - kept;
        self.keep_rows(&complete);
        Ok(dropped)
    }

    /// Leaves out the observations not marked, and the levels that only they had; no value
    /// is missing in the others.
    pub(crate) fn keep_rows(&mut self, marked: &[bool]) {
        let sparse = |column: &Column| matches!(column.values, Values::Sparse { .. });
        let places = match self.columns.iter().any(sparse) {
            true => sparse::places(marked),
            false => Vec::new(),
        };
        for column in &mut self.columns {
            match &mut column.values {
                Values::Numbers(values) => retain(values, marked),
                Values::Sparse { rows, values } => sparse::keep(rows, values, &places),
                Values::Bytes(values) => retain(values, marked),
                Values::Factor { levels, codes } => {
                    retain(codes, marked);
                    drop_unused(levels, codes);
                }
            }
        }
        self.rows = marked.iter().filter(|marked| **marked).count();
    }
}

fn rows_where<T>(values: &[T], missing: impl Fn(&T) -> bool) -> impl Iterator<Item = usize> {
    let rows = values.iter().enumerate();
    rows.filter(move |(_, value)| missing(value))
        .map(|(row, _)| row)
}

fn retain<T>(values: &mut Vec<T>, marked: &[bool]) {
    let mut marked = marked.iter();
    values.retain(|_| marked.next().is_some_and(|marked| *marked));
    values.shrink_to_fit();
}

/// Leaves out the levels without an observation; no code is missing.
fn drop_unused(levels: &mut Vec<String>, codes: &mut [u32]) {
    let mut used = vec![false; levels.len()];
    for code in &*codes {
        used[*code as usize] = true;
    }
    let mut next = 0;
    let place: Vec<u32> = used
        .iter()
        .map(|used| {
            let place = next;
            next += u32::from(*used);
            place
        })
        .collect();
    for code in codes {
        *code = place[*code as usize];
    }
    retain(levels, &used);
}
