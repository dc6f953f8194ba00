//! The files of Weka: a header that declares the attributes, then their values, row by row.

use std::collections::HashMap;
use std::path::Path;

use super::error::{ValueFault, shown};
use super::factor::factor;
use super::field::{Field, classify};
use super::format::{Content, Format, estimate_text};
use super::lines::Lines;
use super::rows::RowBuffer;
use super::words::{Unclosed, Word, Words};
use super::{Column, ColumnPartition, MISSING, ReadOptions, TableError, Values};
use crate::nearest::{did_you_mean, nearest};

/// The format `.arff`.
pub(super) const FORMAT: Format = Format {
    extensions: &["arff"],
    gzip: true,
    companions: &[],
    read,
    estimate: estimate_text,
};

/// Errors of a line of an ARFF file.
#[derive(Debug, thiserror::Error)]
enum ArffError {
    #[error("not UTF-8; save the file as UTF-8")]
    NotUtf8,
    #[error(
        "{} should be `@relation NAME`, `@attribute NAME TYPE` or `@data`",
        shown(text)
    )]
    Header { text: String },
    #[error("the file ends where `@data` should be")]
    NoData,
    #[error("no attribute is declared above `@data`")]
    NoAttributes,
    #[error(
        "the attribute `{name}` has no type: write numeric behind its name, or its values as \
         {{a, b}}"
    )]
    NoType { name: String },
    #[error(
        "the attribute `{name}` is of type {}, and only numeric ones and lists {{a, b}} are read: \
         leave it out, or declare it as one of those",
        shown(kind)
    )]
    Type { name: String, kind: String },
    #[error("the values of the attribute `{name}` are {{a, b, …}} on one line, none of them empty")]
    List { name: String },
    #[error(
        "the attribute `{name}` declares {} twice; leave one out",
        shown(value)
    )]
    Twice { name: String, value: String },
    #[error("{} stands where the line should end", shown(text))]
    Behind { text: String },
    #[error(
        "a quotation mark does not close; one that is part of a value has a backslash before it"
    )]
    Unclosed,
    #[error(
        "row {row}: {} is no declared value of the attribute `{name}`{}; mend it, or add it to \
         the list behind @attribute",
        shown(value),
        did_you_mean(nearest)
    )]
    Undeclared {
        row: usize,
        name: String,
        value: String,
        nearest: Option<String>,
    },
    #[error(
        "row {row}: {} should be `INDEX VALUE`, the indexes of a row ascending from 0 to {last}",
        shown(text)
    )]
    Entry {
        row: usize,
        text: String,
        last: usize,
    },
}

/// An error that still lacks the file and the line.
type LineError = Box<dyn FnOnce(String, u64) -> TableError>;

impl From<ArffError> for LineError {
    fn from(source: ArffError) -> Self {
        Box::new(|path, line| TableError::Format {
            path,
            line: Some(line),
            source: Box::new(source),
        })
    }
}

impl From<Unclosed> for LineError {
    fn from(_: Unclosed) -> Self {
        ArffError::Unclosed.into()
    }
}

/// The declaration of a column.
struct Attribute {
    name: String,
    /// The listed values with their positions in the list; `None` of a numeric attribute.
    values: Option<HashMap<String, u32>>,
}

