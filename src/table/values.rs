//! The values of a column as numbers, as bytes and as a factor.

use std::borrow::Cow;

use super::{MISSING_BYTE, Values};

impl Values {
    /// The number of observations; `None` where the values do not show it.
    pub(super) fn len(&self) -> Option<usize> {
        match self {
            Self::Numbers(values) => Some(values.len()),
            Self::Bytes(values) | Self::Gapped(values) => Some(values.len()),
            Self::Genotypes(genotypes) => Some(genotypes.len()),
            Self::Factor { codes, .. } => Some(codes.len()),
            Self::Sparse { .. } | Self::Remote => None,
        }
    }

    /// The values as n numbers, NaN where missing; `None` of a factor and of a remote column.
    pub fn numbers(&self, n: usize) -> Option<Cow<'_, [f64]>> {
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
            Self::Genotypes(genotypes) => {
                let mut numbers = vec![0.0; n];
                genotypes.unpack([0.0, 1.0, 2.0, f64::NAN], &mut numbers);
                Some(Cow::Owned(numbers))
            }
            Self::Factor { .. } | Self::Remote => None,
        }
    }

    /// The same values, genotypes of which are bytes.
    pub(crate) fn unpacked(self) -> Self {
        match self {
            Self::Genotypes(own) if own.missing() == 0 => Self::Bytes(own.to_bytes(MISSING_BYTE)),
            Self::Genotypes(own) => Self::Gapped(own.to_bytes(MISSING_BYTE)),
            others => others,
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

    /// Makes a factor of numbers of n observations. Levels are the shortest texts that read back
    /// as these numbers.
    pub(super) fn make_factor(&mut self, rows: usize) {
        let Some(values) = self.numbers(rows) else {
            return;
        };
        let texts = values.iter().map(|value| value.to_string());
        let texts: Vec<String> = texts.collect();
        let levels = values.iter().zip(&texts);
        *self = levels
            .map(|(value, text)| (!value.is_nan()).then_some(text.as_str()))
            .collect();
    }
}
