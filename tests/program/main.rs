//! The program, driven as its users drive it: arguments, files and signals in, reports and exit codes out.

#![allow(clippy::unwrap_used)]
// Two examples draw, and each is a program of its own.
#![allow(clippy::duplicate_mod)]

#[path = "../support/program.rs"]
mod support;

mod bad_input;
mod batch;
mod batch_ends;
mod cautions;
mod check;
mod checkpoint;
mod cli;
mod cohort_judge;
mod cohort_mistakes;
mod cohorts;
mod criteria;
// Elsewhere libraries are found and named otherwise.
#[cfg(target_os = "linux")]
mod devices;
mod events;
mod examples;
mod factors;
mod families;
mod family_estimates;
mod filesets;
mod formula_mistakes;
mod formulas;
mod genotypes;
mod genotypic;
mod hostile_names;
#[cfg(unix)]
mod interrupts;
mod jobs;
mod level_order;
mod levels;
mod many_responses;
mod memory;
mod mistakes;
mod odd_files;
mod operations;
mod ownership;
mod parquet;
mod predicted_models;
mod prediction_mistakes;
mod prediction_rows;
mod predictions;
mod quasi_likelihood;
mod response_mistakes;
mod responses;
#[cfg(target_os = "linux")]
mod signal_times;
#[cfg(unix)]
mod special_files;
mod survival;
mod terms;
mod time_limits;
mod timings;
mod truth;
mod wide_formulas;
