//! Columns that options name.

use std::collections::HashSet;

use super::{Table, TableError, is_npy};
use crate::nearest::near;

impl Table {
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The position of the column with this name, counted from 0; `None` if there is none.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Position of the response: the column that `--response` names, or else the one that the
    /// format names.
    pub(crate) fn response_position(&self, name: Option<&str>) -> Result<usize, TableError> {
        match (name, self.response) {
            // The reader has read it: the second file of `.npy`.
            (Some(name), Some(at)) if self.position(name).is_none() && is_npy(name.as_ref()) => {
                Ok(at)
            }
            (Some(name), _) => self.require("--response", name),
            (None, Some(at)) => Ok(at),
            (None, None) => Err(TableError::NoResponse {
                path: self.source.clone(),
                columns: self.names().map(str::to_owned).collect(),
            }),
        }
    }

    /// Position of the column that an option names.
    pub(crate) fn require(&self, option: &'static str, name: &str) -> Result<usize, TableError> {
        self.position(name)
            .ok_or_else(|| TableError::UnknownColumn {
                path: self.source.clone(),
                option,
                name: name.to_owned(),
                near: near(name, self.names()),
                columns: self.names().map(str::to_owned).collect(),
            })
    }

    /// Position of a column that an option names beside the response.
    pub(crate) fn require_variable(
        &self,
        option: &'static str,
        name: &str,
        response: usize,
    ) -> Result<usize, TableError> {
        match self.require(option, name)? {
            at if at == response => Err(TableError::in_list(name, "is the response", option)),
            at => Ok(at),
        }
    }

    /// Leaves out columns; the positions in the file of those that stay.
    pub(crate) fn drop_columns(&mut self, names: &[String]) -> Vec<usize> {
        let dropped: HashSet<&String> = names.iter().collect();
        // Those of columns that stay were refused.
        self.rounded.clear();
        let mut positions = 0..;
        let mut stay = Vec::with_capacity(self.columns.len());
        self.columns.retain(|column| {
            let stays = !dropped.contains(&column.name);
            stay.extend(positions.next().filter(|_| stays));
            stays
        });
        stay
    }
}
