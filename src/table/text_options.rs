//! How delimited text is written, as far as options say it.

use std::fmt;

/// How a file of delimited text is written. What is `None` is found by looking at its first lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TextOptions {
    /// What stands between two fields.
    pub separator: Option<Separator>,
    /// What stands before the decimals of a number.
    pub decimal: Option<DecimalMark>,
    /// How characters are written; `None` for UTF-8, or UTF-16 where a byte order mark says so.
    pub encoding: Option<Encoding>,
    /// Whether the first line is an observation; the columns are then `V1`, `V2`, ….
    pub no_header: bool,
}

/// What stands between two fields of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Separator {
    /// One ASCII character.
    Character(u8),
    /// Spaces and tabs, any number of them.
    Whitespace,
}

/// What stands before the decimals of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DecimalMark {
    /// `0.5`
    Point,
    /// `0,5`
    Comma,
}

/// How characters are written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// UTF-8, of which ASCII is a part.
    Utf8,
    /// UTF-16; little-endian unless a byte order mark says otherwise.
    Utf16,
    /// UTF-16, big-endian.
    Utf16Be,
    /// Windows-1252, of which the printable characters of ISO 8859-1 are a part.
    Latin1,
}

impl Separator {
    pub(crate) const COMMA: Self = Self::Character(b',');
    pub(crate) const SEMICOLON: Self = Self::Character(b';');
    pub(crate) const TAB: Self = Self::Character(b'\t');
    pub(crate) const BAR: Self = Self::Character(b'|');

    /// Reads a separator as a user writes it: one character, or a word. A separator cannot be what
    /// numbers, names or quotes are made of.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        match text {
            "tab" | "\\t" => Some(Self::TAB),
            "comma" => Some(Self::COMMA),
            "semicolon" => Some(Self::SEMICOLON),
            "bar" => Some(Self::BAR),
            "space" | " " => Some(Self::Whitespace),
            _ => match text.as_bytes() {
                [byte] if Self::is_allowed(*byte) => Some(Self::Character(*byte)),
                _ => None,
            },
        }
    }

    fn is_allowed(byte: u8) -> bool {
        byte == b'\t' || byte.is_ascii_punctuation() && !b"\"'.+-_".contains(&byte)
    }

    /// The byte between two fields, once runs of whitespace are one space.
    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Character(byte) => byte,
            Self::Whitespace => b' ',
        }
    }
}

/// As a message calls it.
impl fmt::Display for Separator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whitespace => write!(f, "spaces"),
            Self::Character(b'\t') => write!(f, "tabs"),
            Self::Character(byte) => write!(f, "`{}`", char::from(*byte)),
        }
    }
}

impl Separator {
    /// As the value of `--separator`, for a shell.
    pub(super) fn option(self) -> String {
        match self {
            Self::Whitespace => "space".to_owned(),
            Self::Character(b'\t') => "tab".to_owned(),
            Self::Character(b',') => ",".to_owned(),
            Self::Character(byte) => format!("'{}'", char::from(byte)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_one_character_or_a_word() {
        for (text, separator) in [
            (";", Separator::SEMICOLON),
            (",", Separator::COMMA),
            ("tab", Separator::TAB),
            ("\t", Separator::TAB),
            ("\\t", Separator::TAB),
            ("|", Separator::BAR),
            ("space", Separator::Whitespace),
            (" ", Separator::Whitespace),
            ("~", Separator::Character(b'~')),
        ] {
            assert_eq!(Separator::of_text(text), Some(separator), "{text:?}");
        }
        for text in ["", ";;", "a", "1", "\"", ".", "-", "\n", "§"] {
            assert_eq!(Separator::of_text(text), None, "{text:?}");
        }
    }
}
