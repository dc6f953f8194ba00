//! Tokens → the tree of a formula.

use super::error::{Located, Span};
use super::expression::{Argument, Call, Expression, Kind, is_reserved};
use super::fault::Fault;
use super::functions::check_name;
use super::operator::{Operator, Precedence};
use super::token::{Token, tokens};

/// How deep parentheses, functions and operators may nest. Every pass over the tree recurses, so
/// this bounds the stack they take.
const MAX_DEPTH: usize = 150;

/// The two sides of a formula.
pub(super) struct Sides {
    pub(super) response: Option<Expression>,
    pub(super) terms: Expression,
}

/// Reads `response ~ terms` or `~ terms`.
pub(super) fn parse(text: &str) -> Result<Sides, Located> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        depth: 0,
    };
    let response = match parser.token() {
        Token::Tilde => None,
        Token::End => return Err(parser.span().fault(Fault::NoTilde)),
        _ => Some(parser.expression(Precedence::Or)?),
    };
    match parser.token() {
        Token::Tilde => parser.at += 1,
        Token::End => return Err(parser.span().fault(Fault::NoTilde)),
        _ => return Err(parser.unexpected("an operator or `~`")),
    }
    let terms = parser.expression(Precedence::Or)?;
    match parser.token() {
        Token::End => Ok(Sides { response, terms }),
        Token::Tilde => Err(parser.span().fault(Fault::SecondTilde)),
        _ => Err(parser.unexpected("an operator or the end of the formula")),
    }
}

struct Parser {
    tokens: Vec<(Token, Span)>,
    /// The present token; the last one is never passed.
    at: usize,
    depth: usize,
}

impl Parser {
    fn ahead(&self, count: usize) -> &(Token, Span) {
        &self.tokens[(self.at + count).min(self.tokens.len() - 1)]
    }

    fn token(&self) -> &Token {
        &self.ahead(0).0
    }

    fn span(&self) -> Span {
        self.ahead(0).1
    }

    fn unexpected(&self, expected: &'static str) -> Located {
        let found = match self.token() {
            Token::End => "the end of the formula",
            Token::Name { .. } => "a name",
            Token::Number { .. } => "a number",
            Token::Text(_) => "a text",
            Token::Operator(operator) => &format!("`{}`", operator.text()),
            Token::Open => "`(`",
            Token::Close => "`)`",
            Token::Comma => "`,`",
            Token::Assign => "`=`",
            Token::Tilde => "`~`",
            Token::DoubleColon => "`::`",
        };
        let found = found.to_owned();
        self.span().fault(Fault::Unexpected { expected, found })
    }

    /// An expression of operators that bind at least so tightly.
    fn expression(&mut self, least: Precedence) -> Result<Expression, Located> {
        if self.depth == MAX_DEPTH {
            let limit = MAX_DEPTH;
            return Err(self.span().fault(Fault::TooDeep { limit }));
        }
        self.depth += 1;
        let expression = self.operators(least);
        self.depth -= 1;
        expression
    }

