//! Columns that stay in their file: what a design knows of each is found in one pass over them.

use std::{collections::HashMap, io, sync::Arc};

use super::{DesignBuilder, duplicates::scale_bits, standardise};
use crate::{
    design::{ColumnsInFile, DesignError, packed::PackedColumns},
    fnv::Fnv,
    table::{Column, ColumnReader, Scale, TableError},
};

impl DesignBuilder<'_> {
    /// Adds columns that stay in an array, with the index of each, which is its place there.
    pub(super) fn push_in_file(
        &mut self,
        array: &Arc<dyn ColumnReader>,
        indexes: Vec<usize>,
        columns: Vec<Column>,
    ) -> Result<(), DesignError> {
        self.heed_interrupt()?;
        let (intercept, interrupt) = (self.options.intercept, self.making.interrupt);
        let mut file = ColumnsInFile::new(Arc::clone(array), self.n, intercept);
        file.places.clone_from(&indexes);
        let found = scales_and_hashes(&file, |values| {
            interrupt.check().map_err(std::io::Error::other)?;
            let scale = standardise(values, intercept, None);
            Ok((scale, Fnv::new().equal_numbers(values).finish()))
        });
        self.heed_interrupt()?;
        let found = found.map_err(|error| TableError::unread(self.table.as_ref(), error))?;
        file.places.clear();
        self.in_file = Some(file);
        for ((index, column), (scale, hash)) in indexes.into_iter().zip(columns).zip(found) {
            let kept = self.options.keep.contains(&column.name);
            if scale.is_none() {
                self.put_aside(column.name, kept, "constant".to_owned())?;
                continue;
            }
            if let Some(hash) = hash {
                self.hashes.of.insert(self.variables.len(), hash);
            }
            // Like a part of a term it is not hashed again.
            self.push_standardised((column.name, None), index, (kept, true), (index, scale))?;
        }
        Ok(())
    }

    /// Takes the column at a place of the room or of the file for that of the next variable.
    pub(super) fn take_column(&mut self, place: usize) {
        match &mut self.in_file {
            Some(file) => file.places.push(place),
            None => self.x.take(place, self.n),
        }
    }

    /// Puts a variable's column where that of another was.
    pub(super) fn move_column(&mut self, from: usize, to: usize) {
        let n = self.n;
        if self.packed.is_some() && from * n >= self.x.len() {
            // Those of genotypes were left out together.
            return;
        }
        match &mut self.in_file {
            Some(file) => file.places[to] = file.places[from],
            None => self.x.copy_within(from * n..(from + 1) * n, to * n),
        }
    }

    /// Leaves out the columns behind so many.
    pub(super) fn truncate_columns(&mut self, count: usize) {
        match &mut self.in_file {
            Some(file) => file.places.truncate(count),
            None => {
                let packed = self.packed.as_ref().map_or(0, PackedColumns::p);
                self.x.truncate((count - packed) * self.n);
            }
        }
    }
}

/// The scale of each column, with a hash where others have the same: by what makes both of values, or where they lie.
fn scales_and_hashes(
    file: &ColumnsInFile,
    of: impl Fn(&mut [f64]) -> io::Result<(Scale, u128)> + Send + Sync,
) -> io::Result<Vec<(Scale, Option<u128>)>> {
    let alike = |scales: &[Scale]| {
        let mut counts: HashMap<[u64; 2], usize> = HashMap::new();
        for scale in scales.iter().flatten() {
            *counts.entry(scale_bits(*scale)).or_default() += 1;
        }
        let is_alike = |scale: &Scale| scale.is_some_and(|own| counts[&scale_bits(own)] > 1);
        Vec::from_iter(scales.iter().map(is_alike))
    };
    let found = file.scales()?.map(|scales| (alike(&scales), scales));
    // Where many are alike they are read as they stand, as all are where the host finds their scales.
    let few =
        |(alike, _): &(Vec<bool>, _)| alike.iter().filter(|is| **is).count() <= alike.len() / 100;
    if let Some((alike, scales)) = found.filter(few) {
        let each = alike.into_iter().zip(scales).enumerate();
        return each
            .map(|(at, (is_alike, scale))| {
                let hash = is_alike
                    .then(|| file.map_raw(at..at + 1, &of))
                    .transpose()?;
                Ok((scale, hash.and_then(|all| Some(all.first()?.1))))
            })
            .collect();
    }
    let all = file.map_raw(0..file.p(), of)?;
    let alike = alike(&Vec::from_iter(all.iter().map(|(scale, _)| *scale)));
    let each = all.into_iter().zip(alike);
    Ok(each
        .map(|((scale, hash), is_alike)| (scale, is_alike.then_some(hash)))
        .collect())
}
