//! Products of terms: `*`, `/`, `:`, `%in%` and `^`.

use super::error::{Located, Span};
use super::expand::{Expander, MAX_TERMS, within_limit};
use super::expression::{Expression, Kind, Operand};
use super::fault::Fault;
use super::operator::Operator;
use super::subsets::{count_subsets, subsets};
use super::term_set::{Factors, TermSet, union};
use super::warning::Warning;

/// The most variables that the terms formed on the way may have, counted in each.
const MAX_WORK: usize = 1 << 24;

/// What a term costs beside its variables, for its memory and its place in a set.
const TERM_WORK: usize = 16;

impl Expander<'_> {
    /// A chain of `*` and `/`, of `:`, or of `%in%`.
    pub(super) fn product(
        &mut self,
        first: &Expression,
        rest: &[Operand],
        adds: bool,
    ) -> Result<Vec<Factors>, Located> {
        let mut left = self.terms(first, adds)?;
        let mut left_span = first.span;
        for (operator, operand) in rest {
            let right = self.terms(operand, adds)?;
            let span = first.span.to(operand.span);
            if matches!(operator, Operator::Colon | Operator::In) {
                for (terms, place) in [(&left, left_span), (&right, operand.span)] {
                    if terms.is_empty() {
                        return Err(place.fault(Fault::NothingToInteract));
                    }
                }
            }
            let mut product = TermSet::default();
            match operator {
                Operator::Colon => self.cross(&left, &right, &mut product, span)?,
                Operator::In => {
                    let within = self.join(&right, span)?;
                    self.cross(&left, &[within], &mut product, span)?;
                }
                Operator::Divide => {
                    let within = self.join(&left, span)?;
                    left.iter().for_each(|term| product.insert(term.clone()));
                    self.cross(&right, &[within], &mut product, span)?;
                }
                _ => {
                    let both = left.iter().chain(&right);
                    both.for_each(|term| product.insert(term.clone()));
                    self.cross(&left, &right, &mut product, span)?;
                }
            }
            left = product.into_terms();
            left_span = span;
        }
        Ok(left)
    }

    /// Terms of degree up to the exponent.
    pub(super) fn power(
        &mut self,
        base: &Expression,
        exponent: &Expression,
        adds: bool,
    ) -> Result<Vec<Factors>, Located> {
        let count = match exponent.without_parentheses().kind {
            Kind::Number { value, .. } if value >= 1.0 && value.fract() == 0.0 => value as usize,
            _ => return Err(exponent.span.fault(Fault::Exponent)),
        };
        let span = base.span.to(exponent.span);
        let base_of = base;
        let base = self.terms(base, adds)?;
        if count > 1 && base.len() == 1 {
            self.warnings.push(Warning::PowerOfOneTerm {
                expression: format!("{base_of}^{exponent}"),
                term: base_of.to_string(),
            });
        }
        if base.iter().all(|term| term.len() == 1) {
            let variables: Vec<u32> = base.iter().map(|term| term[0]).collect();
            let most = count.min(variables.len());
            let terms = count_subsets(variables.len(), most);
            if terms > MAX_TERMS {
                return Err(span.fault(Fault::TooManyTerms { limit: MAX_TERMS }));
            }
            self.charge(terms * (TERM_WORK + most), span)?;
            return Ok(subsets(&variables, most));
        }
        let mut power = base.clone();
        for _ in 1..count {
            let mut next = TermSet::default();
            self.cross(&base, &power, &mut next, span)?;
            let next = next.into_terms();
            if next == power {
                break;
            }
            power = next;
        }
        Ok(power)
    }

    /// Every term of the left with every term of the right.
    fn cross(
        &mut self,
        left: &[Factors],
        right: &[Factors],
        into: &mut TermSet,
        span: Span,
    ) -> Result<(), Located> {
        for one in left {
            for other in right {
                self.charge(TERM_WORK + one.len() + other.len(), span)?;
                into.insert(union(one, other));
            }
            within_limit(into, span)?;
        }
        Ok(())
    }

    /// One term of all variables of these terms.
    fn join(&mut self, terms: &[Factors], span: Span) -> Result<Factors, Located> {
        self.charge(terms.iter().map(|term| term.len()).sum(), span)?;
        let mut factors: Vec<u32> = terms.iter().flat_map(|term| term.iter().copied()).collect();
        factors.sort_unstable();
        factors.dedup();
        Ok(factors.into())
    }

    /// Charges for so many terms of one variable.
    pub(super) fn charge_terms(&mut self, count: usize, span: Span) -> Result<(), Located> {
        self.charge(TERM_WORK * count, span)
    }

    fn charge(&mut self, work: usize, span: Span) -> Result<(), Located> {
        self.work = self.work.saturating_add(work);
        match self.work <= MAX_WORK {
            true => Ok(()),
            false => Err(span.fault(Fault::TooMuchWork)),
        }
    }
}
