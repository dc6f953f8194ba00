//! Proofs where models have a likelihood: each model is fitted where they are few, else branch and bound by losses of
//! the largest models.

mod bounds;
mod enumeration;
mod explorer;
mod node;
#[cfg(test)]
mod tests;
mod tree;

pub(super) use enumeration::{enumerate, is_small};
pub(super) use explorer::Explorer as LossExplorer;
pub(super) use tree::LikelihoodTree;
