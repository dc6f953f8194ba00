//! What a procedure over a regression is lent, against references in f64.

use std::{
    fmt,
    num::NonZeroUsize,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use nalgebra::{DMatrix, DVector};
use passel::{
    Interrupt, Pass,
    criteria::{Bic, Criterion, Model},
    design::Design,
    device::{DeviceChoice, Resources},
    search::SearchResult,
    selector::{CallError, Problem, Procedure, ProcedureResult, regress_with_procedure},
};

use super::problems::Random;

/// A procedure made of a function.
struct Doing<F>(F);

impl<F> fmt::Debug for Doing<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Doing")
    }
}

impl<F: Fn(&dyn Problem) -> Result<(), CallError> + Send + Sync> Procedure for Doing<F> {
    fn run(&self, problem: &dyn Problem) -> Result<(), String> {
        self.0(problem).map_err(|error| error.to_string())
    }
}

fn run(
    design: &Arc<Design>,
    resources: &Resources,
    seed: u64,
    work: impl Fn(&dyn Problem) -> Result<(), CallError> + Send + Sync + 'static,
) -> ProcedureResult<SearchResult> {
    let procedure: Arc<dyn Procedure> = Arc::new(Doing(work));
    let criterion: Arc<dyn Criterion> = Arc::new(Bic);
    let pass = Pass {
        seed,
        ..Pass::default()
    };
    let never = Interrupt::default();
    let nobody = &mut |_, _| {};
    let done = regress_with_procedure(
        &procedure, design, &criterion, &pass, resources, &never, nobody,
    );
    let done = done.unwrap();
    assert_eq!(done.error, None);
    done
}

/// What a procedure finds out.
fn found<T: Send + 'static>(
    design: &Arc<Design>,
    resources: &Resources,
    seed: u64,
    work: impl Fn(&dyn Problem) -> Result<T, CallError> + Send + Sync + 'static,
) -> T {
    let told = Arc::new(Mutex::new(None));
    let own = Arc::clone(&told);
    run(design, resources, seed, move |problem| {
        *own.lock().unwrap() = Some(work(problem)?);
        Ok(())
    });
    let told = told.lock().unwrap().take();
    told.unwrap()
}

fn places() -> Vec<Resources> {
    let place = |shards: usize, threads: usize| Resources {
        threads: NonZeroUsize::new(threads),
        devices: DeviceChoice::Cpu(NonZeroUsize::new(shards).unwrap()),
        ..Resources::default()
    };
    vec![place(1, 1), place(1, 3), place(3, 2), place(4, 1)]
}

/// n × p, of which column 1 + p/2 is the mirror image of column 1.
fn problem(n: usize, p: usize, seed: u64) -> Arc<Design> {
    let mut random = Random::new(seed);
    let mut x = DMatrix::from_fn(n, p, |_, _| random.normal());
    let mirror = -x.column(1);
    x.set_column(1 + p / 2, &mirror);
    let y = DVector::from_fn(n, |i, _| 2.0 * x[(i, 0)] - x[(i, 2)] + random.normal());
    Arc::new(Design::from_matrices(&x, &y, &Default::default()).unwrap())
}

type Swept = Vec<(usize, f64)>;

/// The columns of a problem, as it gives them.
fn columns(design: &Arc<Design>) -> Vec<Vec<f64>> {
    found(design, &Resources::cpu(1), 1, |problem| {
        let column = |at| {
            let mut room = vec![0.0; problem.n()];
            problem.numbers(at, &mut room).map(|()| room)
        };
        (0..=problem.p()).map(column).collect()
    })
}

#[test]
fn columns_are_centred_and_of_norm_1() {
    let design = problem(50, 12, 1);
    for column in columns(&design) {
        let (sum, square) = column
            .iter()
            .fold((0.0, 0.0), |(s, q), value| (s + value, q + value * value));
        assert!(f64::abs(sum) < 1e-12 && f64::abs(square - 1.0) < 1e-12);
    }
}

