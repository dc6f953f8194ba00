//! A formula with too many interactions of two variables to be made at once: designs of some of its terms.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use super::{
    Design, DesignError, FormulaOptions, Hierarchy, ResponseOptions,
    expanded::{ExpandedFormula, UsedTable},
    size::MatrixSize,
};
use crate::{
    family::Distribution,
    formula::{ExpansionOptions, Pairwise, PairwiseTerm},
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
    offset: Option<String>,
    p_total: Option<usize>,
    /// Interactions that every model holds.
    kept_pairs: Vec<(usize, usize)>,
    /// The columns of each variable that may interact.
    widths: Vec<usize>,
}

/// A design of some terms of such a formula: all but the interactions of the square, and some of these.
#[derive(Debug, Clone)]
pub(crate) struct WidePart {
    pub(crate) of: Arc<WideFormula>,
    terms: Arc<[PartTerm]>,
}

#[derive(Debug, Clone)]
struct PartTerm {
    /// Which term of the whole formula it is.
    name: PairwiseTerm,
    /// Those of its variables that may interact.
    variables: Vec<usize>,
    /// Whether it is one of these.
    is_variable: bool,
}

impl WideFormula {
    /// The formula of a table without the interactions that are too many, but for those that are kept.
    pub(super) fn begin<'a>(
        pairwise: Pairwise,
        used: UsedTable,
        options: &'a FormulaOptions<'a>,
    ) -> Result<(ExpandedFormula<'a>, Self), DesignError> {
        let distribution = options.kind.family.distribution();
        if distribution != Distribution::Gaussian {
            let terms = pairwise.term_count();
            return Err(DesignError::WideFamily {
                terms,
                distribution,
            });
        }
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
        let formula = pairwise.with_pairs(&kept_pairs);
        let first = ExpandedFormula::over(used.clone(), &formula, options)?;
        let mut widths = vec![1; pairwise.variable_count()];
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
            offset: options.kind.offset.map(str::to_owned),
            p_total: options.p_total,
            kept_pairs,
            widths,
            pairwise,
            used,
        };
        Ok((first, wide))
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

    /// Bytes of the table that each part has of its own.
    pub(crate) fn table_bytes(&self) -> u64 {
        self.used.table.bytes()
    }

    /// Whether two variables have an interaction that is made as it is needed.
    pub(crate) fn has_interaction(&self, one: usize, other: usize) -> bool {
        self.pairwise.has_pair((one.min(other), one.max(other)))
    }

    /// The terms of a model first, so that of equal columns the model's stand; then all interactions of some variables
    /// with one another and with some others.
    fn pairs(
        &self,
        model: &[PairwiseTerm],
        active: &BTreeSet<usize>,
        others: &BTreeSet<usize>,
    ) -> Vec<(usize, usize)> {
        let of_model = model.iter().filter_map(|term| match term {
            PairwiseTerm::Pair(one, other) => Some((*one, *other)),
            PairwiseTerm::Single(_) => None,
        });
        let mut pairs: Vec<(usize, usize)> = self.kept_pairs.clone();
        pairs.extend(of_model);
        for one in active {
            let later = active.range(one + 1..).chain(others);
            pairs.extend(later.map(|other| (*one.min(other), *one.max(other))));
        }
        let mut known = HashSet::new();
        pairs.retain(|pair| self.pairwise.has_pair(*pair) && known.insert(*pair));
        pairs
    }

    /// Makes a design of all terms but the interactions of the square, and of these those of a model, those of some
    /// active variables with one another, and those of these with some others.
    ///
    /// # Errors
    /// As [`Design::from_formula`]. `hold` is told how large it is, and may refuse it.
    pub(crate) fn design<E: From<DesignError>>(
        self: &Arc<Self>,
        model: &[PairwiseTerm],
        (active, others): (&BTreeSet<usize>, &BTreeSet<usize>),
        interrupt: &Interrupt,
        hold: impl FnOnce(&MatrixSize) -> Result<(), E>,
    ) -> Result<Design, E> {
        let formula = self.pairwise.with_pairs(&self.pairs(model, active, others));
        let options = FormulaOptions {
            keep: &self.keep,
            hierarchy: self.hierarchy,
            contrasts: self.contrasts.clone(),
            reference: &self.reference,
            weights: self.weights.as_deref(),
            kind: ResponseOptions {
                offset: self.offset.as_deref(),
                ..ResponseOptions::default()
            },
            p_total: self.p_total,
            ..FormulaOptions::default()
        };
        let part = ExpandedFormula::over(self.used.clone(), &formula, &options)?;
        hold(&part.size())?;
        let mut design = part.design(interrupt)?;
        self.name(&mut design);
        Ok(design)
    }

    /// Names a design of some of the terms, and numbers its variables, as the whole formula does.
    pub(super) fn name(self: &Arc<Self>, design: &mut Design) {
        let Some(mut formula) = design.formula.take() else {
            return;
        };
        Arc::make_mut(&mut formula).text = self.used.text(self.pairwise.whole(), None);
        let terms = formula.expansion.terms();
        let columns = design.columns();
        let of_term = |term: u32| {
            let first = columns.columns_of(term).start;
            let place = design.variables[first as usize].index;
            let variables = self.pairwise.variables_of(terms, place);
            PartTerm {
                name: self.pairwise.identify(terms, place),
                is_variable: terms.degree(place) == 1 && !variables.is_empty(),
                variables,
            }
        };
        let all = (0..columns.term_count() as u32).map(of_term);
        let all: Arc<[PartTerm]> = all.collect();
        let of: Vec<u32> = (0..design.p() as u32).map(|j| columns.term_of(j)).collect();
        for (variable, term) in Arc::make_mut(&mut design.variables).iter_mut().zip(of) {
            variable.index = self.pairwise.index(all[term as usize].name);
        }
        design.formula = Some(formula);
        design.wide = Some(WidePart {
            of: Arc::clone(self),
            terms: all,
        });
    }
}

