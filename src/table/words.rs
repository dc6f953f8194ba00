//! The words of a line of ARFF, bare or in quotes.

use std::borrow::Cow;

/// The rest of a line, while words and signs are read off its front.
#[derive(Clone, Copy)]
pub(super) struct Words<'a>(pub(super) &'a str);

/// A word, and whether it stood in quotes.
pub(super) struct Word<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) quoted: bool,
}

/// A quotation mark without its partner.
const UNCLOSED: &str =
    "a quotation mark does not close; one that is part of a value has a backslash before it";

impl<'a> Words<'a> {
    /// The rest of the line, without leading spaces; empty if only a comment follows.
    pub(super) fn rest(&mut self) -> &'a str {
        self.0 = self.0.trim_start();
        if self.0.starts_with('%') {
            self.0 = "";
        }
        self.0
    }

    pub(super) fn take(&mut self, sign: char) -> bool {
        let after = self.rest().strip_prefix(sign);
        self.0 = after.unwrap_or(self.0);
        after.is_some()
    }

    /// Reads a word: a quoted one up to its closing quote, a bare one up to a character that
    /// `end` accepts, a comment or the line's end. It may be empty.
    pub(super) fn word(&mut self, end: impl Fn(char) -> bool) -> Result<Word<'a>, &'static str> {
        let rest = self.rest();
        if let Some(quote @ ('"' | '\'')) = rest.chars().next() {
            let text = self.quoted(quote)?;
            return Ok(Word { text, quoted: true });
        }
        let length = rest.find(|c| c == '%' || end(c)).unwrap_or(rest.len());
        self.0 = &rest[length..];
        Ok(Word {
            text: Cow::Borrowed(rest[..length].trim_end()),
            quoted: false,
        })
    }

    /// The text between quotes, in which a backslash makes the next character an ordinary one.
    fn quoted(&mut self, quote: char) -> Result<Cow<'a, str>, &'static str> {
        let inside = &self.0[1..];
        let end = inside.find([quote, '\\']).ok_or(UNCLOSED)?;
        if inside[end..].starts_with(quote) {
            self.0 = &inside[end + 1..];
            return Ok(Cow::Borrowed(&inside[..end]));
        }
        let mut text = String::new();
        let mut characters = inside.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => text.push(match characters.next().ok_or(UNCLOSED)?.1 {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    other => other,
                }),
                _ if character == quote => {
                    self.0 = &inside[at + 1..];
                    return Ok(Cow::Owned(text));
                }
                _ => text.push(character),
            }
        }
        Err(UNCLOSED)
    }
}
