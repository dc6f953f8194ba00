//! What a closure is given has a name that says what it is: nothing is called `it`.

use crate::{all_sources, has_word};

/// How many bytes of a text are the comment, string, letter or lifetime that it begins with.
fn aside(text: &str) -> usize {
    let through = |from: usize, end: &str| {
        let found = text[from..].find(end);
        found.map_or(text.len(), |at| from + at + end.len())
    };
    let quoted = |quote: char| {
        let mut escaped = false;
        let end = text[1..].find(|letter: char| {
            let ends = letter == quote && !escaped;
            escaped = letter == '\\' && !escaped;
            ends
        });
        end.map_or(text.len(), |at| at + 2)
    };
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some('/'), Some('/')) => text.find('\n').unwrap_or(text.len()),
        (Some('/'), Some('*')) => block(text.as_bytes()),
        (Some('"'), _) => quoted('"'),
        (Some('\''), Some('\\')) => quoted('\''),
        (Some('\''), Some(letter)) => {
            let one = 1 + letter.len_utf8();
            let part = |c: char| c.is_alphanumeric() || c == '_';
            match text[one..].starts_with('\'') {
                true => one + 1,
                false => text.len() - text[1..].trim_start_matches(part).len(),
            }
        }
        (Some('r'), Some('#' | '"')) => {
            let quoted = text[1..].trim_start_matches('#');
            let hashes = &text[1..text.len() - quoted.len()];
            match quoted.starts_with('"') {
                true => through(2 + hashes.len(), &format!("\"{hashes}")),
                // A name, whatever the language means by the word.
                false => 0,
            }
        }
        _ => 0,
    }
}

/// The length of a comment that may hold others.
fn block(text: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    loop {
        match text.get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") if depth == 1 => return at + 2,
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            Some(_) => at += 1,
            None => return text.len(),
        }
    }
}

/// The lines, from 1, in which something is called so.
fn lines_that_name(text: &str, name: &str) -> Vec<usize> {
    let (mut code, mut rest) = (String::new(), text);
    while let Some(letter) = rest.chars().next() {
        let (said, after) = rest.split_at(aside(rest));
        if said.is_empty() {
            code.push(letter);
            rest = &rest[letter.len_utf8()..];
        } else {
            // Lines keep their numbers.
            code.push(' ');
            code.extend(said.chars().filter(|letter| *letter == '\n'));
            rest = after;
        }
    }
    let lines = code.lines().zip(1..);
    let named = lines.filter(|(line, _)| has_word(line, name));
    named.map(|(_, number)| number).collect()
}

#[test]
fn nothing_is_called_it() {
    let mut found = Vec::new();
    for (path, text) in all_sources() {
        let lines = lines_that_name(&text, "it");
        found.extend(
            lines
                .iter()
                .map(|line| format!("{}:{line}", path.display())),
        );
    }
    assert!(
        found.is_empty(),
        "a closure's parameter is named for what it is, not `it`: {found:#?}"
    );
}

#[test]
fn names_are_found_in_code_alone() {
    let text = r##"
        all.map(|it| it.name); // it
        let (quote, slash, tick) = ('"', '\\', '\''); let it = 1;
        /* it /* it */ it
        it */ fn lives<'it>(text: &'it str) {}
        let bare = b"it \" it"; let more = "// it \\"; for it in all {}
        let raw = (r"it \", br#"it " it"#, r"//"); Some(it)
        let more = "it
        it"; let r#it = item.bit;
        let letters = ['i', 'é', 't'];
    "##;
    assert_eq!(lines_that_name(text, "it"), [2, 3, 6, 7, 9]);
}
