//! What joining and replacing would do, from products made on the host; the threshold and what
//! reaches it. By columns.

use passel_kernels::{
    Kernel, least_squares,
    neighbours,
};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestGpu, assert_near};

pub(super) struct Case;

/// Observations.
const N: usize = 40;

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[neighbours::KERNEL];
    const SIZES: &'static [usize] = &[10, 255, 256, 257, 1500];

    fn check(test: &mut TestGpu, p: usize) -> Result<(), DeviceError> {
        let (columns, y) = test.regression(N, p);
        let (support, keep) = ([3u32, 8, 1], [8u32]);
        let k = support.len();
        let column = |at: u32| &columns[at as usize * N..][..N];
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let fit = least_squares::reference(&columns, &y, &support);
        // An orthonormal basis, by what each variable leaves of those before it.
        let basis: Vec<Vec<f64>> = (0..k)
            .map(|at| {
                let x = column(support[at]);
                let rest = least_squares::reference(&columns, x, &support[..at]).residual;
                let norm = dot(&rest, &rest).sqrt();
                rest.iter().map(|value| value / norm).collect()
            })
            .collect();
        let mut products: Vec<f64> = columns.chunks(N).map(|x| dot(x, &fit.residual)).collect();
        for q in &basis {
            products.extend(columns.chunks(N).map(|x| dot(x, q)));
        }
        let solved: Vec<Vec<f64>> = columns
            .chunks(N)
            .map(|x| least_squares::reference(&columns, x, &support).coefficients)
            .collect();
        let exchanged: Vec<f64> = (0..k)
            .flat_map(|at| solved.iter().map(move |solved| solved[at]))
            .collect();
        let mut places = Vec::new();
        for (at, &variable) in support.iter().enumerate() {
            let others = [&support[..at], &support[at + 1..]].concat();
            // 1 / ((XᵀX)⁻¹)ᵢᵢ: what the others leave of the variable.
            let left = least_squares::reference(&columns, column(variable), &others).rss;
            let b = fit.coefficients[at];
            let first = if keep.contains(&variable) { f64::NAN } else { b * left };
            places.extend([first, left, b * b * left]);
        }
        let [products, exchanged, places] = [
            test.put(&products)?,
            test.put(&exchanged)?,
            test.put(&places)?,
        ];
        let support_address = test.put(&support)?;
        let numbers = vec![0.0f64; p];
        let [joining, replacing] = [test.put(&numbers)?, test.put(&numbers)?];
        let place = test.put(&vec![0u32; p])?;
        let groups = test.put(&vec![0u64; 2048])?;
        let (k, rows, from) = (k as i32, p as i64, 0u32);
        let given = arguments![
            products,
            exchanged,
            places,
            support_address,
            k,
            rows,
            from,
            joining,
            replacing,
            place,
            groups
        ];
        test.launch(&neighbours::KERNEL, "changes", (2, 1), (256, 0), given)?;
        let expected = neighbours::reference(&columns, &y, &support, &keep);
        let found = [test.get::<f64>(joining, p)?, test.get::<f64>(replacing, p)?];
        let positions = test.get::<u32>(place, p)?;
        for (at, change) in expected.iter().enumerate() {
            let [join, swap] = found.each_ref().map(|falls| falls[at]);
            let Some(change) = change else {
                assert_eq!([join, swap], [f64::NEG_INFINITY; 2]);
                continue;
            };
            assert_near(join, change.joining, 1e-11);
            if let Some((fall, position)) = change.replacing {
                assert_near(swap, fall, 1e-11);
                assert_eq!(positions[at] as usize, position, "column {at}");
            }
        }
        for wanted in [1u32, 5] {
            let least = test.put(&[0.0f64; 2])?;
            let given = arguments![groups, wanted, least];
            test.launch(&neighbours::KERNEL, "threshold", (2, 1), (1024, 0), given)?;
            let thresholds = test.get::<f64>(least, 2)?;
            for (falls, threshold) in found.iter().zip(&thresholds) {
                let mut falls = falls.clone();
                falls.sort_by(|a, b| b.total_cmp(a));
                // Every 1,024th column is of one group, so that it may be below.
                assert!(*threshold <= falls[wanted as usize - 1]);
                let fall = falls[wanted as usize - 1];
                assert!(p > 1024 || *threshold >= fall - 1e-8 * fall.abs());
            }
            let (list, falls) = (test.put(&vec![0u64; p])?, test.put(&vec![0.0f64; 2 * p])?);
            let (listed, capacity) = (test.put(&[0u64])?, p as u64);
            let given = arguments![
                joining, replacing, place, rows, from, least, list, falls, listed, capacity
            ];
            test.launch(&neighbours::KERNEL, "collect", (2, 1), (256, 0), given)?;
            let count = test.get::<u64>(listed, 1)?[0] as usize;
            let falls = test.get::<[f64; 2]>(falls, count)?;
            let mut collected = test.get::<u64>(list, count)?;
            for (entry, [join, swap]) in collected.iter().zip(falls) {
                let column = *entry as u32 as usize;
                assert_eq!((*entry >> 32) as u32, positions[column]);
                assert_eq!([join, swap], found.each_ref().map(|falls| falls[column]));
            }
            collected.iter_mut().for_each(|entry| *entry &= 0xffff_ffff);
            collected.sort_unstable();
            let reaches = |at: &usize| {
                let [join, swap] = found.each_ref().map(|falls| falls[*at]);
                let exchange = swap > f64::NEG_INFINITY && swap >= thresholds[1];
                join > f64::NEG_INFINITY && (join >= thresholds[0] || exchange)
            };
            let expected = (0..p).filter(reaches).map(|at| at as u64);
            assert!(collected.into_iter().eq(expected));
        }
        Ok(())
    }
}
