//! The models that a search met: their weights, and the weights of the variables they hold.
//!
//! *Source:* K. Burnham and D. Anderson, *Model Selection and Multimodel Inference* (2nd ed., 2002),
//! sections 2.9 (Akaike weights) and 4.2 (importance of a variable).

use serde::{Deserialize, Serialize};

use super::number_or_nan;

/// A model that the search met.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VisitedModel {
    /// φ of the model.
    #[serde(deserialize_with = "number_or_nan")]
    pub criterion: f64,
    /// Δ, its φ less that of the best model.
    #[serde(deserialize_with = "number_or_nan")]
    pub delta: f64,
    /// exp(−Δ/2) divided by its sum over all models remembered: if φ is a BIC, about the model's
    /// posterior probability among them.
    #[serde(deserialize_with = "number_or_nan")]
    pub weight: f64,
    /// Names of its variables, in the file's order.
    pub variables: Vec<String>,
}

/// The weight of one variable among the models met.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InclusionWeight {
    /// The variable's name.
    pub name: String,
    /// Sum of the weights of the models remembered that hold it, in 0 … 1.
    #[serde(deserialize_with = "number_or_nan")]
    pub weight: f64,
}

/// Variables of smaller weight are not listed.
const LEAST: f64 = 1e-4;

/// Names the columns of the models shown and weighs them among all models; models are (φ, columns).
pub(crate) fn visited_models<'a>(
    models: impl Iterator<Item = (f64, &'a [u32])> + Clone,
    shown: impl Iterator<Item = (f64, &'a [u32])>,
    name: impl Fn(u32) -> String,
) -> Vec<VisitedModel> {
    let (best, sum) = scale(models);
    shown
        .map(|(value, columns)| VisitedModel {
            criterion: value,
            delta: value - best,
            weight: share(value, best) / sum,
            variables: columns.iter().map(|j| name(*j)).collect(),
        })
        .collect()
}

/// The weight of each variable among models (φ, columns), largest first.
pub(crate) fn inclusion_weights<'a>(
    models: impl Iterator<Item = (f64, &'a [u32])> + Clone,
    name: impl Fn(u32) -> String,
) -> Vec<InclusionWeight> {
    let (best, sum) = scale(models.clone());
    let mut weights = std::collections::BTreeMap::new();
    for (value, columns) in models {
        for &j in columns {
            *weights.entry(j).or_insert(0.0) += share(value, best) / sum;
        }
    }
    let mut list: Vec<(u32, f64)> = weights.into_iter().collect();
    // A variable of every model has all the weight, whatever rounding made of it.
    list.iter_mut()
        .for_each(|(_, weight)| *weight = weight.min(1.0));
    list.retain(|(_, weight)| *weight >= LEAST);
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let named = list.into_iter().map(|(j, weight)| (name(j), weight));
    let named = named.map(|(name, weight)| InclusionWeight { name, weight });
    named.collect()
}

/// The lowest φ and the sum of shares.
fn scale<'a>(models: impl Iterator<Item = (f64, &'a [u32])> + Clone) -> (f64, f64) {
    let values = models.clone().map(|(value, _)| value);
    let best = values.fold(f64::INFINITY, f64::min);
    (best, models.map(|(value, _)| share(value, best)).sum())
}

/// exp(−Δ/2); 1 for each model if φ of all is infinite.
fn share(value: f64, best: f64) -> f64 {
    if value == best {
        1.0
    } else {
        (0.5 * (best - value)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_fall_by_half_the_difference_and_sum_to_one() {
        let models: [(f64, &[u32]); 3] = [(10.0, &[1, 4]), (12.0, &[1]), (14.0, &[2])];
        let name = |j: u32| format!("x{j}");
        let all = || models.iter().copied();
        let shown = visited_models(all(), all(), name);
        let sum: f64 = (0..3).map(|i| (-f64::from(i)).exp()).sum();
        for (i, model) in shown.iter().enumerate() {
            assert!((model.weight - (-(i as f64)).exp() / sum).abs() < 1e-15);
            assert_eq!(model.delta, 2.0 * i as f64);
        }
        assert_eq!(shown[0].variables, ["x1", "x4"]);
        let weights = inclusion_weights(all(), name);
        let names: Vec<&str> = weights.iter().map(|own| own.name.as_str()).collect();
        assert_eq!(names, ["x1", "x4", "x2"]);
        assert!((weights[0].weight - (1.0 + (-1f64).exp()) / sum).abs() < 1e-15);
    }

    #[test]
    fn infinite_values_have_no_weight_beside_finite_ones() {
        let models: [(f64, &[u32]); 2] = [(3.0, &[0]), (f64::INFINITY, &[1])];
        let weights = inclusion_weights(models.iter().copied(), |j| format!("x{j}"));
        assert_eq!(weights.len(), 1);
        assert_eq!((weights[0].name.as_str(), weights[0].weight), ("x0", 1.0));
    }
}
