//! Chains of `%in%`, in which `%%` and `%/%` are arithmetic.

use std::borrow::Cow;

use super::expression::{Expression, Kind, Operand};
use super::operator::Operator;

/// A chain of `%in%` that has `%%` or `%/%`, which are arithmetic of the same precedence: what is left
/// of the last of these is one variable. None if that is the whole chain, or it is no such chain.
pub(super) fn within(chain: &Expression) -> Option<(Cow<'_, Expression>, &[Operand])> {
    let Kind::Chain { first, rest } = &chain.kind else {
        return None;
    };
    let arithmetic = rest
        .iter()
        .rposition(|(operator, _)| *operator != Operator::In);
    match arithmetic {
        None => Some((Cow::Borrowed(&**first), &rest[..])),
        Some(last) if last + 1 == rest.len() => None,
        Some(last) => {
            let (variable, rest) = rest.split_at(last + 1);
            let span = first.span.to(variable[last].1.span);
            let (first, rest_of_variable) = (first.clone(), variable.to_vec());
            let kind = Kind::Chain {
                first,
                rest: rest_of_variable,
            };
            Some((Cow::Owned(Expression { kind, span }), rest))
        }
    }
}
