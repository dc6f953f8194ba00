//! Each model from its definition: moments and correlations of large samples, and what holds
//! exactly of small ones.
//!
//! A sample moment of n observations has a standard error of at most c/√n; five of them are
//! allowed, and the seeds are fixed, so a test that passed will pass.

use nalgebra::{DMatrix, DVector};
use passel::{
    simulate::{Correlation, SimulateError, SimulationSettings, model},
    table::{Table, Values},
};

/// The sample of a model at its defaults, changed.
fn sample(name: &str, change: impl Fn(&mut SimulationSettings)) -> Sample {
    let model = model(name).unwrap();
    let mut settings = model.defaults;
    change(&mut settings);
    let table = model.simulate(&settings).unwrap();
    assert_eq!(table.rows, settings.n);
    assert_eq!((&*table.columns[0].name, table.response), ("y", Some(0)));
    let columns: Vec<DVector<f64>> = table
        .columns
        .iter()
        .map(|column| match &column.values {
            Values::Numbers(values) => DVector::from_column_slice(values),
            _ => panic!("{} is no dense column", column.name),
        })
        .collect();
    Sample {
        x: DMatrix::from_columns(&columns[1..]),
        y: columns[0].clone(),
        truth: table.truth.iter().map(|at| at - 1).collect(),
        table,
    }
}

struct Sample {
    x: DMatrix<f64>,
    y: DVector<f64>,
    /// Columns of x.
    truth: Vec<usize>,
    table: Table,
}

impl Sample {
    fn name(&self, column: usize) -> &str {
        &self.table.columns[column + 1].name
    }

    fn column(&self, name: &str) -> DVector<f64> {
        let at = self.table.position(name).unwrap();
        self.x.column(at - 1).into_owned()
    }

    /// Least squares of y on all of x, without an intercept.
    fn coefficients(&self) -> DVector<f64> {
        let svd = self.x.clone().svd(true, true);
        svd.solve(&self.y, 1e-12).unwrap()
    }

    /// The same on the true columns alone.
    fn true_coefficients(&self) -> Vec<f64> {
        let svd = self.x.select_columns(&self.truth).svd(true, true);
        svd.solve(&self.y, 1e-12).unwrap().as_slice().to_vec()
    }
}

fn mean(values: &DVector<f64>) -> f64 {
    values.sum() / values.len() as f64
}

fn covariance(a: &DVector<f64>, b: &DVector<f64>) -> f64 {
    mean(
        &a.add_scalar(-mean(a))
            .component_mul(&b.add_scalar(-mean(b))),
    )
}

fn correlation(a: &DVector<f64>, b: &DVector<f64>) -> f64 {
    covariance(a, b) / (covariance(a, a) * covariance(b, b)).sqrt()
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} is not {expected} ± {tolerance}"
    );
}

/// Correlation of every two columns, and mean and variance of each, as a definition has them.
fn assert_moments(
    x: &DMatrix<f64>,
    (centre, spread): (f64, f64),
    expected: impl Fn(usize, usize) -> f64,
) {
    let tolerance = 5.0 / (x.nrows() as f64).sqrt();
    for i in 0..x.ncols() {
        let column = x.column(i).into_owned();
        assert_near(mean(&column), centre, tolerance);
        assert_near(covariance(&column, &column), spread, 1.5 * tolerance);
        for j in 0..i {
            let other = x.column(j).into_owned();
            assert_near(correlation(&column, &other), expected(i, j), tolerance);
        }
    }
}

const LARGE: usize = 40_000;
/// So little noise that least squares gives β to five digits.
const QUIET: Option<f64> = Some(1e14);

