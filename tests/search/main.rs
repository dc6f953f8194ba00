//! The search against references written from its definition.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/problems.rs"]
mod problems;

mod original;
