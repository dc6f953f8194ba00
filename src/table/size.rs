//! The memory that tables take.

use super::growing::PER_COLUMN;
use super::{Column, Table, Values};

impl Table {
    /// Bytes of the table in memory.
    pub fn bytes(&self) -> u64 {
        let columns: u64 = self.columns.iter().map(Column::bytes).sum();
        let labels = self.labels.iter();
        let labels = labels.map(|label| (size_of::<String>() + label.len()) as u64);
        let loci = self.loci.as_ref().map_or(0, |loci| loci.bytes());
        columns + labels.sum::<u64>() + loci as u64
    }
}

impl Column {
    fn bytes(&self) -> u64 {
        PER_COLUMN as u64 + self.values.bytes()
    }
}

impl Values {
    /// Bytes of the values in memory.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = match self {
            Self::Numbers(values) => size_of_val(&values[..]),
            Self::Sparse { rows, values } => size_of_val(&rows[..]) + size_of_val(&values[..]),
            Self::Bytes(values) | Self::Gapped(values) => values.len(),
            // Those in a file take none.
            Self::Genotypes(genotypes) => match genotypes.memory() {
                Some(_) => size_of_val(genotypes.words()),
                None => 0,
            },
            Self::Factor { levels, codes } => {
                let texts = levels.iter().map(|level| size_of::<String>() + level.len());
                size_of_val(&codes[..]) + texts.sum::<usize>()
            }
            Self::Remote => 0,
        };
        bytes as u64
    }
}
