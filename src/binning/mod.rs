//! Table → columns of small integers, whose joint values can be counted.
//!
//! A rule is made of a column's values (`levels.rs`, `equal_width.rs`, `equal_frequency.rs`;
//! `mdlp.rs` with an eye on the response) or taken from a report (`edges.rs`); `code.rs` turns
//! values into codes by it.

mod code;
mod columns;
mod edges;
mod equal_frequency;
mod equal_width;
mod error;
mod levels;
mod mdlp;
mod numbers;

use std::{fmt, path::PathBuf, str::FromStr};

use crate::{
    nearest::nearest,
    ranks::Communicator,
    table::{Column, Missing, Table, TableError, Values},
};
pub use columns::{BinnedColumn, BinnedColumns, Codes, MissingCode, Rule};
pub use edges::{SavedBinning, SavedRule};
pub use error::{BinningError, SavedFault};
use mdlp::Classes;
use numbers::Numbers;

/// Most levels of a column: codes have 16 bits.
const MOST_LEVELS: usize = 1 << 16;
/// Bins where no number is told.
const BINS: usize = 10;
/// Most distinct integers that are levels where no rule is told.
const FEW: usize = 64;

/// How values become codes. A column of text has its levels under every rule but `Edges`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Binning {
    /// Levels for text and for at most 64 distinct integers, else 10 bins of equal width.
    #[default]
    Auto,
    /// Each distinct number or text is a level, in ascending or bytewise order.
    Levels,
    /// So many bins of equal width, b: the code is
    /// min(b − 1, ⌊(x − min)·b / (max − min)⌋); a constant has one level.
    EqualWidth(usize),
    /// So many bins, b, of about as many observations each: of the n values in ascending
    /// order, counted from 0, those at ⌊k·n/b⌋ for k = 1 … b − 1 begin a bin. Equal values
    /// stay together, so that there are fewer bins where values repeat.
    EqualFrequency(usize),
    /// Bins that tell the response's levels apart: cut where the entropy of these is least,
    /// again and again, while a cut gains more than its description costs (Fayyad and Irani
    /// 1993). An edge lies midway between two neighbouring values. Of candidates alone.
    Mdlp,
    /// The rules of an earlier report, applied to these data.
    Edges(PathBuf),
}

/// The rules by name.
const RULES: [&str; 6] = [
    "auto",
    "levels",
    "equal-width",
    "equal-frequency",
    "mdlp",
    "edges",
];

impl Binning {
    /// What [`FromStr`] takes.
    pub const RANGE: &str =
        "auto, levels, equal-width:BINS or equal-frequency:BINS (2 … 65536), mdlp, or edges:FILE";

    /// What a response is binned by.
    pub const RESPONSE_RANGE: &str = "auto, levels, equal-width:BINS or equal-frequency:BINS \
        (2 … 65536), or edges:FILE; not mdlp, which goes by the response's levels";
}

impl FromStr for Binning {
    type Err = BinningError;

    fn from_str(text: &str) -> Result<Self, BinningError> {
        let (name, value) = match text.split_once(':') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let bins = |value: &str| {
            let digits = value.bytes().all(|it| it.is_ascii_digit());
            let bins = value.parse().ok().filter(|_| digits);
            bins.filter(|bins| (2..=MOST_LEVELS).contains(bins))
        };
        let found = match (name, value) {
            ("auto", None) => Some(Self::Auto),
            ("levels", None) => Some(Self::Levels),
            ("equal-width", Some(value)) => bins(value).map(Self::EqualWidth),
            ("equal-frequency", Some(value)) => bins(value).map(Self::EqualFrequency),
            ("mdlp", None) => Some(Self::Mdlp),
            ("edges", Some(file)) if !file.is_empty() => Some(Self::Edges(file.into())),
            _ => None,
        };
        found.ok_or_else(|| BinningError::NoRule {
            text: text.to_owned(),
            nearest: nearest(name, RULES).filter(|it| *it != name),
        })
    }
}

