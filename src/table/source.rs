//! Opening files, plain or compressed.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, IsTerminal, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use flate2::read::MultiGzDecoder;

use super::TableError;
use super::decode::{Decoder, Undecodable};
use super::error::{as_given, is_standard_input};
use super::text_options::Encoding;
use super::whitespace::OneSpace;
use crate::nearest::near;

/// What a compressed file begins with.
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

/// Names of a folder that are compared with one that is not there.
const FILES_COMPARED: usize = 1000;

/// An open file that yields its content, decompressed where its name ends in `.gz`.
pub(super) struct Source {
    path: PathBuf,
    content: Content,
    /// Whether the content comes compressed, whatever is made of it afterwards.
    is_packed: bool,
    ahead: io::Cursor<Vec<u8>>,
    /// Bytes of content, if the file's size shows them.
    pub(super) size: Option<u64>,
}

enum Content {
    Plain(File),
    /// Standard input, all of it.
    Memory(&'static [u8]),
    Gzip(Box<MultiGzDecoder<Box<dyn Read>>>),
    /// Text of another encoding, or with other spaces, than its bytes have.
    Mended(Box<dyn Read>),
}

impl Source {
    /// Opens the file, and refuses a directory before its first read would fail.
    pub(super) fn open(path: &Path) -> Result<Self, TableError> {
        let packed = |bytes: Box<dyn Read>| Content::Gzip(Box::new(MultiGzDecoder::new(bytes)));
        let (content, size, is_packed) = if is_standard_input(path) {
            let bytes = standard_input()?;
            match bytes.starts_with(GZIP_MAGIC) {
                true => (packed(Box::new(bytes)), None, true),
                false => (Content::Memory(bytes), Some(bytes.len() as u64), false),
            }
        } else {
            let (file, metadata) = open_file(path)?;
            // A pipe or device tells no size.
            let size = metadata.is_file().then_some(metadata.len());
            match is_gzip(path) {
                true => {
                    let file = BufReader::with_capacity(1 << 16, file);
                    (packed(Box::new(file)), None, true)
                }
                false => (Content::Plain(file), size, false),
            }
        };
        Ok(Self {
            path: path.to_owned(),
            content,
            is_packed,
            ahead: io::Cursor::default(),
            size,
        })
    }

    /// Opens a file of text, which the source yields as UTF-8. A byte order mark shows UTF-16;
    /// otherwise the text is of the encoding given, or UTF-8.
    pub(super) fn open_text(path: &Path, given: Option<Encoding>) -> Result<Self, TableError> {
        let mut source = Self::open(path)?;
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
            is_packed: self.is_packed,
            ahead: io::Cursor::default(),
            size: None,
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
        let undecodable = error.get_ref().and_then(|error| error.downcast_ref());
        if let Some(Undecodable(message)) = undecodable {
            return TableError::content(&self.path, message.as_str());
        }
        match self.is_packed {
            // An error with a number is the operating system's; the decoder's have none.
            true if error.raw_os_error().is_none() => TableError::Gzip {
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
                Content::Memory(rest) => rest.read(bytes),
                Content::Gzip(decoder) => decoder.read(bytes),
                Content::Mended(text) => text.read(bytes),
            };
            match read {
                // A signal came; nothing is lost.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

/// All of standard input. It can be read once, and readers open their file several times.
pub(super) fn standard_input() -> Result<&'static [u8], TableError> {
    static CONTENT: OnceLock<Result<Vec<u8>, io::ErrorKind>> = OnceLock::new();
    let path = Path::new("-");
    let mut input = io::stdin();
    if CONTENT.get().is_none() && input.is_terminal() {
        let message = "is a terminal; give it a file, as in `passel select - < data.csv`";
        return Err(TableError::content(path, message));
    }
    let content = CONTENT.get_or_init(|| {
        let mut bytes = Vec::new();
        let read = input.read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|error| error.kind())
    });
    match content {
        Ok(bytes) => Ok(bytes),
        Err(kind) => Err(failure(path, (*kind).into())),
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
        io::ErrorKind::NotFound => TableError::NotFound {
            near: near_files(&path),
            path,
        },
        io::ErrorKind::PermissionDenied => TableError::PermissionDenied { path },
        io::ErrorKind::IsADirectory => TableError::Directory { path },
        _ => TableError::Io {
            path,
            source: error,
        },
    }
}

/// Names like that of a file that is not there, of files beside it.
fn near_files(path: &str) -> Vec<String> {
    let path = Path::new(path);
    let (Some(name), Some(folder)) = (path.file_name(), path.parent()) else {
        return Vec::new();
    };
    let folder = Path::new(".").join(folder);
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.take(FILES_COMPARED).collect();
    names.sort_unstable();
    near(&name.to_string_lossy(), names.iter().map(String::as_str))
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
