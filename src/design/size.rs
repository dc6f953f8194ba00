//! The size of a design matrix, known before it is made.

use std::fmt;

use super::{DesignError, DesignOptions};
use crate::table::{Column, Table, Values};

/// The most columns that a table's design matrix may have, and what they take.
#[derive(Debug, Clone)]
pub(crate) struct MatrixSize {
    n: usize,
    p: usize,
    /// The column of the table that makes most of them, where one makes many.
    widest: Option<(String, usize)>,
}

impl MatrixSize {
    /// Of n × p numbers; the widest is a term and the columns that it makes.
    pub(super) fn new(n: usize, p: usize, widest: Option<(String, usize)>) -> Self {
        Self { n, p, widest }
    }

    pub(crate) fn of(table: &Table, options: &DesignOptions) -> Self {
        let stays = |column: &&Column| !options.drop.contains(&column.name);
        Self::of_columns(table.columns.iter().filter(stays), table.rows)
    }

    /// Of columns of n observations.
    pub(super) fn of_columns<'c>(
        columns: impl IntoIterator<Item = &'c Column, IntoIter: Clone>,
        n: usize,
    ) -> Self {
        let widths = columns.into_iter().map(|column| (column, width(column, n)));
        let widest = widths.clone().max_by_key(|(_, width)| *width);
        Self {
            n,
            p: widths.map(|(_, width)| width).sum(),
            widest: widest.map(|(column, width)| (column.name.clone(), width)),
        }
    }

    /// The size where rows stand below one another so often, with columns for each time.
    pub(crate) fn in_blocks(self, blocks: usize) -> Self {
        Self {
            n: self.n.saturating_mul(blocks),
            p: self.p.saturating_mul(blocks),
            ..self
        }
    }

    /// Its numbers; `None` of more than can be counted.
    pub(super) fn values(&self) -> Option<usize> {
        self.n.checked_mul(self.p)
    }

    /// The error about a matrix of a table that has no room.
    pub(super) fn too_large(&self, table: &str) -> DesignError {
        DesignError::TooLarge {
            table: table.to_owned(),
            n: self.n,
            p: self.p,
            widest: self
                .widest
                .as_ref()
                .map_or(String::new(), |(name, _)| name.clone()),
        }
    }

    /// Bytes of the matrix in f64.
    pub(crate) fn bytes(&self) -> u64 {
        let values = (self.n as u64).saturating_mul(self.p as u64);
        values.saturating_mul(size_of::<f64>() as u64)
    }
}

impl fmt::Display for MatrixSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the design matrix of {} × {}", self.n, self.p)?;
        match self.widest.as_ref().filter(|(_, width)| *width > 1) {
            Some((name, width)) => write!(f, " (`{name}` makes {width} columns)"),
            None => Ok(()),
        }
    }
}

/// The most columns that a column of n observations becomes.
pub(super) fn width(column: &Column, n: usize) -> usize {
    match &column.values {
        Values::Remote => 0,
        Values::Numbers(_)
        | Values::Sparse { .. }
        | Values::Bytes(_)
        | Values::Gapped(_)
        | Values::Genotypes(_) => 1,
        // An identifier is refused when its turn comes.
        Values::Factor { levels, .. } if levels.len() >= n => 0,
        Values::Factor { levels, .. } => levels.len(),
    }
}
