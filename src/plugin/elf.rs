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

/// Processors by their name in Rust and their number in ELF files.
const MACHINES: [(&str, u16); 4] = [
    ("x86_64", 62),
    ("aarch64", 183),
    ("riscv64", 243),
    ("powerpc64", 21),
];

/// Why the system cannot load a library; nothing of a file that is not a 64-bit ELF file.
pub(super) fn fault(path: &Path) -> io::Result<Option<String>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut header = Vec::new();
    (&mut file).take(64).read_to_end(&mut header)?;
    if header.len() < 20 || !header.starts_with(&ELF_64) {
        return Ok(None);
    }
    let missing = promised_length(&mut file, &header)?.saturating_sub(length);
    if missing > 0 {
        return Ok(Some(format!(
            "it is cut short: {missing} bytes are missing"
        )));
    }
    let machine = u16_at(&header, 18);
    let own = MACHINES.iter().find(|(name, _)| *name == ARCH);
    Ok(own.filter(|(_, number)| *number != machine).map(|_| {
        let known = MACHINES.iter().find(|(_, number)| *number == machine);
        let theirs = known.map_or(format!("ELF machine {machine}"), |(name, _)| (*name).into());
        format!("it is built for {theirs}, this passel for {ARCH}")
    }))
}

/// Where the last segment ends; 0 if the headers are not all there, which the system notices.
fn promised_length(file: &mut File, header: &[u8]) -> io::Result<u64> {
    if header.len() < 64 {
        return Ok(0);
    }
    let [size, count] = [54, 56].map(|at| usize::from(u16_at(header, at)));
    let mut segments = vec![0; size * count];
    file.seek(SeekFrom::Start(u64_at(header, 32)))?;
    if size < 56 || file.read_exact(&mut segments).is_err() {
        return Ok(0);
    }
    let segments = segments.chunks_exact(size);
    let ends = segments.map(|segment| u64_at(segment, 8).saturating_add(u64_at(segment, 32)));
    Ok(ends.max().unwrap_or(0))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let byte = |place: usize| u64::from(bytes[at + place]) << (8 * place);
    (0..8).map(byte).sum()
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}
