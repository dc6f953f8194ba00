//! A formula with what it learnt from data: which columns it makes, of that data and of new data.

use super::Formula;
use super::coding::{Coding, FactorCoding, coding};
use super::data::Variables;
use super::error::{FormulaError, Located, Span};
use super::fault::Fault;
use super::fitted::Fitted;
use super::learnt::Shape;
use super::options::ExpansionOptions;
use super::terms::{TermVariable, Terms};
use super::warning::Warning;

/// The most columns of one term.
const MAX_COLUMNS: usize = 1_000_000;

/// A formula with what it learnt from data: levels, knots, centers, contrasts.
///
/// Saved and read back, it makes of data the same columns, bit for bit.
#[derive(Debug, Clone)]
pub struct Expansion {
    pub(super) formula: Formula,
    pub(super) terms: Terms,
    /// Parallel to the variables of the terms; none for a variable of removed terms only.
    pub(super) variables: Vec<Option<Fitted>>,
    pub(super) response: Option<Fitted>,
    pub(super) offsets: Vec<Fitted>,
    /// For each variable of each term.
    pub(super) codings: Vec<Box<[FactorCoding]>>,
    /// See [`ExpansionOptions::centered_interactions`].
    pub(super) centered_interactions: bool,
    /// How many columns each term has.
    pub(super) counts: Vec<usize>,
    warnings: Vec<Warning>,
}

impl Expansion {
    /// Expands a formula over data, with R's default contrasts.
    ///
    /// # Errors
    /// As [`with_options`](Self::with_options).
    pub fn of(formula: &Formula, data: &dyn Variables) -> Result<Self, FormulaError> {
        Self::with_options(formula, data, &ExpansionOptions::default())
    }

    /// Expands a formula over data.
    ///
    /// # Errors
    /// Those of [`Formula::terms`]; values that are missing or not finite, with expression and row;
    /// factors of one level; arguments that functions do not take.
    pub fn with_options(
        formula: &Formula,
        data: &dyn Variables,
        options: &ExpansionOptions,
    ) -> Result<Self, FormulaError> {
        let terms = formula.terms(&data.names())?;
        let located = |located: Located| located.in_text(formula.text());
        if data.rows() == 0 {
            return Err(located(whole_span(formula).fault(Fault::NoRows)));
        }
        let mut is_used = vec![false; terms.variables.len()];
        for variable in terms.terms.iter().flat_map(|term| term.iter()) {
            is_used[*variable as usize] = true;
        }
        let variables = terms.variables.iter().zip(is_used);
        let variables = variables.map(|(variable, is_used)| {
            let learn = || Fitted::of_variable(&variable.expression, data, options);
            is_used.then(learn).transpose()
        });
        let variables = variables.collect::<Result<Vec<_>, _>>().map_err(located)?;
        for name in options.by_variable.keys() {
            let of_name = |(variable, fitted): (&TermVariable, &Option<Fitted>)| {
                fitted.is_some() && variable.is_called(name)
            };
            if !terms.variables.iter().zip(&variables).any(of_name) {
                let name = name.clone();
                return Err(located(
                    whole_span(formula).fault(Fault::UnusedContrasts { name }),
                ));
            }
        }
        let response = terms.response.as_ref().map(|expression| {
            let fitted = Fitted::of_value(expression, data, options)?;
            fitted.check_response(expression)?;
            Ok(fitted)
        });
        let response = response.transpose().map_err(located)?;
        let offsets = terms.offsets.iter().map(|expression| {
            let fitted = Fitted::of_value(expression, data, options)?;
            fitted.check_offset(expression)?;
            Ok(fitted)
        });
        let offsets = offsets.collect::<Result<_, Located>>().map_err(located)?;
        let centers = options.centered_interactions;
        Self::from_parts(
            formula.clone(),
            (terms, centers),
            variables,
            response,
            offsets,
        )
    }

