//! Text of other encodings, as UTF-8.

use std::error::Error;
use std::fmt;
use std::io::{self, Read};

use super::text_options::Encoding;

const READ_BYTES: usize = 1 << 16;

/// The characters of Windows-1252 for the bytes 0x80 to 0x9f. Bytes that it leaves open are the
/// control characters of ISO 8859-1.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Bytes that are no text in the encoding: the message's end.
#[derive(Debug)]
pub(super) struct Undecodable(pub(super) String);

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Undecodable {}

impl Encoding {
    /// The encoding that a byte order mark at the beginning of a text shows.
    pub(super) fn of_mark(start: &[u8]) -> Option<Self> {
        match start {
            [0xff, 0xfe, ..] => Some(Self::Utf16),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ => None,
        }
    }
}

/// Reads a text as UTF-8, without its byte order mark.
pub(super) struct Decoder<R> {
    source: R,
    encoding: Encoding,
    /// Bytes read and not yet decoded: part of a character.
    rest: Vec<u8>,
    /// Bytes decoded before `rest`.
    decoded: u64,
    text: String,
    /// Bytes of `text` that were handed on.
    taken: usize,
    /// What is wrong behind `text`, which is told once that was handed on: however the source is cut.
    wrong: Option<io::Error>,
}

impl<R: Read> Decoder<R> {
    pub(super) fn new(source: R, encoding: Encoding) -> Self {
        Self {
            source,
            encoding,
            rest: Vec::new(),
            decoded: 0,
            text: String::new(),
            taken: 0,
            wrong: None,
        }
    }

    /// Decodes the next bytes into `text`, which stays empty at the end.
    fn refill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.taken = 0;
        while self.text.is_empty() {
            if let Some(wrong) = self.wrong.take() {
                return Err(wrong);
            }
            let held = self.rest.len();
            self.rest.resize(held + READ_BYTES, 0);
            let read = self.source.read(&mut self.rest[held..]);
            self.rest.truncate(held + *read.as_ref().unwrap_or(&0));
            let ended = read? == 0;
            let used = match self.encoding {
                Encoding::Utf8 | Encoding::Latin1 => self.decode_latin1(),
                Encoding::Utf16 => self.decode_utf16(u16::from_le_bytes),
                Encoding::Utf16Be => self.decode_utf16(u16::from_be_bytes),
            };
            self.rest.drain(..used);
            self.decoded += used as u64;
            if ended && self.wrong.is_none() {
                if self.rest.is_empty() {
                    break;
                }
                self.wrong = Some(undecodable(
                    self.decoded,
                    "the text ends within a character",
                ));
            }
        }
        Ok(())
    }

    fn decode_latin1(&mut self) -> usize {
        let character = |byte: &u8| match byte {
            0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
            byte => char::from(*byte),
        };
        self.text.extend(self.rest.iter().map(character));
        self.rest.len()
    }

    /// Decodes whole characters, up to what is none; returns the number of their bytes.
    fn decode_utf16(&mut self, unit: fn([u8; 2]) -> u16) -> usize {
        let (pairs, _) = self.rest.as_chunks();
        let mut units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
        // The second half of the last character may be yet to come.
        units.pop_if(|last| (0xd800..0xdc00).contains(last));
        let mut used = 0;
        for character in char::decode_utf16(units) {
            let Ok(character) = character else {
                let before = self.decoded + used;
                self.wrong = Some(undecodable(before, "half a character"));
                break;
            };
            let is_mark = self.decoded + used == 0 && character == '\u{feff}';
            self.text.extend((!is_mark).then_some(character));
            used += 2 * character.len_utf16() as u64;
        }
        used as usize
    }
}

/// The error about what stands behind so many bytes.
fn undecodable(before: u64, what: &str) -> io::Error {
    let at = before + 1;
    let message =
        format!("byte {at}: {what} of UTF-16; save the file as UTF-8, or name its --encoding");
    io::Error::new(io::ErrorKind::InvalidData, Undecodable(message))
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.text.len() {
            self.refill()?;
        }
        let count = (&self.text.as_bytes()[self.taken..]).read(bytes)?;
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Yields one byte at a time, so that every character is cut.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let count = bytes.len().min(1);
            self.0.read(&mut bytes[..count])
        }
    }

    fn decoded(bytes: &[u8], encoding: Encoding) -> io::Result<String> {
        let mut text = String::new();
        Decoder::new(Slow(bytes), encoding).read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn characters_are_decoded_wherever_they_are_cut() {
        let text = "Größe;€\n🙂,1\n";
        let units: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!(decoded(&little, Encoding::Utf16).unwrap(), text);
        let marked = [&[0xfe, 0xff], &big[..]].concat();
        assert_eq!(decoded(&marked, Encoding::Utf16Be).unwrap(), text);
        let latin = b"Gr\xf6\xdfe;\x80\n";
        assert_eq!(decoded(latin, Encoding::Latin1).unwrap(), "Größe;€\n");
        assert_eq!(decoded(b"", Encoding::Utf16).unwrap(), "");
    }

    #[test]
    fn what_is_no_utf16_is_refused_with_its_place() {
        for (bytes, told) in [
            (&b"a\0b"[..], "byte 3"),
            (b"a\0\x3d\xd8", "byte 3"),
            (b"a\0\x3d\xd8b\0", "byte 3"),
            (b"a\0\x00\xdcb\0", "byte 3"),
        ] {
            let error = decoded(bytes, Encoding::Utf16).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
