//! Columns that list their entries: every function, beside an anchor and a permutation of it. By
//! rows.

use passel_kernels::{
    Kernel,
    counting::ColumnCodes,
    dense,
    entries::{self, EntriesArgs, reciprocal},
};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestAnchor, TestGpu, terms};

pub(super) struct Case;

/// Levels of every column.
const LEVELS: u32 = 6;
const COLUMNS: usize = 7;
const LEFT: i64 = -7;

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[entries::KERNEL];
    const SIZES: &'static [usize] = &[1, 63, 64, 65, 900, 4097, 46_349];

    fn check(test: &mut TestGpu, n: usize) -> Result<(), DeviceError> {
        let mut starts = vec![0u64];
        let (mut rows, mut codes, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for column in 0..COLUMNS {
            let most = column as u32 % LEVELS;
            // None, few and many entries.
            let each = [1, 40, 4][column % 3];
            let all = test.codes(n, LEVELS);
            let own = all.iter().map(|&code| match test.below(each) {
                0 if column % 3 != 0 => code,
                _ => most,
            });
            let own: Vec<u32> = own.collect();
            for (row, &code) in (0u32..).zip(&own).filter(|entry| *entry.1 != most) {
                rows.push(row);
                codes.push(code as u16);
            }
            starts.push(rows.len() as u64);
            columns.push((own, most));
        }
        let longest = starts.windows(2).map(|ends| ends[1] - ends[0]).max();
        let longest = longest.unwrap_or(0);
        let most: Vec<u32> = columns.iter().map(|column| column.1).collect();
        let args = EntriesArgs {
            rows: test.put(&rows)?,
            codes: test.put(&codes)?,
            starts: test.put(&starts)?,
            most: test.put(&most)?,
            levels: test.put(&[LEVELS; COLUMNS])?,
            excluded: test.put(&[0u8, 0, 0, 1, 0, 0, 0])?,
            columns: COLUMNS as u32,
            places: COLUMNS as u32,
            rows_all: n as i64,
            terms: test.put(&terms(n))?,
            ..EntriesArgs::default()
        };
        for (bits, w, classes) in [(8, 7, 1), (8, 7, 2), (8, 5, 3), (16, 130, 2), (16, 90, 3)] {
            let anchor = test.anchor(n, w, classes);
            let order = test.order(n);
            let permuted = order.iter().map(|&row| anchor.joint[row as usize]);
            let permuted = TestAnchor {
                joint: permuted.collect(),
                ..anchor
            };
            let (by_joint, by_level) = anchor.margins();
            let anchors = [anchor, permuted];
            let (sums, joint, joint_stride) = test.put_anchors(&anchors, bits)?;
            let frequent = ColumnCodes {
                most: 1,
                ..ColumnCodes::default()
            };
            let args = EntriesArgs {
                joint,
                joint_stride,
                anchors: sums,
                all: test.put(&[frequent])?,
                classes,
                reciprocal: reciprocal(classes),
                y_most: classes - 1,
                by_joint: test.put(&by_joint)?,
                by_level: test.put(&by_level)?,
                ..args
            };
            let wide = (w * classes) as usize;
            let own = if classes > 2 { w as usize } else { 0 };
            let few = (1 + LEVELS as usize) * (wide + own);
            let functions = match bits {
                8 => ["few_8", "some_8", "many_8"],
                _ => ["few_16", "some_16", "many_16"],
            };
            let shared = [few.next_multiple_of(16), (2 * few).next_multiple_of(16)];
            let shared = [shared[0], shared[1], 4 * LEVELS as usize * wide];
            for (at, (function, shared)) in functions.into_iter().zip(shared).enumerate() {
                if at == 0 && longest > 255 {
                    continue;
                }
                let empty = [LEFT; 2 * COLUMNS];
                let (xw, xwy) = (test.put(&empty)?, test.put(&empty)?);
                let args = EntriesArgs { xw, xwy, ..args };
                // Blocks take one column after another.
                let grid = (3, 2);
                match at {
                    2 => {
                        let many = arguments![args];
                        test.launch(&entries::KERNEL, function, grid, (128, shared), many)?;
                    }
                    _ => {
                        let given = arguments![args, LEVELS];
                        test.launch(&entries::KERNEL, function, grid, (64, shared), given)?;
                    }
                }
                let found = [
                    test.get::<i64>(xw, 2 * COLUMNS)?,
                    test.get::<i64>(xwy, 2 * COLUMNS)?,
                ];
                for (batch, anchor) in anchors.iter().enumerate() {
                    for column in 0..COLUMNS {
                        let range = starts[column] as usize..starts[column + 1] as usize;
                        let (rows, codes) = (&rows[range.clone()], &codes[range]);
                        let (joint, most) = (&anchor.joint, most[column]);
                        let mut expected =
                            entries::reference(rows, codes, most, joint, classes, &terms(n));
                        if classes == 1 {
                            expected[1] = LEFT;
                        }
                        if column == 3 {
                            expected = [LEFT; 2];
                        }
                        let sums = found.each_ref().map(|sums| sums[batch * COLUMNS + column]);
                        assert_eq!(sums, expected, "{function}, {classes} classes, column {column}");
                    }
                }
            }
            // Whole tables, beside one anchor.
            let cells = LEVELS as usize * wide;
            let tables = test.put(&vec![u32::MAX; COLUMNS * cells])?;
            let args = EntriesArgs {
                excluded: 0,
                tables,
                cells: cells as i64,
                ..args
            };
            let many = arguments![args];
            test.launch(&entries::KERNEL, functions[2], (3, 1), (128, 4 * cells), many)?;
            let tables = test.get::<u32>(tables, COLUMNS * cells)?;
            for (table, (codes, _)) in tables.chunks(cells).zip(&columns) {
                let expected = dense::table(codes, &anchors[0].joint, LEVELS, wide as u32);
                assert!(table.iter().map(|count| u64::from(*count)).eq(expected));
            }
        }
        Ok(())
    }
}
