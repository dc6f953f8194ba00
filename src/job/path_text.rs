//! Paths as the texts of options. A name need not be UTF-8; what is not stands as the last characters of
//! Unicode's private use, one a byte, and comes back as it was.

use std::{ffi::OsStr, path::PathBuf};

/// The text of a path, which [`to_path`] makes the same path of.
#[cfg(unix)]
pub(super) fn to_text(path: &OsStr) -> String {
    use std::os::unix::ffi::OsStrExt;
    let mut text = String::with_capacity(path.len());
    let escaped = |bytes: &[u8]| -> String { bytes.iter().map(|byte| escape(*byte)).collect() };
    for chunk in path.as_bytes().utf8_chunks() {
        for letter in chunk.valid().chars() {
            match byte(letter) {
                // A name may have such a character of its own.
                Some(_) => text += &escaped(letter.encode_utf8(&mut [0; 4]).as_bytes()),
                None => text.push(letter),
            }
        }
        text += &escaped(chunk.invalid());
    }
    text
}

/// The path that a text stands for.
#[cfg(unix)]
pub(super) fn to_path(text: &str) -> PathBuf {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt};
    let mut bytes = Vec::with_capacity(text.len());
    for letter in text.chars() {
        match byte(letter) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    OsString::from_vec(bytes).into()
}

/// The character that stands for a byte of no or of an escaped character, which is above ASCII.
#[cfg(unix)]
fn escape(byte: u8) -> char {
    let escape = char::from_u32(0x10_ff00 + u32::from(byte));
    escape.unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte that a character stands for.
#[cfg(unix)]
fn byte(letter: char) -> Option<u8> {
    let byte = u32::from(letter).checked_sub(0x10_ff00)?;
    u8::try_from(byte).ok().filter(|byte| !byte.is_ascii())
}

/// Elsewhere names are Unicode.
#[cfg(not(unix))]
pub(super) fn to_text(path: &OsStr) -> String {
    path.to_string_lossy().into_owned()
}

/// Elsewhere names are Unicode.
#[cfg(not(unix))]
pub(super) fn to_path(text: &str) -> PathBuf {
    text.into()
}

#[cfg(all(test, unix))]
mod tests {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

    use super::*;

    #[test]
    fn every_name_comes_back() {
        let own = "a\u{10ffe9}b".as_bytes();
        for name in [
            b"caf\xe9/{id}.csv",
            "naïve.csv".as_bytes(),
            own,
            b"\xff\xfe",
            b"",
        ] {
            let name = OsStr::from_bytes(name);
            assert_eq!(to_path(&to_text(name)), name);
        }
        assert_eq!(to_text(OsStr::new("naïve.csv")), "naïve.csv");
    }
}
