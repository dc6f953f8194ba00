//! What each column would do for a model by joining or replacing.

use crate::Kernel;

/// See the module.
pub const KERNEL: Kernel = Kernel {
    name: "neighbours",
    source: include_str!("neighbours.cu"),
    functions: &["changes", "threshold", "collect"],
    spills: &[],
};
