//! Robust covariances of responses of levels, beside what they must equal.

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, MatrixOptions,
    design::CovarianceEstimator,
    family::{Distribution, Family},
};

use crate::robust::{P, cases, data, report};

/// With two levels both models of levels are logistic regression.
#[test]
fn two_levels_have_the_covariances_of_logistic_regression() {
    let data = data(5);
    let y = data.y.map(|y| f64::from(u8::from(y > 16.0)));
    for (covariance, clustered, _) in cases(false) {
        let of_family = |distribution| {
            let options = MatrixOptions {
                family: Family::new(distribution, None).unwrap(),
                covariance,
                cluster: clustered.then_some(&*data.clusters),
                weights: Some(&data.weights),
                keep: &[0, 1, 2],
                ..MatrixOptions::default()
            };
            let design = Design::from_matrices(&data.x, &y, &options);
            design.map(|design| report(&design))
        };
        let logistic = of_family(Distribution::Binomial).unwrap();
        for distribution in [Distribution::Ordinal, Distribution::Multinomial] {
            let what = format!("{distribution} {covariance:?} {clustered}");
            let own = match of_family(distribution) {
                Ok(own) => own,
                Err(error) => {
                    assert!(covariance.name() > "hc1", "{what}: {error}");
                    continue;
                }
            };
            assert_eq!(own.robust, logistic.robust, "{what}");
            let near = |own: f64, other: f64| {
                assert!((own / other - 1.0).abs() < 1e-7, "{what}: {own} {other}");
            };
            let [constant, intercept] = [own.constants[0].estimate, logistic.intercept.unwrap()];
            near(constant.std_error.unwrap(), intercept.std_error.unwrap());
            for (own, other) in own.selected.iter().zip(&logistic.selected) {
                near(
                    own.estimate.std_error.unwrap(),
                    other.estimate.std_error.unwrap(),
                );
                near(
                    own.estimate.p_value.unwrap(),
                    other.estimate.p_value.unwrap(),
                );
            }
            for (a, row) in own.covariance.matrix.iter().enumerate() {
                for (b, own) in row.iter().enumerate() {
                    near(*own, logistic.covariance.matrix[a + 1][b + 1]);
                }
            }
            assert_eq!(own.selected.len(), P);
        }
    }
}

/// A variable of a response of several levels is tested by all its coefficients together.
#[test]
fn variables_of_levels_are_tested_by_wald() {
    let data = data(7);
    let y = data.y.map(|y| (y / 3.0).floor().clamp(4.0, 6.0));
    let options = MatrixOptions {
        family: Family::new(Distribution::Multinomial, None).unwrap(),
        covariance: CovarianceEstimator::Hc1,
        keep: &[0, 1, 2],
        ..MatrixOptions::default()
    };
    let report = report(&Design::from_matrices(&data.x, &y, &options).unwrap());
    assert_eq!((report.selected.len(), report.terms.len()), (2 * P, P));
    for (at, term) in report.terms.iter().enumerate() {
        let places = [2 * at, 2 * at + 1];
        let matrix = DMatrix::from_fn(2, 2, |a, b| report.covariance.matrix[places[a]][places[b]]);
        let beta = places.map(|at| report.selected[at].estimate.coefficient);
        let beta = DVector::from_row_slice(&beta);
        let expected = beta.dot(&(matrix.try_inverse().unwrap() * &beta));
        let own = term.chi_squared.unwrap();
        assert!(
            (own / expected - 1.0).abs() < 1e-7,
            "{}: {own} {expected}",
            term.name
        );
    }
}
