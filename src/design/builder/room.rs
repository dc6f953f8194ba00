//! Where the columns of a design matrix stand while it is made: in the matrix that a file was read into, or in one of
//! their own.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::DesignBuilder;
use crate::{
    design::{
        DesignError,
        size::{MatrixSize, width},
    },
    memory::zeros,
    table::{Column, Numbers, TableError, Values},
};

/// A vector of which some values are those of the variables so far.
#[derive(Debug, Default)]
pub(super) struct Room {
    values: Vec<f64>,
    start: usize,
    len: usize,
}

impl Room {
    /// Of a vector none of whose values is one of a variable.
    pub(super) fn new(values: Vec<f64>) -> Self {
        Self {
            values,
            ..Self::default()
        }
    }

    /// Everything behind the variables' values, and where it begins.
    pub(super) fn rest(&mut self) -> (usize, &mut [f64]) {
        let end = self.start + self.len;
        (end, &mut self.values[end..])
    }

    /// Some values at their place in the vector.
    pub(super) fn at(&self, place: usize, n: usize) -> &[f64] {
        &self.values[place..][..n]
    }

    /// Takes n values at a place for those of the next variable.
    pub(super) fn take(&mut self, place: usize, n: usize) {
        if self.len == 0 {
            self.start = place;
        }
        let end = self.start + self.len;
        if end != place {
            self.values.copy_within(place..place + n, end);
        }
        self.len += n;
    }

    /// Leaves out the values behind so many.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = len;
    }

    /// The variables' values.
    pub(super) fn finish(mut self) -> Numbers {
        // What others stood in is given back, unless that takes a copy.
        if self.start == 0 {
            self.values.truncate(self.len);
        }
        Numbers::part(Arc::new(self.values), self.start, self.len)
    }
}

impl Deref for Room {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.values[self.start..][..self.len]
    }
}

impl DerefMut for Room {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.values[self.start..][..self.len]
    }
}

impl DesignBuilder<'_> {
    /// Makes room for columns, and says where those stand in it that are there already.
    pub(super) fn make_room(
        &mut self,
        columns: &mut [Column],
    ) -> Result<Vec<Option<usize>>, DesignError> {
        let n = self.n;
        if let Some((places, end)) = places(columns, n) {
            let mut numbers = columns
                .iter_mut()
                .filter_map(|column| match &mut column.values {
                    Values::Numbers(numbers) => Some(numbers),
                    _ => None,
                });
            match Numbers::into_shared(numbers.by_ref().map(std::mem::take).collect()) {
                Ok(mut values) => {
                    values.resize(values.len().max(end), 0.0);
                    self.x = Room::new(values);
                    return Ok(places);
                }
                Err(parts) => {
                    let numbers = columns
                        .iter_mut()
                        .filter(|column| matches!(column.values, Values::Numbers(_)));
                    numbers
                        .zip(parts)
                        .for_each(|(column, part)| column.values = Values::Numbers(part));
                }
            }
        }
        let size = MatrixSize::of_columns(&*columns, n);
        if let Some(memory) = self.making.memory {
            let taken = memory.grow(size.bytes(), &size);
            taken.map_err(|error| TableError::memory(&self.table, error))?;
        }
        let Some(room) = size.values().and_then(zeros) else {
            return Err(size.too_large(&self.table));
        };
        self.x = Room::new(room);
        Ok(vec![None; columns.len()])
    }
}

/// Where each column stands in the vector that those of a file share, if all can become a design there: those behind
/// one another have room for what those before them become. And where the last of these ends.
pub(super) fn places(columns: &[Column], n: usize) -> Option<(Vec<Option<usize>>, usize)> {
    let numbers = |column: &'_ Column| match &column.values {
        Values::Numbers(numbers) => Some(numbers.clone()),
        _ => None,
    };
    let first = columns.iter().find_map(numbers)?;
    let mut end = None;
    let places = columns.iter().map(|column| {
        let place = match &column.values {
            Values::Numbers(numbers) => Some(numbers.place_beside(&first)?),
            _ => None,
        };
        let start = end.or(place).unwrap_or(0);
        if place.is_some_and(|place| place < start) {
            return None;
        }
        end = Some(start + n * width(column, n));
        Some(place)
    });
    let places: Option<_> = places.collect();
    Some((places?, end?))
}
