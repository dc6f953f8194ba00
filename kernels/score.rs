//! TODO

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "score",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"score.cu\"\n",
        include_str!("score.cu")
    ),
    functions: &["score"],
    spills: &[],
};
