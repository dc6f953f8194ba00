//! What must not change the answer, what must, and what bounds a run.

use std::{collections::HashSet, num::NonZeroUsize, time::Duration};

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Pass, Selection,
    criteria::{Aic, Bic, Criterion, Ebic, Hdaic, Hdbic},
    design::DesignOptions,
    search::{Found, Gain, Interrupt, Iteration, Move, Step, search},
    selection::{Elapsed, SetAside, Termination},
    table::{Column, Table, Values},
};

use crate::{
    problems::{Random, ing_lai, small},
    reference::{run, support},
};

const EBIC: Ebic = Ebic { gamma: 1.0 };

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
    let design = Design::from_matrices(x, y, None).unwrap();
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
    let design = Design::from_matrices(&x, &y, None).unwrap();
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

fn steps(
    design: &Design,
    criterion: &dyn Criterion,
    pass: &Pass,
    threads: usize,
) -> Vec<Vec<Step>> {
    let mut steps = Vec::new();
    run(design, criterion, pass, threads, |iteration: &Iteration| {
        steps.push(iteration.steps.to_vec());
    });
    steps
}

fn found(x: &DMatrix<f64>, y: &DVector<f64>, criterion: &dyn Criterion) -> Found {
    let design = Design::from_matrices(x, y, None).unwrap();
    run(&design, criterion, &Pass::default(), 1, |_| {})
}

