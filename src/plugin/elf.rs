//! Whether a library is as long as it says, and for this processor. The system maps what an ELF
//! file promises and ends the process where the file, copied halfway, is shorter; of one for
//! another processor it says that there is no such file.

use std::{
    env::consts::ARCH,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

/// The start of an ELF file of 64 bits, little end first: the only kind looked into.
const ELF_64: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, 1];

/// How many bytes a library lacks; 0 for a whole one and for what is no such file.
pub(super) fn missing_bytes(path: &Path) -> io::Result<u64> {
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

/// The processors that passel is built for, by name in Rust, and an ELF file's number of each.
const MACHINES: [(&str, u16); 4] = [
    ("x86_64", 62),
    ("aarch64", 183),
    ("riscv64", 243),
    ("powerpc64", 21),
];

/// The processor that a library is for, where it is another than this program's.
pub(super) fn foreign_arch(path: &Path) -> io::Result<Option<String>> {
    let mut head = [0; 20];
    let told = File::open(path)?.read_exact(&mut head);
    let own = MACHINES.iter().find(|it| it.0 == ARCH);
    let machine = half(&head, 18);
    Ok(match own {
        Some(own) if told.is_ok() && head.starts_with(&ELF_64) && machine != own.1 => {
            let known = MACHINES.iter().find(|it| it.1 == machine);
            Some(known.map_or(format!("ELF machine {machine}"), |it| it.0.to_owned()))
        }
        _ => None,
    })
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let byte = |it: usize| u64::from(bytes[at + it]) << (8 * it);
    (0..8).map(byte).sum()
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}
