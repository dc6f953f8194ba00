//! What must not change the answer, what must, and what bounds a run.

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Pass, Selection,
    criteria::{Aic, Bic, Criterion, Ebic, Hdbic},
    design::{MatrixOptions, SetAside},
    search::{Gain, IterationRecord, SearchResult, StepRecord},
    selection::Elapsed,
};

use crate::{
    problems::{Random, ing_lai, small},
    reference::{run, support},
};

pub(super) const EBIC: Ebic = Ebic { gamma: 1.0 };

/// The JSON of a run, its seconds taken out.
fn json(design: &Design, criterion: &dyn Criterion, pass: &Pass, threads: usize) -> String {
    let found = run(design, criterion, pass, threads, |_| {});
    let mut selection = found.selection(design, criterion, pass);
    selection.elapsed_seconds = Elapsed::default();
    serde_json::to_string(&selection).unwrap()
}

fn same_with_any_threads(
    x: &DMatrix<f64>,
    y: &DVector<f64>,
    criterion: &dyn Criterion,
    pass: &Pass,
) {
    let design = Design::from_matrices(x, y, &Default::default()).unwrap();
    let one = json(&design, criterion, pass, 1);
    assert!(
        one.contains("\"selected\":[{"),
        "an empty model proves little"
    );
    for threads in [1, 2, 3, 5] {
        assert_eq!(
            one,
            json(&design, criterion, pass, threads),
            "{threads} threads"
        );
    }
}

#[test]
fn threads_do_not_matter_on_small_problems() {
    // Seeds 700 … 703; the last two have n < p.
    for (n, p, seed) in [(60, 20, 700), (35, 30, 701), (30, 80, 702), (12, 14, 703)] {
        let (x, y) = small(n, p, seed);
        let pass = Pass {
            iterations: 60,
            seed,
            ..Pass::default()
        };
        same_with_any_threads(&x, &y, &Aic, &pass);
        let exact = Pass {
            gain: Gain::Exact,
            ..pass
        };
        same_with_any_threads(&x, &y, &Bic, &exact);
    }
}

#[test]
fn threads_do_not_matter_on_a_wide_problem() {
    let (x, y) = ing_lai(150, 3000, 8, 704);
    let pass = Pass {
        particles: 40,
        iterations: 30,
        ..Pass::default()
    };
    same_with_any_threads(&x, &y, &Hdbic, &pass);
    let exact = Pass {
        gain: Gain::Exact,
        ..pass
    };
    same_with_any_threads(&x, &y, &EBIC, &exact);
}

#[test]
fn every_step_is_the_same_with_any_threads() {
    // 200 × 300 and 100 particles: large enough for the threads to share the fits.
    let (x, y) = small(200, 300, 705);
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
    let pass = Pass {
        particles: 100,
        iterations: 60,
        ..Pass::default()
    };
    let one = steps(&design, &Aic, &pass, 1);
    for threads in [2, 3, 5] {
        let many = steps(&design, &Aic, &pass, threads);
        let first = std::iter::zip(&one, &many).position(|(a, b)| a != b);
        assert_eq!(first, None, "{threads} threads part at this iteration");
    }
}

pub(super) fn steps(
    design: &Design,
    criterion: &dyn Criterion,
    pass: &Pass,
    threads: usize,
) -> Vec<Vec<StepRecord>> {
    let mut steps = Vec::new();
    run(
        design,
        criterion,
        pass,
        threads,
        |iteration: &IterationRecord| {
            steps.push(iteration.steps.to_vec());
        },
    );
    steps
}

fn found(x: &DMatrix<f64>, y: &DVector<f64>, criterion: &dyn Criterion) -> SearchResult {
    let design = Design::from_matrices(x, y, &Default::default()).unwrap();
    run(&design, criterion, &Pass::default(), 1, |_| {})
}

fn selected(x: &DMatrix<f64>, y: &DVector<f64>, criterion: &dyn Criterion) -> Selection {
    let design = Design::from_matrices(x, y, &Default::default()).unwrap();
    found(x, y, criterion).selection(&design, criterion, &Pass::default())
}

