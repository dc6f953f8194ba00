//! Fits of families by what defines them.

mod firth;
mod profile;

use super::*;
use crate::random::Stream;

const N: usize = 120;

/// Columns of mean 0 and unit norm, and draws from 0 to 1.
fn columns(seed: u64, p: usize) -> (Vec<f64>, Vec<f64>) {
    let mut stream = Stream::new(seed, 0);
    let mut draw = || (stream.next_word() >> 11) as f64 / (1_u64 << 53) as f64;
    let x = (0..p).flat_map(|_| {
        let values: Vec<f64> = (0..N).map(|_| draw()).collect();
        let mean = values.iter().sum::<f64>() / N as f64;
        let square: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        values.into_iter().map(move |x| (x - mean) / square.sqrt())
    });
    let x: Vec<f64> = x.collect();
    (x, (0..N).map(|_| draw()).collect())
}

/// Some of the columns, by number.
fn some<'a>(x: &'a [f64], columns: &[usize]) -> Vec<&'a [f64]> {
    columns.iter().map(|j| &x[j * N..][..N]).collect()
}

/// The families with each of their links.
fn families() -> impl Iterator<Item = Family> {
    use Distribution::{Binomial, Gamma, Gaussian, NegativeBinomial, Poisson};
    let all = [Gaussian, Binomial, Poisson, NegativeBinomial, Gamma];
    all.into_iter().flat_map(|own| {
        let links = own.links().iter();
        links.map(move |link| Family::new(own, Some(*link)).unwrap())
    })
}

/// Responses of a family about a mean that the first column moves.
fn responses(family: Family, x: &[f64], draws: &[f64]) -> Vec<f64> {
    let rows = draws.iter().enumerate();
    let of_row = |(row, u): (usize, &f64)| {
        let signal = 8.0 * x[row];
        match family.distribution() {
            Distribution::Gaussian => signal + u,
            Distribution::Binomial => f64::from(u8::from(*u < 1.0 / (1.0 + (-signal).exp()))),
            Distribution::Gamma => (0.3 * signal + 1.0).exp() * (0.2 + u),
            // Far more scattered than Poisson's.
            _ => ((0.5 * signal + 1.5).exp() * -(1.0 - u).ln()).floor(),
        }
    };
    rows.map(of_row).collect()
}

#[test]
fn no_coefficient_nearby_has_a_higher_likelihood() {
    for (family, seed) in families().zip(0..) {
        let (x, draws) = columns(seed, 3);
        let y = responses(family, &x, &draws);
        let (mut weights, mut offset) = (vec![1.0; N], vec![0.0; N]);
        for row in 0..N {
            weights[row] = 0.5 + (row % 4) as f64;
            offset[row] = 0.1 * (row % 3) as f64;
        }
        weights[7] = 0.0;
        let offset = if family.link() == Link::Inverse {
            Vec::new()
        } else {
            offset
        };
        let response = FamilyResponse::new(family, &y, &[], &weights, &offset).unwrap();
        let x = some(&x, &[0, 1]);
        let what = format!("{} {}", family.distribution(), family.link());
        let fit = FamilyFit::of(&x, &response, true, None).unwrap();
        assert_eq!(fit.status(), FitStatus::Converged, "{what}");
        let predictor = |changes: [f64; 3]| -> Vec<f64> {
            let row = |i: usize| {
                let own = fit.coefficients().iter().zip(&x).zip(&changes[1..]);
                let own: f64 = own.map(|((b, x), d)| (b + d) * x[i]).sum();
                response.offset[i] + fit.intercept().unwrap() + changes[0] + own
            };
            (0..N).map(row).collect()
        };
        let deviance = |changes| {
            let means = predictor(changes)
                .into_iter()
                .map(|eta| family.link().mean(eta).0);
            response.deviance(
                &means.collect::<Vec<_>>(),
                fit.theta().unwrap_or(f64::INFINITY),
            )
        };
        let least = deviance([0.0; 3]);
        assert!((least / fit.deviance() - 1.0).abs() < 1e-10, "{what}");
        for at in 0..3 {
            for step in [-0.01, 0.01] {
                let mut changes = [0.0; 3];
                changes[at] = step * fit.std_errors()[at];
                // A step of s standard errors raises it by s² dispersions.
                let rise = (deviance(changes) - least) / fit.dispersion();
                assert!(rise > 0.0 && rise < 4e-4, "{what} {at} {rise}");
            }
        }
        // From another model the same.
        let empty = FamilyFit::of(&[], &response, true, None).unwrap();
        let warm = FamilyFit::of(&x, &response, true, Some(&empty)).unwrap();
        let (one, other) = (
            fit.minus_two_log_likelihood(),
            warm.minus_two_log_likelihood(),
        );
        assert!((one - other).abs() < 1e-9 * one.abs(), "{what}");
        assert!(empty.minus_two_log_likelihood() > one + 1.0, "{what}");
        // A weight of 0 is no observation.
        let mut moved = y.clone();
        moved[7] = if y[7] == 1.0 { 0.0 } else { 1.0 };
        if family.distribution() != Distribution::Gamma {
            let other = FamilyResponse::new(family, &moved, &[], &weights, &offset).unwrap();
            let other = FamilyFit::of(&x, &other, true, None).unwrap();
            assert!((other.deviance() - fit.deviance()).abs() < 1e-8, "{what}");
        }
    }
}

