//! Weighted least squares against its definition: Σ w (y − ŷ)² with weights of
//! mean one.

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Pass, Selection,
    criteria::{Aic, Hdbic},
    design::{DesignError, DesignOptions},
    select,
    table::{Column, Missing, Table, Values},
};
use proptest::prelude::*;

use crate::{
    estimates::table,
    problems::{Random, small},
};

/// A column of numbers.
fn numbers(name: &str, values: impl IntoIterator<Item = f64>) -> Column {
    Column {
        name: name.to_owned(),
        values: Values::Numbers(values.into_iter().collect()),
    }
}

/// Columns `x0`, …, `w` (second) and the response `y`.
fn weighted(x: &DMatrix<f64>, y: &DVector<f64>, w: &[f64]) -> Table {
    let mut table = table(x, y);
    table.columns.insert(1, numbers("w", w.iter().copied()));
    table.response = None;
    table
}

const WEIGHTED: DesignOptions = DesignOptions {
    kind: passel::design::ResponseOptions {
        family: passel::family::Family::NORMAL,
        trials: None,
        failures: None,
        success: None,
        levels: &[],
        offset: None,
        event: None,
        entry: None,
        strata: None,
        ties: passel::family::Ties::Efron,
        dispersion: None,
        firth: false,
        covariance: passel::design::CovarianceEstimator::Model,
        cluster: None,
    },
    split_factors: true,
    groups: &[],
    genotypic: false,
    response: Some("y"),
    keep: &[],
    drop: &[],
    reference: &[],
    missing: Missing::Refuse,
    intercept: true,
    weights: Some("w"),
    p_total: None,
};

/// The model of every variable.
fn whole(table: Table, intercept: bool) -> Selection {
    let keep: Vec<String> = table.columns.iter().map(|c| c.name.clone()).collect();
    let keep: Vec<String> = keep
        .into_iter()
        .filter(|name| !["y", "w"].contains(&name.as_str()))
        .collect();
    let options = DesignOptions {
        keep: &keep,
        intercept,
        weights: table.position("w").map(|_| "w"),
        ..WEIGHTED
    };
    let design = Design::from_table(table, &options).unwrap();
    let pass = Pass {
        particles: 1,
        iterations: 1,
        max_size: Some(design.p()),
        ..Pass::default()
    };
    select(&design, &Aic, &pass).unwrap()
}

/// Weights over four orders of magnitude.
fn weights(n: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..n)
        .map(|_| 10f64.powf(4.0 * random.uniform() - 2.0))
        .collect()
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!(
        (a - b).abs() <= tolerance * a.abs().max(b.abs()),
        "{a} and {b}"
    );
}

