//! Columns that stand under one another: each run of spaces and tabs becomes one space.

use std::io::{self, Read};

const READ_BYTES: usize = 1 << 16;

/// Makes one space of each run of spaces and tabs outside quotes, and none of those at the
/// beginning and end of a line.
pub(super) struct OneSpace<R> {
    source: R,
    line_begins: bool,
    in_quotes: bool,
    /// Whether a space is to be written before the next field.
    owes_space: bool,
    text: Vec<u8>,
    /// Bytes of `text` that were handed on.
    taken: usize,
}

impl<R: Read> OneSpace<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            source,
            line_begins: true,
            in_quotes: false,
            owes_space: false,
            text: Vec::new(),
            taken: 0,
        }
    }

    fn push(&mut self, byte: u8) {
        self.in_quotes ^= byte == b'"';
        match byte {
            b' ' | b'\t' if !self.in_quotes => {
                self.owes_space = !self.line_begins;
                return;
            }
            b'\n' | b'\r' if !self.in_quotes => {
                (self.line_begins, self.owes_space) = (true, false);
            }
            _ => self.line_begins = false,
        }
        if std::mem::take(&mut self.owes_space) {
            self.text.push(b' ');
        }
        self.text.push(byte);
    }
}

impl<R: Read> Read for OneSpace<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.text.len() {
            let mut read = [0; READ_BYTES];
            let count = self.source.read(&mut read)?;
            if count == 0 {
                return Ok(0);
            }
            (self.taken, self.text) = (0, Vec::with_capacity(READ_BYTES + 1));
            read[..count].iter().for_each(|byte| self.push(*byte));
        }
        let count = (&self.text[self.taken..]).read(bytes)?;
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_whitespace_become_one_space() {
        let text = b"  y   a\t b \r\n1 \t 2  3\n\n \"x  y\"   4 5   \n   ";
        let expected = "y a b\r\n1 2 3\n\n\"x  y\" 4 5\n";
        for size in [1, 3, 7, 100] {
            let mut source = OneSpace::new(&text[..]);
            let (mut read, mut bytes) = (Vec::new(), vec![0; size]);
            while let count @ 1.. = source.read(&mut bytes).unwrap() {
                read.extend_from_slice(&bytes[..count]);
            }
            assert_eq!(String::from_utf8(read).unwrap(), expected, "{size}");
        }
    }
}
