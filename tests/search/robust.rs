//! Robust covariances of the selected model, beside their definition.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, MatrixOptions, Pass, Selection, Table,
    criteria::Aic,
    design::{CovarianceEstimator, DesignError, DesignOptions, FormulaOptions, ResponseOptions},
    family::{Distribution, Family},
    formula::Formula,
    prediction::{IntervalKind, PredictionOptions},
};

use crate::{problems::Random, reference::run};

pub(crate) const N: usize = 60;
pub(crate) const P: usize = 3;

pub(crate) fn report(design: &Design) -> Selection {
    let found = run(design, &Aic, &Pass::default(), 1, |_| {});
    found.selection(design, &Aic, &Pass::default())
}

pub(crate) struct Data {
    pub(crate) x: DMatrix<f64>,
    pub(crate) y: DVector<f64>,
    pub(crate) weights: Vec<f64>,
    pub(crate) clusters: Vec<f64>,
}

/// Columns far from 0, errors that grow with one of them, clusters that share a part of theirs.
pub(crate) fn data(seed: u64) -> Data {
    let mut random = Random::new(seed);
    let x = DMatrix::from_fn(N, P, |_, j| {
        [40.0, 0.5, -3.0][j] + [3.0, 0.02, 1.0][j] * random.normal()
    });
    let clusters: Vec<f64> = (0..N).map(|_| random.below(9) as f64 * 10.0).collect();
    let shared: Vec<f64> = (0..9).map(|_| random.normal()).collect();
    let y = DVector::from_fn(N, |i, _| {
        let spread = (x[(i, 2)] / 2.0).abs();
        0.4 * x[(i, 0)] + shared[clusters[i] as usize / 10] + spread * random.normal()
    });
    let weights = (0..N).map(|_| random.below(4) as f64 * 0.7).collect();
    Data {
        x,
        y,
        weights,
        clusters,
    }
}

/// X with a column of ones, if there is an intercept, of the rows that count.
fn with_ones(x: &DMatrix<f64>, intercept: bool, rows: &[usize]) -> DMatrix<f64> {
    let x = x.select_rows(rows);
    match intercept {
        true => x.insert_column(0, 1.0),
        false => x,
    }
}

/// (XᵀWX)⁻¹ Σ s²xxᵀ (XᵀWX)⁻¹ of the scores s and working weights W, by the book.
fn sandwich(
    x: &DMatrix<f64>,
    scores: &[f64],
    weights: &[f64],
    estimator: CovarianceEstimator,
    clusters: Option<&[f64]>,
) -> DMatrix<f64> {
    let (n, k) = x.shape();
    let bread = x.transpose() * DMatrix::from_diagonal(&DVector::from_row_slice(weights)) * x;
    let bread = bread.try_inverse().unwrap();
    let mut groups: BTreeMap<u64, DVector<f64>> = BTreeMap::new();
    for i in 0..n {
        let row = x.row(i).transpose();
        let free = 1.0 - weights[i] * row.dot(&(&bread * &row));
        let power = match estimator {
            CovarianceEstimator::Hc2 => 0.5,
            CovarianceEstimator::Hc3 => 1.0,
            _ => 0.0,
        };
        let own = row * (scores[i] / free.powf(power));
        let group = clusters.map_or(i as u64, |all| all[i] as u64);
        *groups.entry(group).or_insert_with(|| DVector::zeros(k)) += own;
    }
    let meat: DMatrix<f64> = groups.values().map(|own| own * own.transpose()).sum();
    let g = groups.len() as f64;
    let factor = match (estimator, clusters) {
        (CovarianceEstimator::Hc1, None) => n as f64 / (n - k) as f64,
        (CovarianceEstimator::Hc1, Some(_)) => g / (g - 1.0) * (n as f64 - 1.0) / (n - k) as f64,
        (_, Some(_)) => g / (g - 1.0),
        _ => 1.0,
    };
    &bread * meat * &bread * factor
}

fn check(report: &Selection, expected: &DMatrix<f64>, what: &str) {
    let intercept = report.intercept.iter();
    let chosen = report.selected.iter().map(|own| &own.estimate);
    for (at, own) in intercept.chain(chosen).enumerate() {
        let error = expected[(at, at)].sqrt();
        let off = (own.std_error.unwrap() / error - 1.0).abs();
        assert!(off < 1e-8, "{what} {at}: {off:e}");
        let score = own.t.or(own.z).unwrap();
        assert!(
            (score * error / own.coefficient - 1.0).abs() < 1e-8,
            "{what}"
        );
    }
    for (a, row) in report.covariance.matrix.iter().enumerate() {
        for (b, own) in row.iter().enumerate() {
            let unit = (expected[(a, a)] * expected[(b, b)]).sqrt();
            assert!(
                (own - expected[(a, b)]).abs() < 1e-8 * unit,
                "{what} {a} {b}"
            );
        }
    }
}

