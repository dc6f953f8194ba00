//! The reported estimates against the textbook's formulas.

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Pass,
    criteria::Aic,
    design::DesignOptions,
    select,
    selection::{Estimate, Selection},
    table::{Column, Table, Values},
};

use crate::problems::Random;

/// A column's exact change of origin and unit: x = origin + unit·z.
#[derive(Clone, Copy)]
struct Unit {
    origin: f64,
    unit: f64,
}

/// Two-sided p of Student's t, by Simpson's rule on the angle t = √ν·tan θ.
fn two_sided(t: f64, freedom: f64) -> f64 {
    let area = |from: f64| {
        let to = std::f64::consts::FRAC_PI_2;
        let (steps, mut sum) = (20_000, 0.0);
        let h = (to - from) / f64::from(steps);
        for i in 0..=steps {
            let weight = match i {
                0 => 1.0,
                i if i == steps => 1.0,
                i if i % 2 == 1 => 4.0,
                _ => 2.0,
            };
            sum += weight * (from + h * f64::from(i)).cos().max(0.0).powf(freedom - 1.0);
        }
        sum * h / 3.0
    };
    area((t.abs() / freedom.sqrt()).atan()) / area(0.0)
}

/// Checks what is reported against the textbook's formulas on the columns
/// (x − origin) / unit, which are exact in f64, carried back to x.
fn check(selection: &Selection, x: &DMatrix<f64>, y: &DVector<f64>, units: &[Unit], y_origin: f64) {
    let n = x.nrows();
    let chosen: Vec<usize> = selection.selected.iter().map(|s| s.index).collect();
    let k = chosen.len();
    assert!(k >= 4, "too small a model to prove anything: {k}");
    let one = usize::from(selection.intercept.is_some());
    let z = DMatrix::from_fn(n, k + one, |t, c| {
        if c < one {
            return 1.0;
        }
        let Unit { origin, unit } = units[chosen[c - one]];
        (x[(t, chosen[c - one])] - origin) / unit
    });
    let y = y.add_scalar(-y_origin);
    let inverse = z.clone().pseudo_inverse(0.0).unwrap();
    let b = &inverse * &y;
    let rss = (&y - &z * &b).norm_squared();
    let freedom = (n - k - one) as f64;
    let variance = &inverse * inverse.transpose() * (rss / freedom);
    // Well-conditioned z: both sides are good to some 1e-13.
    assert!((selection.rss - rss).abs() < 1e-10 * rss);
    let close = |estimate: &Estimate, coefficient: f64, error: f64, size: f64| {
        assert!((estimate.coefficient - coefficient).abs() < 1e-10 * size);
        assert!((estimate.std_error.unwrap() - error).abs() < 1e-9 * error);
        let t = coefficient / error;
        assert!((estimate.t.unwrap() - t).abs() < 1e-9 * (size / error));
        let p = two_sided(t, freedom);
        // Simpson's error, relative to the whole area.
        assert!(
            (estimate.p_value.unwrap() - p).abs() < 1e-9,
            "{estimate:?} {p}"
        );
        for end in [estimate.lower.unwrap(), estimate.upper.unwrap()] {
            let t = (end - coefficient) / error;
            // p changes by less than t does, and t is off by what β̂ is.
            let p = two_sided(t, freedom);
            assert!(
                (p - 0.05).abs() < 1e-9 * (size / error).max(1.0),
                "{estimate:?} {p}"
            );
        }
        assert!(estimate.lower < estimate.upper);
    };
    for (c, selected) in selection.selected.iter().enumerate() {
        let unit = units[chosen[c]].unit;
        let i = c + one;
        let coefficient = b[i] / unit;
        let error = variance[(i, i)].sqrt() / unit;
        close(
            &selected.estimate,
            coefficient,
            error,
            coefficient.abs() + error,
        );
    }
    if let Some(intercept) = &selection.intercept {
        // The intercept at x = 0: all origins taken back.
        let w = DVector::from_fn(k + 1, |i, _| {
            if i == 0 {
                return 1.0;
            }
            let Unit { origin, unit } = units[chosen[i - 1]];
            -origin / unit
        });
        // Large terms cancel: the rounding is that of their sizes.
        let size = y_origin.abs() + w.component_mul(&b).abs().sum();
        close(
            intercept,
            y_origin + w.dot(&b),
            w.dot(&(&variance * &w)).sqrt(),
            size,
        );
    }
}

/// A table of columns `x0`, `x1`, … and `y`.
pub(super) fn table(x: &DMatrix<f64>, y: &DVector<f64>) -> Table {
    let mut columns: Vec<Column> = x
        .column_iter()
        .enumerate()
        .map(|(j, values)| Column {
            name: format!("x{j}"),
            values: Values::from(values.as_slice().to_vec()),
        })
        .collect();
    columns.push(Column {
        name: "y".to_owned(),
        values: Values::from(y.as_slice().to_vec()),
    });
    Table {
        source: "a test".to_owned(),
        rows: x.nrows(),
        response: Some(columns.len() - 1),
        truth: Vec::new(),
        columns,
        ..Table::default()
    }
}

