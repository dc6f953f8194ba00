//! Columns of genotypes, which stay at two bits: each is unpacked, at unit norm, when its values are needed.

mod message;
mod part;

use std::{
    io,
    ops::Range,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use super::{fetched::FetchedColumns, size::MatrixSize};
use crate::{
    genotypes::{Anchor, Genotypes},
    memory::{MemoryBudget, MemoryCharge, MemoryError, zeros},
    threads::map_each,
};
pub(crate) use part::PackedPart;

/// Columns that are unpacked by a thread at a time.
const AT_ONCE: usize = 64;

/// The columns of a design that are genotypes, which stand behind those that are numbers, with copies of those that models
/// have needed.
///
/// A missing genotype is the mean of the column's others. Mean and norm are made of counts, so they depend on neither the
/// order of people nor the device.
#[derive(Debug)]
pub(crate) struct PackedColumns {
    n: usize,
    intercept: bool,
    /// Those of this process.
    pub(super) variants: Vec<PackedColumn>,
    /// Square roots of the weights; empty where all count alike.
    roots: Vec<f64>,
    fetched: FetchedColumns,
    whole: OnceLock<(Vec<f64>, MemoryCharge)>,
    /// Held while all are unpacked.
    unpacking: Mutex<()>,
}

/// A column of genotypes.
#[derive(Debug, Clone)]
pub(super) struct PackedColumn {
    genotypes: Genotypes,
    mean: f64,
    norm: f64,
}

impl PackedColumn {
    /// Mean and norm of a column; none of a constant. Weights are at mean one.
    ///
    /// *Shapes:* no weights, or n.
    pub(super) fn new(genotypes: Genotypes, intercept: bool, weights: &[f64]) -> Option<Self> {
        if genotypes.known() == 0 {
            return None;
        }
        let own = match weights {
            [] => Self::unweighted(&genotypes, intercept),
            weights => Self::weighted(&genotypes, intercept, weights),
        };
        own.map(|(mean, norm)| Self {
            genotypes,
            mean,
            norm,
        })
    }

    fn unweighted(genotypes: &Genotypes, intercept: bool) -> Option<(f64, f64)> {
        // Σ (x − x̄)² of those who are known, once rounded; the others have the mean.
        let about_mean = genotypes.square_about_mean();
        if intercept {
            return (about_mean > 0.0).then(|| (genotypes.mean(), about_mean.sqrt()));
        }
        let square = about_mean + genotypes.len() as f64 * genotypes.mean().powi(2);
        (square > 0.0).then(|| (0.0, square.sqrt()))
    }

    fn weighted(genotypes: &Genotypes, intercept: bool, weights: &[f64]) -> Option<(f64, f64)> {
        let mut of_copies = [0.0; 4];
        for (row, weight) in weights.iter().enumerate() {
            let copies = genotypes.copies(row);
            of_copies[if copies.is_nan() { 3 } else { copies as usize }] += weight;
        }
        let values = [0.0, 1.0, 2.0, genotypes.mean()];
        let sum_of = |value: fn(f64, f64) -> f64, about: f64| -> f64 {
            let terms = of_copies.iter().zip(values);
            terms.map(|(weight, x)| weight * value(x, about)).sum()
        };
        let total: f64 = of_copies.iter().sum();
        let mean = match intercept {
            true => sum_of(|x, _| x, 0.0) / total,
            false => 0.0,
        };
        let square = sum_of(|x, mean| (x - mean).powi(2), mean);
        let varies = |at: &usize| of_copies[*at] > 0.0;
        let kinds = (0..3).filter(varies).count();
        let is_constant = match intercept {
            true => kinds < 2,
            false => kinds == 0 || kinds == 1 && varies(&0),
        };
        (!is_constant && square > 0.0).then(|| (mean, square.sqrt()))
    }

    pub(super) fn scale(&self) -> (f64, f64) {
        (self.mean, self.norm)
    }

    /// The values of 0, 1 and 2 copies, and of a missing genotype, but for the weights.
    fn values(&self) -> [f64; 4] {
        let imputed = match self.genotypes.missing() {
            0 => 0.0,
            _ => self.genotypes.mean(),
        };
        [0.0, 1.0, 2.0, imputed].map(|copies| (copies - self.mean) / self.norm)
    }
}

impl PackedColumns {
    /// None of n observations.
    pub(super) fn new(n: usize, intercept: bool, weights: &[f64]) -> Self {
        Self {
            n,
            intercept,
            variants: Vec::new(),
            roots: weights.iter().map(|weight| weight.sqrt()).collect(),
            fetched: FetchedColumns::default(),
            whole: OnceLock::new(),
            unpacking: Mutex::default(),
        }
    }

    /// Makes room for copies: the columns are as many as they stay.
    pub(super) fn finish(mut self) -> Self {
        self.variants.shrink_to_fit();
        Self {
            fetched: FetchedColumns::new(self.variants.len()),
            ..self
        }
    }

    pub(super) fn p(&self) -> usize {
        self.variants.len()
    }

    /// Bytes of the genotypes in memory.
    pub(super) fn bytes(&self) -> u64 {
        let are_in_memory = |own: &&PackedColumn| own.genotypes.memory().is_some();
        self.bytes_of(self.variants.iter().filter(are_in_memory).count())
    }

    /// Bytes of the genotypes of so many columns.
    pub(super) fn bytes_of(&self, columns: usize) -> u64 {
        let column = size_of::<PackedColumn>() + 8 * Genotypes::stride(self.n);
        (column * columns) as u64
    }

    /// The value of a column in one row.
    pub(super) fn value(&self, j: usize, row: usize) -> f64 {
        let own = &self.variants[j];
        let copies = own.genotypes.copies(row);
        let value = own.values()[if copies.is_nan() { 3 } else { copies as usize }];
        value * self.roots.get(row).copied().unwrap_or(1.0)
    }

    /// Unpacks a column.
    ///
    /// *Shapes:* `out` has n values.
    pub(super) fn unpack(&self, j: usize, out: &mut [f64]) {
        self.unpack_column(&self.variants[j], out);
    }

    /// Unpacks a column of this rank or of another.
    fn unpack_column(&self, own: &PackedColumn, out: &mut [f64]) {
        own.genotypes.unpack(own.values(), out);
        for (out, root) in out.iter_mut().zip(&self.roots) {
            *out *= root;
        }
    }

    /// A column.
    pub(super) fn view(&self, j: usize) -> PackedView<'_> {
        PackedView {
            of: self,
            own: &self.variants[j],
            copies: (&self.fetched, j as u32),
        }
    }

    /// A column of another rank, with where copies of its values are.
    pub(super) fn view_of_remote<'x>(
        &'x self,
        own: &'x PackedColumn,
        copies: (&'x FetchedColumns, u32),
    ) -> PackedView<'x> {
        PackedView {
            of: self,
            own,
            copies,
        }
    }

    /// The n values of a column, if all were unpacked.
    pub(super) fn of_whole(&self, j: usize) -> Option<&[f64]> {
        let (all, _) = self.whole.get()?;
        let before = all.len() - self.p() * self.n;
        Some(&all[before + j * self.n..][..self.n])
    }

    /// Whether products of columns are those of integers: no observation has a weight of its own.
    pub(crate) fn has_integers(&self) -> bool {
        self.roots.is_empty()
    }

    /// All columns behind some of numbers, unpacked.
    ///
    /// # Errors
    /// No memory for them.
    pub(super) fn whole(&self, before: &[f64], memory: &MemoryBudget) -> io::Result<&[f64]> {
        let unpacking = self.unpacking.lock();
        let _unpacking = unpacking.unwrap_or_else(PoisonError::into_inner);
        if let Some((all, _)) = self.whole.get() {
            return Ok(all);
        }
        let matrix = MatrixSize::new(self.n, before.len() / self.n + self.p(), None);
        let bytes = matrix.bytes();
        let charge = memory.take(bytes, &matrix).map_err(io::Error::other)?;
        let refused = || io::Error::other(MemoryError::refused(bytes, &matrix));
        let mut all = matrix.values().and_then(zeros).ok_or_else(refused)?;
        let (own, rest) = all.split_at_mut(before.len());
        own.copy_from_slice(before);
        let parts = rest.chunks_mut(AT_ONCE * self.n).enumerate().collect();
        map_each(parts, |(at, part): (usize, &mut [f64])| {
            for (j, out) in (at * AT_ONCE..).zip(part.chunks_mut(self.n)) {
                self.unpack(j, out);
            }
        });
        Ok(&self.whole.get_or_init(|| (all, charge)).0)
    }
}

