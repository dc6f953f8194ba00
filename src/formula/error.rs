//! The error of formulas: a fault with its place, shown below the formula.

use std::fmt;
use std::ops::Range;

use super::fault::Fault;

/// Where something stands in the text of a formula, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
}

impl Span {
    /// From where one span starts to where another ends.
    pub(super) fn to(self, other: Self) -> Self {
        Self {
            start: self.start,
            end: other.end,
        }
    }

    /// A fault at this place.
    pub(super) fn fault(self, fault: Fault) -> Located {
        Located {
            span: self,
            fault: Box::new(fault),
        }
    }
}

/// A fault with its place, before it is joined with the text of the formula.
#[derive(Debug, Clone)]
pub(super) struct Located {
    pub(super) span: Span,
    pub(super) fault: Box<Fault>,
}

impl Located {
    pub(super) fn in_text(self, text: &str) -> FormulaError {
        FormulaError(Box::new(Details {
            text: text.to_owned(),
            span: self.span,
            fault: *self.fault,
        }))
    }
}

/// What is wrong with a formula, or with data for it, and where.
///
/// Its text is the fault, then the formula on one line, then carets below the place.
#[derive(Clone, PartialEq)]
pub struct FormulaError(Box<Details>);

#[derive(Clone, PartialEq)]
struct Details {
    text: String,
    span: Span,
    fault: Fault,
}

impl FormulaError {
    /// What is wrong.
    pub fn fault(&self) -> &Fault {
        &self.0.fault
    }

    /// The place in [`text`](Self::text), in bytes.
    pub fn span(&self) -> Range<usize> {
        self.0.span.start..self.0.span.end
    }

    /// The formula.
    pub fn text(&self) -> &str {
        &self.0.text
    }
}

impl std::error::Error for FormulaError {}

impl fmt::Debug for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Characters shown before and behind the place; a longer formula is cut there.
const CONTEXT: usize = 60;

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { text, span, fault } = &*self.0;
        let start = character_start(text, span.start);
        let end = character_start(text, span.end).max(start);
        let (before, rest) = text.split_at(start);
        let (place, behind) = rest.split_at(end - start);
        let mut line = String::new();
        let cut = before.char_indices().rev().nth(CONTEXT);
        if let Some((at, _)) = cut {
            line.push('…');
            line.extend(before[at..].chars().skip(1));
        } else {
            line.push_str(before);
        }
        let indent = width(&line);
        let shown: String = place.chars().take(2 * CONTEXT).collect();
        let carets = width(&shown).max(1);
        line.push_str(&shown);
        if shown.len() < place.len() {
            line.push('…');
        } else {
            line.extend(behind.chars().take(CONTEXT));
            if behind.chars().nth(CONTEXT).is_some() {
                line.push('…');
            }
        }
        let line: String = line.chars().map(printable).collect();
        writeln!(f, "{fault}")?;
        writeln!(f, "  {}", line.trim_end())?;
        write!(f, "  {:indent$}{:^<carets$}", "", "")
    }
}

/// Where the character begins that a byte is part of; the text's end if it is beyond.
fn character_start(text: &str, byte: usize) -> usize {
    let mut places = (0..=byte.min(text.len())).rev();
    places
        .find(|place| text.is_char_boundary(*place))
        .unwrap_or(0)
}

/// A line break or a tab would move the carets.
fn printable(character: char) -> char {
    match character.is_control() {
        true => ' ',
        false => character,
    }
}

/// Columns that a text takes in a terminal.
fn width(text: &str) -> usize {
    text.chars().map(character_width).sum()
}

/// Marks that join the letter before them take no column, East Asian letters two.
fn character_width(character: char) -> usize {
    match u32::from(character) {
        0x300..=0x36F | 0x200B..=0x200F | 0xFE00..=0xFE0F => 0,
        0x1100..=0x115F
        | 0x2E80..=0xA4CF
        | 0xAC00..=0xD7A3
        | 0xF900..=0xFAFF
        | 0xFE30..=0xFE6F
        | 0xFF00..=0xFF60
        | 0xFFE0..=0xFFE6
        | 0x1F300..=0x1FAFF
        | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}
