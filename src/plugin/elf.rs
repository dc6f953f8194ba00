//! What an ELF file says of itself, checked before the system loads it: the system would map a
//! truncated file and end the process with a bus error when it is read, and it reports a library
//! for another processor as a file that does not exist.

use std::{
    env::consts::ARCH,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

/// The start of a 64-bit little-endian ELF file; other kinds are not inspected.
const ELF_64: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, 1];

/// The number of bytes missing at the end of a library; 0 for a complete one, and for a file that
/// is not a 64-bit ELF file.
///
/// # Errors
/// The file cannot be read.
pub(super) fn missing_bytes(path: &Path) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut header = [0; 64];
    if file.read_exact(&mut header).is_err() || !header.starts_with(&ELF_64) {
        return Ok(0);
    }
    let (offset, size, count) = (
        u64_at(&header, 32),
        u16_at(&header, 54),
        u16_at(&header, 56),
    );
    let mut headers = vec![0; usize::from(size) * usize::from(count)];
    file.seek(SeekFrom::Start(offset))?;
    if size < 56 || file.read_exact(&mut headers).is_err() {
        // The program headers themselves are missing: the system notices that and says so.
        return Ok(0);
    }
    let segments = headers.chunks_exact(size.into());
    let ends = segments.map(|header| u64_at(header, 8).saturating_add(u64_at(header, 32)));
    Ok(ends.max().unwrap_or(0).saturating_sub(length))
}

/// Processors by their name in Rust and their number in ELF files.
const MACHINES: [(&str, u16); 4] = [
    ("x86_64", 62),
    ("aarch64", 183),
    ("riscv64", 243),
    ("powerpc64", 21),
];

/// The processor that a library is built for, if it is not this program's.
///
/// # Errors
/// The file cannot be opened.
pub(super) fn foreign_arch(path: &Path) -> io::Result<Option<String>> {
    let mut header = [0; 20];
    let read = File::open(path)?.read_exact(&mut header);
    let own = MACHINES.iter().find(|(name, _)| *name == ARCH);
    let machine = u16_at(&header, 18);
    Ok(match own {
        Some(own) if read.is_ok() && header.starts_with(&ELF_64) && machine != own.1 => {
            let known = MACHINES.iter().find(|(_, number)| *number == machine);
            Some(known.map_or(format!("ELF machine {machine}"), |(name, _)| {
                (*name).to_owned()
            }))
        }
        _ => None,
    })
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let byte = |place: usize| u64::from(bytes[at + place]) << (8 * place);
    (0..8).map(byte).sum()
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}
