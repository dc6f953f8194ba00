//! What bounds a run: kept variables, sizes, time; and what ends it.

use std::{collections::HashSet, time::Duration};

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Interrupt, Pass,
    criteria::{Aic, Bic, Criterion, Hdaic, Hdbic, Model},
    design::DesignOptions,
    device::Resources,
    search::{MoveKind, search},
    selection::Termination,
    table::{Column, Table, Values},
};

use crate::{
    invariance::{EBIC, steps},
    problems::{Random, small},
    reference::{run, support},
};

/// A design that keeps the named columns `x…`.
pub(super) fn keeping(x: &DMatrix<f64>, y: &DVector<f64>, keep: &[&str]) -> Design {
    let mut columns = vec![Column {
        name: "y".to_owned(),
        values: Values::from(y.as_slice().to_vec()),
    }];
    columns.extend(x.column_iter().enumerate().map(|(j, values)| Column {
        name: format!("x{j}"),
        values: Values::from(values.as_slice().to_vec()),
    }));
    let table = Table {
        source: "a test".to_owned(),
        columns,
        rows: x.nrows(),
        response: Some(0),
        truth: Vec::new(),
        ..Table::default()
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
                polish: false,
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
                    let added = match step.kind {
                        MoveKind::Start => {
                            assert_eq!((iteration.number, step.size), (1, 2 + start_size));
                            continue;
                        }
                        MoveKind::AddBest | MoveKind::AddImprove | MoveKind::AddRandom => true,
                        MoveKind::DropImprove | MoveKind::DropRandom => false,
                        MoveKind::Stay | MoveKind::Walk => {
                            panic!("a move of the swarm is open at every size")
                        }
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
        polish: false,
        ..Pass::default()
    };
    let mut stays = 0;
    let found = run(&design, &Hdbic, &pass, 1, |iteration| {
        stays += iteration
            .steps
            .iter()
            .filter(|s| s.kind == MoveKind::Stay)
            .count();
    });
    assert_eq!(stays, 4 * pass.particles);
    assert_eq!(support(&found), [0, 1, 2]);
}

#[test]
fn patience_ends_a_run() {
    let (x, y) = small(60, 20, 750);
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
    let pass = Pass {
        iterations: 1_000_000,
        patience: Some(25),
        polish: false,
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
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
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
    // It ends after the iteration that crosses the limit.
    assert!(found.seconds >= 0.2, "{}", found.seconds);
    assert!(found.iterations >= 1 && (found.value - last).abs() < 1e-9);
}

#[test]
fn an_interrupt_ends_a_run() {
    let (x, y) = small(60, 20, 752);
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
    for at in [1, 7] {
        let interrupt = Interrupt::default();
        let (mut last, mut lowest) = (f64::NAN, f64::INFINITY);
        let found = search(
            &design,
            &Bic,
            &Pass::default(),
            &Resources::cpu(2),
            &interrupt,
            None,
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
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
    for iterations in [1, 2, 9] {
        let pass = Pass {
            iterations,
            polish: false,
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
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
    let walk = |seed| {
        let pass = Pass {
            seed,
            particles: 256,
            iterations: 20,
            polish: false,
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
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
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
            let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
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
                assert_eq!((estimate.lower, estimate.upper), (None, None));
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
        fn penalty(&self, model: &Model) -> f64 {
            assert!(model.chosen < 3, "no model of three");
            0.0
        }
    }
    let (x, y) = small(40, 8, 747);
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
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
        &Design::from_matrices(&x, &y, &Default::default()).unwrap(),
        &Aic,
        &Pass::default(),
    )
    .unwrap();
    for (of_x, of_y) in [(1e-200, 1e150), (1e200, 1e-150), (1e-305, 1.0)] {
        let design =
            Design::from_matrices(&(&x * of_x), &(&y * of_y), &Default::default()).unwrap();
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
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
    assert!(support(&run(&design, &Hdbic, &Pass::default(), 1, |_| {})).contains(&1));
    let copy = DVector::from_fn(50, |t, _| 2.0 * x[(t, 1)] + 1.0);
    assert!(Design::from_matrices(&x, &copy, &Default::default()).is_err());
}
