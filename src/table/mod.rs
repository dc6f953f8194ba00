//! Tables: named columns of observations, from files or from memory, before any mathematics.

mod arff;
mod choose;
mod cohort;
mod column_reader;
mod content;
mod csv;
mod csv_columns;
mod csv_extent;
mod csv_fast;
mod csv_records;
mod dat;
mod dates;
mod decode;
mod dialect;
mod error;
mod extent;
mod factor;
mod failure;
mod field;
mod format;
mod growing;
mod gzip;
mod head;
mod header;
mod in_memory;
mod libsvm;
mod lines;
mod loci;
mod means;
mod missing;
mod mrmr;
mod names;
mod npy;
mod numbers;
#[cfg(feature = "parquet")]
mod parquet;
mod plink;
mod rounded;
mod rows;
mod select_rows;
#[cfg(test)]
mod shared_reading_tests;
mod size;
mod source;
mod stream;
mod suspicions;
mod text_options;
mod values;
mod whitespace;
mod whole_lines;
mod words;
mod write;

use std::path::Path;
use std::sync::Arc;

pub use crate::genotypes::{GenotypeCounts, GenotypeEncoding, Genotypes};
use crate::interrupt::{Interrupt, Interrupted};
use crate::memory::MemoryCharge;
use crate::ranks::Communicator;

pub use cohort::{BesidePeople, ChromosomeRange, Cohort};
pub(crate) use column_reader::is_clean as is_clean_matrix;
pub use column_reader::{ColumnReader, Scale};
pub(crate) use dates::are_dates;
pub(crate) use error::is_standard_input;
pub use error::{MissingColumn, TableError};
pub use extent::Extent;
#[cfg(feature = "program")]
pub(crate) use format::companion;
use format::{Format, Input};
pub use format::{
    extensions, extent, input_files, is_genotypes, is_npy, names_response, read_header,
};
pub use loci::{Loci, Locus};
pub(crate) use missing::DroppedRows;
pub use missing::Missing;
pub(crate) use names::{csv_field, guarded, quote, split_names, unguarded, variable};
#[cfg(test)]
pub(crate) use npy::ArrayInFile;
pub use npy::write_matrix;
pub(crate) use npy::{MATRIX_HEADER, left_in_file};
pub use numbers::Numbers;
pub(crate) use plink::is_simulated_part;
#[cfg(feature = "program")]
pub(crate) use plink::{BED_MAGIC, truth_text};
pub use rounded::RoundedColumn;
pub(crate) use suspicions::are_row_numbers;
use suspicions::told;
pub use text_options::{DecimalMark, Encoding, Separator, TextOptions};
pub(crate) use write::GZIP_COMMENT;
pub use write::OutputFormat;

/// Every format. A new one is a file with its `FORMAT`, and a line here.
const FORMATS: &[Format] = &[
    csv::COMMAS,
    csv::TABS,
    csv::ANY,
    npy::FORMAT,
    dat::FORMAT,
    arff::FORMAT,
    libsvm::FORMAT,
    mrmr::FORMAT,
    plink::FORMAT,
    plink::FORMAT_2,
    #[cfg(feature = "parquet")]
    parquet::FORMAT,
    #[cfg(not(feature = "parquet"))]
    format::PARQUET_UNBUILT,
];

/// Named columns of equally many observations, from a file or from memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The path as given, for messages.
    pub source: String,
    /// The columns in file order, of `rows` values each.
    pub columns: Vec<Column>,
    /// Observations.
    pub rows: usize,
    /// Position of the column that the format itself names as response: the first of `.dat`,
    /// libsvm, `.mrmr` and PLINK's `.bed` and `.pgen`, the last of ARFF and of `.npy` with a second file.
    /// The others name none.
    pub response: Option<usize>,
    /// Positions of the variables that the file marks as those of the model that made its
    /// response, ascending; empty where it marks none.
    pub truth: Vec<usize>,
    /// Columns that the files say every model holds: covariates of genotypes.
    pub kept: Vec<String>,
    /// Where the variants lie, if the columns are genotypes of a file.
    pub loci: Option<Arc<Loci>>,
    /// What the file calls its observations, as R's row names: one label each, or none at all.
    pub labels: Vec<String>,
    /// Columns with whole numbers that 64-bit floating point rounds, which are refused unless they are
    /// left out.
    pub rounded: Vec<RoundedColumn>,
    /// What a user should know about how the file was read.
    pub warnings: Vec<String>,
}

