//! Compressed content: unpacked ahead of its reader on a thread of its own, and, where it consists of blocks that say
//! how long they are (bgzip), many of them at a time.

use std::io::{self, BufReader, Cursor, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use flate2::read::MultiGzDecoder;

use crate::threads::{CpuMeter, helpers, map_each, piece};

/// Bytes that are handed over at a time, and how often the thread is ahead at most.
const PIECE: usize = piece(1 << 20);
const AHEAD: usize = 4;

/// Blocks that each thread unpacks at a time, and the most bytes in one.
const BLOCKS: usize = 16;
const LARGEST: usize = 1 << 16;

/// The fixed part of a block's header, whose extra field is as long as its last two bytes say.
const FIXED: usize = 12;

/// What a header with an extra field begins with.
const WITH_EXTRA: [u8; 4] = [0x1f, 0x8b, 8, 4];

/// Unpacked content.
pub(super) enum Gzip<R> {
    /// Of any packer, by the thread that reads.
    Here(Box<MultiGzDecoder<Packed<R>>>),
    /// The same, by a thread of its own.
    Ahead(Ahead),
    /// Of blocks.
    Blocks(Blocks<R>),
}

/// Packed content, of which some bytes were looked at.
type Packed<R> = io::Chain<Cursor<Vec<u8>>, BufReader<R>>;

impl<R: Read + Send + 'static> Gzip<R> {
    pub(super) fn new(packed: R) -> io::Result<Self> {
        let mut packed = BufReader::with_capacity(1 << 16, packed);
        let mut seen = Vec::new();
        match Block::read(&mut packed, &mut seen)? {
            Some(block) => Ok(Self::Blocks(Blocks {
                packed: Some(packed),
                first: Some(block),
                unpacked: Cursor::default(),
                rest: None,
                failed: false,
            })),
            None => Self::ahead(Cursor::new(seen).chain(packed)),
        }
    }

    fn ahead(packed: Packed<R>) -> io::Result<Self> {
        let decoder = Box::new(MultiGzDecoder::new(packed));
        // Where one thread is asked for, one works.
        match helpers() {
            1 => Ok(Self::Here(decoder)),
            _ => Ahead::new(decoder).map(Self::Ahead),
        }
    }
}

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Here(decoder) => decoder.read(bytes),
            Self::Ahead(ahead) => ahead.read(bytes),
            Self::Blocks(blocks) => blocks.read(bytes),
        }
    }
}

/// Content that a thread unpacks ahead of its reader.
pub(super) struct Ahead {
    /// An empty piece is the end.
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Cursor<Vec<u8>>,
    ended: bool,
}

impl Ahead {
    fn new(mut decoder: impl Read + Send + 'static) -> io::Result<Self> {
        let (give, pieces) = sync_channel(AHEAD);
        let unpack = move || {
            loop {
                let mut piece = Vec::new();
                let read = (&mut decoder).take(PIECE as u64).read_to_end(&mut piece);
                let (ended, failed) = (piece.is_empty(), read.err());
                // What was unpacked before damage is read before it is told of.
                let is_heard = ended && failed.is_some() || give.send(Ok(piece)).is_ok();
                if let Some(error) = failed {
                    // Nobody may hear it any more.
                    let _ = give.send(Err(error));
                    return;
                }
                if ended || !is_heard {
                    return;
                }
            }
        };
        let meter = CpuMeter::current();
        thread::Builder::new().spawn(move || meter.run(unpack))?;
        Ok(Self {
            pieces,
            piece: Cursor::default(),
            ended: false,
        })
    }
}

impl Read for Ahead {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.piece.read(bytes)?;
            if read > 0 || self.ended || bytes.is_empty() {
                return Ok(read);
            }
            let piece = self.pieces.recv();
            let piece =
                piece.map_err(|_| io::Error::other("a thread of passel's own failed"))??;
            self.ended = piece.is_empty();
            self.piece = Cursor::new(piece);
        }
    }
}

/// One block, whole as it is packed.
struct Block(Vec<u8>);

impl Block {
    /// The next block; `None` at the end, and where something else follows, the bytes of which that were looked at are
    /// then in `seen`.
    fn read(packed: &mut impl Read, seen: &mut Vec<u8>) -> io::Result<Option<Self>> {
        read_up_to(packed, FIXED, seen)?;
        if seen.len() < FIXED || !seen.starts_with(&WITH_EXTRA) {
            return Ok(None);
        }
        let extra = usize::from(u16::from_le_bytes([seen[10], seen[11]]));
        read_up_to(packed, FIXED + extra, seen)?;
        let Some(size) = seen.get(FIXED..).and_then(block_size) else {
            return Ok(None);
        };
        if size < seen.len() {
            return Ok(None);
        }
        read_up_to(packed, size, seen)?;
        Ok((seen.len() == size).then(|| Self(std::mem::take(seen))))
    }

    /// What is in it; its checksum tells of damage.
    fn unpacked(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(LARGEST);
        let decoder = MultiGzDecoder::new(&*self.0);
        decoder.take(LARGEST as u64 + 1).read_to_end(&mut bytes)?;
        match bytes.len() {
            ..=LARGEST => Ok(bytes),
            _ => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a block holds more than 64 KiB",
            )),
        }
    }
}

/// The bytes of a block, as the field `BC` of its extra fields says.
fn block_size(mut extra: &[u8]) -> Option<usize> {
    while let [one, other, low, high, rest @ ..] = extra {
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        let (field, others) = rest.split_at_checked(length)?;
        match ([*one, *other], field) {
            ([b'B', b'C'], [low, high]) => {
                return Some(usize::from(u16::from_le_bytes([*low, *high])) + 1);
            }
            _ => extra = others,
        }
    }
    None
}

