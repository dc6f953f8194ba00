//! Squares and the largest entries, bit for bit. By observations.

use passel_kernels::squares::{self, KERNEL};

use super::{TestGpu, arguments};

pub const SIZES: &[usize] = &[1, 31, 255, 256, 257, 1000];

/// Columns.
const P: usize = 9;

pub fn check(test: &mut TestGpu, n: usize) {
    let (mut columns, _) = test.regression(n, P);
    columns[..n].fill(0.0);
    let (squares, largest) = squares::reference(&columns, n);
    let (x, rows) = (test.put(&columns), n as i64);
    let (to, most) = (test.fill(-1.0f64, n * P), test.fill(-1.0f64, P));
    let given = arguments![x, rows, to, most];
    test.launch(&KERNEL, "squares", (P as u32, 1), (256, 0), given);
    assert_eq!(test.get::<f64>(to, n * P), squares);
    assert_eq!(test.get::<f64>(most, P), largest);
}
