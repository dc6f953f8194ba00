//! A plugin's function (here, the observations of a table) of tables of one shape, and of tables
//! with levels of their own. By tables.

use passel_kernels::{Kernel, plugin_values};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestGpu};

pub(super) struct Case;

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[plugin_values::KERNEL];
    const SIZES: &'static [usize] = &[1, 127, 128, 129, 1000];

    fn check(test: &mut TestGpu, count: usize) -> Result<(), DeviceError> {
        let (x, w, y) = (5u32, 3u32, 2u32);
        let cells = 30;
        let mut counts = test.codes(count * cells, 9);
        for table in counts.chunks_mut(cells) {
            if test.below(4) == 0 {
                table.fill(0);
            }
        }
        let counts_address = test.put(&counts)?;
        let (values, out) = (test.put(&[0.0f64])?, test.put(&vec![0.0f64; count])?);
        let tables = count as i64;
        let observations = |table: &[u32]| f64::from(table.iter().sum::<u32>());
        let given = arguments![values, counts_address, x, w, y, tables, out];
        test.launch(&plugin_values::KERNEL, "tables", (2, 1), (128, 0), given)?;
        let expected = plugin_values::reference(&counts, [5, 3, 2], observations);
        assert_eq!(test.get::<f64>(out, count)?, expected);
        let levels: Vec<u32> = (0..count).map(|_| 1 + test.below(5) as u32).collect();
        let (levels_address, empty) = (test.put(&levels)?, test.put(&vec![7u8; count])?);
        let stride = cells as i64;
        let given = arguments![
            values,
            counts_address,
            stride,
            levels_address,
            w,
            y,
            tables,
            out,
            empty
        ];
        test.launch(&plugin_values::KERNEL, "values", (2, 1), (128, 0), given)?;
        let (found, empty) = (test.get::<f64>(out, count)?, test.get::<u8>(empty, count)?);
        let value = |table: &[u32], _: [usize; 3]| observations(table);
        let expected = plugin_values::reference_of_levels(&counts, cells, &levels, [3, 2], value);
        for ((found, empty), expected) in found.into_iter().zip(empty).zip(expected) {
            assert_eq!((empty, found), (u8::from(expected.is_none()), expected.unwrap_or(0.0)));
        }
        Ok(())
    }
}
