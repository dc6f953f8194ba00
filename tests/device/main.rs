//! One body, every device: a search must walk the same path wherever its sweeps run.
//!
//! Each case is run on one shard of the CPU with one thread, then on the others. Where
//! `PASSEL_REQUIRE_CUDA` is set, the absence of a GPU fails instead of skipping.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../support/parts.rs"]
mod parts;
#[path = "../support/problems.rs"]
mod problems;

mod cases;
mod families;
mod going_on;
mod large;
mod limits;
mod many;
mod own_family;
mod places;
mod rounding;
mod same;
mod sanitize;
mod terms;
mod validation;

/// Each list of cases on every shape of the CPU, in other orders of its observations,
/// and on every shape of the GPUs.
macro_rules! on_every_device {
    ($($name:ident),* $(,)?) => {
        mod cpu {
            $(#[test]
            fn $name() {
                crate::same::same_everywhere(&crate::cases::$name(), crate::places::cpus);
            })*
        }
        mod reordered {
            $(#[test]
            fn $name() {
                crate::rounding::same_in_any_order(crate::cases::$name());
            })*
        }
        mod cuda {
            $(#[test]
            fn $name() {
                if crate::places::cuda_is_there() {
                    crate::same::same_everywhere(&crate::cases::$name(), crate::places::cudas);
                }
            })*
        }
    };
}

on_every_device!(
    ing_lai,
    chen_chen,
    interactions,
    mirrored_columns,
    nearly_collinear,
    linear_combinations,
    few_observations,
    large_models,
    kept_variables,
    exact_gain,
    nearly_equal_gains,
    exact_fit,
    fewer_columns_than_shards,
    whole_numbers,
    long_walks,
);
