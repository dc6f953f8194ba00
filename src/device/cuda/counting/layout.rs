//! The order of columns on a GPU: packs of one form, whose columns lie one after another.

use std::cmp::Reverse;

use passel_kernels::counting::{ColumnCodes, UNFILLED};
use rayon::prelude::*;

use super::form::{Form, PlannedColumn, VECTOR};
use crate::binning::{BinnedColumn, Codes};

/// Places of short columns are filled up to a multiple of this, which a warp reads at a time.
const WARP: usize = 32;

/// Columns of one form.
#[derive(Debug, Default)]
pub(super) struct Pack {
    pub(super) form: Form,
    /// The place of the first.
    pub(super) first: usize,
    pub(super) count: usize,
    /// Most levels of any.
    pub(super) levels: usize,
    pub(super) misses: bool,
    /// Whether half of their rows or more have one code: dense ones then wait for one cell.
    pub(super) skewed: bool,
    /// Bytes from one column, or row, to the next.
    pub(super) stride: usize,
    /// Where the codes and starts of entries begin, behind their rows.
    pub(super) codes_at: usize,
    pub(super) starts_at: usize,
    pub(super) bytes: usize,
}

/// The columns of one GPU, in the order of its places.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) n: usize,
    pub(super) packs: Vec<Pack>,
    /// Of each place its column's number.
    pub(super) numbers: Vec<u32>,
}

/// So many bytes, padded so that values of any kind may follow.
fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(VECTOR)
}

impl Layout {
    /// Of columns numbered from `first` on, of `n` rows; a pack has at most so many bytes, unless
    /// it is one column.
    pub(super) fn of(columns: &[PlannedColumn], first: usize, n: usize, most: usize) -> Self {
        let key = |(at, column): (usize, &PlannedColumn)| {
            let (traits, form) = (column.traits, column.form);
            // Short columns are told apart by nothing but their places.
            let levels = match form {
                Form::Short { .. } => 0,
                // Every level more costs.
                Form::Dense { .. } if traits.levels <= 4 => traits.levels,
                _ => traits.levels.next_power_of_two(),
            };
            let long = match form {
                Form::Few | Form::Many { .. } => traits.entries,
                _ => 0,
            };
            let skewed = matches!(form, Form::Dense { .. }) && 2 * traits.entries <= n;
            ((form, traits.misses, skewed, levels), Reverse(long), at)
        };
        let mut order: Vec<_> = columns.par_iter().enumerate().map(key).collect();
        order.par_sort_unstable();
        let mut packs: Vec<Pack> = Vec::new();
        let mut place = 0;
        for alike in order.chunk_by(|a, b| a.0 == b.0) {
            let (form, misses, skewed, _) = alike[0].0;
            let mut rest = alike;
            while !rest.is_empty() {
                let mut pack = Pack {
                    form,
                    misses,
                    skewed,
                    first: place,
                    ..Pack::default()
                };
                let traits = rest.iter().map(|(.., at)| columns[*at].traits);
                let count = pack.fill(traits.clone().map(|traits| traits.entries), n, most);
                let levels = traits.take(count).map(|traits| traits.levels);
                pack.levels = levels.max().unwrap_or(1);
                place += count;
                packs.push(pack);
                rest = &rest[count..];
            }
        }
        let numbers = order.iter().map(|(.., at)| (first + at) as u32).collect();
        Self { n, packs, numbers }
    }
}

impl Pack {
    /// Takes in columns of so many entries while they have room; how many these are.
    fn fill(
        &mut self,
        lengths: impl ExactSizeIterator<Item = usize>,
        n: usize,
        most: usize,
    ) -> usize {
        let vectors = n.div_ceil(VECTOR);
        let all = lengths.len();
        // Bytes of so many columns with so many entries.
        let entries = |places: usize, count: usize| {
            let (rows, codes) = (padded(4 * places), padded(2 * places));
            let starts = padded(8 * (count + 1));
            [rows, rows + codes, rows + codes + starts]
        };
        match self.form {
            Form::Dense { bits } => {
                self.stride = vectors * VECTOR * bits as usize / 8;
                self.count = (most / self.stride.max(1)).clamp(1, all);
                self.bytes = self.count * self.stride;
            }
            Form::Rows => {
                self.count = (most / n.max(1) / 128 * 128).clamp(128.min(all), all);
                self.stride = self.count.next_multiple_of(128);
                self.bytes = self.stride * n;
            }
            Form::Short { each } => {
                self.count = ((most / 6) >> each).clamp(1, all);
                let places = (self.count << each).next_multiple_of(WARP);
                [self.codes_at, self.bytes, _] = entries(places, 0);
            }
            Form::Few | Form::Many { .. } => {
                let mut places = 0;
                for (at, length) in lengths.enumerate() {
                    if at > 0 && entries(places + length, at + 1)[2] > most {
                        break;
                    }
                    places += length;
                    self.count = at + 1;
                }
                [self.codes_at, self.starts_at, self.bytes] = entries(places, self.count);
            }
        }
        self.count
    }

