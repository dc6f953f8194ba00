//! Random searches by the hundred, for a machine with time: `cargo test --test device --
//! --ignored many`; `PASSEL_CASES` says how many.

use nalgebra::{DMatrix, DVector};
use passel::{Design, Pass, design::MatrixOptions, family::Distribution, search::Gain};

use crate::{
    cases::Case,
    families::{families, response},
    places::{cpus, cuda_is_there, cudas},
    problems::{Random, small},
    rounding::same_in_any_order,
    same::same_everywhere,
};

/// A problem and settings of a seed.
fn random(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let (n, p) = (8 + random.below(70), 1 + random.below(150));
    let (mut x, y) = match random.below(3) {
        0 => {
            let x = DMatrix::from_fn(n, p, |_, _| random.below(4) as f64);
            let y = DVector::from_fn(n, |t, _| x.row(t).sum() + random.below(30) as f64);
            (x, y)
        }
        _ => small(n, p, seed),
    };
    // Some columns are others' mirror images, or their sums.
    for _ in 0..random.below(p) {
        let (a, b, c) = (random.below(p), random.below(p), random.below(p));
        let sum = match random.below(2) {
            0 => -x.column(a),
            _ => x.column(a) + x.column(b),
        };
        x.set_column(c, &sum);
    }
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
    let criterion = ["aic", "bic", "ebic", "hdbic"][random.below(4)];
    let pass = Pass {
        particles: 1 + random.below(24),
        iterations: 2 + random.below(90),
        gain: [Gain::Correlation, Gain::Exact][random.below(2)],
        start_size: random.below(2),
        polish: random.below(2) == 0,
        seed,
        ..Pass::default()
    };
    Case::new(format!("random {seed}, {n} × {p}"), design, criterion, pass)
}

/// A problem of a family, and settings.
fn random_family(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let (n, p) = (30 + random.below(90), 2 + random.below(120));
    let all = families();
    let family = all[seed as usize % all.len()];
    let mut x = DMatrix::from_fn(n, p, |_, _| random.normal());
    for _ in 0..random.below(p) {
        let (a, b, c) = (random.below(p), random.below(p), random.below(p));
        let sum = match random.below(2) {
            0 => -x.column(a),
            _ => x.column(a) + x.column(b),
        };
        x.set_column(c, &sum);
    }
    let eta: Vec<f64> = x.row_iter().map(|row| row[0] - row[p / 2]).collect();
    let y = response(&mut random, family, &eta);
    let trials = vec![2.0; n];
    let options = MatrixOptions {
        family,
        trials: (family.distribution() == Distribution::Binomial).then_some(&trials),
        ..MatrixOptions::default()
    };
    let design = Design::from_matrices(&x, &y, &options).unwrap();
    let criterion = ["bic", "ebic"][random.below(2)];
    let pass = Pass {
        particles: 1 + random.below(16),
        iterations: 2 + random.below(40),
        gain: [Gain::Correlation, Gain::Exact][random.below(2)],
        polish: random.below(2) == 0,
        seed,
        ..Pass::default()
    };
    let name = format!(
        "random {seed}, {} {}, {n} × {p}",
        family.distribution(),
        family.link()
    );
    Case::new(name, design, criterion, pass)
}

/// So many of least squares, and half as many of other families.
fn cases(of: [fn(u64) -> Case; 2]) -> Vec<Case> {
    let count = std::env::var("PASSEL_CASES").map_or(200, |text| text.parse().unwrap());
    let [first, second] = of;
    let cases = (0..count).map(|seed| first(10_000 + seed));
    cases
        .chain((0..count / 2).map(|seed| second(20_000 + seed)))
        .collect()
}

#[test]
#[ignore = "minutes"]
fn cpu() {
    same_everywhere(&cases([random, random_family]), cpus);
}

#[test]
#[ignore = "minutes"]
fn reordered() {
    // What puts observations in another order makes a design of least squares.
    same_in_any_order(cases([random, random]));
}

#[test]
#[ignore = "minutes"]
fn cuda() {
    if cuda_is_there() {
        same_everywhere(&cases([random, random_family]), cudas);
    }
}
