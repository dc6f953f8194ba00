//! Products of genotypes with columns of numbers, of each width of tiles, and the numbers they stand for. By people.

use passel_kernels::{
    genotypes::{self, KERNEL, STAGE},
    strongest,
};

use super::{TestGpu, arguments, dot};

pub const SIZES: &[usize] = &[1, 15, 255, 256, 257, 2000, 46_400];

/// Variants, of more than one block.
const P: usize = 300;

/// Functions, the columns of bytes of a tile, digits of a number, and columns.
const KINDS: [(&str, &str, usize, usize, usize); 5] = [
    ("cut_8_2", "multiply_8_2", 8, 2, 3),
    ("cut_32_2", "multiply_32_2", 32, 2, 18),
    ("cut_128_2", "multiply_128_2", 128, 2, 70),
    ("cut_32_8", "multiply_32_8", 32, 8, 5),
    ("cut_128_8", "multiply_128_8", 128, 8, 17),
];

pub fn check(test: &mut TestGpu, n: usize) {
    let codes: Vec<Vec<u8>> = (0..P)
        .map(|j| {
            // Some variants are known of everybody.
            let kinds = if j % 3 == 0 || j > 256 { 3 } else { 4 };
            (0..n).map(|_| (test.word() >> 33) as u8 % kinds).collect()
        })
        .collect();
    let values: Vec<[f64; 4]> = (0..P)
        .map(|j| {
            let (mean, norm) = (0.1 + 1.7 * j as f64 / P as f64, (n as f64).sqrt());
            let [none, one, two] = [0.0, 1.0, 2.0].map(|copies| (copies - mean) / norm);
            let missing = if j % 3 == 0 || j > 256 {
                one
            } else {
                0.25 / norm
            };
            [one, none, two, missing]
        })
        .collect();
    let words: Vec<u32> = codes.iter().flat_map(|own| genotypes::words(own)).collect();
    let words_each = words.len() / P;
    let (packed, by_code) = (test.put(&words), test.put(&values.concat()));
    let roots: Vec<f64> = (0..n).map(|i| ((i % 5) as f64).sqrt()).collect();
    for weighted in [false, true] {
        let roots = if weighted { &roots[..] } else { &[] };
        let at = if weighted { test.put(roots) } else { 0 };
        let numbers: Vec<Vec<f64>> = codes
            .iter()
            .zip(&values)
            .map(|(codes, values)| genotypes::reference(codes, values, roots))
            .collect();
        let (each, rows, none) = (words_each as i64, n as i64, 0u64);
        let to = test.fill(f64::NAN, n * P);
        let given = arguments![packed, each, by_code, rows, at, none, to];
        test.launch(&KERNEL, "unpack", (2, P as u32), (256, 0), given);
        assert_eq!(test.get::<f64>(to, n * P), numbers.concat());
        // Of a list, the last columns in another order.
        let asked = [P - 1, 0, P - 2];
        let to = test.fill(f64::NAN, n * asked.len());
        let triples: Vec<u64> = (0..)
            .zip(asked)
            .flat_map(|(place, j)| {
                let (words, place) = (4 * words_each * j, 8 * n * place);
                [
                    packed + words as u64,
                    by_code + 32 * j as u64,
                    to + place as u64,
                ]
            })
            .collect();
        let list = test.put(&triples);
        let given = arguments![none, each, none, rows, at, list, none];
        test.launch(&KERNEL, "unpack", (3, asked.len() as u32), (256, 0), given);
        let expected: Vec<f64> = asked.iter().flat_map(|j| numbers[*j].clone()).collect();
        assert_eq!(test.get::<f64>(to, n * asked.len()), expected);
        for (cut, multiply, width, digits, m) in KINDS {
            products(
                test,
                (cut, multiply),
                (width, digits, m),
                (&numbers, n),
                (packed, by_code, at),
            );
        }
    }
    scores(test, (packed, by_code, words_each), &codes, &values);
}

