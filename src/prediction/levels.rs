//! Probabilities of the levels of a response.

use super::{LevelProbabilities, Model, PredictionOptions, Predictions, Scale, combine::Part};
use crate::family::probability_between;

impl Model {
    /// The probabilities of levels, or their linear predictors.
    pub(super) fn of_levels(
        &self,
        parts: &[Part],
        options: &PredictionOptions,
        predictions: &mut Predictions,
    ) {
        let (rows, count) = (predictions.rows, self.levels.len());
        let is_ordered = self.family != "multinomial";
        let total: f64 = parts.iter().map(Part::weight).sum();
        let mut probabilities = vec![vec![0.0; rows]; count];
        let mut predictors = vec![vec![0.0; rows]; parts.first().map_or(0, |own| own.etas.len())];
        for part in parts {
            let share = part.weight() / total;
            for row in 0..rows {
                let etas: Vec<f64> = part.etas.iter().map(|own| own[row]).collect();
                let constants = &part.equation.constants;
                let (own, etas) = match is_ordered {
                    true => (of_ordered(constants, etas[0]), etas),
                    false => {
                        let etas = etas.iter().zip(constants).map(|(eta, own)| eta + own);
                        let etas: Vec<f64> = etas.collect();
                        (of_unordered(&etas), etas)
                    }
                };
                let all = probabilities.iter_mut().zip(own);
                all.for_each(|(sum, own)| sum[row] += share * own);
                let all = predictors.iter_mut().zip(etas);
                all.for_each(|(sum, own)| sum[row] += share * own);
            }
        }
        let of_row = |row: usize| {
            let of_level = |at: &usize| probabilities[*at][row];
            let known = (0..count).filter(|at| !of_level(at).is_nan());
            // The first of equal ones.
            known
                .rev()
                .max_by(|a, b| of_level(a).total_cmp(&of_level(b)))
        };
        predictions.most_probable = (0..rows).map(of_row).collect();
        let named = |names: &[String], all: Vec<Vec<f64>>| {
            let own = names.iter().zip(all);
            own.map(|(level, values)| LevelProbabilities {
                level: level.clone(),
                values,
            })
            .collect()
        };
        predictions.levels = named(&self.levels, probabilities);
        match options.scale {
            Scale::Response => {}
            Scale::Link if is_ordered => {
                predictions.fit = predictors.into_iter().next().unwrap_or_default();
            }
            Scale::Link => predictions.predictors = named(&self.levels[1..], predictors),
        }
    }
}

/// The probabilities of ordered levels at a linear predictor: of at most level k it is 1 / (1 + exp(η − threshold k)).
///
/// *Shapes:* K − 1 thresholds, K probabilities.
fn of_ordered(thresholds: &[f64], eta: f64) -> Vec<f64> {
    let ends = || thresholds.iter().map(|threshold| Some(threshold - eta));
    let below = [None].into_iter().chain(ends());
    let above = ends().chain([None]);
    below
        .zip(above)
        .map(|(below, above)| probability_between(below, above))
        .collect()
}

/// The probabilities of levels without order at their linear predictors, that of the baseline being 0.
///
/// *Shapes:* K − 1 predictors, K probabilities.
fn of_unordered(etas: &[f64]) -> Vec<f64> {
    let largest = etas.iter().copied().fold(0.0, f64::max);
    let all = std::iter::once(0.0).chain(etas.iter().copied());
    let all: Vec<f64> = all.map(|eta| (eta - largest).exp()).collect();
    let total: f64 = all.iter().sum();
    all.iter().map(|own| own / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_the_definitions_and_sum_to_one() {
        let thresholds = [-1.5, 0.25, 2.0];
        for eta in [-30.0, -2.0, 0.0, 0.7, 5.0, 40.0] {
            let own = of_ordered(&thresholds, eta);
            let at_most = |k: usize| 1.0 / (1.0 + f64::exp(eta - thresholds[k]));
            for k in 0..3 {
                let sum: f64 = own[..=k].iter().sum();
                assert!((sum - at_most(k)).abs() < 1e-15, "{eta} {k}");
            }
            assert!((own.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            assert!(own.iter().all(|p| *p > 0.0), "{eta}: {own:?}");
        }
        let own = of_unordered(&[800.0, 1.0]);
        assert_eq!((own[0], own[1], own[2]), (0.0, 1.0, 0.0));
        let (a, b) = (f64::exp(0.3), f64::exp(-1.2));
        let own = of_unordered(&[0.3, -1.2]);
        for (own, expected) in own.iter().zip([1.0, a, b]) {
            assert!((own - expected / (1.0 + a + b)).abs() < 1e-15);
        }
    }
}
