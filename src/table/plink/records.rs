//! Where in a file of genotypes the record of each variant lies, and what kind it is: a `.bed`, and every storage mode of a
//! `.pgen` whose index is in it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::super::source::Source;
use super::super::{ReadOptions, TableError};
use super::fileset::{Fileset, ending};
use crate::genotypes::pgen;
use crate::memory::MemoryError;
use crate::threads::helpers;

/// What files of genotypes begin with; the next byte is the mode.
pub(super) const MAGIC: [u8; 2] = [0x6c, 0x1b];

/// Bytes of the header of a `.pgen` before its index: the magic bytes and the mode, the numbers of variants and of people,
/// and how its index is written.
const HEADER: u64 = 12;

/// Variants whose records follow one another; of each block the index has the place of the first.
const OF_BLOCK: usize = 1 << 16;

/// How the genotypes of a record are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// As those of a `.bed`.
    Bed,
    /// As the kind of the record of a `.pgen` says.
    Pgen(u8),
}

impl Kind {
    /// Whether genotypes are differences from those of a variant before.
    pub(super) fn needs_base(self) -> bool {
        matches!(self, Self::Pgen(kind) if pgen::needs_base(kind))
    }

    pub(super) fn has_dosages(self) -> bool {
        matches!(self, Self::Pgen(kind) if pgen::has_dosages(kind))
    }

    pub(super) fn has_further_alleles(self) -> bool {
        matches!(self, Self::Pgen(kind) if pgen::has_further_alleles(kind))
    }
}

/// Where a record lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    pub(super) start: u64,
    pub(super) length: u32,
    pub(super) kind: Kind,
}

impl Record {
    pub(super) fn end(&self) -> u64 {
        self.start.saturating_add(u64::from(self.length))
    }
}

/// An open file of genotypes.
pub(super) struct GenotypeFile<'a> {
    path: &'a Path,
    source: Source,
    /// Where in the file the source stands.
    at: u64,
    /// The record of each variant, one behind another.
    pub(super) records: Vec<Record>,
    /// What the files beside it say: how many people and variants there are.
    promised: String,
}

const AGAIN: &str = "write it again with plink2 --make-pgen";

impl<'a> GenotypeFile<'a> {
    /// Opens a file of so many people, whose variants have these names.
    ///
    /// # Errors
    /// It is no file of genotypes, of another size than the two beside it promise, or damaged.
    pub(super) fn open(
        set: &'a Fileset,
        people: usize,
        names: &[String],
        options: &ReadOptions,
    ) -> Result<Self, TableError> {
        let (path, variants) = (&*set.genotypes, names.len());
        let (of_people, of_variants) = (ending(&set.people), ending(&set.variants));
        let mut file = Self {
            path,
            source: Source::open(path, options)?,
            at: 0,
            records: Vec::new(),
            promised: format!(
                "{people} samples in the .{of_people} and {variants} variants in the .{of_variants}"
            ),
        };
        let mut magic = [0; 3];
        let found = file.fill(&mut magic)?;
        let (start, mode) = magic.split_at(2);
        let mode = (start == MAGIC && found == magic.len()).then_some(mode[0]);
        // Before memory is taken for what the others promise, the file has to hold it.
        let size = file.source.measure(u64::MAX)?;
        let quarter = people.div_ceil(4);
        match (mode, ending(path) == "bed") {
            (Some(0), _) => {
                let program = if ending(path) == "bed" {
                    "plink"
                } else {
                    "plink2"
                };
                return Err(file.error(format!(
                    "byte 3 is 00: genotypes sample by sample, an old form; write it again with {program} --make-bed"
                )));
            }
            (Some(1), _) => file.take_fixed(Kind::Bed, (3, quarter), size, names, options)?,
            (_, true) => {
                let found = &magic[..found];
                return Err(file.error(format!(
                    "begins with the bytes {found:02x?}, a PLINK 1 .bed with [6c, 1b, 01]; write it \
                     with plink --make-bed"
                )));
            }
            (Some(mode @ 2..=4), _) => {
                let control = file.header(people, variants)?;
                let has_flags = control >> 6 == 3;
                let flags = if has_flags { variants.div_ceil(8) } else { 0 };
                let (kind, dosages) = [(0, 0), (0x40, 2), (0xc0, 4)][usize::from(mode - 2)];
                let stride = quarter.saturating_add(people.saturating_mul(dosages));
                let form = (HEADER + flags as u64, stride);
                file.take_fixed(Kind::Pgen(kind), form, size, names, options)?;
            }
            (Some(0x10 | 0x11), _) => {
                let control = file.header(people, variants)?;
                file.take_index(control, size, names, options)?;
            }
            (Some(0x20 | 0x21), _) => {
                return Err(file.error(format!("its index is in another file, .pgi; {AGAIN}")));
            }
            _ => {
                let found = &magic[..found];
                return Err(file.error(format!(
                    "begins with the bytes {found:02x?}, a .pgen with [6c, 1b] and a mode that is known; {AGAIN}"
                )));
            }
        }
        Ok(file)
    }