    fn operators(&mut self, least: Precedence) -> Result<Expression, Located> {
        let mut left = self.operand()?;
        // The precedence of the chain that `left` is, if the next operator may join it.
        let mut chain = None;
        while let &Token::Operator(operator) = self.token() {
            let precedence = operator.precedence();
            if precedence < least || operator == Operator::Not {
                break;
            }
            if chain == Some(precedence) && precedence == Precedence::Comparison {
                return Err(self.span().fault(Fault::ComparisonChain));
            }
            self.at += 1;
            let right = match operator {
                Operator::Power => self.expression(precedence)?,
                _ => self.expression(precedence.tighter())?,
            };
            let span = left.span.to(right.span);
            left = match left.kind {
                Kind::Chain { first, mut rest } if chain == Some(precedence) => {
                    rest.push((operator, right));
                    let kind = Kind::Chain { first, rest };
                    Expression { kind, span }
                }
                _ if operator == Operator::Power => {
                    let kind = Kind::Power(Box::new(left), Box::new(right));
                    Expression { kind, span }
                }
                _ => {
                    let first = Box::new(left);
                    let rest = vec![(operator, right)];
                    let kind = Kind::Chain { first, rest };
                    Expression { kind, span }
                }
            };
            chain = Some(precedence);
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expression, Located> {
        let (token, span) = self.ahead(0).clone();
        let kind = match token {
            Token::Operator(sign @ (Operator::Plus | Operator::Minus)) => {
                return self.unary(sign, Precedence::Sign);
            }
            Token::Operator(Operator::Not) => {
                return self.unary(Operator::Not, Precedence::Comparison);
            }
            Token::Open => return self.parentheses(),
            Token::Name { name, is_quoted } => return self.name(name, is_quoted, span),
            Token::Number { value, is_integer } => Kind::Number { value, is_integer },
            Token::Text(text) => Kind::Text(text),
            _ => return Err(self.unexpected("a variable, a number, a function or `(`")),
        };
        self.at += 1;
        Ok(Expression { kind, span })
    }

    fn unary(&mut self, sign: Operator, least: Precedence) -> Result<Expression, Located> {
        let start = self.span();
        self.at += 1;
        let operand = Box::new(self.expression(least)?);
        let span = start.to(operand.span);
        let kind = Kind::Unary(sign, operand);
        Ok(Expression { kind, span })
    }

    fn parentheses(&mut self) -> Result<Expression, Located> {
        let open = self.span();
        self.at += 1;
        let inner = Box::new(self.expression(Precedence::Or)?);
        let span = open.to(self.close(open, "an operator or `)`")?);
        let kind = Kind::Parentheses(inner);
        Ok(Expression { kind, span })
    }

    fn close(&mut self, open: Span, expected: &'static str) -> Result<Span, Located> {
        let span = self.span();
        match self.token() {
            Token::Close => {
                self.at += 1;
                Ok(span)
            }
            Token::End => Err(open.fault(Fault::UnclosedParenthesis)),
            _ => Err(self.unexpected(expected)),
        }
    }

    /// A variable, a constant with a name, or a function.
    fn name(&mut self, name: String, is_quoted: bool, span: Span) -> Result<Expression, Located> {
        self.at += 1;
        if *self.token() == Token::DoubleColon {
            self.at += 1;
            let (Token::Name { name: function, .. }, place) = self.ahead(0).clone() else {
                return Err(self.unexpected("the name of a function"));
            };
            self.at += 1;
            if *self.token() != Token::Open {
                return Err(self.unexpected("`(`"));
            }
            return self.call(Some(name), function, span.to(place));
        }
        if *self.token() == Token::Open && (is_quoted || !is_reserved(&name)) {
            return self.call(None, name, span);
        }
        let kind = match &*name {
            _ if is_quoted => Kind::Name(name),
            "TRUE" => Kind::Logical(true),
            "FALSE" => Kind::Logical(false),
            "NULL" => Kind::Null,
            "Inf" => Kind::Infinity,
            "." => Kind::Dot,
            word if is_reserved(word) => {
                return Err(span.fault(Fault::ReservedWord { word: name }));
            }
            _ => Kind::Name(name),
        };
        Ok(Expression { kind, span })
    }

    fn call(
        &mut self,
        package: Option<String>,
        name: String,
        start: Span,
    ) -> Result<Expression, Located> {
        check_name(&name).map_err(|fault| start.fault(fault))?;
        let open = self.span();
        self.at += 1;
        let mut arguments = Vec::new();
        if *self.token() != Token::Close {
            loop {
                arguments.push(self.argument()?);
                if *self.token() != Token::Comma {
                    break;
                }
                self.at += 1;
            }
        }
        let span = start.to(self.close(open, "an operator, `,` or `)`")?);
        let kind = Kind::Call(Call {
            package,
            name,
            arguments,
        });
        Ok(Expression { kind, span })
    }

    fn argument(&mut self) -> Result<Argument, Located> {
        let name = match (self.token(), &self.ahead(1).0) {
            (Token::Name { name, .. } | Token::Text(name), Token::Assign) => Some(name.clone()),
            _ => None,
        };
        let name_span = self.span();
        if name.is_some() {
            self.at += 2;
        }
        let value = self.expression(Precedence::Or)?;
        Ok(Argument {
            name,
            name_span,
            value,
        })
    }
}
