//! Proofs over terms of several columns, or that need others: terms are fixed and dropped as one, and what
//! their hierarchy then decides follows.

mod bounds;
mod decisions;
mod enumeration;
mod parts;
#[cfg(test)]
mod tests;
mod thresholds;
mod tree;

pub(super) use decisions::{Decision, Decisions};
pub(super) use enumeration::{enumerate, is_small};
pub(super) use thresholds::{Sizes, Thresholds};
pub(super) use tree::{TermTree, rises_with_rss};
