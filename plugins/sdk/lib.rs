//! What a plugin of passel in Rust needs: scores are declared here, and [`plugin!`] makes of
//! them what the engine loads. The crate is a `cdylib`.
//!
//! ```
//! use passel_sdk::{Join, Score, Selector, combinations::XW_Y};
//!
//! /// **Σ I((x,w);y)** over the chosen w.
//! pub const JMI: Selector = Selector {
//!     name: "my-jmi",
//!     title: "joint mutual information",
//!     formula: "Σ I((x,w);y)",
//!     source: "H. H. Yang and J. Moody, NIPS 12 (1999) 687–693",
//!     parameters: &[],
//!     score: |_| {
//!         Ok(Score {
//!             terms: vec![XW_Y.into()],
//!             join: Join::Alone,
//!             ..Score::default()
//!         })
//!     },
//! };
//!
//! passel_sdk::plugin! { name: mine, selectors: [JMI], pair_scores: [] }
//! # fn main() {}
//! ```
//!
//! x is the candidate, w the anchor (the variable chosen last, or all chosen ones joined), y
//! the response; larger scores are better, in nats.

#[doc(hidden)]
pub mod entry;

mod combination;
mod score;
pub mod trial;

pub use combination::{Combination, combinations};
pub use entry::warn;
pub use score::{Against, Gather, Join, Part, Quantity, Score, Term};

/// A number that a selector's score depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter {
    /// The name in `selector:name=number`: a small letter, then small letters, digits, `-`;
    /// neither `name` nor `plugin`.
    pub name: &'static str,
    /// What it does, on one line.
    pub help: &'static str,
    /// The value where none is given.
    pub default: f64,
    /// The smallest value allowed; finite.
    pub least: f64,
    /// The largest value allowed; finite.
    pub most: f64,
}

/// A method that chooses variables one by one, by a declared score.
#[derive(Debug, Clone, Copy)]
pub struct Selector {
    /// The name it is asked for by: a small letter, then small letters, digits, `-`.
    pub name: &'static str,
    /// What it is called in full.
    pub title: &'static str,
    /// Its score, on one line.
    pub formula: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Its parameters, in the order [`score`](Self::score) takes them.
    pub parameters: &'static [Parameter],
    /// The score for one value a parameter, each inside its range. The same values give the
    /// same score; called from any thread. An error, or a panic, is told to the user.
    pub score: fn(&[f64]) -> Result<Score, String>,
}

/// A score of every pair of variables with the response, larger is better: x and w stand for
/// the two, and exchanging them must not change it.
#[derive(Debug, Clone, Copy)]
pub struct PairScore {
    /// The name it is asked for by, as a selector's.
    pub name: &'static str,
    /// What it is called in full.
    pub title: &'static str,
    /// The score, on one line.
    pub formula: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Of the table of both variables and the response; called once, at load.
    pub quantity: fn() -> Quantity,
}

/// Makes the crate a plugin: `name` is the library's file name without `lib`, `passel_` and
/// what follows the dot, so that of the crate `passel-NAME` or `NAME`; with `_` for `-`.
/// Version and description are those of its `Cargo.toml`.
#[macro_export]
macro_rules! plugin {
    (
        name: $name:ident,
        selectors: [$($selector:expr),* $(,)?],
        pair_scores: [$($pair_score:expr),* $(,)?] $(,)?
    ) => {
        const _: () = {
            #[unsafe(export_name = concat!("passel_plugin_", stringify!($name)))]
            extern "C" fn entry(
                engine: *const $crate::entry::Engine,
            ) -> *const $crate::entry::Plugin {
                static MADE: $crate::entry::Made = $crate::entry::Made::new();
                MADE.enter(engine, &$crate::entry::Description {
                    name: stringify!($name),
                    version: env!("CARGO_PKG_VERSION"),
                    description: env!("CARGO_PKG_DESCRIPTION"),
                    selectors: const { &[$($selector),*] },
                    pair_scores: const { &[$($pair_score),*] },
                })
            }
        };
    };
}
