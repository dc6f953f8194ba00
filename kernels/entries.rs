//! TODO

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "entries",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"entries.cu\"\n",
        include_str!("entries.cu")
    ),
    functions: &[
        "short_8", "few_8", "many_8", "short_16", "few_16", "many_16",
    ],
    spills: &[],
};
