//! Genotypes as a GPU lays them out.

use std::ops::Range;

use super::PackedColumns;
use crate::genotypes::Genotypes;

/// Neighbouring columns of a design: some of numbers, then some of genotypes at two bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PackedPart<'x> {
    all: &'x PackedColumns,
    /// The numbers of the columns before the genotypes, n × their count.
    numbers: &'x [f64],
    /// The first of the genotypes among those of the design, and how many.
    first: usize,
    count: usize,
}

impl<'x> PackedPart<'x> {
    /// Those from a place of all columns on, of which the ones in `numbers` come first.
    pub(in crate::design) fn new(
        all: &'x PackedColumns,
        numbers: &'x [f64],
        places: Range<usize>,
    ) -> Self {
        let before = numbers.len() / all.n;
        let of_genotypes = |place: usize| place.saturating_sub(before);
        let first = of_genotypes(places.start);
        Self {
            all,
            numbers: &numbers[places.start.min(before) * all.n..places.end.min(before) * all.n],
            first,
            count: of_genotypes(places.end) - first,
        }
    }

    /// The columns of numbers, which come first.
    pub(crate) fn numbers(&self) -> &'x [f64] {
        self.numbers
    }

    /// How many columns of genotypes there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Words of 64 bits that the genotypes of a column take.
    pub(crate) fn stride(&self) -> usize {
        Genotypes::stride(self.all.n)
    }

    /// The words of neighbouring columns of genotypes, in slices of those that lie side by side.
    pub(crate) fn words(&self, columns: Range<usize>) -> impl Iterator<Item = &'x [u64]> + use<'x> {
        let own = &self.all.variants[self.first..][columns];
        own.chunk_by(|left, right| right.genotypes.follows(&left.genotypes))
            .map(|run| run[0].genotypes.words_of(run.len()))
    }

    /// The memory that the columns of genotypes lie in, each piece once; none of a file.
    pub(crate) fn memory(&self) -> Vec<&'x [u64]> {
        let own = &self.all.variants[self.first..][..self.count];
        let memory = own.iter().filter_map(|own| own.genotypes.memory());
        let mut all: Vec<&[u64]> = memory.collect();
        all.sort_unstable_by_key(|piece| piece.as_ptr());
        all.dedup_by_key(|piece| piece.as_ptr());
        all
    }

    /// What the genotypes of a column stand for, but for the weights, in the order of their codes.
    pub(crate) fn by_code(&self, column: usize) -> [f64; 4] {
        let [none, one, two, imputed] = self.all.variants[self.first + column].values();
        let has_missing = self.all.variants[self.first + column].genotypes.missing() > 0;
        [one, none, two, if has_missing { imputed } else { one }]
    }

    /// Square roots of the weights; empty where all count alike.
    pub(crate) fn roots(&self) -> &'x [f64] {
        &self.all.roots
    }

    /// The largest norm of a column without its weights.
    pub(crate) fn largest_norm(&self) -> f64 {
        if self.all.roots.is_empty() {
            return 1.0;
        }
        let norm = |column: usize| {
            let own = &self.all.variants[self.first + column];
            let (counts, values) = (own.genotypes.counts(), own.values());
            let [none, one, two] = counts.copies;
            let counts = [none, one, two, counts.missing].into_iter().zip(values);
            let square: f64 = counts.map(|(count, x)| count as f64 * x * x).sum();
            square.sqrt()
        };
        (0..self.count).map(norm).fold(0.0, f64::max)
    }
}
