//! The models a search met beside the one it chose: how far behind they are, and
//! how much the data say for each variable.

use serde::Serialize;

/// A model that the search met.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VisitedModel {
    /// φ.
    pub criterion: f64,
    /// φ less that of the best model.
    pub delta: f64,
    /// exp(−Δ/2) over the sum of it for all models met that were remembered: if φ is
    /// a BIC, about the model's posterior probability among them.
    pub weight: f64,
    /// Names of its variables, in the file's order.
    pub variables: Vec<String>,
}

/// The weight of one variable.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InclusionWeight {
    /// The variable's name.
    pub name: String,
    /// Sum of the weights of the models remembered that hold it, in 0 … 1.
    pub weight: f64,
}

/// Variables of smaller weight are not listed.
const LEAST: f64 = 1e-4;

/// The first models of a list of (φ, columns), best first, with the weights they
/// have among all of it.
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

/// The weight of each variable among the models of a list of (φ, columns).
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
    list.into_iter()
        .map(|(j, weight)| InclusionWeight {
            name: name(j),
            weight,
        })
        .collect()
}

/// The lowest φ and the sum of shares.
fn scale<'a>(models: impl Iterator<Item = (f64, &'a [u32])> + Clone) -> (f64, f64) {
    let best = models
        .clone()
        .fold(f64::INFINITY, |best, (value, _)| best.min(value));
    (best, models.map(|(value, _)| share(value, best)).sum())
}

/// exp(−Δ/2); of models that φ puts at infinity, 1 for each if all are there.
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
        let names: Vec<&str> = weights.iter().map(|it| it.name.as_str()).collect();
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