#[test]
fn ing_lai_has_the_correlations_and_coefficients_of_its_definition() {
    let (p, r) = (12, 4);
    let change = |s: &mut SimulationSettings| (s.n, s.p, s.r) = (LARGE, p, r);
    let drawn = sample("ing-lai", change);
    let b = (3.0_f64 / (4.0 * r as f64)).sqrt();
    // var Xᵢ = 1/4 + r·b² = 1, and two false columns share r·b² = 3/4.
    assert_moments(&drawn.x, (0.0, 1.0), |i, j| match (i < r, j < r) {
        (true, true) => 0.0,
        (false, false) => 0.75,
        _ => b,
    });
    assert_eq!(drawn.truth, [0, 1, 2, 3]);
    let noise = &drawn.y - drawn.x.columns(0, r) * DVector::from_vec(vec![3.0, 3.75, 4.5, 5.25]);
    assert_near(covariance(&noise, &noise), 1.0, 0.05);
    assert_near(mean(&noise), 0.0, 0.025);
    let quiet = sample("ing-lai", |s| {
        (s.n, s.p, s.r, s.snr) = (200, 30, 10, QUIET);
    });
    for (j, found) in quiet.coefficients().iter().enumerate() {
        let expected = if j < 10 { 3.0 + 0.75 * j as f64 } else { 0.0 };
        assert_near(*found, expected, 1e-4);
    }
}

#[test]
fn chen_chen_has_the_correlations_of_its_definition() {
    for (how, rho) in [
        (Correlation::Independent, 0.2),
        (Correlation::Constant, 0.4),
        (Correlation::Constant, 0.0),
        (Correlation::Autoregressive, 0.6),
        (Correlation::Autoregressive, -0.5),
    ] {
        let drawn = sample("chen-chen", |s| {
            (s.n, s.p, s.r, s.rho, s.correlation) = (LARGE, 8, 5, rho, how);
        });
        // The five coefficients differ, so they tell where each column stood at first.
        let found = drawn.true_coefficients();
        let order = [0.7, 0.9, 0.4, 0.3, 1.0].map(|expected: f64| {
            let near = |found: &f64| (found - expected).abs() < 0.03;
            drawn.truth[found.iter().position(near).unwrap()]
        });
        let x = drawn.x.select_columns(&order);
        assert_moments(&x, (0.0, 1.0), |i, j| match how {
            Correlation::Independent => 0.0,
            Correlation::Constant => rho,
            Correlation::Autoregressive => rho.powi((i - j) as i32),
        });
    }
}

#[test]
fn chen_chen_repeats_its_coefficients_and_spreads_them_anywhere() {
    for (r, mut expected) in [
        (3, vec![0.7, 0.9, 0.4]),
        (8, vec![0.7, 0.9, 0.4, 0.3, 1.0, 0.2, 0.2, 0.1]),
        (10, vec![0.7, 0.9, 0.4, 0.3, 1.0, 0.2, 0.2, 0.1, 0.7, 0.9]),
    ] {
        let drawn = sample("chen-chen", |s| (s.r, s.snr) = (r, QUIET));
        let all = drawn.coefficients();
        for (j, found) in all.iter().enumerate() {
            assert_eq!(
                drawn.truth.contains(&j),
                found.abs() > 0.05,
                "x{j}: {found}"
            );
        }
        let mut found = drawn.true_coefficients();
        found.sort_by(f64::total_cmp);
        expected.sort_by(f64::total_cmp);
        for (found, expected) in found.iter().zip(&expected) {
            assert_near(*found, *expected, 1e-5);
        }
    }
    // Each of ten places is true in four of ten files: 800 ± 22 of 2,000, and χ² with nine
    // degrees of freedom (the factor for draws without replacement left out) stays below 35.
    let mut counts = [0.0; 10];
    for seed in 0..2_000 {
        let drawn = sample("chen-chen", |s| (s.n, s.p, s.r, s.seed) = (3, 10, 4, seed));
        drawn.truth.iter().for_each(|place| counts[*place] += 1.0);
    }
    let squares: f64 = counts
        .iter()
        .map(|count: &f64| (count - 800.0).powi(2) / 800.0)
        .sum();
    assert!(squares < 35.0, "{counts:?}");
}

