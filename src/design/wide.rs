//! A formula with too many interactions of two variables to be made at once: designs of some of its terms.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use super::{
    Design, DesignError, FormulaOptions, Hierarchy,
    formula::{FormulaDesign, UsedTable},
    size::MatrixSize,
};
use crate::{
    formula::{Expansion, ExpansionOptions, Formula, Pairwise, PairwiseTerm},
    interrupt::Interrupt,
};

/// A formula with too many interactions of two variables, and the data that it is of.
#[derive(Debug)]
pub(crate) struct WideFormula {
    pairwise: Pairwise,
    used: UsedTable,
    hierarchy: Hierarchy,
    contrasts: ExpansionOptions,
    keep: Vec<String>,
    reference: Vec<String>,
    weights: Option<String>,
    p_total: Option<usize>,
    /// Interactions that every model holds.
    kept_pairs: Vec<(usize, usize)>,
    /// The columns of each variable that may interact.
    widths: Vec<usize>,
}

/// A design of some terms of such a formula.
#[derive(Debug, Clone)]
pub(crate) struct WidePart {
    pub(crate) of: Arc<WideFormula>,
    /// Which of its terms those of the design are.
    terms: Arc<[PairwiseTerm]>,
    /// The variables of each.
    variables: Arc<[Vec<usize>]>,
}

impl WideFormula {
    /// The formula of a table without the interactions that are too many, but for those that are kept.
    pub(super) fn begin<'a>(
        pairwise: Pairwise,
        used: UsedTable,
        options: &'a FormulaOptions<'a>,
    ) -> Result<FormulaDesign<'a>, DesignError> {
        let kept = options.keep.iter();
        let kept_pairs: Vec<_> = kept
            .filter_map(|label| pairwise.pair_called(label))
            .collect();
        if let Some(p_total) = options
            .p_total
            .filter(|total| *total < pairwise.term_count())
        {
            let (table, p) = (used.table.source, pairwise.term_count());
            return Err(DesignError::Total { table, p_total, p });
        }
        let all: Vec<usize> = (0..pairwise.variable_count()).collect();
        let formula = pairwise.with_terms(&all, &kept_pairs);
        let first = FormulaDesign::over(used.clone(), &formula, options)?;
        let mut widths = vec![1; all.len()];
        let terms = first.terms();
        for (term, width) in first.widths().iter().enumerate() {
            if let (1, [variable]) = (terms.degree(term), &*pairwise.variables_of(terms, term)) {
                widths[*variable] = *width;
            }
        }
        let wide = Self {
            hierarchy: options.hierarchy,
            contrasts: options.contrasts.clone(),
            keep: options.keep.to_vec(),
            reference: options.reference.to_vec(),
            weights: options.weights.map(str::to_owned),
            p_total: options.p_total,
            kept_pairs,
            widths,
            pairwise,
            used,
        };
        Ok(first.as_part_of(&Arc::new(wide)))
    }

    /// The formula as it was given.
    pub(super) fn formula(&self) -> &Formula {
        self.pairwise.whole()
    }

    /// How many terms the formula has.
    pub(crate) fn term_count(&self) -> usize {
        self.pairwise.term_count()
    }

    /// How many variables may interact.
    pub(crate) fn variable_count(&self) -> usize {
        self.widths.len()
    }

    /// The columns of a variable that may interact.
    pub(crate) fn width(&self, variable: usize) -> usize {
        self.widths[variable]
    }

    /// Whether two variables have an interaction that is made as it is needed.
    pub(crate) fn has_interaction(&self, one: usize, other: usize) -> bool {
        self.pairwise.has_pair((one.min(other), one.max(other)))
    }

    /// Makes a design of some of the variables, at least one, and the interactions that each of some of them has with
    /// all of these.
    ///
    /// # Errors
    /// As [`Design::from_formula`]. `hold` is told how many bytes it takes, and may refuse them.
    pub(crate) fn design<E: From<DesignError>>(
        self: &Arc<Self>,
        variables: &BTreeSet<usize>,
        with_interactions: &BTreeSet<usize>,
        interrupt: &Interrupt,
        hold: impl FnOnce(&MatrixSize) -> Result<(), E>,
    ) -> Result<Design, E> {
        let mut variables = variables.clone();
        let kept = self.kept_pairs.iter();
        variables.extend(kept.flat_map(|(one, other)| [*one, *other]));
        let mut pairs: BTreeSet<(usize, usize)> = self.kept_pairs.iter().copied().collect();
        for one in with_interactions {
            let others = variables.iter().filter(|other| *other != one);
            let own = others.map(|other| (*one.min(other), *one.max(other)));
            pairs.extend(own.filter(|pair| self.pairwise.has_pair(*pair)));
        }
        let variables: Vec<usize> = variables.into_iter().collect();
        let pairs: Vec<(usize, usize)> = pairs.into_iter().collect();
        let formula = self.pairwise.with_terms(&variables, &pairs);
        let options = FormulaOptions {
            keep: &self.keep,
            hierarchy: self.hierarchy,
            contrasts: self.contrasts.clone(),
            reference: &self.reference,
            weights: self.weights.as_deref(),
            p_total: self.p_total,
            ..FormulaOptions::default()
        };
        let part = FormulaDesign::over(self.used.clone(), &formula, &options)?.as_part_of(self);
        hold(&part.size())?;
        Ok(part.design(interrupt)?)
    }

    /// Numbers the variables of a design of some of the terms as the whole formula does.
    pub(super) fn name(self: &Arc<Self>, design: &mut Design, expansion: &Expansion) -> WidePart {
        let terms = expansion.terms();
        let known: Vec<Option<PairwiseTerm>> = (0..terms.len())
            .map(|term| self.pairwise.identify(terms, term))
            .collect();
        let columns = design.columns();
        let places = (0..columns.term_count() as u32)
            .map(|term| design.variables[columns.columns_of(term).start as usize].index);
        let places: Vec<usize> = places.collect();
        let own = places.iter().filter_map(|place| known[*place]).collect();
        let variables = places
            .iter()
            .map(|place| self.pairwise.variables_of(terms, *place));
        let part = WidePart {
            terms: own,
            variables: variables.collect(),
            of: Arc::clone(self),
        };
        for variable in &mut design.variables {
            if let Some(term) = known[variable.index] {
                variable.index = self.pairwise.index(term);
            }
        }
        part
    }
}

impl WidePart {
    /// Whether this is of the same design.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.terms, &other.terms)
    }

    /// Which terms of the whole formula some of the design are, ascending.
    pub(crate) fn names(&self, terms: &[u32]) -> Vec<PairwiseTerm> {
        let mut own: Vec<PairwiseTerm> = terms
            .iter()
            .map(|term| self.terms[*term as usize])
            .collect();
        own.sort_unstable();
        own
    }

    /// The terms of the design that are these, ascending, as far as it has them.
    pub(crate) fn terms(&self, names: &[PairwiseTerm]) -> Vec<u32> {
        let places: HashMap<PairwiseTerm, u32> = self.terms.iter().copied().zip(0..).collect();
        let own = names.iter().filter_map(|name| places.get(name).copied());
        let mut own: Vec<u32> = own.collect();
        own.sort_unstable();
        own
    }

    /// The variables of some terms of the design that may interact.
    pub(crate) fn variables(&self, terms: &[u32]) -> BTreeSet<usize> {
        let own = terms
            .iter()
            .flat_map(|term| &self.variables[*term as usize]);
        own.copied().collect()
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
