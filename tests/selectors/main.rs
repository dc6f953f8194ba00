//! Selectors by information, driven as a user drives the program: against golden files of
//! other programs, against a reference written from the definitions, and by what must hold
//! for any data.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/problems.rs"]
mod problems;
#[path = "../support/program.rs"]
mod support;

mod entropies;
mod fixtures;
mod program;
mod ranked;
mod reference;

mod against_reference;
mod bad_input;
mod cautions;
mod coded;
mod corrected;
mod declared;
mod family;
mod finished;
mod functions;
mod functions_of_pairs;
mod golden;
mod guarded;
mod independence;
mod pairs;
mod pairwise;
mod partners;
mod places;
mod properties;
mod published;
mod ranks;
mod relief;
mod standardised;
mod stopping;
mod ties;
