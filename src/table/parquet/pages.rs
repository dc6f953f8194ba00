//! Pages that promise more values than there can be, refused before the crate takes memory for
//! these; and more pages than there can be.

use std::{
    fs::File,
    io::{self, BufReader, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use super::super::source::read_at;
use crate::interrupt::Interrupt;

/// A file with a limit on how often it is read: a page with a wrong length may send the crate back
/// to the same page for ever. Threads read it from places of their own: clones of a [`File`] share one.
pub(super) struct Counted {
    file: Arc<File>,
    left: AtomicU64,
}

impl Counted {
    /// Each page takes a few bytes, and is read twice.
    pub(super) fn new(file: File) -> Self {
        let left = AtomicU64::new(Length::len(&file).saturating_add(1024));
        let file = Arc::new(file);
        Self { file, left }
    }

    fn part(&self, position: u64) -> Part {
        let file = Arc::clone(&self.file);
        Part { file, position }
    }

    fn count(&self) -> Result<()> {
        let one_less = |left: u64| left.checked_sub(1);
        let counted = self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
        let lie = || ParquetError::General("it has more pages than bytes".to_owned());
        counted.map(drop).map_err(|_| lie())
    }
}

/// A file from a place on.
struct Part {
    file: Arc<File>,
    position: u64,
}

impl Read for Part {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = read_at(&self.file, bytes, self.position)?;
        self.position += count as u64;
        Ok(count)
    }
}

/// A part of a file that stops reads past its end: the crate would read as many zeros there as a
/// list promises.
pub(super) struct Ending {
    part: BufReader<Part>,
    past: usize,
}

impl Read for Ending {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.part.read(bytes)?;
        self.past += usize::from(count == 0 && !bytes.is_empty());
        match self.past > 16 {
            true => Err(io::ErrorKind::UnexpectedEof.into()),
            false => Ok(count),
        }
    }
}

impl Length for Counted {
    fn len(&self) -> u64 {
        Length::len(&*self.file)
    }
}

impl ChunkReader for Counted {
    type T = Ending;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        self.count()?;
        let part = BufReader::new(self.part(start));
        Ok(Ending { part, past: 0 })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.count()?;
        let mut bytes = Vec::new();
        let mut part = self.part(start).take(length as u64);
        let found = part.read_to_end(&mut bytes)?;
        match found == length {
            true => Ok(bytes.into()),
            false => Err(ParquetError::EOF(format!(
                "{length} bytes promised, {found} found"
            ))),
        }
    }
}

/// The pages of a column of a row group, each looked at.
pub(super) struct Checked {
    pub(super) pages: Box<dyn PageReader>,
    pub(super) rows: usize,
    /// Most definition levels of a value: 0 where none is null.
    pub(super) levels: i16,
    /// Ends the reading.
    pub(super) interrupt: Interrupt,
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let heeded = self.interrupt.check();
        heeded.map_err(|interrupted| ParquetError::General(interrupted.to_string()))?;
        let page = self.pages.get_next_page()?;
        page.as_ref().map_or(Ok(()), |page| self.check(page))?;
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

impl Checked {
    fn check(&self, page: &Page) -> Result<()> {
        let values = page.num_values() as usize;
        let most = match page {
            // Each takes a byte or more, but a truth value, which no dictionary holds.
            Page::DictionaryPage { buf, .. } => buf.len(),
            // No value is a list.
            Page::DataPage { .. } | Page::DataPageV2 { .. } => self.rows,
        };
        let lengths = lengths(page, self.levels).unwrap_or(0);
        match values > most || lengths > values as u64 {
            true => Err(ParquetError::General(format!(
                "a page promises {} values, but at most {} can be there",
                lengths.max(values as u64),
                most.min(values.max(1))
            ))),
            false => Ok(()),
        }
    }
}

/// The number of text lengths that a page promises, if its encoding has any.
fn lengths(page: &Page, levels: i16) -> Option<u64> {
    let bytes = match page {
        Page::DataPage { buf, .. } if levels == 0 => buf,
        Page::DataPage {
            buf,
            def_level_encoding: Encoding::RLE,
            ..
        } => {
            let (length, rest) = buf.split_first_chunk()?;
            rest.get(u32::from_le_bytes(*length) as usize..)?
        }
        Page::DataPageV2 {
            buf,
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } => buf.get(def_levels_byte_len.checked_add(*rep_levels_byte_len)? as usize..)?,
        // Or levels of an old kind, which comes without packed lengths.
        Page::DictionaryPage { .. } | Page::DataPage { .. } => return None,
    };
    match page.encoding() {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => Some(packed(bytes)?.0),
        // Lengths of what is shared with the text before, then of what is not.
        Encoding::DELTA_BYTE_ARRAY => {
            let (shared, rest) = packed(bytes)?;
            let own = rest.and_then(packed).map_or(0, |(count, _)| count);
            Some(shared.max(own))
        }
        _ => None,
    }
}

/// The number of delta-packed integers at the front, and the bytes after them if all are there.
fn packed(mut bytes: &[u8]) -> Option<(u64, Option<&[u8]>)> {
    let block = varint(&mut bytes)?;
    let parts = varint(&mut bytes)?;
    let count = varint(&mut bytes)?;
    // The first value.
    varint(&mut bytes)?;
    let part = block.checked_div(parts)?;
    let mut left = count.saturating_sub(1);
    let mut skip = || {
        while left > 0 {
            // The least difference, and the bits of each part.
            varint(&mut bytes)?;
            let widths = bytes.split_off(..usize::try_from(parts).ok()?)?;
            for width in widths {
                if left == 0 {
                    break;
                }
                let length = part.checked_mul(u64::from(*width))? / 8;
                bytes.split_off(..usize::try_from(length).ok()?)?;
                left = left.saturating_sub(part);
            }
        }
        Some(bytes)
    };
    Some((count, skip()))
}

/// Takes off a number of seven bits a byte, the lowest first.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}