/// One variable of a [`Table`].
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name: unique in the table, not empty.
    pub name: String,
    /// The values, one for each observation.
    pub values: Values,
}

/// The values of a [`Column`].
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// NaN marks a missing value; none is infinite.
    Numbers(Numbers),
    /// Numbers that are mostly 0: only the others are stored.
    Sparse {
        /// Observations whose value is not 0, counted from 0, ascending.
        rows: Vec<u32>,
        /// Their values; NaN marks a missing one, none is infinite.
        values: Vec<f64>,
    },
    /// Whole numbers 0 … 255, one byte each, none missing.
    Bytes(Vec<u8>),
    /// Whole numbers 0 … 254, one byte each; [`MISSING_BYTE`] marks a missing value.
    Gapped(Vec<u8>),
    /// Copies of an allele, 0, 1 or 2, at two bits each; some may be missing.
    Genotypes(Genotypes),
    /// A categorical variable.
    Factor {
        /// Names of the levels, each once. Those of texts ascend where all are numbers and stand in bytewise order else;
        /// those of [`Values::factor`] stand in the order that they were given in.
        levels: Vec<String>,
        /// Index into `levels` for each observation; [`MISSING`] marks a missing value.
        codes: Vec<u32>,
    },
    /// The values are elsewhere: another rank holds them (see [`ColumnPartition`]).
    Remote,
}

/// The code of a missing value of a factor.
pub const MISSING: u32 = u32::MAX;

/// The byte of a missing value in [`Values::Gapped`].
pub const MISSING_BYTE: u8 = u8::MAX;

/// What [`read`] has to know about a file beyond its content.
///
/// | name | meaning | default |
/// | --- | --- | --- |
/// | `response` | path of a second array, n or n × 1, that holds the response of an `.npy` file; of a `.psam` the phenotype that is read; other formats ignore it | none |
/// | `factors` | names of columns to read as factors, whatever they hold | none |
/// | `dates` | names of columns of dates, to read as days since 1970-01-01 | none |
/// | `missing` | words and numbers that mean a missing value, besides those that always do | none |
/// | `text` | how delimited text is written | found by its first lines |
/// | `interrupt` | the request that ends the reading with [`TableError::Interrupted`] | none |
/// | `cohort` | of genotypes: who and which variants are wanted, and the tables beside them | all |
/// | `has_kinds` | whether something else, such as a model, says which columns are factors, so that messages offer no option for it | false |
/// | `memory` | what the memory is charged to that reading takes: at the end, more than the table has | nothing |
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions<'a> {
    /// See the table above.
    pub response: Option<&'a str>,
    /// See the table above.
    pub factors: &'a [String],
    /// See the table above.
    pub dates: &'a [String],
    /// See the table above.
    pub missing: &'a [String],
    /// See the table above.
    pub text: TextOptions,
    /// See the table above.
    pub interrupt: Option<&'a Interrupt>,
    /// See the table above.
    pub memory: Option<&'a MemoryCharge>,
    /// See the table above.
    pub cohort: Option<&'a Cohort>,
    /// See the table above.
    pub has_kinds: bool,
}

impl ReadOptions<'_> {
    /// Whether the text of a column is wanted, whatever it holds.
    fn reads_text(&self, name: &String) -> bool {
        self.factors.contains(name) || self.dates.contains(name)
    }

    /// The options, but for how the text is written.
    fn with_text(&self, text: TextOptions) -> Self {
        Self { text, ..*self }
    }

    /// Fails once an interrupt was requested.
    fn heed_interrupt(&self) -> Result<(), Interrupted> {
        self.interrupt.map_or(Ok(()), Interrupt::check)
    }
}

/// Which columns of a file this process reads. The default is all of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct ColumnPartition<'a> {
    /// The ranks that read a range of the columns each; without them all columns are read.
    pub communicator: Option<&'a Communicator>,
    /// Names of columns that every rank reads, in addition to the response that the format names.
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

