//! What holds of criteria at every size.

#![allow(clippy::unwrap_used)]

use passel_criteria::{ALL, Aic, Bic, Criterion, Ebic, EbicMonotone, Hdaic, Hdbic, Model, named};

/// A model of a size, with σ̂² for those that need it.
fn model(n: usize, p: usize, k: usize) -> Model {
    Model {
        error_variance: 0.2,
        ..Model::new(n, p, k, 50.0)
    }
}

fn sizes() -> impl Iterator<Item = (usize, usize, usize)> {
    let candidates = [1, 2, 3, 4, 5, 8, 10, 11, 30, 100];
    let sized = candidates
        .into_iter()
        .flat_map(|p| (1..=p).map(move |k| (p, k)));
    sized.flat_map(|(p, k)| [20, 100, 5000].map(|n| (n, p, k)))
}

#[test]
fn the_default_charges_every_variable_at_least_what_bic_does() {
    let default = EbicMonotone::default();
    for (n, p, k) in sizes().filter(|(n, _, k)| k + 1 < *n) {
        let step = default.penalty(&model(n, p, k)) - default.penalty(&model(n, p, k - 1));
        assert!(step >= (n as f64).ln() - 1e-9, "{n} × {p}, {k}: {step}");
    }
}

#[test]
fn up_to_half_of_the_candidates_the_default_is_ebic_times_the_factor_of_small_samples() {
    for gamma in [0.0, 0.5, 1.0] {
        let (own, published) = (EbicMonotone { gamma }, Ebic { gamma });
        for (n, p, k) in sizes().filter(|(_, p, k)| 2 * k <= *p) {
            let left = n as f64 - k as f64 - 1.0;
            let (own, published) = (
                own.penalty(&model(n, p, k)),
                published.penalty(&model(n, p, k)),
            );
            match left <= 0.0 {
                true => assert_eq!(own, f64::INFINITY),
                false => {
                    assert!((own * left / n as f64 - published).abs() < 1e-9 * (1.0 + published))
                }
            }
        }
    }
}

#[test]
fn one_or_two_candidates_are_not_free() {
    for p in [1, 2] {
        for k in 0..=p {
            let model = model(100, p, k);
            assert_eq!(Hdaic.penalty(&model), Aic.penalty(&model));
            assert_eq!(Hdbic.penalty(&model), Bic.penalty(&model));
        }
    }
}

#[test]
fn kept_variables_move_a_criterion_by_a_constant() {
    // The others go by degrees of freedom, which kept variables do take.
    let by_freedom = ["aicc", "adjr2", "ebic-monotone"];
    for entry in ALL.iter().filter(|entry| !by_freedom.contains(&entry.name)) {
        let criterion = named(entry.name, &[]).unwrap();
        let moved = |k| {
            let given = Model {
                kept: 7,
                ..model(100, 30, k)
            };
            criterion.value(&given) - criterion.value(&model(100, 30, k))
        };
        for k in 1..=30 {
            assert!((moved(k) - moved(0)).abs() < 1e-9, "{}, {k}", entry.name);
        }
    }
}

#[test]
fn terms_of_several_columns_pay_for_their_parameters() {
    let term = |columns: usize| Model {
        chosen_parameters: 3 * columns,
        ..model(100, 30, 3)
    };
    // Cross-validation compares models of one size.
    for entry in ALL.iter().filter(|entry| entry.name != "cv") {
        let criterion = named(entry.name, &[]).unwrap();
        let values: Vec<f64> = (1..=4)
            .map(|columns| criterion.value(&term(columns)))
            .collect();
        assert!(values.is_sorted_by(|a, b| a < b), "{}", entry.name);
        assert_eq!(values[0], criterion.value(&model(100, 30, 3)));
    }
    // The models of three terms are as many, whatever their columns.
    let ebic = Ebic { gamma: 1.0 };
    let apart = |criterion: &dyn Criterion| criterion.value(&term(4)) - criterion.value(&term(1));
    assert!((apart(&ebic) - apart(&Bic)).abs() < 1e-9);
}

#[test]
fn no_criterion_falls_where_rss_rises() {
    for entry in ALL {
        let criterion = named(entry.name, &[]).unwrap();
        for (n, p, k) in sizes() {
            let of = |rss| {
                criterion.value(&Model {
                    rss,
                    ..model(n, p, k)
                })
            };
            assert!(of(60.0) >= of(50.0) && !of(50.0).is_nan(), "{}", entry.name);
        }
    }
}

#[test]
fn the_charge_of_the_last_variable_is_what_it_must_pay() {
    let charge = |criterion: &dyn Criterion, n, p, k| criterion.last_charge(&model(n, p, k));
    for (n, p, k) in sizes() {
        assert!((charge(&Aic, n, p, k) - 2.0).abs() < 1e-9);
        assert!((charge(&Bic, n, p, k) - (n as f64).ln()).abs() < 1e-9);
    }
    let ebic = Ebic { gamma: 1.0 };
    // ln 100 + 2·ln(C(10, 10) / C(10, 9)) is exactly 0.
    assert!(charge(&ebic, 100, 10, 10).abs() < 1e-9);
    // A variable of |t| = 1 lowers n·ln rss by 100·ln(96/95).
    let adjusted = named("adjr2", &[]).unwrap();
    let expected = 100.0 * (96.0f64 / 95.0).ln();
    assert!((charge(&*adjusted, 100, 10, 4) - expected).abs() < 1e-9);
    // Cp: 2σ̂² in rss.
    let cp = named("cp", &[]).unwrap();
    let expected = 100.0 * (50.4f64 / 50.0).ln();
    assert!((charge(&*cp, 100, 10, 4) - expected).abs() < 1e-9);
    assert_eq!(charge(&Aic, 100, 10, 0), 0.0);
}
