//! Opening files, plain or compressed.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::decode::{Decoder, Undecodable};
use super::error::as_given;
use super::failure::{failure, is_interrupt};
use super::gzip::Gzip;
use super::stream;
use super::text_options::Encoding;
use super::whitespace::OneSpace;
use super::{ReadOptions, TableError};
use crate::interrupt::Interrupt;
use crate::memory::MemoryError;
use crate::threads::{helpers, map_each};

/// What a compressed file begins with.
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

/// An open file that yields its content, decompressed where its name ends in `.gz`.
pub(super) struct Source {
    path: PathBuf,
    content: Content,
    /// Whether the content comes compressed, whatever is made of it afterwards.
    is_packed: bool,
    ahead: io::Cursor<Vec<u8>>,
    /// Bytes of content, if the file's size shows them.
    pub(super) size: Option<u64>,
    /// The most bytes of content that a file of its size can hold.
    pub(super) most: u64,
    /// Ends the reading.
    interrupt: Interrupt,
}

/// Bytes as they are stored.
enum Raw {
    File(File),
    Memory(&'static [u8]),
}

impl Read for Raw {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(bytes),
            Self::Memory(rest) => rest.read(bytes),
        }
    }
}

/// Bytes that a byte packed may stand for; it is a little more than a thousand.
pub(super) const DENSEST: u64 = 1100;

enum Content {
    Plain(File),
    /// All of standard input, of a pipe or of a device.
    Memory(&'static [u8]),
    Gzip(Gzip<Raw>),
    /// Text of another encoding, or with other spaces, than its bytes have.
    Mended(Box<dyn Read>),
}

impl Source {
    /// Opens the file, and refuses a directory before its first read would fail.
    pub(super) fn open(path: &Path, options: &ReadOptions) -> Result<Self, TableError> {
        let interrupt = options.interrupt.cloned().unwrap_or_default();
        let (raw, bytes, is_packed) = match stream::content(path, &interrupt)? {
            Some(bytes) => {
                let is_packed = is_gzip(path) || bytes.starts_with(GZIP_MAGIC);
                (Raw::Memory(bytes), bytes.len() as u64, is_packed)
            }
            None => {
                let (file, metadata) = open_file(path)?;
                (Raw::File(file), metadata.len(), is_gzip(path))
            }
        };
        let content = match raw {
            raw if is_packed => {
                Content::Gzip(Gzip::new(raw).map_err(|error| failure(path, error))?)
            }
            Raw::Memory(bytes) => Content::Memory(bytes),
            Raw::File(file) => Content::Plain(file),
        };
        Ok(Self {
            path: path.to_owned(),
            content,
            is_packed,
            ahead: io::Cursor::default(),
            size: (!is_packed).then_some(bytes),
            most: if is_packed {
                bytes.saturating_mul(DENSEST)
            } else {
                bytes
            },
            interrupt,
        })
    }

    /// Opens a file of text, which the source yields as UTF-8. A byte order mark shows UTF-16;
    /// otherwise the text is of the encoding that the options give, or UTF-8.
    pub(super) fn open_text(path: &Path, options: &ReadOptions) -> Result<Self, TableError> {
        let mut source = Self::open(path, options)?;
        let given = options.text.encoding;
        let mut start = vec![0; 2];
        let filled = source.fill(&mut start)?;
        start.truncate(filled);
        let encoding = match given {
            None | Some(Encoding::Utf16 | Encoding::Utf16Be) => Encoding::of_mark(&start).or(given),
            given => given,
        };
        source.put_back(start, 0);
        Ok(match encoding {
            None | Some(Encoding::Utf8) => source,
            Some(encoding) => source.mended(|source| Box::new(Decoder::new(source, encoding))),
        })
    }

    /// A source of the same text with one space for each run of whitespace.
    pub(super) fn with_one_space(self) -> Self {
        self.mended(|source| Box::new(OneSpace::new(source)))
    }

    fn mended(self, by: impl FnOnce(Self) -> Box<dyn Read>) -> Self {
        Self {
            path: self.path.clone(),
            interrupt: self.interrupt.clone(),
            is_packed: self.is_packed,
            ahead: io::Cursor::default(),
            size: None,
            most: u64::MAX,
            content: Content::Mended(by(self)),
        }
    }

