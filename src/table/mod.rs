//! Files of observations: read into named columns, before any mathematics.

mod arff;
mod csv;
mod csv_fast;
mod dat;
mod error;
mod estimate;
mod factor;
mod field;
mod head;
mod in_memory;
mod libsvm;
mod lines;
mod missing;
mod mrmr;
mod names;
mod npy;
#[cfg(feature = "parquet")]
mod parquet;
mod plink;
mod rows;
mod select_rows;
mod source;
mod sparse;
mod words;
mod write;

use std::path::{Path, PathBuf};

use crate::ranks::Communicator;

pub use arff::ArffError;
pub use dat::DatError;
pub use error::{MissingColumn, TableError};
pub use estimate::estimated_values;
pub use libsvm::LibsvmError;
pub use missing::Missing;
pub use mrmr::MrmrError;
pub(crate) use names::{quote, split_names, variable};
pub use npy::write_matrix;
pub use plink::PlinkError;
pub use write::OutputFormat;

/// A file's named columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The path as given, for messages.
    pub source: String,
    /// In file order, all of `rows` values.
    pub columns: Vec<Column>,
    /// Observations.
    pub rows: usize,
    /// Position of the column that the format itself names as response: the first of `.dat`,
    /// libsvm, `.mrmr` and PLINK's `.bed`, the last of ARFF and of `.npy` with a second file.
    /// The others name none.
    pub response: Option<usize>,
    /// Positions of the variables that the file marks as those of the model that made its
    /// response, ascending; empty where it marks none.
    pub truth: Vec<usize>,
}

/// One variable of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Unique in its table, not empty.
    pub name: String,
    /// One for each observation.
    pub values: Values,
}

/// The values of a [`Column`].
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// NaN marks a missing value; none is infinite.
    Numbers(Vec<f64>),
    /// Numbers of which few differ from 0.
    Sparse {
        /// Observations whose value is not 0, counted from 0, ascending.
        rows: Vec<u32>,
        /// Their values; NaN marks a missing one, none is infinite.
        values: Vec<f64>,
    },
    /// Whole numbers 0 … 255, none missing, in an eighth of the room.
    Bytes(Vec<u8>),
    /// Whole numbers 0 … 254 in the same room; [`MISSING_BYTE`] marks a missing value.
    Gapped(Vec<u8>),
    /// A categorical variable.
    Factor {
        /// Names of the levels, each once, in bytewise order.
        levels: Vec<String>,
        /// Index into `levels` for each observation; [`MISSING`] marks a missing value.
        codes: Vec<u32>,
    },
    /// Another rank holds the values: see [`ColumnPartition`].
    Remote,
}

/// The code of a missing value of a factor.
pub const MISSING: u32 = u32::MAX;

/// The byte of a missing value among [`Values::Gapped`].
pub const MISSING_BYTE: u8 = u8::MAX;

/// What the caller knows about a file.
///
/// | name | meaning | default |
/// | --- | --- | --- |
/// | `response` | of `.npy`: path of a second array, n or n × 1; the other formats leave it to whoever chooses among the columns | none |
/// | `factors` | names of columns to read as factors, whatever they hold | none |
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions<'a> {
    /// See the table above.
    pub response: Option<&'a str>,
    /// See the table above.
    pub factors: &'a [String],
}

/// Which columns of a file this process reads. The default is all of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct ColumnPartition<'a> {
    /// The ranks that read a range of the columns each; without them all columns are read.
    pub communicator: Option<&'a Communicator>,
    /// Names of columns that every rank reads, beside the response that the format names.
    pub replicated: &'a [&'a str],
}

impl ColumnPartition<'_> {
    /// Whether this process reads column `position` of `width`.
    fn reads(&self, position: usize, width: usize, name: &str) -> bool {
        let local =
            |communicator: &Communicator| communicator.local_range(width).contains(&position);
        self.communicator.is_none_or(local) || self.replicated.contains(&name)
    }
}

/// Formats, told by the file's name.
#[derive(Clone, Copy)]
enum Format {
    Delimited(u8),
    Npy,
    Dat,
    Arff,
    Libsvm,
    Mrmr,
    Bed,
    Parquet,
}

impl Format {
    /// The endings of files' names and what they tell.
    const ALL: [(&str, Self); 10] = [
        ("csv", Self::Delimited(b',')),
        ("tsv", Self::Delimited(b'\t')),
        ("npy", Self::Npy),
        ("dat", Self::Dat),
        ("arff", Self::Arff),
        ("libsvm", Self::Libsvm),
        ("svm", Self::Libsvm),
        ("mrmr", Self::Mrmr),
        ("bed", Self::Bed),
        ("parquet", Self::Parquet),
    ];

    /// The format of `name.ending` or `name.ending.gz`, in any case. Parquet compresses within,
    /// and PLINK reads no compressed `.bed`.
    fn of(path: &Path) -> Option<Self> {
        let whole = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = whole.strip_suffix(".gz").unwrap_or(&whole);
        let ending = name.rsplit_once('.')?.1;
        match Self::ALL.iter().find(|(its, _)| *its == ending)?.1 {
            Self::Parquet | Self::Bed if name.len() < whole.len() => None,
            format => Some(format),
        }
    }
}

/// The endings of the names of files that [`read`] knows, without `.gz`.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    Format::ALL.iter().map(|(ending, _)| *ending)
}

/// Whether a file's name says NumPy array, gzipped or not.
pub fn is_npy(path: &Path) -> bool {
    matches!(Format::of(path), Some(Format::Npy))
}

/// The files that [`read`] opens for this one, itself the first.
pub fn input_files(path: &Path) -> Vec<PathBuf> {
    let mut files = vec![path.to_owned()];
    if matches!(Format::of(path), Some(Format::Bed)) {
        files.extend(["bim", "fam"].map(|ending| plink::beside(path, ending)));
    }
    files
}