#[test]
fn events_of_trials_are_that_many_single_ones() {
    let (x, draws) = columns(3, 2);
    let trials: Vec<f64> = (0..N).map(|row| 1.0 + (row % 3) as f64).collect();
    let events: Vec<f64> = draws
        .iter()
        .zip(&trials)
        .map(|(u, m)| (u * (m + 1.0)).floor())
        .collect();
    let family = Family::new(Distribution::Binomial, None).unwrap();
    let joint = FamilyResponse::new(family, &events, &trials, &[], &[]).unwrap();
    let (mut wide, mut single) = (vec![Vec::new(); 2], Vec::new());
    for row in 0..N {
        for trial in 0..trials[row] as usize {
            (0..2).for_each(|j| wide[j].push(x[j * N + row]));
            single.push(f64::from(u8::from((trial as f64) < events[row])));
        }
    }
    let wide: Vec<&[f64]> = wide.iter().map(Vec::as_slice).collect();
    let single = FamilyResponse::new(family, &single, &[], &[], &[]).unwrap();
    let one = FamilyFit::of(&some(&x, &[0, 1]), &joint, true, None).unwrap();
    let other = FamilyFit::of(&wide, &single, true, None).unwrap();
    for (a, b) in one.coefficients().iter().zip(other.coefficients()) {
        assert!((a - b).abs() < 1e-8);
    }
    for (a, b) in one.std_errors().iter().zip(other.std_errors()) {
        assert!((a - b).abs() < 1e-8);
    }
    // They differ by the ways in which the events may fall on the trials.
    let ways = events
        .iter()
        .zip(&trials)
        .map(|(k, m)| match (*k as u32, *m as u32) {
            (1, 2) => 2.0_f64,
            (1 | 2, 3) => 3.0,
            _ => 1.0,
        });
    let ways: f64 = ways.map(f64::ln).sum();
    let rise = other.minus_two_log_likelihood() - one.minus_two_log_likelihood();
    assert!((rise - 2.0 * ways).abs() < 1e-8);
}

#[test]
fn separation_is_told_and_its_supremum_is_right() {
    let (x, draws) = columns(5, 3);
    let family = Family::new(Distribution::Binomial, None).unwrap();
    let fit = |y: &[f64], terms: &[usize]| {
        let response = FamilyResponse::new(family, y, &[], &[], &[]).unwrap();
        FamilyFit::of(&some(&x, terms), &response, true, None).unwrap()
    };
    let split: Vec<f64> = (0..N)
        .map(|row| f64::from(u8::from(x[row] > 0.0)))
        .collect();
    let found = fit(&split, &[0, 1]);
    assert_eq!(found.status(), FitStatus::Separated);
    assert!(found.deviance() < 1e-6 && found.deviance() >= 0.0);
    assert!(found.means().iter().all(|mean| *mean > 0.0 && *mean < 1.0));
    // Above 0 events alone, below it both: the supremum is that of the rows below.
    let rows = (0..N).map(|row| f64::from(u8::from(x[row] > 0.0 || draws[row] < 0.4)));
    let quasi: Vec<f64> = rows.collect();
    let step: Vec<f64> = (0..N)
        .map(|row| if x[row] > 0.0 { 1.0 } else { 0.0 })
        .collect();
    let response = FamilyResponse::new(family, &quasi, &[], &[], &[]).unwrap();
    let found = FamilyFit::of(&[&step], &response, true, None).unwrap();
    assert_eq!(found.status(), FitStatus::Separated);
    let below: Vec<f64> = (0..N)
        .filter(|row| step[*row] == 0.0)
        .map(|row| quasi[row])
        .collect();
    let share = below.iter().sum::<f64>() / below.len() as f64;
    let entropy = -(share * share.ln() + (1.0 - share) * (1.0 - share).ln());
    let supremum = 2.0 * below.len() as f64 * entropy;
    assert!((found.deviance() - supremum).abs() < 1e-8 * supremum);
    assert_eq!(fit(&quasi, &[1, 2]).status(), FitStatus::Converged);
}

