//! At equal particles, iterations and probabilities: at least the share of runs
//! at the optimum that the paper's own program reaches (1,000 runs each, single
//! precision). The seeds here are 0 … 199, so each share is one number.

use passel::{
    Design, Interrupt, Pass,
    criteria::{Criterion, Ebic, Hdbic, Hdhqc},
    device::Resources,
    search,
};

use super::problems;

const SEEDS: u64 = 200;

/// φ of one run, and the columns chosen.
fn run(design: &Design, criterion: &dyn Criterion, pass: &Pass) -> (f64, Vec<u32>) {
    let one = Resources::cpu(1);
    let never = Interrupt::default();
    let found = search::search(design, criterion, pass, &one, &never, None, &mut |_| {}).unwrap();
    (found.value, found.fit.support().to_vec())
}

/// The share of the seeds whose run ends at `optimum` or below.
fn share(design: &Design, criterion: &dyn Criterion, pass: &Pass, optimum: f64) -> f64 {
    let hit = |seed: &u64| {
        let pass = Pass {
            seed: *seed,
            ..pass.clone()
        };
        run(design, criterion, &pass).0 <= optimum
    };
    (0..SEEDS).filter(hit).count() as f64 / SEEDS as f64
}

/// φ as the data's README lists it, y at unit norm and to two digits, on the
/// response's own scale.
fn listed(design: &Design, value: f64) -> f64 {
    value + 0.005 + design.n() as f64 * design.tss().ln()
}

/// Defaults reach φ of a set or lower on at least that share of the seeds.
fn defaults_reach(set: &str, value: f64, least: f64) {
    let design = problems::hung(set);
    let share = share(&design, &Hdhqc, &Pass::default(), listed(&design, value));
    println!("{set}: {share}");
    assert!(share >= least, "{set}: {share}");
}

#[test]
#[ignore = "needs ../shared/data/hung"]
fn defaults_reach_the_optimum_of_hung_1_1() {
    defaults_reach("1_1", -1262.77, 0.99);
}

#[test]
#[ignore = "needs ../shared/data/hung"]
fn defaults_reach_the_optimum_of_hung_1_3() {
    defaults_reach("1_3", -1270.06, 0.99);
}

#[test]
#[ignore = "needs ../shared/data/hung"]
fn defaults_reach_the_optimum_of_hung_1_8() {
    defaults_reach("1_8", -1268.43, 0.99);
}

/// The best known values, the second lower than what the original ever reached
/// in five runs.
#[test]
#[ignore = "needs ../shared/data/hung"]
fn defaults_reach_the_optimum_of_hung_2_1() {
    defaults_reach("2_1", -1459.91, 0.95);
}

#[test]
#[ignore = "needs ../shared/data/hung"]
fn defaults_reach_the_optimum_of_hung_2_2() {
    defaults_reach("2_2", -1460.88, 0.95);
}

#[test]
#[ignore = "needs ../shared/data/hung"]
fn defaults_reach_the_optimum_of_hung_2_5() {
    defaults_reach("2_5", -1547.52, 0.95);
}

#[test]
#[ignore = "needs ../shared/data/hung"]
fn shares_on_hung_1_1_are_no_lower_than_the_originals() {
    let design = problems::hung("1_1");
    for (particles, iterations, forward, backward, original) in [
        (16, 256, [0.2, 0.6, 0.2], [0.2, 0.8], 1.000),
        (16, 256, [0.0, 1.0, 0.0], [0.2, 0.8], 0.969),
        (16, 256, [0.2, 0.8, 0.0], [0.4, 0.6], 0.976),
        (16, 256, [0.1, 0.8, 0.1], [0.9, 0.1], 0.386),
        (256, 32, [0.2, 0.8, 0.0], [0.2, 0.8], 1.000),
    ] {
        let pass = Pass {
            particles,
            iterations,
            forward,
            backward,
            polish: false,
            ..Pass::default()
        };
        let share = share(&design, &Hdhqc, &pass, listed(&design, -1262.77));
        println!("{particles} × {iterations} {forward:?} {backward:?}: {share} ({original})");
        assert!(share >= original, "{pass:?}: {share} < {original}");
    }
}

/// Its positive selection rate is 1 and its false discovery rate 0.
#[test]
fn ing_lai_is_selected_exactly() {
    let (x, y) = problems::ing_lai(400, 4_000, 10, 7);
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
    for (particles, iterations) in [(16, 32), (256, 16)] {
        for seed in 0..10 {
            let pass = Pass {
                particles,
                iterations,
                forward: [0.0, 1.0, 0.0],
                backward: [0.8, 0.2],
                polish: false,
                seed,
                ..Pass::default()
            };
            let (_, chosen) = run(&design, &Hdbic, &pass);
            assert_eq!(chosen, (0..10).collect::<Vec<_>>(), "seed {seed}");
        }
    }
}

/// It hits the optimum in 80 to 99 % of runs by data set with 16 particles,
/// always with 256.
#[test]
fn shares_on_chen_chen_are_no_lower_than_the_originals() {
    let criterion = Ebic { gamma: 1.0 };
    for set in 0..5 {
        let (x, y) = problems::chen_chen(200, 50, 0.2, set);
        let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
        let (optimum, _) = run(&design, &criterion, &Pass::default());
        for (particles, original) in [(16, 0.80), (256, 1.0)] {
            let pass = Pass {
                particles,
                iterations: 8,
                forward: [0.0, 1.0, 0.0],
                backward: [0.2, 0.8],
                polish: false,
                ..Pass::default()
            };
            let share = share(&design, &criterion, &pass, optimum + 1e-9);
            println!("set {set}, {particles} × 8: {share} ({original})");
            assert!(share >= original, "set {set}, {particles}: {share}");
        }
    }
}
