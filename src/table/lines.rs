//! A file's lines, one at a time.

use std::io::{BufRead, BufReader};
use std::path::Path;

use super::error::Fault;
use super::growing::{Growing, LONGEST, too_long};
use super::source::Source;
use super::{ReadOptions, TableError};
use crate::memory::MemoryCharge;

const READ_BYTES: usize = 1 << 18;

pub(super) struct Lines<'a> {
    pub(super) path: &'a Path,
    source: BufReader<Source>,
    /// The current line, with its line end.
    pub(super) text: Vec<u8>,
    /// The number of the current line, from 1; 0 before the first.
    pub(super) number: u64,
    /// Bytes of blank lines since the last other one.
    blank: usize,
    memory: Option<&'a MemoryCharge>,
}

impl<'a> Lines<'a> {
    pub(super) fn open(path: &'a Path, options: &ReadOptions<'a>) -> Result<Self, TableError> {
        let source = Source::open_text(path, options)?;
        let memory = options.memory;
        Ok(Self {
            path,
            source: BufReader::with_capacity(READ_BYTES, source),
            text: Vec::new(),
            number: 0,
            blank: 0,
            memory,
        })
    }

    /// Goes to the next line; `false` at the end.
    pub(super) fn advance(&mut self) -> Result<bool, TableError> {
        self.text.clear();
        let (mut found, mut ended) = (false, false);
        while !ended {
            let read = match self.source.fill_buf() {
                Ok(read) => read,
                Err(error) => return Err(self.source.get_ref().failure(error)),
            };
            if read.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', read).map(|at| at + 1);
            let part = &read[..end.unwrap_or(read.len())];
            (found, ended) = (true, end.is_some());
            let line = self.number + 1;
            let wrong = |message: String| Fault::from(message).at(self.path, Some(line));
            if memchr::memchr(0, part).is_some() {
                return Err(wrong(NO_TEXT.to_owned()));
            }
            if self.blank + self.text.len() + part.len() > LONGEST {
                return Err(wrong(match self.blank {
                    0 => too_long("the line"),
                    _ => too_long("a stretch of blank lines"),
                }));
            }
            let grown = self.text.grow(part.len(), self.memory, "a line");
            grown.map_err(|error| TableError::memory(self.path, error))?;
            self.text.extend_from_slice(part);
            let taken = part.len();
            self.source.consume(taken);
        }
        self.number += u64::from(found);
        match self.text.trim_ascii().is_empty() {
            true => self.blank += self.text.len(),
            false => self.blank = 0,
        }
        Ok(found)
    }

    /// Takes memory for what is made of the lines.
    pub(super) fn hold(&self, bytes: usize, what: &str) -> Result<(), TableError> {
        let held = self.memory.map(|memory| memory.grow(bytes as u64, what));
        let held = held.unwrap_or(Ok(()));
        held.map_err(|error| TableError::memory(self.path, error))
    }

    /// The line's fields, separated by whitespace.
    pub(super) fn fields(&self) -> impl Iterator<Item = &[u8]> {
        fields_of(&self.text)
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

/// The fields of a line, separated by whitespace.
pub(super) fn fields_of(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let fields = line.split(u8::is_ascii_whitespace);
    fields.filter(|field| !field.is_empty())
}

/// What is told of a byte that no text has.
pub(super) const NO_TEXT: &str = "a byte that is 0, which no text has: the file is damaged, or another kind of \
                       file; copy or write it again (UTF-16 is read with --encoding utf-16)";
