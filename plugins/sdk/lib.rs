//! What a plugin of passel in Rust needs: scores are declared here, and [`plugin!`] makes of
//! them what the engine loads. The crate is a `cdylib`.
//!
//! ```
//! use passel_sdk::{Join, Score, Selector, combinations::XW_Y};
//!
//! /// **Σ I((x,w);y)** over the chosen w.
//! pub const JMI: Selector = Selector {
//!     name: "my-jmi",
//!     title: "joint mutual information",
//!     formula: "Σ I((x,w);y)",
//!     source: "H. H. Yang and J. Moody, NIPS 12 (1999) 687–693",
//!     parameters: &[],
//!     score: |_| {
//!         Ok(Score {
//!             terms: vec![XW_Y.into()],
//!             join: Join::Alone,
//!             ..Score::default()
//!         })
//!     },
//! };
//!
//! passel_sdk::plugin! { name: mine, selectors: [JMI] }
//! # fn main() {}
//! ```
//!
//! x is the candidate, w the anchor (the variable chosen last, or all chosen ones joined), y
//! the response; larger scores are better, in nats.

#[doc(hidden)]
pub mod entry;

mod family;
mod finish;
mod function;
mod panics;
mod problem;
mod score;
pub mod trial;

pub use entry::{file, warn};
pub use family::{Family, FamilyLink};
pub use finish::{Finish, Gathered};
pub use function::{Function, Table};
pub use passel_score::{
    Against, Combination, Combine, Gather, Join, Part, Quantity, Term, combinations,
};
pub use problem::{Fitted, Levels, Problem, Regression, Swept};
pub use score::Score;

/// A number that a method depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// The name in `method:name=number`: a small letter, then small letters, digits, `-`;
    /// neither `name` nor `plugin` nor `value`.
    pub name: &'static str,
    /// What it does, on one line.
    pub help: &'static str,
    /// The value where none is given.
    pub default: f64,
    /// The smallest value allowed; finite.
    pub least: f64,
    /// The largest value allowed; finite.
    pub most: f64,
    /// See [`ParameterKind`].
    pub kind: ParameterKind,
}

/// The values that a parameter takes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum ParameterKind {
    /// Any number in its range.
    #[default]
    Number,
    /// Whole numbers in its range.
    Whole,
    /// Names as of a parameter, which are written in place of 0, 1, …: the range is from 0 to their
    /// number less one.
    Choice(&'static [&'static str]),
    /// A file, of selectors, procedures and pair scores: [`file()`] tells its path by the value, which is 0 where none is given.
    /// The range is from 0 to 0.
    File,
}

/// A method that chooses variables one by one, by a declared score.
#[derive(Debug, Clone, Copy)]
pub struct Selector {
    /// The name it is asked for by: a small letter, then small letters, digits, `-`.
    pub name: &'static str,
    /// What it is called in full.
    pub title: &'static str,
    /// Its score, on one line.
    pub formula: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Its parameters, in the order [`score`](Self::score) takes them.
    pub parameters: &'static [Parameter],
    /// The score for one value a parameter, each inside its range. The same values give the
    /// same score; called from any thread. An error, or a panic, is told to the user.
    pub score: fn(&[f64]) -> Result<Score, String>,
}

/// A score of every pair of variables with the response, larger is better: x and w stand for
/// the two, and exchanging them must not change it.
#[derive(Debug, Clone, Copy)]
pub struct PairScore {
    /// The name it is asked for by, as a selector's.
    pub name: &'static str,
    /// What it is called in full.
    pub title: &'static str,
    /// The score, on one line.
    pub formula: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Its parameters, in the order its function takes them.
    pub parameters: &'static [Parameter],
    /// Of the table of both variables and the response.
    pub measure: PairMeasure,
}

