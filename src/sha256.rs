//! SHA-256 of texts and files, in hexadecimal digits.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use sha2::{Digest, Sha256};

use crate::interrupt::{Interrupt, Interrupted};

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 20;

#[cfg(feature = "program")]
/// The end of a stored result: the checksum of all before it.
const CHECKSUM: [&str; 2] = [",\n  \"sha256\": \"", "\"\n}\n"];

/// The hash of a text.
#[cfg(feature = "program")]
pub(crate) fn of_text(text: &[u8]) -> String {
    digits(&Sha256::digest(text))
}

/// Adds to an object in JSON a last member, the checksum of all before it.
#[cfg(feature = "program")]
pub(crate) fn seal(object: &mut Vec<u8>) {
    object.truncate(object.len() - "\n}".len());
    let [start, end] = CHECKSUM;
    let checksum = format!("{start}{}{end}", of_text(object));
    object.extend(checksum.bytes());
}

/// Checks that a stored result is as it was written.
#[cfg(feature = "program")]
pub(crate) fn check_seal(text: &[u8]) -> Result<(), &'static str> {
    let [start, end] = CHECKSUM.map(str::as_bytes);
    let hash = text.strip_suffix(end);
    let parts = hash.and_then(|text| text.split_at_checked(text.len().checked_sub(64)?));
    let parts = parts.and_then(|(text, hash)| Some((text.strip_suffix(start)?, hash)));
    match parts {
        Some((text, hash)) if of_text(text).as_bytes() == hash => Ok(()),
        Some(_) => Err("its checksum differs"),
        None => Err("it does not end with its checksum"),
    }
}

/// The hash of a regular file.
///
/// # Errors
/// The system's, or an interrupt that came before its end.
pub(crate) fn of_file(path: &Path, interrupt: &Interrupt) -> io::Result<String> {
    of_opened(&mut File::open(path)?, interrupt).map(|(_, hash)| hash)
}

/// The bytes that are left of a file, and their hash.
///
/// # Errors
/// As for [`of_file`].
pub(crate) fn of_opened(file: &mut File, interrupt: &Interrupt) -> io::Result<(u64, String)> {
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    let mut bytes = 0;
    loop {
        if interrupt.requested() {
            return Err(io::Error::other(Interrupted));
        }
        match file.read(&mut chunk)? {
            0 => return Ok((bytes, digits(&hasher.finalize()))),
            count => {
                bytes += count as u64;
                hasher.update(&chunk[..count]);
            }
        }
    }
}

fn digits(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
