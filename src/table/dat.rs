//! The simulated sets of the original PaSS program.
//!
//! `#` lines, the set's name, `n p`, a line `*` with a mark 0 or 1 for each variable (1: it is
//! in the model that made the data), then n lines of the response and p values.

use std::path::Path;

use super::error::{ValueFault, lossy, shown};
use super::field::{Field, classify};
use super::format::{Content, Format, estimate_text};
use super::lines::Lines;
use super::rows::RowBuffer;
use super::{ColumnPartition, ReadOptions, TableError, names};

/// The format `.dat`.
pub(super) const FORMAT: Format = Format {
    extensions: &["dat"],
    gzip: true,
    companions: &[],
    read,
    estimate: estimate_text,
};

/// Errors of a line of a `.dat`.
#[derive(Debug, thiserror::Error)]
enum DatError {
    #[error("the file ends where {expected} should be")]
    End { expected: &'static str },
    #[error("{} should be two positive integers, `n p`", shown(text))]
    Size { text: String },
    #[error("{} should be `*` and a mark, 0 or 1, for every variable", shown(text))]
    Marks { text: String },
    #[error("{found} marks after `*`, but p = {expected} variables")]
    MarkCount { found: usize, expected: usize },
    #[error("the file ends after {found} rows, but n = {promised}")]
    RowsMissing { found: usize, promised: usize },
    #[error("a row beyond the n = {promised} promised")]
    RowsBeyond { promised: usize },
}

/// Reads the set as columns `y`, `x0`, `x1`, …, and the positions of those marked as true.
///
/// # Errors
/// Counts that differ from those promised, and values that are no finite numbers.
fn read(path: &Path, options: &ReadOptions, _: &ColumnPartition) -> Result<Content, TableError> {
    let mut lines = Lines::open(path)?;
    if !lines.advance()? {
        return Err(TableError::Empty {
            path: lines.shown(),
        });
    }
    while lines.text.starts_with(b"#") {
        lines.need("the set's name")?;
    }
    lines.need("the line `n p`")?;
    let (promised, variables) = lines.sizes()?;
    lines.need("the line `*` of marks")?;
    let truth = lines.marks(variables)?;

    let names: Vec<String> = std::iter::once(String::from("y"))
        .chain((0..variables).map(names::variable))
        .collect();
    let mut rows = RowBuffer::new(names.len());
    while lines.advance()? {
        // Blank lines at the end are no rows; within, the rows' count tells of them.
        if lines.text.trim_ascii().is_empty() {
            continue;
        }
        if rows.count() == promised {
            return Err(lines.error(DatError::RowsBeyond { promised }));
        }
        lines.row(&names, &mut rows)?;
    }
    if rows.count() < promised {
        let found = rows.count();
        return Err(lines.error(DatError::RowsMissing { found, promised }));
    }
    let content = Content::new(path, options, rows.into_named(names), Some(0))?;
    Ok(Content { truth, ..content })
}

impl Lines<'_> {
    /// Goes to the next line.
    ///
    /// # Errors
    /// The file ends here.
    fn need(&mut self, expected: &'static str) -> Result<(), TableError> {
        if self.advance()? {
            return Ok(());
        }
        Err(self.error(DatError::End { expected }))
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
                let text = lossy(self.text.trim_ascii());
                Err(self.error(DatError::Size { text }))
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
            let text = lossy(wrong);
            return Err(self.error(DatError::Marks { text }));
        }
        let found = fields.count();
        if found == variables {
            let marks = self.fields().enumerate();
            let marked = marks.filter(|(_, mark)| *mark == b"1");
            return Ok(marked.map(|(position, _)| position).collect());
        }
        let expected = variables;
        Err(self.error(DatError::MarkCount { found, expected }))
    }

    /// Appends the line's values.
    fn row(&self, names: &[String], rows: &mut RowBuffer) -> Result<(), TableError> {
        let (line, row) = (self.number, rows.count() + 1);
        let (found, expected) = (self.fields().count(), names.len());
        if found != expected {
            return Err(TableError::Ragged {
                path: self.shown(),
                line,
                row,
                found,
                expected,
            });
        }
        for (field, name) in self.fields().zip(names) {
            let fault = match classify(field) {
                Field::Number(value) => {
                    rows.push(value);
                    continue;
                }
                Field::Missing => {
                    rows.push(f64::NAN);
                    continue;
                }
                Field::Infinite => ValueFault::Infinite,
                Field::Text => ValueFault::NoNumber,
            };
            return Err(TableError::Value {
                path: self.shown(),
                line,
                row,
                column: name.clone(),
                text: lossy(field),
                fault,
            });
        }
        Ok(())
    }
}