#[test]
fn hung_has_the_frequencies_and_correlations_of_its_definition() {
    let snps = 23;
    let drawn = sample("hung", |s| (s.n, s.snps) = (LARGE, snps));
    let x = drawn.x.columns(0, snps).into_owned();
    // R² = 0.3² within blocks of five; g21 … g23 are a shorter one.
    assert_moments(
        &x,
        (1.0, 0.5),
        |i, j| if i / 5 == j / 5 { 0.3 } else { 0.0 },
    );
    for (value, share) in [(0.0, 0.25), (1.0, 0.5), (2.0, 0.25)] {
        let count = x.iter().filter(|own| **own == value).count();
        assert_near(count as f64 / x.len() as f64, share, 0.005);
    }
    // The mean over all pairs within blocks pins the latent correlation down.
    let pairs = (0..20).flat_map(|i| (i / 5 * 5..i).map(move |j| (i, j)));
    let within: Vec<f64> = pairs
        .map(|(i, j)| correlation(&x.column(i).into_owned(), &x.column(j).into_owned()))
        .collect();
    assert_eq!(within.len(), 40);
    assert_near(within.iter().sum::<f64>() / 40.0, 0.3, 0.004);
}

#[test]
fn hung_has_every_product_once_in_lexicographic_order() {
    let snps = 22;
    let drawn = sample("hung", |s| (s.n, s.snps, s.snr) = (400, snps, QUIET));
    assert_eq!(drawn.x.ncols(), snps * (snps + 1) / 2);
    let mut at = 0;
    for i in 1..=snps {
        assert_eq!(drawn.name(at), format!("g{i}"));
        at += 1;
    }
    for i in 1..=snps {
        for j in i + 1..=snps {
            assert_eq!(drawn.name(at), format!("g{i}*g{j}"));
            let product = drawn
                .column(&format!("g{i}"))
                .component_mul(&drawn.column(&format!("g{j}")));
            assert_eq!(drawn.x.column(at), product);
            at += 1;
        }
    }
    let names: Vec<&str> = drawn.truth.iter().map(|at| drawn.name(*at)).collect();
    assert_eq!(names, ["g20", "g21", "g5*g6", "g10*g11", "g15*g16"]);
    let expected = [1.5, 1.5, 0.75, 0.6, 0.45];
    for (found, expected) in drawn.true_coefficients().iter().zip(expected) {
        assert_near(*found, expected, 1e-5);
    }
    let whole = sample("hung", |_| ());
    assert_eq!((whole.x.nrows(), whole.x.ncols()), (200, 1225));
}

#[test]
fn ar1_has_the_correlations_and_pairs_of_its_definition() {
    let drawn = sample("ar1", |s| (s.n, s.p, s.r) = (LARGE, 12, 4));
    assert_moments(&drawn.x, (0.0, 1.0), |i, j| 0.9_f64.powi((i - j) as i32));
    // Two shares of six columns, a pair in the middle of each.
    assert_eq!(drawn.truth, [1, 4, 7, 10]);
    let quiet = sample("ar1", |s| (s.n, s.p, s.snr) = (600, 200, QUIET));
    assert_eq!(quiet.truth.len(), 20);
    for (j, found) in quiet.coefficients().iter().enumerate() {
        let pair = quiet.truth.iter().position(|at| *at == j).map(|at| at / 2);
        let expected = pair.map_or(0.0, |pair| if pair % 2 == 0 { 1.0 } else { -1.0 });
        assert_near(*found, expected, 1e-4);
    }
    for (p, r) in [
        (4, 2),
        (8, 4),
        (9, 4),
        (2000, 20),
        (2000, 1000),
        (1999, 998),
        (57, 26),
    ] {
        let drawn = sample("ar1", |s| (s.n, s.p, s.r) = (3, p, r));
        let pairs: Vec<&[usize]> = drawn.truth.chunks(2).collect();
        assert!(pairs.iter().all(|pair| pair[1] == pair[0] + 3), "{p} {r}");
        let share = p / (r / 2);
        for (before, after) in pairs.iter().zip(&pairs[1..]) {
            let step = after[0] - before[0];
            assert!(step == share || step == share + 1, "{p} {r}");
        }
        assert!(drawn.truth.is_sorted() && drawn.truth[r - 1] < p, "{p} {r}");
    }
}

