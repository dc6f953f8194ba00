//! The numbers of a column, which may stand in one matrix with those of other columns.

use std::{fmt, ops::Deref, slice::ChunksMut, sync::Arc};

use crate::memory::{MemoryCharge, MemoryError, room, zeros};

/// The numbers of a column: a vector of its own, or a part of a matrix. Clones share them until one is changed.
///
/// A file's columns are read into one matrix, which becomes the design's, so that they are in memory once.
#[derive(Clone, Default)]
pub struct Numbers {
    values: Arc<Vec<f64>>,
    start: usize,
    len: usize,
}

impl Numbers {
    /// An empty vector with room for a matrix of [`columns_of`](Self::columns_of), a large one on pages of two megabytes
    /// where the system has them; none if there is not so much memory.
    pub fn room(rows: usize, width: usize) -> Option<Vec<f64>> {
        room(rows.checked_mul(width)?)
    }

    /// The columns of a matrix, which becomes the design's where nobody else has them.
    ///
    /// *Shapes:* `matrix` has `rows` values of each column, one column after another.
    pub fn columns_of(matrix: Vec<f64>, rows: usize) -> Vec<Self> {
        let (width, values) = (matrix.len() / rows.max(1), Arc::new(matrix));
        let part = |at| Self::part(Arc::clone(&values), at * rows, rows);
        (0..width).map(part).collect()
    }

    /// Some numbers of a vector.
    pub(crate) fn part(values: Arc<Vec<f64>>, start: usize, len: usize) -> Self {
        assert!(start + len <= values.len());
        Self { values, start, len }
    }

    /// A copy that shares nothing.
    pub(crate) fn detached(&self) -> Self {
        self.to_vec().into()
    }

    fn is_whole(&self) -> bool {
        self.len == self.values.len()
    }

    /// The numbers to be changed; others that share them keep theirs.
    pub fn to_mut(&mut self) -> &mut [f64] {
        if !self.is_whole() {
            *self = self.detached();
        }
        Arc::make_mut(&mut self.values).as_mut_slice()
    }

    /// A vector of the numbers, copied where others share them.
    pub fn into_vec(self) -> Vec<f64> {
        match self.is_whole() {
            true => Arc::unwrap_or_clone(self.values),
            false => self.to_vec(),
        }
    }

    /// Where the numbers stand in their vector, if they stand in that of others.
    pub(crate) fn place_beside(&self, others: &Self) -> Option<usize> {
        Arc::ptr_eq(&self.values, &others.values).then_some(self.start)
    }

    /// How long the vector is in which the numbers stand.
    pub(crate) fn shared_len(&self) -> usize {
        self.values.len()
    }

    /// The vector in which all of these stand, if nobody else has a part of it; otherwise the same again.
    pub(crate) fn into_shared(parts: Vec<Self>) -> Result<Vec<f64>, Vec<Self>> {
        let Some(first) = parts.first().cloned() else {
            return Err(parts);
        };
        if !(parts.iter()).all(|part| part.place_beside(&first).is_some()) {
            return Err(parts);
        }
        let own = parts.into_iter().map(|part| (part.start, part.len));
        let own: Vec<(usize, usize)> = own.collect();
        Arc::try_unwrap(first.values).map_err(|values| {
            let part = |(start, len)| Self::part(Arc::clone(&values), start, len);
            own.into_iter().map(part).collect()
        })
    }
}

impl Deref for Numbers {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.values[self.start..][..self.len]
    }
}

impl fmt::Debug for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl PartialEq for Numbers {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl From<Vec<f64>> for Numbers {
    fn from(values: Vec<f64>) -> Self {
        let len = values.len();
        Self::part(Arc::new(values), 0, len)
    }
}

impl FromIterator<f64> for Numbers {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Vec::from_iter(values).into()
    }
}

/// Columns of numbers while they are read, one behind another in one vector.
#[derive(Debug, Default)]
pub(super) struct NumberColumns {
    values: Vec<f64>,
    count: usize,
    /// Rows that each has room for.
    room: usize,
}

impl NumberColumns {
    pub(super) fn new(count: usize) -> Self {
        Self {
            count,
            ..Self::default()
        }
    }

    /// Makes room for so many rows. Of those before, `filled` have values.
    ///
    /// # Errors
    /// The account or the system refuses the memory.
    pub(super) fn grow(
        &mut self,
        rows: usize,
        filled: usize,
        memory: Option<&MemoryCharge>,
        what: &str,
    ) -> Result<(), MemoryError> {
        if rows <= self.room {
            return Ok(());
        }
        let size = rows.saturating_mul(self.count);
        let bytes = |values: usize| values.saturating_mul(size_of::<f64>()) as u64;
        if let Some(memory) = memory {
            memory.grow(bytes(size - self.values.len()), what)?;
        }
        let Some(mut values) = zeros(size) else {
            return Err(MemoryError::refused(bytes(size), what));
        };
        if filled > 0 {
            let columns = values.chunks_mut(rows).zip(self.values.chunks(self.room));
            columns.for_each(|(to, from)| to[..filled].copy_from_slice(&from[..filled]));
        }
        (self.values, self.room) = (values, rows);
        Ok(())
    }

    /// Rows that each column has room for.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// The room of all columns.
    pub(super) fn all_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The room of each column.
    pub(super) fn columns_mut(&mut self) -> ChunksMut<'_, f64> {
        self.values.chunks_mut(self.room.max(1))
    }

    /// The columns, of so many rows.
    pub(super) fn finish(self, rows: usize) -> Vec<Numbers> {
        let values = Arc::new(self.values);
        let starts = (0..self.count).map(|column| column * self.room);
        let part = |start| Numbers::part(Arc::clone(&values), start, rows);
        starts.map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_share_a_vector_until_they_change() {
        let mut columns = NumberColumns::new(2);
        columns.grow(1, 0, None, "").unwrap();
        let first = columns.columns_mut();
        first.zip([1.0, 3.0]).for_each(|(own, x)| own[0] = x);
        columns.grow(3, 1, None, "").unwrap();
        let second = columns.columns_mut();
        second.zip([2.0, 4.0]).for_each(|(own, x)| own[1] = x);
        let mut columns = columns.finish(2);
        assert_eq!(
            columns,
            [vec![1.0, 2.0].into(), vec![3.0, 4.0].into()] as [Numbers; 2]
        );
        assert_eq!(columns[1].place_beside(&columns[0]), Some(3));
        let copy = columns[0].clone();
        let columns_again = Numbers::into_shared(columns.clone()).unwrap_err();
        assert_eq!(columns_again, columns);
        columns[0].to_mut()[1] = 9.0;
        assert_eq!((columns[0][1], copy[1]), (9.0, 2.0));
        assert_eq!(columns[0].place_beside(&copy), None);
        drop((columns, columns_again));
        assert_eq!(
            Numbers::into_shared(vec![copy]),
            Ok(vec![1.0, 2.0, 0.0, 3.0, 4.0, 0.0])
        );
    }
}
