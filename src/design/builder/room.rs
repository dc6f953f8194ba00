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
    /// Of a vector, the values of whose variables are to begin at a place.
    pub(super) fn new(values: Vec<f64>, start: usize) -> Self {
        Self {
            values,
            start,
            len: 0,
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
        self.values.truncate(self.start + self.len);
        // Giving the rest back takes no copy of so large a vector, but time of a small one.
        if self.values.capacity() / 16 * 15 > self.values.len() {
            self.values.shrink_to_fit();
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
        if let Some((places, start)) = places(columns, n) {
            let mut numbers = columns
                .iter_mut()
                .filter_map(|column| match &mut column.values {
                    Values::Numbers(numbers) => Some(numbers),
                    _ => None,
                });
            match Numbers::into_shared(numbers.by_ref().map(std::mem::take).collect()) {
                Ok(values) => {
                    self.x = Room::new(values, start);
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
        self.x = Room::new(room, 0);
        Ok(vec![None; columns.len()])
    }
}

/// Where each column stands in the vector that those of a file share, and where the first does, if all can become a design
/// there: they stand in their order, and those behind one another have room for what those before them become.
fn places(columns: &[Column], n: usize) -> Option<(Vec<Option<usize>>, usize)> {
    let numbers = |column: &'_ Column| match &column.values {
        Values::Numbers(numbers) => Some(numbers.clone()),
        _ => None,
    };
    let shared = columns.iter().find_map(numbers)?;
    let place_of = |column: &Column| match &column.values {
        Values::Numbers(numbers) => numbers.place_beside(&shared).map(Some),
        _ => Some(None),
    };
    let start = columns.first().and_then(place_of).flatten().unwrap_or(0);
    // Where what the columns become ends, and where the last that was read stands.
    let (mut end, mut read) = (start, start);
    let places = columns.iter().map(|column| {
        let place = place_of(column)?;
        if let Some(place) = place {
            if place < end.max(read) {
                return None;
            }
            read = place + n;
        }
        end = width(column, n).checked_mul(n)?.checked_add(end)?;
        Some(place)
    });
    let places: Vec<Option<usize>> = places.collect::<Option<_>>()?;
    (end <= shared.shared_len()).then_some((places, start))
}
