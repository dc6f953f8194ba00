//! Checks of the names in the expressions of a formula.

use crate::nearest::near;

use super::error::{Located, Span};
use super::expand::Expander;
use super::expression::{Expression, Kind};
use super::fault::Fault;

/// Constants that have a name unless a variable has it.
pub(super) const CONSTANTS: [&str; 3] = ["pi", "T", "F"];

impl Expander<'_> {
    /// Checks an expression of values, which must depend on a variable.
    pub(super) fn check_variable(&mut self, expression: &Expression) -> Result<(), Located> {
        match self.check_value(expression)? {
            true => Ok(()),
            false => {
                let span = expression.span;
                let expression = expression.to_string();
                Err(span.fault(Fault::NoVariable { expression }))
            }
        }
    }

    /// Checks the names in a response, which may be of events and failures.
    pub(super) fn check_response(&mut self, response: &Expression) -> Result<(), Located> {
        let Some(columns) = response.bound_columns() else {
            return self.check_value(response).map(drop);
        };
        match columns.len() {
            2 => columns
                .iter()
                .try_for_each(|column| self.check_value(&column.value).map(drop)),
            found => Err(response.span.fault(Fault::CbindColumns { found })),
        }
    }

    /// Checks the names in an expression of values. Returns whether it depends on a variable.
    pub(super) fn check_value(&mut self, expression: &Expression) -> Result<bool, Located> {
        let span = expression.span;
        match &expression.kind {
            Kind::Dot => return Err(span.fault(Fault::DotWithinExpression)),
            Kind::Name(name) => return self.check_name(name, span),
            Kind::Call(call) if call.name == "offset" => {
                return Err(span.fault(Fault::OffsetWithinExpression));
            }
            Kind::Call(call) if call.name == "cbind" => {
                return Err(span.fault(Fault::CbindWithinExpression));
            }
            // The second argument is the name of a kind of contrasts.
            Kind::Call(call) if call.name == "C" => {
                let values = call
                    .arguments
                    .iter()
                    .filter(|argument| match &argument.name {
                        Some(name) => "object".starts_with(&**name),
                        None => true,
                    });
                return match values.map(|argument| &argument.value).next() {
                    Some(object) => self.check_value(object),
                    None => Ok(false),
                };
            }
            _ => {}
        }
        let mut depends = false;
        for part in expression.parts() {
            depends |= self.check_value(part)?;
        }
        Ok(depends)
    }

    fn check_name(&mut self, name: &str, span: Span) -> Result<bool, Located> {
        if let Some(known) = self.known.get(name) {
            self.used.insert(known);
            return Ok(true);
        }
        if CONSTANTS.contains(&name) {
            return Ok(false);
        }
        Err(span.fault(Fault::UnknownVariable {
            name: name.to_owned(),
            near: near(name, self.names.iter().copied()),
            names: self
                .names
                .iter()
                .take(9)
                .map(|name| (*name).to_owned())
                .collect(),
        }))
    }
}
