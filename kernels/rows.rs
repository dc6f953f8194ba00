//! TODO

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "rows",
    source: concat!(
        include_str!("counting.cuh"),
        "#line 1 \"rows.cu\"\n",
        include_str!("rows.cu")
    ),
    functions: &[
        "rows", "order_8", "order_16",
    ],
    spills: &[],
};
