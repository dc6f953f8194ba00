//! The search against references written from its definition: exhaustive
//! search, fits by singular value decomposition, and a replay of every step.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/parts.rs"]
mod parts;
#[path = "../support/problems.rs"]
mod problems;
#[path = "../support/responses.rs"]
mod responses;

mod reference;

mod against_r;
mod bounds;
mod checkpoint;
mod closures;
mod cox;
mod estimates;
mod exhaustive;
mod families;
mod family_estimates;
mod family_extremes;
mod family_reference;
mod family_residuals;
mod family_search;
mod fits;
mod hierarchy;
mod invariance;
mod kept;
mod moves;
mod original;
mod polish;
mod proof_of_terms;
mod refusals;
mod residuals;
mod robust;
mod robust_levels;
mod terms;
mod weights;
