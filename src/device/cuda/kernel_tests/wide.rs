//! Tables in global memory, by cell and by key, with and without missing values. By rows.

use passel_kernels::{
    Kernel,
    counting::{ColumnCodes, TableSums, packed},
    wide::{self, WideArgs},
};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestGpu, terms};

pub(super) struct Case;

/// Levels of each column; of the second, 4 bits a code, and the last lists its entries.
const LEVELS: [u32; 4] = [200, 9, 3000, 6];

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[wide::KERNEL];
    const SIZES: &'static [usize] = &[1, 511, 512, 513, 5000, 46_349];

    fn check(test: &mut TestGpu, n: usize) -> Result<(), DeviceError> {
        let terms = terms(n);
        let columns = LEVELS.map(|levels| test.codes(n, levels));
        let mut places = Vec::new();
        for (codes, bits) in columns.iter().zip([8, 4, 16]) {
            places.push(ColumnCodes {
                address: test.put(&packed(codes, bits))?,
                length: 1,
                bits,
                ..ColumnCodes::default()
            });
        }
        let entries = (0u32..).zip(&columns[3]).filter(|entry| *entry.1 != 2);
        let (rows, codes): (Vec<u32>, Vec<u16>) =
            entries.map(|(row, &code)| (row, code as u16)).unzip();
        places.push(ColumnCodes {
            address: test.put(&rows)?,
            codes: test.put(&codes)?,
            length: rows.len() as u32,
            most: 2,
            ..ColumnCodes::default()
        });
        let (w_levels, y_levels) = (40, 7);
        // The highest code of w is a missing value.
        let w = [0, 1].map(|_| test.codes(n, w_levels + 1));
        let y = test.codes(n, y_levels);
        let slots = (2 * n as u64).next_power_of_two();
        for (misses, direct) in [(false, 1 << 40), (false, 5), (true, 1 << 40), (true, 300)] {
            let cells = |levels: u64| {
                let (w, y) = (u64::from(w_levels), u64::from(y_levels));
                [levels, w, y, levels * w, levels * y, w * y, levels * w * y]
            };
            let bytes = |cells: u64| if cells <= direct { 4 * cells } else { 12 * slots };
            let mut room = [0u64; 7];
            for levels in LEVELS {
                for (room, cells) in room.iter_mut().zip(cells(levels.into())) {
                    *room = (*room).max(bytes(cells).next_multiple_of(16));
                }
            }
            let stride: u64 = room.iter().sum();
            let left_out = |at: usize| if misses && at != 1 { 0 } else { u32::MAX };
            let w = w.clone().map(|w| match misses {
                true => w,
                false => w.into_iter().map(|code| code % w_levels).collect(),
            });
            let scratch = test.put(&vec![0u8; 4 * stride as usize])?;
            let (xw, xwy) = (test.put(&[0i64; 8])?, test.put(&[0i64; 8])?);
            let whole = test.put(&[TableSums::default(); 8])?;
            let args = WideArgs {
                places: test.put(&places)?,
                left_out: test.put(&[0, 1, 2, 3].map(left_out))?,
                levels: test.put(&LEVELS)?,
                columns: 4,
                rows: n as i64,
                w: test.put(&w.concat())?,
                y: test.put(&y)?,
                w_levels,
                y_levels,
                w_stride: n as i64,
                y_stride: 0,
                all_places: 4,
                spreads: test.put(&vec![0u16; 4 * n])?,
                scratch,
                scratch_stride: stride as i64,
                slots,
                direct,
                room,
                terms: test.put(&terms)?,
                xw,
                xwy,
                whole: if misses { whole } else { 0 },
                ..WideArgs::default()
            };
            test.launch(&wide::KERNEL, "wide", (2, 2), (512, 0), arguments![args])?;
            let sums = [test.get::<i64>(xw, 8)?, test.get::<i64>(xwy, 8)?];
            let all = test.get::<TableSums>(whole, 8)?;
            for (batch, w) in w.iter().enumerate() {
                for (column, codes) in columns.iter().enumerate() {
                    let missing = Some(left_out(column)).filter(|code| *code != u32::MAX);
                    let expected = wide::reference((codes, missing), (w, w_levels), &y, &terms);
                    let at = 4 * batch + column;
                    match misses {
                        true => assert_eq!(all[at], expected, "column {column}"),
                        false => assert_eq!(
                            [sums[0][at], sums[1][at]],
                            [expected.of[4], expected.of[7]],
                            "column {column}"
                        ),
                    }
                }
            }
            let scratch = test.get::<u8>(scratch, 4 * stride as usize)?;
            assert!(scratch.iter().all(|byte| *byte == 0));
        }
        Ok(())
    }
}
