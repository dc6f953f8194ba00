//! Table and formula → design, of all terms or of those that can be made at once.

use std::sync::Arc;

use super::{
    Design, DesignError, FormulaOptions, Hierarchy,
    expanded::{ExpandedFormula, UsedTable},
    formula_columns::{FormulaUse, check_formula},
    size::MatrixSize,
    wide::WideFormula,
};
use crate::{
    formula::Formula,
    interrupt::Interrupt,
    table::{Missing, Table},
};

impl Design {
    /// Makes the design of a formula over a table: terms, columns and their coding are those of R, the intercept
    /// is as the formula says, and its offsets are taken off the response. Columns that are constant, and
    /// those that others of their term explain, are set aside. Unless the hierarchy is strong, interactions have sum
    /// contrasts ([`centered_interactions`](crate::formula::ExpansionOptions::centered_interactions)).
    ///
    /// # Errors
    /// What is wrong with the formula, with its place; otherwise as [`from_table`](Self::from_table).
    ///
    /// ```
    /// use passel::{Design, Table, criteria::Bic, design::FormulaOptions, formula::Formula};
    ///
    /// let dose: Vec<f64> = (0..24).map(|row| f64::from(row % 6)).collect();
    /// let drugs = ["a", "b", "c"];
    /// let drug: Vec<&str> = (0..24).map(|row| drugs[row / 8]).collect();
    /// let effect: Vec<f64> = (0..24).map(|row| match drug[row] {
    ///     "c" => 2.0 * dose[row] + f64::from(row as u8 % 2),
    ///     _ => f64::from(row as u8 % 3),
    /// }).collect();
    /// let columns = [("effect", effect.into()), ("dose", dose.into()), ("drug", drug.into())];
    /// let table = Table::from_columns(columns)?;
    /// let formula = Formula::parse("effect ~ dose * drug")?;
    /// let design = Design::from_formula(table, &formula, &FormulaOptions::default())?;
    /// let selection = passel::select(&design, &Bic, &Default::default())?;
    /// assert_eq!(selection.models[0].variables, ["dose", "drug", "dose:drug"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_formula(
        table: Table,
        formula: &Formula,
        options: &FormulaOptions,
    ) -> Result<Self, DesignError> {
        FormulaDesign::of(table, formula, options)?.design(&Interrupt::default())
    }
}

/// A formula over a table, whose columns are known but not made yet.
pub(crate) struct FormulaDesign<'a> {
    expanded: ExpandedFormula<'a>,
    hierarchy: Hierarchy,
    /// The whole formula, where this is without its many interactions.
    wide: Option<Arc<WideFormula>>,
}

impl<'a> FormulaDesign<'a> {
    /// Expands the formula over the table; of one that has too many interactions of two variables the part without
    /// these.
    ///
    /// # Errors
    /// As [`Design::from_formula`].
    pub(crate) fn of(
        table: Table,
        formula: &Formula,
        options: &'a FormulaOptions<'a>,
    ) -> Result<Self, DesignError> {
        if let missing @ (Missing::Mean | Missing::Level | Missing::Pairwise) = options.missing {
            return Err(DesignError::MissingPolicy { missing });
        }
        let uses = check_formula(&table, formula, options)?;
        Self::of_uses(table, uses, formula, options)
    }

    /// See [`of`](Self::of); `uses` is what the formula uses of the table.
    pub(super) fn of_uses(
        table: Table,
        mut uses: FormulaUse,
        formula: &Formula,
        options: &'a FormulaOptions<'a>,
    ) -> Result<Self, DesignError> {
        let pairwise = uses.pairwise.take();
        let used = UsedTable::of(table, uses, options.missing)?;
        let (expanded, wide) = match pairwise {
            Some(pairwise) => {
                let (expanded, wide) = WideFormula::begin(pairwise, used, options)?;
                (expanded, Some(Arc::new(wide)))
            }
            None => (ExpandedFormula::over(used, formula, options)?, None),
        };
        Ok(Self {
            expanded,
            hierarchy: options.hierarchy,
            wide,
        })
    }

    /// The most columns that the design may have.
    pub(crate) fn size(&self) -> MatrixSize {
        self.expanded.size()
    }

    /// Makes the columns, and the design of them.
    ///
    /// # Errors
    /// As [`Design::from_formula`]; an interrupt.
    pub(crate) fn design(self, interrupt: &Interrupt) -> Result<Design, DesignError> {
        let is_free = self.expanded.is_free();
        let mut design = self.expanded.design(interrupt)?;
        match &self.wide {
            Some(wide) => wide.name(&mut design),
            None if is_free && self.hierarchy != Hierarchy::Strong => {
                let warning = "--hierarchy changes nothing: no term of the formula is an interaction of others";
                design.warnings.push(warning.to_owned());
            }
            None => {}
        }
        Ok(design)
    }
}

#[cfg(test)]
impl Design {
    /// The first part of a formula, however few terms that has.
    pub(crate) fn first_part(
        table: crate::table::Table,
        formula: &Formula,
        options: &FormulaOptions,
    ) -> Result<Self, DesignError> {
        let mut uses = super::check_formula(&table, formula, options)?;
        let names: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
        uses.pairwise = formula.pairwise(&names)?;
        let first = FormulaDesign::of_uses(table, uses, formula, options)?;
        first.design(&Interrupt::default())
    }
}
