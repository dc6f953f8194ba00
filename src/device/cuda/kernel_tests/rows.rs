//! Few rows, sorted by joint code and compared: both functions, by rows, on both sides of a block
//! of columns.

use passel_kernels::{
    Kernel, dense,
    rows::{self, RowsArgs, SHARED, SortedRow},
};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestGpu, terms};

pub(super) struct Case;

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[rows::KERNEL];
    const SIZES: &'static [usize] = &[1, 31, 32, 33, 255, 256, 700, 4096];

    fn check(test: &mut TestGpu, n: usize) -> Result<(), DeviceError> {
        let terms = terms(n);
        let terms_address = test.put(&terms)?;
        for (count, bits, w, classes) in [(3usize, 8, 5, 3), (128, 16, 300, 2), (129, 8, 4, 1)] {
            let columns: Vec<Vec<u32>> = (0..count).map(|_| test.codes(n, 250)).collect();
            let stride = count.div_ceil(4);
            let mut bytes = vec![0u8; 4 * stride * n];
            for (row, line) in bytes.chunks_mut(4 * stride).enumerate() {
                let codes = columns.iter().map(|codes| codes[row] as u8);
                line.iter_mut().zip(codes).for_each(|(to, code)| *to = code);
            }
            let codes = test.put(&bytes)?;
            let anchors = [w, w - 1].map(|w| test.anchor(n, w, classes));
            let (_, joint, _) = test.put_anchors(&anchors, bits)?;
            let order = test.put(&vec![SortedRow::default(); 2 * n])?;
            let sort = if bits == 8 { "order_8" } else { "order_16" };
            let rows_count = n as u32;
            let given = arguments![joint, rows_count, classes, order];
            test.launch(&rows::KERNEL, sort, (1, 2), (1024, 0), given)?;
            let sorted = test.get::<SortedRow>(order, 2 * n)?;
            for (sorted, anchor) in sorted.chunks(n).zip(&anchors) {
                assert_eq!(sorted, rows::order(&anchor.joint, classes), "{sort}");
            }
            let (xw, xwy) = (test.put(&vec![0i64; 2 * count])?, test.put(&vec![0i64; 2 * count])?);
            let occurring = test.put(&vec![0u32; count])?;
            let args = RowsArgs {
                codes,
                stride: stride as i64,
                columns: count as u32,
                places: count as u32,
                rows: n as u32,
                classes,
                order,
                terms: terms_address,
                xw,
                xwy,
                occurring: 0,
            };
            let grid = |batch| (count.div_ceil(128) as u32, batch);
            let shape = (512, SHARED as usize);
            test.launch(&rows::KERNEL, "rows", grid(2), shape, arguments![args])?;
            let found = [test.get::<i64>(xw, 2 * count)?, test.get::<i64>(xwy, 2 * count)?];
            for (at, anchor) in anchors.iter().enumerate() {
                for (column, codes) in columns.iter().enumerate() {
                    let mut expected = rows::reference(codes, &anchor.joint, classes, &terms);
                    if classes == 1 {
                        expected[1] = 0;
                    }
                    let sums = found.each_ref().map(|sums| sums[at * count + column]);
                    assert_eq!(sums, expected, "column {column}");
                }
            }
            let args = RowsArgs { occurring, ..args };
            test.launch(&rows::KERNEL, "rows", grid(1), shape, arguments![args])?;
            let cells = test.get::<u32>(occurring, count)?;
            for (cells, codes) in cells.into_iter().zip(&columns) {
                let expected = dense::occurring(codes, &anchors[0].joint, classes);
                assert_eq!(cells as usize, expected);
            }
        }
        Ok(())
    }
}
