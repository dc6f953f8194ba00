//! Files that are read whole: what is no regular file may never end, or be waited for.

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Read},
    path::Path,
};

/// Most bytes of a file that a user names: a job file, or rules of binning.
const LARGEST: u64 = 1 << 28;

/// Reads a file that should be small. A device, or a file that was not meant, may have no end.
///
/// # Errors
/// It cannot be read, or is longer than 256 MiB.
pub(crate) fn read_small(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut file = File::open(path)?.take(LARGEST + 1);
    file.read_to_end(&mut bytes)?;
    match bytes.len() as u64 > LARGEST {
        true => Err(io::Error::new(
            ErrorKind::FileTooLarge,
            format!(
                "it has more than {} MiB, so it is something else",
                LARGEST >> 20
            ),
        )),
        false => Ok(bytes),
    }
}

/// Reads a file of passel's own, in the place of which anything may have been put.
///
/// # Errors
/// It cannot be read, or is no regular file.
pub(crate) fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    check_regular(path)?;
    fs::read(path)
}

/// # Errors
/// There is nothing at this path, or no regular file.
pub(crate) fn check_regular(path: &Path) -> io::Result<()> {
    match path.metadata()?.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("it is not a regular file")),
    }
}
