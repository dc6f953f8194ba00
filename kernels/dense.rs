//! TODO

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "dense",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"dense.cu\"\n",
        include_str!("dense.cu")
    ),
    functions: &[
        "dense_4_8",
        "dense_4_8_half",
        "dense_4_8_two",
        "dense_4_16",
        "dense_4_16_half",
        "dense_4_16_two",
        "dense_8_8",
        "dense_8_8_half",
        "dense_8_8_two",
        "dense_8_16",
        "dense_8_16_half",
        "dense_8_16_two",
        "dense_16_8",
        "dense_16_8_half",
        "dense_16_8_two",
        "dense_16_16",
        "dense_16_16_half",
        "dense_16_16_two",
    ],
    spills: &[],
};
