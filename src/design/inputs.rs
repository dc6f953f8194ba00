//! Which columns of its table a variable of a design is made of.

use super::{Design, genotypic};
use crate::{
    formula::{FormulaError, LearntColumns},
    table::{Column, GenotypeEncoding, Locus},
};

impl Design {
    /// What columns of the formula need, in the order of these variables, and the offsets; none without a formula.
    ///
    /// # Errors
    /// A part of the formula whose text is not read back as it is.
    pub(crate) fn learnt_columns(
        &self,
        variables: &[u32],
    ) -> Result<Option<LearntColumns>, FormulaError> {
        let Some(formula) = &self.formula else {
            return Ok(None);
        };
        let place = |j: &u32| {
            let (term, variable) = (formula.term_of[*j as usize], &self.variables[*j as usize]);
            let names = formula.expansion.column_names(term).into_iter();
            let found = names
                .enumerate()
                .find(|(_, name)| name == variable.column());
            (term, found.map_or(0, |(at, _)| at))
        };
        let wanted: Vec<(usize, usize)> = variables.iter().map(place).collect();
        formula.expansion.learnt_columns(&wanted).map(Some)
    }

    /// A column of the table that the formula uses, without the observations that were left out.
    pub(crate) fn formula_input(&self, name: &str) -> Option<&Column> {
        let columns = self.formula.iter().flat_map(|own| &own.table.columns);
        let mut columns = columns.filter(|column| column.name == name);
        columns.next()
    }

    /// The rows of that table.
    pub(crate) fn formula_rows(&self) -> usize {
        self.formula.as_ref().map_or(0, |own| own.table.rows)
    }

    /// The column of the table that is added to the linear predictor, beside what a formula adds.
    pub(crate) fn offset_column(&self) -> Option<&str> {
        match &self.formula {
            Some(formula) => formula.offset.as_deref(),
            None => self.offset(),
        }
    }

    /// The values of a variable in the unit of its column; of a response of levels without order those of its candidate.
    ///
    /// *Shapes:* n values.
    pub(crate) fn original_values(&self, j: u32) -> Vec<f64> {
        let variable = &self.variables[j as usize];
        let value = |(row, x): (usize, &f64)| {
            let root = self
                .weight_values
                .get(row)
                .map_or(1.0, |weight| weight.sqrt());
            variable.mean + variable.norm * x / root
        };
        self.own_rows(j).iter().enumerate().map(value).collect()
    }

    /// What a missing value of a variable counts as; none where observations that miss one are left out or refused, as of
    /// columns that every model holds.
    pub(crate) fn missing_value(&self, j: u32) -> Option<f64> {
        let term = self.columns().term_of(j);
        if !self.fills_missing || self.keep.binary_search(&term).is_ok() {
            return None;
        }
        if let Some(genotypes) = self.genotypes(j) {
            return Some(genotypes.mean());
        }
        let values = self.original_values(j);
        Some(values.iter().sum::<f64>() / values.len() as f64)
    }

    /// The column of the table that a variable is of; and whether it has the heterozygotes of that variant.
    pub(crate) fn source_of(&self, j: u32) -> (&str, bool) {
        let name = self.variables[j as usize].column();
        match &self.genotypic {
            Some(all) => genotypic::variant(all, name),
            None => (name, false),
        }
    }

    /// The alleles of a variable that is a variant of the file, and what a genotype counts as.
    pub(crate) fn locus(&self, j: u32) -> Option<(Locus, GenotypeEncoding)> {
        let loci = self.loci()?;
        let locus = loci.of(self.source_of(j).0)?;
        Some((locus, loci.encoding()))
    }
}
