//! Delimited text: any RFC 4180 file, through the `csv` crate.
//!
//! Files of nothing but unquoted numbers are read by [`csv_fast`](super::csv_fast). This reader
//! gives the same result for those, and reports what is wrong with a file.

use super::csv_columns::{Batch, GrowingColumn, Writing};
use super::csv_extent::of_text;
use super::csv_records::{Records, line_of};
use super::error::{Fault, as_given};
use super::field::{self, Field};
use super::format::{Format, Input};
use super::header::{Opening, Rows};
use super::rounded::{RoundedColumn, RoundedColumns};
use super::suspicions::{mostly_numbers, refuse_almost_numbers, unfit};
use super::text_options::Separator;
use super::{Column, Table, TableError, csv_fast, names};
use crate::memory::MemoryCharge;

/// Values read between two looks at the memory of all columns.
const UNCHARGED: usize = 1 << 17;
pub(super) const COMMAS: Format = Format {
    names_response: false,
    header: |input| header(input, Some(Separator::COMMA)),
    estimate: |path, bytes, text| of_text(path, bytes, (Some(Separator::COMMA), text)),
    ..Format::new(&["csv"], |input| read(input, Some(Separator::COMMA)))
};

pub(super) const TABS: Format = Format {
    names_response: false,
    header: |input| header(input, Some(Separator::TAB)),
    estimate: |path, bytes, text| of_text(path, bytes, (Some(Separator::TAB), text)),
    ..Format::new(&["tsv"], |input| read(input, Some(Separator::TAB)))
};

/// Text whose first lines show what separates its columns.
pub(super) const ANY: Format = Format {
    names_response: false,
    header: |input| header(input, None),
    estimate: |path, bytes, text| of_text(path, bytes, (None, text)),
    ..Format::new(&["txt"], |input| read(input, None))
};

fn header(input: &Input, expected: Option<Separator>) -> Result<Option<Table>, TableError> {
    let opening = Opening::of(input, expected)?;
    input.named(opening.names.len(), opening.names.into_iter(), None)
}

fn read(input: &Input, expected: Option<Separator>) -> Result<Table, TableError> {
    let mut opening = Opening::of(input, expected)?;
    let names = opening.names.iter().map(String::as_str);
    names::check_factors(input.path, input.options, names)?;
    let quick = match (input.options.factors, input.options.dates) {
        ([], []) => csv_fast::read(input, &mut opening)?,
        // Their text is wanted, not their numbers.
        _ => None,
    };
    let ((columns, labels), rounded) = match quick {
        Some(read) => (read, Vec::new()),
        None => read_any(input, &mut opening)?,
    };
    let truth = opening.head.truth(input.path, &columns)?;
    let table = Table::new(as_given(input.path), columns, None);
    Ok(Table {
        truth,
        labels,
        rounded,
        warnings: opening.warnings,
        ..table
    })
}

/// Reads the rows of a file; columns that options name as factors or dates become factors whatever
/// they hold.
fn read_any(
    input: &Input,
    opening: &mut Opening,
) -> Result<(Rows, Vec<RoundedColumn>), TableError> {
    let path = input.path;
    let source = match opening.source.take() {
        Some(source) => source,
        None => {
            let mut source = opening.reopen(input)?;
            source.skip(opening.header_bytes)?;
            source
        }
    };
    // The quick reader may have taken memory before it gave up.
    opening.charge(input, 0)?;
    let names = &opening.names;
    let as_text = |name: &String| input.options.reads_text(name);
    let offers_factor = !input.options.has_kinds;
    let columns = names.iter().map(|name| GrowingColumn::new(as_text(name)));
    let mut columns: Vec<GrowingColumn> = columns.collect();
    let writing = Writing {
        decimal: opening.dialect.decimal,
        missing: input.options.missing,
    };
    let record_memory = input.options.memory.map(MemoryCharge::beside);
    let mut records = Records::new(source, input, opening, record_memory.as_ref());
    let skipped = records.skipped();
    let (mut batch, mut charged) = (Batch::default(), 0);
    loop {
        let goes_on = records.next(&mut batch);
        if batch.is_full() || !matches!(goes_on, Ok(true)) {
            // What is wrong with the rows before is told first.
            if let Some((row, start, at)) = batch.append_to(&mut columns, skipped, &writing) {
                let fault = match str::from_utf8(batch.field(row, skipped + at)) {
                    Ok(text) => Fault::in_row(row, unfit(text, &names[at], "", offers_factor)),
                    Err(_) => field::not_utf8(row, skipped + at + 1),
                };
                return Err(records.fault(fault, start));
            }
            batch.clear();
        }
        if !goes_on? {
            break;
        }
        let cells = records.rows * opening.width();
        if cells >= charged + UNCHARGED {
            charged = cells;
            opening.charge(input, bytes_of(&columns) + records.label_bytes)?;
        }
    }
    records.check_end()?;
    if records.rows == 0 {
        return Err(TableError::no_rows(path));
    }
    opening.charge(input, bytes_of(&columns) + records.label_bytes)?;
    let mut rounded = RoundedColumns::default();
    let found = columns.iter_mut().enumerate();
    let found = found.filter_map(|(at, column)| Some((at, column.rounded.take()?)));
    let mut found: Vec<_> = found.collect();
    // The first of the file is told.
    found.sort_by_key(|(position, (row, ..))| (*row, *position));
    for (position, (row, start, number)) in found {
        let line = line_of(input, opening, start)?;
        rounded.add(position, Some(line), row, number);
    }
    let first_texts = columns.iter().map(|column| column.first_text);
    let first_texts: Vec<Option<(usize, u64)>> = first_texts.collect();
    let columns = columns.into_iter().map(GrowingColumn::finish);
    let columns: Vec<Column> = names
        .iter()
        .cloned()
        .zip(columns)
        .map(Column::from)
        .collect();
    let guessed = columns.iter().filter(|column| !as_text(&column.name));
    refuse_almost_numbers(path, guessed, offers_factor)?;
    let is_number = |level: &str| matches!(writing.classify(level.as_bytes()), Field::Number(_));
    for (column, first) in columns.iter().zip(first_texts) {
        if let Some((row, start)) = first
            && let Some(message) = mostly_numbers(column, row, is_number, offers_factor)
        {
            let line = line_of(input, opening, start)?;
            return Err(Fault::in_row(row, message).at(path, Some(line)));
        }
    }
    Ok(((columns, records.labels), rounded.0))
}

fn bytes_of(columns: &[GrowingColumn]) -> usize {
    columns.iter().map(GrowingColumn::bytes).sum()
}
