//! The files of Weka: a header that declares the attributes, then their values, row by row.

use std::collections::HashMap;

use super::error::{Fault, NOT_UTF8, shown};
use super::extent::of_arff;
use super::factor::factor;
use super::field;
use super::format::{Format, Input};
use super::growing::{COLUMNS, PER_COLUMN};
use super::lines::Lines;
use super::rows::RowBuffer;
use super::words::{Word, Words};
use super::{Column, MISSING, Numbers, Table, TableError, Values, names};
use crate::nearest::did_you_mean;

pub(super) const FORMAT: Format = Format {
    header: attributes,
    estimate: |path, bytes, _| of_arff(path, bytes),
    ..Format::new(&["arff"], read)
};

struct Attribute {
    name: String,
    /// The listed values with their positions in the list; `None` of a numeric attribute.
    values: Option<HashMap<String, u32>>,
}

/// The attributes as columns without values.
fn attributes(input: &Input) -> Result<Option<Table>, TableError> {
    let mut lines = Lines::open(input.path, input.options)?;
    let mut attributes = Vec::new();
    while lines.advance()? {
        let text = str::from_utf8(&lines.text).map_err(|_| lines.error(NOT_UTF8))?;
        if header(text, &mut attributes).map_err(|fault| lines.error(fault))? {
            let names = attributes.into_iter().map(|attribute| attribute.name);
            let columns = names.map(|name| Column::from((name, Values::Remote)));
            let columns: Vec<Column> = columns.collect();
            let response = columns.len() - 1;
            return input.table(columns, Some(response)).map(Some);
        }
    }
    Err(lines.error("the file ends where `@data` should be"))
}

/// Reads numeric attributes as numbers, those with listed values as factors of the levels
/// that occur. Sparse rows are filled up: with 0, or the value that is declared first.
fn read(input: &Input) -> Result<Table, TableError> {
    let mut lines = Lines::open(input.path, input.options)?;
    let mut attributes = Vec::new();
    let mut rows = None;
    while lines.advance()? {
        let done = match str::from_utf8(&lines.text) {
            Err(_) => Err(NOT_UTF8.into()),
            Ok(text) => match &mut rows {
                None => header(text, &mut attributes).map(|ended| {
                    rows = ended.then(|| RowBuffer::new(attributes.len(), input.options.memory));
                }),
                Some(rows) => row(text, &attributes, rows),
            },
        };
        done.map_err(|fault: Fault| lines.error(fault))?;
        match &mut rows {
            // A name, and the values that are listed.
            None if lines.text.trim_ascii().is_empty() => {}
            None => lines.hold(PER_COLUMN + 8 * lines.text.len(), COLUMNS)?,
            Some(rows) => rows.check().map_err(|error| input.refused(error))?,
        }
    }
    let rows = match rows {
        None if lines.number > 0 => {
            return Err(lines.error("the file ends where `@data` should be"));
        }
        Some(rows) if rows.count() > 0 => rows,
        _ => {
            return Err(lines.no_rows(
                "`@relation`, a line `@attribute NAME TYPE` for each column, and `@data`",
            ));
        }
    };
    let values = rows.into_columns();
    let values = values.map_err(|error| input.refused(error))?;
    let columns = attributes.into_iter().zip(values);
    let columns = columns.map(|(attribute, values)| attribute.column(values));
    let columns: Vec<Column> = columns.collect();
    // The last attribute is the class.
    let response = columns.len() - 1;
    input.table(columns, Some(response))
}

/// Reads a line above the values; whether it is the last.
fn header(text: &str, attributes: &mut Vec<Attribute>) -> Result<bool, Fault> {
    let mut words = Words(text.trim_start_matches('\u{feff}'));
    let text = words.rest().trim_end().to_owned();
    if text.is_empty() {
        return Ok(false);
    }
    let word = words.word(char::is_whitespace)?;
    let keyword = word.text.to_ascii_lowercase();
    match &*keyword {
        // Its name is nobody's.
        "@relation" => return Ok(false),
        "@attribute" => attributes.push(Attribute::declared(&mut words, attributes.len())?),
        "@data" if attributes.is_empty() => {
            return Err("no attribute is declared above `@data`".into());
        }
        "@data" => {}
        _ => {
            let expected = "`@relation NAME`, `@attribute NAME TYPE` or `@data`";
            return Err(format!("{} should be {expected}", shown(&text)).into());
        }
    }
    end(&mut words)?;
    Ok(keyword == "@data")
}

/// Refuses more text.
fn end(words: &mut Words) -> Result<(), String> {
    match words.rest().trim_end() {
        "" => Ok(()),
        rest => Err(format!("{} stands where the line should end", shown(rest))),
    }
}

