//! Table → columns of small integers, whose joint values can be counted.
//!
//! [`bin`] turns every column of a table into codes by the rule that [`Binning`] asks for. A rule is
//! made of a column's values, of the values and the response ([`Binning::Mdlp`]), or read from an earlier
//! report ([`Binning::Edges`]), and is returned beside the codes.

// A file a kind of rule: `levels.rs`, `equal_width.rs`, `equal_frequency.rs`, `mdlp.rs`, `edges.rs`;
// `code.rs` codes values by a rule.

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
    interrupt::Interrupt,
    nearest::nearest,
    ranks::Communicator,
    table::{Column, Missing, Table, TableError, Values},
    threads::map_each,
};
use code::Unseen;
pub use columns::{BinnedColumn, BinnedColumns, Codes, MissingCode, Rule};
pub(crate) use columns::{PER_CODED_COLUMN, bytes_of_codes};
pub use edges::{SavedBinning, SavedRule};
pub use error::BinningError;
use mdlp::Classes;
use numbers::Numbers;

/// Most levels of a column: codes have 16 bits.
const MOST_LEVELS: usize = 1 << 16;
const BINS: usize = 10;
/// The largest number of distinct integers that [`Binning::Auto`] makes levels.
const FEW: usize = 64;
/// Fewest observations for each level that [`Binning::Auto`] makes of a candidate's integers, if they
/// are more than [`BINS`]: with fewer a score is high by chance alone.
const EACH: usize = 5;

/// How values become codes. A column of text keeps its levels under every rule but `Edges`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Binning {
    /// Levels for text and for at most 64 distinct integers, else 10 bins of equal width. More than 10
    /// integers of a candidate are levels only where there are five times as many observations; those of
    /// a response may be classes.
    #[default]
    Auto,
    /// Each distinct number or text is a level, in ascending or bytewise order; texts that are all
    /// numbers ascend.
    Levels,
    /// b bins of equal width: the code of x is
    /// min(b − 1, ⌊(x − min)·b / (max − min)⌋); a constant has one level.
    EqualWidth(usize),
    /// b bins of about equally many observations: of the n values in ascending order, counted
    /// from 0, those at ⌊k·n/b⌋ for k = 1 … b − 1 begin a bin. Equal values
    /// stay together, so that there are fewer bins where values repeat.
    EqualFrequency(usize),
    /// Bins that separate the response's levels: recursively cut where the classes' entropy is
    /// least, while a cut gains more than its description costs. An edge lies midway between two
    /// neighbouring values. For candidates only.
    ///
    /// *Source:* Fayyad and Irani, IJCAI 1993.
    Mdlp,
    /// The rules of an earlier report, applied to these data.
    Edges(PathBuf),
}

const RULES: [&str; 6] = [
    "auto",
    "levels",
    "equal-width",
    "equal-frequency",
    "mdlp",
    "edges",
];

impl Binning {
    /// The rules of candidates, as [`FromStr`] takes them.
    pub const RANGE: &str =
        "auto, levels, equal-width:BINS or equal-frequency:BINS (2 … 65536), mdlp, or edges:FILE";

