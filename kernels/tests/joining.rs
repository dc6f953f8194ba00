//! Columns that no bound settles, beside the bound of each from the definition. By columns.

use passel_kernels::{
    joining::{self, BoundedModel, JoiningArgs, KERNEL},
    least_squares::reference as fitted,
};

use super::{TestGpu, arguments, dot};

pub const SIZES: &[usize] = &[9, 255, 256, 257, 700];

/// Observations.
const N: usize = 90;

pub fn check(test: &mut TestGpu, p: usize) {
    for (is_binomial, has_intercept) in [(true, true), (false, true), (true, false)] {
        check_family(test, p, is_binomial, has_intercept);
    }
}

fn check_family(test: &mut TestGpu, p: usize, is_binomial: bool, has_intercept: bool) {
    let (columns, noise) = test.regression(N, p);
    let support = [3u32, 8, 1];
    let column = |at: u32| &columns[at as usize * N..][..N];
    // Means from any linear predictor, and responses around them; one observation has no weight.
    let eta: Vec<f64> = (0..N)
        .map(|row| 3.0 * column(3)[row] - 2.0 * column(1)[row] + 0.2)
        .collect();
    let means: Vec<f64> = eta
        .iter()
        .map(|eta| match is_binomial {
            true => 1.0 / (1.0 + (-eta).exp()),
            false => eta.exp(),
        })
        .collect();
    let y: Vec<f64> = (0..N)
        .map(|row| match is_binomial {
            true => f64::from(u8::from(noise[row] > 0.0)),
            false => (4.0 * noise[row].abs() * (N as f64).sqrt() / 2.0).floor(),
        })
        .collect();
    let weights: Vec<f64> = (0..N)
        .map(|row| [0.0, 1.0, 2.0][row.min(1) + row % 2])
        .collect();
    let scores: Vec<f64> = (0..N)
        .map(|row| weights[row] * (y[row] - means[row]))
        .collect();
    let working: Vec<f64> = (0..N)
        .map(|row| match is_binomial {
            true => weights[row] * means[row] * (1.0 - means[row]),
            false => weights[row] * means[row],
        })
        .collect();
    // T of the weighted columns: what each leaves of those before it, ones first.
    let ones = [1.0; N];
    let rooted = |x: &[f64]| -> Vec<f64> {
        let rows = x.iter().zip(&working);
        rows.map(|(x, w)| x * w.sqrt()).collect()
    };
    let mut all: Vec<&[f64]> = Vec::new();
    all.extend(has_intercept.then_some(&ones[..]));
    all.extend(support.iter().map(|at| column(*at)));
    let flat: Vec<f64> = all.iter().flat_map(|x| rooted(x)).collect();
    let triangle: Vec<Vec<f64>> = (0..all.len())
        .map(|at| {
            let before: Vec<u32> = (0..at as u32).collect();
            let left = fitted(&flat, &flat[at * N..][..N], &before);
            let own = left.coefficients.iter().map(|b| -b).chain([1.0]);
            own.map(|t| t / left.rss.sqrt()).collect()
        })
        .collect();
    let shift = usize::from(has_intercept);
    let intercept: Vec<f64> = (0..all.len() * shift).map(|at| triangle[at][0]).collect();
    let inverse: Vec<f64> = triangle[shift..]
        .iter()
        .flat_map(|t| t[shift..].to_vec())
        .collect();
    // Q without the weights.
    let vectors: Vec<Vec<f64>> = triangle
        .iter()
        .map(|t| {
            (0..N)
                .map(|row| t.iter().zip(&all).map(|(t, x)| t * x[row]).sum())
                .collect()
        })
        .collect();
    let mut products: Vec<f64> = columns.chunks(N).map(|x| dot(x, &scores)).collect();
    for q in &vectors {
        let weighted: Vec<f64> = q.iter().zip(&working).map(|(q, w)| q * w).collect();
        products.extend(columns.chunks(N).map(|x| dot(x, &weighted)));
    }
    let squares: Vec<f64> = (columns.chunks(N))
        .map(|x| (0..N).map(|row| x[row] * x[row] * working[row]).sum())
        .collect();
    let most = |x: &[f64]| x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let largest: Vec<f64> = columns.chunks(N).map(most).collect();
    let used = |q: &Vec<f64>| {
        let rows = q.iter().zip(&working).filter(|(_, w)| **w > 0.0);
        rows.fold(0.0, |most: f64, (q, _)| most.max(q.abs()))
    };
    let largest_q: Vec<f64> = vectors[shift..].iter().map(used).collect();
    let bounds: Vec<Option<f64>> = (columns.chunks(N))
        .map(|x| joining::reference(x, &all, (&y, &weights, &means), is_binomial))
        .collect();
    // Columns from this number on, and the second of two models: the first has no open columns.
    const FROM: u32 = 1000;
    let support = support.map(|at| at + FROM);
    let width = all.len() + 1;
    let products = [vec![0.5; width * p], products].concat();
    let squares = [vec![0.5; p], squares].concat();
    let x = test.put(&columns);
    let addresses = support.map(|at| x + (8 * N) as u64 * u64::from(at - FROM));
    let [products, squares, largest] = [products, squares, largest].map(|of| test.put(&of));
    let args = JoiningArgs {
        n: N as i64,
        y: test.put(&y),
        weights: test.put(&weights),
        of_scores: 1.0,
        coefficient_scale: 1.0,
        loss_scale: 1.0,
        is_binomial: i32::from(is_binomial),
    };
    let mut model = BoundedModel {
        scores: test.put(&scores),
        weights: test.put(&working),
        inverse: test.put(&inverse),
        intercept: if has_intercept {
            test.put(&intercept)
        } else {
            0
        },
        addresses: test.put(&addresses),
        support: test.put(&support),
        largest: test.put(&largest_q),
        mean: intercept.first().copied().unwrap_or(0.0),
        k: support.len() as i32,
        before: 1 + shift as i32,
        start: width as i64,
        ..BoundedModel::default()
    };
    // Members leave nothing of themselves.
    let outside = bounds.iter().flatten().filter(|bound| bound.is_finite());
    let mut sorted: Vec<f64> = outside.copied().collect();
    sorted.sort_by(f64::total_cmp);
    let mut settled = 0;
    for share in [0.0, 0.3, 0.9, 1.0] {
        model.least = match share {
            1.0 => f64::INFINITY,
            share => sorted[(share * sorted.len() as f64) as usize] * 1.000_01,
        };
        let none = BoundedModel {
            start: 0,
            least: f64::INFINITY,
            ..model
        };
        let models = test.put(&[none, model]);
        let (list, listed) = (test.fill(0u64, 2 * p), test.put(&[0u64]));
        let (open, opened) = (test.fill(0u64, p), test.put(&[0u64]));
        let (rows, from, scale) = (p as i64, FROM, 1.0f64);
        let given = arguments![
            models, scale, products, squares, largest, rows, from, list, listed
        ];
        test.launch(&KERNEL, "bound_by_score", (2, 2), (256, 0), given);
        let (most_columns, blocks, capacity) = (support.len() as i64, 3u32, p as u64);
        let room = test.fill(0.0f64, blocks as usize * (N + support.len()));
        let given = arguments![
            args,
            models,
            x,
            products,
            squares,
            rows,
            from,
            list,
            listed,
            most_columns,
            room,
            open,
            opened,
            capacity
        ];
        test.launch(&KERNEL, "bound_by_divergence", (blocks, 1), (256, 0), given);
        let count = test.get::<u64>(opened, 1)[0] as usize;
        let mut found = test.get::<u64>(open, count);
        found.sort_unstable();
        let is_open = |at: &u64| {
            let outside = !support.contains(&(*at as u32 + FROM));
            let bound = bounds[*at as usize];
            outside && model.least.is_finite() && bound.is_none_or(|bound| bound >= model.least)
        };
        let entry = |at: u64| 1 << 32 | (at + u64::from(FROM));
        let expected: Vec<u64> = (0..p as u64).filter(is_open).map(entry).collect();
        assert_eq!(found, expected, "least {}", model.least);
        settled += p - test.get::<u64>(listed, 1)[0] as usize;
    }
    // The cheap bound settles something beside what has no open columns.
    assert!(settled > p, "{settled}");
}