#[test]
fn estimates_are_those_of_the_normal_equations() {
    for (seed, intercept) in [(560, true), (561, false), (562, true), (563, false)] {
        let (n, k) = (50, 6);
        let (mut x, mut y) = small(n, k, seed);
        // Another origin and unit for every column.
        for (j, mut column) in x.column_iter_mut().enumerate() {
            column *= 3f64.powi(j as i32 - 2);
            column.add_scalar_mut(5.0 * j as f64);
        }
        y.add_scalar_mut(100.0);
        let given = weights(n, seed);
        let found = whole(weighted(&x, &y, &given), intercept);

        let sum: f64 = given.iter().sum();
        let w = DVector::from_iterator(n, given.iter().map(|w| w * n as f64 / sum));
        let one = usize::from(intercept);
        let z = DMatrix::from_fn(
            n,
            k + one,
            |t, j| if j < one { 1.0 } else { x[(t, j - one)] },
        );
        let zw = DMatrix::from_fn(n, k + one, |t, j| w[t] * z[(t, j)]);
        let inverse = (z.transpose() * &zw).try_inverse().unwrap();
        let b = &inverse * (zw.transpose() * &y);
        let residual = &y - &z * &b;
        let rss = w.component_mul(&residual).dot(&residual);
        let variance = rss / (n - k - one) as f64;
        let centre = if intercept { w.dot(&y) / n as f64 } else { 0.0 };
        let about = y.add_scalar(-centre);

        // The normal equations square the condition of z, about 1e3.
        close(found.rss, rss, 1e-8);
        close(found.tss, w.component_mul(&about).dot(&about), 1e-10);
        assert_eq!(found.intercept.is_some(), intercept);
        let estimates = found.intercept.iter();
        let estimates = estimates.chain(found.selected.iter().map(|variable| &variable.estimate));
        assert_eq!(estimates.clone().count(), k + one);
        for (i, estimate) in estimates.enumerate() {
            let error = (variance * inverse[(i, i)]).sqrt();
            close(estimate.std_error.unwrap(), error, 1e-7);
            // A coefficient may be near zero, its error is not.
            assert!((estimate.coefficient - b[i]).abs() < 1e-7 * (b[i].abs() + error));
        }
        // φ is that of the weighted sum of squares.
        let n = n as f64;
        close(
            found.criterion.value,
            n * (rss / n).ln() + 2.0 * k as f64,
            1e-8,
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn whole_weights_are_repeated_rows(
        seed in any::<u64>(),
        times in prop::collection::vec(1_usize..6, 12..40),
        intercept in any::<bool>(),
    ) {
        let n = times.len();
        let (x, y) = small(n, 4, seed);
        let rows: Vec<usize> = (0..n).flat_map(|t| std::iter::repeat_n(t, times[t])).collect();
        let repeated = table(&x.select_rows(&rows), &y.select_rows(&rows));
        let repeated = whole(Table { response: None, ..repeated }, intercept);
        let w: Vec<f64> = times.iter().map(|&m| m as f64).collect();
        let once = whole(weighted(&x, &y, &w), intercept);
        // n differs, and with it the mean of the weights.
        let per_row = rows.len() as f64 / n as f64;
        close(once.rss * per_row, repeated.rss, 1e-9);
        close(once.tss * per_row, repeated.tss, 1e-9);
        for (a, b) in once.selected.iter().zip(&repeated.selected) {
            let (a, b) = (a.estimate, b.estimate);
            prop_assert!((a.coefficient - b.coefficient).abs() < 1e-8 * a.std_error.unwrap());
        }
    }

    #[test]
    fn the_unit_of_the_weights_does_not_matter(seed in any::<u64>(), exponent in -290..290) {
        let (x, y) = small(40, 12, seed);
        let pass = Pass { particles: 16, iterations: 30, ..Pass::default() };
        let run = |w: &[f64]| {
            let design = Design::from_table(weighted(&x, &y, w), &WEIGHTED).unwrap();
            select(&design, &Hdbic, &pass).unwrap()
        };
        let same = |a: &Selection, b: &Selection| {
            let names = |s: &Selection| {
                let names = s.selected.iter().map(|variable| variable.index);
                names.collect::<Vec<_>>()
            };
            assert_eq!(names(a), names(b));
            close(a.criterion.value, b.criterion.value, 1e-9);
            close(a.rss, b.rss, 1e-10);
        };
        let w = weights(40, seed);
        let unit = 3.0 * 10f64.powi(exponent);
        let scaled: Vec<f64> = w.iter().map(|w| w * unit).collect();
        same(&run(&w), &run(&scaled));
        // All equal: as without.
        let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
        same(&run(&[7.0; 40]), &select(&design, &Hdbic, &pass).unwrap());
    }
}

#[test]
fn observations_of_weight_zero_are_left_out() {
    let (x, y) = small(40, 5, 564);
    let mut w = weights(40, 564);
    let out = [0, 7, 39];
    for t in out {
        w[t] = 0.0;
    }
    let with = whole(weighted(&x, &y, &w), true);
    let rows: Vec<usize> = (0..40).filter(|t| !out.contains(t)).collect();
    let w: Vec<f64> = rows.iter().map(|&t| w[t]).collect();
    let without = whole(
        weighted(&x.select_rows(&rows), &y.select_rows(&rows), &w),
        true,
    );
    assert_eq!((with.n, with.rss), (37, without.rss));
    assert_eq!(with.selected, without.selected);
    assert_eq!(with.weights.as_deref(), Some("w"));
    let told = "3 of 40 observations have weight 0 and were left out";
    assert!(
        with.warnings.contains(&told.to_owned()),
        "{:?}",
        with.warnings
    );
}

/// What varies in the file but not among the observations used is constant.
#[test]
fn levels_and_changes_of_weight_zero_go_with_their_rows() {
    let (x, y) = small(20, 2, 565);
    let mut w = vec![1.0; 20];
    (w[3], w[4]) = (0.0, f64::NAN);
    let mut table = weighted(&x, &y, &w);
    let codes = (0..20)
        .map(|t| if t == 3 { 0 } else { 1 + t % 2 })
        .collect();
    table.columns.push(Column {
        name: "g".to_owned(),
        values: Values::Factor {
            levels: ["a", "b", "c"].map(str::to_owned).to_vec(),
            codes,
        },
    });
    let step = (0..20).map(|t| f64::from(u8::from(t == 3)));
    table.columns.push(numbers("step", step));
    // As constant as a column can be, though its weighted mean has to be rounded.
    table.columns.push(numbers("tenth", [0.1; 20]));
    let options = DesignOptions {
        missing: Missing::DropRows,
        ..WEIGHTED
    };
    let design = Design::from_table(table, &options).unwrap();
    assert_eq!(design.n(), 18);
    let names: Vec<(&str, usize)> = design
        .variables()
        .iter()
        .map(|v| (v.name.as_str(), v.index))
        .collect();
    // Response and weights do not count in the position.
    assert_eq!(names, [("x0", 0), ("x1", 1), ("g=c", 2)]);
    let aside: Vec<&str> = design
        .set_aside()
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    assert_eq!(aside, ["step", "tenth"]);
}

#[test]
fn a_constant_is_constant_whatever_the_weights() {
    for seed in 570..620 {
        let (x, y) = small(30, 2, seed);
        let mut table = weighted(&x, &y, &weights(30, seed));
        let constant = Random::new(seed).normal() * 1e5;
        table.columns.push(numbers("c", [constant; 30]));
        // The same value by value, and so again with any weights.
        table
            .columns
            .push(numbers("d", x.column(0).iter().copied()));
        let design = Design::from_table(table, &WEIGHTED).unwrap();
        let aside: Vec<(&str, &str)> = design
            .set_aside()
            .iter()
            .map(|variable| (variable.name.as_str(), variable.reason.as_str()))
            .collect();
        assert_eq!(aside, [("c", "constant"), ("d", "duplicate of x0")]);
    }
}

#[test]
fn weights_that_are_none_are_refused() {
    let (x, y) = small(10, 2, 566);
    let refused = |at: usize, value: f64, options: &DesignOptions| {
        let mut w = vec![1.0; 10];
        w[at] = value;
        Design::from_table(weighted(&x, &y, &w), options).unwrap_err()
    };
    for value in [-1.0, f64::INFINITY, f64::NEG_INFINITY] {
        let error = refused(6, value, &WEIGHTED);
        let told = format!("{value} in row 7 of the weights `w` is no weight: ");
        assert!(error.to_string().contains(&told), "{error}");
        assert!(matches!(
            error,
            DesignError::Value {
                row: 7,
                weights: true,
                ..
            }
        ));
    }
    assert!(matches!(
        refused(6, f64::NAN, &WEIGHTED),
        DesignError::Table(_)
    ));
    let listed = ["w".to_owned()];
    for (keep, drop) in [(&listed[..], &[][..]), (&[], &listed)] {
        let options = DesignOptions {
            keep,
            drop,
            ..WEIGHTED
        };
        let option = if keep.is_empty() { "--drop" } else { "--keep" };
        assert_eq!(
            refused(0, 1.0, &options).to_string(),
            format!("`w` holds the weights: it cannot be in {option} too")
        );
    }
}
