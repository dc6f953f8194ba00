//! Columns whose values may not be in memory: genotypes at two bits.

use std::{borrow::Cow, ops::Range};

use super::{
    super::packed::{PackedAnchor, PackedPart, PackedView},
    Columns, Elsewhere,
};
use crate::vector::product;

impl<'x> Columns<'x> {
    /// The n values of column `j`, of which no copy is kept for later.
    pub(crate) fn column_once(&self, j: u32) -> Cow<'x, [f64]> {
        let Some(genotypes) = self.genotypes_of(j) else {
            return Cow::Borrowed(self.column(j));
        };
        genotypes.copy().map_or_else(
            || {
                let mut values = vec![0.0; self.n];
                genotypes.unpack(&mut values);
                Cow::Owned(values)
            },
            Cow::Borrowed,
        )
    }

    /// A column if it is genotypes at two bits: of this process, or of another rank and fetched.
    pub(in crate::design) fn genotypes_of(&self, j: u32) -> Option<PackedView<'x>> {
        let Some(Elsewhere::Packed(packed, _)) = self.elsewhere else {
            return None;
        };
        match (self.remote, self.local_place(j)) {
            (Some(remote), None) => remote.genotypes(j, packed),
            (_, place) => {
                let own = place?.checked_sub(self.dense_count())?;
                Some(packed.view(own))
            }
        }
    }

    /// The values of a column of genotypes of this process, if all were unpacked.
    pub(super) fn whole_column(&self, j: u32) -> Option<&'x [f64]> {
        let Some(Elsewhere::Packed(packed, _)) = self.elsewhere else {
            return None;
        };
        let own = self.local_place(j)?.checked_sub(self.dense_count())?;
        packed.of_whole(own)
    }

    /// The values of some neighbouring local columns, those of genotypes unpacked into `room`.
    ///
    /// *Shapes:* n × the length of the range, column-major.
    pub(crate) fn block<'a>(&self, columns: Range<usize>, room: &'a mut Vec<f64>) -> &'a [f64]
    where
        'x: 'a,
    {
        let Some(Elsewhere::Packed(packed, (first, _))) = self.elsewhere else {
            let first = self.local().start;
            let (start, end) = (columns.start - first, columns.end - first);
            return &self.values[start * self.n..end * self.n];
        };
        room.resize(columns.len() * self.n, 0.0);
        let before = self.local().start;
        let places = first + columns.start - before..first + columns.end - before;
        for (place, out) in places.zip(room.chunks_mut(self.n)) {
            match self.dense(place) {
                Some(values) => out.copy_from_slice(values),
                None => packed.unpack(place - self.dense_count(), out),
            }
        }
        room
    }

    /// The number of columns of a block, not above `most`, that are read at a time: those of which a copy must be made fit a
    /// cache.
    pub(crate) fn at_once(&self, most: usize) -> usize {
        const CACHE: usize = 1 << 18;
        match self.is_unpacked() {
            true => most,
            false => most.min((CACHE / self.n).max(16)),
        }
    }

    /// Whether products of genotypes are made of integers, exactly but for their last rounding.
    pub(crate) fn has_integers(&self) -> bool {
        matches!(self.elsewhere, Some(Elsewhere::Packed(packed, _)) if packed.has_integers())
    }

    /// Whether the values of all columns are in memory.
    pub(crate) fn is_unpacked(&self) -> bool {
        !matches!(self.elsewhere, Some(Elsewhere::Packed(..)))
    }

    /// The same columns as a GPU lays them out; none where all are numbers.
    pub(crate) fn packed(&self) -> Option<PackedPart<'x>> {
        match self.elsewhere {
            Some(Elsewhere::Packed(packed, (first, count))) => {
                Some(PackedPart::new(packed, self.values, first..first + count))
            }
            _ => None,
        }
    }

    /// A column of genotypes to multiply others with; none of one whose values are numbers.
    pub(crate) fn anchor(&self, j: u32) -> Option<PackedAnchor<'x>> {
        self.genotypes_of(j).map(|genotypes| genotypes.anchor())
    }

    /// The products of neighbouring local columns with an [`anchor`](Self::anchor) of the same design, if all of them are
    /// genotypes; otherwise none is written.
    pub(crate) fn products_of_integers(
        &self,
        columns: Range<usize>,
        anchor: &PackedAnchor,
        out: &mut [f64],
    ) -> bool {
        let Some(Elsewhere::Packed(_, (first, _))) = self.elsewhere else {
            return false;
        };
        let place = first + columns.start - self.local().start;
        let Some(start) = place.checked_sub(self.dense_count()) else {
            return false;
        };
        anchor.products(start..start + columns.len(), out);
        true
    }

    /// The products of a column with others, those of genotypes by integers where no observation has a weight of its own.
    pub(crate) fn products_with(&self, j: u32, others: &[u32], out: &mut [f64]) {
        let anchor = self.anchor(j).filter(|_| self.has_integers());
        let mut values = None;
        for (other, out) in others.iter().zip(out) {
            let genotypes = anchor.as_ref().zip(self.genotypes_of(*other));
            *out = match genotypes {
                Some((anchor, other)) => anchor.product(other),
                None => {
                    let values = values.get_or_insert_with(|| self.column_once(j));
                    product(values, &self.column_once(*other))
                }
            };
        }
    }
}
