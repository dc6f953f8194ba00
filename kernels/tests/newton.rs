//! Fits beside those of the reference, alone and several a block; those that are to be left. By observations.

use passel_kernels::newton::{
    self, FAMILY, KERNEL, Moments, NewtonArgs, NewtonJob, canonical_deviance, deviance_of_counts,
    shared_bytes,
};

use super::{TestGpu, arguments, assert_near};

pub const SIZES: &[usize] = &[70, 255, 256, 257, 1023, 3000];

/// Columns, and those of the largest model.
const COLUMNS: usize = 75;
const MOST: usize = 70;

pub fn check(test: &mut TestGpu, n: usize) {
    for (is_binomial, has_intercept) in [(true, true), (false, true), (true, false)] {
        check_family(test, n, Some(is_binomial), has_intercept);
    }
    for has_intercept in [true, false] {
        check_family(test, n, None, has_intercept);
    }
}

/// The shape of the counts whose family is none of the kernel's own.
const THETA: f64 = 2.0;

/// Of logistic or Poisson regression, or of a family in CUDA C.
fn check_family(test: &mut TestGpu, n: usize, canonical: Option<bool>, has_intercept: bool) {
    println!("canonical, of events: {canonical:?}; an intercept: {has_intercept}");
    let is_binomial = canonical == Some(true);
    let (mut columns, noise) = test.regression(n, COLUMNS);
    // The last column is nearly the second.
    let (head, last) = columns.split_at_mut((COLUMNS - 1) * n);
    last.iter_mut()
        .zip(&head[n..])
        .for_each(|(x, own)| *x = own + 1e-5 * *x);
    let root = (n as f64).sqrt();
    let y: Vec<f64> = (0..n)
        .map(|row| {
            let eta = root * (columns[row] - 0.5 * columns[n + row]);
            let e = root * noise[row];
            match is_binomial {
                true => f64::from(u8::from(0.4 * eta + e > 0.1)),
                false => (eta / 2.0 + 1.5 * e.abs()).exp().min(30.0).floor(),
            }
        })
        .collect();
    let weights: Vec<f64> = (0..n).map(|row| [1.0, 0.5, 2.0, 0.0][row % 4]).collect();
    let offset: Vec<f64> = (0..n).map(|row| 0.1 * (row % 3) as f64).collect();
    // Of means that are the responses Σ w[b(η) − yη] is less by so much.
    let part = |y: f64| if y > 0.0 { y * y.ln() } else { 0.0 };
    let shift = (0..n).map(|row| match canonical {
        Some(true) => weights[row] * (part(y[row]) + part(1.0 - y[row])),
        Some(false) => weights[row] * (part(y[row]) - y[row]),
        None => 0.0,
    });
    let shift: f64 = shift.sum();
    let x = test.put(&columns);
    let address = |at: &u32| x + 8 * n as u64 * u64::from(*at);
    // Sizes on both sides of the tiles; the largest is of several blocks of them.
    let most = (n / 4).min(MOST);
    let sizes = [0, 1, 6, 7, 8, 14, 15, 22, 23, 24, 31, 32, 40, 47, 48, MOST];
    let mut supports: Vec<Vec<u32>> = (sizes.into_iter())
        .filter(|size| *size <= most && *size + usize::from(has_intercept) > 0)
        .map(|size| {
            (0..size as u32)
                .map(|at| (at * 7 + 3) % (COLUMNS as u32 - 1))
                .collect()
        })
        .collect();
    // Left: a column that is nearly another.
    supports.push(vec![1, COLUMNS as u32 - 1]);
    let blocks = 3u32;
    // Near the responses, as a search begins: from far away a step may be too long.
    let start: Vec<f64> = (0..n)
        .map(|row| match is_binomial {
            true => offset[row],
            false => (y[row] + 0.1).ln(),
        })
        .collect();
    let args = NewtonArgs {
        n: n as i64,
        y: test.put(&y),
        weights: test.put(&weights),
        offset: test.put(&offset),
        shift,
        least_change: 1e-13,
        of_scores: 2.0,
        of_costs: 3.0,
        first: test.put(&start),
        room: test.fill(0.0f64, 3 * n * blocks as usize),
        values: test.put(&[THETA]),
        is_binomial: i32::from(is_binomial),
        has_intercept: i32::from(has_intercept),
    };
    let start = args.first;
    let count = supports.len();
    let (predictors, scores) = (test.fill(0.0f64, n * count), test.fill(0.0f64, n * count));
    let costs = test.fill(0.0f64, MOST * count);
    let at = |of: u64, each: usize, job: usize| of + 8 * (each * job) as u64;
    let jobs: Vec<NewtonJob> = (supports.iter().enumerate())
        .map(|(job, support)| {
            let addresses: Vec<u64> = support.iter().map(address).collect();
            NewtonJob {
                addresses: test.put(&addresses),
                start,
                // Every third is nobody's.
                predictors: if job % 3 == 2 {
                    0
                } else {
                    at(predictors, n, job)
                },
                scores: if job % 3 == 2 { 0 } else { at(scores, n, job) },
                costs: at(costs, MOST, job),
                k: support.len() as i64,
            }
        })
        .collect();
    let jobs = test.put(&jobs);
    let answers = test.fill(0.0f64, 4 * count);
    let all = count as i32;
    let given = arguments![args, jobs, all, answers];
    let shape = (256, shared_bytes(MOST + 1));
    let kernel = if canonical.is_some() { KERNEL } else { FAMILY };
    test.launch(&kernel, "newton", (blocks, 1), shape, given);
    let answers = test.get::<f64>(answers, 4 * count);
    let found = [predictors, scores].map(|of| test.get::<f64>(of, n * count));
    let costs = test.get::<f64>(costs, MOST * count);
    let ones = vec![1.0; n];
    let intercept = usize::from(has_intercept);
    let mut fitted = 0;
    for (job, (support, answer)) in supports.iter().zip(answers.chunks(4)).enumerate() {
        if job == count - 1 {
            assert_eq!(answer[2], 1.0, "{support:?}");
            continue;
        }
        let own = support.iter().map(|at| &columns[*at as usize * n..][..n]);
        let own: Vec<&[f64]> = has_intercept
            .then_some(&ones[..])
            .into_iter()
            .chain(own)
            .collect();
        let moments = |eta: f64| match canonical {
            Some(is_binomial) => Moments::canonical(is_binomial, eta),
            None => Moments::of_counts(THETA, eta),
        };
        let deviance = |y: f64, mean: f64| match canonical {
            Some(is_binomial) => canonical_deviance(is_binomial, y, mean),
            None => deviance_of_counts(THETA, y, mean),
        };
        let response = (&y[..], &weights[..], &offset[..]);
        let expected = newton::reference(&own, response, moments, deviance);
        // Where a fit has no end the reference has not, and is no number or far out.
        let is_wild = expected
            .coefficients
            .iter()
            .any(|b| b.is_nan() || b.abs() >= 100.0 * root);
        if answer[2] != 0.0 {
            assert!(
                is_wild || support.len() * 8 > n,
                "{support:?} was left: {answer:?} {expected:?}"
            );
            continue;
        }
        fitted += 1;
        assert_near(
            answer[0],
            expected.deviance,
            1e-9 * (1.0 + expected.deviance),
        );
        let square: f64 = expected.scores.iter().map(|s| 4.0 * s * s).sum();
        assert_near(answer[1], square, 1e-7 * square);
        for (at, cost) in expected.costs[intercept..].iter().enumerate() {
            assert_near(costs[MOST * job + at], 3.0 * cost, 1e-6 * (1.0 + cost));
        }
        if job % 3 == 2 {
            continue;
        }
        for row in 0..n {
            let eta: f64 = own
                .iter()
                .zip(&expected.coefficients)
                .map(|(x, b)| x[row] * b)
                .sum();
            assert_near(found[0][job * n + row], offset[row] + eta, 1e-6);
            assert_near(found[1][job * n + row], 2.0 * expected.scores[row], 1e-6);
        }
    }
    // Of few observations models may separate events.
    assert!(fitted * 2 > count, "{fitted} of {count} at {n}");
}