#[test]
fn the_order_of_rows_does_not_matter() {
    for seed in 710..716 {
        let (x, y) = small(50, 16, seed);
        let order = Random::new(seed).order(50);
        let (moved_x, moved_y) = (x.select_rows(&order), y.select_rows(&order));
        for criterion in [&Aic as &dyn Criterion, &Bic, &EBIC] {
            let (a, b) = (
                found(&x, &y, criterion),
                found(&moved_x, &moved_y, criterion),
            );
            assert_eq!(support(&a), support(&b), "seed {seed}");
            // Sums in another order: rounding, times n.
            assert!((a.value - b.value).abs() < 1e-9, "seed {seed}");
        }
    }
}

#[test]
fn the_order_of_columns_permutes_the_answer() {
    for seed in 716..722 {
        let (x, y) = small(50, 16, seed);
        let order = Random::new(seed).order(16);
        assert!((0..16).any(|i| order[i] != i));
        let moved = x.select_columns(&order);
        for criterion in [&Aic as &dyn Criterion, &Bic, &EBIC] {
            let (a, b) = (found(&x, &y, criterion), found(&moved, &y, criterion));
            let mut back: Vec<u32> = support(&b)
                .iter()
                .map(|&j| order[j as usize] as u32)
                .collect();
            back.sort_unstable();
            assert_eq!(support(&a), back, "seed {seed}");
            assert!((a.value - b.value).abs() < 1e-9, "seed {seed}");
        }
    }
}

#[test]
fn units_change_the_coefficients_and_nothing_else() {
    for seed in 722..728 {
        let (x, y) = small(50, 12, seed);
        let mut random = Random::new(seed);
        // Signs too: x → shift + scale·x, y → 7 − 40·y.
        let scale: Vec<f64> = (0..12)
            .map(|_| (6.0 * random.normal()).exp() * if random.below(2) == 0 { 1.0 } else { -1.0 })
            .collect();
        let shift: Vec<f64> = (0..12).map(|j| 3.0 * scale[j] * random.normal()).collect();
        let moved = DMatrix::from_fn(50, 12, |t, j| shift[j] + scale[j] * x[(t, j)]);
        let moved_y = y.map(|v| 7.0 - 40.0 * v);
        let (a, b) = (selected(&x, &y, &Bic), selected(&moved, &moved_y, &Bic));
        assert!(a.k > 0);
        let names = |s: &Selection| {
            s.selected
                .iter()
                .map(|v| v.name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&a), names(&b), "seed {seed}");
        // n·ln RSS: y's unit adds n·ln 40².
        let value = a.criterion.value + 50.0 * 1600f64.ln();
        assert!((b.criterion.value - value).abs() < 1e-8, "seed {seed}");
        let mut intercept = 7.0 - 40.0 * a.intercept.unwrap().coefficient;
        let mut size = intercept.abs();
        for (v, w) in std::iter::zip(&a.selected, &b.selected) {
            let (v, index, w) = (v.estimate, v.index, w.estimate);
            let expected = -40.0 * v.coefficient / scale[index];
            // The shifted data are rounded at some 1e-16 of columns of
            // condition below a hundred.
            assert!((w.coefficient / expected - 1.0).abs() < 1e-9, "seed {seed}");
            let error = 40.0 * v.std_error.unwrap() / scale[index].abs();
            assert!(
                (w.std_error.unwrap() / error - 1.0).abs() < 1e-9,
                "seed {seed}"
            );
            let sign = -scale[index].signum();
            assert!(
                (w.t.unwrap() / (sign * v.t.unwrap()) - 1.0).abs() < 1e-9,
                "seed {seed}"
            );
            intercept -= expected * shift[index];
            size += (expected * shift[index]).abs();
        }
        assert!((b.intercept.unwrap().coefficient - intercept).abs() < 1e-9 * size);
    }
}

#[test]
fn fewer_variables_than_particles() {
    for p in 1..=5 {
        let (x, y) = ing_lai(30, p, 1, 728 + p as u64);
        let found = found(&x, &y, &Bic);
        assert_eq!(found.iterations, Pass::default().iterations);
        assert!(support(&found).contains(&0), "p = {p}");
    }
}

