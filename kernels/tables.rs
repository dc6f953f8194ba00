//! A function that a plugin brings, of many contingency tables.
//!
//! ```text
//! out(t) = passel_value(values, table t, x, w, y)
//! ```
//!
//! *Shapes*: x·w·y counts a table, one table behind another, cell (i, j, l) of one at
//! (i·w + j)·y + l; the parameters of the method in `values`; `out` a number a table.
//!
//! *Launch*: any one-dimensional grid and block (a thread a table); no dynamic shared memory.

use crate::Kernel;

/// With the table's observations for a function: what a plugin's is compiled with.
pub const KERNEL: Kernel = Kernel {
    name: "tables",
    source: concat!(
        "static __device__ double passel_value(const double*, const unsigned* counts, unsigned x,\n",
        "                                      unsigned w, unsigned y)\n",
        "{ double n = 0.0; for (unsigned i = 0; i < x * w * y; i++) n += counts[i]; return n; }\n",
        include_str!("tables.cu")
    ),
    functions: &["tables"],
    spills: &[],
};

/// The kernel with a plugin's function in CUDA C; messages of the compiler name the lines of
/// the function's own text.
///
/// ```
/// let text = passel_kernels::tables::with("chi2", "__device__ double passel_value() {}");
/// assert!(text.starts_with("#line 1 \"chi2.cu\"\n__device__"));
/// ```
pub fn with(name: &str, function: &str) -> String {
    let kernel = include_str!("tables.cu");
    format!("#line 1 \"{name}.cu\"\n{function}\n#line 1 \"tables.cu\"\n{kernel}")
}

/// What the kernel gives, on the CPU.
///
/// ```
/// let counts = [1, 2, 3, 4, 0, 1, 0, 0];
/// let sum = |table: &[u32]| f64::from(table.iter().sum::<u32>());
/// assert_eq!(passel_kernels::tables::reference(&counts, [2, 1, 2], sum), [10.0, 1.0]);
/// ```
pub fn reference(
    counts: &[u32],
    [x, w, y]: [usize; 3],
    function: impl Fn(&[u32]) -> f64,
) -> Vec<f64> {
    counts.chunks(x * w * y).map(function).collect()
}
