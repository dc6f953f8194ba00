//! Columns of genotypes, which stay at two bits.

use std::{collections::HashSet, sync::Arc};

use super::DesignBuilder;
use crate::{
    design::{
        DesignError, SetAside,
        packed::{PackedColumn, PackedColumns},
    },
    family::Distribution,
    memory::Bytes,
    table::{Column, Loci, TableError, Values},
    threads::map_each,
};

impl DesignBuilder<'_> {
    /// Adds variables of this rank that were set aside before.
    pub(in crate::design) fn with_aside(mut self, aside: Vec<SetAside>) -> Self {
        self.set_aside.extend(aside);
        self
    }

    /// Takes up where the variants of the table lie.
    pub(in crate::design) fn with_loci(mut self, loci: Option<Arc<Loci>>) -> Self {
        self.loci = loci;
        self
    }

    /// The first column of those that stay at two bits: from it on all are genotypes, and each column is a term of its own.
    /// Of ranks all say so together: one whose columns come before has none.
    ///
    /// # Errors
    /// A lost rank.
    pub(super) fn first_packed(
        &mut self,
        columns: &[Column],
    ) -> Result<Option<usize>, DesignError> {
        let is_genotypes = |column: &Column| matches!(column.values, Values::Genotypes(_));
        let first = columns.iter().position(is_genotypes);
        let before = first.unwrap_or(columns.len());
        // Of one that every model holds it does not matter that its columns go together.
        let is_wide = |column: &Column| match &column.values {
            Values::Factor { levels, .. } => {
                (levels.len() > 2 || !self.options.intercept)
                    && !self.options.keep.contains(&column.name)
            }
            _ => false,
        };
        let has_blocks = self.options.kind.family.distribution() == Distribution::Multinomial;
        let is_packable = self.plan.is_none() && !has_blocks;
        let is_plain = is_packable
            && (self.options.split_factors || !columns[..before].iter().any(is_wide))
            && columns[before..].iter().all(is_genotypes);
        let (variants, why) = match self.loci.as_ref().filter(|_| is_packable) {
            Some(loci) => self.variants_among(columns, is_wide, loci),
            None => (0, None),
        };
        let own = (before, columns.len(), is_plain, variants, why);
        let all = match self.making.communicator {
            None => vec![own],
            Some(communicator) => communicator.gather(&own).map_err(TableError::Ranks)?,
        };
        // Behind a rank's genotypes no other has numbers.
        let (mut has_any, mut are_plain) = (false, true);
        for (before, count, is_plain, ..) in &all {
            are_plain &= *is_plain && (!has_any || *before == 0);
            has_any |= before < count;
        }
        let are_packed = are_plain && has_any;
        let variants: usize = all.iter().map(|own| own.3).sum();
        if let Some(why) = all.into_iter().find_map(|own| own.4)
            && !are_packed
            && variants > 0
        {
            let bytes = Bytes(8 * (variants as u64).saturating_mul(self.n as u64));
            let (variants, are) = match variants {
                1 => ("1 variant".to_owned(), "is held as numbers"),
                _ => (format!("{variants} variants"), "are held as numbers"),
            };
            let warning = format!("{variants} {are}, in {bytes}, and not at two bits: {why}");
            self.warnings.insert(0, warning);
        }
        Ok(are_packed.then_some(before))
    }

    /// How many variants with genotypes there are among columns, also where they became numbers, and why they may not stay at
    /// two bits.
    fn variants_among(
        &self,
        columns: &[Column],
        is_wide: impl Fn(&Column) -> bool,
        loci: &Loci,
    ) -> (usize, Option<String>) {
        let is_genotypes = |column: &&Column| matches!(column.values, Values::Genotypes(_));
        let genotypes = columns.iter().filter(is_genotypes).count();
        let is_other = |own: &&Column| !is_genotypes(own) && !self.options.keep.contains(&own.name);
        let others: Vec<&Column> = columns.iter().filter(is_other).collect();
        if others.is_empty() {
            return (genotypes, None);
        }
        let has_dosages = |own: &Column| loci.missing_dosages(&own.name).is_some();
        let names: HashSet<&str> = loci.all().map(|(name, _)| name).collect();
        let changed = others
            .iter()
            .filter(|own| names.contains(&*own.name) && !has_dosages(own));
        let numbers = changed
            .clone()
            .filter(|own| matches!(own.values, Values::Numbers(_)));
        let why = if let Some(own) = changed.clone().next() {
            let name = &own.name;
            Some(format!(
                "by --na, --factor or --date `{name}` is no column of genotypes any more"
            ))
        } else if let Some(own) = others.iter().find(|own| is_wide(own)) {
            let name = &own.name;
            Some(format!(
                "the factor `{name}` is a term of several columns, unless --split is given or it is kept"
            ))
        } else {
            let own = others.iter().find(|own| has_dosages(own));
            own.map(|own| {
                let name = &own.name;
                format!("`{name}` has dosages, which are numbers; plink2 --make-bed writes genotypes alone")
            })
        };
        (genotypes + numbers.count(), why)
    }

    /// How many columns of all ranks, of which each has so many, are numbers.
    pub(super) fn columns_of_numbers(&self, counts: &[usize]) -> Result<usize, DesignError> {
        match (&self.packed, self.making.communicator) {
            (Some(_), Some(communicator)) => {
                let own = self.x.len() / self.n;
                let all = communicator.gather(&own).map_err(TableError::Ranks)?;
                Ok(all.into_iter().sum())
            }
            _ => Ok(counts.iter().sum()),
        }
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
        let made = map_each(columns, |column| {
            let Values::Genotypes(genotypes) = column.values else {
                return (column.name, false, None);
            };
            let is_known = genotypes.known() > 0;
            // What was requested is told below.
            let made = (!interrupt.requested())
                .then(|| PackedColumn::new(genotypes, intercept, weights))
                .flatten();
            (column.name, is_known, made)
        });
        self.heed_interrupt()?;
        packed.variants.reserve_exact(made.len());
        self.variables.reserve_exact(made.len());
        for (index, (name, is_known, column)) in indexes.into_iter().zip(made) {
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
            packed.variants.push(column);
            self.push_variable((name, None), index, kept, scale);
        }
        self.packed = Some(packed);
        Ok(())
    }
}