#[test]
fn a_sweep_finds_the_strongest_whatever_the_scale_and_the_devices() {
    let (n, p) = (50, 40);
    let design = problem(n, p, 2);
    let x = columns(&design);
    let p = x.len() - 1;
    let mut random = Random::new(3);
    let mut anchors: Vec<f64> = Vec::new();
    for scale in [1.0, 1e300, 1e-300, 5e-310] {
        anchors.extend((0..n).map(|_| scale * random.normal()));
    }
    // A column itself, whose mirror image is as strong; and nothing at all.
    anchors.extend(&x[1]);
    anchors.extend(vec![0.0; n]);
    for wanted in [1, 2, 7, p] {
        let expected: Vec<Swept> = anchors
            .chunks(n)
            .map(|r| {
                let largest = r
                    .iter()
                    .fold(0.0, |most: f64, value| most.max(value.abs()))
                    .max(1e-320);
                let product = |column: &Vec<f64>| -> f64 {
                    column.iter().zip(r).map(|(x, r)| x * (r / largest)).sum()
                };
                let all = x[..p].iter().map(product).enumerate();
                let mut all: Swept = all.collect();
                all.sort_by(|a, b| {
                    // Mirror images are equal up to the order of summation.
                    let (strong, other) = (b.1.abs(), a.1.abs());
                    match (strong - other).abs() < 1e-13 {
                        true => a.0.cmp(&b.0),
                        false => strong.total_cmp(&other),
                    }
                });
                all.truncate(wanted);
                all.into_iter()
                    .map(|(at, product)| (at, product * largest))
                    .collect()
            })
            .collect();
        for place in places() {
            let own = anchors.clone();
            let swept = found(&design, &place, 1, move |problem| {
                let count = own.len() / problem.n();
                let mut columns = vec![0; count * wanted];
                let mut products = vec![0.0; count * wanted];
                problem.sweep(&own, wanted, &mut columns, &mut products)?;
                Ok((columns, products))
            });
            for (at, (expected, (columns, products))) in expected
                .iter()
                .zip(swept.0.chunks(wanted).zip(swept.1.chunks(wanted)))
                .enumerate()
            {
                let numbers: Vec<usize> = expected.iter().map(|column| column.0).collect();
                let told = format!("anchor {at}, {wanted} of {p}, {place:?}");
                assert_eq!(columns, numbers, "{told}");
                let most = expected
                    .iter()
                    .fold(0.0, |most: f64, column| most.max(column.1.abs()));
                for ((_, expected), product) in expected.iter().zip(products) {
                    let error = (expected - product).abs();
                    assert!(
                        error <= 1e-12 * most + 1e-320,
                        "{told}: {expected} {product}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_sweep_may_be_asked_for_by_many_threads_at_once() {
    let design = problem(40, 60, 4);
    for place in places() {
        let swept = found(&design, &place, 1, |problem| {
            let done = AtomicUsize::new(0);
            let one = |at: usize| {
                let mut anchor = vec![0.0; problem.n()];
                let (mut column, mut product) = ([0], [0.0]);
                let asked = problem.numbers(at % problem.p(), &mut anchor);
                let swept =
                    asked.and_then(|()| problem.sweep(&anchor, 1, &mut column, &mut product));
                let fitted = swept.and_then(|()| problem.fit(&column, None));
                if fitted.is_ok() && (product[0].abs() - 1.0).abs() < 1e-12 {
                    done.fetch_add(1, Ordering::Relaxed);
                }
            };
            // Within one another too.
            problem.each(20, &|at| problem.each(5, &|of| one(5 * at + of)));
            Ok(done.into_inner())
        });
        assert_eq!(swept, 100);
    }
}

#[test]
fn each_covers_every_number_once() {
    let design = problem(30, 6, 5);
    let counts = found(&design, &places()[1], 1, |problem| {
        let counts: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
        problem.each(counts.len(), &|at| {
            counts[at].fetch_add(1, Ordering::Relaxed);
        });
        Ok(counts
            .into_iter()
            .map(AtomicUsize::into_inner)
            .collect::<Vec<_>>())
    });
    assert_eq!(counts, [1; 1000]);
}

#[test]
fn random_words_follow_from_seed_and_stream_alone() {
    let design = problem(30, 6, 5);
    let drawn = |seed, place: &Resources, stream: u32| {
        found(&design, place, seed, move |problem| {
            let (mut first, mut again) = ([0; 40], [0; 20]);
            problem.random(stream, &mut first);
            problem.random(stream, &mut again);
            assert_eq!(first[..20], again);
            Ok(first)
        })
    };
    let places = places();
    assert_eq!(drawn(1, &places[0], 0), drawn(1, &places[2], 0));
    let all = [(1, 0), (1, 1), (1, u32::MAX), (2, 0)]
        .map(|(seed, stream)| drawn(seed, &places[0], stream));
    for (at, words) in all.iter().enumerate() {
        assert!(!all[..at].contains(words));
        let ones: u32 = words.iter().map(|word| word.count_ones()).sum();
        assert!((480..800).contains(&ones), "{ones} of 1280 bits");
    }
}

#[test]
fn a_fit_is_that_of_the_normal_equations() {
    let design = problem(50, 12, 6);
    let x = columns(&design);
    let (n, p) = (50, x.len() - 1);
    let tss = design.tss();
    for support in [&[][..], &[3], &[3, 0, 2], &[2, 3, 0], &[5, 4, 3, 2, 1, 0]] {
        let own = support.to_vec();
        let (residuals, value) = found(&design, &Resources::cpu(2), 1, move |problem| {
            let mut room = vec![0.0; problem.n()];
            let value = problem.fit(&own, Some(&mut room))?;
            assert_eq!(problem.fit(&own, None)?, value);
            Ok((room, value))
        });
        let y = DVector::from_vec(x[p].clone());
        let chosen = DMatrix::from_fn(n, support.len(), |i, j| x[support[j]][i]);
        let square = chosen.transpose() * &chosen;
        let expected = match support.len() {
            0 => y.clone(),
            _ => &y - &chosen * square.try_inverse().unwrap() * chosen.transpose() * &y,
        };
        for (residual, expected) in residuals.iter().zip(&expected) {
            assert!((residual - expected).abs() < 1e-12, "{support:?}");
        }
        let (k, rss) = (support.len(), expected.norm_squared() * tss);
        let expected = Bic.value(&Model::new(n, p, k, rss));
        assert!(
            (value - expected).abs() < 1e-9,
            "{support:?}: {value} {expected}"
        );
    }
}

#[test]
fn a_collinear_variable_has_no_criterion() {
    let mut random = Random::new(8);
    let mut x = DMatrix::from_fn(30, 4, |_, _| random.normal());
    let sum = x.column(0) + x.column(1);
    x.set_column(3, &sum);
    let y = DVector::from_fn(30, |_, _| random.normal());
    let design = Arc::new(Design::from_matrices(&x, &y, &Default::default()).unwrap());
    let values = found(&design, &Resources::cpu(1), 1, |problem| {
        let all = [&[0, 1, 3][..], &[0, 3], &[3, 1, 0], &[0, 3, 2, 1]];
        all.iter()
            .map(|model| problem.fit(model, None))
            .collect::<Result<Vec<_>, _>>()
    });
    let infinite: Vec<bool> = values.iter().map(|value| *value == f64::INFINITY).collect();
    assert_eq!(infinite, [true, false, true, true]);
    // None is not only the model's: the same choice is a model without the last of them.
    let done = run(&design, &Resources::cpu(1), 1, |problem| {
        [3, 1, 0]
            .iter()
            .try_for_each(|column| problem.choose(*column, 1.0))
    });
    let selection = done.result.selection(&design, &Bic, &Pass::default());
    let names: Vec<usize> = selection
        .selected
        .iter()
        .map(|variable| variable.index)
        .collect();
    assert_eq!(names, [1, 3]);
}
