//! The text of a formula → tokens.

use super::error::{Located, Span};
use super::expression::{continues_name, starts_name};
use super::fault::Fault;
use super::operator::Operator;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// `is_quoted` if in backquotes.
    Name {
        name: String,
        is_quoted: bool,
    },
    Number {
        value: f64,
        is_integer: bool,
    },
    Text(String),
    Operator(Operator),
    Open,
    Close,
    Comma,
    Assign,
    Tilde,
    DoubleColon,
    End,
}

/// Operators and signs, those that begin with another one first.
const SIGNS: [(&str, Token); 26] = [
    ("%in%", Token::Operator(Operator::In)),
    ("%/%", Token::Operator(Operator::WholeQuotient)),
    ("%%", Token::Operator(Operator::Remainder)),
    ("**", Token::Operator(Operator::Power)),
    ("::", Token::DoubleColon),
    ("==", Token::Operator(Operator::Equal)),
    ("!=", Token::Operator(Operator::NotEqual)),
    ("<=", Token::Operator(Operator::LessOrEqual)),
    (">=", Token::Operator(Operator::GreaterOrEqual)),
    ("+", Token::Operator(Operator::Plus)),
    ("-", Token::Operator(Operator::Minus)),
    ("*", Token::Operator(Operator::Times)),
    ("/", Token::Operator(Operator::Divide)),
    (":", Token::Operator(Operator::Colon)),
    ("^", Token::Operator(Operator::Power)),
    ("<", Token::Operator(Operator::Less)),
    (">", Token::Operator(Operator::Greater)),
    ("!", Token::Operator(Operator::Not)),
    ("&", Token::Operator(Operator::And)),
    ("|", Token::Operator(Operator::Or)),
    ("(", Token::Open),
    (")", Token::Close),
    (",", Token::Comma),
    ("=", Token::Assign),
    ("~", Token::Tilde),
    // U+2212, which typeset text has for minus.
    ("−", Token::Operator(Operator::Minus)),
];

/// Operators of R without a meaning in formulas.
const REFUSED: [(&str, &str); 8] = [
    (
        "<-",
        "it assigns in R: for a comparison with a negative number write `< -`",
    ),
    (
        "->",
        "it assigns in R: for a difference and a comparison write `- >`",
    ),
    ("&&", "write `&`, which compares value by value"),
    ("||", "write `|`, which compares value by value"),
    ("|>", "call the function: `f(x)`"),
    (":::", "write the function's name alone"),
    ("$", "write the variable's name alone"),
    ("[", "derive the variable before, and write its name"),
];

/// The tokens of a text with their places; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Span)>, Located> {
    let mut reader = Reader { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        let spaces = reader.rest().len() - reader.rest().trim_start().len();
        reader.at += spaces;
        let start = reader.at;
        let token = reader.token()?;
        let is_end = token == Token::End;
        let end = reader.at;
        tokens.push((token, Span { start, end }));
        if is_end {
            return Ok(tokens);
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// A fault from the present place on, so many bytes long.
    fn fault(&self, length: usize, fault: Fault) -> Located {
        let (start, end) = (self.at, self.at + length);
        Span { start, end }.fault(fault)
    }

    fn token(&mut self) -> Result<Token, Located> {
        let mut characters = self.rest().chars();
        let Some(first) = characters.next() else {
            return Ok(Token::End);
        };
        let second = characters.next();
        if starts_name(first, second) {
            let rest = self.rest();
            let length = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
            let name = rest[..length].to_owned();
            self.at += length;
            return Ok(Token::Name {
                name,
                is_quoted: false,
            });
        }
        match first {
            '0'..='9' | '.' => self.number(),
            '"' | '\'' => self.quoted(first).map(Token::Text),
            '`' => {
                let start = self.at;
                let name = self.quoted(first)?;
                let span = Span {
                    start,
                    end: self.at,
                };
                match name.is_empty() {
                    true => Err(span.fault(Fault::EmptyName)),
                    false => Ok(Token::Name {
                        name,
                        is_quoted: true,
                    }),
                }
            }
            _ => self.sign(first),
        }
    }

    fn sign(&mut self, first: char) -> Result<Token, Located> {
        let rest = self.rest();
        let refused = REFUSED.iter().find(|(sign, _)| rest.starts_with(sign));
        if let Some((sign, mend)) = refused {
            let operator = (*sign).to_owned();
            let fault = Fault::UnknownOperator { operator, mend };
            return Err(self.fault(sign.len(), fault));
        }
        let sign = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign));
        if let Some((sign, token)) = sign {
            self.at += sign.len();
            return Ok(token.clone());
        }
        let closing = rest[1..].find('%').filter(|_| first == '%');
        let fault = match closing {
            Some(length) => {
                let operator = rest[..length + 2].to_owned();
                let mend = "between percent signs, `%in%`, `%%` and `%/%` are known";
                let fault = Fault::UnknownOperator { operator, mend };
                return Err(self.fault(length + 2, fault));
            }
            None => Fault::UnexpectedCharacter { character: first },
        };
        Err(self.fault(first.len_utf8(), fault))
    }

    /// A number: `2`, `.5`, `1e3`, `0x1F`, `2L`.
    fn number(&mut self) -> Result<Token, Located> {
        let rest = self.rest();
        let mut length = digits_end(rest);
        // Letters behind the digits belong to a number that is none.
        let word = rest[length..].find(|c: char| !continues_name(c));
        let word = length + word.unwrap_or(rest.len() - length);
        let is_integer = rest[length..word] == *"L";
        let text = &rest[..length];
        if is_integer {
            length += 1;
        }
        let hexadecimal = text.strip_prefix("0x").or(text.strip_prefix("0X"));
        let value = match hexadecimal {
            Some(digits) => u64::from_str_radix(digits, 16)
                .ok()
                .map(|value| value as f64),
            None => text.parse::<f64>().ok(),
        };
        let whole = || rest[..word].to_owned();
        match value {
            Some(value) if length == word && value.is_finite() => {
                if is_integer && value.fract() != 0.0 {
                    return Err(self.fault(word, Fault::NumberForm { text: whole() }));
                }
                self.at += length;
                Ok(Token::Number { value, is_integer })
            }
            Some(value) if value.is_infinite() => {
                Err(self.fault(word, Fault::NumberTooLarge { text: whole() }))
            }
            _ => Err(self.fault(word, Fault::NumberForm { text: whole() })),
        }
    }

    /// The text up to the closing quotation mark.
    fn quoted(&mut self, quote: char) -> Result<String, Located> {
        let inside = &self.rest()[1..];
        let unclosed = || self.fault(1, Fault::UnclosedQuote { quote });
        let mut text = String::new();
        let mut characters = inside.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => text.push(match characters.next().ok_or_else(unclosed)?.1 {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    plain @ ('\\' | '"' | '\'' | '`') => plain,
                    other => {
                        let start = self.at + 1 + at;
                        let end = start + 1 + other.len_utf8();
                        let fault = Fault::UnknownEscape { character: other };
                        return Err(Span { start, end }.fault(fault));
                    }
                }),
                _ if character == quote => {
                    self.at += at + 2;
                    return Ok(text);
                }
                _ => text.push(character),
            }
        }
        Err(unclosed())
    }
}

/// Where the digits of a number end, with its fraction and its exponent.
fn digits_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    if text.starts_with("0x") || text.starts_with("0X") {
        let rest = &bytes[2..];
        return 2 + rest
            .iter()
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count();
    }
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}
