//! What joining and replacing would do, from products made on the host; the threshold and what
//! reaches it. By columns.

use passel_kernels::{
    least_squares::reference as fitted,
    neighbours::{self, KERNEL},
};

use super::{TestGpu, arguments, assert_near, dot};

pub const SIZES: &[usize] = &[10, 255, 256, 257, 1500];

/// Observations.
const N: usize = 40;

pub fn check(test: &mut TestGpu, p: usize) {
    check_changes(test, p, false);
    check_changes(test, p, true);
}

/// With weights columns have squares of their own, and a vector that is no variable's comes first, as that of an
/// intercept does.
fn check_changes(test: &mut TestGpu, p: usize, is_weighted: bool) {
    let (mut columns, y) = test.regression(N, p);
    if is_weighted {
        let scaled = columns.iter_mut().enumerate();
        scaled.for_each(|(at, x)| *x *= [0.5, 3.0][at / N % 2]);
    }
    let (support, keep) = ([3u32, 8, 1], [8u32, 3]);
    let beside = usize::from(is_weighted);
    let keep = &keep[..1 + beside];
    let is_beside = |at: usize| is_weighted && at == 3;
    let column = |at: u32| &columns[at as usize * N..][..N];
    let fit = fitted(&columns, &y, &support);
    let mut products: Vec<f64> = columns.chunks(N).map(|x| dot(x, &fit.residual)).collect();
    // An orthonormal basis, by what each variable leaves of those before it.
    for (at, &variable) in support.iter().enumerate() {
        let rest = fitted(&columns, column(variable), &support[..at]).residual;
        let norm = dot(&rest, &rest).sqrt();
        let q: Vec<f64> = rest.iter().map(|value| value / norm).collect();
        products.extend(columns.chunks(N).map(|x| dot(x, &q)));
    }
    let solved = columns
        .chunks(N)
        .map(|x| fitted(&columns, x, &support).coefficients);
    let solved: Vec<Vec<f64>> = solved.collect();
    let (mut exchanged, mut places) = (Vec::new(), Vec::new());
    for (at, &variable) in support.iter().enumerate().skip(beside) {
        exchanged.extend(solved.iter().map(|solved| solved[at]));
        let others = [&support[..at], &support[at + 1..]].concat();
        // 1 / ((XᵀX)⁻¹)ᵢᵢ: what the others leave of the variable.
        let left = fitted(&columns, column(variable), &others).rss;
        let b = fit.coefficients[at];
        let first = if keep.contains(&variable) {
            f64::NAN
        } else {
            b * left
        };
        places.extend([first, left, b * b * left]);
    }
    let squares: Vec<f64> = columns.chunks(N).map(|x| dot(x, x)).collect();
    let [products, exchanged, places] = [products, exchanged, places].map(|of| test.put(&of));
    let squares = if is_weighted { test.put(&squares) } else { 0 };
    let held = test.put(&support[beside..]);
    let [joining, replacing] = [0, 1].map(|_| test.fill(0.0f64, p));
    let (place, groups) = (test.fill(0u32, p), test.fill(0u64, 2048));
    let vectors = support.len() as i32;
    let (k, rows, from) = (vectors - beside as i32, p as i64, 0u32);
    let given = arguments![
        products, vectors, squares, exchanged, places, held, k, rows, from, joining, replacing,
        place, groups
    ];
    test.launch(&KERNEL, "changes", (2, 1), (256, 0), given);
    let expected = neighbours::reference(&columns, &y, &support, keep);
    let found = [joining, replacing].map(|falls| test.get::<f64>(falls, p));
    let falls_of = |at: usize| found.each_ref().map(|falls| falls[at]);
    let positions = test.get::<u32>(place, p);
    for (at, change) in expected.iter().enumerate() {
        let [join, swap] = falls_of(at);
        let Some(change) = change else {
            // What the vector beside explains is left to be projected.
            let expected = match is_beside(at) {
                true => f64::INFINITY,
                false => f64::NEG_INFINITY,
            };
            assert_eq!([join, swap], [expected; 2]);
            continue;
        };
        assert_near(join, change.joining, 1e-11);
        if let Some((fall, position)) = change.replacing {
            assert_near(swap, fall, 1e-11);
            assert_eq!(positions[at] as usize + beside, position, "column {at}");
        }
    }
    for wanted in [1u32, 5] {
        let least = test.fill(0.0f64, 2);
        let given = arguments![groups, wanted, least];
        test.launch(&KERNEL, "threshold", (2, 1), (1024, 0), given);
        let thresholds = test.get::<f64>(least, 2);
        for (falls, threshold) in found.iter().zip(&thresholds) {
            let numbered = falls.iter().enumerate();
            let mut falls: Vec<f64> = numbered
                .filter_map(|(at, fall)| (!is_beside(at)).then_some(*fall))
                .collect();
            falls.sort_by(|a, b| b.total_cmp(a));
            let fall = falls[wanted as usize - 1];
            // Every 1,024th column is of one group, so that it may be below.
            assert!(*threshold <= fall);
            assert!(p > 1024 || *threshold >= fall - 1e-8 * fall.abs());
        }
        let (list, falls) = (test.fill(0u64, p), test.fill(0.0f64, 2 * p));
        let (listed, capacity) = (test.put(&[0u64]), p as u64);
        let given = arguments![
            joining, replacing, place, rows, from, least, list, falls, listed, capacity
        ];
        test.launch(&KERNEL, "collect", (2, 1), (256, 0), given);
        let count = test.get::<u64>(listed, 1)[0] as usize;
        let falls = test.get::<[f64; 2]>(falls, count);
        let mut collected = test.get::<u64>(list, count);
        for (entry, falls) in collected.iter().zip(falls) {
            let column = *entry as u32 as usize;
            assert_eq!((*entry >> 32) as u32, positions[column]);
            assert_eq!(falls, falls_of(column));
        }
        collected.iter_mut().for_each(|entry| *entry &= 0xffff_ffff);
        collected.sort_unstable();
        let reaches = |at: &usize| {
            let [join, swap] = falls_of(*at);
            let exchange = swap > f64::NEG_INFINITY && swap >= thresholds[1];
            join > f64::NEG_INFINITY && (join >= thresholds[0] || exchange)
        };
        let expected = (0..p).filter(reaches).map(|at| at as u64);
        assert!(collected.into_iter().eq(expected));
    }
}
