//! What a format is, and what its reader is given. The ending of a file's name says which it is.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::content;
use super::error::{as_given, is_standard_input};
use super::extent::Extent;
use super::source::{Source, is_gzip};
use super::{
    Cohort, Column, ColumnPartition, FORMATS, ReadOptions, Table, TableError, TextOptions, Values,
    names,
};
use crate::memory::MemoryError;
use crate::nearest::either;

pub(super) struct Format {
    /// The endings of the names of its files, in lower case, without `.gz`.
    pub(super) extensions: &'static [&'static str],
    /// Whether compressed files, with `.gz` after the ending, are read too.
    pub(super) gzip: bool,
    /// Whether the format itself says which column is the response.
    pub(super) names_response: bool,
    /// The endings of the companion files that belong to a file of this format: of each, those that it may have.
    pub(super) companions: &'static [&'static [&'static str]],
    /// The endings of those that may be missing.
    pub(super) may_have: &'static [&'static str],
    /// Reads the columns of a file that a partition assigns to this process. Those of other ranks
    /// may be left without values.
    pub(super) read: fn(&Input) -> Result<Table, TableError>,
    /// The columns of a file without their values, as far as its header tells; `None` where it does not.
    pub(super) header: fn(&Input) -> Result<Option<Table>, TableError>,
    /// About how much a file holds, whose size in bytes is given, and how its text is written; `None` if
    /// that cannot be told.
    pub(super) estimate: fn(&Path, u64, TextOptions) -> Option<Extent>,
}

impl Format {
    /// Whether it is one of genotypes.
    fn has_genotypes(&self) -> bool {
        ["bed", "pgen"].contains(&self.extensions[0])
    }

    /// A format of text, alone in its file and maybe compressed. Others say what differs.
    pub(super) const fn new(
        extensions: &'static [&'static str],
        read: fn(&Input) -> Result<Table, TableError>,
    ) -> Self {
        Self {
            extensions,
            gzip: true,
            names_response: true,
            companions: &[],
            may_have: &[],
            read,
            header: |input| Source::open(input.path, input.options).map(|_| None),
            estimate: |_, _, _| None,
        }
    }

    /// The format of `name.ending` or `name.ending.gz`, in any case, and the ending.
    pub(super) fn of(path: &Path) -> Option<(&'static Self, &'static str)> {
        // An ending is ASCII, whatever stands before it.
        let whole = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let name = whole.strip_suffix(".gz").unwrap_or(&whole);
        let ending = name.rsplit_once('.')?.1;
        let known = |format: &'static Self| {
            let extension = format.extensions.iter().find(|known| **known == ending)?;
            Some((format, *extension))
        };
        let (format, extension) = FORMATS.iter().find_map(known)?;
        (format.gzip || name.len() == whole.len()).then_some((format, extension))
    }

    /// The format of a file's name; of standard input, that which its content shows.
    pub(super) fn of_file(path: &Path, options: &ReadOptions) -> Result<&'static Self, TableError> {
        if is_standard_input(path) {
            let mut start = vec![0; 1 << 12];
            let as_found = TextOptions::default();
            let mut source = Source::open_text(path, &options.with_text(as_found))?;
            let filled = source.fill(&mut start)?;
            let ending = content::ending(&start[..filled]);
            let name = Path::new("-").with_extension(ending);
            if let Some((format, _)) = Self::of(&name) {
                return Ok(format);
            }
        }
        let unknown = || TableError::UnknownFormat {
            path: as_given(path),
            mend: mend_of(path),
            endings: Self::known_endings(),
        };
        Self::of(path).map(|(format, _)| format).ok_or_else(unknown)
    }

    pub(super) fn known_endings() -> String {
        let listed = |gzip: bool| {
            let formats = FORMATS.iter().filter(|format| format.gzip == gzip);
            let endings = formats.flat_map(|format| format.extensions);
            let endings: Vec<String> = endings.map(|ending| format!(".{ending}")).collect();
            either(&endings)
        };
        let (packed, plain) = (listed(true), listed(false));
        format!("{packed}, each optionally followed by .gz, or in {plain}")
    }
}

