//! What a report says of the coefficients of a family: Firth's estimates, intervals by profiles, marginal means.

use nalgebra::{DMatrix, DVector};
use passel::{
    Design, MatrixOptions, Pass, Selection, Table,
    criteria::Aic,
    design::{DesignError, DesignOptions, ResponseOptions},
    family::{Distribution, Family, Link},
    selection::{Estimate, Intervals},
};

use crate::{problems::Random, reference::run};

const N: usize = 90;

fn family(distribution: Distribution, link: Option<Link>) -> Family {
    Family::new(distribution, link).unwrap()
}

/// The report of the model of all variables.
fn report(design: &Design, intervals: Intervals) -> Selection {
    let found = run(design, &Aic, &Pass::default(), 1, |_| {});
    let mut selection = found.selection(design, &Aic, &Pass::default());
    found.set_intervals(&mut selection, design, intervals, 0.9, 2);
    selection
}

/// Columns far from 0, of other units, and draws.
fn columns(random: &mut Random) -> (DMatrix<f64>, Vec<f64>) {
    let x = DMatrix::from_fn(N, 2, |_, j| {
        [40.0, 0.5][j] + [3.0, 0.02][j] * random.normal()
    });
    (x, (0..N).map(|_| random.uniform()).collect())
}

fn responses(distribution: Distribution, x: &DMatrix<f64>, draws: &[f64]) -> DVector<f64> {
    DVector::from_fn(N, |row, _| {
        let eta = 0.2 * (x[(row, 0)] - 40.0);
        match distribution {
            Distribution::Binomial => f64::from(u8::from(draws[row] < 1.0 / (1.0 + (-eta).exp()))),
            Distribution::Gamma => (0.5 * eta).exp() * (0.3 + draws[row]),
            _ => ((0.5 * eta + 1.0).exp() * -2.0 * draws[row].ln()).floor(),
        }
    })
}

/// The intercept is the coefficient of a column of ones.
#[test]
fn an_intercept_has_the_interval_of_a_column_of_ones() {
    let mut random = Random::new(7);
    for (distribution, firth) in [
        (Distribution::Binomial, false),
        (Distribution::Binomial, true),
        (Distribution::Poisson, true),
        (Distribution::NegativeBinomial, false),
        (Distribution::Gamma, false),
    ] {
        let (x, draws) = columns(&mut random);
        let y = responses(distribution, &x, &draws);
        let wide = x.clone().insert_column(0, 1.0);
        let options = MatrixOptions {
            family: family(distribution, None),
            firth,
            keep: &[0, 1],
            ..MatrixOptions::default()
        };
        let of_ones = MatrixOptions {
            intercept: false,
            keep: &[0, 1, 2],
            ..options
        };
        let design = Design::from_matrices(&x, &y, &options).unwrap();
        let other = Design::from_matrices(&wide, &y, &of_ones).unwrap();
        for intervals in [Intervals::Wald, Intervals::Profile] {
            let (one, two) = (report(&design, intervals), report(&other, intervals));
            let what = format!("{distribution} {firth} {intervals:?}");
            let own: Vec<Estimate> = one.intercept.into_iter().collect();
            let own = own
                .iter()
                .chain(one.selected.iter().map(|own| &own.estimate));
            assert_eq!(two.selected.len(), 3, "{what}");
            for (own, other) in own.zip(two.selected.iter().map(|own| &own.estimate)) {
                let error = own.std_error.unwrap();
                for [a, b] in [
                    [Some(own.coefficient), Some(other.coefficient)],
                    [own.std_error, other.std_error],
                    [own.lower, other.lower],
                    [own.upper, other.upper],
                ] {
                    let off = (a.unwrap() - b.unwrap()).abs();
                    assert!(off < 1e-5 * error, "{what}: {a:?} {b:?}");
                }
                let [lower, upper] = [own.lower, own.upper].map(Option::unwrap);
                assert!(lower < own.coefficient && own.coefficient < upper, "{what}");
                // A column of ones has a ratio, an intercept none.
                if let (Some(ratio), Some(end)) = (own.ratio, own.ratio_upper) {
                    let expected = [own.coefficient.exp(), upper.exp()];
                    assert_eq!([ratio, end], expected, "{what}");
                }
            }
            assert_eq!(
                one.intervals,
                if intervals == Intervals::Wald {
                    "wald"
                } else {
                    "profile"
                }
            );
        }
    }
}

