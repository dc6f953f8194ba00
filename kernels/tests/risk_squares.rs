//! Squares by second derivatives beside variances among those at risk. By observations.

use passel_kernels::risk_squares::{self, KERNEL, RiskModel};

use super::{TestGpu, arguments, cox::Times};

pub const SIZES: &[usize] = &[70, 255, 257, 1000];

/// Columns, and models.
const P: usize = 19;
const MODELS: usize = 3;

pub fn check(test: &mut TestGpu, n: usize) {
    for (strata, is_tied, is_efron) in [(1, false, true), (3, true, true), (2, true, false)] {
        let (columns, noise) = test.regression(n, P);
        let times = Times::of(&columns, &noise, strata, is_tied, is_efron);
        check_times(test, n, &columns, &times);
    }
}

fn check_times(test: &mut TestGpu, n: usize, columns: &[f64], times: &Times) {
    let (order, groups) = times.rows();
    let rows = times.put(test);
    let is_efron = rows.is_efron != 0;
    let mut models = Vec::new();
    let (mut whole, mut expected) = (vec![0.0; P * MODELS], vec![0.0; P * MODELS]);
    for number in 0..MODELS {
        let theta = |at: usize| {
            let row = order[at];
            times.reference().weights[row] * (5.0 * columns[number * n + row]).exp()
        };
        let theta: Vec<f64> = (0..n).map(theta).collect();
        let mut factors = [Vec::new(), Vec::new(), Vec::new()];
        for group in &groups {
            let [begin, start, end] = [group.begin, group.start, group.end].map(|at| at as usize);
            let d = end - start;
            let each = group.weight / d as f64;
            let share = |l: usize| if is_efron { l as f64 / d as f64 } else { 0.0 };
            let shares: Vec<f64> = (0..d).map(share).collect();
            let all: f64 = theta[begin..end].iter().sum();
            let events: f64 = theta[start..end].iter().sum();
            let sum = |power: i32| -> f64 {
                let of_share = |s: &f64| s.powi(power) / (all - s * events).powi(2);
                each * shares.iter().map(of_share).sum::<f64>()
            };
            let [f, g, h] = [0, 1, 2].map(sum);
            factors[0].push(f.sqrt());
            factors[1].push(g / f);
            factors[2].push((h - g * g / f).max(0.0).sqrt());
            for column in 0..P {
                let x: Vec<f64> = order[begin..end]
                    .iter()
                    .map(|row| columns[column * n + row])
                    .collect();
                expected[number * P + column] +=
                    risk_squares::reference(&x, &theta[begin..end], d, &shares, each);
                for share in &shares {
                    for (at, x) in x.iter().enumerate() {
                        let left = if begin + at < start { 1.0 } else { 1.0 - share };
                        whole[number * P + column] +=
                            each * left * theta[begin + at] * x * x / (all - share * events);
                    }
                }
            }
        }
        models.push(RiskModel {
            theta: test.put(&theta),
            of_all: test.put(&factors[0]),
            share: test.put(&factors[1]),
            of_events: test.put(&factors[2]),
        });
    }
    let (x, to, models) = (test.put(columns), test.put(&whole), test.put(&models));
    let blocks = 2u32;
    let room = test.fill(0.0f64, n * 8 * blocks as usize);
    let (count, given_models) = (P as i64, MODELS as i32);
    let given = arguments![rows, x, count, models, given_models, room, to];
    test.launch(&KERNEL, "risk_squares", (blocks, 1), (256, 0), given);
    for (at, (own, expected)) in (test.get::<f64>(to, P * MODELS).iter().zip(&expected)).enumerate()
    {
        // Beside the whole, of which it is what is left.
        let off = (own - expected).abs();
        assert!(off <= 1e-12 * whole[at], "{own} is not {expected}");
    }
}