    /// Joins a formula with what was learnt of its variables.
    pub(super) fn from_parts(
        formula: Formula,
        (terms, centered_interactions): (Terms, bool),
        variables: Vec<Option<Fitted>>,
        response: Option<Fitted>,
        offsets: Vec<Fitted>,
    ) -> Result<Self, FormulaError> {
        let is_factor = |variable: u32| {
            let fitted = variables[variable as usize].as_ref();
            fitted.is_some_and(|fitted| matches!(fitted.shape, Shape::Factor { .. }))
        };
        let Coding {
            codings,
            mut warnings,
        } = coding(&terms, is_factor, centered_interactions);
        warnings.splice(..0, terms.warnings.iter().cloned());
        let mut counts = Vec::with_capacity(terms.len());
        for (term, (factors, codings)) in terms.terms.iter().zip(&codings).enumerate() {
            let widths = factors.iter().zip(codings).map(|(variable, coding)| {
                let fitted = variables[*variable as usize].as_ref();
                fitted.map_or(0, |fitted| fitted.suffixes(*coding).len())
            });
            let count = widths.fold(1_usize, usize::saturating_mul);
            if count > MAX_COLUMNS {
                let place = terms.variables[factors[0] as usize].expression.span;
                let (label, limit) = (terms.label(term), MAX_COLUMNS);
                let fault = place.fault(Fault::TooManyColumns { label, limit });
                return Err(fault.in_text(formula.text()));
            }
            counts.push(count);
        }
        Ok(Self {
            formula,
            terms,
            variables,
            response,
            offsets,
            codings,
            centered_interactions,
            counts,
            warnings,
        })
    }

    /// The formula.
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// The terms.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// What is doubtful about the terms and their coding.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// How many columns a term has.
    ///
    /// # Panics
    /// If there is no such term.
    pub fn column_count(&self, term: usize) -> usize {
        self.counts[term]
    }

    /// The term of each column, from 1; the intercept, if there is one, is first and 0.
    pub fn assign(&self) -> impl Iterator<Item = usize> {
        let intercept = self.terms.has_intercept.then_some(0);
        let counts = self.counts.iter().enumerate();
        let terms = counts.flat_map(|(term, count)| std::iter::repeat_n(term + 1, *count));
        intercept.into_iter().chain(terms)
    }

    /// The names of a term's columns, as R's `model.matrix` has them.
    ///
    /// # Panics
    /// If there is no such term.
    pub fn column_names(&self, term: usize) -> Vec<String> {
        let mut names: Vec<String> = vec![String::new()];
        for (place, (variable, coding)) in self.factors(term).enumerate() {
            let TermVariable { label, .. } = &self.terms.variables[variable];
            let suffixes = match &self.variables[variable] {
                Some(fitted) => fitted.suffixes(coding),
                None => &[],
            };
            let colon = if place > 0 { ":" } else { "" };
            let of_suffix = |suffix: &String| {
                let names = names.iter();
                let names = names.map(|name| format!("{name}{colon}{label}{suffix}"));
                names.collect::<Vec<_>>()
            };
            names = suffixes.iter().flat_map(of_suffix).collect();
        }
        names
    }

    /// Whether a term has a factor among its variables.
    pub(crate) fn has_factor(&self, term: usize) -> bool {
        let mut fitted = self
            .factors(term)
            .filter_map(|(variable, _)| self.variables[variable].as_ref());
        fitted.any(|fitted| fitted.contrasts.is_some())
    }

    /// The variables for which contrasts were given and that are no factors.
    pub(crate) fn idle_contrasts<'o>(
        &'o self,
        options: &'o ExpansionOptions,
    ) -> impl Iterator<Item = &'o str> {
        let names = options.by_variable.keys().map(String::as_str);
        names.filter(|name| {
            let variables = self.terms.variables.iter().zip(&self.variables);
            let mut own = variables.filter(|(variable, _)| variable.is_called(name));
            own.all(|(_, fitted)| {
                let fitted = fitted.as_ref();
                fitted.is_none_or(|fitted| fitted.contrasts.is_none())
            })
        })
    }

    /// Whether a factor of a term has sum contrasts where it would have others.
    pub(crate) fn is_centered(&self, term: usize) -> bool {
        let is_other = |variable: usize| {
            let fitted = self.variables[variable].as_ref();
            fitted.is_some_and(|fitted| fitted.centered.is_some())
        };
        let mut factors = self.factors(term);
        factors.any(|(variable, coding)| coding == FactorCoding::Centered && is_other(variable))
    }

    /// The variables of a term, each with its coding.
    pub(super) fn factors(&self, term: usize) -> impl Iterator<Item = (usize, FactorCoding)> {
        let factors = self.terms.terms[term]
            .iter()
            .map(|variable| *variable as usize);
        factors.zip(self.codings[term].iter().copied())
    }

    /// Checks that data has observations.
    pub(super) fn check_rows(&self, data: &dyn Variables) -> Result<(), FormulaError> {
        match data.rows() {
            0 => {
                let fault = whole_span(&self.formula).fault(Fault::NoRows);
                Err(fault.in_text(self.formula.text()))
            }
            _ => Ok(()),
        }
    }
}

fn whole_span(formula: &Formula) -> Span {
    Span {
        start: 0,
        end: formula.text().len(),
    }
}
