//! Whether a library is as long as it says. The system maps what an ELF file promises and ends
//! the process where the file, copied halfway, is shorter.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

/// The start of an ELF file of 64 bits, little end first: the only kind looked into.
const ELF_64: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, 1];

/// How many bytes a library lacks; 0 for a whole one and for what is no such file.
pub(super) fn lacking(path: &Path) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut head = [0; 64];
    if file.read_exact(&mut head).is_err() || !head.starts_with(&ELF_64) {
        return Ok(0);
    }
    let (place, each, count) = (word(&head, 32), half(&head, 54), half(&head, 56));
    let mut headers = vec![0; usize::from(each) * usize::from(count)];
    file.seek(SeekFrom::Start(place))?;
    if each < 56 || file.read_exact(&mut headers).is_err() {
        // Not this far even: the system reads these and says so.
        return Ok(0);
    }
    let segments = headers.chunks_exact(each.into());
    let ends = segments.map(|it| word(it, 8).saturating_add(word(it, 32)));
    Ok(ends.max().unwrap_or(0).saturating_sub(length))
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let byte = |it: usize| u64::from(bytes[at + it]) << (8 * it);
    (0..8).map(byte).sum()
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}
