//! Opening files, plain or compressed.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::TableError;
use super::error::as_given;

/// An open file that yields its content, decompressed where its name ends in `.gz`.
pub(super) struct Source {
    path: PathBuf,
    content: Content,
    ahead: io::Cursor<Vec<u8>>,
    /// Bytes of content, if the file's size shows them.
    pub(super) size: Option<u64>,
}

enum Content {
    Plain(File),
    Gzip(Box<MultiGzDecoder<BufReader<File>>>),
}

impl Source {
    /// Opens the file, and refuses a directory before its first read would fail.
    pub(super) fn open(path: &Path) -> Result<Self, TableError> {
        let (file, metadata) = open_file(path)?;
        let (content, size) = if is_gzip(path) {
            let decoder = MultiGzDecoder::new(BufReader::with_capacity(1 << 16, file));
            (Content::Gzip(Box::new(decoder)), None)
        } else {
            // A pipe or device tells no size.
            let size = metadata.is_file().then_some(metadata.len());
            (Content::Plain(file), size)
        };
        Ok(Self {
            path: path.to_owned(),
            content,
            ahead: io::Cursor::default(),
            size,
        })
    }

    /// Puts back bytes that were read ahead; the `taken` bytes before them stay consumed.
    pub(super) fn put_back(&mut self, bytes: Vec<u8>, taken: u64) {
        self.ahead = io::Cursor::new(bytes);
        self.size = self.size.map(|size| size.saturating_sub(taken));
    }

    /// Fills the bytes as far as the content reaches; returns the number filled.
    pub(super) fn fill(&mut self, bytes: &mut [u8]) -> Result<usize, TableError> {
        let mut filled = 0;
        while filled < bytes.len() {
            match self.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) => return Err(self.failure(error)),
            }
        }
        Ok(filled)
    }

    /// Skips bytes of content. The caller checks that they are there.
    pub(super) fn skip(&mut self, bytes: u64) -> Result<(), TableError> {
        let ahead = self.ahead.get_ref().len() as u64 - self.ahead.position();
        let held = bytes.min(ahead);
        self.ahead.set_position(self.ahead.position() + held);
        let rest = bytes - held;
        let gone = match &mut self.content {
            _ if rest == 0 => return Ok(()),
            Content::Plain(file) if self.size.is_some() => match i64::try_from(rest) {
                Ok(rest) => file.seek(SeekFrom::Current(rest)).map(drop),
                Err(_) => Ok(()),
            },
            _ => io::copy(&mut self.take(rest), &mut io::sink()).map(drop),
        };
        gone.map_err(|error| self.failure(error))
    }

    /// Counts the bytes of content, up to `enough`.
    pub(super) fn measure(&self, enough: u64) -> Result<u64, TableError> {
        if let Some(size) = self.size {
            return Ok(size);
        }
        let mut again = Self::open(&self.path)?;
        let counted = io::copy(&mut (&mut again).take(enough), &mut io::sink());
        counted.map_err(|error| self.failure(error))
    }

    pub(super) fn failure(&self, error: io::Error) -> TableError {
        match self.content {
            // An error with a number is the operating system's; the decoder's have none.
            Content::Gzip(_) if error.raw_os_error().is_none() => TableError::Gzip {
                path: as_given(&self.path),
                source: error,
            },
            _ => failure(&self.path, error),
        }
    }
}

impl Read for Source {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        // Reading from memory has no error to tell.
        let held = self.ahead.read(bytes)?;
        if held > 0 {
            return Ok(held);
        }
        loop {
            let read = match &mut self.content {
                Content::Plain(file) => file.read(bytes),
                Content::Gzip(decoder) => decoder.read(bytes),
            };
            match read {
                // A signal came; nothing is lost.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

/// Opens a file; a directory is refused.
pub(super) fn open_file(path: &Path) -> Result<(File, Metadata), TableError> {
    match File::open(path).and_then(|file| Ok((file.metadata()?, file))) {
        Ok((metadata, _)) if metadata.is_dir() => {
            Err(failure(path, io::ErrorKind::IsADirectory.into()))
        }
        Ok((metadata, file)) => Ok((file, metadata)),
        Err(error) => Err(failure(path, error)),
    }
}

fn failure(path: &Path, error: io::Error) -> TableError {
    let path = as_given(path);
    match error.kind() {
        io::ErrorKind::NotFound => TableError::NotFound { path },
        io::ErrorKind::PermissionDenied => TableError::PermissionDenied { path },
        io::ErrorKind::IsADirectory => TableError::Directory { path },
        _ => TableError::Io {
            path,
            source: error,
        },
    }
}

/// The largest gap in a row that is read rather than skipped: a page.
pub(super) const GAP: usize = 1 << 12;

/// Ascending ranges of columns to read that cover the wanted ones. Ranges less than `gap` columns
/// apart are merged.
pub(super) fn runs(width: usize, gap: usize, wanted: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (0..width).filter(|at| wanted(*at)) {
        match runs.last_mut() {
            Some(last) if at - last.end <= gap => last.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// Whether the name ends in `.gz`, in any case.
pub(super) fn is_gzip(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("gz"))
}
