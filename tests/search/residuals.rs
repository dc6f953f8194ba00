//! Residuals, leverages and their quantiles from the definition.

use nalgebra::{DMatrix, DVector};

use passel::{design::Design, least_squares::Fit, selection::Residuals};

/// A design of two columns and the fit of both.
fn fitted(n: usize) -> (Design, Fit, DMatrix<f64>, DVector<f64>) {
    let value = |i: usize, j: usize| ((i * (7 + 4 * j) + 3 * j) % 23) as f64 - 9.0;
    let x = DMatrix::from_fn(n, 2, value);
    let y = DVector::from_fn(n, |i, _| {
        5.0 + 2.0 * x[(i, 0)] - x[(i, 1)] + ((i * i * 31) % 17) as f64
    });
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
    let (fit, _) = Fit::of(design.columns(), design.y(), &[0, 1]);
    (design, fit, x, y)
}

#[test]
fn fitted_residual_leverage_and_its_standard_error_are_those_of_the_definition() {
    let (design, fit, x, y) = fitted(40);
    let residuals = Residuals::of(&design, &fit, false, 1).unwrap();
    // H = Z(ZᵀZ)⁻¹Zᵀ of the matrix with the column of ones, in its own numbers.
    let z = DMatrix::from_fn(40, 3, |i, j| if j == 0 { 1.0 } else { x[(i, j - 1)] });
    let hat = &z * (z.transpose() * &z).try_inverse().unwrap() * z.transpose();
    let fitted = &hat * &y;
    let rss: f64 = (&y - &fitted).norm_squared();
    let sigma = (rss / 37.0).sqrt();
    assert_eq!((residuals.observed.len(), residuals.n), (40, 40));
    for (i, observation) in residuals.observed.iter().enumerate() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} {b}");
        assert_eq!(observation.row, i + 1);
        close(observation.fitted, fitted[i]);
        close(observation.residual, y[i] - fitted[i]);
        close(observation.leverage, hat[(i, i)]);
        let error = sigma * (1.0 - hat[(i, i)]).sqrt();
        close(
            observation.standardised.unwrap(),
            (y[i] - fitted[i]) / error,
        );
    }
    // The median stands at 0, and order is kept.
    let mut order = residuals.observed.clone();
    order.sort_by(|a, b| a.quantile.total_cmp(&b.quantile));
    assert!(order.is_sorted_by(|a, b| a.standardised <= b.standardised));
    assert!((order[0].quantile + 2.241_402_727_604_945).abs() < 1e-6);
    assert!((order[0].quantile + order[39].quantile).abs() < 1e-9);
}

#[test]
fn of_many_the_largest_are_kept_and_an_exact_fit_has_none() {
    let (design, fit, ..) = fitted(5000);
    let residuals = Residuals::of(&design, &fit, false, 1).unwrap();
    assert!((800..=1000).contains(&residuals.observed.len()));
    assert_eq!(residuals.n, 5000);
    let largest = fit.residual().iter().copied().fold(0.0, f64::max);
    let kept = residuals
        .observed
        .iter()
        .map(|observation| observation.residual);
    let kept = kept.fold(0.0, f64::max);
    assert!((kept - largest * design.response().norm).abs() < 1e-9);
    assert!(
        residuals
            .observed
            .is_sorted_by_key(|observation| observation.row)
    );
    assert_eq!(Residuals::of(&design, &fit, true, 1), None);
}

#[test]
fn without_an_intercept_and_with_weights_it_is_that_of_the_definition_too() {
    let n = 30;
    let value = |i: usize, j: usize| ((i * (5 + 3 * j) + j) % 13) as f64 - 4.0;
    let weight = |i: usize| (i % 3) as f64;
    let y = |i: usize| 2.0 * value(i, 0) - value(i, 1) + ((i * i * 7) % 11) as f64;
    let mut text = String::from("y,a,b,w\n");
    for i in 0..n {
        text += &format!("{},{},{},{}\n", y(i), value(i, 0), value(i, 1), weight(i));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.csv");
    std::fs::write(&path, text).unwrap();
    for intercept in [true, false] {
        let table = passel::table::read(&path, &Default::default()).unwrap();
        let options = passel::design::DesignOptions {
            response: Some("y"),
            weights: Some("w"),
            intercept,
            ..Default::default()
        };
        let design = Design::from_table(table, &options).unwrap();
        let (fit, _) = Fit::of(design.columns(), design.y(), &[0, 1]);
        let told = Residuals::of(&design, &fit, false, 1).unwrap();
        // Weights at mean one over those that have any: 1 and 2 in turn.
        let used: Vec<usize> = (0..n).filter(|&i| weight(i) > 0.0).collect();
        let root = |i: usize| (weight(i) / 1.5).sqrt();
        let fixed = usize::from(intercept);
        let z = DMatrix::from_fn(used.len(), 2 + fixed, |r, c| {
            let i = used[r];
            root(i) * if c < fixed { 1.0 } else { value(i, c - fixed) }
        });
        let v = DVector::from_fn(used.len(), |r, _| root(used[r]) * y(used[r]));
        let hat = &z * (z.transpose() * &z).try_inverse().unwrap() * z.transpose();
        let fitted = &hat * &v;
        assert_eq!(told.observed.len(), used.len());
        for (r, observation) in told.observed.iter().enumerate() {
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{a} {b}");
            assert_eq!(observation.row, used[r] + 1);
            close(observation.leverage, hat[(r, r)]);
            close(observation.residual, v[r] - fitted[r]);
            close(observation.fitted, fitted[r] / root(used[r]));
        }
    }
}
