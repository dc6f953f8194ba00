//! Likelihoods of levels beside their definition, and derivatives beside differences.

use super::*;
use crate::{
    family::{FamilyFit, FamilyResponse, FitStatus},
    random::Stream,
    vector::product,
};

/// Levels with columns that say something of them; of levels without order each column stands in a block of its own.
struct Problem {
    is_ordered: bool,
    codes: Vec<u32>,
    count: usize,
    weights: Vec<f64>,
    columns: Vec<Vec<f64>>,
}

impl Problem {
    fn random(seed: u64, n: usize) -> Self {
        let mut stream = Stream::new(43, seed);
        let mut draw = || ((stream.next_word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        let is_ordered = seed.is_multiple_of(2);
        let count = 2 + seed as usize % 4;
        let plain: Vec<Vec<f64>> = (0..3)
            .map(|_| (0..n).map(|_| draw() - 0.5).collect())
            .collect();
        let codes = (0..n).map(|row| {
            let own = (draw() + 0.4 * plain[0][row] + 0.2) / 1.4;
            ((own * count as f64) as u32).min(count as u32 - 1)
        });
        let codes = codes.collect();
        let blocks = if is_ordered { 1 } else { count - 1 };
        let columns = plain.iter().enumerate().map(|(at, column)| {
            let mut own = vec![0.0; n * blocks];
            own[at % blocks * n..][..n].copy_from_slice(column);
            own
        });
        Self {
            is_ordered,
            codes,
            count,
            weights: match seed % 3 {
                0 => Vec::new(),
                _ => (0..n).map(|row| [0.5, 1.0, 2.0, 1.5][row % 4]).collect(),
            },
            columns: columns.collect(),
        }
    }

    fn response(&self) -> FamilyResponse {
        match self.is_ordered {
            true => FamilyResponse::of_levels(&self.codes, &self.weights, &[]),
            false => FamilyResponse::of_classes(&self.codes, &self.weights),
        }
        .unwrap()
    }

    fn predictors(&self, beta: &[f64]) -> Vec<f64> {
        let mut own = vec![0.0; self.columns[0].len()];
        for (column, b) in self.columns.iter().zip(beta) {
            own.iter_mut()
                .zip(column)
                .for_each(|(eta, x)| *eta += b * x);
        }
        own
    }

    /// −2ℓ by the definition, observation by observation.
    fn value(&self, constants: &[f64], beta: &[f64]) -> f64 {
        let (n, eta) = (self.codes.len(), self.predictors(beta));
        let probability = |row: usize| {
            let level = self.codes[row] as usize;
            if self.is_ordered {
                let below = |k: usize| match k {
                    0 => 0.0,
                    k if k == self.count => 1.0,
                    k => 1.0 / (1.0 + (eta[row] - constants[k - 1]).exp()),
                };
                return below(level + 1) - below(level);
            }
            let odds = |k: usize| match k {
                0 => 1.0,
                k => (constants[k - 1] + eta[(k - 1) * n + row]).exp(),
            };
            odds(level) / (0..self.count).map(odds).sum::<f64>()
        };
        let of = |row| -2.0 * self.weights.get(row).unwrap_or(&1.0) * probability(row).ln();
        (0..n).map(of).sum()
    }
}

fn state(response: &FamilyResponse, predictors: Vec<f64>) -> JointState {
    response
        .joint
        .as_ref()
        .unwrap()
        .state(predictors, None)
        .unwrap()
}

#[test]
fn likelihoods_are_the_largest_of_the_definition_and_derivatives_its_differences() {
    for seed in 0..48 {
        let problem = Problem::random(seed, 40 + seed as usize % 20);
        let response = problem.response();
        let beta = [0.7, -0.4, 0.2 * (seed % 7) as f64];
        let at = |beta: &[f64]| state(&response, problem.predictors(beta));
        let own = at(&beta);
        let constants = own.curvature.constants();
        let (value, expected) = (
            own.minus_two_log_likelihood,
            problem.value(constants, &beta),
        );
        assert!(
            (value - expected).abs() < 1e-10 * (1.0 + expected),
            "{seed}"
        );
        for k in 0..constants.len() {
            for by in [-1e-3, 1e-3] {
                let mut moved = constants.to_vec();
                moved[k] += by;
                assert!(problem.value(&moved, &beta) > value, "{seed}");
            }
        }
        let h = 1e-5;
        for (a, column) in problem.columns.iter().enumerate() {
            let moved = |by: f64| {
                let mut own = beta;
                own[a] += by;
                own
            };
            // The constants are those of the largest likelihood: its slope is that where they are held.
            let ends = [moved(h), moved(-h)];
            let [up, down] = [&ends[0], &ends[1]].map(|beta| problem.value(constants, beta));
            let slope = (down - up) / (4.0 * h);
            let score = product(column, &own.scores);
            assert!((score - slope).abs() < 1e-5 * (1.0 + slope.abs()), "{seed}");
            let image = own.curvature.times(column);
            let [up, down] = ends.map(|beta| at(&beta));
            for other in &problem.columns {
                let rise = product(other, &down.scores) - product(other, &up.scores);
                let second = product(other, &image);
                assert!(
                    (second - rise / (2.0 * h)).abs() < 1e-5 * (1.0 + second.abs()),
                    "{seed}"
                );
            }
            let square = own.curvature.square(column);
            assert!((square - product(column, &image)).abs() < 1e-10 * (1.0 + square));
            let moves = own.curvature.constant_moves(column);
            let both = up
                .curvature
                .constants()
                .iter()
                .zip(down.curvature.constants());
            for (own, (up, down)) in moves.iter().zip(both) {
                assert!(
                    (own - (up - down) / (2.0 * h)).abs() < 1e-5 * (1.0 + own.abs()),
                    "{seed}"
                );
            }
        }
        // A constant of a block changes nothing.
        let mut ones = vec![0.0; problem.columns[0].len()];
        ones[..problem.codes.len()].fill(1.0);
        assert!(
            own.curvature
                .times(&ones)
                .iter()
                .all(|own| own.abs() < 1e-9)
        );
        assert_eq!(own.curvature.square(&ones), 0.0);
    }
}

#[test]
fn fits_have_no_slope_and_no_neighbour_is_likelier() {
    for seed in 0..48 {
        let problem = Problem::random(seed, 80);
        let response = problem.response();
        let columns: Vec<&[f64]> = problem.columns.iter().map(Vec::as_slice).collect();
        let fit = FamilyFit::of(&columns, &response, false, None).unwrap();
        assert_eq!(fit.status(), FitStatus::Converged, "{seed}");
        for column in &columns {
            assert!(product(column, fit.scores()).abs() < 1e-6, "{seed}");
        }
        let constants = fit.curvature().unwrap().constants();
        let value = fit.minus_two_log_likelihood();
        assert!(
            (value - problem.value(constants, fit.coefficients())).abs() < 1e-9 * (1.0 + value)
        );
        for at in 0..3 {
            for by in [-0.01, 0.01] {
                let mut own = fit.coefficients().to_vec();
                own[at] += by;
                let beside = state(&response, problem.predictors(&own));
                assert!(beside.minus_two_log_likelihood > value, "{seed}");
            }
        }
        let again = FamilyFit::of(&columns, &response, false, Some(&fit)).unwrap();
        assert!((again.minus_two_log_likelihood() - value).abs() < 1e-10 * (1.0 + value));
    }
}

#[test]
fn two_levels_are_logistic_regression() {
    let problem = Problem::random(8, 60);
    let codes: Vec<u32> = problem
        .codes
        .iter()
        .map(|code| u32::from(*code > 0))
        .collect();
    let columns: Vec<&[f64]> = problem.columns.iter().map(Vec::as_slice).collect();
    let events: Vec<f64> = codes.iter().map(|code| f64::from(*code)).collect();
    let family = crate::family::Family::new(crate::family::Distribution::Binomial, None).unwrap();
    let binary = FamilyResponse::new(family, &events, &[], &[], &[]).unwrap();
    let expected = FamilyFit::of(&columns, &binary, true, None).unwrap();
    for response in [
        FamilyResponse::of_levels(&codes, &[], &[]),
        FamilyResponse::of_classes(&codes, &[]),
    ] {
        let own = FamilyFit::of(&columns, &response.unwrap(), false, None).unwrap();
        let off = own.minus_two_log_likelihood() - expected.minus_two_log_likelihood();
        assert!(off.abs() < 1e-9);
        let errors = own
            .std_errors()
            .into_iter()
            .zip(expected.std_errors().into_iter().skip(1));
        let both = own.coefficients().iter().zip(expected.coefficients());
        for ((own, expected), (error, of_glm)) in both.zip(errors) {
            assert!((own - expected).abs() < 1e-7 && (error - of_glm).abs() < 1e-7);
        }
    }
}

#[test]
fn levels_that_a_column_tells_apart_have_no_end() {
    let codes: Vec<u32> = (0..30).map(|row| row / 10).collect();
    let column: Vec<f64> = (0..30).map(|row| f64::from(row) - 14.5).collect();
    let response = FamilyResponse::of_levels(&codes, &[], &[]).unwrap();
    let fit = FamilyFit::of(&[&column], &response, false, None).unwrap();
    assert_eq!(fit.status(), FitStatus::Separated);
    assert!(fit.direction().unwrap()[0] > 0.0 && fit.minus_two_log_likelihood() < 1e-6);
    let zeros = vec![0.0; 30];
    let blocks = [[&*column, &zeros].concat(), [&*zeros, &column].concat()];
    let response = FamilyResponse::of_classes(&codes, &[]).unwrap();
    let fit = FamilyFit::of(&[&blocks[0], &blocks[1]], &response, false, None).unwrap();
    assert_eq!(fit.status(), FitStatus::Separated);
    assert!(fit.minus_two_log_likelihood() < 1e-5);
}

/// Columns of a response of levels without order, each in every block.
fn in_blocks(columns: &[Vec<f64>], blocks: usize) -> Vec<Vec<f64>> {
    let of_block = |column: &Vec<f64>, block: usize| {
        let mut own = vec![0.0; column.len() * blocks];
        own[block * column.len()..][..column.len()].copy_from_slice(column);
        own
    };
    let each = |column| (0..blocks).map(move |block| of_block(column, block));
    columns.iter().flat_map(each).collect()
}

#[test]
fn a_rare_level_that_a_column_tells_apart_leaves_the_likelihood_of_the_others() {
    for seed in 0..6 {
        let mut stream = Stream::new(44, seed);
        let mut draw = || ((stream.next_word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        let (n, rare) = (120, 2 + seed as usize % 4);
        let codes: Vec<u32> = (0..n)
            .map(|row| match row < rare {
                true => 3,
                false => (3.0 * draw()) as u32,
            })
            .collect();
        let columns: Vec<Vec<f64>> = (0..4)
            .map(|at| {
                let apart = |row: usize| f64::from(u8::from(at == 2 && row < rare));
                (0..n).map(|row| draw() - 0.5 + 3.0 * apart(row)).collect()
            })
            .collect();
        let value = |codes: &[u32], columns: &[Vec<f64>], blocks: usize| {
            let own = in_blocks(columns, blocks);
            let own: Vec<&[f64]> = own.iter().map(Vec::as_slice).collect();
            let response = FamilyResponse::of_classes(codes, &[]).unwrap();
            let fit = FamilyFit::of(&own, &response, false, None).unwrap();
            let direction = fit.direction().map(<[f64]>::to_vec);
            (fit.status(), fit.minus_two_log_likelihood(), direction)
        };
        let (status, own, direction) = value(&codes, &columns, 3);
        // Only the coefficients of the rare level have no end.
        for (at, own) in direction.unwrap().into_iter().enumerate() {
            assert!(at % 3 == 2 || own.abs() < 1e-4, "{seed} {at}: {own}");
        }
        let others: Vec<Vec<f64>> = columns.iter().map(|own| own[rare..].to_vec()).collect();
        let (converged, expected, _) = value(&codes[rare..], &others, 2);
        assert_eq!(
            (status, converged),
            (FitStatus::Separated, FitStatus::Converged)
        );
        assert!((own - expected).abs() < 1e-9 * expected, "{own} {expected}");
    }
}

#[test]
fn a_column_that_is_a_level_alone_has_no_end() {
    let codes: Vec<u32> = (0..60)
        .map(|row| if row == 0 { 2 } else { row % 2 })
        .collect();
    let column: Vec<f64> = (0..60).map(|row| f64::from(u8::from(row == 0))).collect();
    let own = in_blocks(&[column], 2);
    let response = FamilyResponse::of_classes(&codes, &[]).unwrap();
    let fit = FamilyFit::of(&[&own[0], &own[1]], &response, false, None).unwrap();
    assert_eq!(fit.status(), FitStatus::Separated);
    assert!(fit.direction().unwrap()[1] > 0.5);
}

#[test]
fn impossible_levels_are_told() {
    for (result, part) in [
        (
            FamilyResponse::of_levels(&[1, 1], &[], &[]),
            "nothing to explain",
        ),
        (
            FamilyResponse::of_levels(&[0, 1], &[1.0], &[]),
            "weights has 1",
        ),
        (
            FamilyResponse::of_levels(&[0, 1], &[], &[0.0, f64::NAN]),
            "row 2",
        ),
        (FamilyResponse::of_classes(&[0, 1], &[1.0, -1.0]), "row 2"),
        // A level that only a row without weight has is none.
        (
            FamilyResponse::of_classes(&[0, 1], &[1.0, 0.0]),
            "nothing to explain",
        ),
    ] {
        let message = result.unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}