    /// The rules of a response.
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
            let digits = value.bytes().all(|digit| digit.is_ascii_digit());
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
        found.ok_or_else(|| {
            let nearest = nearest(name, RULES).filter(|nearest| *nearest != name);
            let text = text.to_owned();
            BinningError::NoRule { text, nearest }
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

/// How [`bin`] makes columns of codes of a table.
#[derive(Debug, Clone, Copy)]
pub struct BinningOptions<'a> {
    /// The response's column; `None` where the format names it.
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
/// into codes.
///
/// Constant columns and duplicates stay. With [`Missing::Level`] a column that misses
/// values has one level more, the last; with [`Missing::Pairwise`] these have a code that is no
/// level, and observations without a response are left out.
///
/// # Errors
/// [`BinningError`] names the table, the column and the mend.
pub fn bin(table: Table, options: &BinningOptions) -> Result<BinnedColumns, BinningError> {
    let (columns, _) = bin_partitioned(table, options, (None, &Interrupt::default()))?;
    Ok(columns)
}

/// Checks that a table without values has the columns that options name.
///
/// # Errors
/// The first that it lacks.
#[cfg(feature = "program")]
pub(crate) fn check_columns(table: &Table, options: &BinningOptions) -> Result<(), BinningError> {
    find_response(table, options).map(drop)
}

/// The position of the response, once the columns that options name were found.
fn find_response(table: &Table, options: &BinningOptions) -> Result<usize, BinningError> {
    let response = table.response_position(options.response)?;
    for name in options.drop {
        table.require_variable("--drop", name, response)?;
    }
    Ok(response)
}

/// Bins a table whose columns the ranks of a communicator partition, as
/// [`read_partition`](crate::table::read_partition) reads it. Without a communicator the table has
/// all columns. Returns the warning of rows that were dropped for missing values, too.
///
/// # Errors
/// As [`bin`], on all ranks alike; a rank that failed or is gone; an interrupt.
pub(crate) fn bin_partitioned(
    mut table: Table,
    options: &BinningOptions,
    (communicator, interrupt): (Option<&Communicator>, &Interrupt),
) -> Result<(BinnedColumns, Option<String>), BinningError> {
    if options.missing == Missing::Mean {
        return Err(BinningError::Mean);
    }
    if *options.bin_response == Binning::Mdlp {
        return Err(BinningError::MdlpOfResponse);
    }
    let response = find_response(&table, options)?;
    let mut candidates = Binner::new(options.binning, "--binning", options.missing)?;
    let own = Binner::new(options.bin_response, "--bin-response", options.missing)?;

    let shares = communicator.map(|communicator| communicator.local_range(table.columns.len()));
    table.refuse_rounded(options.drop)?;
    let mut positions = table.drop_columns(options.drop);
    let mut dropped = table.handle_missing_partitioned(options.missing, communicator)?;
    let own_place = positions.iter().position(|at| *at == response);
    if let (Missing::Pairwise, Some(response)) = (options.missing, own_place) {
        dropped = table.drop_rows_missing(response)?;
    }

    let (source, n) = (table.source, table.rows);
    candidates.few = FEW.min(BINS.max(n / EACH));
    // The response is never dropped. It is binned first: rules may depend on it.
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
    let bin = |(place, (at, column)): (usize, (usize, Column))| {
        let index = at - usize::from(at > response);
        match local.as_ref().is_none_or(|local| local.contains(&place)) {
            true => candidates.bin(&source, column, n, index),
            false => Ok(BinnedColumn::remote(column.name, index)),
        }
    };
    let mut rest = positions.into_iter().zip(table.columns).enumerate();
    loop {
        interrupt.check().map_err(TableError::from)?;
        let some: Vec<_> = rest.by_ref().take(AT_ONCE).collect();
        if some.is_empty() {
            break;
        }
        let binned: Result<Vec<_>, _> = map_each(some, bin).into_iter().collect();
        columns.extend(binned?);
    }
    if let (Some(communicator), Some(local)) = (communicator, &local) {
        let coding = |column: &BinnedColumn| (column.levels, column.rule.clone(), column.missing);
        let codings: Vec<_> = columns[local.clone()].iter().map(coding).collect();
        let all = communicator.gather(&codings).map_err(TableError::Ranks)?;
        for (column, coding) in columns.iter_mut().zip(all.into_iter().flatten()) {
            (column.levels, column.rule, column.missing) = coding;
        }
    }
    let columns = BinnedColumns {
        n,
        columns,
        response: taken,
        local,
    };
    Ok((columns, dropped.warning()))
}

/// Columns that threads bin side by side, between two looks at the interrupt.
const AT_ONCE: usize = 1 << 8;

struct Binner<'a> {
    binning: &'a Binning,
    /// The option that asked for the rule.
    option: &'static str,
    /// The rules of an earlier report.
    saved: Option<edges::SavedRules>,
    /// The largest number of distinct integers that are levels by themselves.
    few: usize,
    /// The response's levels, where rules depend on them.
    classes: Option<Classes>,
    missing: Missing,
}

impl<'a> Binner<'a> {
    fn new(
        binning: &'a Binning,
        option: &'static str,
        missing: Missing,
    ) -> Result<Self, BinningError> {
        let saved = match binning {
            Binning::Edges(file) => Some(edges::SavedRules::read(file)?),
            _ => None,
        };
        Ok(Self {
            binning,
            option,
            saved,
            few: FEW,
            classes: None,
            missing,
        })
    }

    /// Codes a column of n observations; `index` is its position without the response.
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
                option: (!matches!(rule, Rule::Texts(_))).then_some(self.option),
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
            Err(Unseen { row, value }) => Err(BinningError::Unseen {
                table: table.to_owned(),
                file: self
                    .saved
                    .as_ref()
                    .map_or(String::new(), |saved| saved.file.clone()),
                name,
                row: row + 1,
                value,
            }),
        }
    }

    fn rule(&self, values: &Values, n: usize) -> Rule {
        let wide;
        let numbers = match (values, &self.classes) {
            (Values::Factor { levels, .. }, _) => return Rule::Texts(levels.clone()),
            (Values::Remote, _) => return Rule::Edges(Vec::new()),
            (_, Some(classes)) => return mdlp::rule(values, classes),
            (Values::Numbers(values), _) => Numbers::new(values, 0),
            (bytes @ (Values::Bytes(values) | Values::Gapped(values)), _) => {
                wide = match self.binning {
                    // This rule alone depends on how often a value occurs.
                    Binning::EqualFrequency(_) => bytes.numbers(n).unwrap_or_default(),
                    _ => numbers::each_once(values, bytes.byte_to_number()).into(),
                };
                Numbers::new(&wide, 0)
            }
            (Values::Genotypes(_), _) => {
                wide = values.numbers(n).unwrap_or_default();
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
                levels::of_few_integers(&numbers, self.few)
                    .unwrap_or_else(|| equal_width::rule(&numbers, BINS))
            }
        }
    }
}
