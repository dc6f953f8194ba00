//! Columns of genotypes, which stay at two bits.

use std::collections::HashMap;

use super::DesignBuilder;
use crate::{
    design::{
        DesignError,
        packed::{PackedColumn, PackedColumns},
    },
    table::{Column, Genotypes, Values},
    threads::map_each,
};

impl DesignBuilder<'_> {
    /// The first column of those that stay at two bits: from it on all are genotypes, and each column is a term of its own.
    pub(super) fn first_packed(&self, columns: &[Column]) -> Option<usize> {
        let is_genotypes = |column: &Column| matches!(column.values, Values::Genotypes(_));
        let first = columns.iter().position(is_genotypes)?;
        let is_wide = |column: &Column| match &column.values {
            Values::Factor { levels, .. } => levels.len() > 2,
            _ => false,
        };
        let is_plain = self.plan.is_none()
            && self.making.communicator.is_none()
            && self.making.may_pack
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
        let mut alike: HashMap<u64, usize> = HashMap::new();
        // Copies with exchanged alleles have another mean.
        let norm = |column: &PackedColumn| column.scale().1.to_bits();
        for column in made.iter().flatten() {
            *alike.entry(norm(column)).or_default() += 1;
        }
        let is_alone = |column: &PackedColumn| alike[&norm(column)] == 1;
        let hashes = map_each(made.iter().collect(), |column: &Option<PackedColumn>| {
            let column = column.as_ref().filter(|column| !is_alone(column))?;
            Some(column.genotypes().hash().into())
        });
        packed.variants.reserve_exact(made.len());
        self.packed = Some(packed);
        let named = indexes.into_iter().zip(names).zip(is_known);
        for ((((index, name), is_known), column), hash) in named.zip(made).zip(hashes) {
            let kept = self.options.keep.contains(&name);
            let Some(column) = column else {
                let reason = match is_known {
                    true => "constant",
                    false => "missing in every row",
                };
                self.put_aside(name, kept, reason.to_owned())?;
                continue;
            };
            if let Some(hash) = hash {
                self.hashes.of.insert(self.variables.len(), hash);
            }
            let scale = column.scale();
            self.packed
                .iter_mut()
                .for_each(|packed| packed.variants.push(column.clone()));
            self.push_variable((name, None), index, kept, scale);
        }
        Ok(())
    }

    /// Leaves out the columns of genotypes of these variables.
    pub(super) fn leave_genotypes_out(&mut self, goes: impl Fn(usize) -> bool) {
        let first = self.x.len() / self.n;
        if let Some(packed) = &mut self.packed {
            let mut variables = first..;
            packed
                .variants
                .retain(|_| variables.next().is_none_or(|variable| !goes(variable)));
        }
    }

    /// Whether one has of each person the copies that another lacks: with an intercept it is its copy.
    pub(super) fn is_exchanged(&self, one: &Genotypes, other: &Genotypes) -> bool {
        self.options.intercept && one.is_exchanged(other)
    }

    /// The genotypes of a variable, if they are its column.
    pub(super) fn genotypes(&self, j: usize) -> Option<&Genotypes> {
        let packed = self.packed.as_ref()?;
        let first = self.x.len() / self.n;
        Some(packed.variants.get(j.checked_sub(first)?)?.genotypes())
    }
}