/// Models are compared by their likelihood, whatever the estimates are by.
#[test]
fn firths_penalty_changes_estimates_and_nothing_of_the_search() {
    let mut random = Random::new(8);
    let (x, draws) = columns(&mut random);
    let y = responses(Distribution::Binomial, &x, &draws);
    let of = |firth| {
        let options = MatrixOptions {
            family: family(Distribution::Binomial, None),
            firth,
            ..MatrixOptions::default()
        };
        report(
            &Design::from_matrices(&x, &y, &options).unwrap(),
            Intervals::Wald,
        )
    };
    let (by_likelihood, by_firth) = (of(false), of(true));
    assert_eq!(by_likelihood.criterion, by_firth.criterion);
    assert_eq!(by_likelihood.models, by_firth.models);
    assert_eq!(by_likelihood.goodness, by_firth.goodness);
    let (own, other) = (by_likelihood.family.unwrap(), by_firth.family.unwrap());
    assert_eq!(
        (own.deviance, own.status.clone()),
        (other.deviance, other.status.clone())
    );
    assert_eq!(
        (own.firth, other.firth.as_deref()),
        (None, Some("converged"))
    );
    // Towards 0, as the bias is away from it.
    let (own, other) = (
        &by_likelihood.selected[0].estimate,
        &by_firth.selected[0].estimate,
    );
    assert!(other.coefficient.abs() < own.coefficient.abs());
    let error = by_firth.covariance.matrix[1][1].sqrt();
    assert!((error / other.std_error.unwrap() - 1.0).abs() < 1e-9);
    for (distribution, link) in [
        (Distribution::Binomial, Some(Link::Cloglog)),
        (Distribution::Gaussian, None),
        (Distribution::NegativeBinomial, None),
    ] {
        let options = MatrixOptions {
            family: family(distribution, link),
            firth: true,
            ..MatrixOptions::default()
        };
        let refused = Design::from_matrices(&x, &y, &options).unwrap_err();
        assert!(matches!(refused, DesignError::Firth(_)), "{refused}");
    }
}

