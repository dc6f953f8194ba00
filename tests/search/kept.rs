//! Kept variables are given: by the theorem of Frisch, Waugh and Lovell a selection with Z kept is that of
//! y and X residualised on Z, for residual sums of squares are the same.

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, Pass,
    criteria::{ALL, Criterion, Model},
    design::DesignOptions,
};

use crate::{
    estimates::table,
    problems::{Random, small},
    reference::{at_defaults, fit, phi_of, run, standardised, support, tss},
};

/// A response of a few candidates (the first columns), of every kept variable, and noise; candidates lean
/// on kept variables.
fn confounded(n: usize, p: usize, m: usize, seed: u64) -> (DMatrix<f64>, DVector<f64>) {
    let mut random = Random::new(seed);
    let (mut x, _) = small(n, p + m, seed);
    for j in 0..p {
        let z = x.column(p + j % m) * 0.7;
        x.column_mut(j).axpy(1.0, &z, 1.0);
    }
    let y = DVector::from_fn(n, |t, _| {
        let kept: f64 = (p..p + m).map(|j| 2.0 * x[(t, j)]).sum();
        kept + x[(t, 0)] - 0.8 * x[(t, 3)] + 0.6 * x[(t, 4)] + random.normal()
    });
    (x, y)
}

/// What an intercept and the columns of z leave of the columns of x.
fn residualised(x: &DMatrix<f64>, z: &DMatrix<f64>) -> DMatrix<f64> {
    let z = z.clone().insert_column(0, 1.0);
    let svd = z.clone().svd(true, true);
    x - &z * svd.solve(x, 0.0).unwrap()
}

/// Criteria that go by degrees of freedom, which kept variables take and residualising hides.
const BY_FREEDOM: [&str; 4] = ["aicc", "adjr2", "cp", "ebic-monotone"];

/// A criterion that is told of the m columns that its data are residualised on.
#[derive(Debug)]
struct Residualised {
    criterion: Box<dyn Criterion>,
    m: usize,
    p: usize,
}

impl Criterion for Residualised {
    fn name(&self) -> &str {
        self.criterion.name()
    }

    fn penalty(&self, model: &Model) -> f64 {
        self.criterion.penalty(model)
    }

    fn value(&self, model: &Model) -> f64 {
        let hidden = (model.n - self.p - 1) as f64;
        self.criterion.value(&Model {
            kept: self.m,
            error_variance: model.error_variance * hidden / (hidden - self.m as f64),
            ..*model
        })
    }

    fn needs_error_variance(&self) -> bool {
        self.criterion.needs_error_variance()
    }
}

#[test]
fn kept_variables_are_as_if_residualised_on() {
    for (n, p, m) in [(60, 10, 5), (50, 9, 1), (48, 40, 4)] {
        for seed in 0..2 {
            let (x, y) = confounded(n, p, m, 500 + seed);
            let keep: Vec<String> = (p..p + m).map(|j| format!("x{j}")).collect();
            let options = DesignOptions {
                keep: &keep,
                ..DesignOptions::default()
            };
            let given = Design::from_table(table(&x, &y), &options).unwrap();
            let z = x.columns(p, m).into_owned();
            let left_x = residualised(&x.columns(0, p).into_owned(), &z);
            let left_y = residualised(&DMatrix::from_column_slice(n, 1, y.as_slice()), &z);
            let left_y = left_y.column(0).into_owned();
            let left = Design::from_matrices(&left_x, &left_y, &Default::default()).unwrap();
            for entry in ALL {
                // With more candidates than observations these take up noise to the bound on size, where
                // optima are many.
                let mild = ["aic", "aicc", "adjr2", "bic", "cp", "hqc"];
                let is_mild = p > n / 2 && mild.contains(&entry.name);
                if is_mild {
                    continue;
                }
                let criterion = at_defaults(entry);
                let by_freedom = BY_FREEDOM.contains(&entry.name);
                let told = Residualised {
                    criterion: at_defaults(entry),
                    m: if by_freedom { m } else { 0 },
                    p,
                };
                let label = format!("{} {n} × {p}, {m} kept, seed {seed}", entry.name);
                let kept = run(&given, &*criterion, &Pass::default(), 1, |_| {});
                // The default bound on size goes by degrees of freedom too.
                let pass = Pass {
                    max_size: Some(kept.max_size - m),
                    ..Pass::default()
                };
                let free = run(&left, &told, &pass, 1, |_| {});
                let chosen: Vec<u32> = support(&kept)
                    .into_iter()
                    .filter(|j| *j < p as u32)
                    .collect();
                assert_eq!(chosen, support(&free), "{label}");
                // And values differ by what kept ones cost, the same for every model.
                let charge = |kept| {
                    let model = Model {
                        kept,
                        ..Model::new(n, p, 0, n as f64)
                    };
                    phi_of(entry.name, &model)
                };
                let cost = match by_freedom {
                    true => 0.0,
                    false => charge(m) - charge(0),
                };
                let differ = kept.value - free.value - cost;
                assert!(differ.abs() < 1e-7, "{label}: {differ}");
            }
        }
    }
}

