//! The fits of the swarm's models, one step on.

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "update",
    source: concat!(
        include_str!("least_squares.cuh"),
        "\n#line 1 \"update.cu\"\n",
        include_str!("update.cu")
    ),
    functions: &["update"],
    spills: &[],
};