    /// A pack of so many of its columns, where these lie one after another.
    pub(super) fn part(&self, count: usize) -> Self {
        Self {
            count,
            bytes: count * self.stride,
            ..*self
        }
    }

    /// Where the codes of its columns lie, if the pack lies at this address.
    pub(super) fn places(&self, address: u64, columns: &[&PlannedColumn]) -> Vec<ColumnCodes> {
        let mut start = 0u64;
        let place = |(at, column): (usize, &&PlannedColumn)| {
            let (stride, at, traits) = (self.stride as u64, at as u64, column.traits);
            let mut place = ColumnCodes {
                levels: traits.levels as u32,
                most: u32::from(traits.most),
                ..ColumnCodes::default()
            };
            let (from, length) = match self.form {
                Form::Dense { bits } => {
                    (place.address, place.bits) = (address + at * stride, bits);
                    place.length = 1;
                    return place;
                }
                Form::Rows => {
                    (place.address, place.bits) = (address + at, 8);
                    place.length = stride as u32;
                    return place;
                }
                Form::Short { each } => (at << each, 1 << each),
                Form::Few | Form::Many { .. } => (start, traits.entries as u32),
            };
            start += u64::from(length);
            place.address = address + 4 * from;
            place.codes = address + self.codes_at as u64 + 2 * from;
            place.length = length;
            place
        };
        columns.iter().enumerate().map(place).collect()
    }

    /// The bytes of these columns as they lie.
    pub(super) fn bytes_of(&self, columns: &[&PlannedColumn]) -> Vec<u8> {
        let mut bytes = vec![0u8; self.bytes];
        match self.form {
            Form::Dense { bits } => {
                let strips = bytes.par_chunks_mut(self.stride.max(1));
                let columns = strips.zip(columns);
                columns.for_each(|(strip, own)| pack_codes(own.column, bits, strip));
            }
            Form::Rows => {
                for (at, own) in columns.iter().enumerate() {
                    for (row, code) in own.column.codes.dense().into_iter().enumerate() {
                        bytes[row * self.stride + at] = code as u8;
                    }
                }
            }
            Form::Short { .. } | Form::Few | Form::Many { .. } => {
                let each = match self.form {
                    Form::Short { each } => Some(each),
                    _ => None,
                };
                if each.is_some() {
                    let codes = bytes[self.codes_at..].chunks_exact_mut(2);
                    codes.for_each(|code| code.copy_from_slice(&UNFILLED.to_le_bytes()));
                }
                let mut place = 0;
                for (at, own) in columns.iter().enumerate() {
                    place = each.map_or(place, |each| at << each);
                    for (row, code) in own.entries() {
                        let codes = self.codes_at + 2 * place;
                        bytes[4 * place..][..4].copy_from_slice(&row.to_le_bytes());
                        bytes[codes..][..2].copy_from_slice(&code.to_le_bytes());
                        place += 1;
                    }
                    if each.is_none() {
                        let end = (place as u64).to_le_bytes();
                        bytes[self.starts_at + 8 * (at + 1)..][..8].copy_from_slice(&end);
                    }
                }
            }
        }
        bytes
    }
}

impl PlannedColumn<'_> {
    /// Rows and codes off its most frequent code.
    fn entries(&self) -> Vec<(u32, u16)> {
        fn off<C: Copy + Into<u16>>(codes: &[C], most: u16) -> Vec<(u32, u16)> {
            let all = (0..).zip(codes.iter().map(|&code| code.into()));
            all.filter(|(_, code)| *code != most).collect()
        }
        match &self.column.codes {
            Codes::Byte(codes) => off(codes, self.traits.most),
            Codes::Word(codes) => off(codes, self.traits.most),
            Codes::Sparse { rows, codes, .. } => {
                rows.iter().copied().zip(codes.iter().copied()).collect()
            }
        }
    }
}

/// Packs the codes of a column, of so many bits each.
fn pack_codes(column: &BinnedColumn, bits: u32, to: &mut [u8]) {
    fn put<C: Copy + Into<u16>>(codes: &[C], bits: u32, to: &mut [u8]) {
        match bits {
            4 => {
                for (two, to) in codes.chunks(2).zip(to) {
                    let of = |at: usize| two.get(at).map_or(0, |&code| code.into() as u8);
                    *to = of(0) | of(1) << 4;
                }
            }
            8 => {
                for (&code, to) in codes.iter().zip(to) {
                    *to = code.into() as u8;
                }
            }
            _ => {
                for (&code, to) in codes.iter().zip(to.chunks_exact_mut(2)) {
                    to.copy_from_slice(&code.into().to_le_bytes());
                }
            }
        }
    }
    match &column.codes {
        Codes::Byte(codes) if bits == 8 => to[..codes.len()].copy_from_slice(codes),
        Codes::Byte(codes) => put(codes, bits, to),
        Codes::Word(codes) => put(codes, bits, to),
        Codes::Sparse { .. } => put(&column.codes.dense(), bits, to),
    }
}