#[test]
fn the_default_size_bound_goes_by_what_kept_variables_leave() {
    // Candidates, kept variables, and how many may be chosen: all of at most (60 − m)/2, else (60 − m)/4.
    for (p, m, most) in [
        (30, 0, 30),
        (31, 0, 15),
        (20, 20, 20),
        (21, 20, 10),
        (20, 15, 20),
        (9, 40, 9),
        (11, 40, 5),
    ] {
        let (x, y) = small(60, p + m, 91);
        let keep: Vec<String> = (p..p + m).map(|j| format!("x{j}")).collect();
        let options = DesignOptions {
            keep: &keep,
            ..DesignOptions::default()
        };
        let design = Design::from_table(table(&x, &y), &options).unwrap();
        let pass = Pass {
            particles: 1,
            iterations: 1,
            polish: false,
            ..Pass::default()
        };
        let found = run(&design, &*at_defaults(&ALL[0]), &pass, 1, |_| {});
        assert_eq!(found.max_size, m + most, "{p} candidates, {m} kept");
    }
}

#[test]
fn values_with_kept_variables_are_those_of_the_formulas() {
    let (n, p, m) = (90, 12, 5);
    let (x, y) = confounded(n, p, m, 77);
    let keep: Vec<String> = (p..p + m).map(|j| format!("x{j}")).collect();
    let options = DesignOptions {
        keep: &keep,
        ..DesignOptions::default()
    };
    let design = Design::from_table(table(&x, &y), &options).unwrap();
    let (x1, y1) = standardised(&x, &y);
    let all: Vec<u32> = (0..(p + m) as u32).collect();
    let error_variance = fit(&x1, &y1, &all).rss * tss(&y) / (n - p - m - 1) as f64;
    for entry in ALL {
        let found = run(&design, &*at_defaults(entry), &Pass::default(), 1, |_| {});
        let members = support(&found);
        let rss = fit(&x1, &y1, &members).rss * tss(&y);
        let model = Model {
            kept: m,
            error_variance,
            ..Model::new(n, p, members.len() - m, rss)
        };
        let expected = phi_of(entry.name, &model);
        assert!(
            (found.value - expected).abs() < 1e-8,
            "{}: {} {expected}",
            entry.name,
            found.value
        );
    }
}

#[test]
fn a_criterion_that_needs_the_full_model_refuses_data_that_it_fits_exactly() {
    let (x, y) = small(20, 25, 9);
    let design = Design::from_matrices(&x, &y, &Default::default()).unwrap();
    let error = passel::select(&design, &passel::criteria::Cp, &Pass::default()).unwrap_err();
    let told = error.to_string();
    for part in ["criterion cp", "25 variables", "20 observations", "aicc"] {
        assert!(told.contains(part), "{told}");
    }
}