#[test]
fn counts_less_scattered_than_poisson_are_poisson() {
    let (x, _) = columns(6, 1);
    let y: Vec<f64> = (0..N).map(|row| 5.0 + (row % 2) as f64).collect();
    let fit = |distribution| {
        let family = Family::new(distribution, None).unwrap();
        let response = FamilyResponse::new(family, &y, &[], &[], &[]).unwrap();
        FamilyFit::of(&some(&x, &[0]), &response, true, None).unwrap()
    };
    let (poisson, negative) = (
        fit(Distribution::Poisson),
        fit(Distribution::NegativeBinomial),
    );
    assert!(negative.theta().unwrap() > 1e7 && poisson.theta().is_none());
    let [a, b] = [&poisson, &negative].map(FamilyFit::minus_two_log_likelihood);
    assert!((a - b).abs() < 1e-3, "{a} {b}");
}

#[test]
fn responses_that_a_family_cannot_have_are_refused_with_their_row() {
    let new = |distribution, y: &[f64], trials: &[f64], weights: &[f64], offset: &[f64]| {
        let family = Family::new(distribution, None).unwrap();
        FamilyResponse::new(family, y, trials, weights, offset)
            .unwrap_err()
            .to_string()
    };
    use Distribution::{Binomial, Gamma, Poisson};
    for (told, parts) in [
        (
            new(Binomial, &[0.0, 2.0], &[], &[], &[]),
            &["row 2", "2 is no response", "--success"][..],
        ),
        (
            new(Binomial, &[0.0, 0.5], &[], &[], &[]),
            &["row 2", "0.5", "0 and 1"],
        ),
        (
            new(Binomial, &[1.0, 1.0], &[], &[], &[]),
            &["every response is 1"],
        ),
        (
            new(Poisson, &[0.0, -1.0], &[], &[], &[]),
            &["row 2", "-1", "whole numbers"],
        ),
        (
            new(Poisson, &[0.0, 0.0], &[], &[], &[]),
            &["every response is 0"],
        ),
        (
            new(Gamma, &[1.0, 0.0], &[], &[], &[]),
            &["row 2", "above 0"],
        ),
        (
            new(Gamma, &[1.0, f64::NAN], &[], &[], &[]),
            &["row 2", "NaN"],
        ),
        (
            new(Binomial, &[1.0, 0.0], &[2.0, 0.0], &[], &[]),
            &["row 2", "trials 0"],
        ),
        (
            new(Binomial, &[1.0, 0.0], &[], &[1.0, -1.0], &[]),
            &["row 2", "weights -1", "below 0"],
        ),
        (
            new(Poisson, &[1.0, 0.0], &[], &[], &[0.0, f64::INFINITY]),
            &["row 2", "offset inf"],
        ),
        (
            new(Poisson, &[1.0, 0.0], &[], &[], &[0.0]),
            &["offset has 1 values", "2"],
        ),
    ] {
        assert!(parts.iter().all(|part| told.contains(part)), "{told}");
    }
    let link = Family::new(Poisson, Some(Link::Probit))
        .unwrap_err()
        .to_string();
    assert!(
        link.contains("poisson has no link probit: use log"),
        "{link}"
    );
    let family = Family::new(Poisson, None).unwrap();
    let response =
        FamilyResponse::new(family, &[1.0, 0.0, 3.0], &[], &[], &[0.0, 1e6, 0.0]).unwrap();
    let x = [0.5, -0.5, 0.1];
    // It ends, with a status or an error.
    let _ = FamilyFit::of(&[&x], &response, true, None);
}