/// Every estimator with its clusters, as options have them, and what it is in the end.
pub(crate) fn cases(is_normal: bool) -> Vec<(CovarianceEstimator, bool, CovarianceEstimator)> {
    let [model, hc0, hc1, hc2, hc3] = CovarianceEstimator::ALL;
    let of_clusters = if is_normal { hc1 } else { hc0 };
    vec![
        (hc0, false, hc0),
        (hc1, false, hc1),
        (hc2, false, hc2),
        (hc3, false, hc3),
        (hc0, true, hc0),
        (hc1, true, hc1),
        (model, true, of_clusters),
    ]
}

#[test]
fn least_squares_have_the_covariances_of_their_definition() {
    for seed in 0..4 {
        let data = data(seed);
        let (intercept, weighted) = (seed % 2 == 0, seed > 1);
        for (covariance, clustered, estimator) in cases(true) {
            let cluster = clustered.then_some(&*data.clusters);
            let options = MatrixOptions {
                covariance,
                cluster,
                intercept,
                weights: weighted.then_some(&*data.weights),
                keep: &[0, 1, 2],
                ..MatrixOptions::default()
            };
            let design = Design::from_matrices(&data.x, &data.y, &options).unwrap();
            let report = report(&design);
            let weight = |i: usize| if weighted { data.weights[i] } else { 1.0 };
            let rows: Vec<usize> = (0..N).filter(|i| weight(*i) > 0.0).collect();
            let x = with_ones(&data.x, intercept, &rows);
            let weights: Vec<f64> = rows.iter().map(|i| weight(*i)).collect();
            let of_rows = |all: &[f64]| -> Vec<f64> { rows.iter().map(|i| all[*i]).collect() };
            let y = DVector::from_vec(of_rows(data.y.as_slice()));
            let w = DMatrix::from_diagonal(&DVector::from_row_slice(&weights));
            let beta = (x.transpose() * &w * &x).try_inverse().unwrap() * x.transpose() * &w * &y;
            let rest = &y - &x * beta;
            let scores: Vec<f64> = rest.iter().zip(&weights).map(|(e, w)| e * w).collect();
            let own = of_rows(&data.clusters);
            let clusters = clustered.then_some(&*own);
            let expected = sandwich(&x, &scores, &weights, estimator, clusters);
            let what = format!("{seed} {covariance:?} {clustered}");
            check(&report, &expected, &what);
            let robust = report.robust.as_ref().unwrap();
            assert_eq!(robust.estimator, estimator.name(), "{what}");
            assert_eq!(robust.clusters, clustered.then_some(9), "{what}");
            // Wald's test of all variables.
            let fixed = usize::from(intercept);
            let slopes = DVector::from_iterator(
                P,
                report.selected.iter().map(|own| own.estimate.coefficient),
            );
            let own = expected.view((fixed, fixed), (P, P)).into_owned();
            let wald = slopes.dot(&(own.try_inverse().unwrap() * &slopes)) / P as f64;
            let test = report.goodness.f_statistic.as_ref().unwrap();
            assert!((test.value / wald - 1.0).abs() < 1e-8, "{what}");
            let left = if clustered { 8 } else { rows.len() - P - fixed };
            assert_eq!(test.df_residual, left, "{what}");
            // What it predicts has these standard errors, too.
            let point = [41.0, 0.48, -2.0];
            let columns = point.map(|value| vec![value]);
            let table = Table::from_columns(
                ["x0", "x1", "x2"]
                    .into_iter()
                    .zip(columns.iter().map(|own| own.clone().into())),
            );
            let options = PredictionOptions {
                interval: IntervalKind::Mean,
                ..PredictionOptions::default()
            };
            let model = report.model.as_ref().unwrap();
            let predicted = model.predict(&table.unwrap(), &options).unwrap();
            let v = (0..fixed).map(|_| 1.0).chain(point);
            let v = DVector::from_iterator(P + fixed, v);
            let error = v.dot(&(&expected * &v)).sqrt();
            assert!(
                (predicted.std_error[0] / error - 1.0).abs() < 1e-7,
                "{what}"
            );
        }
    }
}

#[test]
fn families_have_the_covariances_of_their_scores() {
    let data = data(9);
    for distribution in [Distribution::Binomial, Distribution::Poisson] {
        let family = Family::new(distribution, None).unwrap();
        let y = data.y.map(|y| match distribution {
            Distribution::Binomial => f64::from(u8::from(y > 16.0)),
            _ => (y / 4.0).abs().round(),
        });
        for (covariance, clustered, estimator) in cases(false) {
            let options = MatrixOptions {
                family,
                covariance,
                cluster: clustered.then_some(&*data.clusters),
                keep: &[0, 1, 2],
                ..MatrixOptions::default()
            };
            let design = Design::from_matrices(&data.x, &y, &options).unwrap();
            let report = report(&design);
            let rows: Vec<usize> = (0..N).collect();
            let x = with_ones(&data.x, true, &rows);
            let chosen = report.selected.iter().map(|own| own.estimate.coefficient);
            let beta = std::iter::once(report.intercept.unwrap().coefficient).chain(chosen);
            let eta = &x * DVector::from_iterator(P + 1, beta);
            let of_row = |i: usize| match distribution {
                Distribution::Binomial => {
                    let mean = 1.0 / (1.0 + (-eta[i]).exp());
                    (y[i] - mean, mean * (1.0 - mean))
                }
                _ => (y[i] - eta[i].exp(), eta[i].exp()),
            };
            let (scores, weights): (Vec<f64>, Vec<f64>) = (0..N).map(of_row).unzip();
            let clusters = clustered.then_some(&*data.clusters);
            let expected = sandwich(&x, &scores, &weights, estimator, clusters);
            check(
                &report,
                &expected,
                &format!("{distribution} {covariance:?} {clustered}"),
            );
        }
    }
}

