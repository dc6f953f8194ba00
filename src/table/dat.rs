//! The simulated sets of the original PaSS program.
//!
//! `#` lines, the set's name, `n p`, a line `*` with a mark 0 or 1 for each variable (1: it is
//! in the model that made the data), then n lines of the response and p values.

use std::path::Path;

use super::error::{Fault, shown_bytes};
use super::extent::Extent;
use super::field;
use super::format::{Format, Input};
use super::growing::{COLUMNS, PER_COLUMN};
use super::lines::Lines;
use super::rows::RowBuffer;
use super::{ReadOptions, Table, TableError, names};

pub(super) const FORMAT: Format = Format {
    header,
    estimate: |path, bytes, _| estimate(path, bytes),
    ..Format::new(&["dat"], read)
};

/// The sizes that the file promises and need not hold.
fn estimate(path: &Path, bytes: u64) -> Option<Extent> {
    let mut lines = Lines::open(path, &ReadOptions::default()).ok()?;
    let (rows, variables) = lines.opening().ok()?;
    let (rows, columns) = (rows as u64, (variables as u64).saturating_add(1));
    // A value takes two bytes, and a byte packed stands for a thousand at most.
    let is_possible = rows.saturating_mul(columns) <= bytes.saturating_mul(550);
    is_possible.then(|| Extent::dense(rows, columns, 8))
}

fn header(input: &Input) -> Result<Option<Table>, TableError> {
    let mut lines = Lines::open(input.path, input.options)?;
    let (_, variables) = lines.opening()?;
    input.named(variables, names::numbered(variables), Some(0))
}

/// Reads the set as columns `y`, `x0`, `x1`, …, and the positions of those marked as true.
fn read(input: &Input) -> Result<Table, TableError> {
    let mut lines = Lines::open(input.path, input.options)?;
    let (promised, variables) = lines.opening()?;
    lines.need("the line `*` of marks")?;
    let truth = lines.marks(variables)?;

    input.hold(variables * PER_COLUMN, COLUMNS)?;
    let names: Vec<String> = names::numbered(variables).collect();
    let mut rows = RowBuffer::new(names.len(), input.options.memory);
    while lines.advance()? {
        // Blank lines at the end are no rows; within, the rows' count tells of them.
        if lines.text.trim_ascii().is_empty() {
            continue;
        }
        if rows.count() == promised {
            return Err(lines.error(format!("a row beyond the n = {promised} promised")));
        }
        let row = lines.row(&names, &mut rows);
        row.map_err(|fault| lines.error(fault))?;
        rows.check().map_err(|error| input.refused(error))?;
    }
    let found = rows.count();
    if found < promised {
        let message = format!("the file ends after {found} rows, but n = {promised}");
        return Err(lines.error(message));
    }
    let columns = rows.into_named(names);
    let columns = columns.map_err(|error| input.refused(error))?;
    let table = input.table(columns, Some(0))?;
    Ok(Table { truth, ..table })
}

impl Lines<'_> {
    /// Goes to the line `n p`; both.
    fn opening(&mut self) -> Result<(usize, usize), TableError> {
        if !self.advance()? {
            return Err(self.no_rows("the set's name, then the line `n p`"));
        }
        while self.text.starts_with(b"#") {
            self.need("the set's name")?;
        }
        self.need("the line `n p`")?;
        self.sizes()
    }

    /// Goes to the next line.
    fn need(&mut self, expected: &'static str) -> Result<(), TableError> {
        if self.advance()? {
            return Ok(());
        }
        Err(self.error(format!("the file ends where {expected} should be")))
    }

    /// `n p`, both positive.
    fn sizes(&self) -> Result<(usize, usize), TableError> {
        let sizes: Vec<Option<usize>> = self
            .fields()
            .map(|field| str::from_utf8(field).ok()?.parse().ok())
            .collect();
        match sizes[..] {
            [Some(rows @ 1..), Some(variables @ 1..)] => Ok((rows, variables)),
            _ => {
                let text = shown_bytes(self.text.trim_ascii());
                Err(self.error(format!("{text} should be two positive integers, `n p`")))
            }
        }
    }

    /// `*` and a mark for each variable: the positions of the columns marked, the response
    /// being the first column.
    fn marks(&self, variables: usize) -> Result<Vec<usize>, TableError> {
        let mut fields = self.fields();
        let wrong = match fields.next() {
            Some(b"*") => self
                .fields()
                .skip(1)
                .find(|mark| !matches!(mark, [b'0' | b'1'])),
            other => Some(other.unwrap_or_default()),
        };
        if let Some(wrong) = wrong {
            let text = shown_bytes(wrong);
            let expected = "`*` and a mark, 0 or 1, for every variable";
            return Err(self.error(format!("{text} should be {expected}")));
        }
        let found = fields.count();
        if found == variables {
            let marks = self.fields().enumerate();
            let marked = marks.filter(|(_, mark)| *mark == b"1");
            return Ok(marked.map(|(position, _)| position).collect());
        }
        let message = format!("{found} marks after `*`, but p = {variables} variables");
        Err(self.error(message))
    }

    fn row(&self, names: &[String], rows: &mut RowBuffer) -> Result<(), Fault> {
        let row = rows.count() + 1;
        let found = self.fields().count();
        if found != names.len() {
            return Err(Fault::ragged(row, found, names.len()));
        }
        for (field, name) in self.fields().zip(names) {
            let value = field::number(field, name);
            rows.push(value.map_err(|message| Fault::in_row(row, message))?);
        }
        Ok(())
    }
}
