//! Terms of one to three columns, some of which need others, by products in f64 and in f32. By terms.

use passel_kernels::{
    strongest,
    term_scores::{self, KERNEL, ReferenceTerm, TermFacts},
};

use super::{TestGpu, arguments, assert_near, dot};

pub const SIZES: &[usize] = &[3, 255, 257, 4095, 4097];

/// Observations.
const N: usize = 60;

/// Upper triangular T, packed by columns, for which the columns times T are orthonormal: each column less what
/// those before it explain, twice.
fn to_orthonormal(columns: &[f64]) -> Vec<f64> {
    let width = columns.len() / N;
    let (mut made, mut packed) = (Vec::<(Vec<f64>, Vec<f64>)>::new(), Vec::new());
    for (at, column) in columns.chunks(N).enumerate() {
        let (mut rest, mut combination) = (column.to_vec(), vec![0.0; width]);
        combination[at] = 1.0;
        for (q, t) in made.iter().chain(&made) {
            let product = dot(q, &rest);
            rest.iter_mut().zip(q).for_each(|(x, q)| *x -= product * q);
            combination
                .iter_mut()
                .zip(t)
                .for_each(|(x, t)| *x -= product * t);
        }
        let length = dot(&rest, &rest).sqrt();
        rest.iter_mut()
            .chain(&mut combination)
            .for_each(|x| *x /= length);
        packed.extend_from_slice(&combination[..=at]);
        made.push((rest, combination));
    }
    packed
}

pub fn check(test: &mut TestGpu, count: usize) {
    let widths: Vec<u32> = (0..count as u32).map(|term| 1 + term % 3).collect();
    let p = widths.iter().sum::<u32>() as usize;
    let (columns, residual) = test.regression(N, p);
    let (mut first, mut terms, mut facts) = (0, Vec::new(), Vec::new());
    for (number, &width) in (0..).zip(&widths) {
        // Each eighth term needs two others, of which the model has one or both.
        let parents = match number % 8 {
            7 => vec![0, 1 + number % 3],
            _ => Vec::new(),
        };
        let own = &columns[first as usize * N..][..width as usize * N];
        let t = to_orthonormal(own);
        facts.push(TermFacts {
            to_orthonormal: if width == 1 { 0 } else { test.put(&t) },
            parents: test.put(&parents),
            first,
            width,
            needs: parents.len() as u32,
            kind: width - 1,
        });
        let columns = first..first + width;
        first = columns.end;
        terms.push(ReferenceTerm { columns, parents });
    }
    let model = [2u32, 0];
    let products: Vec<f64> = columns.chunks(N).map(|x| dot(x, &residual)).collect();
    let narrow: Vec<f32> = products.iter().map(|value| *value as f32).collect();
    let (wide, narrow) = (test.put(&products), test.put(&narrow));
    let (columns_at, residuals) = (test.put(&columns), test.put(&residual));
    let rss = test.put(&[dot(&residual, &residual)]);
    let (facts, offsets, members) = (test.put(&facts), test.put(&[0u64, 2]), test.put(&model));
    let none = test.fill(0u64, 2);
    let (rows, from, begin, number) = (p as i64, 0u32, 0u32, count as u32);
    let tie = 4.0 * N as f64 * f64::EPSILON;
    // No T of columns drawn at random has a norm above this.
    let growth = 4.0 * 3f64.sqrt();
    let f32_off = 2.0 * ((N + 3) as f64 / f64::from(1 << 24)) + tie;
    for rule in [0i32, 1] {
        let expected = term_scores::reference(&columns, &residual, &terms, rule == 1, &model);
        for (function, e, off) in [
            ("term_scores_f64", wide, growth * tie),
            ("term_scores_f32", narrow, growth * f32_off),
        ] {
            let [most, counters, list, answers] =
                [3, 3, count, 2 + 2 * count].map(|count| test.fill(0u64, count));
            let (near, places) = (test.fill(0f64, count), count as u64);
            for kind in 0u32..3 {
                let scores = test.fill(0f64, count);
                let given = arguments![
                    e, rows, from, facts, begin, number, kind, rule, offsets, members, scores
                ];
                let grid = (count.div_ceil(256) as u32, 1);
                test.launch(&KERNEL, function, grid, (256, 0), given);
                let told = test.get::<f64>(scores, count);
                for ((told, expected), width) in told.iter().zip(&expected).zip(&widths) {
                    match expected.filter(|_| *width == kind + 1) {
                        Some(score) => assert_near(*told, score, 1e-6),
                        None => assert!(told.is_nan()),
                    }
                }
                let (own, rows) = (most + 8 * u64::from(kind), count as i64);
                let given = arguments![
                    scores, rows, begin, rss, none, members, off, own, list, near, counters, places
                ];
                let grid = (count.div_ceil(4096) as u32, 1);
                test.launch(&strongest::KERNEL, "near_f64", grid, (256, 0), given);
            }
            let (n, all, models) = (N as i64, p as u32, 1u64);
            let given = arguments![
                columns_at, n, from, all, facts, residuals, rss, off, most, models, list, near,
                places, counters, answers, places
            ];
            test.launch(&KERNEL, "score_terms", (4, 1), (512, 24), given);
            let answers = test.get::<u64>(answers, 2 + 2 * count);
            let found: Vec<(usize, f64)> = answers[2..][..2 * answers[1] as usize]
                .chunks(2)
                .map(|entry| (entry[0] as usize, f64::from_bits(entry[1])))
                .collect();
            for &(term, score) in &found {
                assert_near(score, expected[term].unwrap(), 1e-12);
            }
            for width in 1..=3 {
                let own = (0..count).filter(|term| widths[*term] == width);
                let strongest = own
                    .filter_map(|term| expected[term].map(|score| (term, score)))
                    .max_by(|a, b| a.1.total_cmp(&b.1));
                if let Some((term, _)) = strongest {
                    assert!(found.iter().any(|own| own.0 == term), "{function} {term}");
                }
            }
        }
    }
}
