//! Columns of genotypes, which stay at two bits.

use super::DesignBuilder;
use crate::{
    design::{
        DesignError,
        packed::{PackedColumn, PackedColumns},
    },
    family::Distribution,
    table::{Column, Genotypes, Values},
    threads::map_each,
};

impl DesignBuilder<'_> {
    /// The first column of those that stay at two bits: from it on all are genotypes, and each column is a term of its own.
    pub(super) fn first_packed(&self, columns: &[Column]) -> Option<usize> {
        let is_genotypes = |column: &Column| matches!(column.values, Values::Genotypes(_));
        let first = columns.iter().position(is_genotypes)?;
        // Of one that every model holds it does not matter that its columns go together.
        let is_wide = |column: &Column| match &column.values {
            Values::Factor { levels, .. } => {
                (levels.len() > 2 || !self.options.intercept)
                    && !self.options.keep.contains(&column.name)
            }
            _ => false,
        };
        let has_blocks = self.options.kind.family.distribution() == Distribution::Multinomial;
        let is_plain = self.plan.is_none()
            && self.making.communicator.is_none()
            && !has_blocks
            && (self.options.split_factors || !columns[..first].iter().any(is_wide))
            && columns[first..].iter().all(is_genotypes);
        is_plain.then_some(first)
    }

    /// Adds columns of genotypes behind those of numbers.
    pub(super) fn push_genotypes(
        &mut self,
        indexes: Vec<usize>,
        columns: Vec<Column>,
    ) -> Result<(), DesignError> {
        self.heed_interrupt()?;
        let (intercept, interrupt) = (self.options.intercept, self.making.interrupt);
        let weights = self.weights.as_deref().unwrap_or_default();
        let mut packed = PackedColumns::new(self.n, intercept, weights);
        let (names, variants): (Vec<String>, Vec<Option<Genotypes>>) = columns
            .into_iter()
            .map(|column| match column.values {
                Values::Genotypes(genotypes) => (column.name, Some(genotypes)),
                _ => (column.name, None),
            })
            .unzip();
        let is_known = variants.iter().flatten().map(|own| own.known() > 0);
        let is_known: Vec<bool> = is_known.collect();
        let made = map_each(variants, |genotypes| {
            // What was requested is told below.
            let genotypes = genotypes.filter(|_| !interrupt.requested())?;
            PackedColumn::new(genotypes, intercept, weights)
        });
        self.heed_interrupt()?;
        packed.variants.reserve_exact(made.len());
        self.packed = Some(packed);
        let named = indexes.into_iter().zip(names).zip(is_known);
        for (((index, name), is_known), column) in named.zip(made) {
            let kept = self.options.keep.contains(&name);
            let Some(column) = column else {
                let reason = match is_known {
                    true => "constant",
                    false => "missing in every row",
                };
                self.put_aside(name, kept, reason.to_owned())?;
                continue;
            };
            let scale = column.scale();
            self.packed
                .iter_mut()
                .for_each(|packed| packed.variants.push(column.clone()));
            self.push_variable((name, None), index, kept, scale);
        }
        Ok(())
    }
}