/// Appends bytes until there are so many, as far as there are.
fn read_up_to(from: &mut impl Read, count: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    let more = count.saturating_sub(bytes.len()) as u64;
    from.take(more).read_to_end(bytes)?;
    Ok(())
}

/// Content of blocks, of which threads unpack some at a time.
pub(super) struct Blocks<R> {
    /// None once something else followed.
    packed: Option<BufReader<R>>,
    first: Option<Block>,
    unpacked: Cursor<Vec<u8>>,
    /// What followed.
    rest: Option<Box<MultiGzDecoder<Packed<R>>>>,
    /// Whether an error was told, behind which there is no end.
    failed: bool,
}

impl<R: Read> Blocks<R> {
    fn unpack_more(&mut self) -> io::Result<()> {
        let Some(mut packed) = self.packed.take() else {
            return Ok(());
        };
        let mut blocks: Vec<Block> = self.first.take().into_iter().collect();
        let mut seen = Vec::new();
        let mut goes_on = true;
        while goes_on && blocks.len() < helpers() * BLOCKS {
            match Block::read(&mut packed, &mut seen)? {
                Some(block) => blocks.push(block),
                None => goes_on = false,
            }
        }
        let unpacked = map_each(blocks, |block| block.unpacked());
        let unpacked: Vec<Vec<u8>> = unpacked.into_iter().collect::<io::Result<_>>()?;
        self.unpacked = Cursor::new(unpacked.concat());
        match goes_on {
            true => self.packed = Some(packed),
            false if seen.is_empty() => {}
            false => {
                let rest = Cursor::new(seen).chain(packed);
                self.rest = Some(Box::new(MultiGzDecoder::new(rest)));
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for Blocks<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.unpacked.read(bytes)?;
            if read > 0 || bytes.is_empty() {
                return Ok(read);
            }
            if self.failed {
                return Err(io::ErrorKind::InvalidData.into());
            }
            if self.packed.is_none() {
                return self.rest.as_mut().map_or(Ok(0), |rest| rest.read(bytes));
            }
            self.failed = true;
            self.unpack_more()?;
            self.failed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, GzBuilder, write::GzEncoder};

    use super::*;
    use crate::threads::with_helpers;

    fn text(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at * at / 7 % 251) as u8).collect()
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// As bgzip writes it.
    fn blocks(bytes: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        let pieces = bytes.chunks(50_000).chain([&[][..]]);
        for piece in pieces {
            let extra = |size: u16| [&b"XY\x01\x00-BC\x02\x00"[..], &size.to_le_bytes()].concat();
            let packed = |size| {
                let builder = GzBuilder::new().extra(extra(size));
                let mut encoder = builder.write(Vec::new(), Compression::fast());
                encoder.write_all(piece).unwrap();
                encoder.finish().unwrap()
            };
            let size = packed(0).len() - 1;
            all.extend(packed(size as u16));
        }
        all
    }

    fn unpacked(packed: &[u8], threads: usize) -> (Vec<u8>, Option<io::ErrorKind>) {
        let packed = Cursor::new(packed.to_vec());
        with_helpers(threads, || {
            let mut bytes = Vec::new();
            let read = Gzip::new(packed).and_then(|mut gzip| gzip.read_to_end(&mut bytes));
            (bytes, read.err().map(|error| error.kind()))
        })
    }

    #[test]
    fn content_of_any_packer_is_unpacked() {
        for length in [0, 1, 70_000, 3 << 20] {
            let whole = text(length);
            let (one, other) = whole.split_at(length / 3);
            let several = [packed(one), packed(other)].concat();
            let mixed = [blocks(one), packed(other)].concat();
            for bytes in [packed(&whole), several, blocks(&whole), mixed] {
                for threads in [1, 3] {
                    let found = unpacked(&bytes, threads);
                    assert!(found == (whole.clone(), None), "{length} {threads}");
                }
            }
        }
    }

    #[test]
    fn blocks_are_known_by_their_sizes() {
        let gzip = |bytes: Vec<u8>| Gzip::new(Cursor::new(bytes)).unwrap();
        let bytes = text(200_000);
        assert!(matches!(gzip(blocks(&bytes)), Gzip::Blocks(_)));
        assert!(matches!(gzip(packed(&bytes)), Gzip::Here(_)));
    }

    #[test]
    fn damage_is_told_whoever_unpacks() {
        let whole = text(400_000);
        for (bytes, name) in [(packed(&whole), "gzip"), (blocks(&whole), "bgzip")] {
            for (cut, wrong) in [(0, 1000), (1, 0), (9, 0), (bytes.len() / 2, 0)] {
                let mut damaged = bytes[..bytes.len() - cut].to_vec();
                if wrong > 0 {
                    damaged[wrong] ^= 0x55;
                }
                // What ends a file of blocks is one that holds nothing: without it nothing is lost.
                for threads in [1, 3] {
                    let (found, error) = unpacked(&damaged, threads);
                    assert!(error.is_some() || found == whole, "{name} {cut} {wrong}");
                    assert!(whole.starts_with(&found) || wrong > 0, "{name} {cut}");
                }
            }
        }
        assert!(unpacked(b"no gzip", 2).1.is_some());
    }

    #[test]
    fn a_reader_that_leaves_early_ends_the_thread() {
        let bytes = packed(&text(20 << 20));
        with_helpers(2, || {
            let mut gzip = Gzip::new(Cursor::new(bytes)).unwrap();
            gzip.read_exact(&mut [0; 100]).unwrap();
        });
    }
}
