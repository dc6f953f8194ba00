//! TODO

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "whole",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"whole.cu\"\n",
        include_str!("whole.cu")
    ),
    functions: &["whole"],
    spills: &[],
};