impl Attribute {
    /// Reads a declaration after `@attribute`; `before` attributes precede it.
    fn declared(words: &mut Words, before: usize) -> Result<Self, String> {
        let name = words.word(|c| c.is_whitespace() || c == '{')?;
        let name = name.text.trim().to_owned();
        if name.is_empty() {
            return Err(names::unnamed(before));
        }
        if words.take('{') {
            let values = Some(listed(words, &name)?);
            return Ok(Self { name, values });
        }
        let kind = words.word(char::is_whitespace)?.text;
        match &*kind.to_ascii_lowercase() {
            "numeric" | "real" | "integer" => Ok(Self { name, values: None }),
            "" => Err(format!(
                "the attribute `{name}` has no type: write numeric behind its name, or its values \
                 as {{a, b}}"
            )),
            _ => Err(format!(
                "the attribute `{name}` is of type {}, and only numeric ones and lists {{a, b}} \
                 are read: leave it out, or declare it as one of those",
                shown(&kind)
            )),
        }
    }

    /// The number or the code of a value as declared, NaN of a missing one.
    fn value(&self, word: &Word, row: usize) -> Result<f64, Fault> {
        if word.text == "?" && !word.quoted {
            return Ok(f64::NAN);
        }
        let name = &self.name;
        let Some(values) = &self.values else {
            let number = field::number(word.text.as_bytes(), name);
            return number.map_err(|message| Fault::in_row(row, message));
        };
        let known = values.get(&*word.text).map(|code| f64::from(*code));
        known.ok_or_else(|| {
            let mut declared: Vec<&str> = values.keys().map(String::as_str).collect();
            declared.sort_unstable();
            let (value, hint) = (shown(&word.text), did_you_mean(&word.text, declared));
            let message = format!(
                "row {row}: {value} is no declared value of the attribute `{name}`{hint}; mend \
                 it, or add it to the list behind @attribute"
            );
            message.into()
        })
    }

    /// The column of its values: a factor has the levels that occur, in the order of every factor.
    fn column(self, numbers: Numbers) -> Column {
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
fn listed(words: &mut Words, name: &str) -> Result<HashMap<String, u32>, String> {
    let mut values = HashMap::new();
    loop {
        let word = words.word(|c| matches!(c, ',' | '}'))?;
        let closed = words.take('}');
        if word.text.is_empty() && !word.quoted || !closed && !words.take(',') {
            return Err(format!(
                "the values of the attribute `{name}` are {{a, b, …}} on one line, none of them \
                 empty"
            ));
        }
        let place = values.len() as u32;
        if values.insert(word.text.to_string(), place).is_some() {
            let value = shown(&word.text);
            return Err(format!(
                "the attribute `{name}` declares {value} twice; leave one out"
            ));
        }
        if closed {
            return Ok(values);
        }
    }
}

fn row(text: &str, attributes: &[Attribute], rows: &mut RowBuffer) -> Result<(), Fault> {
    let mut words = Words(text);
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
    match found == expected {
        true => Ok(()),
        false => Err(Fault::ragged(row, found, expected)),
    }
}

/// Appends the values of a line `{INDEX VALUE, …}` whose opening brace was read.
fn sparse_row(
    mut words: Words,
    attributes: &[Attribute],
    row: usize,
    rows: &mut RowBuffer,
) -> Result<(), Fault> {
    // The first declared value has code 0: either kind is filled up with it.
    let mut next = 0;
    let mut more = !words.take('}');
    while more {
        let (rest, last) = (words.rest(), attributes.len() - 1);
        // Made for an error alone: the rest of the line for every entry would be its square.
        let wrong = || {
            let text = shown(rest.trim_end());
            let expected = format!("the indexes of a row ascending from 0 to {last}");
            Fault::from(format!(
                "row {row}: {text} should be `INDEX VALUE`, {expected}"
            ))
        };
        let index = words.word(|c| c.is_whitespace() || matches!(c, ',' | '}'))?;
        let index = index.text.parse().ok().filter(|index| *index >= next);
        let Some((index, attribute)) = index.and_then(|at| Some((at, attributes.get(at)?))) else {
            return Err(wrong());
        };
        let value = words.word(|c| matches!(c, ',' | '}'))?;
        if value.text.is_empty() && !value.quoted {
            return Err(wrong());
        }
        (next..index).for_each(|_| rows.push(0.0));
        rows.push(attribute.value(&value, row)?);
        next = index + 1;
        more = words.take(',');
        if !more && !words.take('}') {
            return Err(wrong());
        }
    }
    (next..attributes.len()).for_each(|_| rows.push(0.0));
    Ok(end(&mut words)?)
}
