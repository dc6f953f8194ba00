//! Model formulas: parsing, terms, columns and what is learnt of data.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod algebra;
mod bases;
mod coding;
mod data;
mod errors;
mod evaluation;
mod fuzz;
mod golden;
mod parsing;
mod prediction;
mod random;
mod terms;
