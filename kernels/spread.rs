//! TODO

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "spread",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"spread.cu\"\n",
        include_str!("spread.cu")
    ),
    functions: &[
        "spread_8",
        "scatter_8",
        "tell_8",
        "shuffle_8",
        "spread_16",
        "scatter_16",
        "tell_16",
        "shuffle_16",
    ],
    spills: &[],
};