/// What makes a file that is read of one of another program's format.
fn mend_of(path: &Path) -> &'static str {
    let packed = is_gzip(path).then(|| path.with_extension(""));
    let ending = packed.as_deref().unwrap_or(path).extension();
    let ending = ending.and_then(OsStr::to_str).unwrap_or_default();
    match &*ending.to_ascii_lowercase() {
        "pvar" | "psam" | "bim" | "fam" => "a file beside genotypes; name the .pgen or .bed: ",
        "xlsx" | "xls" | "ods" | "numbers" => "a workbook; save the sheet as CSV: ",
        "rds" | "rda" | "rdata" => "a file of R; write it with write.csv: ",
        "sas7bdat" | "xpt" | "sav" | "dta" => {
            "a file of a statistics program; export the table as CSV: "
        }
        "json" | "feather" | "arrow" | "h5" | "pkl" => "no table that is read; write it as CSV: ",
        "vcf" | "bcf" | "bgen" => {
            "genotypes of another program; write them with plink2 --make-pgen: "
        }
        "zip" | "bz2" | "xz" | "zst" | "7z" => "compressed otherwise than by gzip; unpack it: ",
        _ => "",
    }
}

/// Parquet, which compresses within: some bytes a value. Its reader may be left out of the program.
pub(super) const PARQUET_UNBUILT: Format = Format {
    gzip: false,
    names_response: false,
    estimate: |_, bytes, _| Some(Extent::dense(bytes / 4, 1, 8)),
    ..Format::new(&["parquet"], |input| {
        Err(input.error(
            "this passel was built without Parquet; build it with `cargo install --path . \
             --features parquet`, or write the table as .csv",
        ))
    })
};

/// A file, and what is wanted of it.
pub(super) struct Input<'a> {
    pub(super) path: &'a Path,
    pub(super) options: &'a ReadOptions<'a>,
    pub(super) partition: &'a ColumnPartition<'a>,
}

impl Input<'_> {
    /// Refuses options of delimited text for a file of another format.
    pub(super) fn refuse_text_options(&self, format: &Format) -> Result<(), TableError> {
        let text = &self.options.text;
        let tables = self
            .options
            .cohort
            .map(|own| [&own.phenotype, &own.covariates]);
        let has_tables = tables.is_some_and(|tables| tables.iter().any(|own| own.is_some()));
        let is_delimited = has_tables || ["csv", "tsv", "txt"].contains(&format.extensions[0]);
        let given = [
            ("--separator", text.separator.is_some()),
            ("--decimal", text.decimal.is_some()),
            ("--no-header", text.no_header),
        ];
        match given
            .into_iter()
            .find(|(_, is_given)| *is_given && !is_delimited)
        {
            None => Ok(()),
            Some((option, _)) => Err(self.error(format!(
                "{option} is for delimited text, and this is .{}: leave it out",
                format.extensions[0]
            ))),
        }
    }

    /// Refuses options of genotypes for a file of another format.
    pub(super) fn refuse_cohort(&self, format: &Format) -> Result<(), TableError> {
        let given = self.options.cohort.map(Cohort::given).unwrap_or_default();
        match given.first() {
            Some((option, _)) if !format.has_genotypes() => Err(self.error(format!(
                "--{option} is for genotypes, .bed or .pgen, and this is .{}: leave it out",
                format.extensions[0]
            ))),
            _ => Ok(()),
        }
    }

    /// Takes memory for what is read.
    pub(super) fn hold(&self, bytes: usize, what: &str) -> Result<(), TableError> {
        let memory = self.options.memory;
        let held = memory.map_or(Ok(()), |memory| memory.grow(bytes as u64, what));
        held.map_err(|error| self.refused(error))
    }

    /// The error about memory that cannot be had.
    pub(super) fn refused(&self, error: MemoryError) -> TableError {
        TableError::memory(self.path, error)
    }

    pub(super) fn error(&self, message: impl Into<String>) -> TableError {
        TableError::content(self.path, message)
    }

    /// The table of so many columns without values; `None` if the file is too small to have them, which
    /// its reading will tell.
    pub(super) fn named(
        &self,
        count: usize,
        names: impl Iterator<Item = String>,
        response: Option<usize>,
    ) -> Result<Option<Table>, TableError> {
        let bytes = std::fs::metadata(self.path).map_or(0, |facts| facts.len());
        if count as u64 > bytes {
            return Ok(None);
        }
        let columns = names.map(|name| Column::from((name, Values::Remote)));
        self.table(columns.collect(), response).map(Some)
    }

    /// The table of columns whose names the reader has not looked at yet, in file order.
    pub(super) fn table(
        &self,
        columns: Vec<Column>,
        response: Option<usize>,
    ) -> Result<Table, TableError> {
        let names = columns.iter().map(|column| column.name.as_str());
        names::check_unique(self.path, names.clone())?;
        names::check_factors(self.path, self.options, names)?;
        Ok(Table::new(as_given(self.path), columns, response))
    }
}

