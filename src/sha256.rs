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

/// The hash of a text.
#[cfg(feature = "program")]
pub(crate) fn of_text(text: &[u8]) -> String {
    digits(&Sha256::digest(text))
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
