//! T(xw) and T(xwy) of all pairs of columns of more levels or classes, by each kind of products
//! that the GPU has. By rows.

use passel_kernels::{Kernel, pair_levels};

use super::{
    super::gpu::arguments,
    DeviceError, KernelCase, TestGpu,
    bits::BitColumns,
    pairs::{compare, counts, pair_args, variants},
};

pub(super) struct Case;

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[
        pair_levels::GROUPS,
        pair_levels::KERNEL,
        pair_levels::BYTES,
        pair_levels::WORDS,
    ];
    const SIZES: &'static [usize] = &[30, 511, 512, 513, 3000, 70_001];

    fn check(test: &mut TestGpu, n: usize) -> Result<(), DeviceError> {
        use pair_levels::{BYTES, GROUPS, KERNEL, WORDS};
        let (variants, ahead) = variants(test, [GROUPS, KERNEL, BYTES, WORDS]);
        for (levels, classes) in [(3, 1), (5, 2), (9, 3)] {
            let columns = BitColumns::new(test, (n, 40), levels, classes);
            let planes = [columns.planes(); 2];
            for (products, kernel) in &variants {
                for long in [false, true] {
                    if !long && n >= 1 << 16 {
                        continue;
                    }
                    for (xw, xwy) in [(1.0, 0.0), (0.0, 1.0)] {
                        if classes == 1 && xwy != 0.0 {
                            continue;
                        }
                        let args = pair_args(test, &columns, xw, xwy)?;
                        let shared = pair_levels::shared(planes, classes, long, (*products, ahead));
                        if shared + 1024 > test.gpu.shared as usize {
                            continue;
                        }
                        let function = match long {
                            true => "pair_levels_32",
                            false => "pair_levels_16",
                        };
                        let shape = (products.threads(), shared);
                        test.launch(kernel, function, (256, 1), shape, arguments![args])?;
                        compare(test, &columns, &args, |pair| {
                            pair_levels::reference(&counts(&columns, pair), levels, levels)
                        })?;
                    }
                }
            }
        }
        Ok(())
    }
}
