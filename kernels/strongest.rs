//! The candidates that a product cannot tell from the strongest.

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "strongest",
    source: include_str!("strongest.cu"),
    functions: &[
        "mask_f64",
        "mask_f32",
        "largest_f64",
        "largest_f32",
        "collect_f64",
        "collect_f32",
        "score",
        "narrow",
    ],
    spills: &[],
};
