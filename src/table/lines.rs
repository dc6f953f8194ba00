//! A file's lines, one at a time.

use std::io::{BufRead, BufReader};
use std::path::Path;

use super::error::Fault;
use super::source::Source;
use super::{ReadOptions, TableError};

const READ_BYTES: usize = 1 << 18;

pub(super) struct Lines<'a> {
    pub(super) path: &'a Path,
    source: BufReader<Source>,
    /// The current line, with its line end.
    pub(super) text: Vec<u8>,
    /// The number of the current line, from 1; 0 before the first.
    pub(super) number: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn open(path: &'a Path, options: &ReadOptions) -> Result<Self, TableError> {
        let source = Source::open_text(path, options)?;
        Ok(Self {
            path,
            source: BufReader::with_capacity(READ_BYTES, source),
            text: Vec::new(),
            number: 0,
        })
    }

    /// Goes to the next line; `false` at the end.
    pub(super) fn advance(&mut self) -> Result<bool, TableError> {
        self.text.clear();
        let read = self.source.read_until(b'\n', &mut self.text);
        let found = read.map_err(|error| self.source.get_ref().failure(error))? > 0;
        self.number += u64::from(found);
        Ok(found)
    }

    /// The line's fields, separated by whitespace.
    pub(super) fn fields(&self) -> impl Iterator<Item = &[u8]> {
        let fields = self.text.split(u8::is_ascii_whitespace);
        fields.filter(|field| !field.is_empty())
    }

    pub(super) fn error(&self, fault: impl Into<Fault>) -> TableError {
        fault.into().at(self.path, Some(self.number))
    }

    /// The file has no rows; `expected` says what its format begins with.
    pub(super) fn no_rows(&self, expected: &str) -> TableError {
        match self.number {
            0 => TableError::empty(self.path, expected),
            _ => TableError::no_rows(self.path),
        }
    }
}
