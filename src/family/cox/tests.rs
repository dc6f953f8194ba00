//! Partial likelihoods beside their definition, and derivatives beside differences.

use super::*;
use crate::{
    family::{FamilyFit, FamilyResponse, FitStatus},
    random::Stream,
    vector::{add_scaled, product},
};
use state::CoxState;

/// Survival times in whole numbers, so that many are equal, some in strata, some that enter late.
struct Problem {
    time: Vec<f64>,
    event: Vec<f64>,
    entry: Vec<f64>,
    strata: Vec<u32>,
    weights: Vec<f64>,
    offset: Vec<f64>,
    ties: Ties,
    columns: Vec<Vec<f64>>,
}

impl Problem {
    fn random(seed: u64, n: usize, k: usize) -> Self {
        let mut stream = Stream::new(41, seed);
        let mut draw = || ((stream.next_word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        let columns: Vec<Vec<f64>> = (0..k)
            .map(|_| (0..n).map(|_| draw() - 0.5).collect())
            .collect();
        let some = |is: bool, of: &mut dyn FnMut(usize) -> f64| -> Vec<f64> {
            (0..n).filter(|_| is).map(of).collect()
        };
        let first = columns.first().cloned().unwrap_or_else(|| vec![0.0; n]);
        let time: Vec<f64> = (0..n)
            .map(|row| (1.0 - 6.0 * (1.5 * first[row]).exp() * draw().ln()).floor())
            .collect();
        Self {
            event: (0..n).map(|_| f64::from(u8::from(draw() < 0.7))).collect(),
            entry: some(seed % 4 == 1, &mut |row| {
                (time[row] * draw() * 0.9).floor() - 0.5
            }),
            strata: some(seed % 3 == 2, &mut |row| (row % 3) as f64)
                .into_iter()
                .map(|own| own as u32)
                .collect(),
            weights: some(seed % 5 == 3, &mut |row| [0.0, 0.5, 1.0, 2.0][row % 4]),
            offset: some(seed % 6 == 4, &mut |row| 0.3 * (row % 3) as f64),
            ties: Ties::ALL[seed as usize % 2],
            time,
            columns,
        }
    }

    fn response(&self) -> FamilyResponse {
        let times = SurvivalTimes {
            time: &self.time,
            event: &self.event,
            entry: &self.entry,
            strata: &self.strata,
            weights: &self.weights,
            offset: &self.offset,
            ties: self.ties,
        };
        FamilyResponse::of_survival(&times).unwrap()
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.get(row).copied().unwrap_or(1.0)
    }

    /// −2ℓ by the definition, observation by observation.
    fn value(&self, beta: &[f64]) -> f64 {
        let n = self.time.len();
        let stratum = |row: usize| self.strata.get(row).copied().unwrap_or(0);
        let eta = |row: usize| {
            let own: f64 = self.columns.iter().zip(beta).map(|(x, b)| b * x[row]).sum();
            own + self.offset.get(row).copied().unwrap_or(0.0)
        };
        let is_event = |row: usize| self.event[row] == 1.0 && self.weight(row) > 0.0;
        let mut sum = 0.0;
        let mut done = vec![false; n];
        for row in (0..n).filter(|row| is_event(*row)) {
            if done[row] {
                continue;
            }
            let equal: Vec<usize> = (0..n)
                .filter(|other| {
                    is_event(*other)
                        && self.time[*other] == self.time[row]
                        && stratum(*other) == stratum(row)
                })
                .collect();
            equal.iter().for_each(|other| done[*other] = true);
            let at_risk = |other: usize| {
                let entered = self
                    .entry
                    .get(other)
                    .is_none_or(|entry| *entry < self.time[row]);
                stratum(other) == stratum(row) && self.time[other] >= self.time[row] && entered
            };
            let hazard = |other: &usize| self.weight(*other) * eta(*other).exp();
            let all: f64 = (0..n)
                .filter(|other| at_risk(*other))
                .map(|other| hazard(&other))
                .sum();
            let events: f64 = equal.iter().map(hazard).sum();
            let weight: f64 = equal.iter().map(|other| self.weight(*other)).sum();
            let d = equal.len() as f64;
            for l in 0..equal.len() {
                let share = match self.ties {
                    Ties::Efron => l as f64 / d,
                    Ties::Breslow => 0.0,
                };
                sum -= weight / d * (all - share * events).ln();
            }
            sum += equal
                .iter()
                .map(|other| self.weight(*other) * eta(*other))
                .sum::<f64>();
        }
        -2.0 * sum
    }
}

fn fitted(columns: &[&[f64]], response: &FamilyResponse, start: Option<&[f64]>) -> FamilyFit {
    let start = start.map(|start| (start.to_vec(), f64::INFINITY));
    FamilyFit::near(columns, response, false, start).unwrap()
}

#[test]
fn likelihoods_are_those_of_the_definition_and_derivatives_its_differences() {
    for seed in 0..60 {
        let n = 12 + seed as usize % 30;
        let problem = Problem::random(seed, n, 3);
        let response = problem.response();
        let columns = &problem.columns;
        let survival = response.survival().unwrap();
        let beta = [0.7, -0.4, 0.2 * (seed % 7) as f64];
        let at = |beta: &[f64]| {
            let mut predictors = survival.offset.clone();
            columns
                .iter()
                .zip(beta)
                .for_each(|(x, b)| add_scaled(&mut predictors, *b, x));
            CoxState::of(survival, survival.sorted(&predictors)).unwrap()
        };
        let state = at(&beta);
        let expected = problem.value(&beta);
        assert!((state.minus_two_log_likelihood - expected).abs() < 1e-10 * (1.0 + expected.abs()));
        assert!(survival.least() <= expected + 1e-9, "{seed}");
        // Gradients and second derivatives with respect to β, by central differences of the definition.
        let h = 1e-4;
        let shifted = |moves: &[(usize, f64)]| {
            let mut own = beta;
            moves.iter().for_each(|(at, by)| own[*at] += by);
            -0.5 * problem.value(&own)
        };
        for a in 0..3 {
            let slope = (shifted(&[(a, h)]) - shifted(&[(a, -h)])) / (2.0 * h);
            let own = product(&columns[a], &survival.unsorted(&state.scores));
            assert!(
                (own - slope).abs() < 1e-5 * (1.0 + slope.abs()),
                "{seed}: {own} {slope}"
            );
            let image = state.curvature.times(&columns[a]);
            for (b, column) in columns.iter().enumerate() {
                let four = [(h, h), (h, -h), (-h, h), (-h, -h)];
                let four = four.map(|(x, y)| shifted(&[(a, x), (b, y)]));
                let second = -(four[0] - four[1] - four[2] + four[3]) / (4.0 * h * h);
                let own = product(column, &image);
                assert!(
                    (own - second).abs() < 2e-4 * (1.0 + second.abs()),
                    "{seed} {own} {second}"
                );
            }
            let square = state.curvature.square(&columns[a]);
            assert!((square - product(&columns[a], &image)).abs() < 1e-10 * (1.0 + square));
        }
        // A constant is none of a partial likelihood.
        let ones = vec![1.0; n];
        assert!(
            state
                .curvature
                .times(&ones)
                .iter()
                .all(|own| own.abs() < 1e-9)
        );
    }
}

/// A residual is what the score gains where the observation weighs more, in shares of its weight.
#[test]
fn score_residuals_are_derivatives_of_the_score_by_weights() {
    for seed in 0..60 {
        let n = 12 + seed as usize % 20;
        let mut problem = Problem::random(seed, n, 2);
        if problem.weights.is_empty() {
            problem.weights = vec![1.0; n];
        }
        let response = problem.response();
        let survival = response.survival().unwrap();
        let beta = [0.7, -0.4];
        let mut predictors = survival.offset.clone();
        let columns: Vec<&[f64]> = problem.columns.iter().map(Vec::as_slice).collect();
        for (x, b) in columns.iter().zip(beta) {
            add_scaled(&mut predictors, b, x);
        }
        let residuals = survival.score_residuals(&columns, &predictors);
        let h = 1e-3;
        for (a, own) in residuals.iter().enumerate() {
            let slope = |problem: &Problem| {
                let value = |by: f64| {
                    let mut own = beta;
                    own[a] += by;
                    -0.5 * problem.value(&own)
                };
                (value(h) - value(-h)) / (2.0 * h)
            };
            for (row, own) in own.iter().enumerate() {
                let weight = problem.weights[row];
                let mut slope_at = |factor: f64| {
                    problem.weights[row] = weight * factor;
                    slope(&problem)
                };
                let expected = (slope_at(1.0 + h) - slope_at(1.0 - h)) / (2.0 * h);
                problem.weights[row] = weight;
                assert!(
                    (own - expected).abs() < 1e-5 * (1.0 + expected.abs()),
                    "{seed}, row {row}: {own} {expected}"
                );
            }
            let (sum, score) = (own.iter().sum::<f64>(), slope(&problem));
            assert!((sum - score).abs() < 1e-5 * (1.0 + score.abs()), "{seed}");
        }
    }
}

#[test]
fn fits_have_no_slope_and_no_neighbour_is_likelier() {
    let mut converged = 0;
    for seed in 0..60 {
        let problem = Problem::random(seed, 60, 3);
        let response = problem.response();
        let columns: Vec<&[f64]> = problem.columns.iter().map(Vec::as_slice).collect();
        let fit = fitted(&columns, &response, None);
        if fit.status() != FitStatus::Converged {
            continue;
        }
        converged += 1;
        for column in &columns {
            assert!(product(column, fit.scores()).abs() < 1e-5, "{seed}");
        }
        let value = fit.minus_two_log_likelihood();
        assert!((value - problem.value(fit.coefficients())).abs() < 1e-9 * (1.0 + value));
        for at in 0..3 {
            for by in [-0.01, 0.01] {
                let mut own = fit.coefficients().to_vec();
                own[at] += by;
                assert!(problem.value(&own) > value, "{seed}");
            }
        }
        let again = fitted(&columns, &response, Some(fit.predictors()));
        assert!((again.minus_two_log_likelihood() - value).abs() < 1e-9 * (1.0 + value));
        // A column twice has a coefficient once.
        let twice = fitted(&[columns[0], columns[1], columns[0]], &response, None);
        let once = fitted(&columns[..2], &response, None);
        assert_eq!((twice.rank(), twice.coefficients()[2]), (2, 0.0));
        let off = twice.minus_two_log_likelihood() - once.minus_two_log_likelihood();
        assert!(off.abs() < 1e-8, "{seed} {off}");
    }
    assert!(converged > 55, "{converged}");
}

#[test]
fn hazards_of_any_size_neither_overflow_nor_vanish() {
    for seed in 0..120 {
        let mut problem = Problem::random(seed, 30, 1);
        // Of the definition exp(±300) is still a number; sums of hazards so far apart lose the smaller ones.
        let far = |row: usize| [0.0, 300.0, -300.0, 40.0, -5.0][(row * 7 + seed as usize) % 5];
        problem.offset = (0..30).map(far).collect();
        let state = |problem: &Problem| {
            let response = problem.response();
            let survival = response.survival().unwrap().clone();
            CoxState::of(&survival, survival.sorted(&survival.offset)).unwrap()
        };
        let own = state(&problem);
        let expected = problem.value(&[0.0]);
        let off = own.minus_two_log_likelihood - expected;
        assert!(off.abs() < 1e-9 * (1.0 + expected), "{seed}: {off}");
        let x = &problem.columns[0];
        let h = 1e-4;
        let slope = (problem.value(&[-h]) - problem.value(&[h])) / (4.0 * h);
        let score = product(x, &own.curvature.response.unsorted(&own.scores));
        assert!((score - slope).abs() < 1e-4 * (1.0 + slope.abs()), "{seed}");
        let square = own.curvature.square(x);
        let middle = problem.value(&[0.0]);
        let second = (problem.value(&[h]) + problem.value(&[-h]) - 2.0 * middle) / (2.0 * h * h);
        assert!(
            (square - second).abs() < 1e-2 * (1.0 + second),
            "{seed} {square} {second}"
        );
        // Of exp(1,300) it is none; a constant says nothing all the same.
        problem.offset.iter_mut().for_each(|own| *own += 1000.0);
        let shifted = state(&problem);
        let off = shifted.minus_two_log_likelihood - own.minus_two_log_likelihood;
        assert!(off.abs() < 1e-8 * (1.0 + expected), "{seed}: {off}");
        assert!(
            (shifted.curvature.square(x) - square).abs() < 1e-8 * (1.0 + square),
            "{seed}"
        );
    }
}

#[test]
fn columns_that_no_risk_set_tells_apart_have_no_coefficient() {
    for seed in 0..60 {
        let problem = Problem::random(seed, 40, 2);
        let response = problem.response();
        let (one, other) = (&problem.columns[0], &problem.columns[1]);
        let flat: Vec<f64> = (0..40)
            .map(|row| {
                problem
                    .strata
                    .get(row)
                    .map_or(7.0, |own| 3.0 + f64::from(*own))
            })
            .collect();
        let with = fitted(&[one, &flat, other], &response, None);
        let without = fitted(&[one, other], &response, None);
        assert_eq!(with.status(), without.status(), "{seed}");
        assert_eq!((with.rank(), with.coefficients()[1]), (2, 0.0), "{seed}");
        let off = with.minus_two_log_likelihood() - without.minus_two_log_likelihood();
        assert!(off.abs() < 1e-8, "{seed} {off}");
    }
}

#[test]
fn what_tells_all_events_from_others_at_risk_has_no_end() {
    let problem = Problem {
        time: (1..=20).map(f64::from).collect(),
        event: vec![1.0; 20],
        columns: vec![(0..20).map(|row| f64::from(-row)).collect()],
        ..Problem::random(0, 20, 1)
    };
    let response = problem.response();
    let columns = &problem.columns;
    let fit = fitted(&[&columns[0]], &response, None);
    assert_eq!(fit.status(), FitStatus::Separated);
    assert!(fit.direction().unwrap()[0] > 0.0);
    assert!((fit.minus_two_log_likelihood() - response.least()).abs() < 1e-6);
}

#[test]
fn impossible_times_are_told_with_their_row() {
    let good = Problem::random(1, 9, 1);
    let told = |change: &dyn Fn(&mut Problem)| {
        let mut own = Problem::random(1, 9, 1);
        change(&mut own);
        let times = SurvivalTimes {
            time: &own.time,
            event: &own.event,
            entry: &own.entry,
            strata: &own.strata,
            weights: &own.weights,
            offset: &own.offset,
            ties: own.ties,
        };
        SurvivalResponse::new(&times).unwrap_err().to_string()
    };
    assert!(!good.entry.is_empty());
    for (change, parts) in [
        (
            &(|own: &mut Problem| own.time[3] = f64::NAN) as &dyn Fn(&mut Problem),
            ["row 4", "time"],
        ),
        (&|own| own.event[2] = 2.0, ["row 3", "neither 1"]),
        (&|own| own.entry[4] = own.time[4], ["row 5", "not before"]),
        (&|own| own.event.fill(0.0), ["no observation", "event"]),
        (&|own| own.weights = vec![-1.0; 9], ["row 1", "weight"]),
        (&|own| own.offset = vec![0.0; 8], ["offset has 8", "9"]),
        (
            &|own| own.strata = (0..9).collect(),
            ["nobody else is at risk", "strata"],
        ),
        (
            &|own| {
                own.time.fill(9.0);
                own.entry.fill(0.0);
                own.event.fill(1.0);
            },
            ["all events happen at one time", "the times"],
        ),
    ] {
        let message = told(change);
        for part in parts {
            assert!(message.contains(part), "{part} in {message}");
        }
    }
}
