//! passel selects variables: for a linear regression by particle swarm stepwise search (PaSS), which
//! minimises an information criterion; for a classification or a regression by selectors, which count
//! how often levels of the variables and of the response occur together.
//!
//! # From matrices
//!
//! ```
//! use nalgebra::{DMatrix, DVector};
//! use passel::{Design, MatrixOptions, Pass, criteria::EbicMonotone};
//!
//! // y = 2·x1 and a little noise; x0 and x2 have no part in it.
//! let x = DMatrix::from_fn(20, 3, |i, j| ((i * (j + 3) * 7) % 11) as f64);
//! let y = DVector::from_fn(20, |i, _| 2.0 * x[(i, 1)] + 0.1 * (i % 3) as f64);
//! let design = Design::from_matrices(&x, &y, &MatrixOptions::default())?;
//! let selection = passel::select(&design, &EbicMonotone::default(), &Pass::default())?;
//! assert_eq!(selection.selected[0].name, "x1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! X is n × p, observations × variables; y has n values. Coefficients are on the scale of X and y.
//! [`MatrixOptions`] has names, weights, variables that every model holds, and the intercept.
//!
//! # From columns
//!
//! A [`Table`] has named columns of numbers or factors, from memory ([`Table::from_columns`]) or from a
//! file ([`table::read`]). A [`Job`] says what to do with it. Vectors and slices become columns by
//! `into`: column j of a matrix is `("name", x.column(j).as_slice().into())`.
//!
//! | result | function | in `examples/` |
//! | --- | --- | --- |
//! | a regression model: [`Selection`] | [`select`] of [`Design::from_table`] | `weights_and_factors.rs` |
//! | variables ranked by a selector: [`Ranking`] | [`rank`] of a [`Job`] | `selector.rs` |
//! | all pairs of variables: [`PairsReport`] | [`rank_pairs`] of a [`PairsJob`] | `pairs.rs` |
//! | variables chosen from most resamples: [`StabilityReport`] | [`select_stable`] of a [`StabilityJob`] | `stability.rs` |
//! | errors on rows held out: [`ValidationReport`] | [`validate`] of a [`ValidationJob`] | |
//!
//! Selectors and pair scores are plugins. [`Plugins::find`] loads the shared libraries beside the program;
//! [`Plugins::linked`] takes plugins that the program is linked with.
//!
//! # From files, as the program
//!
//! [`run`] takes a [`job`] the whole way: file → [`table`] → [`design`] matrix, or codes by [`binning`] →
//! [`device`] (sweeps, and the models' [`least_squares`]) → [`search`] or [`selector`] → [`selection`] →
//! report. [`simulate`] makes tables whose true variables are known.
//!
//! # Features
//!
//! `program`, a default, holds the command line, job files, runs of many jobs, progress bars and
//! rendered reports; with `default-features = false` none of their crates is built. `parquet` reads
//! and writes Apache Parquet.

// What only reports and the command line use, when they are not built.
#![cfg_attr(not(feature = "program"), allow(dead_code, unused_imports))]

// Fixtures of `tests/` that unit tests share name the crate as its users do.
#[cfg(test)]
extern crate self as passel;

mod vector;

mod cholesky;

mod nearest;

mod printable;

mod spec;

mod random;

mod panics;

mod logs;

mod foreign_calls;

mod interrupt;

mod sha256;

mod machine;

mod system_limits;

mod whole_file;

mod threads;

mod fnv;

pub mod memory;

mod genotypes;

pub mod ranks;

pub mod table;

pub mod family;

pub mod formula;

pub mod simulate;

pub mod score;

pub mod binning;

pub mod design;

pub mod least_squares;

mod sandwich;

pub mod prediction;

pub mod device;

pub mod selection;

pub mod search;

pub mod selector;

pub mod stability;

pub mod validation;

pub mod inference;

pub mod plugin;

mod presentation;

#[cfg(feature = "program")]
pub mod report;

mod output;

pub mod trace;

mod progress;

pub mod job;

pub mod run;

#[cfg(feature = "program")]
pub mod batch;

#[cfg(feature = "program")]
pub mod program;

pub use design::{Design, DesignOptions, MatrixOptions};
pub use interrupt::Interrupt;
pub use job::{Job, PairsJob, StabilityJob, ValidationJob};
pub use passel_criteria as criteria;
pub use plugin::Plugins;
pub use run::{rank, rank_pairs, select_stable, validate};
pub use search::{Pass, select};
pub use selection::{PairsReport, Ranking, Selection, StabilityReport, ValidationReport};
pub use selector::Stop;
pub use table::Table;