/// The path of a companion file: of the endings that it may have the first of which there is a file, or the first. It is in
/// capitals where the file's own is.
pub(crate) fn companion(path: &Path, endings: &[&str]) -> PathBuf {
    let own = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let is_upper = own.bytes().all(|letter| letter.is_ascii_uppercase());
    let of = |ending: &&str| match is_upper {
        true => path.with_extension(ending.to_ascii_uppercase()),
        false => path.with_extension(ending),
    };
    let mut there = endings.iter().map(of);
    let first = endings.first().map(of).unwrap_or_default();
    there.find(|path| path.exists()).unwrap_or(first)
}

/// The endings of the names of files that [`read`](super::read) knows, without `.gz`.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    FORMATS.iter().flat_map(|format| format.extensions).copied()
}

/// The columns of a file without their values, as far as its header tells; `None` where it does not, as that
/// of a libsvm file. No value is looked at.
///
/// # Errors
/// The file cannot be opened, or its header is not as it should be.
pub fn read_header(path: &Path, options: &ReadOptions) -> Result<Option<Table>, TableError> {
    let format = Format::of_file(path, options)?;
    let input = Input {
        path,
        options,
        partition: &ColumnPartition::default(),
    };
    input.refuse_text_options(format)?;
    input.refuse_cohort(format)?;
    (format.header)(&input)
}

/// Returns true unless a file's name is that of a format that never says which column is the response.
pub fn names_response(path: &Path) -> bool {
    Format::of(path).is_none_or(|(format, _)| format.names_response)
}

/// Returns true if a file's name is that of a NumPy array: it ends in `.npy` or `.npy.gz`.
pub fn is_npy(path: &Path) -> bool {
    Format::of(path).is_some_and(|(_, ending)| ending == "npy")
}

/// Returns true if a file's name is that of genotypes: it ends in `.bed` or `.pgen`.
pub fn is_genotypes(path: &Path) -> bool {
    Format::of(path).is_some_and(|(format, _)| format.has_genotypes())
}

/// The files that [`read`](super::read) opens for this one, itself the first.
pub fn input_files(path: &Path) -> Vec<PathBuf> {
    let own = std::iter::once(path.to_owned());
    let Some((format, _)) = Format::of(path) else {
        return own.collect();
    };
    let companions = format.companions.iter();
    let companions = companions.map(|endings| companion(path, endings));
    let others = format
        .may_have
        .iter()
        .map(|ending| companion(path, &[*ending]));
    let others = others.filter(|path| path.is_file());
    own.chain(companions).chain(others).collect()
}

/// About how much a file holds, by its size, its header or its first lines; `None` if that cannot be
/// told. `text` is how delimited text is written.
pub fn extent(path: &Path, text: TextOptions) -> Option<Extent> {
    let bytes = std::fs::metadata(path).ok()?.len();
    (Format::of(path)?.0.estimate)(path, bytes, text)
}