#[test]
fn one_variable_and_nothing_to_explain() {
    // Of pure noise, AIC must leave out a column that explains less than
    // 1 − exp(−2/n), and the empty model may win.
    let mut random = Random::new(734);
    let (mut empty, mut full) = (0, 0);
    for _ in 0..60 {
        let x = DMatrix::from_fn(20, 1, |_, _| random.normal());
        let y = DVector::from_fn(20, |_, _| random.normal());
        let (a, b) = (x.column(0).add_scalar(-x.mean()), y.add_scalar(-y.mean()));
        let r = a.dot(&b) / a.norm() / b.norm();
        let expected = 20.0 * (1.0 - r * r).ln() + 2.0 < 0.0;
        let found = found(&x, &y, &Aic);
        assert_eq!(support(&found).len(), usize::from(expected));
        if expected { full += 1 } else { empty += 1 }
    }
    assert!(empty > 5 && full > 1, "{empty} {full}");
}

#[test]
fn more_variables_than_observations() {
    let (x, y) = ing_lai(40, 200, 3, 735);
    let found = found(&x, &y, &Hdbic);
    assert_eq!(support(&found), [0, 1, 2]);
    // The bound: n/4, rounded down.
    assert_eq!(found.max_size, 10);
    let (x, y) = small(15, 40, 736);
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
    let mut largest = 0;
    let found = run(&design, &Aic, &Pass::default(), 1, |iteration| {
        largest = iteration
            .steps
            .iter()
            .map(|s| s.size)
            .fold(largest, usize::max);
        assert!(iteration.steps.iter().all(|s| s.value.is_finite()));
    });
    assert_eq!((found.max_size, largest), (3, 3));
}

#[test]
fn constants_and_duplicates_are_set_aside() {
    let (x, y) = small(40, 6, 737);
    // x2 twice more, x0 once more, and two constants.
    let wide = DMatrix::from_fn(40, 11, |t, j| match j {
        0 | 7 => x[(t, 0)],
        2 | 4 | 10 => x[(t, 2)],
        3 => 0.0,
        8 => 0.1,
        j => x[(t, j % 6)],
    });
    let names = [
        "a", "b", "c", "none", "c2", "f", "a0", "a2", "tenth", "d", "c3",
    ];
    // Columns 6 and 0 are both x0.
    let options = MatrixOptions {
        names: Some(&names),
        ..MatrixOptions::default()
    };
    let design = Design::from_matrices(&wide, &y, &options).unwrap();
    let mut aside = design.set_aside().to_vec();
    aside.sort_by(|a, b| a.name.cmp(&b.name));
    let expect = |name: &str, reason: &str| SetAside {
        name: name.to_owned(),
        reason: reason.to_owned(),
        copy_of: reason.strip_prefix("duplicate of ").map(str::to_owned),
    };
    assert_eq!(
        aside,
        [
            expect("a0", "duplicate of a"),
            expect("a2", "duplicate of a"),
            expect("c2", "duplicate of c"),
            expect("c3", "duplicate of c"),
            expect("none", "constant"),
            expect("tenth", "constant"),
        ]
    );
    assert_eq!(design.p(), 5);
    let with = run(&design, &Aic, &Pass::default(), 1, |_| {});
    let report = with.selection(&design, &Aic, &Pass::default());
    assert_eq!(report.set_aside.len(), 6);
    assert_eq!(report.p, 5);
    // The same data without them: the same answer.
    let narrow = wide.select_columns(&[0, 1, 2, 5, 9]);
    let names = ["a", "b", "c", "f", "d"];
    let options = MatrixOptions {
        names: Some(&names),
        ..MatrixOptions::default()
    };
    let design = Design::from_matrices(&narrow, &y, &options).unwrap();
    let without = run(&design, &Aic, &Pass::default(), 1, |_| {});
    assert_eq!(support(&with), support(&without));
    assert_eq!(with.value.to_bits(), without.value.to_bits());
    for chosen in &report.selected {
        // The position counts what was set aside.
        let at = [
            "a", "b", "c", "none", "c2", "f", "a0", "a2", "tenth", "d", "c3",
        ];
        assert_eq!(at[chosen.index], chosen.name);
    }
}