impl fmt::Display for Binning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Levels => write!(f, "levels"),
            Self::EqualWidth(bins) => write!(f, "equal-width:{bins}"),
            Self::EqualFrequency(bins) => write!(f, "equal-frequency:{bins}"),
            Self::Mdlp => write!(f, "mdlp"),
            Self::Edges(file) => write!(f, "edges:{}", file.display()),
        }
    }
}

/// How a table becomes columns of codes.
#[derive(Debug, Clone, Copy)]
pub struct BinningOptions<'a> {
    /// The response's column; none where the format names it.
    pub response: Option<&'a str>,
    /// Columns left out before anything else.
    pub drop: &'a [String],
    /// What to do about missing values.
    pub missing: Missing,
    /// The rule of the candidates.
    pub binning: &'a Binning,
    /// The rule of the response: not [`Binning::Mdlp`].
    pub bin_response: &'a Binning,
}

impl Default for BinningOptions<'_> {
    fn default() -> Self {
        Self {
            response: None,
            drop: &[],
            missing: Missing::Refuse,
            binning: &Binning::Auto,
            bin_response: &Binning::Auto,
        }
    }
}

/// Takes the response out of a table, applies the missing-value policy and turns every column
/// into codes, letting go of its values one column after another.
///
/// Columns that are constant or the same stay. With [`Missing::Level`] a column that misses
/// values has one level more, the last; with [`Missing::Pairwise`] these have a code that is no
/// level, and observations without a response are left out.
///
/// # Errors
/// See [`BinningError`]: each names the table, the column and the mend.
pub fn bin(table: Table, options: &BinningOptions) -> Result<BinnedColumns, BinningError> {
    bin_partitioned(table, options, None)
}

/// Bins a table whose columns the ranks of a communicator partition, as
/// [`read_partition`](crate::table::read_partition) reads it. Without a communicator the table has
/// all columns.
///
/// # Errors
/// As [`bin`], on all ranks alike; a rank that failed or is gone.
pub(crate) fn bin_partitioned(
    mut table: Table,
    options: &BinningOptions,
    communicator: Option<&Communicator>,
) -> Result<BinnedColumns, BinningError> {
    if *options.bin_response == Binning::Mdlp {
        return Err(BinningError::MdlpOfResponse);
    }
    let response = table.response_position(options.response)?;
    for name in options.drop {
        table.require_variable("--drop", name, response)?;
    }
    let mut candidates = Maker::new(options.binning, "--binning", options.missing)?;
    let own = Maker::new(options.bin_response, "--bin-response", options.missing)?;

    let shares = communicator.map(|communicator| communicator.local_range(table.columns.len()));
    let mut positions = table.drop_columns(options.drop);
    table.handle_missing_partitioned(options.missing, communicator)?;
    let own_place = positions.iter().position(|at| *at == response);
    if let (Missing::Pairwise, Some(response)) = (options.missing, own_place) {
        table.drop_rows_missing(response)?;
    }

    let (source, n) = (table.source, table.rows);
    // It stayed, and comes before the others: rules may be made with an eye on it.
    let place = positions.partition_point(|at| *at < response);
    positions.remove(place);
    if positions.is_empty() {
        return Err(BinningError::NoVariables { table: source });
    }
    let taken = own.bin(&source, table.columns.remove(place), n, 0)?;
    if *options.binning == Binning::Mdlp {
        candidates.classes = Some(Classes::new(&taken));
    }
    let mut columns = Vec::with_capacity(positions.len());
    let local = shares.map(|share| {
        let behind = |end: usize| positions.partition_point(|at| *at < end);
        behind(share.start)..behind(share.end)
    });
    for (at, column) in positions.into_iter().zip(table.columns) {
        let index = at - usize::from(at > response);
        let is_local = local
            .as_ref()
            .is_none_or(|local| local.contains(&columns.len()));
        columns.push(match is_local {
            true => candidates.bin(&source, column, n, index)?,
            false => BinnedColumn::remote(column.name, index),
        });
    }
    if let (Some(communicator), Some(local)) = (communicator, &local) {
        let coding = |column: &BinnedColumn| (column.levels, column.rule.clone(), column.missing);
        let codings: Vec<_> = columns[local.clone()].iter().map(coding).collect();
        let all = communicator.gather(&codings).map_err(TableError::ranks)?;
        for (column, coding) in columns.iter_mut().zip(all.into_iter().flatten()) {
            (column.levels, column.rule, column.missing) = coding;
        }
    }
    Ok(BinnedColumns {
        n,
        columns,
        response: taken,
        local,
    })
}

