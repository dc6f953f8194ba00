//! The formats that tables are read from. The ending of a file's name says which it is.

use std::path::{Path, PathBuf};

use super::format::{Format, companion};
#[cfg(feature = "parquet")]
use super::parquet;
use super::{arff, csv, dat, libsvm, mrmr, npy, plink};

/// Every format. A new one is a file with its `FORMAT`, and a line here.
const FORMATS: &[Format] = &[
    csv::COMMAS,
    csv::TABS,
    npy::FORMAT,
    dat::FORMAT,
    arff::FORMAT,
    libsvm::FORMAT,
    mrmr::FORMAT,
    plink::FORMAT,
    parquet::FORMAT,
];

/// Stands for Parquet's reader where it is left out of the program.
#[cfg(not(feature = "parquet"))]
mod parquet {
    use super::super::format::Format;

    pub(super) const FORMAT: Format = Format {
        extensions: &["parquet"],
        gzip: false,
        companions: &[],
        read: |input| {
            Err(input.error(
                "this passel was built without Parquet; build it with `cargo install --path . \
                 --features parquet`, or write the table as .csv",
            ))
        },
        estimate: |_, bytes| Some(bytes / 4),
    };
}

impl Format {
    /// The format of `name.ending` or `name.ending.gz`, in any case, and the ending.
    pub(super) fn of(path: &Path) -> Option<(&'static Self, &'static str)> {
        let whole = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = whole.strip_suffix(".gz").unwrap_or(&whole);
        let ending = name.rsplit_once('.')?.1;
        let known = |format: &'static Self| {
            let extension = format.extensions.iter().find(|known| **known == ending)?;
            Some((format, *extension))
        };
        let (format, extension) = FORMATS.iter().find_map(known)?;
        (format.gzip || name.len() == whole.len()).then_some((format, extension))
    }

    /// All endings as a message lists them.
    pub(super) fn known_endings() -> String {
        let listed = |gzip: bool| {
            let formats = FORMATS.iter().filter(|format| format.gzip == gzip);
            let endings = formats.flat_map(|format| format.extensions);
            let endings: Vec<String> = endings.map(|ending| format!(".{ending}")).collect();
            match &endings[..] {
                [others @ .., last] if !others.is_empty() => {
                    format!("{} or {last}", others.join(", "))
                }
                _ => endings.concat(),
            }
        };
        let (packed, plain) = (listed(true), listed(false));
        format!("{packed}, each optionally followed by .gz, or in {plain}")
    }
}

/// The endings of the names of files that [`read`](super::read) knows, without `.gz`.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().flat_map(|format| format.extensions).copied()
}

/// Whether a file's name says NumPy array, gzipped or not.
pub fn is_npy(path: &Path) -> bool {
    Format::of(path).is_some_and(|(_, ending)| ending == "npy")
}

/// The files that [`read`](super::read) opens for this one, itself the first.
pub fn input_files(path: &Path) -> Vec<PathBuf> {
    let companions = Format::of(path).map_or(&[][..], |(format, _)| format.companions);
    let companions = companions.iter().map(|ending| companion(path, ending));
    std::iter::once(path.to_owned()).chain(companions).collect()
}

/// Estimates the number of values in a file from its size, its header or its first lines; `None`
/// if it cannot. Zeros that the format leaves out are not counted.
pub fn estimated_values(path: &Path) -> Option<u64> {
    let bytes = std::fs::metadata(path).ok()?.len();
    (Format::of(path)?.0.estimate)(path, bytes)
}
