//! The text of a file by whole lines, many at a time, for threads to share.

use std::io::Read;

use super::TableError;
use super::format::Input;
use super::growing::{Growing, LONGEST};
use super::source::Source;
use crate::memory::MemoryCharge;
use crate::threads::helpers;

/// Reads lines, as many as fit into memory of a given size, or a longer one alone.
pub(super) struct WholeLines<'a> {
    source: Source,
    bytes: Vec<u8>,
    /// Bytes that hold text, and the first of them that was not handed out.
    filled: usize,
    start: usize,
    /// Nothing more can be read: the text ends, or its reading failed.
    ended: bool,
    /// Told once the lines before it were handed out.
    failure: Option<TableError>,
    memory: Option<&'a MemoryCharge>,
}

impl<'a> WholeLines<'a> {
    /// Opens a file of text, of which about so many bytes are held at a time.
    pub(super) fn open(input: &Input<'a>, bytes: usize) -> Result<Self, TableError> {
        Ok(Self {
            source: Source::open_text(input.path, input.options)?,
            bytes: vec![0; bytes],
            filled: 0,
            start: 0,
            ended: false,
            failure: None,
            memory: input.options.memory,
        })
    }

    /// The next lines; `None` at the end. The last may lack its end, and so may one that is no line of a text: it
    /// has a byte that is 0, or is longer than any.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, TableError> {
        loop {
            self.fill();
            let text = &self.bytes[..self.filled];
            let lines = memchr::memrchr(b'\n', text).map_or(0, |at| at + 1);
            let rest = &text[lines..];
            let is_last = self.ended && self.failure.is_none();
            let end = match is_last || rest.len() > LONGEST || memchr::memchr(0, rest).is_some() {
                true => self.filled,
                false => lines,
            };
            if end > 0 {
                self.start = end;
                return Ok(Some(&self.bytes[..end]));
            }
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if self.ended {
                return Ok(None);
            }
            let held = self.bytes.len();
            let grown = self.bytes.grow(held, self.memory, "a line");
            grown.map_err(|error| self.source.refused(error))?;
            self.bytes.resize(2 * held, 0);
        }
    }

    /// Moves the text that was not handed out to the front and fills the memory behind it.
    fn fill(&mut self) {
        self.bytes.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        while !self.ended && self.filled < self.bytes.len() {
            let free = &mut self.bytes[self.filled..];
            // One thread reads by itself: so the text before a failure is known.
            let read = match helpers() > 1 && self.source.file().is_some() {
                true => self.source.fill_at_once(free),
                false => {
                    let read = self.source.read(free);
                    read.map_err(|error| self.source.failure(error))
                }
            };
            match read {
                Ok(count) => {
                    self.filled += count;
                    self.ended = count == 0;
                }
                Err(failure) => {
                    self.failure = Some(failure);
                    self.ended = true;
                }
            }
        }
    }
}

/// Cuts text behind ends of lines into pieces of about equal size, at most so many.
pub(super) fn cut_at_lines(text: &[u8], count: usize) -> Vec<&[u8]> {
    let mut pieces = Vec::with_capacity(count);
    let mut rest = text;
    while !rest.is_empty() {
        let about = rest.len().min(text.len().div_ceil(count));
        let end = memchr::memchr(b'\n', &rest[about - 1..]).map_or(rest.len(), |at| about + at);
        let (piece, others) = rest.split_at(end);
        pieces.push(piece);
        rest = others;
    }
    pieces
}
