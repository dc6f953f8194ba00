//! Model formulas as in R: `log(mpg) ~ wt * cyl + poly(hp, 2)`.
//!
//! The way of a formula: [`Formula::parse`] reads its text, [`Formula::terms`] expands it to
//! [`Terms`] over the names of variables, [`Expansion::of`] learns from data what its columns need
//! (levels, knots, centres), and [`Expansion::apply`] makes the columns of the design for that data
//! or for new data, term by term. An expansion is serialisable, so that a later program predicts
//! with the same columns.
//!
//! Terms, their order and labels, the coding of factors and the names of columns are those of R's
//! `terms.formula` and `model.matrix`; the bases are those of `poly`, `splines::bs` and
//! `splines::ns`.
//!
//! # What a formula may have
//!
//! | | |
//! | --- | --- |
//! | terms | `+ - * / : %in% ^`, parentheses, `.`, `0`, `1`, `offset()` |
//! | arithmetic, within functions | `+ - * / ^ %% %/%`, comparisons, `%in%`, `& \| !` |
//! | functions value by value | `abs acos asin atan ceiling cos cosh exp expm1 floor log log10 log1p log2 plogis pmax pmin qlogis round sign sin sinh sqrt tan tanh trunc`, `as.numeric` |
//! | statistics, learnt | `max mean median min sd sum var` |
//! | bases, learnt | `poly(x, degree, raw =)`, `bs`, `ns`, `scale` |
//! | a response of two columns | `cbind(events, failures)` |
//! | factors, learnt | `factor ordered as.factor as.ordered relevel cut`, `C(x, contr.sum)` with treatment, sum, helmert, poly and SAS |
//!
//! # Differences from R
//!
//! * Values that are missing or not finite are errors: leave such observations out before. Levels that
//!   occur in no observation keep their columns, as in `model.matrix`.
//! * What R passes over is an error: `a:1` (R drops the term), the response as a term, an offset within a
//!   term, a constant as a variable, a `df` too small for the spline, inner knots on or beyond the
//!   boundary knots, values that `cut()` or the levels of `factor()` leave out.
//! * `- offset(x)` removes the offset; R keeps it. `x^1` is `x`; R refuses it.
//! * Every function learns, also within others: `log(x - mean(x))` predicts with the first mean.
//! * `poly()` takes one variable.

mod arguments;
mod arithmetic;
mod bases;
mod call;
mod categories;
mod check;
mod coding;
mod columns;
mod contrasts;
mod cut;
mod data;
mod error;
mod evaluate;
mod expand;
mod expansion;
mod expression;
mod fault;
mod fitted;
mod functions;
mod learnt;
mod learnt_columns;
mod nesting;
mod number;
mod numbering;
mod operator;
mod options;
mod pairwise;
mod parse;
mod polynomial;
mod products;
mod response;
mod saved;
mod spline;
mod subsets;
mod suggest;
mod term_set;
mod terms;
mod token;
mod value;
mod warning;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use columns::DesignColumns;
pub use contrasts::Contrast;
pub use data::{Variable, Variables};
pub use error::FormulaError;
pub use expansion::Expansion;
pub use fault::Fault;
pub use learnt_columns::LearntColumns;
pub use options::ExpansionOptions;
pub(crate) use pairwise::{Pairwise, PairwiseTerm};
pub use terms::{Hierarchy, Terms};
pub use warning::Warning;

use expression::Expression;
pub(crate) use expression::name_text as quoted_name;

/// A formula that was read. Its text parses again to an equal formula.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Formula {
    text: String,
    response: Option<Expression>,
    terms: Expression,
}

impl Formula {
    /// Reads `response ~ terms` or `~ terms`.
    ///
    /// # Errors
    /// The first place that is no formula, with what would mend it; a function that is not known.
    ///
    /// ```
    /// # use passel::formula::Formula;
    /// let formula = Formula::parse("mpg~wt*hp+I( wt^2 )")?;
    /// assert_eq!(formula.to_string(), "mpg ~ wt * hp + I(wt^2)");
    /// # Ok::<(), passel::formula::FormulaError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let sides = parse::parse(text).map_err(|located| located.in_text(text))?;
        Ok(Self {
            text: text.to_owned(),
            response: sides.response,
            terms: sides.terms,
        })
    }

    /// Expands the formula to terms over the variables of these names, without their values.
    ///
    /// # Errors
    /// Names that are no variables, parts that are no terms, more than 250,000 terms.
    pub fn terms(&self, names: &[&str]) -> Result<Terms, FormulaError> {
        let terms = expand::expand(self, names);
        terms.map_err(|located| located.in_text(&self.text))
    }

    /// Whether it has a response, left of `~`.
    pub fn has_response(&self) -> bool {
        self.response.is_some()
    }

    /// Whether its response is of events and failures: `cbind(events, failures)`.
    pub fn has_failures(&self) -> bool {
        let response = self.response.as_ref();
        response.is_some_and(|own| own.bound_columns().is_some())
    }

    /// The formula as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Formulas are equal if they say the same, whatever spaces they have.
impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        self.response == other.response && self.terms == other.terms
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.response {
            Some(response) => write!(f, "{response} ~ {}", self.terms),
            None => write!(f, "~{}", self.terms),
        }
    }
}

impl FromStr for Formula {
    type Err = FormulaError;

    fn from_str(text: &str) -> Result<Self, FormulaError> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Formula {
    type Error = FormulaError;

    fn try_from(text: String) -> Result<Self, FormulaError> {
        Self::parse(&text)
    }
}

impl From<Formula> for String {
    fn from(formula: Formula) -> Self {
        formula.text
    }
}
