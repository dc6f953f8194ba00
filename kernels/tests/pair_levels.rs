//! T(xw) and T(xwy) of all pairs of columns of more levels or classes, by each kind of products
//! that the GPU has. By rows.

use passel_kernels::pair_levels::{self, BYTES, GROUPS, KERNEL, WORDS};

use super::{
    TestGpu,
    bits::BitColumns,
    pairs::{check_sums, counts, variants},
};

pub const SIZES: &[usize] = &[30, 511, 512, 513, 3000, 70_001];

pub fn check(test: &mut TestGpu, n: usize) {
    let (variants, ahead) = variants(test, [GROUPS, KERNEL, BYTES, WORDS]);
    for (levels, classes) in [(3, 1), (5, 2), (9, 3)] {
        let columns = BitColumns::new(test, (n, 40), levels, classes);
        for (products, kernel) in &variants {
            for (long, function) in [(false, "pair_levels_16"), (true, "pair_levels_32")] {
                let planes = [columns.planes(); 2];
                let shared = pair_levels::shared(planes, classes, long, (*products, ahead));
                if (!long && n >= 1 << 16) || shared + 1024 > test.shared() {
                    continue;
                }
                let shape = (products.threads(), shared);
                check_sums(
                    test,
                    &columns,
                    |test, args| test.launch(kernel, function, (256, 1), shape, &[&args]),
                    |pair| pair_levels::reference(&counts(&columns, pair), levels, levels),
                );
            }
        }
    }
}
