//! What can be wrong with a formula, with data for it, or with an expansion that was saved.

use super::number::number_text;
use super::suggest::{function_hint, names, near_or_listed};

/// What is wrong, and what would mend it. Rows are observations and count from 1.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are the message's facts")]
pub enum Fault {
    #[error(
        "`{character}` has no meaning in a formula; a name that contains it stands in backquotes"
    )]
    UnexpectedCharacter { character: char },
    #[error(
        "the quotation mark {quote} does not close; write another {quote} at the end of the text"
    )]
    UnclosedQuote { quote: char },
    #[error("`\\{character}` is no escape sequence; a backslash itself is written twice")]
    UnknownEscape { character: char },
    #[error("a name in backquotes is empty; write the variable's name between them")]
    EmptyName,
    #[error("`{text}` is not a number; a name that begins with a digit stands in backquotes")]
    NumberForm { text: String },
    #[error("`{text}` is too large for a number in double precision")]
    NumberTooLarge { text: String },
    #[error("`{operator}` is no operator of formulas; {mend}")]
    UnknownOperator {
        operator: String,
        mend: &'static str,
    },
    #[error("expected {expected}, found {found}")]
    Unexpected {
        expected: &'static str,
        found: String,
    },
    #[error("this parenthesis does not close; write `)` where it ends")]
    UnclosedParenthesis,
    #[error(
        "a formula has a `~` between response and terms; write `response ~ terms` or `~ terms`"
    )]
    NoTilde,
    #[error("a formula has one `~`; join the terms behind it with `+`")]
    SecondTilde,
    #[error(
        "more than {limit} parentheses, functions or operators inside one another; simplify the formula"
    )]
    TooDeep { limit: usize },
    #[error("comparisons do not chain; write `a < b & b < c`")]
    ComparisonChain,
    #[error("no function is called `{name}`{}", function_hint(name, near, known))]
    UnknownFunction {
        name: String,
        near: Vec<String>,
        known: Vec<String>,
    },
    #[error("`{word}` is a reserved word; a variable of this name stands in backquotes")]
    ReservedWord { word: String },
    #[error(
        "no variable is called `{name}`{}",
        near_or_listed(near, names, "variables")
    )]
    UnknownVariable {
        name: String,
        near: Vec<String>,
        names: Vec<String>,
    },
    #[error("{found} is no term; besides names and functions only 0 and 1, for the intercept, are")]
    NotATerm { found: String },
    #[error(
        "the exponent of a term must be a whole number, 1 or more; powers of values stand in I(): `I(x^2)`"
    )]
    Exponent,
    #[error(
        "there is no term here to interact with; the intercept and offsets have no interactions"
    )]
    NothingToInteract,
    #[error("more than {limit} terms; name fewer variables or a lower degree of interaction")]
    TooManyTerms { limit: usize },
    #[error(
        "expanding this takes too many steps; name fewer variables or a lower degree of interaction"
    )]
    TooMuchWork,
    #[error("`{expression}` names no variable and would be constant")]
    NoVariable { expression: String },
    #[error(
        "`.` stands for all other variables as terms; within a function or the response, name the variable"
    )]
    DotWithinExpression,
    #[error("the response `{label}` cannot also be part of a term; remove it behind `~`")]
    ResponseAsTerm { label: String },
    #[error(
        "cbind() stands by itself left of `~`, of events and failures: `cbind(events, failures) ~ terms`"
    )]
    CbindWithinExpression,
    #[error("cbind() has {found} columns; as a response it has two, of events and of failures")]
    CbindColumns { found: usize },
    #[error("offset() stands by itself among the terms, not within a function or the response")]
    OffsetWithinExpression,
    #[error("{function}() needs the argument `{argument}`")]
    MissingArgument {
        function: String,
        argument: &'static str,
    },
    #[error(
        "{function}() has no argument `{argument}`{}",
        near_or_listed(near, known, "arguments")
    )]
    UnknownArgument {
        function: String,
        argument: String,
        near: Vec<String>,
        known: Vec<String>,
    },
    #[error("{function}() has at most {most} {}", if *most == 1 { "argument" } else { "arguments" })]
    TooManyArguments { function: String, most: usize },
    #[error("{function}() has the argument `{argument}` twice; remove one")]
    ArgumentTwice {
        function: String,
        argument: &'static str,
    },
    #[error("`{argument}` of {function}() must be {expected}")]
    ArgumentValue {
        function: String,
        argument: &'static str,
        expected: &'static str,
    },
    #[error(
        "several variables in one poly() are not supported; write poly(x, 2) + poly(z, 2), or their product with `*`"
    )]
    SeveralVariables,
    #[error("`{expression}` is {found}; {expected} is needed here")]
    WrongKind {
        expression: String,
        found: &'static str,
        expected: &'static str,
    },
    #[error("{left} values cannot be combined with {right}")]
    Lengths { left: usize, right: usize },
    #[error("`{expression}` has {found} values for {rows} observations")]
    ValueCount {
        expression: String,
        found: usize,
        rows: usize,
    },
    #[error(
        "`{expression}` is {} in row {row}{inputs}; leave this observation out or transform the variable",
        number_text(*value)
    )]
    NotFinite {
        expression: String,
        row: usize,
        value: f64,
        inputs: String,
    },
    #[error(
        "`{expression}` leads to numbers that are not finite; rescale the variable, or lower the degree"
    )]
    Overflow { expression: String },
    #[error("`{expression}` has no value in row {row}; leave this observation out")]
    Missing { expression: String, row: usize },
    #[error(
        "the level `{level}` of `{expression}` in row {row} is none of its levels ({})",
        names(levels)
    )]
    NewLevel {
        expression: String,
        level: String,
        row: usize,
        levels: Vec<String>,
    },
    #[error("`{level}` is no level of `{expression}` (levels: {})", names(levels))]
    UnknownLevel {
        expression: String,
        level: String,
        levels: Vec<String>,
    },
    #[error("the factor `{expression}` has {}; contrasts need two levels or more, so leave it out", match level {
        Some(level) => format!("one level only, `{level}`"),
        None => "no levels".to_owned(),
    })]
    OneLevel {
        expression: String,
        level: Option<String>,
    },
    #[error("`{expression}` has {found} different values; {needed} are needed here")]
    FewValues {
        expression: String,
        found: usize,
        needed: usize,
    },
    #[error("`df` of {function}() is {found}, but at least {least} here")]
    DegreesOfFreedom {
        function: String,
        found: usize,
        least: usize,
    },
    #[error(
        "the knot {knot} of {function}() is not between the boundary knots {lower} and {upper}; name other knots or a smaller `df`"
    )]
    KnotOutside {
        function: String,
        knot: f64,
        lower: f64,
        upper: f64,
    },
    #[error(
        "`{expression}` is in no interval of the breaks in row {row}; widen the breaks, or set include.lowest = TRUE"
    )]
    OutsideBreaks { expression: String, row: usize },
    #[error("the variable `{name}` has {found} observations, the data {rows}")]
    Rows {
        name: String,
        found: usize,
        rows: usize,
    },
    #[error("there are no observations")]
    NoRows,
    #[error("the variable `{name}` was {was} when the expansion was made, and now is {is}")]
    KindChanged {
        name: String,
        was: &'static str,
        is: &'static str,
    },
    #[error("the term `{label}` has more than {limit} columns")]
    TooManyColumns { label: String, limit: usize },
    #[error("contrasts of polynomials are for at most {limit} levels; `{expression}` has {found}")]
    TooManyLevels {
        expression: String,
        found: usize,
        limit: usize,
    },
    #[error(
        "contrasts or a reference level are given for `{name}`, which is no factor of the terms; leave them out"
    )]
    UnusedContrasts { name: String },
    #[error("what was saved of `{expression}` does not fit the formula; make the expansion again")]
    Saved { expression: String },
}
