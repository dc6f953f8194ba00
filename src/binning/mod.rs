//! Table → columns of small integers, whose joint values can be counted.

mod columns;

pub use columns::{BinnedColumn, BinnedColumns, Codes, Rule};
