//! The columns of a matrix at unit norm, out of memory of any order.
//!
//! ```text
//! column(i) = (x(i) − x̄) / ‖x − x̄‖
//! ```
//!
//! *Shapes*: a matrix of f64 or f32 at `address`, `row` bytes from a row to the next and `column` bytes from a column to the
//! next; `rows`, if it is not null, are the n rows that count, u32, repeats allowed. `facts` has [`Facts`] of each of the
//! matrix's columns; `places` (u32) are the columns that are written, one after another, n × count.
//!
//! *Launch*, in this order, the grid any number of blocks striding the columns:
//!
//! | function | block | what |
//! | --- | --- | --- |
//! | `facts` | 256 | of `count` columns, without an intercept a mean of 0 |
//! | `columns` | 256 | of `places`, at unit norm; with null for `facts` as they are |
//! | `row` | any (256) | one row of `count` columns |
//!
//! *Exactness*: sums are those of the host, in its order: Σ x in 8 parts, Σ x² in 32, the mean in two passes, of which the second
//! takes off what rounding left in the first. No shared memory.

use crate::Kernel;

/// The kernel's text and functions.
pub const KERNEL: Kernel = Kernel::new(
    "standardise",
    source!("standardise.cu"),
    &["facts", "columns", "row"],
);

/// A matrix, as the kernels take it.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Matrix {
    /// Where its first element is.
    pub address: u64,
    /// Bytes from a row to the next.
    pub row: i64,
    /// Bytes from a column to the next.
    pub column: i64,
    /// Where the numbers of the rows are that count; 0 for all rows.
    pub rows: u64,
    /// How many rows count.
    pub n: i64,
    /// 1 where elements are f32, 0 where they are f64.
    pub single: i64,
}

assert_layout!(Matrix: 48 by 8; column: 16, n: 32);

/// What is known of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C)]
pub struct Facts {
    /// The largest |x|.
    pub largest: f64,
    /// The mean is the sum of two parts: of the values, and of what the first leaves of them.
    pub mean: f64,
    /// The second part.
    pub rest: f64,
    /// The norm of what both parts leave.
    pub norm: f64,
    /// Bits of [`NOT_FINITE`], [`MARKED`] and [`NO_ROW_NUMBERS`].
    pub doubts: u64,
}

assert_layout!(Facts: 40 by 8; norm: 24, doubts: 32);

/// Some value is infinite or none.
pub const NOT_FINITE: u64 = 1;

/// Some value is −99, −999, −9,999 or −99,999, as missing ones are marked.
pub const MARKED: u64 = 2;

/// The values are not 0, 1, 2, … or 1, 2, 3, ….
pub const NO_ROW_NUMBERS: u64 = 4;

/// Mean and norm of a column, by their definition.
///
/// ```
/// let (mean, norm) = passel_kernels::standardise::reference(&[1.0, 3.0, 5.0, 7.0], true);
/// assert_eq!((mean, norm), (4.0, 20_f64.sqrt()));
/// ```
pub fn reference(values: &[f64], intercept: bool) -> (f64, f64) {
    let mean = match intercept {
        true => values.iter().sum::<f64>() / values.len() as f64,
        false => 0.0,
    };
    let squares = values.iter().map(|value| (value - mean).powi(2));
    (mean, squares.sum::<f64>().sqrt())
}
