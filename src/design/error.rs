//! What is wrong with a table, and how to mend it.

use thiserror::Error;

use super::{CovarianceError, FEWEST_ROWS};
use crate::{
    family::{Distribution, FamilyError},
    formula::FormulaError,
    nearest::{as_option, as_options, did_you_mean, list, plural, suggestion},
    table::{Missing, TableError},
};

/// Why a table makes no design.
///
/// `table` is its path as the caller named it, `name` a column; rows count observations from 1,
/// columns of a matrix from 0. `weights` tells the column of weights from the others.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are the message's facts")]
pub enum DesignError {
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Formula(#[from] FormulaError),
    #[error(
        "--keep names `{name}`, which is no term of the formula{} (a label that holds a comma is written in double \
         quotes)",
        suggestion(nearest.as_deref())
    )]
    KeptTerm {
        name: String,
        nearest: Option<String>,
    },
    #[error("{table}: response `{name}`: {source}")]
    Family {
        table: String,
        name: String,
        source: FamilyError,
    },
    #[error("{table}: the dispersion cannot be estimated: {reason}")]
    Dispersion {
        table: String,
        reason: DispersionError,
    },
    #[error(
        "{} is of the family binomial, not of {distribution}: leave it out, or add --family binomial",
        match *option {
            "--response" => "a response of events and failures",
            option => option,
        }
    )]
    OfBinomial {
        option: &'static str,
        distribution: Distribution,
    },
    #[error(
        "the response `{name}` holds texts ({}), whose order the family ordinal must know: put them in order, from lowest \
         to highest, as --levels {}",
        list(levels.iter().map(String::as_str)),
        as_options(levels)
    )]
    Unordered { name: String, levels: Vec<String> },
    #[error(
        "--levels names `{level}`, which no observation has in `{name}`; it has {}{}",
        list(levels.iter().map(String::as_str)),
        did_you_mean(level, levels.iter().map(String::as_str))
    )]
    LevelUnknown {
        name: String,
        level: String,
        levels: Vec<String>,
    },
    #[error("--levels names `{level}` twice")]
    LevelTwice { level: String },
    #[error(
        "--levels leaves out `{level}`, which observations have in `{name}`: name all levels, or leave these rows out"
    )]
    LevelLacking { name: String, level: String },
    #[error(
        "every observation has the level `{level}` of the response `{name}`: there is nothing to explain"
    )]
    OneLevel { name: String, level: String },
    #[error(
        "--offset has no meaning with the family multinomial, each level of which has a linear predictor of its own: leave it out"
    )]
    OffsetOfLevels,
    #[error(
        "the response `{name}` has {levels} levels in {n} observations, more than one for each two: a number wants \
         another family, gaussian say"
    )]
    ManyLevels {
        name: String,
        levels: usize,
        n: usize,
    },
    #[error(
        "{option} is of the families ordinal and multinomial, not of {distribution}: leave it out"
    )]
    OfLevels {
        option: &'static str,
        distribution: Distribution,
    },
    #[error("the family cox needs the column of events: --event NAME")]
    NoEventColumn,
    #[error(
        "{option} is of the family cox, not of {distribution}: add --family cox, or leave it out"
    )]
    OfSurvival {
        option: &'static str,
        distribution: Distribution,
    },
    #[error("--firth and --dispersion exclude each other: Firth's penalty is of a likelihood")]
    FirthAndDispersion,
    #[error("{0}: leave one of them out")]
    Covariance(#[from] CovarianceError),
    #[error("{0}: leave --firth out")]
    Firth(#[source] FamilyError),
    #[error(
        "--trials and --success exclude each other: of several trials the response counts the events"
    )]
    TrialsAndSuccess,
    #[error(
        "{option} is beside a response of events and failures, whose sum is the number of trials: leave {option} out"
    )]
    BesideFailures { option: &'static str },
    #[error(
        "the response `{name}` has the levels {}: the family binomial takes two{}",
        list(levels.iter().map(String::as_str)),
        match levels.len() {
            1 => "",
            _ => "; make two of them, or leave the other observations out",
        }
    )]
    Levels { name: String, levels: Vec<String> },
    #[error(
        "the column of events `{name}` has the levels {}: of two the second is the event, otherwise name it with --success",
        list(levels.iter().map(String::as_str))
    )]
    EventLevels { name: String, levels: Vec<String> },
    #[error(
        "--success names `{level}`, which no observation has in `{name}`; it has {}{}",
        list(levels.iter().map(String::as_str)),
        did_you_mean(level, levels.iter().map(String::as_str))
    )]
    Success {
        name: String,
        level: String,
        levels: Vec<String>,
    },
    #[error(
        "the response `{name}` holds text (`{level}`), where the family {distribution} takes numbers{}",
        match distribution {
            Distribution::Binomial => ": with --trials the events of each observation",
            _ => "",
        }
    )]
    TextOfFamily {
        name: String,
        level: String,
        distribution: Distribution,
    },
    #[error("the {what} in `{name}` are text (`{level}`), where numbers must be")]
    TextBeside {
        what: &'static str,
        name: String,
        level: String,
    },
    #[error(
        "the formula has {terms} terms; with --family {distribution} all of them are made at once, at most 250,000: let fewer variables interact"
    )]
    WideFamily {
        terms: usize,
        distribution: Distribution,
    },
    #[error("--group {group}: {reason}")]
    Group { group: String, reason: String },
    #[error("the formula names `{name}`, which {reason}: take it out of one of them")]
    FormulaHidden { name: String, reason: &'static str },
    #[error("the formula has no response: write `RESPONSE ~ …`, or name a column")]
    NoFormulaResponse,
    #[error(
        "--missing {}: use refuse or drop-rows",
        match missing {
            Missing::Mean => "mean replaces values of columns, and a formula computes with them",
            Missing::Pairwise => "pairwise leaves observations out of one table of counts at a \
                time, for methods that count levels; a regression has whole observations",
            _ => "level makes missing values a level of their own, for methods that count levels; \
                a regression has none",
        }
    )]
    MissingPolicy { missing: Missing },
    #[error("`{name}` is in both --keep and --drop: take it out of one")]
    KeptAndDropped { name: String },
    #[error(
        "--keep names `{name}` (or it is a covariate), which is {reason} and cannot be in a model"
    )]
    KeptSetAside { name: String, reason: String },
    #[error("--reference {text}: it is written COLUMN=LEVEL")]
    ReferenceForm { text: String },
    #[error("--reference names `{name}` twice: leave one out")]
    ReferenceTwice { name: String },
    #[error(
        "--reference names `{name}`, which is no factor but holds numbers: add --factor {}, or leave \
         it out",
        as_option(name)
    )]
    ReferenceOfNumbers { name: String },
    #[error(
        "--reference names `{level}`, which no observation has in the factor `{name}`; its levels are \
         {}{}",
        list(levels.iter().map(String::as_str)),
        did_you_mean(level, levels.iter().map(String::as_str))
    )]
    ReferenceLevel {
        name: String,
        level: String,
        levels: Vec<String>,
    },
    #[error(
        "the {}",
        match weights {
            true => format!("weights `{name}` hold text (`{level}`), where numbers must be"),
            false => format!(
                "response `{name}` holds text (`{level}`), where least squares need numbers: of two levels \
                 --family binomial is the regression, and selectors of information take any classes: \
                 --method jmi, say"
            ),
        }
    )]
    Text {
        name: String,
        level: String,
        weights: bool,
    },
    #[error(
        "{table}: {value} in row {row} of {}",
        match weights {
            true => format!(
                "the weights `{name}` is no weight: those are finite and not below 0; mend the \
                 value, or write 0 to leave the observation out"
            ),
            false => format!("column `{name}` is not a finite number"),
        }
    )]
    Value {
        table: String,
        name: String,
        row: usize,
        value: f64,
        weights: bool,
    },
    #[error(
        "{table}: all weights in `{name}` are 0: at least {FEWEST_ROWS} observations need one above 0"
    )]
    NoWeight { table: String, name: String },
    #[error("{table} has {n} observation{}: at least {FEWEST_ROWS} are needed", plural(*n))]
    FewRows { table: String, n: usize },
    #[error("the response `{name}` is constant ({value}): there is nothing to explain")]
    ConstantResponse { name: String, value: f64 },
    #[error(
        "the response `{name}` has norm {norm:e}, whose square f64 cannot hold: change its unit"
    )]
    ResponseScale { name: String, norm: f64 },
    #[error(
        "`{name}` is the response `{response}` {how}: leave it out with --drop {}",
        as_option(name)
    )]
    ResponseCopied {
        name: String,
        response: String,
        how: &'static str,
    },
    #[error(
        "the factor `{name}` has a level of its own in each of {n} rows, {}",
        match are_dates {
            true => format!(
                "being dates: make numbers of them with --date {0}, or leave it out with --drop {0}",
                as_option(name)
            ),
            false => format!("like an identifier: leave it out with --drop {}", as_option(name)),
        }
    )]
    Identifier {
        name: String,
        n: usize,
        are_dates: bool,
    },
    #[error(
        "{table} has no variable to choose from beside the response `{response}`{}",
        match set_aside {
            0 => String::new(),
            aside => format!(": {aside} were set aside, being constant or duplicates"),
        }
    )]
    NoVariables {
        table: String,
        response: String,
        set_aside: usize,
    },
    #[error(
        "--p-total = {p_total} is below the {p} candidates in {table}: give the number before \
         screening"
    )]
    Total {
        table: String,
        p_total: usize,
        p: usize,
    },
    #[error(
        "{table} makes a design matrix of {n} × {p}, more than fits into memory; most of it may \
         come from `{widest}`"
    )]
    TooLarge {
        table: String,
        n: usize,
        p: usize,
        widest: String,
    },
    #[error("{names} names for {columns} columns: X needs one a column")]
    Names { names: usize, columns: usize },
    #[error("column {column} is to be kept, but X has {columns} columns, counted from 0")]
    KeptColumn { column: usize, columns: usize },
    #[error(
        "X is {rows} × {columns}, y has {y} values{}: each needs one a row",
        match weights == rows {
            true => String::new(),
            false => format!(" and there are {weights} weights"),
        }
    )]
    Shape {
        rows: usize,
        columns: usize,
        y: usize,
        weights: usize,
    },
}

/// Why the dispersion of a quasi-likelihood cannot be estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are the message's facts")]
pub enum DispersionError {
    #[error(
        "a yes or no of one trial scatters as its probability says, and no more; count events of --trials, or leave \
         --dispersion out"
    )]
    OneTrial,
    #[error(
        "the model of all {columns} columns leaves {n} observations no degrees of freedom; give a number, such as \
         --dispersion 2.5, or leave columns out with --drop"
    )]
    Wide { n: usize, columns: usize },
    #[error(
        "no process holds all columns, of whose model it is; give a number, such as --dispersion 2.5"
    )]
    Shared,
    #[error(
        "the fit of the model of all {columns} columns has no end; give a number, such as --dispersion 2.5"
    )]
    NoFit { columns: usize },
}
