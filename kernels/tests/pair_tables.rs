//! T(xw) and T(xwy) of all pairs, by a table of their own. By rows.

use passel_kernels::pair_tables::{self, KERNEL, PairTablesArgs};

use super::{TestGpu, arguments, bits::BitColumns, pairs::check_sums};

pub const SIZES: &[usize] = &[30, 4095, 4096, 4097, 46_349];

pub fn check(test: &mut TestGpu, n: usize) {
    for (levels, classes) in [(5, 1), (50, 2), (20, 4)] {
        let columns = BitColumns::new(test, (n, 12), levels, classes);
        let stride = n.next_multiple_of(16);
        let filled = |codes: &Vec<u8>| {
            let mut codes = codes.clone();
            codes.resize(stride, 0);
            codes
        };
        let codes: Vec<u8> = columns.codes.iter().flat_map(filled).collect();
        let (codes, y) = (test.put(&codes), test.put(&filled(&columns.y)));
        let shared = pair_tables::shared([levels; 2], classes);
        let shape = (pair_tables::threads(shared), shared);
        check_sums(
            test,
            &columns,
            |test, tiles| {
                let args = PairTablesArgs {
                    tiles,
                    codes_a: codes,
                    codes_b: codes,
                    y,
                    stride: stride as i64,
                    rows: n as u32,
                };
                test.launch(&KERNEL, "pair_tables", (256, 1), shape, arguments![args]);
            },
            |pair| pair_tables::reference(pair, &columns.y),
        );
    }
}
