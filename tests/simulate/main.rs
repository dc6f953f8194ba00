//! Simulated data against the models' definitions, and the files made of them.

#![allow(clippy::unwrap_used)]

mod models;