#[test]
fn the_ratio_of_signal_to_noise_is_exact_in_the_sample() {
    for name in ["ing-lai", "chen-chen", "hung", "ar1"] {
        let at = |snr| sample(name, |s| (s.n, s.p, s.r, s.snr) = (150, 40, 8, snr));
        // With hardly any noise y is the signal, which the ratio does not change.
        let quiet = at(Some(1e15));
        for snr in [0.01, 2.0, 1000.0] {
            let drawn = at(Some(snr));
            assert_eq!((&drawn.x, &drawn.truth), (&quiet.x, &quiet.truth));
            let noise = &drawn.y - &quiet.y;
            let ratio = covariance(&quiet.y, &quiet.y) / covariance(&noise, &noise);
            assert_near(ratio / snr, 1.0, 1e-5);
        }
        let noise = at(None).y - &quiet.y;
        assert_near(
            covariance(&noise, &noise),
            1.0,
            5.0 * (2.0_f64 / 150.0).sqrt(),
        );
    }
}

#[test]
fn a_seed_is_one_table_and_another_seed_another() {
    for name in ["ing-lai", "chen-chen", "hung", "ar1"] {
        let model = model(name).unwrap();
        let at = |seed| {
            let settings = SimulationSettings {
                n: 30,
                p: 40,
                r: 6,
                seed,
                ..model.defaults
            };
            model.simulate(&settings).unwrap()
        };
        assert_eq!(at(5), at(5));
        let (one, other) = (at(5), at(6));
        for (one, other) in one.columns.iter().zip(&other.columns) {
            assert_ne!(one.values, other.values, "{name} {}", one.name);
        }
    }
}

#[test]
fn settings_outside_their_limits_are_refused_by_name() {
    let refused = |name: &str, change: &dyn Fn(&mut SimulationSettings)| {
        let model = model(name).unwrap();
        let mut settings = model.defaults;
        change(&mut settings);
        model.simulate(&settings).unwrap_err()
    };
    type Case<'a> = (&'a str, &'a dyn Fn(&mut SimulationSettings), &'a str);
    let cases: &[Case] = &[
        ("hung", &|s| s.n = 2, "n = 2 must be at least 3"),
        ("ar1", &|s| s.snr = Some(0.0), "snr = 0 must be above 0"),
        ("ar1", &|s| s.snr = Some(f64::NAN), "snr = NaN must be"),
        ("ing-lai", &|s| s.p = 0, "p = 0 must be at least 1"),
        ("ing-lai", &|s| s.p = 9, "r = 10 must be 1 … p = 9"),
        ("chen-chen", &|s| s.r = 0, "r = 0 must be 1 … p = 50"),
        ("chen-chen", &|s| s.rho = -1.0, "rho = -1 must be above -1"),
        ("chen-chen", &|s| s.rho = f64::NAN, "rho = NaN must be"),
        (
            "chen-chen",
            &|s| (s.rho, s.correlation) = (-0.1, Correlation::Constant),
            "rho = -0.1 must be 0 or above and below 1 with correlation constant",
        ),
        ("hung", &|s| s.snps = 21, "snps = 21 must be 22 … 4000"),
        ("ar1", &|s| s.p = 3, "p = 3 must be at least 4"),
        ("ar1", &|s| s.r = 7, "r = 7 must be even and 2 … 1000"),
        ("ar1", &|s| (s.p, s.r) = (19, 10), "2 … 8"),
        ("ar1", &|s| s.rho = 1.0, "rho = 1 must be above -1"),
    ];
    for (name, change, told) in cases {
        let error = refused(name, change);
        assert!(matches!(error, SimulateError::Limit { .. }));
        let text = error.to_string();
        assert!(
            text.contains(told) && text.ends_with(&format!("in the model {name}")),
            "{text}"
        );
    }
    for n in [1 << 40, usize::MAX] {
        let error = refused("ing-lai", &|s| s.n = n);
        assert_eq!(error, SimulateError::TooLarge { n, p: 4000 });
    }
}
