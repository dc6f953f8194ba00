//! The header of an array, with checks of what its parser takes on trust.

use std::io;

use npyz::NpyHeader;

use super::super::TableError;
use super::super::source::Source;

/// Headers of numeric arrays take about a hundred bytes; longer ones are of other things.
const HEADER_BYTES: usize = 1 << 14;
/// The bytes that every array begins with.
const MAGIC: &[u8] = b"\x93NUMPY";

/// Reads the header; how many bytes it takes goes with it. The inner error is of text that is none.
pub(super) fn read(source: &mut Source) -> Result<io::Result<(NpyHeader, u64)>, TableError> {
    let bytes = header_bytes(source)?;
    let header = check_length(&bytes)
        .and_then(|()| check_depth(&bytes))
        .and_then(|()| check_shape(&bytes))
        .and_then(|()| NpyHeader::from_reader(&bytes[..]));
    Ok(header.map(|header| (header, bytes.len() as u64)))
}

/// The bytes up to the elements: magic number, version, length, and as many bytes of text;
/// fewer where the file ends before, or where the text is longer than an array's.
fn header_bytes(source: &mut Source) -> Result<Vec<u8>, TableError> {
    let mut bytes = vec![0; 10];
    let mut filled = source.fill(&mut bytes)?;
    if filled == bytes.len() && bytes.starts_with(MAGIC) {
        if bytes[6] > 1 {
            bytes.resize(12, 0);
            filled += source.fill(&mut bytes[10..])?;
        }
        let text = bytes.len();
        bytes.resize(text + text_length(&bytes).min(HEADER_BYTES), 0);
        filled += source.fill(&mut bytes[text..])?;
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// The length of the header's text as its first bytes tell it, with the four of later versions.
fn text_length(header: &[u8]) -> usize {
    match *header {
        [_, _, _, _, _, _, 0..=1, _, a, b, ..] => u16::from_le_bytes([a, b]).into(),
        [_, _, _, _, _, _, _, _, a, b, c, d, ..] => u32::from_le_bytes([a, b, c, d]) as usize,
        _ => 0,
    }
}

/// Refuses text that is not all there, for whose length the header's parser takes memory.
fn check_length(header: &[u8]) -> io::Result<()> {
    let start = if header.get(6) > Some(&1) { 12 } else { 10 };
    if header.starts_with(MAGIC) && header.len() < start + text_length(header) {
        let message = format!("its header is cut off, or longer than {HEADER_BYTES} bytes");
        return Err(invalid(message));
    }
    Ok(())
}

/// Refuses lists in lists, deeper than in any type: the header's parser goes through the innermost
/// twice for each list around it.
fn check_depth(header: &[u8]) -> io::Result<()> {
    const DEEPEST: usize = 4;
    let mut depth = 0_usize;
    for byte in header {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            let message = format!("its header has lists in lists, more than {DEEPEST} deep");
            return Err(invalid(message));
        }
    }
    Ok(())
}

/// Refuses shapes whose number of elements overflows, which the header's parser multiplies
/// without a check.
fn check_shape(header: &[u8]) -> io::Result<()> {
    for at in memchr::memmem::find_iter(header, b"shape") {
        let sides = header[at..].split(|byte| *byte == b'(').nth(1);
        let sides = sides.and_then(|rest| rest.split(|byte| *byte == b')').next());
        let mut product = Some(1_u64);
        for side in sides.unwrap_or_default().split(|byte| *byte == b',') {
            let side = side.trim_ascii();
            if !side.is_empty() {
                let side = str::from_utf8(side).ok().and_then(|side| side.parse().ok());
                product = product
                    .zip(side)
                    .and_then(|(product, side): (u64, u64)| product.checked_mul(side.max(1)));
            }
        }
        if product.is_none() {
            let message = "its shape is no list of sizes that memory could hold";
            return Err(invalid(message.to_owned()));
        }
    }
    Ok(())
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}
