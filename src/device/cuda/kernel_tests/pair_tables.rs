//! T(xw) and T(xwy) of all pairs, by a table of their own. By rows.

use passel_kernels::{
    Kernel,
    pair_tables::{self, PairTablesArgs},
};

use super::{
    super::gpu::arguments,
    DeviceError, KernelCase, TestGpu,
    bits::BitColumns,
    pairs::{compare, pair_args},
};

pub(super) struct Case;

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[pair_tables::KERNEL];
    const SIZES: &'static [usize] = &[30, 4095, 4096, 4097, 46_349];

    fn check(test: &mut TestGpu, n: usize) -> Result<(), DeviceError> {
        for (levels, classes) in [(5, 1), (50, 2), (20, 4)] {
            let columns = BitColumns::new(test, (n, 12), levels, classes);
            let stride = n.next_multiple_of(16);
            let filled = |codes: &Vec<u8>| {
                let mut codes = codes.clone();
                codes.resize(stride, 0);
                codes
            };
            let codes: Vec<u8> = columns.codes.iter().flat_map(filled).collect();
            let (codes, y) = (test.put(&codes)?, test.put(&filled(&columns.y))?);
            for (xw, xwy) in [(1.0, 0.0), (0.0, 1.0)] {
                if classes == 1 && xwy != 0.0 {
                    continue;
                }
                let args = PairTablesArgs {
                    tiles: pair_args(test, &columns, xw, xwy)?,
                    codes_a: codes,
                    codes_b: codes,
                    y,
                    stride: stride as i64,
                    rows: n as u32,
                };
                let shared = pair_tables::shared([levels; 2], classes);
                let shape = (pair_tables::threads(shared), shared);
                let given = arguments![args];
                test.launch(&pair_tables::KERNEL, "pair_tables", (256, 1), shape, given)?;
                compare(test, &columns, &args.tiles, |pair| {
                    pair_tables::reference(pair, &columns.y)
                })?;
            }
        }
        Ok(())
    }
}
