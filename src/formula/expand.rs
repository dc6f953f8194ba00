//! The tree of a formula → its terms, by the rules of R's `terms.formula`.

use std::collections::{HashMap, HashSet};

use super::Formula;
use super::error::{Located, Span};
use super::expression::{Expression, Kind, Operand};
use super::fault::Fault;
use super::functions::match_arguments;
use super::nesting::within;
use super::operator::Operator;
use super::term_set::{Factors, TermSet};
use super::terms::{TermVariable, Terms};
use super::warning::Warning;

/// The most terms of a formula.
pub(super) const MAX_TERMS: usize = 250_000;

/// Expands a formula over variables of these names.
pub(super) fn expand(formula: &Formula, names: &[&str]) -> Result<Terms, Located> {
    let mut expander = Expander::new(names, formula.response.as_ref())?;
    expander.number_all(&formula.terms, true);
    let mut terms = expander.terms(&formula.terms, true)?;
    terms.sort_by_key(|term| term.len());
    if let Some(response) = &formula.response {
        let label = response.to_string();
        if let Some(number) = expander.numbers.get(&label)
            && terms.iter().any(|term| term.binary_search(number).is_ok())
        {
            let span = expander.variables[*number as usize].expression.span;
            return Err(span.fault(Fault::ResponseAsTerm { label }));
        }
    }
    let used = expander.used;
    let mut seen = HashSet::new();
    let names = names
        .iter()
        .filter(|name| used.contains(**name) && seen.insert(**name));
    Ok(Terms {
        names: names.map(|name| (*name).to_owned()).collect(),
        variables: expander.variables,
        terms,
        has_intercept: expander.has_intercept,
        offsets: expander.offsets,
        response: formula.response.clone(),
        warnings: expander.warnings,
    })
}

pub(super) struct Expander<'n> {
    pub(super) names: &'n [&'n str],
    pub(super) known: HashSet<&'n str>,
    /// The names that the formula has, `.` included.
    pub(super) used: HashSet<&'n str>,
    pub(super) in_response: HashSet<&'n str>,
    pub(super) variables: Vec<TermVariable>,
    /// The number of each variable by its label.
    pub(super) numbers: HashMap<String, u32>,
    pub(super) has_intercept: bool,
    pub(super) offsets: Vec<Expression>,
    /// Whether there was a `.` so far.
    pub(super) has_dot: bool,
    /// Whether all variables of `.` have numbers.
    pub(super) is_dot_numbered: bool,
    pub(super) work: usize,
    pub(super) warnings: Vec<Warning>,
}

impl<'n> Expander<'n> {
    /// What expands formulas of this response over variables of these names.
    pub(super) fn new(
        names: &'n [&'n str],
        response: Option<&Expression>,
    ) -> Result<Self, Located> {
        let mut expander = Self {
            names,
            known: names.iter().copied().collect(),
            used: HashSet::new(),
            in_response: HashSet::new(),
            variables: Vec::new(),
            numbers: HashMap::new(),
            has_intercept: true,
            offsets: Vec::new(),
            has_dot: false,
            is_dot_numbered: false,
            work: 0,
            warnings: Vec::new(),
        };
        if let Some(response) = response {
            expander.check_response(response)?;
            expander.in_response = expander.used.clone();
        }
        Ok(expander)
    }

    /// The terms of an expression. `adds` is false behind a minus, where `1` removes the intercept
    /// and an offset is removed.
    pub(super) fn terms(
        &mut self,
        expression: &Expression,
        adds: bool,
    ) -> Result<Vec<Factors>, Located> {
        let span = expression.span;
        match &expression.kind {
            Kind::Number { value, .. } if *value == 0.0 || *value == 1.0 => {
                self.has_intercept = (*value == 1.0) == adds;
                Ok(Vec::new())
            }
            Kind::Dot => self.all_variables(span),
            Kind::Parentheses(inner) | Kind::Unary(Operator::Plus, inner) => {
                self.terms(inner, adds)
            }
            // It removes terms from none; the intercept is another matter.
            Kind::Unary(Operator::Minus, inner) => {
                self.terms(inner, !adds)?;
                Ok(Vec::new())
            }
            Kind::Power(base, exponent) => self.power(base, exponent, adds),
            Kind::Call(call) if call.name == "offset" => {
                let matched = match_arguments(call, span, &["object"])?;
                let value = matched.require("object")?;
                self.check_variable(value)?;
                match adds {
                    true => self.offsets.push(value.clone()),
                    false => self.offsets.retain(|offset| offset != value),
                }
                Ok(Vec::new())
            }
            Kind::Chain { first, rest } => match rest[..] {
                [(Operator::Plus | Operator::Minus, _), ..] => self.sum(first, rest, adds),
                [
                    (Operator::Times | Operator::Divide | Operator::Colon, _),
                    ..,
                ] => self.product(first, rest, adds),
                _ => match within(expression) {
                    Some((first, rest)) => self.product(&first, rest, adds),
                    None => self.variable(expression),
                },
            },
            Kind::Name(_) | Kind::Unary(..) | Kind::Call(_) => self.variable(expression),
            Kind::Number { .. }
            | Kind::Text(_)
            | Kind::Logical(_)
            | Kind::Infinity
            | Kind::Null => {
                let found = format!("`{expression}`");
                Err(span.fault(Fault::NotATerm { found }))
            }
        }
    }

    fn sum(
        &mut self,
        first: &Expression,
        rest: &[Operand],
        adds: bool,
    ) -> Result<Vec<Factors>, Located> {
        let mut sum: TermSet = self.terms(first, adds)?.into_iter().collect();
        for (operator, operand) in rest {
            match operator {
                Operator::Minus => {
                    let removed = self.terms(operand, !adds)?;
                    removed.iter().for_each(|term| sum.remove(term));
                }
                _ => {
                    let added = self.terms(operand, adds)?;
                    added.into_iter().for_each(|term| sum.insert(term));
                    within_limit(&sum, operand.span)?;
                }
            }
        }
        Ok(sum.into_terms())
    }

    /// What `.` stands for.
    fn all_variables(&mut self, span: Span) -> Result<Vec<Factors>, Located> {
        self.charge_terms(self.names.len(), span)?;
        let mut terms = TermSet::default();
        for name in self.names {
            if !self.in_response.contains(name) {
                let kind = Kind::Name((*name).to_owned());
                self.used.insert(name);
                let number = self.number(&Expression { kind, span });
                terms.insert([number].into());
            }
        }
        within_limit(&terms, span)?;
        Ok(terms.into_terms())
    }

    fn variable(&mut self, expression: &Expression) -> Result<Vec<Factors>, Located> {
        self.check_variable(expression)?;
        let number = self.number(expression);
        Ok(vec![[number].into()])
    }
}

pub(super) fn within_limit(terms: &TermSet, span: Span) -> Result<(), Located> {
    let limit = MAX_TERMS;
    match terms.len() <= limit {
        true => Ok(()),
        false => Err(span.fault(Fault::TooManyTerms { limit })),
    }
}