fn selected(x: &DMatrix<f64>, y: &DVector<f64>, criterion: &dyn Criterion) -> Selection {
    let design = Design::from_matrices(x, y, None).unwrap();
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
        assert_eq!(found.iterations, 256);
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
    // The bound: min(p, n/2) = 20; and 7 for n = 15.
    assert_eq!(found.max_size, 20);
    let (x, y) = small(15, 40, 736);
    let design = Design::from_matrices(&x, &y, None).unwrap();
    let mut largest = 0;
    let found = run(&design, &Aic, &Pass::default(), 1, |iteration| {
        largest = iteration
            .steps
            .iter()
            .map(|s| s.size)
            .fold(largest, usize::max);
        assert!(iteration.steps.iter().all(|s| s.value.is_finite()));
    });
    assert_eq!((found.max_size, largest), (7, 7));
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
    let design = Design::from_matrices(&wide, &y, Some(&names)).unwrap();
    let mut aside = design.set_aside().to_vec();
    aside.sort_by(|a, b| a.name.cmp(&b.name));
    let expect = |name: &str, reason: &str| SetAside {
        name: name.to_owned(),
        reason: reason.to_owned(),
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
    let design = Design::from_matrices(&narrow, &y, Some(&names)).unwrap();
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

/// A design that keeps the named columns `x…`.
fn keeping(x: &DMatrix<f64>, y: &DVector<f64>, keep: &[&str]) -> Design {
    let mut columns = vec![Column {
        name: "y".to_owned(),
        values: Values::Numbers(y.as_slice().to_vec()),
    }];
    columns.extend(x.column_iter().enumerate().map(|(j, values)| Column {
        name: format!("x{j}"),
        values: Values::Numbers(values.as_slice().to_vec()),
    }));
    let table = Table {
        source: "a test".to_owned(),
        columns,
        rows: x.nrows(),
        response: Some(0),
    };
    let keep: Vec<String> = keep.iter().map(|name| (*name).to_owned()).collect();
    let options = DesignOptions {
        keep: &keep,
        ..DesignOptions::default()
    };
    Design::from_table(table, &options).unwrap()
}

#[test]
fn kept_variables_are_in_every_model_and_sizes_are_obeyed() {
    // x9 and x4 have no part in y more than others; seeds 740 … 745.
    for seed in 740..746 {
        let (x, y) = small(45, 14, seed);
        let design = keeping(&x, &y, &["x9", "x4"]);
        assert_eq!(design.keep(), [4, 9]);
        for (start_size, max_size) in [(0, 6), (1, 3), (3, 5), (4, 12)] {
            let pass = Pass {
                particles: 16,
                iterations: 120,
                start_size,
                max_size: Some(max_size),
                seed,
                ..Pass::default()
            };
            let mut sizes = [2 + start_size; 16];
            let (mut reached, mut drops, mut touched) = (0, 0, HashSet::new());
            // Without random starts the whole walk is known.
            let mut models = vec![HashSet::from([4, 9]); 16];
            let found = run(&design, &Hdaic, &pass, 1, |iteration| {
                assert_eq!(iteration.steps.len(), 16);
                for (particle, step) in iteration.steps.iter().enumerate() {
                    let added = match step.moved {
                        Move::Start => {
                            assert_eq!((iteration.number, step.size), (1, 2 + start_size));
                            continue;
                        }
                        Move::AddBest | Move::AddImprove | Move::AddRandom => true,
                        Move::DropImprove | Move::DropRandom => false,
                        Move::Stay => panic!("a move is open at every size"),
                    };
                    let variable = step.variable.unwrap();
                    touched.insert(variable);
                    drops += usize::from(!added);
                    // Never in it twice, never out of it: kept at every step.
                    assert!(variable != 4 && variable != 9, "{step:?}");
                    if start_size == 0 {
                        let model = &mut models[particle];
                        assert!(if added {
                            model.insert(variable)
                        } else {
                            model.remove(&variable)
                        });
                        assert!(
                            model.len() == step.size && model.contains(&4) && model.contains(&9)
                        );
                    }
                    let before = sizes[particle];
                    assert_eq!(step.size, if added { before + 1 } else { before - 1 });
                    assert!((2..=max_size).contains(&step.size), "{step:?}");
                    sizes[particle] = step.size;
                    reached = reached.max(step.size);
                }
            });
            // Both bounds were met, so that obeying them says something.
            assert!(drops > 100 && touched.len() == 12, "{drops} {touched:?}");
            assert!(
                max_size > 6 || reached == max_size,
                "{reached} of {max_size}"
            );
            let members = support(&found);
            assert!(members.contains(&4) && members.contains(&9));
            assert_eq!(found.max_size, max_size);
        }
    }
}

#[test]
fn all_variables_kept_leave_no_move() {
    let (x, y) = small(30, 3, 746);
    let design = keeping(&x, &y, &["x0", "x1", "x2"]);
    let pass = Pass {
        start_size: 0,
        iterations: 5,
        ..Pass::default()
    };
    let mut stays = 0;
    let found = run(&design, &Hdbic, &pass, 1, |iteration| {
        stays += iteration
            .steps
            .iter()
            .filter(|s| s.moved == Move::Stay)
            .count();
    });
    assert_eq!(stays, 4 * pass.particles);
    assert_eq!(support(&found), [0, 1, 2]);
}

#[test]
fn patience_ends_a_run() {
    let (x, y) = small(60, 20, 750);
    let design = Design::from_matrices(&x, &y, None).unwrap();
    let pass = Pass {
        iterations: 1_000_000,
        patience: Some(25),
        ..Pass::default()
    };
    let mut values = Vec::new();
    let found = run(&design, &Bic, &pass, 1, |iteration| {
        values.push(iteration.best_value)
    });
    assert_eq!(found.termination, Termination::Patience);
    assert_eq!(found.iterations, values.len());
    assert!(values.is_sorted_by(|a, b| a >= b));
    // The last improvement lies exactly 25 iterations back, and no earlier
    // wait was as long.
    let mut improvements = vec![0];
    improvements.extend((1..values.len()).filter(|&i| values[i] < values[i - 1] - 1e-9));
    assert!(improvements.len() > 1);
    assert_eq!(values.len() - 1 - improvements.last().unwrap(), 25);
    assert!(improvements.windows(2).all(|w| w[1] - w[0] <= 25));
    assert!((found.value - values.last().unwrap()).abs() < 1e-9);
}

#[test]
fn a_time_limit_ends_a_run() {
    let (x, y) = small(60, 20, 751);
    let design = Design::from_matrices(&x, &y, None).unwrap();
    let pass = Pass {
        iterations: 1_000_000_000,
        time_limit: Some(Duration::from_millis(200)),
        ..Pass::default()
    };
    let mut last = f64::NAN;
    let found = run(&design, &Bic, &pass, 1, |iteration| {
        last = iteration.best_value
    });
    assert_eq!(found.termination, Termination::TimeLimit);
    // It ends after the iteration that crosses the limit, which takes less
    // than a second even on a busy machine.
    assert!((0.2..20.0).contains(&found.seconds), "{}", found.seconds);
    assert!(found.iterations > 1 && (found.value - last).abs() < 1e-9);
}

#[test]
fn an_interrupt_ends_a_run() {
    let (x, y) = small(60, 20, 752);
    let design = Design::from_matrices(&x, &y, None).unwrap();
    for at in [1, 7] {
        let interrupt = Interrupt::default();
        let (mut last, mut lowest) = (f64::NAN, f64::INFINITY);
        let found = search(
            &design,
            &Bic,
            &Pass::default(),
            NonZeroUsize::new(2),
            &interrupt,
            &mut |iteration| {
                last = iteration.best_value;
                lowest = iteration
                    .steps
                    .iter()
                    .map(|s| s.value)
                    .fold(lowest, f64::min);
                if iteration.number == at {
                    interrupt.request();
                }
            },
        )
        .unwrap();
        assert_eq!(found.termination, Termination::Interrupted);
        assert_eq!(found.iterations, at);
        // The best so far: the lowest of all that was visited.
        assert!((found.value - last).abs() < 1e-9 && (last - lowest).abs() < 1e-9);
    }
}

#[test]
fn all_iterations_end_a_run() {
    let (x, y) = small(30, 8, 753);
    let design = Design::from_matrices(&x, &y, None).unwrap();
    for iterations in [1, 2, 9] {
        let pass = Pass {
            iterations,
            ..Pass::default()
        };
        let mut seen = 0;
        let found = run(&design, &Bic, &pass, 1, |iteration| seen = iteration.number);
        assert_eq!((found.iterations, seen), (iterations, iterations));
        assert_eq!(found.termination, Termination::Iterations);
    }
}

#[test]
fn seeds_walk_differently_and_repeat() {
    let (x, y) = small(50, 20, 754);
    let design = Design::from_matrices(&x, &y, None).unwrap();
    let walk = |seed| {
        let pass = Pass {
            seed,
            iterations: 20,
            ..Pass::default()
        };
        steps(&design, &Bic, &pass, 1)
    };
    let one = walk(1);
    assert_eq!(one, walk(1));
    // The high half of a seed counts as well.
    for seed in [0, 2, 1 << 32 | 1, u64::MAX] {
        let other = walk(seed);
        let all = one.iter().flatten().zip(other.iter().flatten());
        let moves = all.clone().count();
        let same = all.filter(|(a, b)| a == b).count();
        // By chance alone a move is the same in fewer than a fifth of cases.
        assert!(same * 3 < moves, "seed {seed}: {same} of {moves}");
    }
    // Particles of one run differ among themselves.
    let last = one.last().unwrap();
    let values: HashSet<u64> = last.iter().map(|s| s.value.to_bits()).collect();
    assert!(values.len() > 20, "{}", values.len());
}

#[test]
fn more_particles_do_not_change_the_first_ones_starts() {
    // A particle's stream is its own: the first 16 start alike among 16 or 64.
    let (x, y) = small(50, 20, 755);
    let design = Design::from_matrices(&x, &y, None).unwrap();
    let starts = |particles| {
        let pass = Pass {
            particles,
            iterations: 1,
            start_size: 3,
            ..Pass::default()
        };
        steps(&design, &Bic, &pass, 1).remove(0)
    };
    assert_eq!(starts(16), starts(64)[..16]);
}

#[test]
fn an_exact_fit_is_found_and_told() {
    // y is a combination of k columns without noise; of the models that hold
    // them all RSS is rounding, and the smallest must win.
    for (n, p, k, seed) in [
        (60, 30, 2, 760),
        (60, 30, 5, 761),
        (60, 30, 10, 762),
        (25, 40, 3, 763),
        (200, 50, 15, 764),
        (40, 20, 6, 765),
    ] {
        let (x, _) = small(n, p, seed);
        let y = DVector::from_fn(n, |t, _| (0..k).map(|j| (1.0 + j as f64) * x[(t, j)]).sum());
        for criterion in [&Aic as &dyn Criterion, &Bic, &EBIC] {
            let design = Design::from_matrices(&x, &y, None).unwrap();
            let found = run(&design, criterion, &Pass::default(), 2, |_| {});
            let expected: Vec<u32> = (0..k as u32).collect();
            assert_eq!(
                support(&found),
                expected,
                "seed {seed} {}",
                criterion.name()
            );
            assert!(found.exact, "seed {seed}");
            let report = found.selection(&design, criterion, &Pass::default());
            assert!(report.warnings.iter().any(|w| w.contains("exact")));
            // n·eps²·TSS is the floor.
            let floor = n as f64 * f64::EPSILON * f64::EPSILON * design.tss();
            let value = crate::reference::phi(criterion.name(), n, p, k, floor);
            assert!((found.value - value).abs() < 1e-9 * n as f64, "seed {seed}");
            for (j, chosen) in report.selected.iter().enumerate() {
                let estimate = chosen.estimate;
                assert!((estimate.coefficient - (1.0 + j as f64)).abs() < 1e-12 * 10.0);
                assert_eq!(
                    (estimate.std_error, estimate.t, estimate.p_value),
                    (None, None, None)
                );
            }
        }
    }
}

/// A criterion is anybody's code: a panic in it comes out, on any number of
/// threads, and hangs nothing.
#[test]
fn a_panic_of_a_criterion_comes_out() {
    #[derive(Debug)]
    struct Panics;
    impl passel::criteria::Criterion for Panics {
        fn name(&self) -> &str {
            "panics"
        }
        fn penalty(&self, _n: usize, _p: usize, k: usize) -> f64 {
            assert!(k < 3, "no model of three");
            0.0
        }
    }
    let (x, y) = small(40, 8, 747);
    let design = Design::from_matrices(&x, &y, None).unwrap();
    for threads in [1, 2] {
        let ended =
            std::panic::catch_unwind(|| run(&design, &Panics, &Pass::default(), threads, |_| {}));
        assert!(ended.is_err());
    }
}

/// The model of the kept variables alone is judged too, as the empty one is.
#[test]
fn kept_variables_alone_may_win() {
    let (x, _) = small(60, 6, 748);
    let mut random = Random::new(748);
    let y = DVector::from_fn(60, |t, _| x[(t, 2)] + 0.3 * random.normal());
    let pass = Pass {
        iterations: 1,
        ..Pass::default()
    };
    let found = run(&keeping(&x, &y, &["x2"]), &Hdbic, &pass, 1, |_| {});
    assert_eq!(support(&found), [2]);
}

/// t and p do not depend on units, however far from one.
#[test]
fn extreme_units_change_neither_t_nor_p() {
    let (x, y) = small(40, 5, 749);
    let plain = passel::select(
        &Design::from_matrices(&x, &y, None).unwrap(),
        &Aic,
        &Pass::default(),
    )
    .unwrap();
    for (of_x, of_y) in [(1e-200, 1e150), (1e200, 1e-150), (1e-305, 1.0)] {
        let design = Design::from_matrices(&(&x * of_x), &(&y * of_y), None).unwrap();
        let other = passel::select(&design, &Aic, &Pass::default()).unwrap();
        assert_eq!(other.selected.len(), plain.selected.len());
        for (a, b) in other.selected.iter().zip(&plain.selected) {
            assert_eq!(a.name, b.name);
            let (a, b) = (a.estimate, b.estimate);
            assert!((a.t.unwrap() / b.t.unwrap() - 1.0).abs() < 1e-9);
            assert!((a.p_value.unwrap() - b.p_value.unwrap()).abs() < 1e-9);
        }
    }
}

/// A column that explains y to seven digits is a find, not a copy.
#[test]
fn a_nearly_perfect_column_is_no_copy() {
    let (x, _) = small(50, 4, 750);
    let mut random = Random::new(750);
    let y = DVector::from_fn(50, |t, _| 2.0 * x[(t, 1)] + 1.0 + 1e-7 * random.normal());
    let design = Design::from_matrices(&x, &y, None).unwrap();
    assert!(support(&run(&design, &Hdbic, &Pass::default(), 1, |_| {})).contains(&1));
    let copy = DVector::from_fn(50, |t, _| 2.0 * x[(t, 1)] + 1.0);
    assert!(Design::from_matrices(&x, &copy, None).is_err());
}