impl Design {
    /// Which part of a formula it is that has too many interactions of two variables to be made at once; none if it
    /// is the whole.
    pub(crate) fn wide(&self) -> Option<&WidePart> {
        self.wide.as_ref()
    }

    /// The number of terms that models may have: of a wide formula also of those that this part lacks.
    pub(crate) fn candidate_terms(&self) -> usize {
        match &self.wide {
            Some(part) => part.of.term_count(),
            None => self.columns().term_count(),
        }
    }
}

impl WidePart {
    /// Whether this is of the same design.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.terms, &other.terms)
    }

    /// Which terms of the whole formula some of the design are, ascending.
    pub(crate) fn names(&self, terms: &[u32]) -> Vec<PairwiseTerm> {
        let own = terms.iter().map(|term| self.terms[*term as usize].name);
        let mut own: Vec<PairwiseTerm> = own.collect();
        own.sort_unstable();
        own
    }

    /// The terms of the design that are these, ascending, as far as it has them.
    pub(crate) fn terms(&self, names: &[PairwiseTerm]) -> Vec<u32> {
        let places: HashMap<PairwiseTerm, u32> =
            self.terms.iter().map(|term| term.name).zip(0..).collect();
        let own = names.iter().filter_map(|name| places.get(name).copied());
        let mut own: Vec<u32> = own.collect();
        own.sort_unstable();
        own
    }

    /// The variables of some terms of the design that may interact.
    pub(crate) fn variables(&self, terms: &[u32]) -> BTreeSet<usize> {
        let own = terms
            .iter()
            .flat_map(|term| &self.terms[*term as usize].variables);
        own.copied().collect()
    }

    /// The variable that a term of the design is, if it may interact.
    pub(crate) fn variable(&self, term: u32) -> Option<usize> {
        let own = &self.terms[term as usize];
        own.variables.first().copied().filter(|_| own.is_variable)
    }
}