/// A model of one factor has for each level the weighted share of events, or the mean of the counts at the mean offset.
#[test]
fn marginal_means_of_a_factor_alone_are_those_of_its_levels() {
    let levels = ["a", "b", "c"];
    let of = |row: usize| row * 7 % 3;
    let group: Vec<&str> = (0..N).map(|row| levels[of(row)]).collect();
    let weight: Vec<f64> = (0..N).map(|row| 0.5 + (row % 4) as f64).collect();
    let trials: Vec<f64> = (0..N).map(|row| 2.0 + (row % 3) as f64).collect();
    let counts: Vec<f64> = (0..N).map(|row| ((row * 5 + row / 4) % 3) as f64).collect();
    let offset: Vec<f64> = (0..N).map(|row| 0.3 * (row % 5) as f64).collect();
    let keep = ["group".to_owned()];
    let design = |family, trials_of: Option<&'static str>, offset_of: Option<&'static str>| {
        let columns = [
            ("y", counts.clone().into()),
            ("group", group.clone().into()),
            ("w", weight.clone().into()),
            ("of", trials.clone().into()),
            ("log_time", offset.clone().into()),
        ];
        let unused = [("of", trials_of), ("log_time", offset_of)];
        let drop: Vec<String> = unused
            .iter()
            .filter(|(_, used)| used.is_none())
            .map(|(name, _)| (*name).to_owned())
            .collect();
        let kind = ResponseOptions {
            family,
            trials: trials_of,
            offset: offset_of,
            ..ResponseOptions::default()
        };
        let options = DesignOptions {
            response: Some("y"),
            kind,
            drop: &drop,
            keep: &keep,
            weights: Some("w"),
            split_factors: false,
            ..DesignOptions::default()
        };
        Design::from_table(Table::from_columns(columns).unwrap(), &options).unwrap()
    };
    let total: f64 = weight.iter().sum();
    let mean_offset: f64 = offset.iter().zip(&weight).map(|(o, w)| o * w).sum::<f64>() / total;
    for (distribution, link) in [
        (Distribution::Binomial, Link::Logit),
        (Distribution::Binomial, Link::Probit),
        (Distribution::Poisson, Link::Log),
    ] {
        let is_binomial = distribution == Distribution::Binomial;
        let own = family(distribution, Some(link));
        let (trials_of, offset_of) = match is_binomial {
            true => (Some("of"), None),
            false => (None, Some("log_time")),
        };
        let selection = report(&design(own, trials_of, offset_of), Intervals::Wald);
        assert_eq!(selection.marginal_means.len(), 3);
        for (level, own) in selection.marginal_means.iter().enumerate() {
            let rows = (0..N).filter(|row| of(*row) == level);
            let (mut events, mut of_all) = (0.0, 0.0);
            for row in rows {
                events += weight[row] * counts[row];
                of_all += weight[row]
                    * match is_binomial {
                        true => trials[row],
                        false => (offset[row] - mean_offset).exp(),
                    };
            }
            let mean = events / of_all;
            assert!(
                (own.mean / mean - 1.0).abs() < 1e-7,
                "{link} {level}: {} {mean}",
                own.mean
            );
            // 90 % of a normal deviate on the scale of the link.
            let (eta, error) = (own.predictor.unwrap(), own.predictor_std_error.unwrap());
            let inverse = |eta: f64| match link {
                Link::Logit => 1.0 / (1.0 + (-eta).exp()),
                Link::Log => eta.exp(),
                _ => normal_below(eta),
            };
            let q = 1.644_853_626_951_472_7;
            let ends = [eta - q * error, eta + q * error].map(inverse);
            let (lower, upper) = (own.lower.unwrap(), own.upper.unwrap());
            assert!((lower / ends[0] - 1.0).abs() < 1e-6 && (upper / ends[1] - 1.0).abs() < 1e-6);
            let slope = (inverse(eta + 1e-5) - inverse(eta - 1e-5)) / 2e-5;
            assert!((own.std_error.unwrap() / (error * slope) - 1.0).abs() < 1e-5);
            if link != Link::Probit {
                // 1 / Σ of the weights of the link's information.
                let information = match is_binomial {
                    true => of_all * mean * (1.0 - mean),
                    false => events,
                };
                assert!(
                    (error * error * information - 1.0).abs() < 1e-6,
                    "{link} {level}"
                );
            }
        }
    }
}

/// P(Z ≤ z) by Simpson's rule.
fn normal_below(z: f64) -> f64 {
    let density = |x: f64| (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let steps = 2000;
    let h = z / f64::from(steps);
    let sum: f64 = (0..=steps)
        .map(|at| {
            let weight = match at {
                0 => 1.0,
                at if at == steps => 1.0,
                at if at % 2 == 1 => 4.0,
                _ => 2.0,
            };
            weight * density(h * f64::from(at))
        })
        .sum();
    0.5 + sum * h / 3.0
}

/// The inverse link turns ends around.
#[test]
fn marginal_means_of_falling_links_have_their_ends_in_order() {
    let mut random = Random::new(12);
    let group: Vec<&str> = (0..N).map(|row| ["a", "b"][row % 2]).collect();
    let y: Vec<f64> = (0..N)
        .map(|row| [1.0, 3.0][row % 2] * (0.2 + random.uniform()))
        .collect();
    let columns = [("y", y.clone().into()), ("group", group.into())];
    let keep = ["group".to_owned()];
    let options = DesignOptions {
        response: Some("y"),
        kind: ResponseOptions {
            family: family(Distribution::Gamma, Some(Link::Inverse)),
            ..ResponseOptions::default()
        },
        keep: &keep,
        split_factors: false,
        ..DesignOptions::default()
    };
    let design = Design::from_table(Table::from_columns(columns).unwrap(), &options).unwrap();
    let mut selection = report(&design, Intervals::Profile);
    for own in &selection.marginal_means {
        assert!(own.lower.unwrap() < own.mean && own.mean < own.upper.unwrap());
    }
    selection.set_level(0.9999999999999);
    let last = selection.marginal_means.last().unwrap();
    assert!(last.lower.unwrap() > 0.0 && last.upper.unwrap() > last.mean);
}
