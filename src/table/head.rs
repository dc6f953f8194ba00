//! Head lines of delimited text, `# passel …`, before the line of names.
//!
//! `# passel simulate …` is the command that made the file; `# passel truth A,B` names the
//! variables of the model that made the response. No other line is taken for one of these, so
//! that a name may begin with `#`.

use std::collections::HashSet;
use std::path::Path;

use super::error::{Fault, shown};
use super::names::split_names;
use super::source::Source;
use super::text_options::Separator;
use super::{Column, ReadOptions, TableError};
use crate::nearest::did_you_mean;

/// The beginning of every head line.
pub(super) const MARK: &str = "# passel ";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const READ_BYTES: usize = 1 << 16;
/// Most bytes of all head lines.
const LONGEST_HEAD: usize = 1 << 24;

/// The content of a file's head lines.
#[derive(Debug, Default)]
pub(super) struct Head {
    /// Bytes from the beginning of the file to the end of the head lines.
    pub(super) bytes: u64,
    pub(super) lines: u64,
    /// The separator that a line `sep=;` names, as spreadsheets write and read it.
    pub(super) separator: Option<Separator>,
    /// The true variables, each with the line that names it.
    truth: Vec<(String, u64)>,
}

/// Opens a file of delimited text; the source then begins below the head lines.
pub(super) fn open(path: &Path, options: &ReadOptions) -> Result<(Head, Source), TableError> {
    let mut source = Source::open_text(path, options)?;
    let mut head = Head::default();
    // The beginning of the file, as far as head lines may reach, and what of it is consumed.
    let (mut bytes, mut at, mut ended) = (Vec::new(), 0, false);
    loop {
        let is_marked = |text: &[u8]| text.starts_with(MARK.as_bytes());
        if at == 0 && bytes.starts_with(BYTE_ORDER_MARK) {
            at = BYTE_ORDER_MARK.len();
        }
        let rest: &[u8] = &bytes[at..];
        let marked = is_marked(rest);
        let end = memchr::memchr2(b'\n', b'\r', rest).filter(|_| marked);
        let in_sight = match marked {
            true => end.is_some_and(|end| rest.len() >= end + 2),
            false => rest.len() >= BYTE_ORDER_MARK.len() + MARK.len(),
        };
        if !in_sight && !ended {
            let held = bytes.len();
            if held > LONGEST_HEAD {
                let message = format!(
                    "a head line is longer than {} MiB: the file is damaged; write it again",
                    LONGEST_HEAD >> 20
                );
                return Err(Fault::from(message).at(path, Some(head.lines + 1)));
            }
            bytes.resize(held + READ_BYTES, 0);
            let read = source.fill(&mut bytes[held..])?;
            bytes.truncate(held + read);
            ended = read < READ_BYTES;
            continue;
        }
        if !marked {
            at += match head.lines {
                0 => head.take_separator(&bytes[at..]),
                _ => 0,
            };
            head.bytes = at as u64;
            source.put_back(bytes.split_off(at), head.bytes);
            return Ok((head, source));
        }
        head.lines += 1;
        let (line, behind) = rest.split_at(end.unwrap_or(rest.len()));
        let text = str::from_utf8(line);
        let text = text.map_err(|_| TableError::not_utf8(path, head.lines, 1))?;
        let taken = head.take(text);
        taken.map_err(|message| Fault::from(message).at(path, Some(head.lines)))?;
        at += line.len()
            + match behind {
                [b'\r', b'\n', ..] => 2,
                [_, ..] => 1,
                [] => 0,
            };
    }
}

impl Head {
    /// Takes the first line where it is `sep=;`, with any separator; returns its length.
    fn take_separator(&mut self, text: &[u8]) -> usize {
        let [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', byte, rest @ ..] = text else {
            return 0;
        };
        let length = match rest {
            [b'\r', b'\n', ..] => 7,
            [b'\n' | b'\r', ..] => 6,
            _ => return 0,
        };
        self.separator = Separator::of_text(char::from(*byte).encode_utf8(&mut [0; 2]));
        self.lines = 1;
        length
    }

    fn take(&mut self, text: &str) -> Result<(), String> {
        let said = text[MARK.len()..].trim();
        let (word, rest) = said.split_once(' ').unwrap_or((said, ""));
        match word {
            "simulate" => {}
            "truth" => {
                let names = split_names(rest).map_err(|reason| {
                    format!(
                        "the true variables are names separated by commas, in double quotes \
                         where a name holds one: {reason}"
                    )
                })?;
                let named = names.into_iter().map(|name| (name, self.lines));
                self.truth.extend(named);
            }
            _ => {
                return Err(format!(
                    "{} is neither `# passel simulate …` nor `# passel truth NAMES`; mend or \
                     delete the line",
                    shown(text)
                ));
            }
        }
        Ok(())
    }

    /// Positions of the true variables, ascending.
    pub(super) fn truth(&self, path: &Path, columns: &[Column]) -> Result<Vec<usize>, TableError> {
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
                let hint = did_you_mean(name, names);
                let message = format!("the truth names `{name}`, which is no column{hint}");
                return Err(Fault::from(message).at(path, Some(*line)));
            }
        }
        Ok(positions)
    }
}
