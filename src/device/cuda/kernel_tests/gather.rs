//! Columns gathered side by side, and fetched one by one, by rows.

use passel_kernels::{Kernel, gather};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestGpu};

pub(super) struct Case;

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[gather::KERNEL];
    const SIZES: &'static [usize] = &[1, 255, 256, 257, 1500];

    fn check(test: &mut TestGpu, n: usize) -> Result<(), DeviceError> {
        let (columns, _) = test.regression(n, 7);
        let which = [6, 0, 3, 3, 5];
        let expected = gather::reference(&columns, n, &which);
        let from = test.put(&columns)?;
        let out = test.put(&vec![0.0; expected.len()])?;
        let address = |start: u64, column: u32| start + (8 * n * column as usize) as u64;
        let addresses = which.map(|column| address(from, column));
        let (addresses, rows) = (test.put(&addresses)?, n as i64);
        let gather = arguments![addresses, rows, out];
        test.launch(&gather::KERNEL, "gather", (2, 5), (256, 0), gather)?;
        assert_eq!(test.get::<f64>(out, expected.len())?, expected);
        test.set(out, &vec![0.0; expected.len()])?;
        let pairs = [0, 1, 2, 3, 4].map(|at| [address(from, which[at as usize]), address(out, at)]);
        let pairs = test.put(&pairs)?;
        test.launch(&gather::KERNEL, "fetch", (2, 5), (256, 0), arguments![pairs, rows])?;
        assert_eq!(test.get::<f64>(out, expected.len())?, expected);
        Ok(())
    }
}
