//! Some columns, side by side: what a product needs of a scattered set.
//!
//! ```text
//! out(·, i) = the column at addresses[i]
//! ```
//!
//! *Shapes*: columns of n numbers, f64, wherever they lie, on this GPU or one that it
//! reaches; `out` n × m, column-major, apart from them; m addresses, repeats allowed.
//! `fetch` takes pairs of addresses, from and to. Addresses may lie in the host's memory.
//!
//! *Launch*: grid (any number of blocks striding the rows, m), m ≤ 65,535; blocks of any
//! one-dimensional size (256); no dynamic shared memory.

use crate::Kernel;

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new("gather", source!("gather.cu"), &["gather", "fetch"]);

/// What the kernel gives, on the CPU.
///
/// ```
/// let columns = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let out = passel_kernels::gather::reference(&columns, 2, &[2, 0]);
/// assert_eq!(out, [5.0, 6.0, 1.0, 2.0]);
/// ```
///
/// # Panics
/// If a column is not there.
pub fn reference(columns: &[f64], n: usize, which: &[u32]) -> Vec<f64> {
    let column = |&j: &u32| &columns[j as usize * n..][..n];
    which.iter().flat_map(column).copied().collect()
}