/// What a pair score is made of.
#[derive(Debug, Clone, Copy)]
pub enum PairMeasure {
    /// Declared; called once, at load.
    Quantity(fn() -> Quantity),
    /// What cannot be declared.
    Function(&'static Function),
}

/// A method that chooses variables by a way of its own.
#[derive(Debug, Clone, Copy)]
pub struct Procedure {
    /// The name it is asked for by, as a selector's, and no selector's.
    pub name: &'static str,
    /// What it is called in full.
    pub title: &'static str,
    /// What it computes, on one line.
    pub formula: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Its parameters, in the order [`run`](Self::run) takes them.
    pub parameters: &'static [Parameter],
    /// Refuses values, each inside its range, that do not go together, before data are read.
    pub check: fn(&[f64]) -> Result<(), String>,
    /// Chooses variables, and returns when all are chosen. Called from any thread. An error, or
    /// a panic, ends the selection; what was chosen before is reported.
    pub run: Run,
}

/// What a procedure is lent, beside one value a parameter, each inside its range.
#[derive(Debug, Clone, Copy)]
pub enum Run {
    /// Levels of candidates and response: a ranking.
    Levels(fn(&[f64], &Levels) -> Result<(), String>),
    /// A linear regression: one model.
    Regression(fn(&[f64], &Regression) -> Result<(), String>),
    /// A regression of any family but `multinomial`, linear ones among them: one model. Fits maximise the likelihood, and their residuals, as the
    /// numbers of the response, are scores: its derivatives by the linear predictors, all times one number.
    Likelihood(fn(&[f64], &Regression) -> Result<(), String>),
}

/// What models are compared by; smaller is better.
#[derive(Debug, Clone, Copy)]
pub struct Criterion {
    /// The name it is asked for by, as a selector's; no other criterion's.
    pub name: &'static str,
    /// What it is called in full.
    pub title: &'static str,
    /// What it computes, on one line.
    pub formula: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Its parameters, in the order [`value`](Self::value) takes them.
    pub parameters: &'static [Parameter],
    /// Whether it is defined for models of maximum likelihood, of every family, and not for linear
    /// regressions alone: otherwise it is refused with another family.
    pub likelihoods: bool,
    /// The value for one value a parameter, each inside its range; +∞ where there is none. It
    /// does not fall when rss or misfit rises. Called from any thread, a million times a second.
    pub value: fn(&[f64], &Model) -> f64,
}

/// What a criterion is told of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model<'a> {
    /// Observations; of survival times the events.
    pub n: usize,
    /// Variables p that may be chosen or not; before a screening, where there was one.
    pub candidates: usize,
    /// Those chosen, k ≤ p. A variable may be a term of several columns, such as a factor.
    pub chosen: usize,
    /// Coefficients of those chosen: k, unless terms have several.
    pub chosen_parameters: usize,
    /// Coefficients of variables that every model holds, m; neither p nor k counts these.
    pub kept: usize,
    /// Whether the model has an intercept, which is not counted above.
    pub has_intercept: bool,
    /// Residual sum of squares of a linear regression, > 0; NaN of other families.
    pub rss: f64,
    /// n·ln(rss/n) of a linear regression; of other families −2ℓ, with all constants, ℓ the largest
    /// log-likelihood, over [`dispersion`](Self::dispersion).
    pub misfit: f64,
    /// The family as `--family` names it: `gaussian` of a linear regression, `binomial`, …
    pub family: &'a str,
    /// Estimates beside coefficients and intercept: 1 for an error variance, a dispersion, a shape; 0 of
    /// binomial and Poisson responses and survival times; the thresholds of ordered levels, the
    /// intercepts of levels without order.
    pub scatter: usize,
    /// The dispersion of a quasi-likelihood (`--dispersion`); else 1.
    pub dispersion: f64,
}

impl Model<'_> {
    /// Coefficients without intercepts: those of chosen and of kept variables.
    pub fn parameters(&self) -> usize {
        self.chosen_parameters + self.kept
    }
}

/// Makes the crate a plugin: `name` is the library's file name without `lib`, `passel_` and
/// what follows the dot, so that of the crate `passel-NAME` or `NAME`; with `_` for `-`.
/// Version, description, licence, authors and homepage, or else repository, are those of its
/// `Cargo.toml`; `doi: "10.…"` behind the name is that of the publication. Lists that are empty
/// may be left out. For a program that the crate is a part of, there is a constant `PLUGIN`.
#[macro_export]
macro_rules! plugin {
    (
        name: $name:ident
        $(, doi: $doi:literal)?
        $(, selectors: [$($selector:expr),* $(,)?])?
        $(, procedures: [$($procedure:expr),* $(,)?])?
        $(, pair_scores: [$($pair_score:expr),* $(,)?])?
        $(, criteria: [$($criterion:expr),* $(,)?])?
        $(, families: [$($family:expr),* $(,)?])?
        $(,)?
    ) => {
        /// The plugin, for a program that it is a part of.
        pub const PLUGIN: (&str, $crate::entry::Entry) = {
            #[unsafe(export_name = concat!("passel_plugin_", stringify!($name)))]
            extern "C" fn entry(
                engine: *const $crate::entry::Engine,
            ) -> *const $crate::entry::Plugin {
                static MADE: $crate::entry::LazyPlugin = $crate::entry::LazyPlugin::new();
                MADE.enter(engine, &$crate::entry::Description {
                    name: stringify!($name),
                    version: env!("CARGO_PKG_VERSION"),
                    description: env!("CARGO_PKG_DESCRIPTION"),
                    about: [
                        env!("CARGO_PKG_LICENSE"),
                        env!("CARGO_PKG_AUTHORS"),
                        env!("CARGO_PKG_HOMEPAGE"),
                        env!("CARGO_PKG_REPOSITORY"),
                        concat!($($doi)?),
                    ],
                    selectors: const { &[$($($selector),*)?] },
                    procedures: const { &[$($($procedure),*)?] },
                    pair_scores: const { &[$($($pair_score),*)?] },
                    criteria: const { &[$($($criterion),*)?] },
                    families: const { &[$($($family),*)?] },
                })
            }
            (stringify!($name), entry)
        };
    };
}
