//! How much a file holds, before it is read: by its header, or from its first lines.

use std::{fs, io::Read, path::Path};

use super::{Format, npy, source::Source};

/// So much of a text is looked at.
const SAMPLE: u64 = 1 << 18;

/// By how much a compressed text is larger, where nothing else is known.
const COMPRESSED: u64 = 4;

/// About how many values there are in a file; none where that cannot be told. Zeros that the
/// format leaves out are none.
pub fn estimated_values(path: &Path) -> Option<u64> {
    let bytes = fs::metadata(path).ok()?.len();
    match Format::of(path)? {
        Format::Npy => npy::shape(path).ok().map(|it| {
            let all = it.iter().fold(1_u64, |all, it| all.saturating_mul(*it));
            // What the header promises need not be there.
            all.min(COMPRESSED * COMPRESSED * bytes)
        }),
        Format::Bed => Some(4 * bytes),
        Format::Mrmr => Some(bytes),
        // It compresses by columns: some bytes a value.
        Format::Parquet => Some(bytes / 4),
        Format::Delimited(_) | Format::Dat | Format::Arff | Format::Libsvm => {
            let whole = match path.extension().is_some_and(|it| it == "gz") {
                true => COMPRESSED * bytes,
                false => bytes,
            };
            let mut text = Vec::new();
            let source = Source::open(path).ok()?;
            source.take(SAMPLE).read_to_end(&mut text).ok()?;
            let blank = |it: &&u8| b",;\t \n".contains(it);
            let values = text.iter().filter(blank).count().max(1) as u64;
            Some((values * whole / (text.len() as u64).max(1)).max(values))
        }
    }
}
