//! Tables from columns that a caller has in memory.

use std::path::Path;

use super::{Column, Numbers, Table, TableError, Values, names};

impl Table {
    /// Makes a table of named columns, which may be of several kinds.
    ///
    /// Columns convert `into` [`Values`]: `Vec<f64>` as numbers (NaN is a missing value), `Vec<u8>`,
    /// `Vec<u32>` and `Vec<i32>` as whole numbers, `Vec<&str>`, `Vec<String>` and
    /// `Vec<Option<&str>>` as a factor (`None` is a missing value). The table names no response:
    /// the options of what is made of it do.
    ///
    /// *Shapes:* every column has n values.
    ///
    /// # Errors
    /// No column, no row, columns of different lengths, a name that is empty or used twice, an
    /// infinite number.
    ///
    /// ```
    /// use passel::table::Table;
    ///
    /// let (age, site) = (vec![34.0, 51.5, 29.0], vec!["north", "south", "north"]);
    /// let table = Table::from_columns([("age", age.into()), ("site", site.into())])?;
    /// assert_eq!((table.rows, table.columns.len()), (3, 2));
    /// # Ok::<(), passel::table::TableError>(())
    /// ```
    pub fn from_columns<N: Into<String>>(
        columns: impl IntoIterator<Item = (N, Values)>,
    ) -> Result<Self, TableError> {
        Self::in_memory("the columns", columns)
    }

    /// As [`from_columns`](Self::from_columns); `source` is the table's name in messages.
    ///
    /// # Errors
    /// As [`from_columns`](Self::from_columns).
    pub fn in_memory<N: Into<String>>(
        source: &str,
        columns: impl IntoIterator<Item = (N, Values)>,
    ) -> Result<Self, TableError> {
        let columns: Vec<Column> = columns.into_iter().map(Column::from).collect();
        if columns.is_empty() {
            return Err(TableError::no_columns(source));
        }
        // A sparse column does not know its rows.
        let known = columns.iter().find_map(|column| column.values.len());
        let rows = known.unwrap_or(0);
        if rows == 0 {
            return Err(TableError::no_rows(source));
        }
        for (position, column) in columns.iter().enumerate() {
            if column.name.trim().is_empty() {
                return Err(TableError::content(source, names::unnamed(position)));
            }
            if let Some(found) = column.values.len().filter(|found| *found != rows) {
                let name = &column.name;
                let message =
                    format!("column `{name}` has {found} values, but {rows} are expected");
                return Err(TableError::content(source, message));
            }
            column.check_finite(source.as_ref())?;
        }
        let names = columns.iter().map(|column| column.name.as_str());
        names::check_unique(source.as_ref(), names)?;
        Ok(Self::new(source.to_owned(), columns, None))
    }
}

impl Column {
    /// Refuses infinite numbers of a dense column.
    pub(super) fn check_finite(&self, path: &Path) -> Result<(), TableError> {
        let Values::Numbers(values) = &self.values else {
            return Ok(());
        };
        // To the end, so that many values are looked at at once.
        let any = (values.iter()).fold(false, |any, value| any | value.is_infinite());
        let first = || values.iter().position(|value| value.is_infinite());
        match any.then(first).flatten() {
            None => Ok(()),
            Some(row) => Err(TableError::infinite_element(path, row, &self.name)),
        }
    }
}

impl Column {
    /// A copy that shares nothing with the columns of its table.
    pub(crate) fn detached(&self) -> Self {
        let values = match &self.values {
            Values::Numbers(numbers) => Values::Numbers(numbers.detached()),
            values => values.clone(),
        };
        Self {
            name: self.name.clone(),
            values,
        }
    }
}

impl<N: Into<String>, V: Into<Values>> From<(N, V)> for Column {
    fn from((name, values): (N, V)) -> Self {
        Self {
            name: name.into(),
            values: values.into(),
        }
    }
}

impl From<Vec<f64>> for Values {
    fn from(values: Vec<f64>) -> Self {
        Self::Numbers(values.into())
    }
}

impl From<Numbers> for Values {
    fn from(values: Numbers) -> Self {
        Self::Numbers(values)
    }
}

impl From<&[f64]> for Values {
    fn from(values: &[f64]) -> Self {
        Self::Numbers(values.to_vec().into())
    }
}

impl From<Vec<u8>> for Values {
    fn from(values: Vec<u8>) -> Self {
        Self::Bytes(values)
    }
}

impl From<Vec<u32>> for Values {
    fn from(values: Vec<u32>) -> Self {
        Self::Numbers(values.into_iter().map(f64::from).collect())
    }
}

impl From<Vec<i32>> for Values {
    fn from(values: Vec<i32>) -> Self {
        Self::Numbers(values.into_iter().map(f64::from).collect())
    }
}

impl From<Vec<Option<&str>>> for Values {
    fn from(values: Vec<Option<&str>>) -> Self {
        values.into_iter().collect()
    }
}

impl From<Vec<&str>> for Values {
    fn from(values: Vec<&str>) -> Self {
        values.into_iter().map(Some).collect()
    }
}

impl From<Vec<String>> for Values {
    fn from(values: Vec<String>) -> Self {
        values.iter().map(|value| Some(value.as_str())).collect()
    }
}
