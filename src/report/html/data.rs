//! The numbers and texts of a page, as it shows them and as a file of them.

use std::fmt::Write;

use super::{
    super::{field, text},
    page::escaped,
};

/// Rows of texts under names: what a figure shows.
#[derive(Debug, Clone, Default)]
pub(super) struct Data {
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// One field of a table.
#[derive(Debug, Clone)]
pub(super) enum Cell {
    Text(String),
    /// A number, absent or not, and how it is shown.
    Number(Option<f64>, String),
    /// A text that leads to a file beside the page.
    Link(String, String),
    /// A text, and how it is shown, shorter.
    Short(String, String),
}

impl Cell {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// To so many significant digits.
    pub(super) fn number(number: Option<f64>, digits: usize) -> Self {
        let shown = number.map_or_else(|| "–".to_owned(), |it| text::significant(it, digits));
        Self::Number(number, shown)
    }

    pub(super) fn count(count: usize) -> Self {
        Self::Number(Some(count as f64), count.to_string())
    }

    pub(super) fn p_value(p: Option<f64>) -> Self {
        Self::Number(p, p.map_or_else(|| "–".to_owned(), text::p_value))
    }

    pub(super) fn raw(&self) -> String {
        match self {
            Self::Text(text) | Self::Link(text, _) | Self::Short(text, _) => text.clone(),
            Self::Number(number, _) => number.map_or_else(String::new, raw),
        }
    }
}

/// The shortest text that reads back to the number.
pub(super) fn raw(number: f64) -> String {
    match number.fract() == 0.0 && number.abs() < 1e15 {
        true => format!("{number}"),
        false => format!("{number:?}"),
    }
}

impl Data {
    pub(super) fn of(names: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Self {
        Self {
            names: names.iter().map(|it| (*it).to_owned()).collect(),
            rows: rows.collect(),
        }
    }

    /// A link by which the browser saves it as a file, without a server.
    pub(super) fn link(&self, title: &str) -> String {
        let mut href = String::from("data:text/csv;charset=utf-8,");
        for row in [&self.names].into_iter().chain(&self.rows) {
            for (at, value) in row.iter().enumerate() {
                href += if at == 0 { "" } else { "," };
                encoded(&mut href, &field(value));
            }
            href += "%0A";
        }
        let name: String = title
            .chars()
            .map(|it| match it.is_ascii_alphanumeric() {
                true => it.to_ascii_lowercase(),
                false => '-',
            })
            .collect();
        format!(
            "<a class=\"csv\" download=\"{name}.csv\" href=\"{href}\" title=\"the data of: {}\">CSV</a>",
            escaped(title)
        )
    }
}

/// What may stand in a link as it is does; the rest by its bytes.
pub(super) fn encoded(href: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => href.push(char::from(byte)),
            b'-' | b'.' | b'_' | b'~' | b',' | b':' | b'=' | b'+' | b'*' | b'(' | b')' => {
                href.push(char::from(byte));
            }
            _ => {
                // Writing to a String cannot fail.
                let _ = write!(href, "%{byte:02X}");
            }
        }
    }
}
