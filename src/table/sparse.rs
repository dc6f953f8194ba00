//! Conversions to numbers, and operations on sparse columns.

use std::borrow::Cow;

use super::{MISSING_BYTE, Values};

impl Values {
    /// The values as n numbers, NaN where missing; `None` of a factor and of a remote column.
    pub(crate) fn numbers(&self, n: usize) -> Option<Cow<'_, [f64]>> {
        match self {
            Self::Numbers(numbers) => Some(Cow::Borrowed(numbers)),
            Self::Sparse { rows, values } => {
                let mut numbers = vec![0.0; n];
                for (row, value) in rows.iter().zip(values) {
                    numbers[*row as usize] = *value;
                }
                Some(Cow::Owned(numbers))
            }
            Self::Bytes(bytes) | Self::Gapped(bytes) => {
                Some(bytes.iter().copied().map(self.byte_to_number()).collect())
            }
            Self::Factor { .. } | Self::Remote => None,
        }
    }

    /// The function from a byte of these values to its number: NaN where it marks a missing value.
    pub(crate) fn byte_to_number(&self) -> impl Fn(u8) -> f64 + use<> {
        let mark = matches!(self, Self::Gapped(_)).then_some(MISSING_BYTE);
        move |byte| match mark == Some(byte) {
            true => f64::NAN,
            false => f64::from(byte),
        }
    }
}

/// The value of one observation of a sparse column.
pub(super) fn at(rows: &[u32], values: &[f64], row: usize) -> f64 {
    let found = rows.binary_search_by(|entry| (*entry as usize).cmp(&row));
    found.map_or(0.0, |entry| values[entry])
}

/// The new position of each observation once those not marked are left out; `None` for these.
pub(super) fn places(marked: &[bool]) -> Vec<Option<u32>> {
    let mut next = 0;
    let mut place = |kept: &bool| {
        kept.then(|| {
            next += 1;
            next - 1
        })
    };
    marked.iter().map(&mut place).collect()
}

/// Leaves out the entries of observations without a new position, and moves the others.
pub(super) fn keep(rows: &mut Vec<u32>, values: &mut Vec<f64>, places: &[Option<u32>]) {
    let mut kept = rows.iter().map(|row| places[*row as usize].is_some());
    values.retain(|_| kept.next().unwrap_or(false));
    rows.retain_mut(|row| match places[*row as usize] {
        Some(place) => {
            *row = place;
            true
        }
        None => false,
    });
}

/// For ascending `named` rows of a table of `rows`: row r is named at positions
/// `spans[r]..spans[r + 1]`.
pub(super) fn spans(named: &[usize], rows: usize) -> Vec<u32> {
    let mut spans = Vec::with_capacity(rows + 1);
    let mut at = 0;
    spans.push(0);
    for row in 0..rows {
        at += named[at..]
            .iter()
            .take_while(|named| **named == row)
            .count();
        spans.push(at as u32);
    }
    spans
}

/// The entries of a sparse column, copied to the positions where their rows are named.
pub(super) fn take(rows: &[u32], values: &[f64], spans: &[u32]) -> (Vec<u32>, Vec<f64>) {
    let entries = rows.iter().zip(values).flat_map(|(row, value)| {
        let row = *row as usize;
        (spans[row]..spans[row + 1]).map(move |place| (place, *value))
    });
    entries.unzip()
}
