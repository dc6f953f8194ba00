//! The exact gain of candidates.

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "gain",
    source: concat!(
        include_str!("least_squares.cuh"),
        "\n#line 1 \"gain.cu\"\n",
        include_str!("gain.cu")
    ),
    functions: &["orthonormal", "gain", "bounds", "collect_gains"],
    spills: &[],
};
