//! The tree of a formula, and its text as R writes it.

use std::fmt;

use super::error::Span;
use super::number::number_text;
use super::operator::Operator;

/// A part of a formula with its place. Two are equal if they say the same, wherever they stand.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Name(String),
    Number {
        value: f64,
        is_integer: bool,
    },
    Text(String),
    Logical(bool),
    Infinity,
    Null,
    /// All variables that are not in the response.
    Dot,
    Parentheses(Box<Expression>),
    Unary(Operator, Box<Expression>),
    /// Operators of one precedence that group from the left. One list, so that long sums are not
    /// deep trees.
    Chain {
        first: Box<Expression>,
        rest: Vec<Operand>,
    },
    Power(Box<Expression>, Box<Expression>),
    Call(Call),
}

/// An operand of a chain behind its operator.
pub(super) type Operand = (Operator, Expression);

/// A function with its arguments.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// The package before `::`.
    pub(super) package: Option<String>,
    pub(super) name: String,
    pub(super) arguments: Vec<Argument>,
}

#[derive(Debug, Clone)]
pub(super) struct Argument {
    pub(super) name: Option<String>,
    /// Where the name stands; the value if it has none.
    pub(super) name_span: Span,
    pub(super) value: Expression,
}

impl PartialEq for Argument {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.value) == (&other.name, &other.value)
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Expression {
    /// The expression inside parentheses.
    pub(super) fn without_parentheses(&self) -> &Self {
        let mut inner = self;
        while let Kind::Parentheses(inside) = &inner.kind {
            inner = inside;
        }
        inner
    }

    /// The columns of `cbind(…)`; none of another expression.
    pub(super) fn bound_columns(&self) -> Option<&[Argument]> {
        match &self.kind {
            Kind::Call(call) if call.name == "cbind" => Some(&call.arguments),
            _ => None,
        }
    }

    /// The parts of which it is made, in order.
    pub(super) fn parts(&self) -> Vec<&Self> {
        match &self.kind {
            Kind::Parentheses(inner) | Kind::Unary(_, inner) => vec![inner],
            Kind::Chain { first, rest } => {
                let rest = rest.iter().map(|(_, operand)| operand);
                std::iter::once(&**first).chain(rest).collect()
            }
            Kind::Power(base, exponent) => vec![base, exponent],
            Kind::Call(call) => call
                .arguments
                .iter()
                .map(|argument| &argument.value)
                .collect(),
            Kind::Name(_)
            | Kind::Number { .. }
            | Kind::Text(_)
            | Kind::Logical(_)
            | Kind::Infinity
            | Kind::Null
            | Kind::Dot => Vec::new(),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Name(name) => f.write_str(&name_text(name)),
            Kind::Number { value, is_integer } => {
                let suffix = if *is_integer { "L" } else { "" };
                write!(f, "{}{suffix}", number_text(*value))
            }
            Kind::Text(text) => f.write_str(&quoted(text, '"')),
            Kind::Logical(true) => f.write_str("TRUE"),
            Kind::Logical(false) => f.write_str("FALSE"),
            Kind::Infinity => f.write_str("Inf"),
            Kind::Null => f.write_str("NULL"),
            Kind::Dot => f.write_str("."),
            Kind::Parentheses(inner) => write!(f, "({inner})"),
            Kind::Unary(operator, operand) => write!(f, "{}{operand}", operator.text()),
            Kind::Chain { first, rest } => {
                write!(f, "{first}")?;
                rest.iter().try_for_each(|(operator, operand)| {
                    let space = if operator.has_spaces() { " " } else { "" };
                    write!(f, "{space}{}{space}{operand}", operator.text())
                })
            }
            Kind::Power(base, exponent) => write!(f, "{base}^{exponent}"),
            Kind::Call(call) => call.fmt(f),
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(package) = &self.package {
            write!(f, "{}::", name_text(package))?;
        }
        write!(f, "{}(", name_text(&self.name))?;
        for (place, Argument { name, value, .. }) in self.arguments.iter().enumerate() {
            if place > 0 {
                f.write_str(", ")?;
            }
            if let Some(name) = name {
                write!(f, "{} = ", name_text(name))?;
            }
            write!(f, "{value}")?;
        }
        f.write_str(")")
    }
}

/// Words that R does not read as names.
const RESERVED: [&str; 19] = [
    "if",
    "else",
    "repeat",
    "while",
    "function",
    "for",
    "next",
    "break",
    "TRUE",
    "FALSE",
    "NULL",
    "Inf",
    "NaN",
    "NA",
    "NA_integer_",
    "NA_real_",
    "NA_complex_",
    "NA_character_",
    "in",
];

pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Whether a name may begin so; a digit behind a dot makes it a number.
pub(super) fn starts_name(first: char, second: Option<char>) -> bool {
    first.is_alphabetic() || first == '.' && !second.is_some_and(|next| next.is_ascii_digit())
}

pub(super) fn continues_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '.' | '_')
}

/// A name as a formula has it: in backquotes unless it is one by itself.
pub(crate) fn name_text(name: &str) -> String {
    let mut characters = name.chars();
    let (first, second) = (characters.next(), characters.clone().next());
    let is_plain = first.is_some_and(|first| starts_name(first, second))
        && characters.all(continues_name)
        && !is_reserved(name)
        && name != ".";
    match is_plain {
        true => name.to_owned(),
        false => quoted(name, '`'),
    }
}

/// A text in quotation marks, with escape sequences.
fn quoted(text: &str, quote: char) -> String {
    let mut quoted = String::from(quote);
    for character in text.chars() {
        match character {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\\' => quoted.push_str("\\\\"),
            _ if character == quote => quoted.extend(['\\', quote]),
            _ => quoted.push(character),
        }
    }
    quoted.push(quote);
    quoted
}
