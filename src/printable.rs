//! Texts as a terminal or a page may show them. Names of columns, levels and files are data: none of
//! them steers a terminal, turns the order of letters around, or begins a line of its own.

use std::{borrow::Cow, fmt::Write};

/// Returns true if a character is not seen as itself: a control (C0, DEL, C1), a separator of lines, or
/// a mark that reorders, hides or tags the letters beside it. The joiners of Persian and Indic
/// letters, U+200C and U+200D, are part of words.
fn is_unseen(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// A text on one line, with every unseen character as an escape: `\n`, `\u{1b}`, `\u{202e}`.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    replace(text, is_unseen, |page, letter| {
        page.extend(letter.escape_default());
    })
}

/// A text of several lines: as [`printable`], but for the line ends.
pub(crate) fn printable_lines(text: &str) -> Cow<'_, str> {
    let is_unseen = |letter| letter != '\n' && is_unseen(letter);
    replace(text, is_unseen, |page, letter| {
        page.extend(letter.escape_default());
    })
}

/// An error on one line, and below it the place in a formula that it concerns, as
/// [`FormulaError`](crate::formula::FormulaError) shows it.
pub(crate) fn printable_error(text: &str) -> Cow<'_, str> {
    match place_of(text) {
        None => printable(text),
        Some((error, formula, carets)) => {
            let (error, formula) = (printable(error), printable(formula));
            format!("{error}\n{formula}\n{carets}").into()
        }
    }
}

/// An error without the place in a formula that it shows.
pub(crate) fn without_place(text: &str) -> &str {
    place_of(text).map_or(text, |(error, ..)| error)
}

/// An error, the formula below it, and the carets below that; none for any other text. Both are indented, so
/// that no name begins a line of its own.
fn place_of(text: &str) -> Option<(&str, &str, &str)> {
    let (rest, carets) = text.rsplit_once('\n')?;
    let (error, formula) = rest.rsplit_once('\n')?;
    let marks = carets.trim_start_matches(' ');
    let is_place = carets.starts_with("  ")
        && formula.starts_with("  ")
        && !marks.is_empty()
        && marks.bytes().all(|mark| mark == b'^');
    is_place.then_some((error, formula, carets))
}

/// JSON that reads back to the same values, with the unseen characters of its texts as `\u202e`: a reader
/// may look at it on a terminal.
pub(crate) fn printable_json(json: &str) -> Cow<'_, str> {
    // Outside texts JSON has line ends alone; within them it has none.
    let is_unseen = |letter| letter != '\n' && is_unseen(letter);
    replace(json, is_unseen, |page, letter| {
        for unit in letter.encode_utf16(&mut [0; 2]) {
            // Writing to a String cannot fail.
            let _ = write!(page, "\\u{unit:04x}");
        }
    })
}

/// The source of a mistake, in which every character keeps its place: what is unseen becomes `?`, but
/// for the ASCII controls, which the renderer of sources shows.
#[cfg(feature = "program")]
pub(crate) fn printable_source(text: &str) -> Cow<'_, str> {
    let is_unseen = |letter: char| !letter.is_ascii() && is_unseen(letter);
    replace(text, is_unseen, |page, letter| {
        page.extend(std::iter::repeat_n('?', letter.len_utf8()));
    })
}

fn replace(
    text: &str,
    is_replaced: impl Fn(char) -> bool,
    put: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    let Some(first) = text.find(&is_replaced) else {
        return Cow::Borrowed(text);
    };
    let mut page = text[..first].to_owned();
    for letter in text[first..].chars() {
        match is_replaced(letter) {
            true => put(&mut page, letter),
            false => page.push(letter),
        }
    }
    Cow::Owned(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[31m\nb\u{202e}c\u{9b}\u{feff}\u{e0041}\t\r\u{7f}é\u{200d}";

    #[test]
    fn an_error_shows_its_place_in_a_formula() {
        let error = "no variable is called `b\n\u{1b}`\n  y ~ a + b\u{1b}\n          ^^";
        let shown = "no variable is called `b\\n\\u{1b}`\n  y ~ a + b\\u{1b}\n          ^^";
        assert_eq!(printable_error(error), shown);
        assert_eq!(without_place(error), "no variable is called `b\n\u{1b}`");
        for other in [
            "a\nb\n  ^",
            "a\n  b\n^",
            "a\n  b\n  ",
            "a\n  b\n  ^ error",
            "  b\n  ^",
        ] {
            assert_eq!(printable_error(other), printable(other));
            assert_eq!(without_place(other), other);
        }
    }

    #[test]
    fn what_is_unseen_becomes_an_escape() {
        assert_eq!(
            printable(HOSTILE),
            "a\\u{1b}[31m\\nb\\u{202e}c\\u{9b}\\u{feff}\\u{e0041}\\t\\r\\u{7f}é\u{200d}"
        );
        assert_eq!(printable_lines("a\r\nb"), "a\\r\nb");
        assert!(matches!(printable("naïve → 東京"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_reads_back_to_the_same_text() {
        let json = serde_json::to_string_pretty(&[HOSTILE]).unwrap();
        let shown = printable_json(&json);
        assert!(!shown.contains('\u{202e}') && !shown.contains('\u{9b}'));
        assert_eq!(
            serde_json::from_str::<[String; 1]>(&shown).unwrap(),
            [HOSTILE]
        );
    }

    #[cfg(feature = "program")]
    #[test]
    fn a_source_keeps_its_places() {
        let shown = printable_source(HOSTILE);
        assert_eq!(shown.len(), HOSTILE.len());
        assert_eq!(shown.find('é'), HOSTILE.find('é'));
    }
}