/// Of a few random columns.
fn products(
    test: &mut TestGpu,
    (cut, multiply): (&'static str, &'static str),
    (width, digits, m): (usize, usize, usize),
    (numbers, n): (&[Vec<f64>], usize),
    (packed, by_code, roots): (u64, u64, u64),
) {
    let mut draw = || (test.word() >> 11) as f64 / (1u64 << 53) as f64 - 0.3;
    let mut columns: Vec<f64> = (0..n * m).map(|_| draw()).collect();
    // One of zeros, one that is small, and one with an outlier.
    columns[..n].fill(0.0);
    columns[n..2 * n].iter_mut().for_each(|v| *v *= 1e-120);
    columns[2 * n] = 50.0;
    let (stages, tiles) = (n.div_ceil(STAGE), (m * digits).div_ceil(width));
    let (x, rows, count) = (test.put(&columns), n as i64, m as u32);
    let (most, totals) = (test.fill(0u64, m), test.fill(0u64, 2 * m));
    let (scales, cut_to) = (
        test.fill(0f64, m),
        test.fill(0xa5u8, tiles * stages * STAGE * width),
    );
    let given = arguments![x, rows, roots, most];
    test.launch(&KERNEL, "largest", (3, m as u32), (256, 0), given);
    let given = arguments![x, rows, roots, most, count, cut_to, scales, totals];
    let (grid, shared) = ((stages as u32, tiles as u32), STAGE * width);
    test.launch(&KERNEL, cut, grid, (256, shared), given);
    let p = numbers.len();
    let e = test.fill(f64::NAN, p * m);
    let (stride, variants, stages, slots) = (16 * stages as i64 / 4, p as i64, stages as i64, 3u32);
    for missing in [0u32, 1] {
        let given = arguments![
            packed, stride, variants, by_code, cut_to, stages, slots, scales, totals, count,
            missing, e
        ];
        let grid = (tiles as u32, p.div_ceil(STAGE) as u32);
        test.launch(
            &KERNEL,
            multiply,
            grid,
            (256, slots as usize * shared),
            given,
        );
    }
    let (found, scales) = (test.get::<f64>(e, p * m), test.get::<f64>(scales, m));
    for (v, (found, scale)) in columns.chunks(n).zip(found.chunks(p).zip(scales)) {
        let norm = dot(v, v).sqrt();
        for (x, found) in numbers.iter().zip(found) {
            // Values, not those that the roots multiply, meet what was rounded; they are below 2/√n each.
            let cut = if digits == 2 {
                (n as f64) * scale / (n as f64).sqrt()
            } else {
                0.0
            };
            let off = cut + 8.0 * (n as f64).sqrt() * f64::EPSILON * norm * 4.0 + 1e-300;
            let expected = dot(x, v);
            assert!(
                (found - expected).abs() <= off,
                "{multiply}: {found} is not {expected}"
            );
        }
    }
}

/// Scores of listed columns, by the same sum as of numbers.
fn scores(
    test: &mut TestGpu,
    (packed, by_code, each): (u64, u64, usize),
    codes: &[Vec<u8>],
    values: &[[f64; 4]],
) {
    let n = codes[0].len();
    let residual: Vec<f64> = (0..n).map(|_| (test.word() >> 40) as f64 - 8e6).collect();
    let numbers: Vec<f64> = codes
        .iter()
        .zip(values)
        .flat_map(|(codes, values)| genotypes::reference(codes, values, &[]))
        .collect();
    let (listed, places) = (40u64, 64u64);
    let pairs: Vec<u64> = (0..listed).map(|at| 7 * at).collect();
    let (list, near) = (test.put(&pairs), test.put(&vec![1f64; listed as usize]));
    let (residuals, rss, most) = (test.put(&residual), test.put(&[1f64]), test.put(&[0u64]));
    let columns = test.put(&numbers);
    let (rows, each, from, count, off, none) = (
        n as i64,
        each as i64,
        0u32,
        codes.len() as u32,
        1e-3f64,
        0u64,
    );
    let mut found = Vec::new();
    for genotypes in [false, true] {
        let (counters, answers) = (
            test.put(&[listed, 0, 0]),
            test.fill(0u64, 2 + 2 * places as usize),
        );
        match genotypes {
            true => test.launch(
                &strongest::KERNEL,
                "score_genotypes",
                (4, 1),
                (512, 0),
                arguments![
                    packed, each, by_code, none, rows, from, count, residuals, rss, off, most,
                    list, near, places, counters, answers, places
                ],
            ),
            false => test.launch(
                &strongest::KERNEL,
                "score",
                (4, 1),
                (512, 0),
                arguments![
                    columns, rows, from, count, residuals, rss, off, most, list, near, places,
                    counters, answers, places
                ],
            ),
        }
        let answers = test.get::<u64>(answers, 2 + 2 * listed as usize);
        assert_eq!(answers[..2], [listed, listed]);
        let mut own: Vec<(u64, u64)> = answers[2..].chunks(2).map(|own| (own[0], own[1])).collect();
        own.sort_unstable();
        found.push(own);
    }
    assert_eq!(found[0], found[1]);
}