/// What gives each column its rule.
struct Maker<'a> {
    binning: &'a Binning,
    /// The option that asked for it.
    option: &'static str,
    /// Of an earlier report.
    saved: Option<edges::Rules>,
    /// The response's levels, where rules are made with an eye on them.
    classes: Option<Classes>,
    missing: Missing,
}

impl<'a> Maker<'a> {
    fn new(
        binning: &'a Binning,
        option: &'static str,
        missing: Missing,
    ) -> Result<Self, BinningError> {
        let saved = match binning {
            Binning::Edges(file) => Some(edges::Rules::read(file)?),
            _ => None,
        };
        Ok(Self {
            binning,
            option,
            saved,
            classes: None,
            missing,
        })
    }

    /// The codes of a column of n observations of the table.
    fn bin(
        &self,
        table: &str,
        column: Column,
        n: usize,
        index: usize,
    ) -> Result<BinnedColumn, BinningError> {
        let Column { name, values } = column;
        let (rule, saved) = match &self.saved {
            Some(rules) => rules.of(table, &name, &values)?,
            None => (self.rule(&values, n), None),
        };
        // What stands for nothing needs no level that the rule was made with.
        let missing = match (&self.saved, self.missing) {
            (Some(_), Missing::Refuse | Missing::DropRows | Missing::Level) => saved,
            _ => code::misses(&values).then(|| rule.levels()),
        };
        let all = rule.levels() + usize::from(missing.is_some());
        if all > MOST_LEVELS {
            return Err(BinningError::Levels {
                table: table.to_owned(),
                name,
                levels: all,
                text: matches!(rule, Rule::Texts(_)),
                option: self.option,
            });
        }
        let code = missing.map(|code| code as u16);
        let pairwise = self.missing == Missing::Pairwise;
        match code::codes(values, n, &rule, code) {
            Ok(codes) => Ok(BinnedColumn {
                name,
                index,
                levels: if pairwise { rule.levels() } else { all },
                codes,
                rule,
                missing: code.map(match pairwise {
                    true => MissingCode::Excluded,
                    false => MissingCode::Level,
                }),
            }),
            Err(unseen) => Err(BinningError::Unseen {
                table: table.to_owned(),
                name,
                row: unseen.row + 1,
                value: unseen.value,
                file: self
                    .saved
                    .as_ref()
                    .map_or_else(String::new, |it| it.file.clone()),
            }),
        }
    }

    /// A rule made of the values.
    fn rule(&self, values: &Values, n: usize) -> Rule {
        let wide;
        let numbers = match (values, &self.classes) {
            (Values::Factor { levels, .. }, _) => return Rule::Texts(levels.clone()),
            (Values::Remote, _) => return Rule::Edges(Vec::new()),
            (_, Some(classes)) => return mdlp::rule(values, classes),
            (Values::Numbers(values), _) => Numbers::new(values, 0),
            (bytes @ (Values::Bytes(values) | Values::Gapped(values)), _) => {
                wide = match self.binning {
                    // It alone asks how often a value comes.
                    Binning::EqualFrequency(_) => bytes.numbers(n).unwrap_or_default(),
                    _ => numbers::each_once(values, bytes.byte_to_number()).into(),
                };
                Numbers::new(&wide, 0)
            }
            (Values::Sparse { values, .. }, _) => Numbers::new(values, n - values.len()),
        };
        match self.binning {
            Binning::Levels => levels::rule(&numbers),
            Binning::EqualWidth(bins) => equal_width::rule(&numbers, *bins),
            Binning::EqualFrequency(bins) => equal_frequency::rule(&numbers, *bins),
            // Rules of a file are not made of values, those of classes are made already.
            Binning::Auto | Binning::Edges(_) | Binning::Mdlp => {
                levels::of_few_integers(&numbers, FEW)
                    .unwrap_or_else(|| equal_width::rule(&numbers, BINS))
            }
        }
    }
}