/// A problem in other units: of the columns before, every other one has a large
/// part in y and all a small one.
fn rescaled(seed: u64, units: &[Unit], y_origin: f64) -> (DMatrix<f64>, DVector<f64>) {
    let mut random = Random::new(seed);
    let z = DMatrix::from_fn(40, units.len(), |_, _| random.normal());
    let y = DVector::from_fn(40, |t, _| {
        let signal: f64 = (0..units.len()).step_by(2).map(|j| 2.0 * z[(t, j)]).sum();
        y_origin
            + 3.0
            + signal
            + (0..units.len()).map(|j| 0.3 * z[(t, j)]).sum::<f64>()
            + random.normal()
    });
    let x = DMatrix::from_fn(40, units.len(), |t, j| {
        units[j].origin + units[j].unit * z[(t, j)]
    });
    (x, y)
}

const PLAIN: Unit = Unit {
    origin: 0.0,
    unit: 1.0,
};
/// About 7.5e-9.
const TINY: f64 = 1.0 / (1u64 << 27) as f64;

#[test]
fn estimates_with_an_intercept() {
    let far = Unit {
        origin: 1e6,
        unit: 1.0,
    };
    let tiny = Unit {
        origin: 0.0,
        unit: TINY,
    };
    let both = Unit {
        origin: -1e6 * TINY,
        unit: TINY,
    };
    let cycle = [PLAIN, far, tiny, both, far, tiny, both, PLAIN];
    for (seed, y_origin) in [(550, 0.0), (551, 1e6), (552, -1e6), (553, 0.0)] {
        let plain = [PLAIN; 8];
        let units = if seed == 553 { &plain } else { &cycle };
        let (x, y) = rescaled(seed, units, y_origin);
        let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
        let selection = select(&design, &Aic, &Pass::default()).unwrap();
        assert!(selection.intercept.is_some());
        check(&selection, &x, &y, units, y_origin);
    }
}

#[test]
fn estimates_without_an_intercept() {
    let tiny = Unit {
        origin: 0.0,
        unit: TINY,
    };
    let huge = Unit {
        origin: 0.0,
        unit: 1.0 / TINY,
    };
    for seed in 554..557 {
        let units = [PLAIN, tiny, huge, tiny, huge, PLAIN, tiny, huge];
        let (x, y) = rescaled(seed, &units, 0.0);
        let options = DesignOptions {
            intercept: false,
            ..DesignOptions::default()
        };
        let design = Design::from_table(table(&x, &y), &options).unwrap();
        let selection = select(&design, &Aic, &Pass::default()).unwrap();
        assert!(selection.intercept.is_none());
        assert!((selection.tss - y.norm_squared()).abs() < 1e-12 * selection.tss);
        check(&selection, &x, &y, &units, 0.0);
    }
}

/// Without an intercept the first factor keeps all its levels, so that their
/// coefficients are the groups' means; the second is compared with its first.
#[test]
fn without_an_intercept_a_factor_has_all_its_levels() {
    let mut random = Random::new(551);
    let codes: Vec<u32> = (0..60).map(|t| t % 3).collect();
    let other: Vec<u32> = (0..60).map(|t| t / 3 % 2).collect();
    let y: Vec<f64> = codes
        .iter()
        .map(|c| 10.0 + 2.0 * f64::from(*c) + 0.1 * random.normal())
        .collect();
    let factor = |name: &str, levels: &[&str], codes: &[u32]| Column {
        name: name.to_owned(),
        values: Values::Factor {
            levels: levels.iter().map(|l| (*l).to_owned()).collect(),
            codes: codes.to_vec(),
        },
    };
    let table = Table {
        source: "made".to_owned(),
        columns: vec![
            Column {
                name: "y".to_owned(),
                values: Values::from(y.clone()),
            },
            factor("g", &["a", "b", "c"], &codes),
            factor("h", &["d", "e"], &other),
        ],
        rows: 60,
        truth: Vec::new(),
        response: Some(0),
        ..Table::default()
    };
    let options = DesignOptions {
        intercept: false,
        ..DesignOptions::default()
    };
    let design = Design::from_table(table, &options).unwrap();
    let names: Vec<&str> = design.variables().iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["g=a", "g=b", "g=c", "h=e"]);
    let selection = select(&design, &Aic, &Pass::default()).unwrap();
    for chosen in selection.selected.iter().filter(|c| c.index == 0) {
        let level = ["g=a", "g=b", "g=c"].iter().position(|l| *l == chosen.name);
        let mean = 10.0 + 2.0 * level.unwrap() as f64;
        assert!(
            (chosen.estimate.coefficient - mean).abs() < 0.2,
            "{}",
            chosen.name
        );
    }
    assert!(selection.selected.len() >= 3);
}
