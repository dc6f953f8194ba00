//! The GPUs of CUDA: the only place that knows of them.
//!
//! Its libraries are opened when the program runs, so the program is the same where there
//! are none. The crate that opens them panics where one is missing or lacks a function:
//! `library` asks before the first call of each, and everything else asks `library`.

mod cache;
// Until sweeps run here, only tests compile kernels.
#[allow(dead_code)]
pub(crate) mod compile;
#[cfg(test)]
mod compile_tests;
pub mod facts;
#[allow(dead_code)]
pub(crate) mod library;

pub use library::Version;