/// Reads numeric attributes as numbers, those with listed values as factors of the levels
/// that occur. Sparse rows are filled up: with 0, or the value that is declared first.
///
/// # Errors
/// The first line that is not as it should be.
fn read(file: &Path, options: &ReadOptions, _: &ColumnPartition) -> Result<Content, TableError> {
    let mut lines = Lines::open(file)?;
    let mut attributes = Vec::new();
    let mut rows = None;
    while lines.advance()? {
        let done = match str::from_utf8(&lines.text) {
            Err(_) => Err(ArffError::NotUtf8.into()),
            Ok(text) => match &mut rows {
                None => header(text, &mut attributes).map(|ended| {
                    rows = ended.then(|| RowBuffer::new(attributes.len()));
                }),
                Some(rows) => row(text, &attributes, rows),
            },
        };
        done.map_err(|error| error(lines.shown(), lines.number))?;
    }
    let path = lines.shown();
    match rows {
        None if lines.number == 0 => Err(TableError::Empty { path }),
        None => Err(lines.error(ArffError::NoData)),
        Some(rows) if rows.count() == 0 => Err(TableError::NoRows { path }),
        Some(rows) => {
            let columns = attributes.into_iter().zip(rows.into_columns());
            let columns = columns.map(|(attribute, values)| attribute.column(values));
            let columns: Vec<Column> = columns.collect();
            // The last attribute is the class.
            let response = columns.len() - 1;
            Content::new(file, options, columns, Some(response))
        }
    }
}

/// Reads a line above the values; whether it is the last.
fn header(text: &str, attributes: &mut Vec<Attribute>) -> Result<bool, LineError> {
    let mut words = Words::new(text.trim_start_matches('\u{feff}'));
    if words.rest().is_empty() {
        return Ok(false);
    }
    let text = words.rest().trim_end().to_owned();
    let word = words.word(char::is_whitespace)?;
    match &*word.text.to_ascii_lowercase() {
        // Its name is nobody's.
        "@relation" => return Ok(false),
        "@attribute" => attributes.push(Attribute::declared(&mut words, attributes.len())?),
        "@data" if attributes.is_empty() => return Err(ArffError::NoAttributes.into()),
        "@data" => {}
        _ => return Err(ArffError::Header { text }.into()),
    }
    end(&mut words)?;
    Ok(word.text.eq_ignore_ascii_case("@data"))
}

/// Refuses more text.
fn end(words: &mut Words) -> Result<(), LineError> {
    match words.rest() {
        "" => Ok(()),
        rest => {
            let text = rest.trim_end().to_owned();
            Err(ArffError::Behind { text }.into())
        }
    }
}

impl Attribute {
    /// Reads a declaration after `@attribute`; `before` attributes precede it.
    fn declared(words: &mut Words, before: usize) -> Result<Self, LineError> {
        let name = words.word(|c| c.is_whitespace() || c == '{')?;
        let name = name.text.trim().to_owned();
        if name.is_empty() {
            return Err(Box::new(move |path, line| TableError::NoName {
                path,
                line,
                column: before + 1,
            }));
        }
        if words.take('{') {
            let values = Some(listed(words, &name)?);
            return Ok(Self { name, values });
        }
        let kind = words.word(char::is_whitespace)?.text;
        match &*kind.to_ascii_lowercase() {
            "numeric" | "real" | "integer" => Ok(Self { name, values: None }),
            "" => Err(ArffError::NoType { name }.into()),
            _ => {
                let kind = kind.into_owned();
                Err(ArffError::Type { name, kind }.into())
            }
        }
    }

    /// The number or the code of a value as declared, NaN of a missing one.
    fn value(&self, word: &Word, row: usize) -> Result<f64, LineError> {
        if word.text == "?" && !word.quoted {
            return Ok(f64::NAN);
        }
        let known = match &self.values {
            Some(values) => values.get(&*word.text).map(|code| f64::from(*code)),
            None => match classify(word.text.as_bytes()) {
                Field::Number(value) => Some(value),
                Field::Missing => Some(f64::NAN),
                Field::Infinite | Field::Text => None,
            },
        };
        known.ok_or_else(|| self.wrong(word, row))
    }

