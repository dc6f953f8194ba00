//! Simulated data against the models' definitions, and the files made of them.

#![allow(clippy::unwrap_used)]

#[path = "../support/program.rs"]
mod support;

mod files;
mod filesets;
mod genotypes;
mod models;
mod options;