    /// Puts back bytes that were read ahead; the `taken` bytes before them stay consumed.
    pub(super) fn put_back(&mut self, mut bytes: Vec<u8>, taken: u64) {
        let held = self.ahead.position() as usize;
        bytes.extend_from_slice(&self.ahead.get_ref()[held..]);
        self.ahead = io::Cursor::new(bytes);
        self.size = self.size.map(|size| size.saturating_sub(taken));
    }

    /// The file and where in it the content goes on, where it can be read from any place as it lies there, and what ends the
    /// reading.
    pub(super) fn file(&self) -> Option<(&File, u64, &Interrupt)> {
        let is_ahead = self.ahead.position() < self.ahead.get_ref().len() as u64;
        match &self.content {
            Content::Plain(file) if cfg!(unix) && self.size.is_some() && !is_ahead => {
                let position = (&*file).stream_position().ok()?;
                Some((file, position, &self.interrupt))
            }
            _ => None,
        }
    }

    /// As [`fill`](Self::fill), by all threads where the content can be read from any place.
    pub(super) fn fill_at_once(&mut self, bytes: &mut [u8]) -> Result<usize, TableError> {
        let Some((file, start, interrupt)) = self.file().filter(|_| helpers() > 1) else {
            return self.fill(bytes);
        };
        let stopped = |_| self.failure(io::ErrorKind::Interrupted.into());
        interrupt.check().map_err(stopped)?;
        let end = file.metadata().map_or(0, |found| found.len());
        let there = end.saturating_sub(start).min(bytes.len() as u64) as usize;
        if there == 0 {
            // The end, or a file of the system's that has no size.
            return self.fill(bytes);
        }
        let each = there.div_ceil(helpers());
        let parts = bytes[..there].chunks_mut(each).enumerate().collect();
        let read = map_each(parts, |(at, part)| {
            read_exact_at(file, part, start + (at * each) as u64)
        });
        let read: io::Result<()> = read.into_iter().collect();
        read.map_err(|error| self.failure(error))?;
        self.skip(there as u64)?;
        Ok(there)
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

    /// Reads compressed content to its end, where its checksum tells of damage.
    pub(super) fn finish(&mut self) -> Result<(), TableError> {
        if self.is_packed {
            io::copy(self, &mut io::sink()).map_err(|error| self.failure(error))?;
        }
        Ok(())
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
        let options = ReadOptions {
            interrupt: Some(&self.interrupt),
            ..ReadOptions::default()
        };
        let mut again = Self::open(&self.path, &options)?;
        let counted = io::copy(&mut (&mut again).take(enough), &mut io::sink());
        counted.map_err(|error| self.failure(error))
    }

    /// The error about memory that cannot be had.
    pub(super) fn refused(&self, error: MemoryError) -> TableError {
        TableError::memory(&self.path, error)
    }

    pub(super) fn failure(&self, error: io::Error) -> TableError {
        let undecodable = error.get_ref().and_then(|error| error.downcast_ref());
        if let Some(Undecodable(message)) = undecodable {
            return TableError::content(&self.path, message.as_str());
        }
        match self.is_packed {
            // An error with a number is the operating system's; the decoder's have none.
            true if error.raw_os_error().is_none() && !is_interrupt(&error) => TableError::Gzip {
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
            self.interrupt.check().map_err(io::Error::other)?;
            match self.content.read(bytes) {
                // A signal came; nothing is lost.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

impl Read for Content {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(bytes),
            Self::Memory(rest) => rest.read(bytes),
            Self::Gzip(decoder) => decoder.read(bytes),
            Self::Mended(text) => text.read(bytes),
        }
    }
}

/// Bytes of a file from a place on; not of systems that cannot read so ([`Source::file`] gives none there).
#[cfg(unix)]
pub(super) fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(not(unix))]
pub(super) fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Reads bytes of a file at a place, as many as come at once; none at its end.
#[cfg(all(feature = "parquet", unix))]
pub(super) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, at)
}

/// The same where a read moves the place of the file, which nobody else uses.
#[cfg(all(feature = "parquet", windows))]
pub(super) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, at)
}

#[cfg(all(feature = "parquet", not(any(unix, windows))))]
pub(super) fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
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
