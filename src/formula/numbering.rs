//! The numbers of variables, by which the variables of a term are ordered.

use super::error::Span;
use super::expand::Expander;
use super::expression::{Expression, Kind, Operand};
use super::nesting::within;
use super::operator::Operator;
use super::terms::TermVariable;

impl Expander<'_> {
    /// Numbers the variables of a formula before it is expanded, in R's order: that of their first
    /// occurrence, where names that terms behind a minus have do not count.
    pub(super) fn number_all(&mut self, expression: &Expression, adds: bool) {
        match &expression.kind {
            Kind::Name(_) if adds => {
                // R numbers the variables of a dot at the next name, if the dot was behind a minus.
                if self.has_dot {
                    self.number_dot(expression.span);
                }
                self.number(expression);
            }
            Kind::Dot => {
                self.has_dot = true;
                if adds {
                    self.number_dot(expression.span);
                }
            }
            Kind::Parentheses(inner) | Kind::Unary(Operator::Plus, inner) => {
                self.number_all(inner, adds);
            }
            Kind::Unary(Operator::Minus, inner) => self.number_all(inner, false),
            Kind::Power(base, _) => self.number_all(base, adds),
            Kind::Chain { first, rest } => match rest[..] {
                [
                    (
                        Operator::Plus
                        | Operator::Minus
                        | Operator::Times
                        | Operator::Divide
                        | Operator::Colon,
                        _,
                    ),
                    ..,
                ] => self.number_chain(first, rest, adds),
                _ => match within(expression) {
                    Some((first, rest)) => self.number_chain(&first, rest, adds),
                    None => {
                        self.number(expression);
                    }
                },
            },
            Kind::Call(call) if call.name == "offset" => {}
            Kind::Call(_) | Kind::Unary(..) => {
                self.number(expression);
            }
            Kind::Name(_)
            | Kind::Number { .. }
            | Kind::Text(_)
            | Kind::Logical(_)
            | Kind::Infinity
            | Kind::Null => {}
        }
    }

    fn number_chain(&mut self, first: &Expression, rest: &[Operand], adds: bool) {
        self.number_all(first, adds);
        for (operator, operand) in rest {
            self.number_all(operand, adds && *operator != Operator::Minus);
        }
    }

    /// Numbers the variables that `.` stands for, once.
    fn number_dot(&mut self, span: Span) {
        if self.is_dot_numbered {
            return;
        }
        self.is_dot_numbered = true;
        for name in self.names {
            if !self.in_response.contains(name) {
                let kind = Kind::Name((*name).to_owned());
                self.number(&Expression { kind, span });
            }
        }
    }

    /// The number of a variable, a new one at its first occurrence.
    pub(super) fn number(&mut self, expression: &Expression) -> u32 {
        let label = expression.to_string();
        let next = self.variables.len() as u32;
        let number = *self.numbers.entry(label.clone()).or_insert(next);
        if number == next {
            let expression = expression.clone();
            self.variables.push(TermVariable { label, expression });
        }
        number
    }
}
