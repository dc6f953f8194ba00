//! Columns gathered side by side, and fetched one by one, by rows.

use passel_kernels::gather;

use super::{TestGpu, arguments};

pub const SIZES: &[usize] = &[1, 255, 256, 257, 1500];

pub fn check(test: &mut TestGpu, n: usize) {
    let (columns, _) = test.regression(n, 7);
    let which = [6, 0, 3, 3, 5];
    let expected = gather::reference(&columns, n, &which);
    let (from, rows) = (test.put(&columns), n as i64);
    let [gathered, fetched] = [0, 1].map(|_| test.fill(0.0, expected.len()));
    let address = |start: u64, column: u32| start + (8 * n * column as usize) as u64;
    let addresses = which.map(|column| address(from, column));
    let pairs = [0, 1, 2, 3, 4].map(|at| [addresses[at], address(fetched, at as u32)]);
    let (addresses, pairs) = (test.put(&addresses), test.put(&pairs));
    let shape = (256, 0);
    let given = arguments![addresses, rows, gathered];
    test.launch(&gather::KERNEL, "gather", (2, 5), shape, given);
    let given = arguments![pairs, rows];
    test.launch(&gather::KERNEL, "fetch", (2, 5), shape, given);
    for out in [gathered, fetched] {
        assert_eq!(test.get::<f64>(out, expected.len()), expected);
    }
}