    /// The share of the variants of a `.pgen` that have dosages, by the first block of its index.
    pub(super) fn share_of_dosages(path: &Path) -> Option<f64> {
        let mut file = File::open(path).ok()?;
        let mut header = [0; HEADER as usize];
        file.read_exact(&mut header).ok()?;
        let variants = u32::from_le_bytes([header[3], header[4], header[5], header[6]]) as usize;
        match (header[2], header[11]) {
            (3 | 4, _) => return Some(1.0),
            (0x10 | 0x11, control) if control & 0b1100 == 4 => {}
            _ => return Some(0.0),
        }
        let blocks = variants.div_ceil(OF_BLOCK);
        let mut kinds = vec![0; variants.min(OF_BLOCK)];
        file.seek(SeekFrom::Current(8 * blocks as i64)).ok()?;
        file.read_exact(&mut kinds).ok()?;
        let have = kinds
            .iter()
            .filter(|kind| pgen::has_dosages(**kind))
            .count();
        Some(have as f64 / kinds.len().max(1) as f64)
    }

    fn error(&self, message: impl Into<String>) -> TableError {
        TableError::content(self.path, message.into())
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<usize, TableError> {
        let filled = self.source.fill(bytes)?;
        self.at += filled as u64;
        Ok(filled)
    }

    fn fill_all(&mut self, bytes: &mut [u8]) -> Result<(), TableError> {
        let filled = self.fill(bytes)?;
        match filled == bytes.len() {
            true => Ok(()),
            false => Err(self.error(format!(
                "cut off at byte {}, in its index; {AGAIN}",
                self.at
            ))),
        }
    }

    /// Reads the header of a `.pgen`; returns how its index is written.
    fn header(&mut self, people: usize, variants: usize) -> Result<u8, TableError> {
        let mut header = [0; HEADER as usize - 3];
        self.fill_all(&mut header)?;
        let number = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| header[at + byte]));
        let found = (number(4) as usize, number(0) as usize);
        match found == (people, variants) {
            true => Ok(header[8]),
            false => Err(self.error(format!(
                "of {} samples and {} variants, but there are {}; write the three files again, together",
                found.0, found.1, self.promised
            ))),
        }
    }

    /// Takes memory for so many records.
    fn reserve(&mut self, variants: usize, options: &ReadOptions) -> Result<(), TableError> {
        let bytes = (variants * size_of::<Record>()) as u64;
        let what = "the places of its variants";
        let held = options
            .memory
            .map_or(Ok(()), |memory| memory.grow(bytes, what));
        let reserved = held.and_then(|()| {
            let reserved = self.records.try_reserve_exact(variants);
            reserved.map_err(|_| MemoryError::refused(bytes, what))
        });
        reserved.map_err(|error| TableError::memory(self.path, error))
    }

    /// Records of one length, behind the bytes before them, up to the end of the file.
    fn take_fixed(
        &mut self,
        kind: Kind,
        (start, stride): (u64, usize),
        size: u64,
        names: &[String],
        options: &ReadOptions,
    ) -> Result<(), TableError> {
        let length = u32::try_from(stride)
            .map_err(|_| self.error(format!("{}: more than a record holds", self.promised)))?;
        let end = start.saturating_add(u64::from(length).saturating_mul(names.len() as u64));
        if size < end {
            let variant = size.saturating_sub(start) / u64::from(length);
            return Err(self.cut_off(size, variant as usize, names, end));
        }
        if size > end {
            let promised = &self.promised;
            return Err(self.error(format!(
                "goes on at byte {end}: {promised} end there; write the three files again, together"
            )));
        }
        self.reserve(names.len(), options)?;
        let places = (0..names.len() as u64).map(|at| start + at * u64::from(length));
        self.records.extend(places.map(|start| Record {
            start,
            length,
            kind,
        }));
        Ok(())
    }

    /// The error about a file that ends within a variant.
    fn cut_off(&self, found: u64, variant: usize, names: &[String], expected: u64) -> TableError {
        let (number, name, promised) = (variant + 1, &names[variant], &self.promised);
        self.error(format!(
            "cut off at byte {found}, in variant {number} (`{name}`): {promised} ask for {expected} bytes; write the three \
             files again, together"
        ))
    }

    /// The index of a file whose records differ in kind and length.
    fn take_index(
        &mut self,
        control: u8,
        size: u64,
        names: &[String],
        options: &ReadOptions,
    ) -> Result<(), TableError> {
        let variants = names.len();
        if control & 8 != 0 {
            return Err(self.error(format!(
                "its index is written in a form of files of few samples that is not read; {AGAIN}"
            )));
        }
        let (of_length, is_byte) = (usize::from(control & 3) + 1, control & 4 != 0);
        let of_alleles = usize::from(control >> 4 & 3);
        let has_flags = control >> 6 == 3;
        let of_kinds = |count: usize| if is_byte { count } else { count.div_ceil(2) };
        let of_flags = |count: usize| if has_flags { count.div_ceil(8) } else { 0 };
        let blocks: Vec<usize> = (0..variants)
            .step_by(OF_BLOCK)
            .map(|first| OF_BLOCK.min(variants - first))
            .collect();
        let bytes_of =
            |count: &usize| of_kinds(*count) + count * (of_length + of_alleles) + of_flags(*count);
        let index = 8 * blocks.len() + blocks.iter().map(bytes_of).sum::<usize>();
        let first = HEADER + index as u64;
        if size < first {
            return Err(self.error(format!(
                "cut off at byte {size}, in its index, which takes {first} bytes; {AGAIN}"
            )));
        }
        self.reserve(variants, options)?;
        let mut starts = vec![0; 8 * blocks.len()];
        self.fill_all(&mut starts)?;
        let mut before = first;
        for (count, start) in blocks.iter().zip(starts.chunks_exact(8)) {
            let mut bytes = vec![0; bytes_of(count)];
            self.fill_all(&mut bytes)?;
            let (kinds, rest) = bytes.split_at(of_kinds(*count));
            let start = start
                .iter()
                .rev()
                .fold(0, |all, byte| all << 8 | u64::from(*byte));
            if start < before {
                return Err(self.error(format!(
                    "damaged: its index places variant {} at byte {start}, before the end of others; {AGAIN}",
                    self.records.len() + 1
                )));
            }
            before = start;
            for (at, length) in rest.chunks_exact(of_length).take(*count).enumerate() {
                let kind = match is_byte {
                    true => kinds[at],
                    false => kinds[at / 2] >> (4 * (at % 2)) & 0xf,
                };
                let record = Record {
                    start: before,
                    length: length
                        .iter()
                        .rev()
                        .fold(0, |all, byte| all << 8 | u32::from(*byte)),
                    kind: Kind::Pgen(kind),
                };
                if record.end() > size {
                    return Err(self.cut_off(size, self.records.len(), names, record.end()));
                }
                before = record.end();
                self.records.push(record);
            }
        }
        Ok(())
    }

    /// Reads the records of some variants, which lie one behind another; by all threads where the file allows it.
    pub(super) fn read(&mut self, variants: &[Record], bytes: &mut [u8]) -> Result<(), TableError> {
        let Some(first) = variants.first() else {
            return Ok(());
        };
        let ahead = first.start.saturating_sub(self.at);
        self.source.skip(ahead)?;
        self.at += ahead;
        let filled = self.source.fill_at_once(bytes)?;
        self.at += filled as u64;
        match filled == bytes.len() {
            true => Ok(()),
            // The file has changed since its size was taken.
            false => Err(self.error(format!(
                "cut off at byte {} while it is read; {}",
                self.at, "write the three files again, together"
            ))),
        }
    }

    /// The file, if many threads can read records from any place of it.
    ///
    /// # Errors
    /// An interrupt that was requested.
    pub(super) fn at_any_place(&self) -> Result<Option<&File>, TableError> {
        let Some((file, _, interrupt)) = self.source.file().filter(|_| helpers() > 1) else {
            return Ok(None);
        };
        let stopped = |_| self.source.failure(io::ErrorKind::Interrupted.into());
        interrupt.check().map_err(stopped)?;
        Ok(Some(file))
    }

    /// The error about records that cannot be read.
    pub(super) fn failure(&self, error: io::Error) -> TableError {
        match error.kind() {
            // The file has changed since its size was taken.
            io::ErrorKind::UnexpectedEof => {
                self.error("cut off while it is read; write the three files again, together")
            }
            _ => self.source.failure(error),
        }
    }

    /// The error about the record of a variant.
    pub(super) fn damaged(&self, variant: usize, name: &str, damage: &str) -> TableError {
        let number = variant + 1;
        self.error(format!(
            "variant {number} (`{name}`) is damaged: its record {damage}; copy the file again, or {AGAIN}"
        ))
    }
}