/// A term that others stand on is tested without these, by what Wald's statistic of all of them loses.
#[test]
fn terms_are_tested_by_wald() {
    let data = data(3);
    let level = |i: usize| ["a", "b", "c"][i % 3].to_owned();
    let levels: Vec<String> = (0..N).map(level).collect();
    let x: Vec<f64> = data.x.column(0).iter().copied().collect();
    let table = Table::from_columns([
        ("y", data.y.as_slice().into()),
        ("x", (&*x).into()),
        ("g", levels.into()),
    ]);
    let formula = Formula::parse("y ~ g * x").unwrap();
    let options = FormulaOptions {
        kind: ResponseOptions {
            covariance: CovarianceEstimator::Hc3,
            ..ResponseOptions::default()
        },
        keep: &["g:x".to_owned()],
        ..FormulaOptions::default()
    };
    let design = Design::from_formula(table.unwrap(), &formula, &options).unwrap();
    let report = report(&design);
    let wald = |names: &[&str]| {
        let chosen = report.selected.iter().enumerate();
        let chosen = chosen.filter(|(_, own)| names.contains(&own.term.as_deref().unwrap()));
        let chosen: Vec<(usize, f64)> = chosen
            .map(|(at, own)| (at + 1, own.estimate.coefficient))
            .collect();
        let matrix = DMatrix::from_fn(chosen.len(), chosen.len(), |a, b| {
            report.covariance.matrix[chosen[a].0][chosen[b].0]
        });
        let beta = DVector::from_iterator(chosen.len(), chosen.iter().map(|own| own.1));
        beta.dot(&(matrix.try_inverse().unwrap() * &beta))
    };
    assert_eq!(report.terms.len(), 3);
    for term in &report.terms {
        let expected = match &*term.name {
            "g:x" => wald(&["g:x"]),
            name => wald(&[name, "g:x"]) - wald(&["g:x"]),
        };
        let own = term.f.unwrap() * term.df as f64;
        assert!(
            (own / expected - 1.0).abs() < 1e-7,
            "{}: {own} {expected}",
            term.name
        );
    }
}

#[test]
fn what_robust_covariances_do_not_go_with_is_refused() {
    let data = data(1);
    let table = || {
        let columns = [
            ("y", data.y.as_slice().into()),
            ("x", data.x.column(0).as_slice().into()),
            ("g", (&*data.clusters).into()),
        ];
        Table::from_columns(columns).unwrap()
    };
    let refused = |kind: ResponseOptions| {
        let options = DesignOptions {
            response: Some("y"),
            kind,
            ..DesignOptions::default()
        };
        let error = Design::from_table(table(), &options).unwrap_err();
        assert!(matches!(error, DesignError::Covariance(_)), "{error}");
        error.to_string()
    };
    let text = refused(ResponseOptions {
        covariance: CovarianceEstimator::Hc3,
        cluster: Some("g"),
        ..ResponseOptions::default()
    });
    assert!(text.contains("hc3") && text.contains("hc1"), "{text}");
    for distribution in [Distribution::Multinomial, Distribution::Ordinal] {
        let text = refused(ResponseOptions {
            family: Family::new(distribution, None).unwrap(),
            covariance: CovarianceEstimator::Hc3,
            ..ResponseOptions::default()
        });
        assert!(text.contains("hc3") && text.contains("hc1"), "{text}");
    }
    let text = refused(ResponseOptions {
        family: Family::COX,
        event: Some("g"),
        covariance: CovarianceEstimator::Hc1,
        ..ResponseOptions::default()
    });
    assert!(text.contains("hc1") && text.contains("hc0"), "{text}");
    // Where there is none, there are no standard errors, and the reason.
    let one = vec![1.0; N];
    let options = MatrixOptions {
        cluster: Some(&one),
        keep: &[0],
        ..MatrixOptions::default()
    };
    let design = Design::from_matrices(&data.x, &data.y, &options).unwrap();
    let report = report(&design);
    assert_eq!(report.intercept.unwrap().std_error, None);
    let reason = report.robust.unwrap().omitted.unwrap();
    assert_eq!(reason, "all observations are of one cluster");
    assert_eq!(report.covariance.omitted.unwrap(), reason);
}
