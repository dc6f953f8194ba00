//! passel selects the variables of a linear regression.
//!
//! The data travels through these modules in order:
//!
//! file → [`table`] → [`design`] → [`device`] (sweeps, and the models' [`least_squares`])
//! → [`search`] → [`selection`] → [`report`]
//!
//! and [`run`] takes a [`job`] the whole way, as the program does; [`simulate`] makes tables
//! with a known truth. [`plugin`] finds the methods that shared libraries bring, [`stability`]
//! draws resamples and says what their choices are worth.
//!
//! A caller with matrices needs three of them:
//!
//! ```
//! use nalgebra::{DMatrix, DVector};
//! use passel::{Design, Pass, criteria::Ebic};
//!
//! // y = 2·x1 and a little noise; x0 and x2 have no part in it.
//! let x = DMatrix::from_fn(20, 3, |i, j| ((i * (j + 3) * 7) % 11) as f64);
//! let y = DVector::from_fn(20, |i, _| 2.0 * x[(i, 1)] + 0.1 * (i % 3) as f64);
//! let design = Design::from_matrices(&x, &y, &Default::default())?;
//! let selection = passel::select(&design, &Ebic { gamma: 1.0 }, &Pass::default())?;
//! assert_eq!(selection.selected[0].name, "x1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// What only reports and the command line use, when they are not built.
#![cfg_attr(not(feature = "program"), allow(dead_code, unused_imports))]

// Fixtures of `tests/` that unit tests share name the crate as its users do.
#[cfg(test)]
extern crate self as passel;

mod vector;

pub mod nearest;

mod spec;

mod random;

mod panics;

mod logs;

mod fnv;

mod interrupt;

pub mod threads;

pub mod ranks;

pub mod table;

pub mod simulate;

pub mod score;

pub mod binning;

pub mod design;

pub mod least_squares;

pub mod device;

pub mod selection;

pub mod search;

pub mod selector;

pub mod stability;

pub mod plugin;

pub mod presentation;

#[cfg(feature = "program")]
pub mod report;

pub mod output;

pub mod trace;

pub mod progress;

pub mod job;

pub mod run;

#[cfg(feature = "program")]
pub mod batch;

#[cfg(feature = "program")]
pub mod program;

pub use design::Design;
pub use interrupt::Interrupt;
pub use passel_criteria as criteria;
pub use search::{Pass, select};
pub use selection::Selection;
