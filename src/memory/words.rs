//! Words in memory, or in a file that stands for it.

#![allow(unsafe_code)]

use std::{
    fs::File,
    io,
    ops::{Deref, DerefMut},
    path::Path,
    slice,
};

use memmap2::{MmapMut, MmapOptions};

use super::zeros;

/// Many words, which are zeros at first. Those in a file are read from it when they are looked at, and the system writes and
/// forgets them as it needs its memory: they may be more than it has.
pub(crate) enum Words {
    Memory(Vec<u64>),
    File {
        map: MmapMut,
        /// How many there are, from the first.
        count: usize,
    },
}

impl Words {
    /// Words in memory, if there is room for them.
    pub(crate) fn zeros(count: usize) -> Option<Self> {
        zeros(count).map(Self::Memory)
    }

    /// Words in a file of this folder, which has no name there, so that nothing of it stays, whatever ends this process.
    ///
    /// # Errors
    /// There is no such folder, nothing may be written there, or it has no room for them.
    pub(crate) fn in_file(folder: &Path, count: usize) -> io::Result<Self> {
        let file = tempfile::tempfile_in(folder)?;
        let bytes = count.checked_mul(8).ok_or(io::ErrorKind::FileTooLarge)?;
        allocate(&file, bytes as u64)?;
        // Of no words there is nothing to map.
        let options = MmapOptions::new().len(bytes.max(1)).clone();
        // SAFETY: the file has no name and its only handle is closed here: nobody else changes it.
        let map = unsafe { options.map_mut(&file)? };
        Ok(Self::File { map, count })
    }

    /// Forgets those behind the first.
    pub(crate) fn truncate(&mut self, count: usize) {
        match self {
            Self::Memory(own) => {
                own.truncate(count);
                own.shrink_to_fit();
            }
            Self::File { count: own, .. } => *own = count.min(*own),
        }
    }

    /// Whether they lie in memory.
    pub(crate) fn are_in_memory(&self) -> bool {
        matches!(self, Self::Memory(_))
    }
}

impl From<Vec<u64>> for Words {
    fn from(words: Vec<u64>) -> Self {
        Self::Memory(words)
    }
}

impl Deref for Words {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        match self {
            Self::Memory(own) => own,
            // SAFETY: a map begins with a page, has so many words, and any bytes are one.
            Self::File { map, count } => unsafe {
                slice::from_raw_parts(map.as_ptr().cast(), *count)
            },
        }
    }
}

impl DerefMut for Words {
    fn deref_mut(&mut self) -> &mut [u64] {
        match self {
            Self::Memory(own) => own,
            // SAFETY: as above, and borrowed mutably.
            Self::File { map, count } => unsafe {
                slice::from_raw_parts_mut(map.as_mut_ptr().cast(), *count)
            },
        }
    }
}

/// Makes room for all bytes of a file at once: a write to a map of a file that cannot grow ends the process.
fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        let length = libc::off64_t::try_from(bytes).map_err(|_| io::ErrorKind::FileTooLarge)?;
        // SAFETY: the file is open.
        match unsafe { libc::posix_fallocate64(file.as_raw_fd(), 0, length.max(1)) } {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }
    #[cfg(not(target_os = "linux"))]
    file.set_len(bytes.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_file_are_those_of_memory() {
        let folder = tempfile::tempdir().unwrap();
        for count in [0, 1, 511, 70_001] {
            let [mut file, mut memory] = [
                Words::in_file(folder.path(), count).unwrap(),
                Words::zeros(count).unwrap(),
            ];
            assert!(!file.are_in_memory() && memory.are_in_memory());
            assert_eq!(*file, *memory);
            for words in [&mut file, &mut memory] {
                for (at, word) in words.iter_mut().enumerate() {
                    *word = (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                }
                words.copy_within(count / 2.., 0);
                words.truncate(count / 3);
            }
            assert_eq!(file.len(), count / 3);
            assert_eq!(*file, *memory);
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_file_that_has_no_room_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Words::in_file(&folder.path().join("none"), 1).is_err());
        assert!(Words::in_file(folder.path(), usize::MAX).is_err());
        assert!(Words::in_file(folder.path(), usize::MAX / 16).is_err());
    }
}