/// Reads a file; its name tells the format: `.csv`, `.tsv`, `.npy`, `.dat`, `.arff`, `.libsvm`
/// (or `.svm`) or `.mrmr`, and `.gz` behind it for a compressed one; `.bed`, with its `.bim` and
/// `.fam`; or `.parquet`, where that feature is built. docs/formats.md says what is read of each.
///
/// Delimited text (RFC 4180, UTF-8) begins with a line of names, or with head lines `# passel …`
/// above it, as [`OutputFormat::write`] puts them there. Blank lines are skipped. A
/// field that is empty, `NA`, `N/A`, `NULL`, `null`, or `NaN` in any case is missing. The first
/// other value decides whether a column holds numbers or is a factor.
///
/// # Errors
/// [`TableError`] says what is wrong with the file, where, and how to mend it.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Table, TableError> {
    read_partition(path, options, &ColumnPartition::default())
}

/// Reads the columns of a file that a partition assigns to this process; the table has
/// [`Values::Remote`] in place of the others. docs/formats.md says which formats skip what is not
/// wanted. This is a collective call: all ranks of the communicator read the same file.
///
/// # Errors
/// As [`read`]; a rank that is gone.
pub fn read_partition(
    path: &Path,
    options: &ReadOptions,
    partition: &ColumnPartition,
) -> Result<Table, TableError> {
    let source = path.to_string_lossy().into_owned();
    let Some(format) = Format::of(path) else {
        return Err(TableError::UnknownFormat { path: source });
    };
    let factors = options.factors;
    let (mut columns, response, truth) = match format {
        Format::Delimited(delimiter) => {
            let quick = match factors {
                [] => csv_fast::read(path, delimiter, partition)?,
                // Their text is wanted, not their numbers.
                _ => None,
            };
            let (head, columns) = match quick {
                Some(read) => read,
                None => csv::read(path, delimiter, factors)?,
            };
            let truth = head.truth(&source, &columns)?;
            (columns, None, truth)
        }
        Format::Npy => {
            let columns = npy::read(path, options, partition)?;
            let response = options.response.map(|_| columns.len() - 1);
            (columns, response, Vec::new())
        }
        Format::Dat => {
            let (columns, truth) = dat::read(path)?;
            (columns, Some(0), truth)
        }
        Format::Arff => {
            let columns = arff::read(path)?;
            let response = columns.len() - 1;
            (columns, Some(response), Vec::new())
        }
        Format::Libsvm => (libsvm::read(path, partition)?, Some(0), Vec::new()),
        Format::Mrmr => (mrmr::read(path, partition)?, Some(0), Vec::new()),
        Format::Bed => (plink::read(path, partition)?, Some(0), Vec::new()),
        #[cfg(feature = "parquet")]
        Format::Parquet => (parquet::read(path, partition)?, None, Vec::new()),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => return Err(TableError::ParquetUnbuilt { path: source }),
    };
    if !matches!(format, Format::Delimited(_)) {
        let names = columns.iter().map(|column| column.name.as_str());
        names::check_unique(&source, names.clone())?;
        names::check_factors(&source, factors, names)?;
    }
    let mut lengths = columns.iter().map(|column| column.values.len());
    let mut rows = lengths.find_map(|length| length).unwrap_or(0);
    if let Some(communicator) = partition.communicator {
        // A rank may have no column to count by.
        let all = communicator.gather(&rows).map_err(TableError::ranks)?;
        rows = all.into_iter().max().unwrap_or(rows);
    }
    let width = columns.len();
    for (at, column) in columns.iter_mut().enumerate() {
        // What a reader had to go through anyway.
        if response != Some(at) && !partition.reads(at, width, &column.name) {
            column.values = Values::Remote;
        }
        if factors.contains(&column.name) {
            column.values.make_factor(rows);
        }
    }
    Ok(Table {
        source,
        rows,
        columns,
        response,
        truth,
    })
}

impl Table {
    /// Position of the column of that name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The true variables by index. Those of another response's model are none of this one's, and
    /// that is a warning.
    pub(crate) fn true_indexes(
        &self,
        response: usize,
        weights: Option<usize>,
    ) -> (Vec<usize>, Vec<String>) {
        let others = self.response.is_some_and(|own| own != response);
        if !self.truth.is_empty() && (others || self.truth.contains(&response)) {
            let name = &self.columns[response].name;
            let warning = format!(
                "the true variables that the file marks are not those of the response {name}"
            );
            return (Vec::new(), vec![warning]);
        }
        let truth = self
            .truth
            .iter()
            .filter(|at| Some(**at) != weights)
            .map(|at| {
                let weighted = usize::from(weights.is_some_and(|w| *at > w));
                at - usize::from(*at > response) - weighted
            });
        (truth.collect(), Vec::new())
    }
}

impl Values {
    /// Observations; sparse values do not tell.
    fn len(&self) -> Option<usize> {
        match self {
            Self::Numbers(values) => Some(values.len()),
            Self::Bytes(values) | Self::Gapped(values) => Some(values.len()),
            Self::Factor { codes, .. } => Some(codes.len()),
            Self::Sparse { .. } | Self::Remote => None,
        }
    }

    /// Numbers of so many observations become levels, written as short as they read back the
    /// same.
    fn make_factor(&mut self, rows: usize) {
        let Some(values) = self.numbers(rows) else {
            return;
        };
        let texts = values.iter().map(|value| value.to_string());
        let texts: Vec<String> = texts.collect();
        let levels = values.iter().zip(&texts);
        *self = levels
            .map(|(value, text)| (!value.is_nan()).then_some(text.as_str()))
            .collect();
    }
}