/// A column of genotypes, of this rank or of another, with where copies of its values are.
#[derive(Clone, Copy)]
pub(crate) struct PackedView<'x> {
    of: &'x PackedColumns,
    own: &'x PackedColumn,
    copies: (&'x FetchedColumns, u32),
}

impl<'x> PackedView<'x> {
    pub(super) fn genotypes(&self) -> &'x Genotypes {
        &self.own.genotypes
    }

    /// Unpacks it.
    ///
    /// *Shapes:* `out` has n values.
    pub(super) fn unpack(&self, out: &mut [f64]) {
        self.of.unpack_column(self.own, out);
    }

    /// The n values, of which a copy is kept.
    pub(super) fn column(&self) -> &'x [f64] {
        let ((copies, at), n) = (self.copies, self.of.n);
        if copies.get(at, n).is_none() {
            let mut values = vec![0.0; n];
            self.unpack(&mut values);
            copies.put(at, (Arc::new(values), 0));
        }
        copies.get(at, n).unwrap_or_default()
    }

    /// The n values if a copy is there.
    pub(super) fn copy(&self) -> Option<&'x [f64]> {
        self.copies.0.get(self.copies.1, self.of.n)
    }

    /// The column to multiply others with, by integers.
    pub(super) fn anchor(&self) -> PackedAnchor<'x> {
        PackedAnchor {
            of: self.of,
            own: self.own,
            anchor: Anchor::new(&self.own.genotypes),
        }
    }
}

/// A column of genotypes whose products with others are made of integers.
pub(crate) struct PackedAnchor<'x> {
    of: &'x PackedColumns,
    own: &'x PackedColumn,
    anchor: Anchor<'x>,
}

impl PackedAnchor<'_> {
    /// The products with columns of genotypes, each rounded a few times.
    pub(super) fn products(&self, columns: Range<usize>, out: &mut [f64]) {
        let others = &self.of.variants[columns];
        for (out, other) in out.iter_mut().zip(others) {
            *out = self.product_with(other);
        }
    }

    /// The product with a column.
    pub(super) fn product(&self, other: PackedView) -> f64 {
        self.product_with(other.own)
    }

    fn product_with(&self, other: &PackedColumn) -> f64 {
        let mut product = self.anchor.product(&other.genotypes);
        if !self.of.intercept {
            let means = [self.own, other].map(|one| one.genotypes.mean());
            product += self.of.n as f64 * means[0] * means[1];
        }
        product / (self.own.norm * other.norm)
    }
}

#[cfg(test)]
impl super::Design {
    /// The same design with all its columns in memory.
    pub(crate) fn unpacked(&self) -> Self {
        let columns = self.columns();
        let whole = columns.in_memory(&MemoryBudget::default()).unwrap();
        Self {
            x: whole.values().to_vec().into(),
            packed: None,
            ..self.clone()
        }
    }
}
