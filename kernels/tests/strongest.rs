//! The columns that cannot be told from the strongest, by products in f64 and in f32. By rows of
//! the product, which are columns.

use passel_kernels::strongest::{self, KERNEL};

use super::{TestGpu, arguments, assert_near, dot};

pub const SIZES: &[usize] = &[3, 255, 4095, 4096, 4097, 9000];

/// Observations.
const N: usize = 60;

pub fn check(test: &mut TestGpu, p: usize) {
    let (mut columns, residual) = test.regression(N, p);
    // The last column mirrors another: of both the lower one is the strongest.
    let mirrored: Vec<f64> = columns[N..2 * N].iter().map(|value| -value).collect();
    columns[(p - 1) * N..].copy_from_slice(&mirrored);
    let products: Vec<f64> = columns.chunks(N).map(|x| dot(x, &residual)).collect();
    let members = [0u32, 2];
    let expected = strongest::reference(&columns, &residual, &members);
    let narrowed: Vec<f32> = products.iter().map(|value| *value as f32).collect();
    let (wide, narrow, rows) = (test.put(&products), test.fill(0f32, p), p as i64);
    let given = arguments![wide, rows, narrow];
    test.launch(&KERNEL, "narrow", (2, 1), (256, 0), given);
    assert_eq!(test.get::<f32>(narrow, p), narrowed);
    let (columns, residuals) = (test.put(&columns), test.put(&residual));
    let rss = test.put(&[dot(&residual, &residual)]);
    let (offsets, held) = (test.put(&[0u64, 2]), test.put(&members));
    let (n, from, places, count) = (N as i64, 0u32, p as u64, p as u32);
    let tie = 4.0 * N as f64 * f64::EPSILON;
    let f32_off = 2.0 * ((N + 3) as f64 / f64::from(1 << 24)) + tie;
    for (function, e, off) in [("near_f64", wide, tie), ("near_f32", narrow, f32_off)] {
        let [most, counters, list, answers] =
            [1, 3, p, 2 + 2 * p].map(|count| test.fill(0u64, count));
        let scores = test.fill(0f64, p);
        let given = arguments![
            e, rows, from, rss, offsets, held, off, most, list, scores, counters, places
        ];
        test.launch(
            &KERNEL,
            function,
            (p.div_ceil(4096) as u32, 1),
            (256, 0),
            given,
        );
        let given = arguments![
            columns, n, from, count, residuals, rss, off, most, list, scores, places, counters,
            answers, places
        ];
        test.launch(&KERNEL, "score", (4, 1), (512, 0), given);
        let answers = test.get::<u64>(answers, 2 + 2 * p);
        let near = answers[2..][..2 * answers[1] as usize].chunks(2);
        let mut near: Vec<(u32, f64)> = near
            .map(|entry| (entry[0] as u32, f64::from_bits(entry[1])))
            .collect();
        near.sort_by_key(|entry| entry.0);
        for &(column, score) in &near {
            assert!(!members.contains(&column));
            assert_near(score, products[column as usize].abs(), 1e-13);
        }
        let most = near.iter().fold(0.0, |most: f64, entry| most.max(entry.1));
        let strongest = near.iter().find(|entry| entry.1 >= most - tie / 2.0);
        assert_eq!(strongest.map(|entry| entry.0), expected, "{function}");
    }
}