    /// The error for a value that the attribute does not have.
    fn wrong(&self, word: &Word, row: usize) -> LineError {
        let (text, column) = (word.text.to_string(), self.name.clone());
        let Some(values) = &self.values else {
            let fault = match classify(word.text.as_bytes()) {
                Field::Infinite => ValueFault::Infinite,
                _ => ValueFault::NoNumber,
            };
            return Box::new(move |path, line| TableError::Value {
                path,
                line,
                row,
                column,
                text,
                fault,
            });
        };
        let mut declared: Vec<&str> = values.keys().map(String::as_str).collect();
        declared.sort_unstable();
        ArffError::Undeclared {
            row,
            nearest: nearest(&text, declared).map(str::to_owned),
            name: column,
            value: text,
        }
        .into()
    }

    /// The column of its values: a factor has the levels that occur, in bytewise order.
    fn column(self, numbers: Vec<f64>) -> Column {
        let name = self.name;
        let Some(values) = self.values else {
            let values = Values::Numbers(numbers);
            return Column { name, values };
        };
        let code = |number: &f64| {
            if number.is_nan() {
                MISSING
            } else {
                *number as u32
            }
        };
        let values = factor(values, numbers.iter().map(code).collect());
        Column { name, values }
    }
}

/// The values of a list, up to its closing brace.
fn listed(words: &mut Words, name: &str) -> Result<HashMap<String, u32>, LineError> {
    let name = || name.to_owned();
    let mut values = HashMap::new();
    loop {
        let word = words.word(|c| matches!(c, ',' | '}'))?;
        let closed = words.take('}');
        if word.text.is_empty() && !word.quoted || !closed && !words.take(',') {
            return Err(ArffError::List { name: name() }.into());
        }
        let value = word.text.into_owned();
        let place = values.len() as u32;
        if values.insert(value.clone(), place).is_some() {
            let name = name();
            return Err(ArffError::Twice { name, value }.into());
        }
        if closed {
            return Ok(values);
        }
    }
}

/// Appends the values of a line.
fn row(text: &str, attributes: &[Attribute], rows: &mut RowBuffer) -> Result<(), LineError> {
    let mut words = Words::new(text);
    let row = rows.count() + 1;
    if words.rest().is_empty() {
        return Ok(());
    }
    if words.take('{') {
        return sparse_row(words, attributes, row, rows);
    }
    let expected = attributes.len();
    let mut found = 0;
    loop {
        let word = words.word(|c| c == ',')?;
        if let Some(attribute) = attributes.get(found) {
            rows.push(attribute.value(&word, row)?);
        }
        found += 1;
        if !words.take(',') {
            break;
        }
    }
    end(&mut words)?;
    if found == expected {
        return Ok(());
    }
    Err(Box::new(move |path, line| TableError::Ragged {
        path,
        line,
        row,
        found,
        expected,
    }))
}

/// Appends the values of a line `{INDEX VALUE, …}` whose opening brace was read.
fn sparse_row(
    mut words: Words,
    attributes: &[Attribute],
    row: usize,
    rows: &mut RowBuffer,
) -> Result<(), LineError> {
    // The first declared value has code 0: either kind is filled up with it.
    let mut next = 0;
    let mut more = !words.take('}');
    while more {
        let (rest, last) = (words.rest(), attributes.len() - 1);
        // Made for an error alone: the rest of the line for every entry would be its square.
        let entry = || {
            let text = rest.trim_end().to_owned();
            ArffError::Entry { row, text, last }
        };
        let index = words.word(|c| c.is_whitespace() || matches!(c, ',' | '}'))?;
        let index = index.text.parse().ok().filter(|index| *index >= next);
        let Some((index, attribute)) = index.and_then(|at| Some((at, attributes.get(at)?))) else {
            return Err(entry().into());
        };
        let value = words.word(|c| matches!(c, ',' | '}'))?;
        if value.text.is_empty() && !value.quoted {
            return Err(entry().into());
        }
        (next..index).for_each(|_| rows.push(0.0));
        rows.push(attribute.value(&value, row)?);
        next = index + 1;
        more = words.take(',');
        if !more && !words.take('}') {
            return Err(entry().into());
        }
    }
    (next..attributes.len()).for_each(|_| rows.push(0.0));
    end(&mut words)
}
