//! Random searches by the hundred, for a machine with time: `cargo test --test device --
//! --ignored many`; `PASSEL_CASES` says how many.

use nalgebra::{DMatrix, DVector};
use passel::{Design, Pass, search::Gain};

use crate::{
    cases::Case,
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

fn cases() -> Vec<Case> {
    let count = std::env::var("PASSEL_CASES").map_or(200, |text| text.parse().unwrap());
    (0..count).map(|seed| random(10_000 + seed)).collect()
}

#[test]
#[ignore = "minutes"]
fn cpu() {
    same_everywhere(&cases(), cpus);
}

#[test]
#[ignore = "minutes"]
fn reordered() {
    same_in_any_order(cases());
}

#[test]
#[ignore = "minutes"]
fn cuda() {
    if cuda_is_there() {
        same_everywhere(&cases(), cudas);
    }
}
