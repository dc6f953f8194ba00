//! Columns of genotypes as ranks send them: of each its mean and its norm, then its words.

use std::{io, sync::Arc};

use super::{PackedColumn, PackedColumns};
use crate::{genotypes::Genotypes, memory::Words};

impl PackedColumns {
    /// Numbers of 64 bits that a column takes.
    fn sent(&self) -> usize {
        2 + Genotypes::stride(self.n)
    }

    /// How many columns fit so many bytes of a message, at least one.
    pub(in crate::design) fn columns_of(&self, bytes: usize) -> usize {
        (bytes / (8 * self.sent())).max(1)
    }

    /// The message of some columns.
    pub(in crate::design) fn encode(
        &self,
        columns: impl ExactSizeIterator<Item = usize>,
    ) -> Vec<u8> {
        let mut message = Vec::with_capacity(8 * self.sent() * columns.len());
        for j in columns {
            let own = &self.variants[j];
            let scale = [own.mean, own.norm].map(f64::to_bits);
            let numbers = scale.iter().chain(own.genotypes.words());
            message.extend(numbers.flat_map(|own| own.to_le_bytes()));
        }
        message
    }

    /// The columns of a message, whose genotypes lie side by side in memory.
    ///
    /// # Errors
    /// A message that is not of whole columns.
    pub(in crate::design) fn decode(&self, message: &[u8]) -> io::Result<Vec<PackedColumn>> {
        let (numbers, rest) = message.as_chunks();
        let numbers: Vec<u64> = numbers.iter().map(|own| u64::from_le_bytes(*own)).collect();
        if !rest.is_empty() || !numbers.len().is_multiple_of(self.sent()) {
            let what = format!("{} bytes are no columns of genotypes", message.len());
            return Err(io::Error::other(what));
        }
        let columns = || numbers.chunks_exact(self.sent());
        let words = columns().flat_map(|own| &own[2..]);
        let words = Arc::new(Words::Memory(words.copied().collect()));
        let stride = Genotypes::stride(self.n);
        let column = |(at, own): (usize, &[u64])| PackedColumn {
            genotypes: Genotypes::part(Arc::clone(&words), at * stride, self.n),
            mean: f64::from_bits(own[0]),
            norm: f64::from_bits(own[1]),
        };
        Ok(columns().enumerate().map(column).collect())
    }

    /// The same with other columns in place of its own, of which there are no copies.
    pub(in crate::design) fn with_columns(&self, variants: Vec<PackedColumn>) -> Self {
        let none = Self {
            variants,
            roots: self.roots.clone(),
            ..Self::new(self.n, self.intercept, &[])
        };
        none.finish()
    }
}
