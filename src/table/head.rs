//! Head lines of delimited text, `# passel …`, before the line of names.
//!
//! `# passel simulate …` is the command that made the file; `# passel truth A,B` names the
//! variables of the model that made the response. No other line is taken for one of these, so
//! that a name may begin with `#`.

use std::collections::HashSet;
use std::path::Path;

use super::names::split_names;
use super::source::Source;
use super::{Column, TableError};
use crate::nearest::nearest;

/// The beginning of every head line.
pub(super) const MARK: &str = "# passel ";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const READ_BYTES: usize = 1 << 16;

/// The content of a file's head lines.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// Bytes from the beginning of the file to the end of the head lines.
    pub(super) bytes: u64,
    /// The number of head lines.
    pub(super) lines: u64,
    /// The true variables, each with the line that names it.
    truth: Vec<(String, u64)>,
}

/// Opens a file of delimited text; the source then begins below the head lines.
///
/// # Errors
/// A file that cannot be opened or read, and a head line that says nothing known.
pub(super) fn open(path: &Path) -> Result<(Head, Source), TableError> {
    let shown = path.to_string_lossy();
    let mut ahead = LookAhead {
        source: Source::open(path)?,
        bytes: Vec::new(),
        at: 0,
        ended: false,
    };
    let mut head = Head::default();
    ahead.hold(BYTE_ORDER_MARK.len() + MARK.len())?;
    let marked = ahead.rest().strip_prefix(BYTE_ORDER_MARK);
    if marked.is_some_and(|rest| rest.starts_with(MARK.as_bytes())) {
        ahead.at = BYTE_ORDER_MARK.len();
    }
    loop {
        ahead.hold(MARK.len())?;
        if !ahead.rest().starts_with(MARK.as_bytes()) {
            break;
        }
        head.lines += 1;
        let line = ahead.line()?;
        let text = str::from_utf8(&line).map_err(|_| TableError::NotUtf8 {
            path: shown.to_string(),
            line: head.lines,
            column: 1,
        })?;
        head.take(&shown, text)?;
    }
    head.bytes = ahead.at as u64;
    Ok((head, ahead.into_source()))
}

impl Head {
    fn take(&mut self, path: &str, text: &str) -> Result<(), TableError> {
        let said = text[MARK.len()..].trim();
        let (word, rest) = said.split_once(' ').unwrap_or((said, ""));
        let line = self.lines;
        match word {
            "simulate" => Ok(()),
            "truth" => {
                let mut names = Vec::new();
                split_names(rest, &mut names).map_err(|reason| TableError::TruthList {
                    path: path.to_owned(),
                    line,
                    reason,
                })?;
                self.truth
                    .extend(names.into_iter().map(|name| (name, line)));
                Ok(())
            }
            _ => Err(TableError::HeadLine {
                path: path.to_owned(),
                line,
                text: text.to_owned(),
            }),
        }
    }

    /// Positions of the true variables, ascending.
    ///
    /// # Errors
    /// A name that no column has.
    pub(super) fn truth(&self, path: &str, columns: &[Column]) -> Result<Vec<usize>, TableError> {
        let truth: HashSet<&str> = self.truth.iter().map(|(name, _)| &**name).collect();
        let names = columns.iter().map(|column| column.name.as_str());
        let positions = names.clone().enumerate();
        let positions: Vec<usize> = positions
            .filter(|(_, name)| truth.contains(name))
            .map(|(position, _)| position)
            .collect();
        if positions.len() < truth.len() {
            let known: HashSet<&str> = names.clone().collect();
            let absent = self.truth.iter().find(|(name, _)| !known.contains(&**name));
            if let Some((name, line)) = absent {
                return Err(TableError::UnknownTruth {
                    path: path.to_owned(),
                    line: *line,
                    name: name.clone(),
                    nearest: nearest(name, names).map(str::to_owned),
                });
            }
        }
        Ok(positions)
    }
}

/// The beginning of a file, as far as head lines may reach.
struct LookAhead {
    source: Source,
    bytes: Vec<u8>,
    /// First byte that is not consumed.
    at: usize,
    ended: bool,
}

impl LookAhead {
    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// Reads until `count` bytes are not consumed, or the file ends.
    fn hold(&mut self, count: usize) -> Result<(), TableError> {
        while self.rest().len() < count && !self.ended {
            self.read()?;
        }
        Ok(())
    }

    fn read(&mut self) -> Result<(), TableError> {
        let held = self.bytes.len();
        self.bytes.resize(held + READ_BYTES, 0);
        let read = self.source.fill(&mut self.bytes[held..])?;
        self.bytes.truncate(held + read);
        self.ended = read < READ_BYTES;
        Ok(())
    }

    /// Consumes the next line; it is returned without its end, `\n`, `\r\n` or `\r`.
    fn line(&mut self) -> Result<Vec<u8>, TableError> {
        let mut searched = 0;
        let length = loop {
            match memchr::memchr2(b'\n', b'\r', &self.rest()[searched..]) {
                Some(found) => break searched + found,
                None if self.ended => break self.rest().len(),
                None => searched = self.rest().len(),
            }
            self.read()?;
        };
        let line = self.rest()[..length].to_vec();
        self.hold(length + 2)?;
        self.at += length
            + match self.rest()[length..] {
                [b'\r', b'\n', ..] => 2,
                [_, ..] => 1,
                [] => 0,
            };
        Ok(line)
    }

    /// The source, from the first byte that is not consumed.
    fn into_source(mut self) -> Source {
        self.bytes.drain(..self.at);
        self.source.put_back(self.bytes, self.at as u64);
        self.source
    }
}
