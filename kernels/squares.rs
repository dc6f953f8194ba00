//! The squares of columns, whose products with weights are xᵀWx, and the largest entry of each column.
//!
//! ```text
//! toᵢⱼ = xᵢⱼ²     largestⱼ = maxᵢ |xᵢⱼ|
//! ```
//!
//! *Shapes*: `columns` and `to` n × p, column-major; `largest` p. All f64.
//!
//! *Launch*: p blocks of 256. No dynamic shared memory.
//!
//! *Exactness*: every number is rounded once.

use crate::Kernel;

/// The kernel's text and function.
pub const KERNEL: Kernel = Kernel::new("squares", source!("squares.cu"), &["squares"]);

/// The squares of some columns, and the largest magnitude of each.
///
/// ```
/// let (squares, largest) = passel_kernels::squares::reference(&[1.0, -3.0, 2.0, 0.5], 2);
/// assert_eq!((squares, largest), (vec![1.0, 9.0, 4.0, 0.25], vec![3.0, 2.0]));
/// ```
pub fn reference(columns: &[f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let largest = |x: &[f64]| x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    (
        columns.iter().map(|x| x * x).collect(),
        columns.chunks(n).map(largest).collect(),
    )
}