/// Reads a file; its name tells the format: `.csv`, `.tsv`, `.txt`, `.npy`, `.dat`, `.arff`, `.libsvm`
/// (or `.svm`) or `.mrmr`, and `.gz` behind it for a compressed one; `.bed`, with its `.bim` and
/// `.fam`; `.pgen`, with its `.pvar` and `.psam`; or `.parquet`, where that feature is built. docs/formats.md says what is read of each.
///
/// The path `-` is standard input: delimited text, ARFF or libsvm, compressed or not.
///
/// Delimited text (RFC 4180, UTF-8) begins with a line of names, or with head lines `# passel …`
/// above it, as [`OutputFormat::write`] puts them there. Blank lines are skipped. A
/// field that is empty, `NA`, `N/A`, `NULL`, `null`, `NaN` in any case, or one of the marks that
/// spreadsheets use is missing. The first other value decides whether a column holds numbers or is a
/// factor. What [`TextOptions`] do not say is found by the first lines.
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
    let format = Format::of_file(path, options)?;
    if is_standard_input(path) && partition.communicator.is_some() {
        let message = "only one rank could read it; name a file";
        return Err(TableError::content(path, message));
    }
    let input = Input {
        path,
        options,
        partition,
    };
    input.refuse_text_options(format)?;
    input.refuse_cohort(format)?;
    let mut table = (format.read)(&input)?;
    let width = table.columns.len();
    for (position, column) in table.columns.iter_mut().enumerate() {
        options.heed_interrupt()?;
        if table.response != Some(position) && !partition.reads(position, width, &column.name) {
            column.values = Values::Remote;
        }
    }
    table.heed(options)?;
    let mut suspicions = table.suspicions(|name| options.factors.contains(name));
    if let Some(communicator) = partition.communicator {
        // A rank may have no column to count by, and each knows what is suspicious of its own.
        let all = communicator.gather(&(table.rows, suspicions));
        let (rows, all): (Vec<usize>, Vec<_>) = all.map_err(TableError::Ranks)?.into_iter().unzip();
        table.rows = rows.into_iter().max().unwrap_or(table.rows);
        suspicions = all.concat();
        suspicions.sort_by_key(|(position, _)| *position);
        suspicions.dedup();
    }
    table.warnings.extend(told(&table, &suspicions));
    Ok(table)
}

impl Table {
    /// The same table of memory as it would be read from a file by these options: columns as factors, dates and missing
    /// values, and warnings of what may be wrong.
    pub(crate) fn read_by(mut self, options: &ReadOptions) -> Result<Self, TableError> {
        self.heed(options)?;
        let suspicions = self.suspicions(|name| options.factors.contains(name));
        self.warnings.extend(told(&self, &suspicions));
        Ok(self)
    }

    /// Makes columns missing values, factors and days, as options say.
    fn heed(&mut self, options: &ReadOptions) -> Result<(), TableError> {
        for column in &mut self.columns {
            options.heed_interrupt()?;
            column.values.mark_missing(options.missing);
            if options.reads_text(&column.name) {
                column.values.make_factor(self.rows);
            }
            if options.dates.contains(&column.name) {
                column
                    .values
                    .make_days(self.source.as_ref(), &column.name)?;
            }
        }
        Ok(())
    }

    /// A table without marked variables.
    fn new(source: String, columns: Vec<Column>, response: Option<usize>) -> Self {
        let lengths = columns.iter().filter_map(|column| column.values.len());
        Self {
            source,
            rows: lengths.max().unwrap_or(0),
            columns,
            response,
            ..Self::default()
        }
    }

    /// The true variables that the file marks. If they are those of another response's model, there
    /// are none but a warning.
    pub(crate) fn true_variables(
        &self,
        response: usize,
        beside: &[Option<usize>],
    ) -> (Vec<TrueVariable>, Vec<String>) {
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
            .filter(|at| !beside.contains(&Some(**at)))
            .map(|at| {
                let before = beside.iter().flatten().filter(|own| *at > **own);
                TrueVariable {
                    name: self.columns[*at].name.clone(),
                    index: at - usize::from(*at > response) - before.count(),
                }
            });
        (truth.collect(), Vec::new())
    }
}

/// A variable that a file marks as one of the model that made the response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrueVariable {
    /// The column's name.
    pub name: String,
    /// 0-based position of the column in the file, response and weights taken out.
    pub index: usize,
}
