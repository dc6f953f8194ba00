//! Degenerate data of families: told, or fitted; never NaN, never endless.

use std::time::{Duration, Instant};

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Pass,
    criteria::{Aic, Bic, Criterion, EbicMonotone},
    design::MatrixOptions,
    family::Distribution,
    search::Gain,
};

use crate::{family_reference::families, problems::Random};

/// Rounds of the usual run; `PASSEL_FUZZ_SECONDS` makes it as long.
const ROUNDS: usize = 60;

/// One of some values.
fn one<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len())]
}

#[test]
fn degenerate_data_are_told_or_fitted_but_never_nan_and_never_endless() {
    let seconds = std::env::var("PASSEL_FUZZ_SECONDS").ok();
    let seconds = seconds.map(|text| Duration::from_secs(text.parse().unwrap()));
    let (started, families) = (Instant::now(), families());
    let (mut fitted, mut told, mut slowest) = (0, 0, Duration::ZERO);
    let mut round = 0;
    while seconds.map_or(round < ROUNDS, |limit| started.elapsed() < limit) {
        let mut random = Random::new(7000 + round as u64);
        let family = families[round % families.len()];
        round += 1;
        let n = one(&mut random, &[3, 4, 7, 20, 60]);
        let p = one(&mut random, &[1, 2, 5, 30]);
        let scale = one(&mut random, &[1.0, 1.0, 1e-8, 1e8]);
        let mut x = DMatrix::from_fn(n, p, |row, j| match (j % 5, random.below(12)) {
            (4, _) => f64::from(u8::from(row == 0)),
            (3, _) => f64::from(u8::from(row < n / 2)),
            (_, 0) => 0.0,
            (_, 1) => 1e3 * scale,
            _ => random.normal() * scale,
        });
        if p > 2 && random.below(3) == 0 {
            let own = x.column(0) * 2.0;
            x.set_column(1, &own);
        }
        let level = one(&mut random, &[0.0, 1.0, 1.0, 30.0, 1e9]);
        let y = DVector::from_fn(n, |row, _| {
            let draw = random.normal();
            match (family.distribution(), random.below(3)) {
                // Often told by a column.
                (Distribution::Binomial, 0) => f64::from(u8::from(x[(row, 0)] > 0.0)),
                (Distribution::Binomial, _) => f64::from(u8::from(draw > 0.3)),
                (Distribution::Gamma, 0) => one(&mut random, &[1e-12, 1e-3, 1.0, 1e12]),
                (Distribution::Gamma, _) => draw.abs() + 1e-9 + level,
                (_, 0) => 0.0,
                _ => (level * draw.abs()).floor(),
            }
        });
        let vector = |random: &mut Random, of: &[f64]| -> Vec<f64> {
            (0..n).map(|_| one(random, of)).collect()
        };
        let weights = one(&mut random, &[0, 0, 1, 2]);
        let weights = match weights {
            0 => None,
            1 => Some(vector(&mut random, &[0.0, 1e-12, 1.0])),
            _ => Some(vector(&mut random, &[1e-300, 1.0, 1e9])),
        };
        let offset = match one(&mut random, &[0, 0, 1, 2]) {
            0 => None,
            1 => Some(vector(&mut random, &[0.0, 1e6, -1e6])),
            _ => Some(vector(&mut random, &[0.0, 2.0, -700.0])),
        };
        let options = MatrixOptions {
            family,
            weights: weights.as_deref(),
            offset: offset.as_deref(),
            intercept: random.below(4) > 0,
            keep: if p > 4 && random.below(3) == 0 {
                &[0]
            } else {
                &[]
            },
            ..MatrixOptions::default()
        };
        let what = format!("{} {} {}", round - 1, family.distribution(), family.link());
        let design = match Design::from_matrices(&x, &y, &options) {
            Ok(design) => design,
            Err(error) => {
                let text = error.to_string();
                assert!(!text.is_empty() && !text.contains("NaN"), "{what}: {text}");
                told += 1;
                continue;
            }
        };
        let criteria: [&dyn Criterion; 3] = [&Aic, &Bic, &EbicMonotone { gamma: 1.0 }];
        let pass = Pass {
            particles: 6,
            iterations: 12,
            gain: one(&mut random, &[Gain::Correlation, Gain::Exact]),
            ..Pass::default()
        };
        let begun = Instant::now();
        let selection = match passel::select(&design, criteria[round % 3], &pass) {
            Ok(selection) => selection,
            Err(error) => {
                assert!(!error.to_string().is_empty(), "{what}");
                told += 1;
                continue;
            }
        };
        let taken = begun.elapsed();
        slowest = slowest.max(taken);
        assert!(taken < Duration::from_secs(60), "{what}: {taken:?}");
        let family = selection.family.as_ref().unwrap();
        assert!(!selection.criterion.value.is_nan(), "{what}");
        assert!(family.deviance >= 0.0, "{what} {}", family.deviance);
        let chosen = selection.selected.iter().map(|own| &own.estimate);
        for own in chosen.chain(&selection.intercept) {
            let numbers = [
                own.std_error,
                own.z,
                own.t,
                own.p_value,
                own.lower,
                own.upper,
                own.ratio,
            ];
            assert!(!own.coefficient.is_nan(), "{what}");
            assert!(
                numbers.into_iter().flatten().all(|x| !x.is_nan()),
                "{what} {own:?}"
            );
        }
        // No allowed change of what is certified was forgotten for want of a number.
        for model in &selection.models {
            assert!(
                !model.criterion.is_nan() && model.delta >= -1e-6,
                "{what} {model:?}"
            );
        }
        fitted += 1;
    }
    println!("{fitted} fitted, {told} told, at most {slowest:?}");
    assert!(fitted * 5 > round && told > 0, "{fitted} {told}");
}
