//! What the first bytes of a file show about its format.

use std::path::Path;

use super::TableError;
use super::error::Fault;

/// Formats that are not text, by their first bytes.
const MAGIC: [(&[u8], &str); 7] = [
    (
        b"PK\x03\x04",
        "an Excel workbook or a ZIP archive; save the sheet as CSV, or unpack it",
    ),
    (
        b"\xd0\xcf\x11\xe0",
        "an old Excel workbook; save the sheet as CSV",
    ),
    (
        b"\x1f\x8b",
        "compressed by gzip; give its name the ending .gz",
    ),
    (
        b"BZh",
        "compressed by bzip2; unpack it, or compress it with gzip",
    ),
    (
        b"\x28\xb5\x2f\xfd",
        "compressed by zstd; unpack it, or compress it with gzip",
    ),
    (b"PAR1", "a Parquet file; give its name the ending .parquet"),
    (b"\x93NUMPY", "a NumPy array; give its name the ending .npy"),
];

/// Bytes looked at for zeros, which no text has.
const ZEROS_SOUGHT: usize = 1 << 10;

/// Refuses a file that is no text, by its first bytes.
pub(super) fn check(path: &Path, start: &[u8]) -> Result<(), TableError> {
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| start.starts_with(magic)) {
        let fault = Fault::from(format!("not text: it is {what}"));
        return Err(fault.at(path, Some(1)));
    }
    let zeros = memchr::memchr_iter(0, &start[..start.len().min(ZEROS_SOUGHT)]);
    let (even, odd): (Vec<usize>, Vec<usize>) = zeros.partition(|at| at % 2 == 0);
    let encoding = match (even.len(), odd.len()) {
        (0, 0) => return Ok(()),
        (0, _) => "it looks like UTF-16: read it with --encoding utf-16",
        (_, 0) => "it looks like UTF-16: read it with --encoding utf-16be",
        _ => "copy it again, or write the table as CSV",
    };
    let message = format!("not text: it holds bytes that are 0; {encoding}");
    Err(Fault::from(message).at(path, Some(1)))
}

/// The ending of the names of files that begin like this, for a text without such a name.
pub(super) fn ending(start: &[u8]) -> &'static str {
    let lines = start.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let own = |mark: u8| {
        let mut own = lines.clone();
        own.find(move |line| !line.is_empty() && line[0] != mark)
            .unwrap_or_default()
    };
    if own(b'%').to_ascii_lowercase().starts_with(b"@relation") {
        return "arff";
    }
    let line = own(b'#');
    let mut fields = line
        .split(u8::is_ascii_whitespace)
        .filter(|field| !field.is_empty());
    let entry = |field: &[u8]| {
        let colon = memchr::memchr(b':', field).unwrap_or(0);
        colon > 0 && field[..colon].iter().all(u8::is_ascii_digit)
    };
    let has_label = fields.next().is_some_and(|label| !label.contains(&b':'));
    match has_label && fields.clone().next().is_some() && fields.all(entry) {
        true => "libsvm",
        false => "txt",
    }
}
