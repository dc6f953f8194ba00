//! A table as a formula sees it.

use std::{borrow::Cow, collections::HashMap};

use crate::{
    formula::{self, Variables},
    table::{Column, Table, Values},
};

/// A table as a formula sees it.
pub(super) struct Data<'t> {
    table: &'t Table,
    /// The columns by their names.
    places: HashMap<&'t str, usize>,
    /// Columns that `.` does not stand for.
    hidden: Vec<&'t str>,
}

impl<'t> Data<'t> {
    /// A table, and its columns that `.` does not stand for.
    pub(super) fn of(table: &'t Table, hidden: Vec<&'t str>) -> Self {
        let names = table.columns.iter().enumerate();
        Self {
            table,
            places: names.map(|(at, column)| (&*column.name, at)).collect(),
            hidden,
        }
    }

    pub(super) fn variable_of(column: &Column, rows: usize) -> Option<formula::Variable<'_>> {
        Some(match &column.values {
            Values::Factor { levels, codes } => formula::Variable::Factor {
                levels: Cow::Borrowed(levels),
                codes: Cow::Borrowed(codes),
                is_ordered: false,
            },
            values => formula::Variable::Numeric(values.numbers(rows)?),
        })
    }
}

impl Variables for Data<'_> {
    fn names(&self) -> Vec<&str> {
        let names = self.table.columns.iter().map(|column| &*column.name);
        names.filter(|name| !self.hidden.contains(name)).collect()
    }

    fn variable(&self, name: &str) -> Option<formula::Variable<'_>> {
        let column = *self.places.get(name)?;
        Self::variable_of(&self.table.columns[column], self.table.rows)
    }

    fn rows(&self) -> usize {
        self.table.rows
    }
}
