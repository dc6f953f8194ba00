//! Few rows, sorted by joint code and compared: both functions, by rows, on both sides of a block
//! of columns.

use passel_kernels::{
    dense,
    rows::{self, RowsArgs, SHARED, SortedRow},
};

use super::{TestGpu, arguments, terms};

pub const SIZES: &[usize] = &[1, 31, 32, 33, 255, 256, 700, 4096];

pub fn check(test: &mut TestGpu, n: usize) {
    let terms = terms(n);
    for (count, bits, w, classes) in [(3usize, 8, 5, 3), (128, 16, 300, 2), (129, 8, 4, 1)] {
        let columns: Vec<Vec<u32>> = (0..count).map(|_| test.codes(n, 250)).collect();
        let stride = count.div_ceil(4);
        let mut bytes = vec![0u8; 4 * stride * n];
        for (row, line) in bytes.chunks_mut(4 * stride).enumerate() {
            let codes = columns.iter().map(|codes| codes[row] as u8);
            line.iter_mut().zip(codes).for_each(|(to, code)| *to = code);
        }
        let anchors = [w, w - 1].map(|w| test.anchor(n, w, classes));
        let batch = test.put_anchors(&anchors, bits);
        let sums = test.put_sums(2, count);
        let args = RowsArgs {
            codes: test.put(&bytes),
            stride: stride as i64,
            columns: count as u32,
            places: count as u32,
            rows: n as u32,
            classes,
            order: test.fill(SortedRow::default(), 2 * n),
            terms: test.put(&terms),
            xw: sums.xw,
            xwy: sums.xwy,
            occurring: 0,
        };
        let sort = if bits == 8 { "order_8" } else { "order_16" };
        let given = arguments![batch.joint, args.rows, classes, args.order];
        test.launch(&rows::KERNEL, sort, (1, 2), (1024, 0), given);
        let sorted = test.get::<SortedRow>(args.order, 2 * n);
        for (sorted, anchor) in sorted.chunks(n).zip(&anchors) {
            assert_eq!(sorted, rows::order(&anchor.joint, classes), "{sort}");
        }
        let grid = |batch| (count.div_ceil(128) as u32, batch);
        let shape = (512, SHARED as usize);
        test.launch(&rows::KERNEL, "rows", grid(2), shape, arguments![args]);
        let expected =
            |at: usize, joint: &[u32]| Some(rows::reference(&columns[at], joint, classes, &terms));
        sums.compare(test, &anchors, 0..count, expected, "rows");
        let args = RowsArgs {
            occurring: test.fill(0u32, count),
            ..args
        };
        test.launch(&rows::KERNEL, "rows", grid(1), shape, arguments![args]);
        let cells = test.get::<u32>(args.occurring, count);
        for (cells, codes) in cells.into_iter().zip(&columns) {
            let expected = dense::occurring(codes, &anchors[0].joint, classes);
            assert_eq!(cells as usize, expected);
        }
    }
}
